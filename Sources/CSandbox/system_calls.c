#define _GNU_SOURCE
#include "layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* What getaddrinfo(3) with its modules and a thread of its own, TLS, malloc and the end of a process need, and what
 * goes no further than this process anyway. Names that an architecture does not have are passed over. */
static const int allowed[] = {
    SCMP_SYS(access),
    SCMP_SYS(alarm), /* while a person is waited for there is none */
    SCMP_SYS(bind),  /* of netlink sockets, by getifaddrs(3) */
    SCMP_SYS(brk),
    SCMP_SYS(capget), /* by libcap, which NSS modules link */
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(close),
    SCMP_SYS(connect),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(epoll_create),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(eventfd2),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(fadvise64),
    SCMP_SYS(fstat),
    SCMP_SYS(fstatfs),
    SCMP_SYS(futex),
    SCMP_SYS(getcpu),
    SCMP_SYS(getcwd),
    SCMP_SYS(getdents64),
    SCMP_SYS(getegid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getpeername),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getrandom),
    SCMP_SYS(getresgid),
    SCMP_SYS(getresuid),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getuid),
    SCMP_SYS(lseek),
    SCMP_SYS(lstat),
    SCMP_SYS(madvise),
    SCMP_SYS(membarrier),
    SCMP_SYS(mincore),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(mremap),
    SCMP_SYS(munlock),
    SCMP_SYS(munmap),
    SCMP_SYS(nanosleep),
    SCMP_SYS(newfstatat),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(pread64),
    SCMP_SYS(pselect6),
    SCMP_SYS(read),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(readv),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_yield),
    SCMP_SYS(select),
    SCMP_SYS(sendmmsg),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(setitimer), /* by alarm(2), where there is no such call */
    SCMP_SYS(setsockopt),
    SCMP_SYS(shutdown),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(stat),
    SCMP_SYS(statfs),
    SCMP_SYS(statx),
    SCMP_SYS(sysinfo),
    SCMP_SYS(time),
    SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime),
    SCMP_SYS(uname),
    SCMP_SYS(write),
    SCMP_SYS(writev),
};

/* One rule: of that system call, where one or two of its arguments are as `test` and `second` say. */
struct rule {
    int call;
    unsigned count;
    struct scmp_arg_cmp test, second;
    uint32_t action;
};
/* The formatters of Debian 12 and 13 have different wishes. */
/* clang-format off */
#define WHERE(number, mask, value)                                                                                     \
    { (number), SCMP_CMP_MASKED_EQ, (mask), (value) }
#define IS(number, value)                                                                                              \
    { (number), SCMP_CMP_EQ, (value), 0 }
#define ONE(name, test)                                                                                                \
    { SCMP_SYS(name), 1, test, IS(0, 0), SCMP_ACT_ALLOW }
#define TWO(name, test, second)                                                                                        \
    { SCMP_SYS(name), 2, test, second, SCMP_ACT_ALLOW }
#define NOT(name, test, error)                                                                                         \
    { SCMP_SYS(name), 1, test, IS(0, 0), SCMP_ACT_ERRNO(error) }
/* clang-format on */

/* Calls that are allowed with some arguments. What libraries try and can do without is refused, everything else kills.
 */
static const struct rule rules[] = {
    /* Threads, and no processes. The arguments of clone3(2) are in memory; glibc then takes clone(2). */
    ONE(clone, WHERE(0, CLONE_THREAD, CLONE_THREAD)),
    {SCMP_SYS(clone3), 0, IS(0, 0), IS(0, 0), SCMP_ACT_ERRNO(ENOSYS)},
    /* Nothing is written, nothing made. */
    ONE(open, WHERE(1, O_ACCMODE | O_CREAT, O_RDONLY)),
    NOT(open, WHERE(1, O_CREAT, O_CREAT), EACCES),
    NOT(open, WHERE(1, O_WRONLY, O_WRONLY), EACCES),
    NOT(open, WHERE(1, O_RDWR, O_RDWR), EACCES),
    ONE(openat, WHERE(2, O_ACCMODE | O_CREAT, O_RDONLY)),
    NOT(openat, WHERE(2, O_CREAT, O_CREAT), EACCES),
    NOT(openat, WHERE(2, O_WRONLY, O_WRONLY), EACCES),
    NOT(openat, WHERE(2, O_RDWR, O_RDWR), EACCES),
    /* No memory that can be executed was ever written to. */
    ONE(mmap, WHERE(2, PROT_EXEC, 0)),
    ONE(mmap, WHERE(2, PROT_EXEC | PROT_WRITE, PROT_EXEC)),
    NOT(mmap, WHERE(2, PROT_EXEC | PROT_WRITE, PROT_EXEC | PROT_WRITE), EACCES),
    ONE(mprotect, WHERE(2, PROT_EXEC, 0)),
    NOT(mprotect, WHERE(2, PROT_EXEC, PROT_EXEC), EACCES),
    /* The network, the system's own services, and addresses of interfaces. */
    ONE(socket, IS(0, AF_UNIX)),
    ONE(socket, IS(0, AF_INET)),
    ONE(socket, IS(0, AF_INET6)),
    TWO(socket, IS(0, AF_NETLINK), IS(2, 0)),
    ONE(socketpair, IS(0, AF_UNIX)),
    /* No signals to others by F_SETOWN or FIOSETOWN. */
    ONE(fcntl, IS(1, F_DUPFD)),
    ONE(fcntl, IS(1, F_DUPFD_CLOEXEC)),
    ONE(fcntl, IS(1, F_GETFD)),
    ONE(fcntl, IS(1, F_SETFD)),
    ONE(fcntl, IS(1, F_GETFL)),
    ONE(fcntl, IS(1, F_SETFL)),
    ONE(ioctl, IS(1, FIOCLEX)),
    ONE(ioctl, IS(1, FIONBIO)),
    ONE(ioctl, IS(1, FIONREAD)),
    ONE(ioctl, IS(1, SIOCGIFADDR)),
    ONE(ioctl, IS(1, SIOCGIFCONF)),
    ONE(ioctl, IS(1, SIOCGIFFLAGS)),
    ONE(ioctl, IS(1, SIOCGIFINDEX)),
    ONE(ioctl, IS(1, SIOCGIFNAME)),
    ONE(ioctl, IS(1, SIOCOUTQ)),
    ONE(ioctl, IS(1, TCGETS)),
    /* Limits are asked for, not set. */
    TWO(prlimit64, IS(0, 0), IS(2, 0)),
    ONE(prctl, IS(0, PR_CAPBSET_READ)),
    ONE(prctl, IS(0, PR_GET_DUMPABLE)),
    ONE(prctl, IS(0, PR_GET_NAME)),
    ONE(prctl, IS(0, PR_GET_SECCOMP)),
    ONE(prctl, IS(0, PR_SET_NAME)),
    /* How malloc names its memory, where it is told to. */
    ONE(prctl, IS(0, 0x53564d41)),
};

static int add_rules(scmp_filter_ctx filter) {
    int failed = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        failed |= seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, allowed[i], 0, NULL);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct scmp_arg_cmp tests[] = {rules[i].test, rules[i].second};
        failed |= seccomp_rule_add_array(filter, rules[i].action, rules[i].call, rules[i].count, tests);
    }
    /* abort(3) and pthread_cancel(3): signals to this process's own threads. */
    const struct scmp_arg_cmp ourselves = IS(0, (scmp_datum_t)getpid());
    return failed == 0 && seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &ourselves) == 0;
}

int sandbox_close_system_calls(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (filter == NULL) {
        return 0;
    }
    int closed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 && add_rules(filter) &&
        seccomp_load(filter) == 0;
    seccomp_release(filter);
    return closed;
}
