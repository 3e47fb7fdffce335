#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REACHED = 0, NOT_REACHED = 1, NOT_TRIED = 2 };

static socklen_t literal_address(const char *text, uint16_t port, struct sockaddr_storage *address) {
    memset(address, 0, sizeof *address);
    struct sockaddr_in *ipv4 = (struct sockaddr_in *)address;
    if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        ipv4->sin_port = htons(port);
        return sizeof *ipv4;
    }
    struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)address;
    if (inet_pton(AF_INET6, text, &ipv6->sin6_addr) == 1) {
        ipv6->sin6_family = AF_INET6;
        ipv6->sin6_port = htons(port);
        return sizeof *ipv6;
    }
    return 0;
}

static int reaches(const struct sockaddr_storage *address, socklen_t size, int timeout_ms) {
    int connection = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) {
        return NOT_REACHED;
    }
    if (connect(connection, (const struct sockaddr *)address, size) == 0) {
        return REACHED;
    }
    struct pollfd waiting = {.fd = connection, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof error;
    return errno == EINPROGRESS && poll(&waiting, 1, timeout_ms) == 1 &&
            getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0
        ? REACHED
        : NOT_REACHED;
}

int linux_reaches_as(uint32_t uid, uint32_t gid, const char *text, uint16_t port, int timeout_ms) {
    struct sockaddr_storage address;
    socklen_t size = literal_address(text, port, &address);
    if (size == 0 || uid == 0 || gid == 0) {
        return -EINVAL;
    }
    pid_t child = fork();
    if (child < 0) {
        return -errno;
    }
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0 ||
            setresuid(0, 0, 0) == 0 || linux_drop_capabilities() != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
            _exit(NOT_TRIED);
        }
        _exit(reaches(&address, size, timeout_ms));
    }
    // Whoever runs as that account can stop it.
    int process = linux_open_process(child);
    if (process < 0) {
        linux_kill_process(child);
    } else {
        if (!linux_wait_gone(process, timeout_ms + 1000)) {
            linux_kill(process, 0);
        }
        close(process);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -errno;
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) == NOT_TRIED) {
        return -EPERM;
    }
    return WEXITSTATUS(status) == REACHED ? 1 : 0;
}
