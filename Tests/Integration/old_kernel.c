/* old_kernel PROGRAM WORD...: becomes the program, to which seccomp(2) and landlock(7) are unknown. */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char *words[]) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    const struct scmp_arg_cmp as_filter = {0, SCMP_CMP_EQ, PR_SET_SECCOMP, 0};
    const uint32_t unknown = SCMP_ACT_ERRNO(ENOSYS);
    if (count < 2 || filter == NULL || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) != 0 ||
        seccomp_rule_add_array(filter, unknown, SCMP_SYS(seccomp), 0, NULL) != 0 ||
        seccomp_rule_add_array(filter, unknown, SCMP_SYS(landlock_create_ruleset), 0, NULL) != 0 ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, &as_filter) != 0 ||
        seccomp_load(filter) != 0) {
        return 71;
    }
    execvp(words[1], words + 1);
    return 127;
}
