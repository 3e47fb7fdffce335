#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_read_link_at(int directory, const char *name, char *target, size_t size) {
    ssize_t length = readlinkat(directory, name, target, size);
    if (length < 0) {
        return -errno;
    }
    return (size_t)length >= size ? -ENAMETOOLONG : (int)length;
}

int linux_make_link_at(int directory, const char *name, const char *target) {
    return symlinkat(target, directory, name) == 0 && fsync(directory) == 0 ? 0 : -errno;
}

int linux_remove_at(int directory, const char *name) {
    return unlinkat(directory, name, 0) == 0 ? 0 : -errno;
}

int linux_reopen_directory(int directory) {
    int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return again < 0 ? -errno : again;
}

struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t kind;
    char name[];
};

int linux_next_names(int directory, char *names, size_t size) {
    /* What getdents64(2) writes for a name is longer than the name with its NUL. */
    _Alignas(8) char entries[4096];
    long got = syscall(SYS_getdents64, directory, entries, size < sizeof entries ? size : sizeof entries);
    if (got < 0) {
        return -errno;
    }
    size_t used = 0;
    for (long at = 0; at < got;) {
        const struct entry *entry = (const struct entry *)(entries + at);
        size_t length = strlen(entry->name) + 1;
        memcpy(names + used, entry->name, length);
        used += length;
        at += entry->length;
    }
    return (int)used;
}

/* Where a line of passwd(5), group(5) or subuid(5) is, and what it may still be. */
struct line {
    int field;
    size_t position; /* in the field, or in a name of a list */
    int is_name;     /* the first field agrees so far */
    int is_member;   /* and this name in the fourth */
    int has_member;
    uint64_t numbers[2]; /* of the second and third field; above 32 bits: none */
    char owner[65];
};

/* A name in the list of the fourth field has ended. */
static void end_member(struct line *line, const uint8_t *name) {
    if (line->field == 3 && line->is_member && line->position > 0 && name[line->position] == 0) {
        line->has_member = 1;
    }
    line->is_member = 1;
    line->position = 0;
}

static void take_byte(struct line *line, char byte, const uint8_t *name) {
    if (byte == ':') {
        if (line->field == 0) {
            line->is_name = line->is_name && name[line->position] == 0;
        } else if (line->field == 2 && line->position == 0) {
            line->numbers[1] = UINT64_MAX;
        }
        end_member(line, name);
        line->field++;
        return;
    }
    if (line->field == 3 && byte == ',') {
        end_member(line, name);
        return;
    }
    if (line->field == 0) {
        line->is_name = line->is_name && name[line->position] != 0 && name[line->position] == (uint8_t)byte;
        if (line->position < sizeof line->owner - 1) {
            line->owner[line->position] = byte;
        }
    } else if (line->field == 3) {
        line->is_member = line->is_member && name[line->position] != 0 && name[line->position] == (uint8_t)byte;
    } else if (line->field <= 2) {
        uint64_t *number = &line->numbers[line->field - 1];
        int is_digit = byte >= '0' && byte <= '9' && *number <= UINT32_MAX;
        *number = is_digit ? *number * 10 + (uint64_t)(byte - '0') : UINT64_MAX;
    }
    line->position++;
}

/* Has `take` look at each line of a file, what `name` and `number` are for. 0 or -errno. */
static int read_lines(const char *path, const uint8_t *name, void (*take)(struct line *, void *), void *context) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return -errno;
    }
    char buffer[8192];
    struct line line = {.is_name = name[0] != 0};
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < got; i++) {
            if (buffer[i] == '\n') {
                end_member(&line, name);
                take(&line, context);
                line = (struct line){.is_name = name[0] != 0};
            } else {
                take_byte(&line, buffer[i], name);
            }
        }
    }
    int result = got < 0 ? -errno : 0;
    if (result == 0) {
        end_member(&line, name);
        take(&line, context);
    }
    close(file);
    return result;
}

struct entry_search {
    uint32_t number;
    char *owner;
    size_t size;
    int found;
};

static void look_for_entry(struct line *line, void *context) {
    struct entry_search *search = context;
    int has_name = line->field >= 1 && line->is_name;
    if (has_name) {
        search->found |= LINUX_HAS_NAME;
    }
    if (line->field >= 3 && line->numbers[1] == search->number) {
        search->found |= has_name ? LINUX_HAS_ID | LINUX_HAS_BOTH : LINUX_HAS_ID;
        if (search->size > 0) {
            snprintf(search->owner, search->size, "%s", line->owner);
        }
    }
    if (line->has_member) {
        search->found |= LINUX_HAS_MEMBER;
    }
}

int linux_find_entry(const char *path, const uint8_t *name, uint32_t number, char *owner, size_t size) {
    struct entry_search search = {number, owner, size, 0};
    int result = read_lines(path, name, look_for_entry, &search);
    return result == 0 ? search.found : result;
}

struct name_search {
    uint32_t number;
    char *names;
    size_t size, used;
    int is_full;
};

static void take_name(struct line *line, void *context) {
    struct name_search *search = context;
    size_t length = strlen(line->owner) + 1;
    if (line->field < 3 || line->numbers[1] != search->number) {
        return;
    }
    if (length > search->size - search->used) {
        search->is_full = 1;
        return;
    }
    memcpy(search->names + search->used, line->owner, length);
    search->used += length;
}

int linux_find_names(const char *path, uint32_t number, char *names, size_t size) {
    struct name_search search = {.number = number, .names = names, .size = size};
    int result = read_lines(path, (const uint8_t *)"", take_name, &search);
    return result != 0 ? result : search.is_full ? -ENOSPC : (int)search.used;
}

/* A line of subuid(5) is owner:first:count. */
static void look_for_share(struct line *line, void *context) {
    struct entry_search *search = context;
    uint64_t first = line->numbers[0], count = line->numbers[1];
    if (search->found == 0 && line->field == 2 && first <= UINT32_MAX && count <= UINT32_MAX &&
        search->number >= first && search->number - first < count) {
        snprintf(search->owner, search->size, "%s", line->owner);
        search->found = 1;
    }
}

int linux_find_share(const char *path, uint32_t number, char *owner, size_t size) {
    struct entry_search search = {number, owner, size, 0};
    int result = read_lines(path, (const uint8_t *)"", look_for_share, &search);
    return result == 0 ? search.found : result;
}
