#define _GNU_SOURCE
#include "CLinux.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static struct linux_file fault(int kind, int error) {
    struct linux_file result = {.fault = kind, .error = error};
    return result;
}

struct linux_file linux_read_trusted_file(const uint8_t *path, int secret, void *buffer, size_t capacity) {
    return linux_read_trusted_file_at(AT_FDCWD, path, secret, buffer, capacity);
}

struct linux_file linux_read_trusted_file_at(
    int directory, const uint8_t *path, int secret, void *buffer, size_t capacity) {
    /* O_NONBLOCK: a FIFO in its place must not hold up a login. */
    int file = openat(directory, (const char *)path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        int kind = errno == ENOENT || errno == ENOTDIR ? LINUX_FILE_MISSING
            : errno == ELOOP                           ? LINUX_FILE_NOT_REGULAR
                                                       : LINUX_FILE_UNREADABLE;
        return fault(kind, errno);
    }
    struct stat status;
    struct linux_file result = fault(LINUX_FILE_OK, 0);
    if (fstat(file, &status) != 0) {
        result = fault(LINUX_FILE_UNREADABLE, errno);
    } else if (!S_ISREG(status.st_mode)) {
        result = fault(LINUX_FILE_NOT_REGULAR, 0);
    } else if (status.st_uid != 0) {
        result = fault(LINUX_FILE_WRONG_OWNER, 0);
    } else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        result = fault(LINUX_FILE_WRITABLE, 0);
    } else if (secret && (status.st_mode & (S_IRGRP | S_IROTH)) != 0) {
        result = fault(LINUX_FILE_READABLE, 0);
    } else if (status.st_size < 0 || (size_t)status.st_size > capacity) {
        result = fault(LINUX_FILE_TOO_LARGE, 0);
    }
    if (result.fault == LINUX_FILE_OK) {
        result.modified = status.st_mtime;
    }
    while (result.fault == LINUX_FILE_OK && result.size < capacity) {
        ssize_t got = read(file, (char *)buffer + result.size, capacity - result.size);
        if (got == 0) {
            break;
        }
        if (got < 0) {
            if (errno != EINTR) {
                result = fault(LINUX_FILE_UNREADABLE, errno);
            }
            continue;
        }
        result.size += (size_t)got;
    }
    close(file);
    return result;
}

int linux_owner(const uint8_t *path, uint32_t *uid) {
    struct stat status;
    if (lstat((const char *)path, &status) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    }
    *uid = status.st_uid;
    return 1;
}

int linux_exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

/* `directory`, if it is root's and nobody else can write it; otherwise -EPERM, and it is closed. */
static int unless_writable(int directory) {
    struct stat status;
    if (fstat(directory, &status) != 0 || status.st_uid != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        close(directory);
        return -EPERM;
    }
    return directory;
}

int linux_open_directory(const char *path, int mode) {
    if (mode != 0 && mkdir(path, (mode_t)mode) != 0 && errno != EEXIST) {
        return -errno;
    }
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return directory < 0 ? -errno : unless_writable(directory);
}

int linux_open_own_folder(const uint8_t *folder) {
    const char *path = (const char *)folder;
    char part[256];
    int directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    directory = directory < 0 ? -errno : directory;
    while (directory >= 0 && *(path += strspn(path, "/")) != 0) {
        size_t length = strcspn(path, "/");
        int next = -ENAMETOOLONG;
        if (length < sizeof part) {
            memcpy(part, path, length);
            part[length] = 0;
            next = openat(directory, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            next = next < 0 ? -errno : next;
        }
        close(directory);
        directory = next;
        path += length;
    }
    if (directory < 0) {
        return directory;
    }
    directory = unless_writable(directory);
    if (directory < 0) {
        return directory;
    }
    int result = linux_reopen_directory(directory);
    close(directory);
    return result;
}

static int write_whole(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return -errno;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

int linux_make_directory(const char *path) {
    int directory = linux_open_directory(path, 0700);
    if (directory < 0) {
        return directory;
    }
    close(directory);
    return 0;
}

int linux_remove_file(const char *directory_path, const char *name) {
    int directory = open(directory_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) {
        return -errno;
    }
    int result = unlinkat(directory, name, 0) == 0 ? 0 : -errno;
    close(directory);
    return result;
}

/* What a file is called before it is whole, with a random number behind it: threads may write at the same time. */
#define UNFINISHED ".new."

int linux_replace_file_at(int directory, const char *name, int secret, int for_good, const void *bytes, size_t size) {
    uint64_t number;
    int result = linux_random(&number, sizeof number);
    if (result != 0) {
        return result;
    }
    char temporary[32];
    snprintf(temporary, sizeof temporary, UNFINISHED "%" PRIx64, number);
    int file = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    result = file < 0 ? -errno : write_whole(file, bytes, size);
    if (file >= 0) {
        if (result == 0 && fchmod(file, secret ? 0600 : 0644) != 0) {
            result = -errno;
        }
        if (result == 0 && for_good && fsync(file) != 0) {
            result = -errno;
        }
        close(file);
        if (result == 0 && renameat(directory, temporary, directory, name) != 0) {
            result = -errno;
        }
        if (result != 0) {
            (void)unlinkat(directory, temporary, 0);
        }
    }
    if (result == 0 && for_good && fsync(directory) != 0) {
        result = -errno;
    }
    return result;
}

int linux_replace_file(
    const char *directory_path, const char *name, int secret, int for_good, const void *bytes, size_t size) {
    int directory = linux_open_directory(directory_path, secret ? 0700 : 0755);
    if (directory < 0) {
        return directory;
    }
    int result = linux_replace_file_at(directory, name, secret, for_good, bytes, size);
    close(directory);
    return result;
}

void linux_remove_unfinished(const char *directory_path, int64_t seconds) {
    int directory = linux_open_directory(directory_path, 0);
    DIR *entries = directory < 0 ? NULL : fdopendir(directory);
    if (entries == NULL) {
        linux_close(directory);
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct stat status;
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) == 0 &&
            fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_mtime < time(NULL) - seconds) {
            (void)unlinkat(directory, entry->d_name, 0);
        }
    }
    closedir(entries);
}

/* The file of locks, which with `flags` O_CREAT is made where it is missing, or -errno. */
static int open_locks(const char *directory_path, const char *name, int flags) {
    int directory = linux_open_directory(directory_path, 0755);
    if (directory < 0) {
        return directory;
    }
    int file = openat(directory, name, O_RDWR | flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = errno;
    close(directory);
    return file < 0 ? -error : file;
}

int linux_lock_holder(const char *directory_path, const char *name, uint64_t offset, int32_t *process) {
    int file = open_locks(directory_path, name, 0);
    if (file < 0) {
        return file == -ENOENT ? 0 : file;
    }
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
    int result = fcntl(file, F_OFD_GETLK, &lock) != 0 ? -errno : lock.l_type != F_UNLCK;
    *process = result == 1 && lock.l_pid > 0 ? lock.l_pid : 0;
    close(file);
    return result;
}

/* Whether a file has been removed since it was opened: a lock on it keeps nobody out. */
static int is_removed(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_nlink == 0;
}

static int lock_byte(const char *directory_path, const char *name, uint64_t offset, int timeout_ms, int command) {
    int file = open_locks(directory_path, name, O_CREAT);
    if (file < 0) {
        return file;
    }
    int error;
    int64_t deadline = linux_boottime_ms() + timeout_ms;
    for (;;) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = 1};
        if (fcntl(file, command, &lock) == 0) {
            if (!is_removed(file)) {
                return file;
            }
            close(file);
            file = open_locks(directory_path, name, O_CREAT);
            if (file < 0) {
                return file;
            }
            continue;
        }
        error = errno;
        if ((error != EAGAIN && error != EACCES && error != EINTR) || linux_boottime_ms() >= deadline) {
            close(file);
            return error == EACCES ? -EAGAIN : -error;
        }
        struct timespec pause = {0, 10 * 1000 * 1000};
        (void)nanosleep(&pause, NULL);
    }
}

int linux_lock_byte(const char *directory_path, const char *name, uint64_t offset, int timeout_ms) {
    return lock_byte(directory_path, name, offset, timeout_ms, F_OFD_SETLK);
}

int linux_lock_byte_by_name(const char *directory_path, const char *name, uint64_t offset, int timeout_ms) {
    return lock_byte(directory_path, name, offset, timeout_ms, F_SETLK);
}

/* The names of a file's extended attributes, each with its zero, in `names`: how many bytes; 0 where the file system
 * has none. Or -errno. */
static ssize_t attribute_names(int file, char *names, size_t size) {
    ssize_t length = flistxattr(file, names, size);
    return length >= 0 ? length : errno == ENOTSUP ? 0 : -errno;
}

int linux_copy_attributes(int from, int to) {
    struct stat status;
    char names[4096];
    if (fstat(from, &status) != 0 || fchown(to, status.st_uid, status.st_gid) != 0) {
        return -errno;
    }
    /* A folder's default list has come upon the new file. */
    ssize_t length = attribute_names(to, names, sizeof names);
    for (const char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
        if (strncmp(name, "security.", 9) != 0 && fremovexattr(to, name) != 0 && errno != ENODATA) {
            return -errno;
        }
    }
    if (length < 0 || fchmod(to, status.st_mode & 07777) != 0) {
        return length < 0 ? (int)length : -errno;
    }
    length = attribute_names(from, names, sizeof names);
    if (length <= 0) {
        return (int)length;
    }
    /* XATTR_SIZE_MAX */
    enum { largest = 65536 };
    char *value = malloc(largest);
    int result = value == NULL ? -ENOMEM : 0;
    for (const char *name = names; result == 0 && name < names + length; name += strlen(name) + 1) {
        ssize_t size = fgetxattr(from, name, value, largest);
        if (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) != 0) {
            result = -errno;
        }
    }
    free(value);
    return result;
}
