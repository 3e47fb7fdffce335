#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int address_of(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        return -ENAMETOOLONG;
    }
    strcpy(address->sun_path, path);
    return 0;
}

void linux_remove_socket(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode)) {
        (void)unlink(path);
    }
}

/* Short: who comes behind it waits for as long as it takes to let in, or to send away, those who are in it. Where it is full,
 * those who want to fill it sleep in connect(2). pam-cognito-agent.socket has the same. */
enum { QUEUE = 64 };

int linux_listen(const char *path) {
    struct sockaddr_un address;
    int result = address_of(path, &address);
    if (result != 0) {
        return result;
    }
    /* What a listener that was killed left behind. Anything else of that name stays, and bind(2) says so. */
    linux_remove_socket(path);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) {
        return -errno;
    }
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0666) != 0 ||
        listen(listener, QUEUE) != 0) {
        int error = errno;
        close(listener);
        return -error;
    }
    return listener;
}

int linux_hurry(void) {
    return setpriority(PRIO_PROCESS, 0, -10) == 0 ? 0 : -errno;
}

int linux_inherited_listener(void) {
    enum { FIRST = 3 };
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (process == NULL || count == NULL || strtol(process, NULL, 10) != getpid()) {
        return 0;
    }
    int listens = 0;
    socklen_t size = sizeof listens;
    if (strcmp(count, "1") != 0 || !linux_is_packet_socket(FIRST) ||
        getsockopt(FIRST, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
        return -ENOTSOCK;
    }
    int flags = fcntl(FIRST, F_GETFL);
    if (flags < 0 || fcntl(FIRST, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(FIRST, F_SETFD, FD_CLOEXEC) != 0) {
        return -errno;
    }
    return FIRST;
}

int linux_accept(int listener) {
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    return connection < 0 ? -errno : connection;
}

int linux_connect(const char *path) {
    struct sockaddr_un address;
    int result = address_of(path, &address);
    if (result != 0) {
        return result;
    }
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0) {
        return -errno;
    }
    /* A listener with a full queue makes connect(2) wait: not for ever. */
    struct timeval limit = {.tv_sec = 10};
    (void)setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int connected;
    do {
        connected = connect(connection, (struct sockaddr *)&address, sizeof address);
    } while (connected != 0 && errno == EINTR);
    if (connected != 0) {
        int error = errno;
        close(connection);
        return -error;
    }
    return connection;
}

int linux_peer(int socket, int32_t *pid, uint32_t *uid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return -errno;
    }
    *pid = peer.pid;
    *uid = peer.uid;
    return 0;
}

int64_t linux_peek(int socket, void *bytes, size_t size) {
    ssize_t length = recv(socket, bytes, size, MSG_PEEK | MSG_DONTWAIT);
    return length < 0 ? -errno : length;
}

void linux_hang_up(int socket) {
    (void)shutdown(socket, SHUT_RDWR);
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

int linux_wait_any(const int *descriptors, uint8_t *ready, size_t count, int timeout_ms) {
    struct pollfd watched[LINUX_MOST_WATCHED];
    if (count > LINUX_MOST_WATCHED) {
        return -EINVAL;
    }
    for (size_t i = 0; i < count; i++) {
        watched[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    }
    /* A signal ends the waiting, as if its time were over. */
    int result = poll(watched, count, timeout_ms);
    if (result < 0 && errno == EINTR) {
        result = 0;
    }
    for (size_t i = 0; i < count; i++) {
        ready[i] = result > 0 && watched[i].revents != 0;
    }
    return result < 0 ? -errno : 0;
}

int linux_account_name(uint32_t uid, uint8_t *name, size_t capacity) {
    char buffer[16384];
    struct passwd entry, *found = NULL;
    int result = getpwuid_r(uid, &entry, buffer, sizeof buffer, &found);
    if (found == NULL) {
        return result == 0 || result == ENOENT || result == ESRCH ? 0 : -result;
    }
    size_t length = strlen(entry.pw_name);
    if (length > capacity) {
        return -ERANGE;
    }
    memcpy(name, entry.pw_name, length);
    return (int)length;
}

/* Who has turns missing, and when all of them are back. The file has so many places and no more. */
struct place {
    uint64_t key;
    int64_t complete_at;
};

enum { MOST_PLACES = 4096, LONGEST_LOCK_MS = 2000, LONGEST_MEMORY_MS = 86400000 };

/* Opens the file at its full size, which it keeps: what is in it can be written when nothing else can be any more. */
static int open_places(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return -errno;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    int64_t deadline = linux_boottime_ms() + LONGEST_LOCK_MS;
    int error = 0;
    while (fcntl(file, F_OFD_SETLK, &lock) != 0) {
        error = errno;
        if ((error != EAGAIN && error != EACCES && error != EINTR) || linux_boottime_ms() >= deadline) {
            close(file);
            return -error;
        }
        linux_sleep_ms(2);
    }
    enum { SIZE = MOST_PLACES * sizeof(struct place) };
    struct stat status;
    if (fstat(file, &status) != 0) {
        error = errno;
    } else if (!S_ISREG(status.st_mode) || status.st_uid != 0 || (status.st_mode & 077) != 0) {
        error = EPERM;
    } else {
        error = status.st_size == SIZE ? 0 : ftruncate(file, 0) != 0 ? errno : posix_fallocate(file, 0, SIZE);
    }
    if (error != 0) {
        /* Not half of it, which could not be written to later. */
        (void)ftruncate(file, 0);
        close(file);
        return -error;
    }
    return file;
}

int linux_take_turn(const char *path, uint64_t key, int64_t burst, int64_t interval_ms, int64_t now_ms) {
    int file = open_places(path);
    if (file < 0) {
        return file;
    }
    struct place places[64], own = {.key = key, .complete_at = now_ms};
    off_t free_place = -1, own_place = -1;
    int result = 0;
    for (off_t first = 0; first < MOST_PLACES && own_place < 0; first += 64) {
        if (pread(file, places, sizeof places, first * (off_t)sizeof *places) != (ssize_t)sizeof places) {
            result = -EIO;
            break;
        }
        for (off_t i = 0; i < 64 && own_place < 0; i++) {
            /* One of whom none is missing, or of a clock that has not come so far: it is there for whoever comes. */
            int is_free = places[i].complete_at <= now_ms || places[i].complete_at - now_ms > LONGEST_MEMORY_MS;
            if (places[i].key == key && !is_free) {
                own = places[i];
                own_place = first + i;
            } else if (is_free && free_place < 0) {
                free_place = first + i;
            }
        }
    }
    off_t place = own_place >= 0 ? own_place : free_place;
    if (result == 0) {
        result = place < 0 ? -ENOSPC : own.complete_at - now_ms <= (burst - 1) * interval_ms;
    }
    if (result == 1) {
        own.complete_at += interval_ms;
        if (pwrite(file, &own, sizeof own, place * (off_t)sizeof own) != (ssize_t)sizeof own) {
            result = -EIO;
        }
    }
    close(file);
    return result;
}

int linux_set_filesystem_user(uint32_t uid) {
    (void)syscall(SYS_setfsuid, uid);
    /* It answers with the uid before, whether or not it did anything. */
    return (uint32_t)syscall(SYS_setfsuid, (uint32_t)-1) == uid ? 0 : -EPERM;
}

/* The line of /proc/PID/status that begins with `name`, behind the colon; 0 or -1. */
static int status_line(int32_t pid, const char *name, char *line, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    size_t length = strlen(name);
    int found = -1;
    char text[512];
    while (found != 0 && fgets(text, sizeof text, file) != NULL) {
        if (strncmp(text, name, length) == 0 && text[length] == ':') {
            snprintf(line, capacity, "%s", text + length + 1);
            found = 0;
        }
    }
    fclose(file);
    return found;
}

int32_t linux_parent_of(int32_t pid) {
    char line[512];
    return status_line(pid, "PPid", line, sizeof line) == 0 ? (int32_t)strtol(line, NULL, 10) : 0;
}

int64_t linux_effective_user_of(int32_t pid) {
    char line[512];
    unsigned int real, effective;
    if (status_line(pid, "Uid", line, sizeof line) != 0 || sscanf(line, "%u %u", &real, &effective) != 2) {
        return -1;
    }
    return effective;
}

int32_t linux_session_leader_of(int32_t pid) {
    pid_t leader = getsid(pid);
    return leader < 0 ? 0 : leader;
}
