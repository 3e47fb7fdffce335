#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int64_t deadline_in(int timeout_ms) {
    return linux_boottime_ms() + (timeout_ms > 0 ? timeout_ms : 0);
}

/* poll(2) that goes on after a signal with the time that is left: the host's signals are none of our business. */
static int wait_until(int descriptor, short events, int64_t deadline) {
    for (;;) {
        struct pollfd watched = {.fd = descriptor, .events = events};
        int64_t left = deadline - linux_boottime_ms();
        int ready = poll(&watched, 1, left > 0 ? (int)left : 0);
        if (ready > 0) {
            return (watched.revents & POLLNVAL) ? -EBADF : 1;
        }
        if (ready < 0 && errno != EINTR) {
            return -errno;
        }
        if (ready == 0 && linux_boottime_ms() >= deadline) {
            return 0;
        }
    }
}

int linux_readable(int descriptor, int timeout_ms) {
    return wait_until(descriptor, POLLIN, deadline_in(timeout_ms));
}

int linux_send(int socket, const void *frame, size_t size, int timeout_ms) {
    int64_t deadline = deadline_in(timeout_ms);
    for (;;) {
        ssize_t sent = send(socket, frame, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            return (size_t)sent == size ? 0 : -EMSGSIZE;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return -errno;
        }
        int ready = wait_until(socket, POLLOUT, deadline);
        if (ready <= 0) {
            return ready == 0 ? -ETIMEDOUT : ready;
        }
    }
}

/* Nothing in a PAM application, whose signals are its own. */
static void (*interrupt_closing)(int begins);

void linux_set_interrupter(void (*function)(int begins)) {
    interrupt_closing = function;
}

/* recv(2). Descriptors that came with the message are closed before it returns. */
static ssize_t take_packet(int socket, void *frame, size_t capacity) {
    if (interrupt_closing == NULL) {
        return recv(socket, frame, capacity, MSG_DONTWAIT | MSG_TRUNC);
    }
    interrupt_closing(1);
    ssize_t length = recv(socket, frame, capacity, MSG_DONTWAIT | MSG_TRUNC);
    int error = errno;
    interrupt_closing(0);
    errno = error;
    return length;
}

int64_t linux_receive(int socket, void *frame, size_t capacity, int timeout_ms) {
    int64_t deadline = deadline_in(timeout_ms);
    for (;;) {
        int ready = wait_until(socket, POLLIN, deadline);
        if (ready <= 0) {
            return ready == 0 ? -ETIMEDOUT : ready;
        }
        ssize_t length = take_packet(socket, frame, capacity);
        if (length >= 0) {
            return (size_t)length > capacity ? -EMSGSIZE : length;
        }
        /* The other end is gone without having read what we sent. This is said once, before what it sent last:
         * that, or the end of file, comes next. */
        if (errno != EINTR && errno != EAGAIN && errno != ECONNRESET) {
            return -errno;
        }
    }
}

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

void linux_refuse_descriptors(int socket) {
    int no = 0;
    (void)setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof no);
}

int linux_packet_pair(int *other) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return -errno;
    }
    *other = ends[1];
    return ends[0];
}

/* A connection to the socket of that type at `path`, or -errno. */
static int connect_to(const char *path, int type, int timeout_s) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    strcpy(address.sun_path, path);
    int connection = socket(AF_UNIX, type | SOCK_CLOEXEC | (timeout_s > 0 ? 0 : SOCK_NONBLOCK), 0);
    if (connection < 0) {
        return -errno;
    }
    /* A listener with a full queue makes connect(2) wait: not for ever. */
    struct timeval limit = {.tv_sec = timeout_s};
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

int linux_connect(const char *path, int timeout_s) {
    return connect_to(path, SOCK_SEQPACKET, timeout_s);
}

int linux_socket_fault(const char *path, int is_packet) {
    int connection = connect_to(path, is_packet ? SOCK_SEQPACKET : SOCK_DGRAM, 0);
    linux_close(connection);
    return connection < 0 ? connection : 0;
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

int linux_peer_shares_network(int socket) {
    int32_t process;
    uint32_t user;
    char path[32];
    struct stat own, other;
    /* Of another pid namespace there is no number. */
    if (linux_peer(socket, &process, &user) != 0 || process <= 0) {
        return 0;
    }
    (void)snprintf(path, sizeof path, "/proc/%d/ns/net", (int)process);
    return stat("/proc/self/ns/net", &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev &&
        own.st_ino == other.st_ino;
}

int linux_is_packet_socket(int descriptor) {
    int type = 0, domain = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
        return 0;
    }
    size = sizeof domain;
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

void linux_close(int descriptor) {
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
}
