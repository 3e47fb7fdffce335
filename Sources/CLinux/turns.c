#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who has turns missing, and when all of them are back. The file has so many places and no more. */
struct place {
    uint64_t key;
    int64_t complete_at;
};

enum { MOST_PLACES = 4096, LONGEST_LOCK_MS = 2000, LONGEST_MEMORY_MS = 86400000 };

/* Opens the file at its full size, which it keeps: what is in it can be written when nothing else can be any more. */
static int open_places(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return -errno;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    int64_t deadline = linux_boottime_ms() + LONGEST_LOCK_MS;
    int error = 0;
    while (fcntl(file, F_OFD_SETLK, &lock) != 0) {
        error = errno;
        if ((error != EAGAIN && error != EACCES && error != EINTR) || linux_boottime_ms() >= deadline) {
            close(file);
            return -error;
        }
        linux_sleep_ms(2);
    }
    enum { SIZE = MOST_PLACES * sizeof(struct place) };
    struct stat status;
    if (fstat(file, &status) != 0) {
        error = errno;
    } else if (!S_ISREG(status.st_mode) || status.st_uid != 0 || (status.st_mode & 077) != 0) {
        error = EPERM;
    } else {
        error = status.st_size == SIZE ? 0 : ftruncate(file, 0) != 0 ? errno : posix_fallocate(file, 0, SIZE);
    }
    if (error != 0) {
        /* Not half of it, which could not be written to later. */
        (void)ftruncate(file, 0);
        close(file);
        return -error;
    }
    return file;
}

int linux_take_turn(const char *path, uint64_t key, int64_t burst, int64_t interval_ms, int64_t now_ms) {
    int file = open_places(path);
    if (file < 0) {
        return file;
    }
    struct place places[64], own = {.key = key, .complete_at = now_ms};
    off_t free_place = -1, own_place = -1;
    int result = 0;
    for (off_t first = 0; first < MOST_PLACES && own_place < 0; first += 64) {
        if (pread(file, places, sizeof places, first * (off_t)sizeof *places) != (ssize_t)sizeof places) {
            result = -EIO;
            break;
        }
        for (off_t i = 0; i < 64 && own_place < 0; i++) {
            /* One of whom none is missing, or of a clock that has not come so far: it is there for whoever comes. */
            int is_free = places[i].complete_at <= now_ms || places[i].complete_at - now_ms > LONGEST_MEMORY_MS;
            if (places[i].key == key && !is_free) {
                own = places[i];
                own_place = first + i;
            } else if (is_free && free_place < 0) {
                free_place = first + i;
            }
        }
    }
    off_t place = own_place >= 0 ? own_place : free_place;
    if (result == 0) {
        result = place < 0 ? -EUSERS : own.complete_at - now_ms <= (burst - 1) * interval_ms;
    }
    if (result == 1) {
        own.complete_at += interval_ms;
        ssize_t written = pwrite(file, &own, sizeof own, place * (off_t)sizeof own);
        if (written != (ssize_t)sizeof own) {
            result = written < 0 ? -errno : -EIO;
        }
    }
    close(file);
    return result;
}
