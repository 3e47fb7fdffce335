#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "layers.h"

/* Sixteen times what a worker maps, whose threads have a heap of 128 MB of addresses each; and four times the
 * descriptors that it has at most. Nothing here writes files. Processes are no limit: all workers of a machine are of
 * one account, and libcurl's thread for names would count. */
static int close_limits(void) {
    static const struct {
        int resource;
        rlim_t limit;
    } limits[] = {
        {RLIMIT_AS, (rlim_t)1 << 30},
        {RLIMIT_NOFILE, 32},
        {RLIMIT_FSIZE, 0},
        {RLIMIT_CORE, 0},
    };
    int closed = 1;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (getrlimit(limits[i].resource, &now) != 0) {
            closed = 0;
        } else if (now.rlim_max > limits[i].limit) {
            struct rlimit both = {limits[i].limit, limits[i].limit};
            closed &= setrlimit(limits[i].resource, &both) == 0;
        }
    }
    return closed;
}

int sandbox_enter(void) {
    /* What is closed would kill who tries to close it again. */
    static int entered, missing;
    if (entered) {
        return missing;
    }
    entered = 1;
    missing = close_limits() ? 0 : SANDBOX_LIMITS;
    missing |= sandbox_close_files() ? 0 : SANDBOX_FILES;
    /* Last: nothing that the others need is on its list. */
    missing |= sandbox_close_system_calls() ? 0 : SANDBOX_SYSTEM_CALLS;
    return missing;
}

int sandbox_try(void) {
    struct rlimit files;
    int open_layers = getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_max == 0 ? 0 : SANDBOX_LIMITS;
    /* Everybody may read it, and no worker has to. */
    int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (file >= 0 || errno != EACCES) {
        open_layers |= SANDBOX_FILES;
    }
    if (file >= 0) {
        close(file);
    }
    /* What only our own filter refuses so: Landlock would say the same of a file, and a container's filter makes the
     * mode no less one. */
    enum { SECCOMP_MODE_IS_FILTER = 2 };
    void *page = mmap(NULL, 1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED || errno != EACCES || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_IS_FILTER) {
        open_layers |= SANDBOX_SYSTEM_CALLS;
    }
    if (page != MAP_FAILED) {
        munmap(page, 1);
    }
    return open_layers;
}
