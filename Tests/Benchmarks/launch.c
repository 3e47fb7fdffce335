/* Times loading a library and starting a program, without an interpreter in between. Nanoseconds, one line for each.
 *
 *   launch load FILE                  dlopen with everything bound; once, so that every time is a fresh process's
 *   launch start COUNT PROGRAM ARG..  from posix_spawn to the program's end; its exit status stands behind the time
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int load(const char *file)
{
	long long begun = now();
	void *library = dlopen(file, RTLD_NOW);
	long long taken = now() - begun;
	if (!library) {
		fprintf(stderr, "launch: %s\n", dlerror());
		return 1;
	}
	printf("%lld\n", taken);
	return 0;
}

static int start(int count, char **arguments)
{
	posix_spawn_file_actions_t quietly;
	posix_spawn_file_actions_init(&quietly);
	for (int stream = 0; stream < 3; stream++)
		posix_spawn_file_actions_addopen(&quietly, stream, "/dev/null", O_RDWR, 0);
	while (count-- > 0) {
		pid_t pid;
		int status;
		long long begun = now();
		int error = posix_spawnp(&pid, arguments[0], &quietly, NULL, arguments, environ);
		if (error) {
			fprintf(stderr, "launch: %s: %s\n", arguments[0], strerror(error));
			return 1;
		}
		waitpid(pid, &status, 0);
		printf("%lld %d\n", now() - begun, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	}
	return 0;
}

int main(int count, char **arguments)
{
	if (count == 3 && !strcmp(arguments[1], "load"))
		return load(arguments[2]);
	if (count > 3 && !strcmp(arguments[1], "start"))
		return start(atoi(arguments[2]), arguments + 3);
	return 64;
}
