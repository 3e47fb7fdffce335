#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t linux_process_id(void) {
    return (int32_t)syscall(SYS_getpid);
}

int32_t linux_parent_process_id(void) {
    return (int32_t)syscall(SYS_getppid);
}

uint32_t linux_user_id(void) {
    return (uint32_t)syscall(SYS_getuid);
}

uint32_t linux_effective_user_id(void) {
    return (uint32_t)syscall(SYS_geteuid);
}

static ssize_t read_small(const char *path, char *buffer, size_t capacity) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    ssize_t got;
    do {
        got = read(file, buffer, capacity - 1);
    } while (got < 0 && errno == EINTR);
    int error = errno;
    close(file);
    if (got < 0) {
        return -error;
    }
    buffer[got] = 0;
    return got;
}

/* When the process started: 0; -ESRCH when it has ended, if only just, or -errno when that cannot be read. */
static int read_start_time(int32_t pid, uint64_t *start_time) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    ssize_t got = read_small(path, text, sizeof text);
    if (got <= 0) {
        return got < 0 ? (int)got : -ENODATA;
    }
    /* The name in parentheses may hold spaces and parentheses: fields are counted from the last one. */
    char *field = strrchr(text, ')');
    if (field == NULL || field[1] == 0) {
        return -ENODATA;
    }
    char state = field[1] == ' ' ? field[2] : 0;
    if (state == 'Z' || state == 'X') {
        return -ESRCH;
    }
    for (int number = 2; number < 22; number++) {
        field = strchr(field + 1, ' ');
        if (field == NULL) {
            return -ENODATA;
        }
    }
    *start_time = strtoull(field + 1, NULL, 10);
    return 0;
}

uint64_t linux_process_start_time(int32_t pid) {
    uint64_t start_time;
    return pid > 0 && read_start_time(pid, &start_time) == 0 ? start_time : 0;
}

int linux_process_lives(int32_t pid, uint64_t start_time) {
    uint64_t found;
    if (pid <= 0) {
        return 0;
    }
    int result = read_start_time(pid, &found);
    if (result == -ESRCH) {
        return 0;
    }
    if (result == 0) {
        /* Nobody could read it when it was noted down. */
        return start_time == 0 ? -ENODATA : found == start_time;
    }
    /* Not there, hidden from us, or unreadable for want of something: a signal tells the first from the others. */
    return syscall(SYS_kill, pid, 0) != 0 && errno == ESRCH ? 0 : result;
}

int linux_parent_runs_same_file(void) {
    struct stat ours, parents;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", linux_parent_process_id());
    if (stat("/proc/self/exe", &ours) != 0 || stat(path, &parents) != 0) {
        return -errno;
    }
    return ours.st_dev == parents.st_dev && ours.st_ino == parents.st_ino;
}

int linux_root_directory(uint64_t identity[2]) {
    struct stat status;
    if (stat("/", &status) != 0) {
        return -errno;
    }
    identity[0] = status.st_dev;
    identity[1] = status.st_ino;
    return 0;
}

int linux_is_about_process(int error) {
    return error == -ENOENT || error == -ESRCH || error == -EACCES || error == -EPERM;
}

/* 1 when /proc/PID/status says that the process has `inner` in a namespace below ours, 0 when it does not, or -errno. */
static int is_known_below_as(int32_t pid, int32_t inner) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    ssize_t got = read_small(path, text, sizeof text);
    if (got < 0) {
        return (int)got;
    }
    char *line = strstr(text, "\nNSpid:");
    if (line == NULL) {
        return 0;
    }
    char *next = line + strlen("\nNSpid:");
    int count = 0;
    long last = 0;
    while (*next == '\t') {
        last = strtol(next + 1, &next, 10);
        count++;
    }
    return count > 1 && last == inner;
}

int linux_process_lives_below(int32_t pid, uint64_t start_time) {
    struct stat status;
    if (stat("/proc/1", &status) != 0) {
        return -errno;
    }
    DIR *processes = opendir("/proc");
    if (processes == NULL) {
        return -errno;
    }
    int found = 0, failure = 0;
    struct dirent *entry;
    while (found != 1 && (errno = 0, entry = readdir(processes)) != NULL) {
        int32_t outer = (int32_t)strtol(entry->d_name, NULL, 10);
        uint64_t started = 0;
        found = outer > 0 ? is_known_below_as(outer, pid) : 0;
        if (found == 1) {
            int result = read_start_time(outer, &started);
            found = result != 0 ? result : start_time == 0 ? -ENODATA : started == start_time;
        }
        if (found < 0 && !linux_is_about_process(found)) {
            failure = found;
        }
    }
    if (entry == NULL && errno != 0) {
        failure = -errno;
    }
    closedir(processes);
    return found == 1 ? 1 : failure;
}

int linux_boot_id(char id[36]) {
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    ssize_t got = read(file, id, 36);
    int error = got < 0 ? errno : ENODATA;
    close(file);
    return got == 36 ? 0 : -error;
}

uint64_t linux_pid_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Raw system calls throughout: libc's wrappers would change every thread of a host that has several. */
int linux_become_root(uint32_t before[3]) {
    if (syscall(SYS_getresuid, &before[0], &before[1], &before[2]) != 0) {
        return -errno;
    }
    if (before[0] == 0 && before[1] == 0 && before[2] == 0) {
        return 0;
    }
    return syscall(SYS_setresuid, 0, 0, 0) == 0 ? 0 : -errno;
}

int linux_restore_user_ids(const uint32_t before[3]) {
    if (before[0] == 0 && before[1] == 0 && before[2] == 0) {
        return 0;
    }
    return syscall(SYS_setresuid, before[0], before[1], before[2]) == 0 ? 0 : -errno;
}

int32_t linux_join_session_keyring(uint32_t uid, uint32_t gid) {
    uint32_t uids[3], gids[3];
    if (syscall(SYS_getresuid, &uids[0], &uids[1], &uids[2]) != 0 ||
        syscall(SYS_getresgid, &gids[0], &gids[1], &gids[2]) != 0) {
        return -errno;
    }
    long ring = -1;
    int error = EPERM;
    if (syscall(SYS_setresgid, gid, -1, -1) == 0) {
        if (syscall(SYS_setresuid, uid, -1, -1) == 0) {
            ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
            error = errno;
            if (syscall(SYS_setresuid, uids[0], -1, -1) != 0) {
                return -errno;
            }
        }
        if (syscall(SYS_setresgid, gids[0], -1, -1) != 0) {
            return -errno;
        }
    }
    if (ring < 0 && error == EDQUOT) {
        ring = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
        error = errno;
    }
    return ring < 0 ? -error : (int32_t)ring;
}

int linux_link_to_user_keyring(int32_t key, uint32_t uid) {
    uint32_t uids[3];
    if (syscall(SYS_getresuid, &uids[0], &uids[1], &uids[2]) != 0 || syscall(SYS_setresuid, uid, -1, -1) != 0) {
        return -errno;
    }
    int result = syscall(SYS_keyctl, KEYCTL_LINK, key, KEY_SPEC_USER_KEYRING) == 0 ? 0 : -errno;
    return syscall(SYS_setresuid, uids[0], -1, -1) == 0 ? result : -errno;
}

int linux_errno(void) {
    return errno;
}

int linux_hide_memory(void) {
    struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : -errno;
}

int linux_harden(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? linux_hide_memory() : -errno;
}

int linux_confirm_unprivileged(void) {
    uint32_t ids[3], groups[3];
    if (syscall(SYS_getresuid, &ids[0], &ids[1], &ids[2]) != 0 ||
        syscall(SYS_getresgid, &groups[0], &groups[1], &groups[2]) != 0) {
        return -errno;
    }
    for (int i = 0; i < 3; i++) {
        if (ids[i] == 0 || groups[i] == 0) {
            return -EPERM;
        }
    }
    return syscall(SYS_setresuid, 0, 0, 0) == 0 ? -EPERM : 0;
}

const char *linux_message_locale(void) {
    return setlocale(LC_MESSAGES, NULL);
}

void linux_host_name(char *name, size_t size) {
    if (size == 0) {
        return;
    }
    if (gethostname(name, size) != 0) {
        name[0] = 0;
    }
    name[size - 1] = 0;
}
