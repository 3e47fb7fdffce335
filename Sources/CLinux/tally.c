#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a file is root's alone and has exactly so many cells: then all of them can be written, since it was made with
 * its full size. */
static int is_tally(int file, uint32_t cells) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == 0 && (status.st_mode & 077) == 0 &&
        status.st_size == (off_t)(cells * sizeof(uint64_t));
}

int linux_tally_make(const char *directory_path, const char *name, uint32_t cells) {
    int directory = linux_open_directory(directory_path, 0755);
    if (directory < 0) {
        return directory;
    }
    int file = openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int result = 0;
    if (file < 0 || !is_tally(file, cells)) {
        const char *temporary = ".new.tally";
        (void)unlinkat(directory, temporary, 0);
        int made = openat(directory, temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        result = made < 0 ? -errno : -posix_fallocate(made, 0, (off_t)(cells * sizeof(uint64_t)));
        if (result == 0 && renameat(directory, temporary, directory, name) != 0) {
            result = -errno;
        }
        if (made >= 0) {
            close(made);
        }
        if (result != 0) {
            (void)unlinkat(directory, temporary, 0);
        }
    }
    if (file >= 0) {
        close(file);
    }
    close(directory);
    return result;
}

int linux_tally_add(const char *path, uint32_t cells, uint32_t cell, uint64_t amount) {
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return -errno;
    }
    int result = cell < cells && is_tally(file, cells) ? 0 : -EPERM;
    if (result == 0) {
        size_t size = cells * sizeof(uint64_t);
        uint64_t *counters = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (counters == MAP_FAILED) {
            result = -errno;
        } else {
            /* No lock: whoever is stopped here, as the caller of su can stop it, holds nobody up. */
            __atomic_fetch_add(&counters[cell], amount, __ATOMIC_RELAXED);
            munmap(counters, size);
        }
    }
    close(file);
    return result;
}

int linux_tally_read(const char *path, uint64_t *values, uint32_t cells) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return -errno;
    }
    size_t size = cells * sizeof(uint64_t);
    int result = is_tally(file, cells) && pread(file, values, size, 0) == (ssize_t)size ? 0 : -EPERM;
    close(file);
    return result;
}
