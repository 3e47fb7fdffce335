#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/resource.h>

/* What a caller of su or sudo can have made too small for what we do. */
static const int resources[LINUX_LIMITS] = {
    RLIMIT_NOFILE,
    RLIMIT_AS,
    RLIMIT_DATA,
    RLIMIT_STACK,
    RLIMIT_FSIZE,
    RLIMIT_NPROC,
    RLIMIT_CPU,
    RLIMIT_MEMLOCK,
    RLIMIT_SIGPENDING,
    RLIMIT_RTTIME,
};

/* So many descriptors are to be had however many the caller has left open. */
enum { FREE_DESCRIPTORS = 256 };

static void raise_limit(int resource, const struct rlimit *before) {
    struct rlimit high = {RLIM_INFINITY, RLIM_INFINITY};
    if (resource == RLIMIT_NOFILE && before->rlim_max != RLIM_INFINITY) {
        high.rlim_cur = high.rlim_max = before->rlim_max + FREE_DESCRIPTORS;
    }
    if (setrlimit(resource, &high) != 0) {
        /* Not even root may go higher here, as in some containers, or for descriptors above fs.nr_open. */
        high.rlim_cur = high.rlim_max = before->rlim_max;
        (void)setrlimit(resource, &high);
    }
}

void linux_raise_limits(struct linux_limits *before) {
    for (int i = 0; i < LINUX_LIMITS; i++) {
        struct rlimit now;
        before->known[i] = getrlimit(resources[i], &now) == 0;
        if (before->known[i]) {
            before->soft[i] = now.rlim_cur;
            before->hard[i] = now.rlim_max;
            raise_limit(resources[i], &now);
        }
    }
}

void linux_restore_limits(const struct linux_limits *before) {
    for (int i = 0; i < LINUX_LIMITS; i++) {
        struct rlimit then = {before->soft[i], before->hard[i]};
        if (before->known[i]) {
            (void)setrlimit(resources[i], &then);
        }
    }
}
