#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a hook may have open: no fewer than programs are used to. */
enum { HOOK_DESCRIPTORS = 1024 };

/* What the new process says before it becomes the hook. Close-on-exec: nothing means that it did. */
struct refusal {
    int outcome; /* enum linux_hook_outcome */
    int error;
};

static int is_writable_by_others(const struct stat *status) {
    return (status->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

int64_t linux_hook_names(const char *path, char *names, size_t capacity) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return -errno;
    }
    struct stat status;
    if (fstat(folder, &status) != 0 || status.st_uid != 0 || is_writable_by_others(&status)) {
        close(folder);
        return -EPERM;
    }
    DIR *directory = fdopendir(folder);
    if (directory == NULL) {
        close(folder);
        return -ENOMEM;
    }
    size_t size = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        size_t length = strlen(entry->d_name) + 1;
        if (entry->d_name[0] == '.') {
            continue;
        }
        if (length > capacity - size) {
            closedir(directory);
            return -E2BIG;
        }
        memcpy(names + size, entry->d_name, length);
        size += length;
    }
    closedir(directory);
    return (int64_t)size;
}

/* Whether the hook may be run: the file of `owner`, and nobody else's. As the person, where it is theirs. */
static int examine(const char *path, uint32_t owner) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT || errno == ENOTDIR ? LINUX_HOOK_ABSENT
             : errno == ELOOP                      ? LINUX_HOOK_NOT_REGULAR
                                                   : LINUX_HOOK_FAILED;
    }
    struct stat status;
    int outcome = fstat(file, &status) != 0              ? LINUX_HOOK_FAILED
                : !S_ISREG(status.st_mode)               ? LINUX_HOOK_NOT_REGULAR
                : status.st_uid != owner                 ? LINUX_HOOK_WRONG_OWNER
                : is_writable_by_others(&status)         ? LINUX_HOOK_WRITABLE
                : (status.st_mode & S_IXUSR) == 0        ? LINUX_HOOK_NOT_EXECUTABLE
                                                         : LINUX_HOOK_ENDED;
    close(file);
    return outcome;
}

static _Noreturn void refuse(int report, int outcome, int error) {
    struct refusal refusal = {.outcome = outcome, .error = error};
    ssize_t ignored = write(report, &refusal, sizeof refusal);
    (void)ignored;
    _exit(127);
}

static _Noreturn void become_hook(
    const char *path, uint32_t owner, const struct passwd *person, char *const environment[], int report) {
    (void)setsid();
    /* First of all: what is inherited would go on granting root's rights. */
    if (linux_join_session_keyring(person->pw_uid, person->pw_gid) < 0) {
        refuse(report, LINUX_HOOK_FAILED, errno);
    }
    struct rlimit descriptors = {HOOK_DESCRIPTORS, HOOK_DESCRIPTORS};
    (void)setrlimit(RLIMIT_NOFILE, &descriptors);
    if (initgroups(person->pw_name, person->pw_gid) != 0 ||
        setresgid(person->pw_gid, person->pw_gid, person->pw_gid) != 0 ||
        setresuid(person->pw_uid, person->pw_uid, person->pw_uid) != 0) {
        refuse(report, LINUX_HOOK_FAILED, errno);
    }
    if (setresuid(0, 0, 0) == 0) {
        refuse(report, LINUX_HOOK_FAILED, EPERM);
    }
    umask(077);
    int null = open("/dev/null", O_RDWR);
    if (chdir("/") != 0 || null < 0 || dup2(report, 3) != 3 || fcntl(3, F_SETFD, FD_CLOEXEC) != 0 || dup2(null, 0) < 0 ||
        dup2(null, 1) < 0 || dup2(null, 2) < 0 || syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
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

/* Waits for the hook, and ends what is left of its group. */
static struct linux_hook await(pid_t process, int64_t deadline) {
    struct linux_hook result = {.outcome = LINUX_HOOK_FAILED};
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    int64_t left = deadline - linux_boottime_ms();
    int ended = descriptor >= 0 && linux_readable(descriptor, left > 0 ? (int)left : 0) == 1;
    /* Until it is waited for, its number is nobody else's. */
    (void)kill(-process, SIGKILL);
    (void)kill(process, SIGKILL);
    if (!ended && descriptor >= 0) {
        /* Whoever waits for a file server cannot even be killed. */
        (void)linux_readable(descriptor, 1000);
    }
    int status = 0;
    if (waitpid(process, &status, WNOHANG) == process) {
        result.outcome = ended ? LINUX_HOOK_ENDED : LINUX_HOOK_TOO_LONG;
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else {
        result.outcome = LINUX_HOOK_TOO_LONG;
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return result;
}

struct linux_hook linux_run_hook(
    const char *folder, const char *name, int is_own, const uint8_t *user, const char *reason, int64_t others,
    int timeout_ms) {
    struct linux_hook failed = {.outcome = LINUX_HOOK_FAILED};
    struct passwd *person = getpwnam((const char *)user);
    if (person == NULL || person->pw_uid == 0) {
        failed.error = person == NULL ? ENOENT : EPERM;
        return failed;
    }
    char path[4096], variables[7][4200];
    int length = is_own ? snprintf(path, sizeof path, "%s/.config/pam-cognito/sign-out", person->pw_dir)
                        : snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length >= (int)sizeof path || path[0] != '/') {
        failed.error = ENAMETOOLONG;
        return failed;
    }
    snprintf(variables[0], sizeof variables[0], "USER=%s", person->pw_name);
    snprintf(variables[1], sizeof variables[1], "LOGNAME=%s", person->pw_name);
    snprintf(variables[2], sizeof variables[2], "HOME=%s", person->pw_dir);
    snprintf(variables[3], sizeof variables[3], "SHELL=%s", person->pw_shell);
    snprintf(variables[4], sizeof variables[4], "PAM_COGNITO_REASON=%s", reason);
    snprintf(variables[5], sizeof variables[5], "PAM_COGNITO_OTHER_SESSIONS=%lld", (long long)others);
    char *const environment[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", variables[0], variables[1], variables[2], variables[3],
        variables[4], variables[5], NULL,
    };
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        failed.error = errno;
        return failed;
    }
    int64_t deadline = linux_boottime_ms() + timeout_ms;
    pid_t process = fork();
    if (process < 0) {
        failed.error = errno;
        close(report[0]);
        close(report[1]);
        return failed;
    }
    if (process == 0) {
        become_hook(path, is_own ? person->pw_uid : 0, person, environment, report[1]);
    }
    close(report[1]);
    struct linux_hook result = await(process, deadline);
    struct refusal refusal;
    if (linux_readable(report[0], 0) == 1 && read(report[0], &refusal, sizeof refusal) == (ssize_t)sizeof refusal) {
        result.outcome = refusal.outcome;
        result.error = refusal.error;
    }
    close(report[0]);
    return result;
}

int linux_let_go_outside(const char *notice) {
    char text[4096], answer[256];
    if (linux_control_group(linux_process_id(), text, sizeof text) < 0 || strstr(text, "/pam-cognito-") == NULL) {
        return -ENOENT;
    }
    char run[] = "/usr/bin/systemd-run", quiet[] = "--quiet", collect[] = "--collect", block[] = "--no-block";
    char end[] = "--", agent[] = PAM_COGNITO_AGENT, command[] = "let-go";
    char *const arguments[] = {run, quiet, collect, block, end, agent, command, (char *)notice, NULL};
    int64_t size = linux_run(arguments, NULL, 0, answer, sizeof answer, 5000);
    return size < 0 ? (int)size : 0;
}
