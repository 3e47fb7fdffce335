#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NSS entries that do not fit in this are not accounts of people. */
enum { LARGEST_ENTRY = 1 << 20 };

/* A question as the library of a source takes it: in `room`, which grows while it says ERANGE. */
struct question {
    enum linux_source_database database;
    const char *name; /* NULL: the number is asked for */
    uint32_t number;
};

typedef enum nss_status by_name(const char *, void *, char *, size_t, int *);
typedef enum nss_status by_number(uint32_t, void *, char *, size_t, int *);

static void *function_of(void *library, const char *service, const struct question *question) {
    static const char *const names[2][2] = {{"getpwuid_r", "getpwnam_r"}, {"getgrgid_r", "getgrnam_r"}};
    char symbol[128];
    snprintf(symbol, sizeof symbol, "_nss_%s_%s", service, names[question->database][question->name != NULL]);
    return dlsym(library, symbol);
}

static int ask(void *function, const struct question *question, struct linux_source_entry *entry) {
    union {
        struct passwd user;
        struct group group;
    } found;
    char *room = NULL;
    enum nss_status status = NSS_STATUS_UNAVAIL;
    int error = 0;
    for (size_t size = 16384; size <= LARGEST_ENTRY; size *= 2) {
        char *larger = realloc(room, size);
        if (larger == NULL) {
            break;
        }
        room = larger;
        error = 0;
        status = question->name != NULL ? ((by_name *)function)(question->name, &found, room, size, &error)
                                        : ((by_number *)function)(question->number, &found, room, size, &error);
        if (status != NSS_STATUS_TRYAGAIN || error != ERANGE) {
            break;
        }
    }
    int answer = LINUX_SOURCE_SILENT;
    if (status == NSS_STATUS_SUCCESS) {
        int is_user = question->database == LINUX_SOURCE_USERS;
        entry->number = is_user ? found.user.pw_uid : found.group.gr_gid;
        snprintf(entry->name, sizeof entry->name, "%s", is_user ? found.user.pw_name : found.group.gr_name);
        answer = LINUX_SOURCE_KNOWS;
    } else if (status == NSS_STATUS_NOTFOUND) {
        answer = LINUX_SOURCE_KNOWS_NOT;
    }
    free(room);
    return answer;
}

int linux_ask_source(const char *service, enum linux_source_database database, const char *name, uint32_t number,
    struct linux_source_entry *entry) {
    char file[128];
    if (snprintf(file, sizeof file, "libnss_%s.so.2", service) >= (int)sizeof file || strchr(service, '/') != NULL) {
        return LINUX_SOURCE_ABSENT;
    }
    void *library = dlopen(file, RTLD_NOW);
    if (library == NULL) {
        /* "FILE: cannot open ...: No such file or directory" is about this file; of one that it needs it begins
         * otherwise. */
        const char *fault = dlerror();
        size_t length = strlen(file);
        int is_missing = fault != NULL && strncmp(fault, file, length) == 0 && strstr(fault, strerror(ENOENT)) != NULL;
        return is_missing ? LINUX_SOURCE_ABSENT : LINUX_SOURCE_SILENT;
    }
    /* It stays open: what it has begun, such as a connection, serves the next question. */
    struct question question = {database, name, number};
    void *function = function_of(library, service, &question);
    return function == NULL ? LINUX_SOURCE_ABSENT : ask(function, &question, entry);
}

int linux_set_environment(const char *name, const char *value) {
    return setenv(name, value, 1) == 0 ? 0 : -errno;
}
