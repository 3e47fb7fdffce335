/* Receives a message with a socket whose closing waits ten minutes for its other end, which never reads. From
 * Linux 6.16, nobody can send one to the services: those here can. */
#include "CLinux.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void check(int is_good) {
    if (!is_good) {
        perror("lingering");
        _exit(1);
    }
}

/* A message of `text` with such a socket, which nobody else has; what can receive it. */
static int send_one(struct sockaddr_in *address, const char *text, size_t size) {
    int sent = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(sent, (struct sockaddr *)address, sizeof *address) == 0);
    static char filling[65536];
    while (send(sent, filling, sizeof filling, MSG_DONTWAIT) > 0) {
    }
    struct linger linger = {.l_onoff = 1, .l_linger = 600};
    check(setsockopt(sent, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);

    int ends[2];
    check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    struct iovec content = {.iov_base = (void *)text, .iov_len = size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sent)];
    } rights = {.header = {.cmsg_len = CMSG_LEN(sizeof sent), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&rights.header), &sent, sizeof sent);
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
    check(sendmsg(ends[1], &message, 0) == (ssize_t)size);
    check(close(sent) == 0);
    return ends[0];
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(peer, (struct sockaddr *)&address, length) == 0 && listen(peer, 64) == 0);
    check(getsockname(peer, (struct sockaddr *)&address, &length) == 0);

    linux_service_hurry_receiving();
    char text[] = "message", frame[64];
    check(linux_receive(send_one(&address, text, sizeof text), frame, sizeof frame, 1000) == sizeof text);

    /* As a listener closes a connection of which it has read nothing. */
    linux_service_hurry(1);
    for (int number = 0; number < 32; number++) {
        check(close(send_one(&address, text, number % 2 ? sizeof text : 0)) == 0);
    }
    linux_service_hurry(0);
    return 0;
}
