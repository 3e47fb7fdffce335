#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>

int linux_find_file_of(const char *path, uint32_t id, char *found, size_t size) {
    char *const roots[] = {(char *)path, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    if (tree == NULL) {
        return -errno;
    }
    int result = 0;
    while (result == 0) {
        errno = 0;
        FTSENT *entry = fts_read(tree);
        if (entry == NULL) {
            result = -errno;
            break;
        }
        snprintf(found, size, "%s", entry->fts_path);
        int is_unseen = entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR;
        if (is_unseen && entry->fts_errno != ENOENT) {
            result = -entry->fts_errno;
        } else if (!is_unseen && (entry->fts_statp->st_uid == id || entry->fts_statp->st_gid == id)) {
            result = 1;
        }
    }
    fts_close(tree);
    return result;
}
