/* What Swift cannot say for itself: system calls that Glibc's overlay hides or that Embedded Swift cannot
 * import, and the code between fork and exec. Every function leaves the calling process as it found it unless
 * its comment says otherwise. Results below zero are negated errno values. */
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory.c ------------------------------------------------------------------------------------------ */

/* Memory that is left out of core dumps and, where the limit allows, out of swap. NULL when there is none. */
void *linux_secret_allocate(size_t size);
/* Erases and frees what linux_secret_allocate gave. */
void linux_secret_free(void *memory, size_t size);
/* explicit_bzero(3). */
void linux_erase(void *memory, size_t size);
/* getrandom(2), whole or an error. */
int linux_random(void *memory, size_t size);
/* memfd_create(2): a file in memory with these bytes, to be read from its start, that nobody can change any more; or
 * -errno. Close-on-exec. */
int linux_sealed_memory(const char *name, const void *bytes, size_t size);

/* ---- clock.c ------------------------------------------------------------------------------------------- */

/* CLOCK_BOOTTIME in milliseconds: goes on during suspend, is not set by anyone. */
int64_t linux_boottime_ms(void);
/* CLOCK_REALTIME in seconds since the epoch. */
int64_t linux_realtime_s(void);
/* Waits that long, or until a signal. */
void linux_sleep_ms(int64_t milliseconds);

/* ---- channel.c: one SOCK_SEQPACKET packet is one frame -------------------------------------------------- */

/* Sends one packet, never raising SIGPIPE and never blocking longer than `timeout_ms`. 0 or -errno. */
int linux_send(int socket, const void *frame, size_t size, int timeout_ms);
/* Receives one packet: its length, 0 at end of file, -ETIMEDOUT, -EMSGSIZE when it did not fit, or -errno. */
int64_t linux_receive(int socket, void *frame, size_t capacity, int timeout_ms);
/* 1 when something can be read (or the other end is gone), 0 on time-out, or -errno. */
int linux_readable(int descriptor, int timeout_ms);
/* Two ends of one SOCK_SEQPACKET connection, close-on-exec: ours, and theirs in `other`. Or -errno. */
int linux_packet_pair(int *other);
/* 1 when `descriptor` is a UNIX SOCK_SEQPACKET socket. */
int linux_is_packet_socket(int descriptor);
void linux_close(int descriptor);

/* ---- start.c: a process of ours, started without the host noticing -------------------------------------- */

/* Where a start failed: which step, and errno. */
enum linux_start_stage {
    LINUX_START_OK = 0,
    LINUX_START_DESCRIPTORS,
    LINUX_START_PROCESS,
    LINUX_START_SURROUNDINGS,
    LINUX_START_KEYRING,
    LINUX_START_IDENTITY,
    LINUX_START_EXECUTE,
    LINUX_START_SLOW,
};

struct linux_started {
    int stage;  /* enum linux_start_stage */
    int error;  /* errno of the failed step */
    int socket; /* our end of the packet socket, close-on-exec; -1 on failure */
    int pidfd;  /* the process, close-on-exec; -1 on failure */
    int32_t pid; /* its id, 0 on failure */
};

/* Starts `path` as user `uid` and group `gid` for good, with one descriptor: a packet socket as standard input.
 *
 * The process is a grandchild: the host has no child of ours, gets no SIGCHLD and reaps nothing it did not
 * start. It has a new anonymous session keyring, no groups, default limits, a constant environment, default
 * signals but for SIGTERM, SIGHUP and SIGINT, which it ignores, working directory "/", no core dump and no_new_privs. Needs an effective uid of 0. */
struct linux_started linux_start(const char *path, const char *name, uint32_t uid, uint32_t gid);
/* Starts the worker in this way for somebody who is to be asked: `caller`, whom everybody can see by its name. */
struct linux_started linux_start_worker_for(uint32_t caller, uint32_t uid, uint32_t gid);

struct linux_workers {
    uint32_t all;           /* that were started for somebody */
    uint32_t all_older;     /* those of them that were there before */
    uint32_t callers;       /* that were started for the same one */
    uint32_t callers_older;
};

/* Counts the workers, running as `uid`, that linux_start_worker_for has started; besides `own`, than which the older ones are
 * older, where that is not 0. It is the kernel's own list, which nobody can fill or empty by killing whoever started them.
 * 0 or -errno. */
int linux_count_workers(uint32_t uid, uint32_t caller, int32_t own, struct linux_workers *workers);

/* Kills every worker that runs as `uid`, whoever started it. */
void linux_end_workers(uint32_t uid);
/* Starts `cognito-agent seal` in the same way, as root. */
struct linux_started linux_start_sealing(void);
/* Kills the process and waits, at most `timeout_ms`, until it is gone. */
void linux_kill(int pidfd, int timeout_ms);
/* 1 when the process has ended, 0 when it still runs after `timeout_ms`. */
int linux_wait_gone(int pidfd, int timeout_ms);
/* The worker's absolute path, fixed when this was built. */
const char *linux_worker_path(void);

/* Starts `cognito-agent serve` in the same way, as root, with `connection` as its standard input. `socket` is -1 in the
 * result. */
struct linux_started linux_start_serving(int connection);
/* Starts `cognito-agent accounts` in the same way, as root, with a packet socket as its standard input. */
struct linux_started linux_start_reading_accounts(void);
/* Starts `cognito-agent reap` in the same way, without a standard input. */
struct linux_started linux_start_reaping(void);
/* Starts `cognito-agent let-go NOTICE` likewise, but able to run programs that gain rights. */
struct linux_started linux_start_letting_go(const char *notice);

/* ---- limits.c: of a process that somebody else than root may have started ------------------------------- */

enum { LINUX_LIMITS = 10 };

struct linux_limits {
    uint64_t soft[LINUX_LIMITS];
    uint64_t hard[LINUX_LIMITS];
    uint8_t known[LINUX_LIMITS];
};

/* Raises this process's limits (setrlimit(2)) as far as root may. What they were is kept for linux_restore_limits. */
void linux_raise_limits(struct linux_limits *before);
void linux_restore_limits(const struct linux_limits *before);

/* ---- process.c ----------------------------------------------------------------------------------------- */

int32_t linux_process_id(void);
int32_t linux_parent_process_id(void);
uint32_t linux_user_id(void);
uint32_t linux_effective_user_id(void);
/* Field 22 of /proc/PID/stat (clock ticks since boot), 0 when there is no such process or it cannot be read. */
uint64_t linux_process_start_time(int32_t pid);
/* 1 when that very process is there, 0 when it is gone, or -errno when that cannot be told: it is hidden from us (proc(5),
 * hidepid), or this process is in want of descriptors or memory. */
int linux_process_lives(int32_t pid, uint64_t start_time);
/* 1 when a process of a pid namespace below ours that has `pid` there started at that time, 0 when there is none, or -errno
 * when that cannot be told. */
int linux_process_lives_below(int32_t pid, uint64_t start_time);
/* 1 when this process's parent runs the same executable file, 0 when another one, or -errno when that cannot be told. */
int linux_parent_runs_same_file(void);
/* Device and inode of this process's root directory. 0 or -errno. */
int linux_root_directory(uint64_t identity[2]);
/* Whether -errno of looking at one process among all says that it is gone by now or hidden from us, rather than that this process is
 * in want of something. */
int linux_is_about_process(int error);
/* The boot id (random(4)), as it is written, 36 characters. 0 or -errno. */
int linux_boot_id(char id[36]);
/* The inode of this process's pid namespace, 0 when unknown. */
uint64_t linux_pid_namespace(void);
/* Makes this thread's real, effective and saved user id 0 by raw system call, so that the kernel's "user keyring" is
 * root's. The ids before are kept in `before`, for linux_restore_user_ids. 0 or -errno. */
int linux_become_root(uint32_t before[3]);
int linux_restore_user_ids(const uint32_t before[3]);
/* Joins a new anonymous session keyring (keyctl(2) KEYCTL_JOIN_SESSION_KEYRING) that belongs to `uid` and `gid`: the
 * kernel gives it to the real ids, which are changed for that moment in this thread. When that person's key quota
 * is full it belongs to the caller instead, which the person's processes, possessing it, do not notice. Its serial, or
 * -errno. */
int32_t linux_join_session_keyring(uint32_t uid, uint32_t gid);
/* Links a key of the caller's into the user keyring of `uid`, in place of one of the same type and description. The kernel
 * takes the real user id's for it, which is changed for that moment in this thread. 0 or -errno. */
int linux_link_to_user_keyring(int32_t key, uint32_t uid);
/* Writes all of it, whatever interrupts it and however long it has to wait. 0 or -errno; some may have been written then. */
int linux_write_all(int descriptor, const void *bytes, size_t size);
/* Sees to it that no file that is opened takes the place of standard input, output or error where this process was started
 * without: what reads or writes there fails as before, and a program that takes this one's place finds it closed. 0 or
 * -errno. */
int linux_hold_standard_descriptors(void);
/* errno of the last failed C library call. */
int linux_errno(void);
/* Makes this process undumpable (prctl(2)). 0 or -errno. */
int linux_hide_memory(void);
/* Makes this process undumpable and unable to gain rights (prctl(2)). 0 or -errno. */
int linux_harden(void);
/* 0 when the process has no root identity in any of its ids and cannot get it back, else -EPERM. */
int linux_confirm_unprivileged(void);
/* Whether an account without any other group or right reaches a port of an address, IPv4 or IPv6, by TCP: 1 or 0, or -errno
 * where that could not be tried. Another process tries it. */
int linux_reaches_as(uint32_t uid, uint32_t gid, const char *address, uint16_t port, int timeout_ms);
/* The name of the locale that this process has for texts (setlocale(3), LC_MESSAGES). Nothing is set. */
const char *linux_message_locale(void);
/* The host's name, cut to size. */
void linux_host_name(char *name, size_t size);

/* ---- files.c ------------------------------------------------------------------------------------------- */

enum linux_file_fault {
    LINUX_FILE_OK = 0,
    LINUX_FILE_MISSING,
    LINUX_FILE_NOT_REGULAR,
    LINUX_FILE_WRONG_OWNER,
    LINUX_FILE_WRITABLE,
    LINUX_FILE_READABLE,
    LINUX_FILE_TOO_LARGE,
    LINUX_FILE_UNREADABLE,
};

struct linux_file {
    int fault;    /* enum linux_file_fault */
    int error;    /* errno where the kernel gave one */
    size_t size;  /* bytes read */
};

/* Reads a whole regular file that belongs to root and that nobody else can write; with `secret`, that nobody else
 * can read either. Symbolic links are not followed in the last component. */
struct linux_file linux_read_trusted_file(const uint8_t *path, int secret, void *buffer, size_t capacity);
/* Writes a file whole or not at all (temporary file, rename) into a root-owned directory that is made when it is
 * missing. With `secret` the modes are 0600 and 0700, else 0644 and 0755. 0 or -errno. */
int linux_replace_file(const char *directory, const char *name, int secret, const void *bytes, size_t size);
/* The same, with `secret`, and on the disk before it returns: fsync(2) of the file and of the directory. */
int linux_replace_file_for_good(const char *directory, const char *name, const void *bytes, size_t size);
/* The names of what is in a root-owned directory, each with a NUL behind it, but for those that begin with a dot; those
 * that do not fit are left out. Returns how many bytes, 0 also where there is no such directory, or -errno. */
int linux_list_files(const char *directory, char *names, size_t size);
/* Removes what writers of files in a root-owned directory left that were stopped more than so many seconds ago. */
void linux_remove_unfinished(const char *directory, int64_t seconds);
/* Removes a file. 0 or -errno. */
int linux_remove_file(const char *directory, const char *name);
/* Makes a directory (0700) that is missing. 0, also when it is there and nobody but root can write to it, or -errno. */
int linux_make_directory(const char *path);
/* 1 when something of that name exists (lstat). */
int linux_exists(const char *path);
/* Takes an open-file-description lock on one byte of `path` (created 0600, never removed), without waiting longer
 * than `timeout_ms`. The descriptor holds the lock until it is closed. Or -errno (-EAGAIN: somebody has it). */
int linux_lock_byte(const char *directory, const char *name, uint32_t offset, int timeout_ms);

/* ---- accounts.c: NSS ----------------------------------------------------------------------------------- */

typedef struct linux_account {
    uint32_t uid;
    uint32_t gid;
    int usable_password; /* the account can be entered with a password of this machine */
    int locked_password; /* it could be, if that were not locked (passwd -l) */
} linux_account_t;

/* getpwnam_r(3) and getspnam_r(3). 1 found, 0 no such account, or -errno. */
int linux_account(const uint8_t *name, linux_account_t *account);
/* getgrnam_r(3), getgrouplist(3): 1 a member (also by primary group), 0 not, -ENOENT no such group, or -errno. */
int linux_is_member(const uint8_t *name, uint32_t gid, const uint8_t *group);

/* ---- run.c --------------------------------------------------------------------------------------------- */

/* What a program answers to `input` (as much as a pipe takes), standard input and output alone: its size, or -errno when it did
 * not end well within `timeout_ms`, or said more than `capacity`. The program is a child of the calling process: not for PAM
 * hosts. */
int64_t linux_run(
    char *const arguments[], const void *input, size_t size, void *output, size_t capacity, int timeout_ms);

/* ---- seal.c -------------------------------------------------------------------------------------------- */

/* What `/usr/bin/systemd-creds` makes of `input` (at most 16384 bytes) under `name` (at most 255): sealed with this machine's
 * key or its TPM, or unsealed again. Its size, or -errno when it did not come to that within `timeout_ms`. The program is a
 * child of the calling process: not for PAM hosts. */
int64_t linux_seal(
    int unseal, const char *name, const void *input, size_t size, void *output, size_t capacity, int timeout_ms);

/* ---- agent.c: the agent's socket, and what it must know of who is on the other side -------------------- */

/* A SOCK_SEQPACKET socket bound to `path`, mode 0666, listening, not blocking. A socket of that name is replaced. Or
 * -errno. */
int linux_listen(const char *path);
/* Removes the socket at `path`, and nothing that is no socket. */
void linux_remove_socket(const char *path);
/* Gives this process a better priority than people's (setpriority(2)); processes that are started like the worker have the usual
 * one all the same. 0 or -errno. */
int linux_hurry(void);
/* The listening SOCK_SEQPACKET socket that this process was started with (sd_listen_fds(3)), not blocking; 0 where it was started
 * without any, or -errno when it is something else. */
int linux_inherited_listener(void);
/* The next connection, close-on-exec, or -errno. */
int linux_accept(int listener);
/* A connection to the socket at `path`, close-on-exec, or -errno. Waits at most 10 seconds. */
int linux_connect(const char *path);
/* Who opened the other end: SO_PEERCRED. 0 or -errno. */
int linux_peer(int socket, int32_t *pid, uint32_t *uid);
/* The beginning of the next packet, which stays: how many bytes of it, 0 where the other end is gone, or -errno. Does not wait. */
int64_t linux_peek(int socket, void *bytes, size_t size);
/* Ends the connection for both sides (shutdown(2)); the descriptor stays. What was sent still arrives. */
void linux_hang_up(int socket);
/* Blocks SIGTERM and SIGINT in this process. A descriptor that is readable once one of them came (signalfd(2)), or
 * -errno. */
int linux_termination_descriptor(void);
enum { LINUX_MOST_WATCHED = 256 };
/* Waits until some of `descriptors` can be read, or have lost their other end: `ready` says which. Negative ones are passed over.
 * Not longer than `timeout_ms`, where that is not negative. 0 or -errno. */
int linux_wait_any(const int *descriptors, uint8_t *ready, size_t count, int timeout_ms);
/* The name of the account with that user id (getpwuid_r(3)): its length, 0 when there is none, or -errno. */
int linux_account_name(uint32_t uid, uint8_t *name, size_t capacity);
/* Takes one of the turns that `key` has: at most `burst` of them, and a new one every `interval_ms`; all of them within a day.
 * The file `path` (made, 0600, root's) has as many places as it has, and those who have all of their turns need none. 1 there was
 * one, 0 there was none, or -errno where that cannot be known, as when all places are taken (-ENOSPC). */
int linux_take_turn(const char *path, uint64_t key, int64_t burst, int64_t interval_ms, int64_t now_ms);
/* setfsuid(2), for this thread: what the kernel asks about keys goes by it. 0 or -EPERM. */
int linux_set_filesystem_user(uint32_t uid);
/* The parent process, 0 when there is no such process or its parent is not of this pid namespace. */
int32_t linux_parent_of(int32_t pid);
/* The effective user id, -1 when there is no such process or it cannot be looked at. */
int64_t linux_effective_user_of(int32_t pid);
/* getsid(2), 0 when there is no such process. */
int32_t linux_session_leader_of(int32_t pid);

/* ---- sessions.c: what is in a session of somebody else's, and what reaches it. Not for PAM hosts ------------ */

struct linux_process {
    int32_t id;
    int32_t parent;
    int32_t session; /* its leader's id */
    uint32_t real_user;
    uint32_t effective_user;
    uint32_t terminal_major, terminal_minor; /* of the controlling terminal; 0, 0: none */
    uint64_t start_time; /* clock ticks since boot */
};

/* All processes that can be seen, at most `capacity`: how many, or -errno, also when one of them could not be looked at for want of
 * something. */
int64_t linux_processes(struct linux_process *processes, size_t capacity);
/* Sends a signal to that very process (pidfd_send_signal(2)). 0 or -errno. */
int linux_signal_process(int32_t pid, uint64_t start_time, int number);
/* /proc/PID/cgroup as text with a NUL: its length, or -errno. */
int64_t linux_control_group(int32_t pid, char *text, size_t capacity);
/* The leader of the systemd-logind session `id`, by /usr/bin/loginctl; 0 when that does not say. */
int32_t linux_login_session_leader(const char *id);
/* Does `verb` (lock-session, terminate-session) with it. 0 or -errno. */
int linux_login_session(const char *verb, const char *id);
/* Writes to a terminal if it belongs to `uid`, once and without blocking: what does not fit is not written. It is opened as that
 * user, and becomes nobody's controlling terminal. 0 or -errno; -EAGAIN: not all of it was taken. */
int linux_tell(uint32_t major, uint32_t minor, uint32_t uid, const void *text, size_t size);
/* For how many seconds nothing was read from a terminal that belongs to `uid`, or -errno. */
int64_t linux_terminal_idle(uint32_t major, uint32_t minor, uint32_t uid);

/* ---- hooks.c: what people and administrators want to be run when tokens have ended. Not for PAM hosts -------- */

enum linux_hook_outcome {
    LINUX_HOOK_ENDED = 0,
    LINUX_HOOK_ABSENT,
    LINUX_HOOK_NOT_REGULAR,
    LINUX_HOOK_WRONG_OWNER,
    LINUX_HOOK_WRITABLE,
    LINUX_HOOK_NOT_EXECUTABLE,
    LINUX_HOOK_TOO_LONG,
    LINUX_HOOK_FAILED,
};

struct linux_hook {
    int outcome; /* enum linux_hook_outcome */
    int error;   /* errno where it failed */
    int status;  /* of the hook, as a shell has it */
};

/* The names in a folder that belongs to root and that nobody else can write, each with a NUL, but for those that begin with a
 * dot: their size, or -errno. */
int64_t linux_hook_names(const char *folder, char *names, size_t capacity);
/* Runs `folder`/`name`, which must be root's, or with `is_own` the person's own ~/.config/pam-cognito/sign-out, which must be
 * theirs and is looked at as them, and waits for it. No link, and nobody else may be able to write it.
 *
 * It runs as the person for good, with their groups, a new session keyring, a session and process group of its own, no terminal,
 * nothing open but /dev/null, umask 077, working directory "/" and a constant environment. What is left of its group when it ends,
 * or when `timeout_ms` are over, is killed. */
struct linux_hook linux_run_hook(
    const char *folder, const char *name, int is_own, const uint8_t *user, const char *reason, int64_t others,
    int timeout_ms);
/* From within one of our systemd services, whose sandbox no hook could work in and which are ended as a whole: has systemd run
 * `cognito-agent let-go NOTICE` outside. 0, or -errno where this is no such service, or systemd does not do it. */
int linux_let_go_outside(const char *notice);

/* ---- terminal.c ---------------------------------------------------------------------------------------- */

/* Asks on a terminal, with or without showing what is typed: the answer's length without the line end, or -errno; -EINTR
 * when a signal came that would have ended the process. */
int64_t linux_ask(int terminal, const char *prompt, int echo, void *answer, size_t capacity);

/* ---- notify.c ------------------------------------------------------------------------------------------ */

/* Shows a text with notify-send(1), where PATH has one: with an option, a title and a text. Nobody waits for it, and what it
 * complains of is not shown. Not for root: PATH is the person's. */
void linux_notify(const char *option, const char *title, const char *text);

/* ---- log.c --------------------------------------------------------------------------------------------- */

/* syslog(3) under LOG_AUTHPRIV for programs that have no PAM handle. */
void linux_log(const char *tag, int priority, const char *line);

#endif
