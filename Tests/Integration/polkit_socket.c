/* polkit_socket SOCKET CALLS PROGRAM: what polkit-agent-helper.socket and polkit-agent-helper@.service (polkit 128) have systemd do: whoever
 * connects gets PROGRAM as root, with the connection as its standard input and output, in that unit's sandbox. CALLS are the names of
 * the system calls of SystemCallFilter=, separated by blanks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static int restrict_mounts(void) {
    struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
    return unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) != 0 ||
        mount("tmpfs", "/tmp", "tmpfs", 0, NULL) != 0 || mount("tmpfs", "/root", "tmpfs", MS_RDONLY, NULL) != 0;
}

static int restrict_calls(char *names) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    const struct scmp_arg_cmp local = {0, SCMP_CMP_EQ, AF_UNIX, 0}, other = {0, SCMP_CMP_NE, AF_UNIX, 0};
    if (filter == NULL || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1) != 0 ||
        seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &local) != 0 ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, &other) != 0) {
        return -1;
    }
    for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
        int number = seccomp_syscall_resolve_name(name);
        /* Those of other machines and of other kernels are passed over, as systemd does it. */
        if (number >= 0 && number != SCMP_SYS(socket) &&
            seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 0, NULL) != 0) {
            return -1;
        }
    }
    return seccomp_load(filter);
}

int main(int count, char *words[]) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (count != 4 || strlen(words[1]) >= sizeof address.sun_path) {
        return 64;
    }
    memcpy(address.sun_path, words[1], strlen(words[1]));
    signal(SIGCHLD, SIG_IGN);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || chmod(words[1], 0666) != 0 ||
        listen(listener, 64) != 0) {
        return 71;
    }
    for (;;) {
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0 || fork() != 0) {
            close(connection);
            continue;
        }
        signal(SIGCHLD, SIG_DFL);
        const struct rlimit none = {0, 0};
        umask(0077);
        if (dup2(connection, 0) != 0 || dup2(connection, 1) != 1 || restrict_mounts() ||
            setrlimit(RLIMIT_MEMLOCK, &none) != 0 || prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0 ||
            restrict_calls(words[2]) != 0) {
            perror("polkit_socket");
            _exit(71);
        }
        execl(words[3], words[3], (char *)NULL);
        _exit(127);
    }
}
