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

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(peer, (struct sockaddr *)&address, length) == 0 && listen(peer, 1) == 0);
    check(getsockname(peer, (struct sockaddr *)&address, &length) == 0);
    int sent = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(sent, (struct sockaddr *)&address, length) == 0);
    static char filling[65536];
    while (send(sent, filling, sizeof filling, MSG_DONTWAIT) > 0) {
    }
    struct linger linger = {.l_onoff = 1, .l_linger = 600};
    check(setsockopt(sent, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0);

    int ends[2];
    check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    char text[] = "message";
    struct iovec content = {.iov_base = text, .iov_len = sizeof text};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sent)];
    } rights = {.header = {.cmsg_len = CMSG_LEN(sizeof sent), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&rights.header), &sent, sizeof sent);
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof rights};
    check(sendmsg(ends[1], &message, 0) == sizeof text);
    check(close(sent) == 0);

    linux_service_hurry_receiving();
    char frame[64];
    check(linux_receive(ends[0], frame, sizeof frame, 1000) == sizeof text);
    return 0;
}
