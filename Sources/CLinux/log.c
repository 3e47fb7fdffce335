#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

void linux_log(const char *tag, int priority, const char *line) {
    openlog(tag, LOG_PID, LOG_AUTHPRIV);
    syslog(LOG_AUTHPRIV | priority, "%s", line);
    closelog();
}

const char *linux_program_name(void) {
    return program_invocation_short_name;
}

enum { LONGEST_WAIT_MS = 500 };

int linux_journal_send(const void *entry, size_t size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
    int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) {
        return -errno;
    }
    int result = 0;
    /* Connected, poll(2) tells when there is room again. */
    if (connect(sender, (struct sockaddr *)&address, sizeof address) != 0) {
        result = -errno;
    } else if (send(sender, entry, size, MSG_NOSIGNAL) < 0) {
        result = -errno;
        struct pollfd room = {.fd = sender, .events = POLLOUT};
        int64_t deadline = linux_boottime_ms() + LONGEST_WAIT_MS;
        while (result == -EAGAIN || result == -EINTR) {
            int64_t left = deadline - linux_boottime_ms();
            if (left <= 0 || poll(&room, 1, (int)left) == 0) {
                result = -EAGAIN;
                break;
            }
            result = send(sender, entry, size, MSG_NOSIGNAL) < 0 ? -errno : 0;
        }
    }
    close(sender);
    return result;
}
