#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void take_note(int number) {
    caught = number;
}

static void write_whole(int terminal, const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(terminal, text, size);
        if (written <= 0) {
            return;
        }
        text += written;
        size -= (size_t)written;
    }
}

int64_t linux_ask(int terminal, const char *prompt, int echo, void *answer, size_t capacity) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
    /* A stop would leave the terminal as it must not be. */
    const struct sigaction ignoring = {.sa_handler = SIG_IGN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct sigaction before[COUNT];
    /* Without SA_RESTART: they end the read. */
    const struct sigaction noting = {.sa_handler = take_note};
    struct termios usual;
    if (tcgetattr(terminal, &usual) != 0) {
        return -errno;
    }
    caught = 0;
    for (int i = 0; i < COUNT; i++) {
        (void)sigaction(numbers[i], numbers[i] == SIGTSTP ? &ignoring : &noting, &before[i]);
    }
    struct termios silent = usual;
    silent.c_lflag &= ~(tcflag_t)(echo ? 0 : ECHO);
    silent.c_lflag |= ICANON | ISIG | (echo ? (ECHO | ECHOE) : ECHONL);
    (void)tcsetattr(terminal, TCSAFLUSH, &silent);
    write_whole(terminal, prompt, strlen(prompt));
    char *bytes = answer;
    size_t length = 0;
    ssize_t got = 0;
    int is_whole = 0;
    while (!is_whole && caught == 0 && length < capacity && (got = read(terminal, bytes + length, 1)) == 1) {
        is_whole = bytes[length] == '\n';
        length += is_whole ? 0 : 1;
    }
    /* What was typed ahead is for whoever reads next. */
    (void)tcsetattr(terminal, TCSADRAIN, &usual);
    for (int i = 0; i < COUNT; i++) {
        (void)sigaction(numbers[i], &before[i], NULL);
    }
    if (caught != 0) {
        write_whole(terminal, "\n", 1);
        return -EINTR;
    }
    return is_whole ? (int64_t)length : -EIO;
}
