#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
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

/* To whom listens at this path; waits for room so long at most. 0 or -errno. */
static int send_to(const char *path, const void *entry, size_t size, int wait_ms) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
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
        int64_t deadline = linux_boottime_ms() + wait_ms;
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

int linux_journal_send(const void *entry, size_t size) {
    return send_to("/run/systemd/journal/socket", entry, size, LONGEST_WAIT_MS);
}

int linux_syslog_send(const void *line, size_t size) {
    return send_to("/dev/log", line, size, LONGEST_WAIT_MS);
}

void linux_log_at_once(const char *tag, int priority, const char *line) {
    char message[1200];
    int size = snprintf(message, sizeof message, "<%d>%s[%d]: %s", LOG_AUTHPRIV | priority, tag, (int)getpid(), line);
    if (size > 0) {
        (void)send_to("/dev/log", message, (size_t)size < sizeof message ? (size_t)size : sizeof message - 1, 0);
    }
}
