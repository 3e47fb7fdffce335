/* A host of PAM that does what it is told, one command a line on stdin, one JSON object a line on stdout.
 *
 * A real program in C and not a binding in another language, so that the process in which a module runs holds nothing
 * of its own: its descriptors, threads, signals and keyrings are exactly a fresh program's and the module's.
 * Strings travel as hexadecimal digits ("-" for none), since names and answers may hold any byte.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

extern char **environ;
/* In heap_peak.c, where that is preloaded. */
extern size_t heap_peak(void) __attribute__((weak));

static pam_handle_t *handle;
static char line[1 << 17];

static char *hex(const char *digits)
{
	if (!digits || !strcmp(digits, "-"))
		return NULL;
	size_t n = strlen(digits) / 2;
	char *text = calloc(n + 1, 1);
	for (size_t i = 0; i < n; i++)
		sscanf(digits + 2 * i, "%2hhx", (unsigned char *)text + i);
	return text;
}

static void put_hex(const char *text)
{
	if (!text) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	for (; *text; text++)
		printf("%02x", (unsigned char)*text);
	putchar('"');
}

static void put_list(char **list)
{
	putchar('[');
	for (int i = 0; list && list[i]; i++) {
		if (i)
			putchar(',');
		put_hex(list[i]);
	}
	putchar(']');
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *unused)
{
	(void)unused;
	*responses = calloc(count, sizeof **responses);
	for (int i = 0; i < count; i++) {
		int style = messages[i]->msg_style;
		printf("{\"style\":%d,\"text\":", style);
		put_hex(messages[i]->msg);
		puts("}");
		fflush(stdout);
		if (style != PAM_PROMPT_ECHO_OFF && style != PAM_PROMPT_ECHO_ON)
			continue;
		char reply[1 << 16];
		if (!fgets(reply, sizeof reply, stdin))
			strcpy(reply, "refuse");
		reply[strcspn(reply, "\n")] = 0;
		if (!strcmp(reply, "nobody"))
			continue;
		if (strncmp(reply, "answer ", 7)) {
			int code = PAM_CONV_ERR;
			sscanf(reply, "code %d", &code);
			free(*responses);
			*responses = NULL;
			return code;
		}
		(*responses)[i].resp = hex(reply + 7);
		explicit_bzero(reply, sizeof reply);
	}
	return PAM_SUCCESS;
}

static int call(const char *function, int flags)
{
	static const struct {
		const char *name;
		int (*function)(pam_handle_t *, int);
	} table[] = {{"authenticate", pam_authenticate}, {"acct_mgmt", pam_acct_mgmt},	     {"setcred", pam_setcred},
		     {"open_session", pam_open_session}, {"close_session", pam_close_session}, {"chauthtok", pam_chauthtok}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].name, function))
			return table[i].function(handle, flags);
	return -1;
}

struct thread_call {
	const char *function;
	int flags, code;
};

static void *call_in_thread(void *data)
{
	struct thread_call *wanted = data;
	wanted->code = call(wanted->function, wanted->flags);
	return NULL;
}

static int call_elsewhere(const char *function, int flags)
{
	struct thread_call wanted = {function, flags, -1};
	pthread_t thread;
	if (!pthread_create(&thread, NULL, call_in_thread, &wanted))
		pthread_join(thread, NULL);
	return wanted.code;
}

/* The session keyring this process has, without giving it one: the look is taken by a child, as a user that nobody is. */
static void put_session_keyring(void)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		char text[512] = "";
		syscall(SYS_setgroups, 0, NULL);
		syscall(SYS_setresuid, 4000000001U, 4000000001U, 4000000001U);
		long serial = syscall(SYS_keyctl, 0, -3, 0);
		long length = serial < 0 ? -1 : syscall(SYS_keyctl, 6, serial, text, sizeof text);
		if (length < 0)
			printf("{\"error\":\"%s\"}", strerrorname_np(errno));
		else if (strstr(text, ";_uid_ses.4000000001"))
			printf("null");
		else {
			printf("{\"serial\":%ld,\"text\":", serial);
			put_hex(text);
			printf("}");
		}
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void run_job(unsigned uid, unsigned gid, const char *name, int cred_flags, const char *command)
{
	int output = memfd_create("job", MFD_CLOEXEC), status = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);
		if (setgid(gid) || initgroups(name, gid))
			_exit(126);
		if (cred_flags >= 0)
			pam_setcred(handle, cred_flags);
		if (setuid(uid))
			_exit(126);
		dup2(null, 0);
		dup2(output, 1);
		dup2(output, 2);
		char **list = pam_getenvlist(handle);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		execle("/bin/sh", "sh", "-c", command, (char *)NULL, list);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	struct stat st;
	fstat(output, &st);
	char *text = calloc(st.st_size + 1, 1);
	if (pread(output, text, st.st_size, 0) < 0)
		*text = 0;
	close(output);
	printf("{\"status\":%d,\"output\":", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	put_hex(text);
	puts("}");
	free(text);
}

/* In place of libpam's waiting after a failure (pam_fail_delay(3)). */
static void do_not_wait(int result, unsigned delay, void *data)
{
	(void)result;
	(void)delay;
	(void)data;
}

int main(void)
{
	static const struct pam_conv conversation = {converse, NULL};
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	while (fgets(line, sizeof line, stdin)) {
		char *word[8] = {0};
		int words = 0;
		for (char *token = strtok(line, " \n"); token && words < 8; token = strtok(NULL, " \n"))
			word[words++] = token;
		if (!words)
			continue;
		const char *verb = word[0];
		if (!strcmp(verb, "start")) {
			char *service = hex(word[1]), *user = hex(word[2]);
			printf("{\"code\":%d}\n", pam_start(service, user, &conversation, &handle));
			free(service);
			free(user);
		} else if (!strcmp(verb, "call")) {
			printf("{\"code\":%d}\n", call(word[1], atoi(word[2])));
		} else if (!strcmp(verb, "call_in_thread")) {
			printf("{\"code\":%d}\n", call_elsewhere(word[1], atoi(word[2])));
		} else if (!strcmp(verb, "open_log")) {
			openlog(NULL, LOG_NDELAY, LOG_AUTHPRIV);
			puts("{\"code\":0}");
		} else if (!strcmp(verb, "mute")) {
			static const struct pam_conv none;
			printf("{\"code\":%d}\n", pam_set_item(handle, PAM_CONV, &none));
		} else if (!strcmp(verb, "fork")) {
			/* What follows is the copy's; this one waits for it. */
			fflush(stdout);
			pid_t pid = fork();
			if (pid > 0)
				return waitpid(pid, NULL, 0) != pid;
			printf("{\"code\":%d,\"pid\":%d}\n", pid, getpid());
		} else if (!strcmp(verb, "set_item")) {
			printf("{\"code\":%d}\n", pam_set_item(handle, atoi(word[1]), hex(word[2])));
		} else if (!strcmp(verb, "impatient")) {
			const union {
				void (*function)(int, unsigned, void *);
				const void *item;
			} nothing = {do_not_wait};
			printf("{\"code\":%d}\n", pam_set_item(handle, PAM_FAIL_DELAY, nothing.item));
		} else if (!strcmp(verb, "get_item")) {
			const void *value = NULL;
			int code = pam_get_item(handle, atoi(word[1]), &value);
			printf("{\"code\":%d,\"value\":", code);
			put_hex(value);
			puts("}");
		} else if (!strcmp(verb, "putenv")) {
			printf("{\"code\":%d}\n", pam_putenv(handle, hex(word[1])));
		} else if (!strcmp(verb, "environment")) {
			fputs("{\"pam\":", stdout);
			put_list(handle ? pam_getenvlist(handle) : NULL);
			fputs(",\"process\":", stdout);
			put_list(environ);
			puts("}");
		} else if (!strcmp(verb, "session_keyring")) {
			fputs("{\"session_keyring\":", stdout);
			put_session_keyring();
			puts("}");
		} else if (!strcmp(verb, "heap")) {
			printf("{\"bytes\":%zu}\n", mallinfo2().uordblks);
		} else if (!strcmp(verb, "heap_peak")) {
			printf("{\"bytes\":%zu}\n", heap_peak ? heap_peak() : 0);
		} else if (!strcmp(verb, "uids")) {
			printf("{\"code\":%d}\n", setresuid(atoi(word[1]), atoi(word[2]), 0));
		} else if (!strcmp(verb, "ignore")) {
			printf("{\"code\":%d}\n", signal(atoi(word[1]), SIG_IGN) == SIG_ERR);
		} else if (!strcmp(verb, "job")) {
			run_job(atoi(word[1]), atoi(word[2]), hex(word[3]), atoi(word[4]), hex(word[5]));
		} else if (!strcmp(verb, "root")) {
			printf("{\"code\":%d}\n", chroot(hex(word[1])) || chdir("/"));
		} else if (!strcmp(verb, "end_in_child")) {
			fflush(stdout);
			pid_t pid = fork();
			while (pid == 0 && !word[1])
				pause();
			if (pid == 0)
				_exit(pam_end(handle, (int)strtol(word[1], NULL, 0)));
			if (word[1])
				waitpid(pid, NULL, 0);
			puts("{\"code\":0}");
		} else if (!strcmp(verb, "end")) {
			int code = pam_end(handle, (int)strtol(word[1], NULL, 0));
			handle = NULL;
			printf("{\"code\":%d}\n", code);
		} else {
			puts("{\"error\":\"unknown command\"}");
		}
		fflush(stdout);
	}
	return 0;
}
