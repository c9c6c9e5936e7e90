/* SPDX-License-Identifier: MIT */
#include "lib/index/index_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/last_close.h"
#include "lib/base/quote.h"
#include "lib/index/index_format.h"
#include "lib/index/index_header.h"

enum { PATH_BYTES = 4400, PENDING_MAX = 4, REMOVE_TRIES = 50 };

/* Temporary folders, for a signal handler. Written by the thread that opens and closes,
 * a path before its is_set. */
static struct {
    volatile sig_atomic_t is_set;
    char path[PATH_BYTES];
} pending[PENDING_MAX];

const char *const gs_index_file_names[GS_INDEX_FILE_COUNT] = {
    "terms",
    "postings",
    "positions",
    "documents",
};

static bool is_index(const char *name)
{
    gs_index_header header;
    gs_status ignored = {.code = GS_OK};
    const bool is_read = gs_index_header_read(&header, name, &ignored) == GS_OK;
    gs_index_header_release(&header);
    return is_read;
}

static bool is_own_file(const char *name)
{
    bool is_own = strcmp(name, GS_INDEX_HEADER_NAME) == 0;
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        is_own |= strcmp(name, gs_index_file_names[i]) == 0;
    return is_own;
}

/* Would something be lost with the index in the folder that is no part of it? */
static gs_code check_nothing_else(const char *folder, gs_status *st)
{
    gs_quoted q, other;
    DIR *const dir = opendir(folder);
    if (dir == NULL)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                       gs_quote_name(&q, folder));
    for (const struct dirent *e; st->code == GS_OK && (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            is_own_file(e->d_name))
            continue;
        (void)GS_FAIL(st, GS_ERR_IO, 0, "cannot replace the index %s: it holds %s too",
                      gs_quote_name(&q, folder), gs_quote_name_always(&other, e->d_name));
        (void)gs_status_hint(st, "move what is no part of the index away");
    }
    (void)closedir(dir);
    return st->code;
}

/* May what has the name be replaced? Then finds what it stands for. */
static gs_code check_replaceable(gs_index_folder *f, bool replace, gs_status *st)
{
    gs_quoted q;
    if (!replace || !is_index(f->name)) {
        (void)GS_FAIL(st, GS_ERR_IO, EEXIST, "cannot make the index %s",
                      gs_quote_name(&q, f->name));
        return gs_status_hint(st, replace ? "only an index is ever replaced"
                                          : "choose another name, or --replace an index");
    }
    GS_TRY(check_nothing_else(f->name, st));
    f->target = realpath(f->name, NULL);
    if (f->target == NULL)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot make the index %s",
                       gs_quote_name(&q, f->name));
    return GS_OK;
}

/* Calls nothing that a signal handler may not call. */
static void remove_files(const char *folder)
{
    char path[PATH_BYTES + 64];
    const size_t length = strlen(folder);
    memcpy(path, folder, length);
    path[length] = '/';
    /* After a signal other threads still run, and may begin one more file. */
    for (int tries = 0; tries < REMOVE_TRIES; tries++) {
        for (int i = 0; i <= GS_INDEX_FILE_COUNT; i++) {
            const char *const name =
                i < GS_INDEX_FILE_COUNT ? gs_index_file_names[i] : GS_INDEX_HEADER_NAME;
            memcpy(path + length + 1, name, strlen(name) + 1);
            (void)unlink(path);
        }
        if (rmdir(folder) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
            return;
    }
}

static void set_pending(gs_index_folder *f)
{
    f->pending_slot = -1;
    for (int i = 0; i < PENDING_MAX; i++) {
        if (pending[i].is_set)
            continue;
        memcpy(pending[i].path, f->temporary, strlen(f->temporary) + 1);
        pending[i].is_set = 1;
        f->pending_slot = i;
        return;
    }
}

static void clear_pending(gs_index_folder *f)
{
    if (f->pending_slot >= 0)
        pending[f->pending_slot].is_set = 0;
    f->pending_slot = -1;
    f->is_open = false;
}

void gs_index_folder_remove_pending(void)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        if (pending[i].is_set)
            remove_files(pending[i].path);
    }
}

static const char *target_of(const gs_index_folder *f)
{
    return f->target != NULL ? f->target : f->name;
}

static void release_target(gs_index_folder *f)
{
    free(f->target); /* realpath's */
    f->target = NULL;
}

gs_code gs_index_folder_open(gs_index_folder *f, const char *name, bool replace,
                             gs_status *st)
{
    *f = (gs_index_folder){.name = name};
    gs_quoted q;
    struct stat info;
    if (lstat(name, &info) == 0)
        GS_TRY(check_replaceable(f, replace, st));
    const char *const target = target_of(f);
    size_t length = strlen(target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    if (snprintf(f->temporary, sizeof f->temporary, "%.*s.tmp-XXXXXX", (int)length,
                 target) >= (int)sizeof f->temporary ||
        mkdtemp(f->temporary) == NULL) {
        (void)GS_FAIL(st, GS_ERR_IO, errno, "cannot make the index %s",
                      gs_quote_name(&q, name));
        release_target(f);
        return st->code;
    }
    f->is_open = true;
    set_pending(f);
    const mode_t mask = umask(0); /* mkdtemp's 0700 is for secrets */
    (void)umask(mask);
    (void)chmod(f->temporary, 0777 & ~mask);
    return GS_OK;
}

static void close_folder(gs_index_folder *f)
{
    clear_pending(f);
    release_target(f);
}

static void sync_folder(const char *name)
{
    const int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

/* Renames to a name that nothing has. */
static bool rename_to_free(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    /* The file system cannot promise it; it still replaces only an empty folder. */
    return rename(from, to) == 0;
}

/* The files are held while their names go, so that nobody waits for their blocks. */
static void remove_replaced(const char *folder)
{
    int held[GS_INDEX_FILE_COUNT];
    char path[PATH_BYTES + 64];
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, gs_index_file_names[i]);
        held[i] = gs_last_close_hold(path);
    }
    remove_files(folder);
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        gs_last_close(held[i]);
}

gs_code gs_index_folder_commit(gs_index_folder *f, gs_status *st)
{
    gs_quoted q;
    bool is_done = false;
    sync_folder(f->temporary);
    /* The old index, if there is one, changes places with the new one and goes then. What
     * has come since the folder was opened stays. */
    if (f->target != NULL && access(f->target, F_OK) == 0) {
        GS_TRY(check_nothing_else(f->target, st));
        is_done =
            renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_EXCHANGE) == 0;
        if (is_done)
            remove_replaced(f->temporary);
    } else {
        is_done = rename_to_free(f->temporary, target_of(f));
    }
    if (!is_done)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot give the index its name %s",
                       gs_quote_name(&q, f->name));
    close_folder(f);
    return GS_OK;
}

void gs_index_folder_close(gs_index_folder *f)
{
    if (!f->is_open)
        return;
    remove_files(f->temporary);
    close_folder(f);
}
