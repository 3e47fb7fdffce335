/* Preloaded into a program under test: as long as the file CLOCK_AHEAD exists, the clocks that nobody sets are ahead, by a minute or
 * by CLOCK_AHEAD_SECONDS. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    const char *file = getenv("CLOCK_AHEAD"), *seconds = getenv("CLOCK_AHEAD_SECONDS");
    if (result == 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME) && file != NULL && access(file, F_OK) == 0) {
        now->tv_sec += seconds != NULL ? atoi(seconds) : 60;
    }
    return result;
}
