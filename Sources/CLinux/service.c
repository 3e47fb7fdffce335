#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_INHERITED = 3 };

/* `*length` 0: the path is too long. A name that begins with '@' is no file's. */
static struct sockaddr_un address_of(const char *path, socklen_t *length) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    *length = 0;
    if (size > 0 && size < sizeof address.sun_path) {
        memcpy(address.sun_path, path, size);
        if (path[0] == '@') {
            address.sun_path[0] = 0;
        }
        *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + (path[0] != '@'));
    }
    return address;
}

/* 0: none; or -errno. */
static int inherited(int kind) {
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (process == NULL || count == NULL || strtol(process, NULL, 10) != getpid()) {
        return 0;
    }
    int listens = 0, type = 0, domain = 0;
    socklen_t size = sizeof listens;
    if (strcmp(count, "1") != 0 || getsockopt(FIRST_INHERITED, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 ||
        !listens || getsockopt(FIRST_INHERITED, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != kind ||
        getsockopt(FIRST_INHERITED, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) {
        return -ENOTSOCK;
    }
    int flags = fcntl(FIRST_INHERITED, F_GETFL);
    if (flags < 0 || fcntl(FIRST_INHERITED, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(FIRST_INHERITED, F_SETFD, FD_CLOEXEC) != 0) {
        return -errno;
    }
    return FIRST_INHERITED;
}

static void make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

void linux_remove_socket(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode)) {
        (void)unlink(path);
    }
}

_Static_assert(LINUX_SOCKET_STREAM == SOCK_STREAM && LINUX_SOCKET_PACKETS == SOCK_SEQPACKET, "as socket(2) has them");

int linux_service_socket(const char *path, int kind, int backlog, int *is_inherited) {
    int listener = inherited(kind);
    *is_inherited = listener > 0;
    if (listener != 0) {
        if (listener > 0) {
            linux_refuse_descriptors(listener);
        }
        return listener;
    }
    socklen_t length;
    struct sockaddr_un address = address_of(path, &length);
    if (length == 0) {
        return -ENAMETOOLONG;
    }
    char parents[sizeof address.sun_path];
    strcpy(parents, address.sun_path);
    make_parents(parents);
    /* One that was killed has left it; anything else of that name stays, and bind(2) fails. */
    linux_remove_socket(path);
    listener = socket(AF_UNIX, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) {
        return -errno;
    }
    linux_refuse_descriptors(listener);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || chmod(path, 0666) != 0 ||
        listen(listener, backlog) != 0) {
        int error = errno;
        close(listener);
        return -error;
    }
    return listener;
}

static void wake(int number) {
    (void)number;
}

static int is_hurried;

/* Not setitimer(2): alarm(2) ends processes that take too long, and there is one such timer. */
static void set_timer(int runs) {
    static timer_t timer;
    static pid_t maker;
    struct itimerspec time = {.it_interval = {.tv_nsec = 200000}, .it_value = {.tv_nsec = runs ? 200000 : 0}};
    if (maker != getpid()) {
        struct sigaction action = {.sa_handler = wake, .sa_flags = SA_RESTART};
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
        if (sigaction(SIGURG, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
            return;
        }
        maker = getpid();
    }
    (void)timer_settime(timer, 0, &time, NULL);
}

void linux_service_hurry(int hurries) {
    is_hurried = hurries;
    set_timer(hurries);
}

static void hurry_receiving(int begins) {
    if (!is_hurried) {
        set_timer(begins);
    }
}

void linux_service_hurry_receiving(void) {
    linux_set_interrupter(hurry_receiving);
}

int linux_service_become(uint32_t uid, uint32_t gid) {
    if (geteuid() != 0) {
        return 0;
    }
    if (uid == 0 || gid == 0) {
        return -ENOENT;
    }
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0) {
        return -errno;
    }
    return setuid(0) == 0 ? -EPERM : linux_drop_capabilities();
}

void linux_exit(int status) {
    exit(status);
}

void linux_service_notify(const char *state) {
    const char *path = getenv("NOTIFY_SOCKET");
    socklen_t length = 0;
    struct sockaddr_un address = address_of(path == NULL ? "" : path, &length);
    int sender = length == 0 ? -1 : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender >= 0) {
        (void)sendto(sender, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, length);
        close(sender);
    }
}

int64_t linux_service_watchdog(void) {
    const char *interval = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
    if (interval == NULL || (process != NULL && strtol(process, NULL, 10) != getpid())) {
        return 0;
    }
    long long microseconds = strtoll(interval, NULL, 10);
    return microseconds > 0 ? microseconds / 1000 : 0;
}

int linux_service_accept(int listener, uint32_t *uid, int32_t *process) {
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) {
        return -errno;
    }
    int result = linux_peer(client, process, uid);
    if (result != 0) {
        close(client);
        return result;
    }
    return client;
}

int linux_service_receive(int client, void *bytes, size_t size) {
    ssize_t got = recv(client, bytes, size, MSG_DONTWAIT);
    return got < 0 ? -errno : (int)got;
}

int linux_service_send(int client, const void *bytes, size_t size) {
    ssize_t sent = send(client, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 ? -errno : (int)sent;
}

_Static_assert(sizeof(struct linux_poll) == sizeof(struct pollfd), "as struct pollfd");
_Static_assert(LINUX_POLL_IN == POLLIN && LINUX_POLL_OUT == POLLOUT, "as poll(2) has them");

int linux_poll(struct linux_poll *items, size_t count, int timeout_ms) {
    int ready = poll((struct pollfd *)items, (nfds_t)count, timeout_ms);
    return ready < 0 ? errno == EINTR ? 0 : -errno : ready;
}

struct linux_stamp linux_file_stamp(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        return (struct linux_stamp){0};
    }
    return (struct linux_stamp){status.st_ino, status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_size};
}
