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

/* The bucket as it is in the file. */
struct bucket {
    int64_t filled_at;
    int64_t tokens;
};

int linux_take_turn(const char *directory, const char *name, int64_t burst, int64_t interval_ms) {
    char path[256];
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        return -errno;
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return -errno;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    int result = 0;
    while (fcntl(file, F_OFD_SETLKW, &lock) != 0) {
        if (errno != EINTR) {
            result = -errno;
            break;
        }
    }
    if (result == 0) {
        int64_t now = linux_boottime_ms();
        struct bucket bucket = {.filled_at = now, .tokens = burst};
        if (pread(file, &bucket, sizeof bucket, 0) != (ssize_t)sizeof bucket || bucket.filled_at > now ||
            bucket.tokens < 0 || bucket.tokens > burst) {
            bucket = (struct bucket){.filled_at = now, .tokens = burst};
        }
        int64_t gained = (now - bucket.filled_at) / interval_ms;
        if (gained > burst - bucket.tokens) {
            bucket = (struct bucket){.filled_at = now, .tokens = burst};
        } else {
            bucket.tokens += gained;
            bucket.filled_at += gained * interval_ms;
        }
        result = bucket.tokens > 0;
        if (result == 1) {
            bucket.tokens--;
        }
        if (pwrite(file, &bucket, sizeof bucket, 0) != (ssize_t)sizeof bucket) {
            result = -errno;
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
