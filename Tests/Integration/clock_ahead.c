/* Preloaded into a program under test: as long as the file CLOCK_AHEAD exists, the clocks that nobody sets are ahead, by a minute or
 * by CLOCK_AHEAD_SECONDS. With CLOCK_DIVISOR they are so many times slower, from their first use on. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void slow_down(clockid_t clock, struct timespec *now) {
    static struct timespec first[CLOCK_BOOTTIME + 1];
    const char *divisor = getenv("CLOCK_DIVISOR");
    if (divisor == NULL) {
        return;
    }
    if (first[clock].tv_sec == 0) {
        first[clock] = *now;
    }
    long long passed = (now->tv_sec - first[clock].tv_sec) * 1000000000LL + now->tv_nsec - first[clock].tv_nsec;
    long long moment = first[clock].tv_sec * 1000000000LL + first[clock].tv_nsec + passed / atoi(divisor);
    now->tv_sec = moment / 1000000000;
    now->tv_nsec = moment % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    const char *file = getenv("CLOCK_AHEAD"), *seconds = getenv("CLOCK_AHEAD_SECONDS");
    if (result != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_BOOTTIME)) {
        return result;
    }
    slow_down(clock, now);
    if (file != NULL && access(file, F_OK) == 0) {
        now->tv_sec += seconds != NULL ? atoi(seconds) : 60;
    }
    return result;
}
