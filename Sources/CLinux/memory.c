#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static size_t whole_pages(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page) {
        return 0;
    }
    return (size + page - 1) / page * page;
}

/* Pages of their own: MADV_DONTDUMP works by the page, and nothing else then shares one with a secret. */
void *linux_secret_allocate(size_t size) {
    size_t length = whole_pages(size == 0 ? 1 : size);
    if (length == 0) {
        return NULL;
    }
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* Both are extra safety: a caller's tiny RLIMIT_MEMLOCK is no reason to refuse a login. */
    (void)madvise(memory, length, MADV_DONTDUMP);
    (void)mlock(memory, length);
    return memory;
}

void linux_secret_free(void *memory, size_t size) {
    if (memory == NULL) {
        return;
    }
    size_t length = whole_pages(size == 0 ? 1 : size);
    explicit_bzero(memory, length);
    (void)munmap(memory, length);
}

void linux_erase(void *memory, size_t size) {
    explicit_bzero(memory, size);
}

int linux_random(void *memory, size_t size) {
    unsigned char *next = memory;
    while (size > 0) {
        ssize_t got = getrandom(next, size, 0);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return -errno;
        }
        next += got;
        size -= (size_t)got;
    }
    return 0;
}
