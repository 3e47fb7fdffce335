#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

int linux_write_all(int descriptor, const void *bytes, size_t size) {
    const char *rest = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, rest, size);
        if (written > 0) {
            rest += written;
            size -= (size_t)written;
        } else if (written == 0) {
            return -EIO;
        } else if (errno == EAGAIN) {
            /* Whoever shares the pipe may have asked not to wait. */
            struct pollfd room = {.fd = descriptor, .events = POLLOUT};
            if (poll(&room, 1, -1) < 0 && errno != EINTR) {
                return -errno;
            }
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

int linux_hold_standard_descriptors(void) {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) {
            continue;
        }
        int null = open("/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
        if (null != number) {
            return null < 0 ? -errno : -EBADF;
        }
    }
    return 0;
}
