/* refused_calls ERRNO CALL[=ARGUMENT],... PROGRAM WORD...: becomes the program, to which those system calls fail so, as the
 * seccomp profiles of containers have it; with an argument, only where that is their first one. */
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char *words[]) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (count < 4 || filter == NULL || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) != 0) {
        return 71;
    }
    const uint32_t refused = SCMP_ACT_ERRNO((unsigned)atoi(words[1]));
    for (char *name = strtok(words[2], ","); name != NULL; name = strtok(NULL, ",")) {
        char *argument = strchr(name, '=');
        if (argument != NULL) {
            *argument++ = 0;
        }
        const struct scmp_arg_cmp first = {0, SCMP_CMP_EQ, argument == NULL ? 0 : strtoull(argument, NULL, 0), 0};
        int call = seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR ||
            seccomp_rule_add_array(filter, refused, call, argument == NULL ? 0 : 1, &first) != 0) {
            return 71;
        }
    }
    if (seccomp_load(filter) != 0) {
        return 71;
    }
    execvp(words[3], words + 3);
    return 127;
}
