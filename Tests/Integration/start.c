/* Starts PROGRAM as a machine's first process is asked to, in place of itself: see `start` in machine.py.
 *
 * usage: start FOLDER KEYRING TERMINAL LIMITS IDENTITY PROGRAM ARGUMENT...
 *   KEYRING   1: in a new session keyring
 *   TERMINAL  1: descriptor 4 is the controlling terminal
 *   LIMITS    NUMBER=VALUE, each with a space behind it
 *   IDENTITY  user id, group id and other groups, each with a space behind it; or nothing
 * What fails is written to descriptor 3, which no program keeps: the error number.
 *
 * Static: the environment, LD_PRELOAD with it, is meant for the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FOLDER = 1, KEYRING, TERMINAL, LIMITS, IDENTITY, PROGRAM, ARGUMENTS };
enum { ERRORS = 3, CONTROLLING = 4, MOST_GROUPS = 64 };

static int limit(char *text) {
    while (*text) {
        int number = (int)strtol(text, &text, 10);
        rlim_t value = (rlim_t)strtoll(text + 1, &text, 10);
        struct rlimit both = {value, value};
        if (setrlimit(number, &both) != 0) {
            return -1;
        }
        text++;
    }
    return 0;
}

static int become(char *text) {
    if (!*text) {
        return 0;
    }
    uid_t user = (uid_t)strtoul(text, &text, 10);
    gid_t group = (gid_t)strtoul(text + 1, &text, 10), groups[MOST_GROUPS];
    size_t count = 0;
    for (text++; *text; text++) {
        if (count == MOST_GROUPS) {
            errno = E2BIG;
            return -1;
        }
        groups[count++] = (gid_t)strtoul(text, &text, 10);
    }
    return setgroups(count, groups) || setresgid(group, group, group) || setresuid(user, user, user);
}

int main(int count, char **words) {
    if (count < ARGUMENTS) {
        return 64;
    }
    fcntl(ERRORS, F_SETFD, FD_CLOEXEC);
    // posix_spawn(3) has the C library's own two signals ignored, which sigaction(3) would not change.
    for (int number = 32; number < 34; number++) {
        syscall(SYS_rt_sigaction, number, (unsigned long[8]){0}, NULL, 8);
    }
    if ((*words[TERMINAL] == '0' || (ioctl(CONTROLLING, TIOCSCTTY, 0) == 0 && close(CONTROLLING) == 0)) &&
        limit(words[LIMITS]) == 0 &&
        (*words[KEYRING] == '0' || syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) > 0) &&
        become(words[IDENTITY]) == 0 && chdir(words[FOLDER]) == 0) {
        execv(words[PROGRAM], words + ARGUMENTS);
    }
    dprintf(ERRORS, "%d", errno);
    return 127;
}
