#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* A whole small file of /proc as text, 0 or -errno. */
static int read_text(const char *path, char *text, size_t capacity) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return -errno;
    }
    size_t size = 0;
    int error = 0;
    while (size < capacity - 1) {
        ssize_t got = read(file, text + size, capacity - 1 - size);
        if (got <= 0) {
            error = got < 0 && errno != EINTR ? errno : 0;
            if (got == 0 || error != 0) {
                break;
            }
            continue;
        }
        size += (size_t)got;
    }
    close(file);
    text[size] = 0;
    return -error;
}

/* proc(5), stat: fields 4 (ppid), 6 (session), 7 (tty_nr) and 22 (starttime). */
static int read_stat(int32_t pid, struct linux_process *process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int result = read_text(path, text, sizeof text);
    if (result != 0) {
        return result;
    }
    /* The name in parentheses may hold spaces and parentheses: fields are counted from the last one. */
    char *next = strrchr(text, ')');
    if (next == NULL || next[1] != ' ' || next[2] == 'Z' || next[2] == 'X') {
        return -ESRCH;
    }
    next += 2;
    unsigned long long values[23] = {0};
    for (int field = 4; field <= 22; field++) {
        next = strchr(next, ' ');
        if (next == NULL) {
            return -ESRCH;
        }
        values[field] = strtoull(next, &next, 10);
    }
    process->id = pid;
    process->parent = (int32_t)values[4];
    process->session = (int32_t)values[6];
    process->start_time = values[22];
    /* The kernel's own form of device numbers (include/linux/kdev_t.h, new_encode_dev). */
    uint32_t terminal = (uint32_t)values[7];
    process->terminal_major = (terminal & 0xfff00) >> 8;
    process->terminal_minor = (terminal & 0xff) | ((terminal >> 12) & 0xfff00);
    return 0;
}

static int read_user_ids(int32_t pid, struct linux_process *process) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    unsigned int real, effective;
    int result = read_text(path, text, sizeof text);
    if (result != 0) {
        return result;
    }
    char *line = strstr(text, "\nUid:");
    if (line == NULL || sscanf(line, "\nUid:\t%u\t%u", &real, &effective) != 2) {
        return -ESRCH;
    }
    process->real_user = real;
    process->effective_user = effective;
    return 0;
}

int64_t linux_processes(struct linux_process *processes, size_t capacity) {
    DIR *directory = opendir("/proc");
    if (directory == NULL) {
        return -errno;
    }
    size_t count = 0;
    int failure = 0;
    struct dirent *entry;
    while (failure == 0 && count < capacity && (errno = 0, entry = readdir(directory)) != NULL) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end != 0 || pid <= 0 || pid > INT32_MAX) {
            continue;
        }
        struct linux_process *process = &processes[count];
        int result = read_stat((int32_t)pid, process);
        if (result == 0) {
            result = read_user_ids((int32_t)pid, process);
        }
        if (result == 0) {
            count++;
        } else if (!linux_is_about_process(result)) {
            failure = result;
        }
    }
    if (failure == 0 && count < capacity && errno != 0) {
        failure = -errno;
    }
    closedir(directory);
    return failure != 0 ? failure : (int64_t)count;
}

int linux_signal_process(int32_t pid, uint64_t start_time, int number) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) {
        return -errno;
    }
    /* From here on the number is that process's: if it is the right one now, the signal reaches the right one. */
    int result = 0;
    int lives = linux_process_lives(pid, start_time);
    if (lives != 1) {
        result = lives < 0 ? lives : -ESRCH;
    } else if (syscall(SYS_pidfd_send_signal, process, number, NULL, 0) != 0) {
        result = -errno;
    }
    close(process);
    return result;
}

int64_t linux_control_group(int32_t pid, char *text, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
    int result = read_text(path, text, capacity);
    return result != 0 ? result : (int64_t)strlen(text);
}

/* For longer than logind takes for anything; the reaper waits for it. */
enum { LOGINCTL_TIMEOUT_MS = 5000 };

static char loginctl[] = "/usr/bin/loginctl";

int32_t linux_login_session_leader(const char *id) {
    char show[] = "show-session", property[] = "--property=Leader", value[] = "--value", answer[32];
    char *const arguments[] = {loginctl, show, property, value, "--", (char *)id, NULL};
    int64_t size = linux_run(arguments, NULL, 0, answer, sizeof answer - 1, LOGINCTL_TIMEOUT_MS);
    if (size <= 0) {
        return 0;
    }
    answer[size] = 0;
    return (int32_t)strtol(answer, NULL, 10);
}

int linux_login_session(const char *verb, const char *id) {
    char answer[256];
    char *const arguments[] = {loginctl, (char *)verb, "--", (char *)id, NULL};
    int64_t size = linux_run(arguments, NULL, 0, answer, sizeof answer, LOGINCTL_TIMEOUT_MS);
    return size < 0 ? (int)size : 0;
}

/* Documentation/admin-guide/devices.txt: pseudo-terminals, consoles and serial lines. 0 or -ENOTTY. */
static int terminal_path(uint32_t major, uint32_t minor, char *path, size_t size) {
    if (major >= 136 && major <= 143) {
        snprintf(path, size, "/dev/pts/%u", (major - 136) * 256 + minor);
    } else if (major == 4 && minor > 0 && minor < 64) {
        snprintf(path, size, "/dev/tty%u", minor);
    } else if (major == 4 && minor >= 64) {
        snprintf(path, size, "/dev/ttyS%u", minor - 64);
    } else {
        return -ENOTTY;
    }
    return 0;
}

static int is_terminal_of(const struct stat *status, uint32_t major, uint32_t minor, uint32_t uid) {
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(major, minor) && status->st_uid == uid;
}

/* The terminal as `uid`, which need not be root's to open; and only if it is that device and theirs. */
static int open_terminal(uint32_t major, uint32_t minor, uint32_t uid) {
    char path[64];
    int result = terminal_path(major, minor, path, sizeof path);
    if (result != 0) {
        return result;
    }
    if (uid == 0 || linux_set_filesystem_user(uid) != 0) {
        return -EPERM;
    }
    int terminal = open(path, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error = errno;
    if (linux_set_filesystem_user(0) != 0) {
        /* It was 0, and the effective user id still is: this cannot be. */
        if (terminal >= 0) {
            close(terminal);
        }
        return -EPERM;
    }
    if (terminal < 0) {
        return -error;
    }
    struct stat status;
    if (fstat(terminal, &status) != 0 || !is_terminal_of(&status, major, minor, uid)) {
        close(terminal);
        return -EPERM;
    }
    return terminal;
}

int linux_tell(uint32_t major, uint32_t minor, uint32_t uid, const void *text, size_t size) {
    int terminal = open_terminal(major, minor, uid);
    if (terminal < 0) {
        return terminal;
    }
    ssize_t written = write(terminal, text, size);
    int result = written < 0 ? -errno : written == (ssize_t)size ? 0 : -EAGAIN;
    close(terminal);
    return result;
}

int64_t linux_terminal_idle(uint32_t major, uint32_t minor, uint32_t uid) {
    char path[64];
    struct stat status;
    int result = terminal_path(major, minor, path, sizeof path);
    if (result != 0) {
        return result;
    }
    if (lstat(path, &status) != 0) {
        return -errno;
    }
    if (!is_terminal_of(&status, major, minor, uid)) {
        return -EPERM;
    }
    /* The kernel sets the time of access when somebody's input is read (drivers/tty/tty_io.c, tty_read). */
    int64_t seconds = linux_realtime_s() - (int64_t)status.st_atime;
    return seconds > 0 ? seconds : 0;
}
