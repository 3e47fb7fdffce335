#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a hook may have open: no fewer than programs are used to. */
enum { HOOK_DESCRIPTORS = 1024 };

static int is_writable_by_others(const struct stat *status) {
    return (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Whether the hook may be run: the file of `owner`, and nobody else's. As the person, where it is theirs. */
static int examine(const char *path, uint32_t owner) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT || errno == ENOTDIR ? LINUX_HOOK_ABSENT
            : errno == ELOOP                       ? LINUX_HOOK_NOT_REGULAR
                                                   : LINUX_HOOK_FAILED;
    }
    struct stat status;
    int outcome = fstat(file, &status) != 0 ? LINUX_HOOK_FAILED
        : !S_ISREG(status.st_mode)          ? LINUX_HOOK_NOT_REGULAR
        : status.st_uid != owner            ? LINUX_HOOK_WRONG_OWNER
        : is_writable_by_others(&status)    ? LINUX_HOOK_WRITABLE
        : (status.st_mode & S_IXUSR) == 0   ? LINUX_HOOK_NOT_EXECUTABLE
                                            : LINUX_HOOK_ENDED;
    close(file);
    return outcome;
}

static _Noreturn void refuse(int report, int outcome, int error) {
    struct linux_hook_refusal refusal = {.outcome = outcome, .error = error};
    ssize_t ignored = write(report, &refusal, sizeof refusal);
    (void)ignored;
    _exit(127);
}

static _Noreturn void become_hook(const char *path, uint32_t owner, const char *user, uint32_t uid, uint32_t gid,
    char *const environment[], int report) {
    (void)setsid();
    /* First of all: what is inherited would go on granting root's rights. */
    if (linux_join_session_keyring(uid, gid) < 0) {
        refuse(report, LINUX_HOOK_FAILED, errno);
    }
    struct rlimit descriptors = {HOOK_DESCRIPTORS, HOOK_DESCRIPTORS};
    (void)setrlimit(RLIMIT_NOFILE, &descriptors);
    if (initgroups(user, gid) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0) {
        refuse(report, LINUX_HOOK_FAILED, errno);
    }
    if (setresuid(0, 0, 0) == 0 || linux_drop_capabilities() != 0) {
        refuse(report, LINUX_HOOK_FAILED, EPERM);
    }
    umask(077);
    int null = open("/dev/null", O_RDWR);
    if (chdir("/") != 0 || null < 0 || dup2(report, 3) != 3 || fcntl(3, F_SETFD, FD_CLOEXEC) != 0 ||
        dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
        refuse(report, LINUX_HOOK_FAILED, errno);
    }
    for (int number = 1; number <= 64; number++) {
        (void)signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    int outcome = examine(path, owner);
    if (outcome != LINUX_HOOK_ENDED) {
        refuse(3, outcome, errno);
    }
    char *const arguments[] = {(char *)path, NULL};
    execve(path, arguments, environment);
    refuse(3, LINUX_HOOK_FAILED, errno);
}

int32_t linux_start_hook(const char *path, uint32_t owner, const char *user, uint32_t uid, uint32_t gid,
    char *const environment[], int report) {
    pid_t process = fork();
    if (process == 0) {
        become_hook(path, owner, user, uid, gid, environment, report);
    }
    return process < 0 ? -errno : process;
}
