#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

void linux_notify(const char *option, const char *title, const char *text) {
    pid_t child = fork();
    if (child == 0) {
        /* The child's child is nobody's, and outlives the terminal's session: that may be what ends. */
        if (setsid() > 0 && fork() == 0) {
            int null = open("/dev/null", O_RDWR | O_CLOEXEC);
            if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
                dup2(null, STDERR_FILENO) >= 0) {
                execlp("notify-send", "notify-send", option, title, text, (char *)NULL);
            }
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}
