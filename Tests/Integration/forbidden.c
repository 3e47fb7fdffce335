/* Enters the worker's sandbox and tries one thing: "passed", or errno's name, is written to standard output; or SIGSYS ends it. */
#define _GNU_SOURCE
#include "CSandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

static long a_file(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
    }
    return file;
}

static void *nothing(void *argument) {
    return argument;
}

static long a_thread(void) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, nothing, NULL);
    return errno != 0 ? -1 : pthread_join(thread, NULL);
}

static long a_name(void) {
    struct addrinfo *found = NULL;
    int result = getaddrinfo("localhost", "443", NULL, &found);
    if (result == 0) {
        freeaddrinfo(found);
    }
    return result;
}

static long descriptors(void) {
    int last = 0;
    for (int i = 0; i < 64 && last >= 0; i++) {
        last = socket(AF_INET, SOCK_DGRAM, 0);
    }
    return last;
}

static long written(void) {
    /* What was open before, as nothing of a worker's is. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return write(3, "x", 1);
}

static long addresses(void) {
    struct ifaddrs *found = NULL;
    long result = getifaddrs(&found);
    if (result == 0) {
        freeifaddrs(found);
    }
    return result;
}

static long mapped(size_t size, int rights) {
    return mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED ? -1 : 0;
}

static long made_executable(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static long a_line_of_the_log(void) {
    syslog(LOG_AUTHPRIV | LOG_INFO, "said inside");
    return 0;
}

static long a_limit(void) {
    struct rlimit more = {64, 64};
    return setrlimit(RLIMIT_NOFILE, &more);
}

static long memory_of(pid_t pid) {
    char bytes[8];
    struct iovec here = {bytes, sizeof bytes}, there = {(void *)&errno, sizeof bytes};
    return process_vm_readv(pid, &here, 1, &there, 1, 0);
}

#define TRY(name, what)                                                                                                \
    if (strcmp(argv[1], name) == 0) {                                                                                  \
        result = (what);                                                                                               \
        known = 1;                                                                                                     \
    }

int main(int argc, char *argv[]) {
    if (argc != 2) {
        return 64;
    }
    pid_t parent = getppid();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int missing = sandbox_enter();
    if (missing != 0) {
        fprintf(stderr, "missing: %d\n", missing);
        return 1;
    }
    long result = 0;
    int known = 0;
    errno = 0;
    TRY("the trial", sandbox_try());
    TRY("enter again", sandbox_enter());
    /* What a worker does. */
    TRY("thread", a_thread());
    TRY("name", a_name());
    TRY("addresses", addresses());
    TRY("log", a_line_of_the_log());
    TRY("hosts", a_file("/etc/hosts", O_RDONLY));
    TRY("library", a_file("/usr/lib/os-release", O_RDONLY));
    TRY("connection", a_file("/dev/null", O_RDONLY) >= 0 ? socket(AF_INET6, SOCK_STREAM, 0) : -1);
    TRY("abort", (abort(), 0));
    /* Files. */
    TRY("passwd", a_file("/etc/passwd", O_RDONLY));
    TRY("shadow", a_file("/etc/shadow", O_RDONLY));
    TRY("other process", a_file("/proc/1/status", O_RDONLY));
    TRY("folder", a_file("/", O_RDONLY | O_DIRECTORY));
    TRY("write", a_file("/dev/null", O_WRONLY));
    TRY("create", a_file("/tmp/made-inside", O_RDONLY | O_CREAT));
    TRY("append", written());
    TRY("remove", unlink("/tmp/made-inside"));
    TRY("mode", chmod("/tmp", 0777));
    TRY("mount", mount("none", "/mnt", "tmpfs", 0, NULL));
    /* Processes. */
    TRY("fork", fork());
    TRY("process", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    TRY("clone3", syscall(SYS_clone3, NULL, 0));
    TRY("program", execl("/bin/true", "true", NULL));
    TRY("signal", kill(parent, 0));
    TRY("thread's signal", syscall(SYS_tgkill, parent, parent, 0));
    TRY("trace", ptrace(PTRACE_ATTACH, parent, NULL, NULL));
    TRY("memory", memory_of(parent));
    TRY("descriptor", syscall(SYS_pidfd_open, parent, 0));
    TRY("namespace", unshare(CLONE_NEWUSER));
    /* Memory. */
    TRY("address space", mapped((size_t)2 << 30, PROT_READ));
    TRY("writable code", mapped(4096, PROT_READ | PROT_WRITE | PROT_EXEC));
    TRY("written code", made_executable());
    /* The kernel. */
    TRY("packets", socket(AF_PACKET, SOCK_DGRAM, 0));
    TRY("netfilter", socket(AF_NETLINK, SOCK_RAW, 12));
    TRY("listen", listen(socket(AF_INET, SOCK_STREAM, 0), 1));
    TRY("owner of signals", fcntl(0, F_SETOWN, parent));
    TRY("terminal", syscall(SYS_ioctl, 0, 0x5412, "x"));
    TRY("keys", syscall(SYS_keyctl, 0, -3, 0));
    TRY("bpf", syscall(SYS_bpf, 0, NULL, 0));
    TRY("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
    TRY("dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    TRY("limit", a_limit());
    TRY("descriptors", descriptors());
    if (!known) {
        return 64;
    }
    int error = errno;
    puts(result >= 0 ? "passed" : strerrorname_np(error));
    return 0;
}
