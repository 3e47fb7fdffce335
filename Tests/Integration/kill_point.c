/* kill-point PID WHOM POINT [ERRNO OBJECT CALL...]
 *
 * Follows the system calls of process PID (WHOM "itself"), or of all that it starts from now on (WHOM "started"), and kills
 * whoever comes to the POINT-th one of them, when the kernel has just carried it out. Says "ready" before it begins, then
 * "killed NUMBER NAME", or, when all that was started has ended or SIGTERM comes first, "finished COUNT". Those who are
 * followed go on when this program ends.
 *
 * With ERRNO nobody is killed: only the calls of these numbers count, and of them those on what begins with OBJECT; the
 * POINT-th is not carried out but fails with that number. "failed NUMBER NAME OBJECT" is said then, at once. An object is
 * the path that was given, or what the descriptor is, or the first argument. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <elf.h>
#include <linux/ptrace.h>
#include <stddef.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#define OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)

/* As many processes as there may be (proc(5), pid_max): the call that each is in. */
#define MOST (1 << 22)
static short calls[MOST];
static char is_known[MOST];
static volatile sig_atomic_t is_told;

static void tell(int number)
{
	(void)number;
	is_told = 1;
}

static void name_of(pid_t pid, char name[32])
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	FILE *file = fopen(path, "r");
	if (!file || !fgets(name, 32, file))
		strcpy(name, "?");
	if (file)
		fclose(file);
	name[strcspn(name, "\n")] = 0;
}

/* What a call is made on, for who reads of it. */
static void object_of(pid_t pid, const struct __ptrace_syscall_info *call, char object[128])
{
	for (int i = 0; i < 2; i++) {
		unsigned long text = call->entry.args[i], room = 4096 - text % 4096, first = room < 127 ? room : 127;
		/* A path may go on in the next page, which need not be there. */
		struct iovec here = {object, 127};
		struct iovec there[] = {{(void *)text, first}, {(void *)(text + first), 127 - first}};
		ssize_t size = process_vm_readv(pid, &here, 1, there, 2, 0);
		object[size > 0 ? size : 0] = 0;
		object[strcspn(object, "\n")] = 0;
		if (*object == '/')
			return;
	}
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, (int)call->entry.args[0]);
	ssize_t size = readlink(path, object, 127);
	if (size > 0)
		object[size] = 0;
	else
		snprintf(object, 128, "%ld", (long)call->entry.args[0]);
}

/* Whether `pid` is heard of for the first time: its own stops may come before its parent's word of it, and even its end. */
static int is_new(unsigned long pid)
{
	int before = is_known[pid % MOST];
	is_known[pid % MOST] = 1;
	return !before;
}

/* The call that `pid` is about to make is one that changes nothing. Not -1: seccomp, which looks after ptrace(2), takes that for a
 * call that is none of a worker's, and kills it. */
static void skip_call(pid_t pid)
{
#ifdef __x86_64__
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, orig_rax), (long)SYS_getpid);
#else
	int none = SYS_getpid;
	struct iovec where = {&none, sizeof none};
	ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &where);
#endif
}

/* The call that `pid` comes back from gave `value`. */
static void return_from_call(pid_t pid, long value)
{
#ifdef __x86_64__
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rax), value);
#else
	struct user_regs_struct registers;
	struct iovec where = {&registers, sizeof registers};
	ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &where);
	registers.regs[0] = (unsigned long long)value;
	ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &where);
#endif
}

static int is_named(long call, char **words)
{
	while (*words)
		if (atol(*words++) == call)
			return 1;
	return 0;
}

/* What fcntl(2) cannot refuse about a descriptor that is open: there is nothing to be short of, and nobody to ask. */
static int is_about_flags(const struct __ptrace_syscall_info *call)
{
	unsigned long command = call->entry.args[1];
	return call->entry.nr == SYS_fcntl &&
		(command == F_GETFD || command == F_SETFD || command == F_GETFL || command == F_SETFL);
}

/* Whether a call is none of the module's: of a host that speaks on its standard input and output, or libpam's for audit,
 * without which it refuses whatever its modules say. Nor does a pipe fail that has something, or room: what start_detached (Sources/CLinux) relies on. */
static int is_own(const struct __ptrace_syscall_info *call, const char *object)
{
	unsigned long first = call->entry.args[0];
	return ((call->entry.nr == SYS_read || call->entry.nr == SYS_write) && first < 3) ||
		((call->entry.nr == SYS_read || call->entry.nr == SYS_write) && !strncmp(object, "pipe:", 5)) ||
		(call->entry.nr == SYS_socket && first == AF_NETLINK) || is_about_flags(call);
}

int main(int count, char **words)
{
	if (count != 4 && count < 7)
		return 64;
	long error = count > 4 ? atol(words[4]) : 0;
	pid_t failing = 0;
	pid_t host = atoi(words[1]);
	int is_itself = !strcmp(words[2], "itself"), living = 0;
	long point = atol(words[3]), passed = 0, started = 0;
	struct sigaction action = {.sa_handler = tell};
	sigaction(SIGTERM, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (ptrace(PTRACE_SEIZE, host, 0, OPTIONS) || ptrace(PTRACE_INTERRUPT, host, 0, 0)) {
		perror("kill-point");
		return 71;
	}
	while (!is_told && !(started > 0 && !is_itself && living == 0)) {
		int status = 0;
		pid_t pid = waitpid(-1, &status, __WALL);
		if (pid < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (pid != host && is_new(pid)) {
			living++;
			started++;
		}
		if (!WIFSTOPPED(status)) {
			if (pid == host)
				break;
			living--;
			continue;
		}
		int number = WSTOPSIG(status), event = status >> 16, passed_on = 0;
		if (number == (SIGTRAP | 0x80)) {
			struct __ptrace_syscall_info call = {0};
			ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call);
			if (call.op == PTRACE_SYSCALL_INFO_EXIT && pid == failing) {
				return_from_call(pid, -error);
				failing = 0;
			}
			if (call.op == PTRACE_SYSCALL_INFO_ENTRY && error && (pid == host) == is_itself &&
				is_named((long)call.entry.nr, words + 6)) {
				char name[32], object[128];
				object_of(pid, &call, object);
				if (!is_own(&call, object) && !strncmp(object, words[5], strlen(words[5])) && ++passed == point) {
					name_of(pid, name);
					skip_call(pid);
					failing = pid;
					printf("failed %d %s %s\n", (int)call.entry.nr, name, object);
				}
			}
			if (call.op == PTRACE_SYSCALL_INFO_EXIT && !error && (pid == host) == is_itself && ++passed == point) {
				char name[32];
				name_of(pid, name);
				kill(pid, SIGKILL);
				printf("killed %d %s\n", calls[pid % MOST], name);
				return 0;
			}
			if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
				calls[pid % MOST] = (short)call.entry.nr;
		} else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
			unsigned long child = 0;
			if (ptrace(PTRACE_GETEVENTMSG, pid, 0, &child) == 0 && is_new(child)) {
				living++;
				started++;
			}
		} else if (event == PTRACE_EVENT_STOP && started == 0 && pid == host) {
			puts("ready");
		} else if (event == 0) {
			passed_on = number;
		}
		ptrace(PTRACE_SYSCALL, pid, 0, passed_on);
	}
	printf("finished %ld\n", passed);
	return 0;
}
