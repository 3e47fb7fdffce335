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

/* The first four fields of a line of passwd(5), group(5) or subuid(5), or as many as there are. */
struct line {
    char *fields[4];
    int count;
};

/* Above 32 bits: none. */
static uint64_t number_in(const char *field) {
    uint64_t number = field[0] != 0 ? 0 : UINT64_MAX;
    for (; *field != 0; field++) {
        int is_digit = *field >= '0' && *field <= '9' && number <= UINT32_MAX;
        number = is_digit ? number * 10 + (uint64_t)(*field - '0') : UINT64_MAX;
    }
    return number;
}

/* Has `take` look at each line of a file. 0 or -errno. */
static int read_lines(const char *path, void (*take)(struct line *, void *), void *context) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (file == NULL) {
        int error = errno;
        linux_close(descriptor);
        return -error;
    }
    char *text = NULL;
    size_t room = 0;
    while (getline(&text, &room, file) >= 0) {
        struct line line = {0};
        char *rest = text;
        text[strcspn(text, "\n")] = 0;
        while (rest != NULL && line.count < 4) {
            line.fields[line.count++] = strsep(&rest, ":");
        }
        take(&line, context);
    }
    int result = feof(file) ? 0 : -errno;
    free(text);
    fclose(file);
    return result;
}

struct entry_search {
    const char *name;
    uint32_t number;
    char *owner;
    size_t size;
    int found;
};

static void look_for_entry(struct line *line, void *context) {
    struct entry_search *search = context;
    int has_name = line->count >= 2 && search->name[0] != 0 && strcmp(line->fields[0], search->name) == 0;
    if (has_name) {
        search->found |= LINUX_HAS_NAME;
    }
    if (line->count < 4) {
        return;
    }
    if (number_in(line->fields[2]) == search->number) {
        search->found |= has_name ? LINUX_HAS_ID | LINUX_HAS_BOTH : LINUX_HAS_ID;
        if (search->size > 0) {
            snprintf(search->owner, search->size, "%s", line->fields[0]);
        }
    }
    for (char *rest = line->fields[3], *member; search->name[0] != 0 && (member = strsep(&rest, ",")) != NULL;) {
        search->found |= strcmp(member, search->name) == 0 ? LINUX_HAS_MEMBER : 0;
    }
}

int linux_find_entry(const char *path, const uint8_t *name, uint32_t number, char *owner, size_t size) {
    struct entry_search search = {(const char *)name, number, owner, size, 0};
    int result = read_lines(path, look_for_entry, &search);
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
    size_t length = strlen(line->fields[0]) + 1;
    if (line->count < 4 || number_in(line->fields[2]) != search->number) {
        return;
    }
    if (length > search->size - search->used) {
        search->is_full = 1;
        return;
    }
    memcpy(search->names + search->used, line->fields[0], length);
    search->used += length;
}

int linux_find_names(const char *path, uint32_t number, char *names, size_t size) {
    struct name_search search = {.number = number, .names = names, .size = size};
    int result = read_lines(path, take_name, &search);
    return result != 0 ? result : search.is_full ? -ENOSPC : (int)search.used;
}

/* A line of subuid(5) is owner:first:count. */
static void look_for_share(struct line *line, void *context) {
    struct entry_search *search = context;
    if (search->found != 0 || line->count != 3) {
        return;
    }
    uint64_t first = number_in(line->fields[1]), count = number_in(line->fields[2]);
    if (first <= UINT32_MAX && count <= UINT32_MAX && search->number >= first && search->number - first < count) {
        snprintf(search->owner, search->size, "%s", line->fields[0]);
        search->found = 1;
    }
}

int linux_find_share(const char *path, uint32_t number, char *owner, size_t size) {
    struct entry_search search = {"", number, owner, size, 0};
    int result = read_lines(path, look_for_share, &search);
    return result == 0 ? search.found : result;
}
