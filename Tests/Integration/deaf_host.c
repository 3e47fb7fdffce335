/* Preloaded into a host of PAM: hearing a worker's message of the kind DEAF_TO fails, as for want of memory, or what arrives is no
 * message. DEAF_TO is "KIND ERRNO", and errno 0 stands for the latter. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t recv(int socket, void *buffer, size_t size, int flags) {
    unsigned char begin[2] = {0};
    const char *wanted = getenv("DEAF_TO");
    int kind = 0, number = 0;
    (void)syscall(SYS_recvfrom, socket, begin, sizeof begin, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
    int concerned = wanted != NULL && sscanf(wanted, "%d %d", &kind, &number) == 2 && begin[1] == kind;
    if (concerned && number != 0) {
        errno = number;
        return -1;
    }
    ssize_t length = syscall(SYS_recvfrom, socket, buffer, size, flags, NULL, NULL);
    if (concerned && length > 2) {
        ((unsigned char *)buffer)[2] = 0xff;
    }
    return length;
}

ssize_t __recv_chk(int socket, void *buffer, size_t size, size_t capacity, int flags) {
    (void)capacity;
    return recv(socket, buffer, size, flags);
}
