#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capset, &header, none) == 0) {
        return 0;
    }
    int error = errno;
    if (syscall(SYS_capget, &header, left) != 0) {
        return -error;
    }
    for (int part = 0; part < _LINUX_CAPABILITY_U32S_3; part++) {
        if (left[part].permitted != 0 || left[part].effective != 0) {
            return -error;
        }
    }
    return 0;
}

int32_t linux_process_id(void) {
    return (int32_t)syscall(SYS_getpid);
}

int32_t linux_parent_process_id(void) {
    return (int32_t)syscall(SYS_getppid);
}

uint32_t linux_user_id(void) {
    return (uint32_t)syscall(SYS_getuid);
}

uint32_t linux_starter_id(void) {
    errno = 0;
    unsigned long starter = getauxval(AT_UID);
    return starter == 0 && errno != 0 ? linux_user_id() : (uint32_t)starter;
}

uint32_t linux_effective_user_id(void) {
    return (uint32_t)syscall(SYS_geteuid);
}

int64_t linux_read_file(const uint8_t *path, void *bytes, size_t capacity) {
    int file = open((const char *)path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    ssize_t got;
    do {
        got = read(file, bytes, capacity);
    } while (got < 0 && errno == EINTR);
    int error = errno;
    close(file);
    return got < 0 ? -error : got;
}

int64_t linux_process_owner(int32_t pid) {
    struct stat status;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", pid);
    return stat(path, &status) == 0 ? (int64_t)status.st_uid : -errno;
}

int64_t linux_process_ids(int32_t *ids, size_t capacity) {
    DIR *processes = opendir("/proc");
    if (processes == NULL) {
        return -errno;
    }
    size_t count = 0;
    struct dirent *entry;
    while (errno = 0, (entry = readdir(processes)) != NULL) {
        int32_t id = (int32_t)strtol(entry->d_name, NULL, 10);
        if (id > 0 && count++ < capacity) {
            ids[count - 1] = id;
        }
    }
    int error = errno;
    closedir(processes);
    return error != 0 ? -error : (int64_t)count;
}

int linux_process_exists(int32_t pid) {
    return syscall(SYS_kill, pid, 0) == 0 || errno != ESRCH;
}

void linux_kill_process(int32_t pid) {
    (void)syscall(SYS_kill, pid, SIGKILL);
}

int linux_open_process(int32_t pid) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    return process < 0 ? -errno : process;
}

int linux_send_signal(int pidfd, int number) {
    return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) == 0 ? 0 : -errno;
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

int linux_boot_id(char id[36]) {
    int64_t got = linux_read_file((const uint8_t *)"/proc/sys/kernel/random/boot_id", id, 36);
    return got == 36 ? 0 : got < 0 ? (int)got : -ENODATA;
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

int linux_set_filesystem_user(uint32_t uid) {
    (void)syscall(SYS_setfsuid, uid);
    /* It answers with the uid before, whether or not it did anything. */
    return (uint32_t)syscall(SYS_setfsuid, (uint32_t)-1) == uid ? 0 : -EPERM;
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

int linux_termination_descriptor(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        return -errno;
    }
    int descriptor = signalfd(-1, &set, SFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int linux_hide_memory(void) {
    struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : -errno;
}

int linux_harden(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? linux_hide_memory() : -errno;
}

int linux_seccomp_fault(void) {
    enum { GET_ACTION_AVAIL = 2 };
    const uint32_t kill_process = 0x80000000;
    return syscall(SYS_seccomp, GET_ACTION_AVAIL, 0, &kill_process) == 0 ? 0 : errno;
}

int linux_landlock_fault(void) {
    enum { LANDLOCK_VERSION = 1 };
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION) > 0 ? 0 : errno;
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
