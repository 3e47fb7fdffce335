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
/* getrandom(2), whole or an error. */
int linux_random(void *memory, size_t size);
/* memfd_create(2): a file in memory with these bytes, to be read from its start, that nobody can change any more; or
 * -errno. Close-on-exec. */
int linux_sealed_memory(const char *name, const void *bytes, size_t size);

/* ---- clock.c ------------------------------------------------------------------------------------------- */

/* CLOCK_BOOTTIME in milliseconds: goes on during suspend, is not set by anyone. */
int64_t linux_boottime_ms(void);
/* CLOCK_REALTIME in milliseconds since the epoch. */
int64_t linux_realtime_ms(void);
/* Waits that long, or until a signal. */
void linux_sleep_ms(int64_t milliseconds);

/* ---- channel.c: one SOCK_SEQPACKET packet is one frame -------------------------------------------------- */

/* Sends one packet, never raising SIGPIPE and never blocking longer than `timeout_ms`. 0 or -errno. */
int linux_send(int socket, const void *frame, size_t size, int timeout_ms);
/* Receives one packet: its length, 0 at end of file, -ETIMEDOUT, -EMSGSIZE when it did not fit, or -errno. */
int64_t linux_receive(int socket, void *frame, size_t capacity, int timeout_ms);
/* Has linux_receive call `function` with 1 before it takes a message, and with 0 afterwards. */
void linux_set_interrupter(void (*function)(int begins));
/* 1 when something can be read (or the other end is gone), 0 on time-out, or -errno. */
int linux_readable(int descriptor, int timeout_ms);
/* Two ends of one SOCK_SEQPACKET connection, close-on-exec: ours, and theirs in `other`. Or -errno. */
int linux_packet_pair(int *other);
/* From Linux 6.16, nobody can send descriptors to this socket, or to what it accepts. Whoever reads a message with some
 * closes them, which for a socket with SO_LINGER takes as long as the sender likes. */
void linux_refuse_descriptors(int socket);
/* Why nobody listens at `path`, a socket of packets or of datagrams, without waiting: 0 or -errno. */
int linux_socket_fault(const char *path, int is_packet);
/* A connection to the socket at `path`, close-on-exec, or -errno: where its queue is full after at most `timeout_s`
 * seconds, 0 to 10. */
int linux_connect(const char *path, int timeout_s);
/* Who opened the other end: SO_PEERCRED. 0 or -errno. */
int linux_peer(int socket, int32_t *pid, uint32_t *uid);
/* 1 when that process (of a listener, the one that called listen(2)) is in this process's network namespace. */
int linux_peer_shares_network(int socket);
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
    int stage;   /* enum linux_start_stage */
    int error;   /* errno of the failed step */
    int socket;  /* our end of the packet socket, close-on-exec; -1 on failure */
    int pidfd;   /* the process, close-on-exec; -1 on failure */
    int32_t pid; /* its id, 0 on failure */
};

/* Starts `path` as user `uid` and group `gid` for good, with one descriptor: a packet socket as standard input.
 *
 * The process is a grandchild: the host has no child of ours, gets no SIGCHLD and reaps nothing it did not
 * start. It has a new anonymous session keyring, no groups, default limits, a constant environment, default
 * signals but for SIGTERM, SIGHUP and SIGINT, which it ignores, working directory "/", no core dump and no_new_privs.
 * Needs an effective uid of 0. */
struct linux_started linux_start(const char *path, const char *name, uint32_t uid, uint32_t gid);
/* Kills the process and waits, at most `timeout_ms`, until it is gone. */
void linux_kill(int pidfd, int timeout_ms);
/* 1 when the process has ended, 0 when it still runs after `timeout_ms`. */
int linux_wait_gone(int pidfd, int timeout_ms);
/* The worker's absolute path, fixed when this was built. */
const char *linux_worker_path(void);
/* The agent's. */
const char *linux_agent_path(void);

/* Standard inputs that are no descriptor of the caller: /dev/null; or a new packet socket. */
enum { LINUX_NO_INPUT = -1000, LINUX_SOCKET_INPUT = -1001 };
/* Starts `cognito-agent COMMAND [ARGUMENT]` in the same way, as root, with `input` as its standard input. `socket` is
 * -1 in the result unless `input` is LINUX_SOCKET_INPUT. */
struct linux_started linux_start_agent(int input, const char *command, const char *argument);
/* Starts `cognito-agent run-hooks NOTICE` without a standard input, but able to run programs that gain rights. */
struct linux_started linux_start_hooks(const char *notice);

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

/* Drops all capabilities, also the inheritable ones, which a change of the user id leaves: pam_systemd(8) gives
 * CAP_WAKE_ALARM to logins. 0 or -errno. Where a filter forbids capset(2), inheritable ones may stay: they give
 * nothing to a process that has no others. */
int linux_drop_capabilities(void);
int32_t linux_process_id(void);
int32_t linux_parent_process_id(void);
uint32_t linux_user_id(void);
uint32_t linux_effective_user_id(void);
/* The real user id when this process became its program: of whoever started a set-uid one, whatever it has set since.
 */
uint32_t linux_starter_id(void);
/* The beginning of a file, with one read(2): how many bytes, or -errno. */
int64_t linux_read_file(const uint8_t *path, void *bytes, size_t capacity);
/* Whose /proc/PID is, without opening anything, or -errno. */
int64_t linux_process_owner(int32_t pid);
/* The ids of the processes that /proc shows, of which the first `capacity` are written: how many there are, or -errno.
 */
int64_t linux_process_ids(int32_t *ids, size_t capacity);
/* 0 when there is no such process (kill(2)). */
int linux_process_exists(int32_t pid);
void linux_kill_process(int32_t pid);
/* A pidfd (pidfd_open(2)), close-on-exec, or -errno. */
int linux_open_process(int32_t pid);
/* pidfd_send_signal(2). 0 or -errno. */
int linux_send_signal(int pidfd, int number);
/* 1 when this process's parent runs the same executable file, 0 when another one, or -errno when that cannot be told.
 */
int linux_parent_runs_same_file(void);
/* Device and inode of this process's root directory. 0 or -errno. */
int linux_root_directory(uint64_t identity[2]);
/* The boot id (random(4)), as it is written, 36 characters. 0 or -errno. */
int linux_boot_id(char id[36]);
/* The inode of this process's pid namespace, 0 when unknown. */
uint64_t linux_pid_namespace(void);
/* Makes this thread's real, effective and saved user id 0 by raw system call, so that the kernel's "user keyring" is
 * root's. The ids before are kept in `before`, for linux_restore_user_ids. 0 or -errno. */
int linux_become_root(uint32_t before[3]);
int linux_restore_user_ids(const uint32_t before[3]);
/* setfsuid(2), for this thread: what the kernel asks about keys goes by it. 0 or -EPERM. */
int linux_set_filesystem_user(uint32_t uid);
/* Joins a new anonymous session keyring (keyctl(2) KEYCTL_JOIN_SESSION_KEYRING) that belongs to `uid` and `gid`: the
 * kernel gives it to the real ids, which are changed for that moment in this thread. When that person's key quota
 * is full it belongs to the caller instead, which the person's processes, possessing it, do not notice. Its serial, or
 * -errno. */
int32_t linux_join_session_keyring(uint32_t uid, uint32_t gid);
/* Links a key of the caller's into the user keyring of `uid`, in place of one of the same type and description. The
 * kernel takes the real user id's for it, which is changed for that moment in this thread. 0 or -errno. */
int linux_link_to_user_keyring(int32_t key, uint32_t uid);
/* errno of the last failed C library call. */
int linux_errno(void);
/* Blocks SIGTERM and SIGINT in this process. A descriptor that is readable once one of them came (signalfd(2)), or
 * -errno. */
int linux_termination_descriptor(void);
/* Makes this process undumpable (prctl(2)). 0 or -errno. */
int linux_hide_memory(void);
/* Makes this process undumpable and unable to gain rights (prctl(2)). 0 or -errno. */
int linux_harden(void);
/* Why there is no seccomp(2) for a worker's sandbox: errno, by this kernel or a filter of system calls; 0 where it
 * works. */
int linux_seccomp_fault(void);
/* The same of landlock(7). */
int linux_landlock_fault(void);
/* 0 when the process has no root identity in any of its ids and cannot get it back, else -EPERM. */
int linux_confirm_unprivileged(void);
/* Whether an account without any other group or right reaches a port of an address, IPv4 or IPv6, by TCP: 1 or 0, or
 * -errno where that could not be tried, or did not end a second after `timeout_ms`. Another process tries it. */
int linux_reaches_as(uint32_t uid, uint32_t gid, const char *address, uint16_t port, int timeout_ms);
/* The name of the locale that this process has for texts (setlocale(3), LC_MESSAGES). Nothing is set. */
const char *linux_message_locale(void);
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
    int fault;        /* enum linux_file_fault */
    int error;        /* errno where the kernel gave one */
    size_t size;      /* bytes read */
    int64_t modified; /* st_mtime, of a file that was read */
};

/* Reads a whole regular file that belongs to root and that nobody else can write; with `secret`, that nobody else
 * can read either. Symbolic links are not followed in the last component. */
struct linux_file linux_read_trusted_file(const uint8_t *path, int secret, void *buffer, size_t capacity);
/* The same, of a file in an open directory. */
struct linux_file linux_read_trusted_file_at(
    int directory, const uint8_t *name, int secret, void *buffer, size_t capacity);
/* Opens a directory that is root's and that nobody else can write; a missing one is made with `mode`, unless that is 0.
 * A descriptor, or -errno; -EPERM: others can write it; -ELOOP or -ENOTDIR: the path ends in a link or a file. */
int linux_open_directory(const char *path, int mode);
/* The same by a path without any link: -ELOOP or -ENOTDIR also if a link or a file is on the way. None is made. */
int linux_open_own_folder(const uint8_t *path);
/* Writes a file whole or not at all (temporary file, rename) into a root-owned directory that is made when it is
 * missing. With `secret` the modes are 0600 and 0700, else 0644 and 0755. With `for_good`, it is on the disk before
 * this returns: fsync(2) of the file and of the directory. 0 or -errno. */
int linux_replace_file(
    const char *directory, const char *name, int secret, int for_good, const void *bytes, size_t size);
/* The same, into an open directory. */
int linux_replace_file_at(int directory, const char *name, int secret, int for_good, const void *bytes, size_t size);
/* Removes what writers of files in a root-owned directory left that were stopped more than so many seconds ago. */
void linux_remove_unfinished(const char *directory, int64_t seconds);
/* Removes a file. 0 or -errno. */
int linux_remove_file(const char *directory, const char *name);
/* Makes a directory (0700) that is missing. 0, also when it is there and nobody but root can write to it, or -errno. */
int linux_make_directory(const char *path);
/* Gives the file `to` the owner, the mode and the extended attributes of `from`, access control lists among them, and
 * takes away what others it has: 0 or -errno. */
int linux_copy_attributes(int from, int to);

/* Whose it is (lstat): 1; 0 when there is none, or -errno. */
int linux_owner(const uint8_t *path, uint32_t *uid);
/* 1 when something of that name exists (lstat). */
int linux_exists(const char *path);
/* Takes an open-file-description lock on one byte of `path` (created 0600), without waiting longer than `timeout_ms`.
 * The descriptor holds the lock until it is closed. Or -errno (-EAGAIN: somebody has it). */
int linux_lock_byte(const char *directory, const char *name, uint64_t offset, int timeout_ms);
/* The same lock, under the name of this process (fcntl(2), F_SETLK): others can see who has it. It goes, too, when this
 * process closes any other descriptor of that file. */
int linux_lock_byte_by_name(const char *directory, const char *name, uint64_t offset, int timeout_ms);
/* 1 where somebody has that lock, which is not taken; 0 where nobody has, or -errno. The process that has it under its
 * name, which may have ended while a child has its descriptors; 0: it has no name. */
int linux_lock_holder(const char *directory, const char *name, uint64_t offset, int32_t *process);

/* ---- turns.c ------------------------------------------------------------------------------------------ */

/* Takes one of the turns that `key` has: at most `burst` of them, and a new one every `interval_ms`; all of them within
 * a day. The file `path` (made, 0600, root's) has as many places as it has, and those who have all of their turns need
 * none. 1 there was one, 0 there was none, or -errno where that cannot be known, as when all places are taken
 * (-EUSERS). */
int linux_take_turn(const char *path, uint64_t key, int64_t burst, int64_t interval_ms, int64_t now_ms);

/* ---- tally.c ------------------------------------------------------------------------------------------ */

/* Makes a file of so many counters (0600, of its full size, all zero) in a directory that is root's alone, unless it is
 * there. 0 or -errno. */
int linux_tally_make(const char *directory, const char *name, uint32_t cells);
/* Adds to a counter of such a file, at once and without waiting for anybody. 0 or -errno (-ENOENT: nothing is counted
 * here). */
int linux_tally_add(const char *path, uint32_t cells, uint32_t cell, uint64_t amount);
/* Reads all of them. 0 or -errno. */
int linux_tally_read(const char *path, uint64_t *values, uint32_t cells);

/* ---- accounts.c: NSS ----------------------------------------------------------------------------------- */

/* When an account runs out, as shadow(5) has it: in days, since 1970 where they are dates; -1 where nothing is set. */
typedef struct linux_password_ages {
    int64_t changed;
    int64_t longest;
    int64_t inactive;
    int64_t expires;
} linux_password_ages_t;

typedef struct linux_account {
    uint32_t uid;
    uint32_t gid;
    int usable_password; /* the account can be entered with a password of this machine */
    int locked_password; /* it could be, if that were not locked (passwd -l) */
    int shadow_entry;    /* 1: `ages` are those of it; 0: shadow(5) is not asked about it, or not by us; -1: it has none
                            there */
    linux_password_ages_t ages;
} linux_account_t;

/* Whether an account has that user id, as far as can be told (getpwuid_r(3)). */
int linux_has_account(uint32_t uid);

/* getpwnam_r(3) and getspnam_r(3). 1 found, 0 no such account, or -errno. */
int linux_account(const uint8_t *name, linux_account_t *account);
/* getgrnam_r(3), getgrouplist(3): 1 a member (also by primary group), 0 not, -ENOENT no such group, or -errno. */
int linux_is_member(const uint8_t *name, uint32_t gid, const uint8_t *group);

/* ---- sources.c: one source of nsswitch.conf(5). Not for PAM hosts ------------------------------------------- */

enum linux_source_database { LINUX_SOURCE_USERS = 0, LINUX_SOURCE_GROUPS = 1 };
/* ABSENT: it is not installed, or has nothing of that kind, and glibc does not ask it either. SILENT: it gave no
 * answer. */
enum linux_source_answer {
    LINUX_SOURCE_KNOWS_NOT = 0,
    LINUX_SOURCE_KNOWS = 1,
    LINUX_SOURCE_SILENT = 2,
    LINUX_SOURCE_ABSENT = 3,
};

struct linux_source_entry {
    uint32_t number; /* user id or group id */
    char name[256];
};

/* Asks a source for the user or group of that name, or, where `name` is NULL, of that number, as getXnam_r(3) would:
 * its library is loaded and stays so. glibc itself does not say whether a source has nobody or could not look. enum
 * linux_source_answer. */
int linux_ask_source(const char *service, enum linux_source_database database, const char *name, uint32_t number,
    struct linux_source_entry *entry);
/* setenv(3). 0 or -errno. */
int linux_set_environment(const char *name, const char *value);

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

/* What a hook's process says before it becomes the hook. Nothing means that it did. */
struct linux_hook_refusal {
    int outcome; /* enum linux_hook_outcome */
    int error;   /* errno where it failed */
};

/* Starts the hook at `path`, which must be the file of `owner`, no link, and writable by nobody else; that is looked at
 * as the person. A child of the caller's: its process id, or -errno. Refusals go to `report`.
 *
 * It runs as the person for good, with their groups, a new session keyring, a session and process group of its own, no
 * terminal, nothing open but /dev/null, umask 077 and working directory "/". */
int32_t linux_start_hook(const char *path, uint32_t owner, const char *user, uint32_t uid, uint32_t gid,
    char *const environment[], int report);

/* ---- store.c ------------------------------------------------------------------------------------------- */

/* Where a symbolic link of an open directory points to: its length, or -errno; -ENAMETOOLONG when it does not fit. */
int linux_read_link_at(int directory, const char *name, char *target, size_t size);
/* Makes a symbolic link in an open directory, on the disk before it returns. 0 or -errno (-EEXIST). */
int linux_make_link_at(int directory, const char *name, const char *target);
/* Removes what is called so in an open directory. 0 or -errno. */
int linux_remove_at(int directory, const char *name);
/* Opens a directory anew, for its names: a descriptor with a position of its own, or -errno. */
int linux_reopen_directory(int directory);
/* The next names of an open directory, each with a NUL behind it: how many bytes, 0 at its end, or -errno. */
int linux_next_names(int directory, char *names, size_t size);

enum { LINUX_HAS_NAME = 1, LINUX_HAS_ID = 2, LINUX_HAS_BOTH = 4 /* in one line */, LINUX_HAS_MEMBER = 8 };
/* Whether a file as /etc/passwd or /etc/group has a line with that name, with that number in its third field, or with
 * that name among those of its fourth: the bits above, or -errno. It is read through a buffer of 8 KiB, however large
 * it is. With LINUX_HAS_ID, `owner` gets the name in that line. */
int linux_find_entry(const char *path, const uint8_t *name, uint32_t number, char *owner, size_t size);

/* Whether a file as /etc/subuid gives somebody that number: 1, with the owner's name or number; 0, or -errno. */
int linux_find_share(const char *path, uint32_t number, char *owner, size_t size);

/* The names of those lines of a file as /etc/group that have that number, each with a NUL behind it: how many bytes,
 * -ENOSPC where they do not fit, or another -errno. */
int linux_find_names(const char *path, uint32_t number, char *names, size_t size);

/* ---- belongings.c ---------------------------------------------------------------------------------------- */

/* Whether a file, or one below it, belongs to that user id or group id: 1; 0, also where there is no such file; or
 * -errno of what cannot be looked at. Symbolic links are not followed but for `path` itself. `found` gets the path of
 * what it says 1 or -errno of. */
int linux_find_file_of(const char *path, uint32_t id, char *found, size_t size);

/* ---- service.c ----------------------------------------------------------------------------------------- */

enum { LINUX_SOCKET_STREAM = 1, LINUX_SOCKET_PACKETS = 5 };
/* The listening socket of that kind that systemd has started this process with (sd_listen_fds(3)), or else one that is
 * bound to `path` (0666, its directory made, in place of another socket): not blocking, closed by execve. Or -errno. */
int linux_service_socket(const char *path, int kind, int backlog, int *is_inherited);
/* Whether this process, which has one thread, is interrupted every 200 microseconds. A client can send descriptors
 * with its message, or with none. They are closed here when that is read, or when the connection is closed; and closing
 * a socket with SO_LINGER waits for as long as the client likes, unless a signal comes. */
void linux_service_hurry(int hurries);
/* From now on, the same while linux_receive takes a message. */
void linux_service_hurry_receiving(void);
/* Removes the socket at `path`, and nothing that is not a socket. */
void linux_remove_socket(const char *path);
/* Who this process is from now on and for good, where root has started it by hand; nothing otherwise. 0 or -errno
 * (-ENOENT: there is no such account). */
int linux_service_become(uint32_t uid, uint32_t gid);
/* exit(3). */
_Noreturn void linux_exit(int status);
/* Tells systemd's notify socket, where there is one (sd_notify(3)). */
void linux_service_notify(const char *state);
/* How often systemd wants to hear of this process, in milliseconds; 0: not at all. */
int64_t linux_service_watchdog(void);
/* The next client, not blocking, whose it is and which process; or -errno. */
int linux_service_accept(int listener, uint32_t *uid, int32_t *process);
/* What has come, and what can be sent, without waiting: how many bytes, 0 at the end, or -errno. */
int linux_service_receive(int client, void *bytes, size_t size);
int linux_service_send(int client, const void *bytes, size_t size);

/* As struct pollfd. */
struct linux_poll {
    int descriptor;
    short wanted;
    short found;
};
enum { LINUX_POLL_IN = 1, LINUX_POLL_OUT = 4 };
/* poll(2); a signal ends the waiting. */
int linux_poll(struct linux_poll *items, size_t count, int timeout_ms);

/* What tells a file from what it was before. Zeros: it cannot be seen. */
struct linux_stamp {
    uint64_t inode;
    int64_t seconds;
    int64_t nanoseconds;
    int64_t size;
};
struct linux_stamp linux_file_stamp(const char *path);

/* ---- notify.c ------------------------------------------------------------------------------------------ */

/* Shows a text with notify-send(1), where PATH has one: with an option, a title and a text. Nobody waits for it, and
 * what it complains of is not shown. Not for root: PATH is the person's. */
void linux_notify(const char *option, const char *title, const char *text);

/* ---- log.c --------------------------------------------------------------------------------------------- */

/* syslog(3) under LOG_AUTHPRIV for programs that have no PAM handle. */
void linux_log(const char *tag, int priority, const char *line);
/* What this program is called in the log where it says nothing else. */
const char *linux_program_name(void);
/* Gives systemd-journald an entry in its native form, waiting half a second at most. 0 or -errno; -EAGAIN: it takes
 * nothing now. */
int linux_journal_send(const void *entry, size_t size);
/* The same for whoever listens to syslog(3), without the descriptor that syslog(3) keeps for the life of the program.
 */
int linux_syslog_send(const void *line, size_t size);
/* As linux_log, but never waits: a line for which there is no room is lost. */
void linux_log_at_once(const char *tag, int priority, const char *line);

#endif
