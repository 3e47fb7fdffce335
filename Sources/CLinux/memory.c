#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
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
    static char nothing;
    if (size == 0) {
        return &nothing;
    }
    size_t length = whole_pages(size);
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
    if (memory == NULL || size == 0) {
        return;
    }
    size_t length = whole_pages(size);
    explicit_bzero(memory, length);
    (void)munmap(memory, length);
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

int linux_sealed_memory(const char *name, const void *bytes, size_t size) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        return -errno;
    }
    ssize_t written = write(file, bytes, size);
    int sealed = fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
    if (written != (ssize_t)size || sealed != 0 || lseek(file, 0, SEEK_SET) != 0) {
        int error = written >= 0 && written != (ssize_t)size ? ENOSPC : errno;
        close(file);
        return -error;
    }
    return file;
}
