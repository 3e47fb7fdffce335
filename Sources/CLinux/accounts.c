#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <shadow.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* NSS entries that do not fit in this are not accounts of people. */
enum { LARGEST_ENTRY = 1 << 20 };

/* A hash that crypt(3) can match; "!", "*" and an entry that only says "look in shadow" are none. An empty field
 * is the worst kind of usable password. */
static int usable(const char *hash) {
    return hash != NULL && (hash[0] == 0 || (hash[0] != '!' && hash[0] != '*' && strcmp(hash, "x") != 0));
}

/* A hash that crypt(3) cannot match as long as there is something before it: `passwd -l`, `usermod -L`. What was never
 * a hash is none behind "!" either: new accounts have "!", "!!", "*" or "!*". */
static int locked(const char *hash) {
    if (hash == NULL || hash[0] != '!') {
        return 0;
    }
    hash += strspn(hash, "!");
    return hash[0] != 0 && usable(hash);
}

int linux_has_account(uint32_t uid) {
    char buffer[4096];
    struct passwd entry, *found = NULL;
    int result = getpwuid_r(uid, &entry, buffer, sizeof buffer, &found);
    explicit_bzero(buffer, sizeof buffer);
    /* An entry that does not fit is one. */
    return found != NULL || result == ERANGE;
}

/* Room for an entry, which a larger one takes when the last did not do; a getXnam_r(3) that said ERANGE asks again. */
struct room {
    char *bytes;
    size_t size;
};

/* 1: asked for again in more room; 0: `result` stands; -ENOMEM. */
static int enlarge(struct room *room, int result, size_t first) {
    if (room->bytes != NULL && (result != ERANGE || room->size >= LARGEST_ENTRY)) {
        return 0;
    }
    size_t size = room->bytes == NULL ? first : room->size * 2;
    char *larger = realloc(room->bytes, size);
    if (larger == NULL) {
        free(room->bytes);
        return -ENOMEM;
    }
    *room = (struct room){larger, size};
    return 1;
}

/* Whether a look-up of shadow(5) can say "no entry" at all: 0, or why the file cannot be read. nss-systemd(8), which is
 * asked behind it, knows nobody of this machine, and says so also when the file has not been read. */
static int shadow_is_unreadable(void) {
    int file = open("/etc/shadow", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return errno == ENOENT ? 0 : errno;
    }
    close(file);
    return 0;
}

int linux_account(const uint8_t *name, linux_account_t *account) {
    struct room room = {0};
    struct passwd entry, *found = NULL;
    int result = 0, again;
    while ((again = enlarge(&room, result, 4096)) == 1) {
        result = getpwnam_r((const char *)name, &entry, room.bytes, room.size, &found);
    }
    if (again < 0) {
        return again;
    }
    if (found != NULL && strcmp(entry.pw_name, (const char *)name) == 0) {
        account->uid = entry.pw_uid;
        account->gid = entry.pw_gid;
        account->usable_password = usable(entry.pw_passwd);
        account->locked_password = locked(entry.pw_passwd);
        account->shadow_entry = 0;
    } else {
        found = NULL;
    }
    if (found != NULL && entry.pw_passwd != NULL && strcmp(entry.pw_passwd, "x") == 0) {
        struct spwd shadow, *shadow_found = NULL;
        char shadow_buffer[4096];
        int shadow_result = geteuid() == 0 ? shadow_is_unreadable() : 0;
        if (shadow_result == 0) {
            shadow_result = getspnam_r((const char *)name, &shadow, shadow_buffer, sizeof shadow_buffer, &shadow_found);
        }
        if (shadow_found != NULL) {
            account->usable_password = usable(shadow.sp_pwdp);
            account->locked_password = locked(shadow.sp_pwdp);
            account->shadow_entry = 1;
            account->ages = (linux_password_ages_t){shadow.sp_lstchg, shadow.sp_max, shadow.sp_inact, shadow.sp_expire};
        } else if (shadow_result != 0 && shadow_result != ENOENT && (shadow_result != EACCES || geteuid() == 0)) {
            /* Not knowing is not the same as having none, and a caller of su may have brought it about: whose account
             * it is cannot be told. Who is not root cannot know, and signs nobody in: root's side decides anew. */
            found = NULL;
            result = shadow_result;
        } else if (geteuid() == 0) {
            account->shadow_entry = -1;
        }
        explicit_bzero(shadow_buffer, sizeof shadow_buffer);
    }
    explicit_bzero(room.bytes, room.size);
    free(room.bytes);
    if (found != NULL) {
        return 1;
    }
    return result == 0 || result == ENOENT || result == ESRCH ? 0 : -result;
}

int linux_is_member(const uint8_t *name, uint32_t gid, const uint8_t *group) {
    struct room room = {0};
    struct group entry, *found = NULL;
    int result = 0, again;
    while ((again = enlarge(&room, result, 16384)) == 1) {
        result = getgrnam_r((const char *)group, &entry, room.bytes, room.size, &found);
    }
    if (again < 0) {
        return again;
    }
    gid_t wanted = found != NULL ? entry.gr_gid : 0;
    /* Its own list first: of what getgrouplist(3) cannot read it says nothing. */
    int member = found != NULL && wanted == gid;
    for (char **listed = found != NULL ? entry.gr_mem : NULL; listed != NULL && *listed != NULL; listed++) {
        member |= strcmp(*listed, (const char *)name) == 0;
    }
    free(room.bytes);
    if (found == NULL) {
        return result == 0 || result == ENOENT ? -ENOENT : -result;
    }
    if (member) {
        return 1;
    }
    int count = 64;
    gid_t *groups = malloc((size_t)count * sizeof *groups);
    if (groups == NULL) {
        return -ENOMEM;
    }
    if (getgrouplist((const char *)name, gid, groups, &count) < 0) {
        gid_t *larger = count > 0 && count <= 65536 ? realloc(groups, (size_t)count * sizeof *groups) : NULL;
        if (larger == NULL || getgrouplist((const char *)name, gid, groups = larger, &count) < 0) {
            free(groups);
            return -ERANGE;
        }
    }
    for (int i = 0; i < count; i++) {
        member |= groups[i] == wanted;
    }
    free(groups);
    return member;
}
