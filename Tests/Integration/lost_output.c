/* Becomes COMMAND, whose standard output takes nothing: by the names of lost_output.py.
 *
 * usage: into SINK COMMAND... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int ends[2];
    if (count < 3) {
        return 64;
    }
    signal(SIGPIPE, strcmp(words[1], "ignored") == 0 ? SIG_IGN : SIG_DFL);
    if (strcmp(words[1], "closed") == 0) {
        close(1);
    } else if (strcmp(words[1], "full") == 0) {
        if (dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), 1) != 1) {
            return 127;
        }
    } else {
        if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[1], 1) != 1) {
            return 127;
        }
    }
    execvp(words[2], words + 2);
    return 127;
}
