#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* What the new process, or the one between, says through the report pipe. Close-on-exec: nothing means success. */
struct report {
    int stage;
    int error;
    int pidfd;
    int32_t pid;
};

/* How long an exec may take, which waits for nothing but the disk. */
enum { EXECUTE_TIMEOUT_MS = 5000 };

/* More than any program of ours takes. A person may: workers stop the alarm while they wait for one. */
enum { LONGEST_LIFE_S = 3600 };

const char *linux_worker_path(void) {
    return PAM_COGNITO_WORKER;
}

const char *linux_agent_path(void) {
    return PAM_COGNITO_AGENT;
}

/* Not clone3(2): its arguments are in memory, where a filter of system calls cannot see them, so that systemd's
 * RestrictNamespaces and older containers refuse it altogether. */
static long raw_clone(unsigned long flags, int *pidfd, int exit_signal) {
    /* A copy of this stack, as with fork(2). The fourth and fifth argument change places between architectures. */
    return syscall(SYS_clone, flags | (unsigned long)exit_signal, NULL, pidfd, NULL, NULL);
}

static void block_all_signals(sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, before);
}

static _Noreturn void leave(void) {
    for (;;) {
        syscall(SYS_exit_group, 127);
    }
}

static _Noreturn void fail(int report, int stage) {
    struct report failure = {.stage = stage, .error = errno, .pidfd = -1};
    ssize_t ignored = write(report, &failure, sizeof failure);
    (void)ignored;
    leave();
}

static void default_limits(void) {
    static const struct {
        int resource;
        rlim_t limit;
    } limits[] = {
        {RLIMIT_CORE, 0},
        {RLIMIT_AS, RLIM_INFINITY},
        {RLIMIT_DATA, RLIM_INFINITY},
        {RLIMIT_CPU, 60},
        {RLIMIT_FSIZE, RLIM_INFINITY},
        {RLIMIT_NOFILE, 64},
        {RLIMIT_NPROC, RLIM_INFINITY},
        {RLIMIT_STACK, 8 << 20},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit both = {limits[i].limit, limits[i].limit};
        if (setrlimit(limits[i].resource, &both) != 0 && getrlimit(limits[i].resource, &both) == 0) {
            /* Not even root may raise it here: then as far as it goes. */
            both.rlim_cur = both.rlim_max;
            (void)setrlimit(limits[i].resource, &both);
        }
    }
}

static void write_small(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0) {
        ssize_t ignored = write(file, text, strlen(text));
        (void)ignored;
        close(file);
    }
}

/* Out of what the caller of a set-uid program has chosen for all that it starts, besides limits: who can freeze, starve
 * or kill a worker decides what it says of the network. Nothing of it need succeed. */
static void leave_callers_choices(void) {
    /* A control group may be the caller's own. The root of the tree is nobody's; in version 1 groups are root's anyway.
     */
    write_small("/sys/fs/cgroup/cgroup.procs", "0");
    write_small("/sys/fs/cgroup/unified/cgroup.procs", "0");
    write_small("/proc/self/oom_score_adj", "0");
    struct sched_param none = {0};
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    (void)sched_setaffinity(0, sizeof all, &all);
    /* IOPRIO_WHO_PROCESS, this one, no class of its own. */
    (void)syscall(SYS_ioprio_set, 1, 0, 0);
    /* Not 0, which means what this process began with: the caller's. With much of it, no time limit of ours ends. */
    (void)prctl(PR_SET_TIMERSLACK, 50000, 0, 0, 0);
}

/* What a new process becomes. */
struct program {
    const char *path;
    char *name;
    char *argument; /* NULL: none */
    char *second;   /* NULL: none */
    int may_gain_rights;
    uint32_t uid, gid;
};

/* Between clone and exec: only system calls, in a copy of a process about which nothing may be assumed. */
static _Noreturn void become(const struct program *program, int socket, int report) {
    uint32_t uid = program->uid, gid = program->gid, caller = (uint32_t)syscall(SYS_getuid);
    /* Out of the way of what is about to be replaced. A caller of su may have left eight numbers in all: so none is
     * taken that is not needed. `null` may be any of those below 4, hence the order, and no close-on-exec. */
    int high = report < 4 ? fcntl(report, F_DUPFD_CLOEXEC, 4) : report;
    if (high < 0) {
        fail(report, LINUX_START_DESCRIPTORS);
    }
    report = high;
    socket = socket < 4 ? fcntl(socket, F_DUPFD_CLOEXEC, 4) : socket;
    int null = open("/dev/null", O_RDWR);
    if (socket < 0 || null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || dup2(socket, 0) < 0 ||
        dup3(report, 3, O_CLOEXEC) < 0) {
        fail(report, LINUX_START_DESCRIPTORS);
    }
    report = 3;
    if (syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
        fail(report, LINUX_START_DESCRIPTORS);
    }

    /* The host's handlers must not run here, so signals are blocked until they are gone. */
    for (int number = 1; number <= 64; number++) {
        struct {
            void *handler;
            unsigned long flags;
            void *restorer;
            unsigned long mask;
        } none = {0};
        (void)syscall(SYS_rt_sigaction, number, &none, NULL, sizeof none.mask);
    }

    if (syscall(SYS_setresgid, 0, 0, 0) != 0 || syscall(SYS_setgroups, 0, NULL) != 0 ||
        syscall(SYS_setresuid, 0, 0, 0) != 0) {
        fail(report, LINUX_START_IDENTITY);
    }
    /* An inherited session keyring would go on granting the rights of the process that made it. */
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0) {
        fail(report, LINUX_START_KEYRING);
    }
    (void)setsid();
    umask(077);
    default_limits();
    (void)setpriority(PRIO_PROCESS, 0, 0);
    if (caller != 0) {
        leave_callers_choices();
    }
    /* The root side kills what is late, and programs of ours end when nobody listens. This is for neither happening:
     * an alarm survives exec. */
    (void)alarm(LONGEST_LIFE_S);
    if (chdir("/") != 0 || (!program->may_gain_rights && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)) {
        fail(report, LINUX_START_SURROUNDINGS);
    }

    if (uid != 0) {
        if (syscall(SYS_setresgid, gid, gid, gid) != 0 || syscall(SYS_setresuid, uid, uid, uid) != 0) {
            fail(report, LINUX_START_IDENTITY);
        }
        if (syscall(SYS_setresuid, 0, 0, 0) == 0) {
            errno = EPERM;
            fail(report, LINUX_START_IDENTITY);
        }
        if (linux_drop_capabilities() != 0) {
            fail(report, LINUX_START_IDENTITY);
        }
    }

    /* Whoever ends a session ends its processes, and that is the moment at which this one has work to do: systemd goes
     * through a scope with SIGTERM and SIGHUP until nothing new is found in it. Only the root side ends us, by SIGKILL.
     */
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);

    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    char *const arguments[] = {program->name, program->argument, program->second, NULL};
    char *const environment[] = {
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "LC_ALL=C",
        "RES_OPTIONS=timeout:2 attempts:2",
        NULL,
    };
    execve(program->path, arguments, environment);
    fail(report, LINUX_START_EXECUTE);
}

/* Starts the process from one between that shares our descriptors, so that the pidfd lands in this table, and ends
 * at once. That one ends without SIGCHLD and can be waited for only by who asks for clones: the host's own
 * wait(2) never sees it. */
static struct report start_detached(const struct program *program, int socket, const int pipe_ends[2]) {
    struct report said = {.stage = LINUX_START_PROCESS, .pidfd = -1};
    sigset_t before;
    block_all_signals(&before);
    long between = raw_clone(CLONE_FILES, NULL, 0);
    if (between == 0) {
        int pidfd = -1;
        long process = raw_clone(CLONE_PIDFD, &pidfd, SIGCHLD);
        if (process == 0) {
            /* Not needed here, and a number more. */
            (void)close(pipe_ends[0]);
            become(program, socket, pipe_ends[1]);
        }
        struct report started = {
            .stage = process < 0 ? LINUX_START_PROCESS : LINUX_START_OK,
            .error = process < 0 ? errno : 0,
            .pidfd = process < 0 ? -1 : pidfd,
            .pid = process < 0 ? 0 : (int32_t)process,
        };
        ssize_t ignored = write(pipe_ends[1], &started, sizeof started);
        (void)ignored;
        leave();
    }
    said.error = errno;
    if (between > 0) {
        while (syscall(SYS_wait4, (int)between, NULL, __WCLONE, NULL) < 0 && errno == EINTR) {
        }
        /* At most two reports of a few bytes are in the pipe, each in full. The new process may have failed before
         * the one between wrote; and if that one was killed before, there is none: the pipe's other end is open in
         * this process, so that reading would wait for ever if the pipe let it. */
        struct report one;
        said.stage = LINUX_START_OK;
        said.error = 0;
        for (int i = 0; i < 2 && said.pidfd < 0 && said.stage != LINUX_START_PROCESS; i++) {
            if (read(pipe_ends[0], &one, sizeof one) != (ssize_t)sizeof one) {
                said.stage = LINUX_START_PROCESS;
                said.error = ECHILD;
                break;
            }
            if (one.stage != LINUX_START_OK) {
                said.stage = one.stage;
                said.error = one.error;
            }
            if (one.pidfd >= 0) {
                said.pidfd = one.pidfd;
                said.pid = one.pid;
            }
        }
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return said;
}

/* Starts `program` with `socket` as its standard input, and waits until it runs. */
static struct linux_started start(const struct program *program, int socket) {
    struct linux_started started = {.stage = LINUX_START_DESCRIPTORS, .socket = -1, .pidfd = -1};
    int report[2];
    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) {
        started.error = errno;
        return started;
    }
    struct report said = start_detached(program, socket, report);
    close(report[1]);
    if (said.stage == LINUX_START_OK) {
        /* End of file: the process has become the program. */
        struct report failure;
        int ready = linux_readable(report[0], EXECUTE_TIMEOUT_MS);
        ssize_t got = ready > 0 ? read(report[0], &failure, sizeof failure) : -1;
        if (ready <= 0) {
            said.stage = LINUX_START_SLOW;
            said.error = ETIMEDOUT;
        } else if (got == (ssize_t)sizeof failure) {
            said.stage = failure.stage;
            said.error = failure.error;
        }
    }
    close(report[0]);
    started.stage = said.stage;
    started.error = said.error;
    if (said.stage == LINUX_START_OK) {
        started.pidfd = said.pidfd;
        started.pid = said.pid;
    } else if (said.pidfd >= 0) {
        linux_kill(said.pidfd, 1000);
        close(said.pidfd);
    }
    return started;
}

/* Starts `program` with one end of a new packet socket as its standard input. */
static struct linux_started start_with_socket(const struct program *program) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        struct linux_started none = {.stage = LINUX_START_DESCRIPTORS, .error = errno, .socket = -1, .pidfd = -1};
        return none;
    }
    linux_refuse_descriptors(ends[0]);
    struct linux_started started = start(program, ends[1]);
    close(ends[1]);
    if (started.stage == LINUX_START_OK) {
        started.socket = ends[0];
    } else {
        close(ends[0]);
    }
    return started;
}

struct linux_started linux_start(const char *path, const char *name, uint32_t uid, uint32_t gid) {
    struct program program = {.path = path, .name = (char *)name, .uid = uid, .gid = gid};
    return start_with_socket(&program);
}

/* Starts `program` without a standard input. */
static struct linux_started start_silent(const struct program *program) {
    struct linux_started started = {.stage = LINUX_START_DESCRIPTORS, .socket = -1, .pidfd = -1};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) {
        started.error = errno;
        return started;
    }
    started = start(program, null);
    close(null);
    return started;
}

struct linux_started linux_start_agent(int input, const char *command, const char *argument) {
    struct program program = {
        .path = PAM_COGNITO_AGENT,
        .name = "cognito-agent",
        .argument = (char *)command,
        .second = (char *)argument,
    };
    return input == LINUX_NO_INPUT    ? start_silent(&program)
        : input == LINUX_SOCKET_INPUT ? start_with_socket(&program)
                                      : start(&program, input);
}

struct linux_started linux_start_hooks(const char *notice) {
    /* The hooks that it runs may be fusermount, or sudo. */
    struct program program = {
        .path = PAM_COGNITO_AGENT,
        .name = "cognito-agent",
        .argument = "run-hooks",
        .second = (char *)notice,
        .may_gain_rights = 1,
    };
    return start_silent(&program);
}

int linux_wait_gone(int pidfd, int timeout_ms) {
    return linux_readable(pidfd, timeout_ms) == 1;
}

void linux_kill(int pidfd, int timeout_ms) {
    (void)linux_send_signal(pidfd, SIGKILL);
    (void)linux_wait_gone(pidfd, timeout_ms);
}
