/* Preloaded into a program under test: opening or reading the files that tell of single processes fails, as for want of descriptors or
 * memory. UNREADABLE_PROC is "open ERRNO" or "read ERRNO". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(const char *operation, const char *path) {
    char wanted[16];
    int number = 0, pid = 0, end = 0;
    const char *fault = getenv("UNREADABLE_PROC");
    if (fault == NULL || sscanf(fault, "%15s %d", wanted, &number) != 2 || strcmp(wanted, operation) != 0 ||
        sscanf(path, "/proc/%d/stat%n", &pid, &end) != 1 || end == 0) {
        return 0;
    }
    errno = number;
    return 1;
}

int open(const char *path, int flags, ...) {
    /* The third argument is a mode where the second one wants it, and else of no account. */
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    int mode = __builtin_va_arg(more, int);
    __builtin_va_end(more);
    return fails("open", path) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* What FORTIFY makes of an open(2) without a mode. */
int __open_2(const char *path, int flags) {
    return open(path, flags, 0);
}

static int is_failing(int file) {
    char link[64], path[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return fails("read", path);
}

ssize_t read(int file, void *buffer, size_t size) {
    return is_failing(file) ? -1 : syscall(SYS_read, file, buffer, size);
}

ssize_t __read_chk(int file, void *buffer, size_t size, size_t capacity) {
    (void)capacity;
    return read(file, buffer, size);
}
