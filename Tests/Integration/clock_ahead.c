/* Preloaded into a program under test: as long as the file CLOCK_AHEAD exists, its monotonic clock is a minute ahead. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    const char *file = getenv("CLOCK_AHEAD");
    if (result == 0 && clock == CLOCK_MONOTONIC && file != NULL && access(file, F_OK) == 0) {
        now->tv_sec += 60;
    }
    return result;
}
