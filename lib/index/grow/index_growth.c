/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_growth.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/quote.h"

/* --- leftovers --------------------------------------------------------------------- */

/* Does the manifest name the segment, or the deletions, of this number? */
static bool is_named(const gs_growth *g, uint64_t number, bool is_segment)
{
    for (size_t i = 0; i < g->manifest.count; i++) {
        const gs_manifest_segment *const s = &g->manifest.segments[i];
        if ((is_segment ? s->number : s->deletions) == number)
            return true;
    }
    return false;
}

/* One that was being made. Only who holds the lock of the index makes any, so an empty
 * folder is one that was not marked yet. */
static void sweep_segment(const gs_growth *g, const char *name, uint64_t number)
{
    char path[GS_INDEX_PATH_BYTES];
    if (gs_index_segment_path(path, g->folder, number))
        gs_index_sweep(path, g->log);
    (void)unlinkat(g->fd, name, AT_REMOVEDIR);
}

static void look_at(const gs_growth *g, const char *name)
{
    uint64_t number;
    switch (gs_index_grown_name(name, &number)) {
    case GS_GROWN_OTHER:
    case GS_GROWN_MANIFEST: break;
    case GS_GROWN_UNFINISHED: (void)unlinkat(g->fd, name, 0); break;
    case GS_GROWN_SEGMENT:
        if (!is_named(g, number, true))
            gs_index_remove_segment(g->fd, name);
        break;
    case GS_GROWN_UNFINISHED_SEGMENT: sweep_segment(g, name, number); break;
    case GS_GROWN_DELETIONS:
        if (!is_named(g, number, false))
            (void)unlinkat(g->fd, name, 0);
        break;
    }
}

/* What the manifest on the disk does not name goes. */
static void sweep(const gs_growth *g)
{
    const int fd = openat(g->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = fd >= 0 && g->is_locked ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    if (g->has_manifest && !is_named(g, 0, true))
        gs_index_remove_first(g->fd);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        look_at(g, e->d_name);
    (void)closedir(dir);
}

/* --- opening ----------------------------------------------------------------------- */

static gs_code fail_lock(const char *folder, int error, gs_status *st)
{
    gs_quoted q;
    if (error == ENOTDIR)
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s: not an index, which is a folder",
                      gs_quote_name(&q, folder));
    else
        (void)GS_FAIL(st, GS_ERR_IO, error, "cannot open the index %s",
                      gs_quote_name(&q, folder));
    return gs_status_hint(st, "`gpusort index build' makes an index");
}

/* What was built and has not grown yet is the segment 0. */
static gs_code begin_manifest(gs_growth *g, gs_status *st)
{
    gs_manifest_segment first;
    GS_TRY(gs_growth_describe(g, 0, &first, st));
    g->manifest.next = 1;
    return gs_index_manifest_add(&g->manifest, &first, st);
}

static gs_code read_all(gs_growth *g, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    GS_TRY(gs_index_manifest_read(&g->manifest, g->folder, &g->has_manifest, st));
    if (g->has_manifest)
        GS_TRY(gs_index_manifest_settle(g->folder, st));
    else
        GS_TRY(begin_manifest(g, st));
    g->next = g->manifest.next;
    if (!gs_index_segment_path(path, g->folder, g->manifest.segments[0].number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", g->folder);
    return gs_index_header_read(&g->header, path, st);
}

static void release(gs_growth *g)
{
    gs_index_manifest_release(&g->manifest);
    gs_index_header_release(&g->header);
}

gs_code gs_growth_open(gs_growth *g, const char *folder, const gs_log *log,
                       const volatile int *cancel, gs_status *st)
{
    *g = (gs_growth){.folder = folder, .log = log, .fd = gs_index_lock(folder, cancel)};
    if (g->fd < 0)
        return errno == ECANCELED ? gs_cancel_check(cancel, st)
                                  : fail_lock(folder, errno, st);
    g->is_locked = flock(g->fd, LOCK_EX | LOCK_NB) == 0;
    if (read_all(g, st) == GS_OK) {
        sweep(g);
    } else {
        g->next = g->manifest.next; /* nothing has begun */
        gs_growth_close(g);
    }
    return st->code;
}

/* A change came to nothing. What was made for it goes, if the manifest is the old one. */
static void abandon(gs_growth *g)
{
    gs_status ignored = {.code = GS_OK};
    const uint64_t next = g->next;
    release(g);
    if (read_all(g, &ignored) == GS_OK && g->next == next)
        sweep(g);
}

void gs_growth_close(gs_growth *g)
{
    if (g->fd >= 0 && g->manifest.next != g->next)
        abandon(g);
    release(g);
    if (g->fd >= 0)
        (void)close(g->fd); /* and with it the lock */
    g->fd = -1;
}

/* --- changing ---------------------------------------------------------------------- */

static bool is_taken(const gs_growth *g, uint64_t number)
{
    char path[GS_INDEX_PATH_BYTES];
    return (gs_index_segment_path(path, g->folder, number) && access(path, F_OK) == 0) ||
           (gs_index_deletions_path(path, g->folder, number) && access(path, F_OK) == 0);
}

/* Where the file system has no locks leftovers stay, and keep their numbers. */
uint64_t gs_growth_take_number(gs_growth *g)
{
    while (is_taken(g, g->manifest.next))
        g->manifest.next++;
    return g->manifest.next++;
}

void gs_growth_give_back(gs_growth *g, uint64_t number)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_assert(number + 1 == g->manifest.next && !is_named(g, number, true));
    if (gs_index_segment_path(path, g->folder, number))
        gs_index_remove_segment(g->fd, path + strlen(g->folder) + 1);
    g->manifest.next = number;
}

gs_code gs_growth_describe(const gs_growth *g, uint64_t number, gs_manifest_segment *out,
                           gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_index_header header;
    if (!gs_index_segment_path(path, g->folder, number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", g->folder);
    GS_TRY(gs_index_header_read(&header, path, st));
    *out = (gs_manifest_segment){.number = number,
                                 .header_sum = gs_index_header_sum(&header),
                                 .documents = header.documents};
    gs_index_header_release(&header);
    return GS_OK;
}

/* Is the manifest that was read still that of the folder? */
static gs_code check_own(const gs_growth *g, gs_status *st)
{
    gs_index_manifest now;
    gs_quoted q;
    bool has_one;
    GS_TRY(gs_index_manifest_read(&now, g->folder, &has_one, st));
    const uint64_t next = now.next;
    gs_index_manifest_release(&now);
    return has_one == g->has_manifest && (!has_one || next == g->next)
               ? GS_OK
               : GS_FAIL(st, GS_ERR_IO, 0, "%s was changed by another program meanwhile",
                         gs_quote_name(&q, g->folder));
}

gs_code gs_growth_commit(gs_growth *g, gs_status *st)
{
    GS_TRY(check_own(g, st));
    GS_TRY(gs_index_manifest_write(&g->manifest, g->folder, st));
    g->has_manifest = true;
    g->next = g->manifest.next;
    sweep(g);
    return GS_OK;
}
