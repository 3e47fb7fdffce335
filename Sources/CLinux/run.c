#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `end` says until its other end is closed: how many bytes, or -1 when they do not fit or take too long. */
static int64_t read_whole(int end, uint8_t *bytes, size_t capacity, int64_t deadline) {
    size_t size = 0;
    for (;;) {
        int64_t left = deadline - linux_boottime_ms();
        if (left <= 0 || linux_readable(end, (int)left) != 1) {
            return -1;
        }
        /* One byte more than there is room for is one too many. */
        uint8_t beyond;
        ssize_t got = size < capacity ? read(end, bytes + size, capacity - size) : read(end, &beyond, 1);
        if (got == 0) {
            return (int64_t)size;
        }
        if (got < 0 ? errno != EINTR : size == capacity) {
            return -1;
        }
        size += got > 0 ? (size_t)got : 0;
    }
}

static pid_t start(char *const arguments[], int input, int output) {
    char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    pid_t process = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return -1;
    }
    /* What it may say of a failure goes nowhere: the caller says that there was one. */
    if (posix_spawn_file_actions_adddup2(&actions, input, 0) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, output, 1) != 0 ||
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn_file_actions_addclosefrom_np(&actions, 3) != 0 ||
        posix_spawn(&process, arguments[0], &actions, NULL, arguments, environment) != 0) {
        process = -1;
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return process;
}

int64_t linux_run(
    char *const arguments[], const void *input, size_t size, void *output, size_t capacity, int timeout_ms) {
    int64_t deadline = linux_boottime_ms() + timeout_ms;
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) {
        return -errno;
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        int error = errno;
        close(in[0]);
        close(in[1]);
        return -error;
    }
    pid_t process = start(arguments, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    int64_t result = -EIO;
    if (process > 0) {
        /* It fits into the pipe, so that nobody waits for anybody; and a program that ended at once raises no signal. */
        void (*before)(int) = signal(SIGPIPE, SIG_IGN);
        ssize_t written = write(in[1], input, size);
        (void)signal(SIGPIPE, before);
        close(in[1]);
        in[1] = -1;
        int64_t got = written == (ssize_t)size ? read_whole(out[0], output, capacity, deadline) : -1;
        if (got < 0) {
            (void)kill(process, SIGKILL);
        }
        int status = -1;
        while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
        result = got >= 0 && status == 0 ? got : -EIO;
    }
    if (in[1] >= 0) {
        close(in[1]);
    }
    close(out[0]);
    return result;
}
