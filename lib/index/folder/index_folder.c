/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/index_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_sync.h"
#include "io/last_close.h"
#include "io/name_guard.h"
#include "io/temp_name.h"
#include "lib/base/quote.h"
#include "lib/index/format/formats.h"
#include "lib/index/folder/index_leftover.h"

enum { PATH_BYTES = 4400, PENDING_MAX = 4 };

/* A temporary folder as a signal handler sees it. */
enum {
    SLOT_FREE,
    SLOT_SET,    /* the handler may remove it */
    SLOT_TAKEN,  /* and has begun to: there will be no commit any more */
    SLOT_COMMIT, /* it is changing names, which the handler waits for */
};

/* Path and descriptor are written by the thread that opens and closes, and only while the
 * handler leaves the slot alone. */
static struct {
    atomic_int state;
    int fd;
    char path[PATH_BYTES];
} pending[PENDING_MAX];

const char *const gs_index_file_names[] = {
    [GS_INDEX_TERMS] = "terms",         [GS_INDEX_POSTINGS] = "postings",
    [GS_INDEX_POSITIONS] = "positions", [GS_INDEX_DOCUMENTS] = "documents",
    [GS_INDEX_TEXTS] = "texts",         [GS_INDEX_SUMS] = "sums",
};
_Static_assert(sizeof gs_index_file_names / sizeof *gs_index_file_names ==
                   GS_INDEX_FILE_COUNT,
               "a name each");

/* Why not, if that cannot be told. */
static bool has_manifest(const char *name, gs_status *why)
{
    gs_index_manifest manifest;
    bool has_one;
    gs_status_clear(why);
    GS_NOTED(gs_index_manifest_read(&manifest, name, &has_one, why));
    gs_index_manifest_release(&manifest);
    return has_one;
}

/* Fails if that cannot be told. */
static gs_code is_index(bool *is_one, const char *name, gs_status *st)
{
    gs_index_header header;
    gs_status why = {.code = GS_OK};
    *is_one = gs_index_header_read(&header, name, &why) == GS_OK;
    gs_index_header_release(&header);
    if (why.code == GS_ERR_FORMAT) /* it may have grown, and be segments only */
        *is_one = has_manifest(name, &why);
    if (why.code == GS_ERR_NOMEM || (why.code == GS_ERR_IO && why.sys != ENOENT))
        gs_status_keep_first(st, &why);
    return st->code;
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
            gs_index_owns_file(e->d_name))
            continue;
        (void)GS_FAIL(st, GS_ERR_IO, 0, "cannot replace the index %s: it holds %s too",
                      gs_quote_name(&q, folder), gs_quote_name_always(&other, e->d_name));
        (void)gs_status_hint(st, "move what is no part of the index away");
    }
    (void)closedir(dir);
    return st->code;
}

/* May what has the name be replaced? */
static gs_code check_replaceable(gs_index_folder *f, bool replace, gs_status *st)
{
    gs_quoted q;
    bool is_one = false;
    if (replace)
        GS_TRY(is_index(&is_one, f->name, st));
    if (!is_one) {
        (void)GS_FAIL(st, GS_ERR_IO, EEXIST, "cannot make the index %s",
                      gs_quote_name(&q, f->name));
        return gs_status_hint(st, replace ? "only an index is ever replaced"
                                          : "choose another name, or --replace an index");
    }
    f->is_replacing = true;
    return check_nothing_else(f->name, st);
}

/* --- what a signal handler may remove ---------------------------------------------- */

static void set_pending(gs_index_folder *f)
{
    f->pending_slot = -1;
    for (int i = 0; i < PENDING_MAX; i++) {
        if (atomic_load(&pending[i].state) != SLOT_FREE)
            continue;
        memcpy(pending[i].path, f->temporary, strlen(f->temporary) + 1);
        pending[i].fd = f->fd;
        atomic_store(&pending[i].state, SLOT_SET);
        f->pending_slot = i;
        return;
    }
}

/* False if a handler has the folder, and the program ends. */
static bool change_pending(const gs_index_folder *f, int from, int to)
{
    return f->pending_slot < 0 || atomic_compare_exchange_strong(
                                      &pending[f->pending_slot].state, &(int){from}, to);
}

/* What is under the temporary name now, if anything, may be removed. */
static void end_commit(gs_index_folder *f, const char *left, int left_fd)
{
    if (f->pending_slot < 0)
        return;
    if (left != NULL) {
        memmove(pending[f->pending_slot].path, left, strlen(left) + 1);
        pending[f->pending_slot].fd = left_fd;
    }
    (void)change_pending(f, SLOT_COMMIT, left != NULL ? SLOT_SET : SLOT_FREE);
    if (left == NULL)
        f->pending_slot = -1;
}

void gs_index_folder_remove_pending(void)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        int state = SLOT_SET;
        while (!atomic_compare_exchange_strong(&pending[i].state, &state, SLOT_TAKEN) &&
               state == SLOT_COMMIT) {
            (void)poll(NULL, 0, 1);
            state = SLOT_SET;
        }
        /* Of two handlers on two threads neither ends the program before all is gone. */
        if (state == SLOT_SET || state == SLOT_TAKEN)
            gs_index_remove_folder(pending[i].fd, AT_FDCWD, pending[i].path);
    }
}

/* --- open and close ---------------------------------------------------------------- */

/* Nothing of ours is under the temporary name any more. */
static void let_go(gs_index_folder *f)
{
    (void)change_pending(f, SLOT_SET, SLOT_FREE);
    if (f->fd >= 0)
        (void)close(f->fd); /* and with it the lock */
    f->fd = f->pending_slot = -1;
    f->is_open = false;
}

/* 0 or errno. */
static int find_target(gs_index_folder *f)
{
    _Static_assert(sizeof f->target > PATH_MAX, "as realpath wants it");
    if (f->is_replacing)
        return realpath(f->name, f->target) != NULL ? 0 : errno;
    size_t length = strlen(f->name);
    while (length > 1 && f->name[length - 1] == '/')
        length--;
    const int printed =
        snprintf(f->target, sizeof f->target, "%.*s", (int)length, f->name);
    return printed < (int)sizeof f->target ? 0 : ENAMETOOLONG;
}

/* 0 or errno. Until it is marked no sweep takes it, and then it is locked. */
static int make_temporary(gs_index_folder *f)
{
    if (snprintf(f->temporary, sizeof f->temporary, "%s.tmp-XXXXXX", f->target) >=
        (int)sizeof f->temporary)
        return ENAMETOOLONG;
    if (gs_temp_name_make_folder(f->temporary, 0777) != 0)
        return errno;
    f->fd = gs_index_lock(f->temporary, NULL);
    const int error = f->fd < 0 ? errno : gs_index_mark(f->fd);
    if (error == 0)
        return 0;
    gs_index_remove_folder(f->fd, AT_FDCWD, f->temporary);
    return error;
}

/* 0 or errno. Signals wait until a handler would find the folder. */
static int begin_temporary(gs_index_folder *f)
{
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    const int error = make_temporary(f);
    if (error == 0) {
        f->is_open = true;
        set_pending(f);
    }
    gs_name_guard_end(&guard);
    return error;
}

/* 0 or errno. What cannot be looked at fails here: taken for missing, it would fail after
 * the whole build. */
static int look_for(const char *name, bool *is_there)
{
    struct stat info;
    *is_there = lstat(name, &info) == 0;
    return *is_there || errno == ENOENT ? 0 : errno;
}

gs_code gs_index_folder_open(gs_index_folder *f, const char *name, bool replace,
                             const gs_log *log, gs_status *st)
{
    *f = (gs_index_folder){.name = name, .fd = -1, .pending_slot = -1};
    gs_quoted q;
    bool is_there = false;
    int error = find_target(f);
    if (error == 0)
        error = look_for(name, &is_there);
    if (error == 0 && !is_there) {
        gs_index_sweep(f->target, log); /* which may bring it back */
        error = look_for(name, &is_there);
    }
    if (error == 0 && is_there) {
        GS_TRY(check_replaceable(f, replace, st));
        error = find_target(f);
        if (error == 0)
            gs_index_sweep(f->target, log);
    }
    if (error == 0)
        error = begin_temporary(f);
    if (error != 0) {
        (void)GS_FAIL(st, GS_ERR_IO, error, "cannot make the index %s",
                      gs_quote_name(&q, name));
        let_go(f);
        return st->code;
    }
    return GS_OK;
}

void gs_index_folder_close(gs_index_folder *f)
{
    if (!f->is_open)
        return;
    gs_index_remove_folder(f->fd, AT_FDCWD, f->temporary);
    let_go(f);
}

/* --- commit ------------------------------------------------------------------------ */

/* Is that how a file system, or a sandbox, says that it knows of no such renaming? */
static bool is_unknown(int error)
{
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == EPERM;
}

/* Renames to a name that nothing has; 0 or errno. */
static int rename_to_free(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (!is_unknown(errno))
        return errno;
    /* The file system cannot promise it; it still replaces only an empty folder. */
    return rename(from, to) == 0 ? 0 : errno;
}

static gs_code fail_name(const gs_index_folder *f, int error, gs_status *st)
{
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, error, "cannot give the index its name %s",
                   gs_quote_name(&q, f->name));
}

/* How the new index came to its name, and the names by which to go back. */
typedef struct exchange {
    const char *target;
    int old_fd;            /* of the index that is replaced, and locked; -1: of none */
    char left[PATH_BYTES]; /* where that is now; empty if there is none */
    bool is_aside;         /* there, and not under the temporary name */
} exchange;

/* Lets the old one move aside, and back if the new one cannot follow. */
static gs_code move_aside(const gs_index_folder *f, exchange *x, gs_status *st)
{
    gs_quoted q, is;
    char *const kind = x->left + strlen(x->left) - strlen("tmp-XXXXXX");
    memcpy(kind, "old", 3);
    int error = rename_to_free(x->target, x->left);
    if (error == 0) {
        x->is_aside = true;
        error = rename_to_free(f->temporary, x->target);
        if (error == 0)
            return GS_OK;
        if (rename_to_free(x->left, x->target) != 0) {
            (void)GS_FAIL(st, GS_ERR_IO, error,
                          "cannot give the index its name %s, and the old one is %s now",
                          gs_quote_name(&q, f->name), gs_quote_name_always(&is, x->left));
            return gs_status_hint(st, "rename the old one, or build again");
        }
    }
    x->left[0] = '\0';
    return fail_name(f, error, st);
}

static gs_code change_places(const gs_index_folder *f, exchange *x, gs_status *st)
{
    (void)snprintf(x->left, sizeof x->left, "%s", f->temporary);
    if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, x->target, RENAME_EXCHANGE) == 0)
        return GS_OK;
    if (is_unknown(errno))
        return move_aside(f, x, st);
    const int error = errno;
    x->left[0] = '\0';
    return fail_name(f, error, st);
}

/* What was renamed may not be on the disk: as if it had not been. */
static void go_back(const gs_index_folder *f, exchange *x)
{
    if (x->left[0] != '\0' && !x->is_aside) {
        (void)renameat2(AT_FDCWD, f->temporary, AT_FDCWD, x->target, RENAME_EXCHANGE);
    } else if (rename_to_free(x->target, f->temporary) == 0 && x->is_aside) {
        (void)rename_to_free(x->left, x->target);
    }
    x->left[0] = '\0';
}

static gs_code take_name(gs_index_folder *f, exchange *x, gs_status *st)
{
    gs_quoted q;
    if (x->old_fd >= 0) {
        /* Under another name it is no more than a leftover. Where it cannot be marked
         * it cannot be removed either. The mark is on the disk before the name goes:
         * without it no later build would remove what a power cut leaves. */
        const int unsynced = gs_index_mark(x->old_fd) == 0 ? gs_file_sync(x->old_fd) : 0;
        if (unsynced != 0)
            return fail_name(f, unsynced, st);
        GS_TRY(change_places(f, x, st));
    } else {
        const int error = rename_to_free(f->temporary, x->target);
        if (error != 0)
            return fail_name(f, error, st);
    }
    const int error = gs_name_sync(x->target);
    if (error == 0)
        return GS_OK;
    go_back(f, x);
    return GS_FAIL(st, GS_ERR_IO, error, "cannot make the name of the index %s durable",
                   gs_quote_name(&q, f->name));
}

/* The files are held while their names go, so that the program does not wait until
 * their blocks are freed. */
static void remove_replaced(int folder_fd, const char *folder)
{
    int held[GS_INDEX_FILE_COUNT];
    char path[PATH_BYTES + 64];
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, gs_index_file_names[i]);
        held[i] = gs_last_close_hold(path);
    }
    gs_index_remove_grown(folder_fd);
    gs_index_remove_folder(folder_fd, AT_FDCWD, folder);
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        gs_last_close(held[i]);
}

/* Finds and locks what is to be replaced. What has come since the folder was opened
 * stays. */
static gs_code find_old(const gs_index_folder *f, exchange *x, gs_status *st)
{
    if (!f->is_replacing)
        return GS_OK;
    if (access(f->target, F_OK) != 0)
        return errno == ENOENT ? GS_OK : fail_name(f, errno, st);
    GS_TRY(check_nothing_else(f->target, st));
    x->old_fd = f->held_lock != NULL ? fcntl(*f->held_lock, F_DUPFD_CLOEXEC, 0)
                                     : gs_index_lock(f->target, NULL);
    if (x->old_fd < 0)
        return fail_name(f, errno, st);
    return GS_OK;
}

/* No signal ends the program between two renames, unless it comes to another thread: its
 * handler waits. */
static gs_code take_name_undisturbed(gs_index_folder *f, exchange *x, gs_status *st)
{
    static const int of_faults[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    sigset_t blocked, before;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < sizeof of_faults / sizeof *of_faults; i++)
        (void)sigdelset(&blocked, of_faults[i]);
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &before);
    if (!change_pending(f, SLOT_SET, SLOT_COMMIT)) {
        (void)GS_FAIL(st, GS_ERR_CANCELLED, 0, "stopped by a signal");
    } else if (take_name(f, x, st) == GS_OK) {
        gs_index_unmark(f->fd);
        end_commit(f, x->left[0] != '\0' ? x->left : NULL, x->old_fd);
    } else {
        end_commit(f, f->temporary, f->fd);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return st->code;
}

gs_code gs_index_folder_commit(gs_index_folder *f, gs_status *st)
{
    gs_quoted q;
    exchange x = {.target = f->target, .old_fd = -1};
    const int error = gs_file_sync(f->fd);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "write failed: %s",
                       gs_quote_name(&q, f->temporary));
    if (find_old(f, &x, st) == GS_OK && take_name_undisturbed(f, &x, st) == GS_OK) {
        if (x.left[0] != '\0')
            remove_replaced(x.old_fd, x.left);
        let_go(f);
    }
    if (x.old_fd >= 0) {
        if (x.left[0] == '\0')
            gs_index_unmark(x.old_fd);
        (void)close(x.old_fd);
    }
    return st->code;
}

gs_code gs_index_folder_settle(const char *name, const gs_log *log, gs_status *st)
{
    gs_quoted q;
    char target[PATH_BYTES];
    _Static_assert(sizeof target > PATH_MAX, "as realpath wants it");
    const int error = realpath(name, target) != NULL ? gs_name_sync(target) : errno;
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error,
                       "cannot make the name of the index %s durable",
                       gs_quote_name(&q, name));
    gs_index_sweep(target, log);
    return GS_OK;
}
