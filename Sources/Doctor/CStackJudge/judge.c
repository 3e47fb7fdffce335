#define _GNU_SOURCE
#include "CLinux.h"
#include "CStackJudge.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

enum { INPUT = 3, OUTPUT = 4, LOWEST_SPARE = 10 };

/* No other process has this id. Another process with the child's id could change its limits and send it signals,
 * whatever PR_SET_DUMPABLE is (prlimit(2), kill(2)). Where a container's user namespace lacks the id, NOBODY has to do.
 */
static const uid_t UNUSED_ID = 4294967293U;
static const uid_t NOBODY = 65534;

/* pam_debug tells the application each argument that it acts on. */
static int write_messages(
    int count, const struct pam_message **messages, struct pam_response **responses, void *output) {
    *responses = NULL;
    for (int i = 0; i < count; i++) {
        fprintf(output, "%s\n", messages[i]->msg);
    }
    return PAM_SUCCESS;
}

static int call(pam_handle_t *handle, char name) {
    switch (name) {
    case 'a':
        return pam_authenticate(handle, 0);
    case 's':
        return pam_setcred(handle, PAM_ESTABLISH_CRED);
    case 'm':
        return pam_acct_mgmt(handle, 0);
    case 'o':
        return pam_open_session(handle, 0);
    case 'c':
        return pam_chauthtok(handle, 0);
    default:
        return PAM_ABORT;
    }
}

static void answer(const char *service, const char *calls, FILE *output) {
    struct pam_conv conversation = {write_messages, output};
    pam_handle_t *handle = NULL;
    int result = pam_start_confdir(service, "user", &conversation, "/", &handle);
    if (result != PAM_SUCCESS) {
        // The application of the real service gets no further either.
        fprintf(output, "=%d\n", result);
    } else {
        for (; *calls != '\0'; calls++) {
            result = call(handle, *calls);
            fprintf(output, "=%d\n", result);
        }
        pam_end(handle, result);
    }
    fputs(".\n", output);
    fflush(output);
}

static int become(uid_t id) {
    return setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0;
}

static int give_up_rights(const char *directory) {
    // Without root's rights (unit tests), the child may change its root directory in a user namespace of its own.
    int is_root = geteuid() == 0;
    // The keyring of the doctor's session stays with root. If keyctl(2) is refused, there is none.
    int has_keyring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0;
    return (has_keyring || errno == ENOSYS || errno == EPERM || errno == EACCES) &&
        (is_root || unshare(CLONE_NEWUSER) == 0) && chroot(directory) == 0 && chdir("/") == 0 &&
        (!is_root ||
            (setgroups(0, NULL) == 0 && (become(UNUSED_ID) || become(NOBODY)) && setresuid(0, 0, 0) != 0 &&
                // The memory is a copy of the doctor's, whatever fs.suid_dumpable says (proc_sys_fs(5)).
                prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)) &&
        linux_drop_capabilities() == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static _Noreturn void serve(const char *directory, const char *module, int connection, pid_t parent) {
    // Both out of the way of the descriptors that they become.
    int opened = open("/dev/null", O_RDWR);
    int null = opened < 0 ? -1 : fcntl(opened, F_DUPFD, LOWEST_SPARE);
    connection = fcntl(connection, F_DUPFD, LOWEST_SPARE);
    closelog();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || null < 0 || connection < 0 ||
        dup2(connection, INPUT) < 0 || dup2(connection, OUTPUT) < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(null, 2) < 0 || syscall(SYS_close_range, OUTPUT + 1U, ~0U, 0U) != 0 ||
        // libpam finds it loaded: it cannot be opened below the other root directory.
        dlopen(module, RTLD_NOW) == NULL || !give_up_rights(directory)) {
        _exit(1);
    }
    // Changing the uid has taken the signal away.
    FILE *input = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent ? fdopen(INPUT, "r") : NULL;
    FILE *output = input == NULL ? NULL : fdopen(OUTPUT, "w");
    char service[64];
    char calls[8];
    while (output != NULL && fscanf(input, "%63s %7s", service, calls) == 2) {
        answer(service, calls, output);
    }
    _exit(0);
}

int stack_judge_start(const char *directory, const char *module, pid_t *child) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -errno;
    }
    pid_t parent = getpid();
    *child = fork();
    if (*child == 0) {
        serve(directory, module, ends[1], parent);
    }
    int error = errno;
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return -error;
    }
    return ends[0];
}

void stack_judge_end(int connection, pid_t child) {
    close(connection);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

int stack_judge_lock(const char *directory) {
    int opened = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    // Its earlier holder may have removed it.
    if (opened >= 0 && (flock(opened, LOCK_EX | LOCK_NB) != 0 || fstat(opened, &status) != 0 || status.st_nlink == 0)) {
        close(opened);
        return -1;
    }
    return opened;
}

int stack_judge_write(const char *path, const void *text, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) {
        return -errno;
    }
    // The doctor's umask does not count.
    int error = fchmod(file, 0644) != 0 || write(file, text, length) != (ssize_t)length ? -EIO : 0;
    close(file);
    return error;
}
