/* SPDX-License-Identifier: MIT */
#include "io/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file_look.h"
#include "io/file_sync.h"
#include "io/last_close.h"
#include "io/name_guard.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/temp_folder.h"
#include "lib/base/thread.h"

enum {
    DROPS_MAX = 1024,
    FILES_OF_OTHERS = 16,
};

/* A piece of a file whose space is to be given back. */
typedef struct gs_spill_hole {
    int fd;
    uint64_t offset, bytes;
} gs_spill_hole;

typedef struct gs_spill_folder {
    const char *name;
    int *files; /* NULL: not opened yet */
    gs_spread spread;
    bool is_direct;
    bool has_open_extent;
    uint64_t end_offset;
} gs_spill_folder;

struct gs_spill {
    pthread_mutex_t mutex; /* guards what follows */
    gs_spill_folder *folders;
    size_t folder_count;
    size_t next_folder;
    bool stays_cached;
    unsigned file_count; /* of a folder, at most */
    size_t unit_bytes;

    pthread_t dropper;
    pthread_cond_t drops_changed;
    bool has_dropper, is_closing;
    gs_spill_hole drops[DROPS_MAX];
    size_t drop_count;
};

static gs_code new_spill(gs_spill **out, const char *const *folders, size_t folder_count,
                         gs_status *st)
{
    *out = NULL;
    gs_spill *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "spill", st));
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->drops_changed, NULL);
    GS_TRY_OR_FAIL(gs_mem_new_array(&s->folders, folder_count, sizeof *s->folders,
                                    "spill folders", st));
    s->folder_count = folder_count;
    s->file_count = 1;
    s->unit_bytes = GS_SPILL_ALIGN;
    for (size_t i = 0; i < folder_count; i++)
        s->folders[i] = (gs_spill_folder){.name = folders[i]};
    *out = s;
    return GS_OK;
fail:
    gs_spill_free(s);
    return st->code;
}

gs_code gs_spill_new(gs_spill **out, const char *const *folders, size_t folder_count,
                     gs_status *st)
{
    const char *const otherwise = gs_temp_folder();
    return folder_count > 0 ? new_spill(out, folders, folder_count, st)
                            : new_spill(out, &otherwise, 1, st);
}

void gs_spill_free(gs_spill *s)
{
    if (s == NULL)
        return;
    if (s->has_dropper) {
        pthread_mutex_lock(&s->mutex);
        s->is_closing = true;
        pthread_cond_signal(&s->drops_changed);
        pthread_mutex_unlock(&s->mutex);
        pthread_join(s->dropper, NULL);
    }
    for (size_t i = 0; i < s->folder_count; i++) {
        for (unsigned k = 0; k < s->folders[i].spread.count; k++)
            gs_last_close(s->folders[i].files[k]);
        gs_mem_free(s->folders[i].files);
    }
    pthread_cond_destroy(&s->drops_changed);
    pthread_mutex_destroy(&s->mutex);
    gs_mem_free(s->folders);
    gs_mem_free(s);
}

/* Where O_TMPFILE is not known, a name that is gone as soon as it is made. */
static int open_and_unlink(const char *folder, int flags)
{
    char name[4200];
    const int n = snprintf(name, sizeof name, "%s/gpusort-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    const int fd = mkostemp(name, flags);
    if (fd >= 0)
        (void)unlink(name);
    gs_name_guard_end(&guard);
    return fd;
}

/* An empty name is the root: that is what a slash and a file's name behind it give. */
static int open_nameless(const char *name)
{
    const char *const folder = name[0] != '\0' ? name : "/";
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || errno == ENOENT || errno == EACCES || errno == ENOSPC ||
        errno == EMFILE || errno == ENFILE || errno == EROFS)
        return fd;
    return open_and_unlink(folder, O_CLOEXEC);
}

static gs_code fail_create(const char *folder, gs_status *st)
{
    const int error = errno;
    gs_quoted quoted;
    (void)GS_FAIL(st, GS_ERR_IO, error, "cannot create temporary file in %s",
                  gs_quote_name_always(&quoted, folder));
    return gs_status_hint(st, "choose another folder for temporary files with -T");
}

void gs_spill_stay_cached(gs_spill *s, unsigned files, size_t unit_bytes)
{
    gs_assert(files > 0 && unit_bytes > 0 && unit_bytes % GS_SPILL_ALIGN == 0);
    s->stays_cached = true;
    s->file_count = files;
    s->unit_bytes = unit_bytes;
}

/* The folder's first file, and the memory for as many as it may have. Takes the
 * descriptor, also on failure. */
static gs_code set_file(const gs_spill *s, gs_spill_folder *f, int fd, gs_status *st)
{
    const int flags = fcntl(fd, F_GETFL);
    if (gs_mem_new_array(&f->files, s->file_count, sizeof *f->files, "spill files", st) !=
        GS_OK) {
        (void)close(fd);
        return st->code;
    }
    f->files[0] = fd;
    f->spread = (gs_spread){f->files, 1, s->unit_bytes};
    f->is_direct =
        !s->stays_cached && flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0;
    return GS_OK;
}

static gs_code open_folder_locked(const gs_spill *s, gs_spill_folder *f, gs_status *st)
{
    if (f->files != NULL)
        return GS_OK;
    int fd = open_nameless(f->name);
    if (fd < 0)
        return fail_create(f->name, st);
    GS_TRY(set_file(s, f, fd, st));
    /* One is enough, and whatever is opened later needs some too. */
    while (f->spread.count < s->file_count && (fd = open_nameless(f->name)) >= 0) {
        f->files[f->spread.count++] = fd;
        if (gs_machine_files_are_short(fd, FILES_OF_OTHERS))
            break;
    }
    return GS_OK;
}

gs_code gs_spill_new_kept(gs_spill **out, const char *folder, int fd, uint64_t end_offset,
                          gs_status *st)
{
    if (new_spill(out, &folder, 1, st) != GS_OK) {
        (void)close(fd);
        return st->code;
    }
    gs_spill_folder *const f = &(*out)->folders[0];
    f->end_offset = end_offset;
    if (set_file(*out, f, fd, st) == GS_OK)
        return GS_OK;
    gs_spill_free(*out);
    *out = NULL;
    return st->code;
}

/* The next folder without an open extent. */
static gs_spill_folder *next_folder_locked(gs_spill *s)
{
    for (size_t i = 0; i < s->folder_count; i++) {
        gs_spill_folder *const f = &s->folders[s->next_folder];
        s->next_folder = (s->next_folder + 1) % s->folder_count;
        if (!f->has_open_extent)
            return f;
    }
    return NULL;
}

static int only_file(const gs_spill_folder *f)
{
    return f->spread.count == 1 ? f->files[0] : -1;
}

gs_code gs_spill_extent_open(gs_spill *s, gs_spill_extent *out, gs_status *st)
{
    *out = (gs_spill_extent){.fd = -1};
    pthread_mutex_lock(&s->mutex);
    gs_spill_folder *const f = next_folder_locked(s);
    if (f == NULL) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "every temporary folder has an open run");
    } else if (open_folder_locked(s, f, st) == GS_OK) {
        f->has_open_extent = true;
        *out = (gs_spill_extent){
            .fd = only_file(f),
            .spread = f->spread,
            .is_direct = f->is_direct,
            .folder = (size_t)(f - s->folders),
            .offset = f->end_offset,
        };
    }
    pthread_mutex_unlock(&s->mutex);
    return st->code;
}

gs_stream_target gs_spill_extent_target(const gs_spill *s, const gs_spill_extent *extent,
                                        char *failure)
{
    (void)snprintf(failure, GS_STREAM_FAILURE_BYTES,
                   "write failed: temporary file in '%s'",
                   gs_spill_folder_name(s, extent->folder));
    return (gs_stream_target){
        .fd = extent->fd,
        .spread = extent->spread,
        .is_seekable = true,
        .is_direct = extent->is_direct,
        .offset = extent->offset,
        .failure = failure,
    };
}

void gs_spill_extent_close(gs_spill *s, gs_spill_extent *extent, uint64_t bytes)
{
    const uint64_t rounded =
        (bytes + GS_SPILL_ALIGN - 1) / GS_SPILL_ALIGN * GS_SPILL_ALIGN;
    pthread_mutex_lock(&s->mutex);
    gs_spill_folder *const f = &s->folders[extent->folder];
    gs_assert(f->has_open_extent && extent->offset == f->end_offset);
    f->has_open_extent = false;
    f->end_offset += gs_spread_share(&f->spread, rounded);
    pthread_mutex_unlock(&s->mutex);
    extent->bytes = rounded;
}

int gs_spill_extent_read(const gs_spill_extent *extent, uint64_t at, uint8_t *to,
                         size_t bytes, size_t *taken)
{
    *taken = 0;
    while (*taken < bytes) {
        const gs_spread_place place = gs_spread_find(&extent->spread, at + *taken);
        const size_t left = bytes - *taken;
        const size_t wanted = place.room < left ? place.room : left;
        size_t n = 0;
        const int error = gs_pread_all(place.file, to + *taken, wanted,
                                       extent->offset + place.offset, &n);
        *taken += n;
        if (error != 0)
            return error;
        if (n < wanted)
            break; /* the file ends */
    }
    return 0;
}

void gs_spill_extent_adopt(const gs_spill *s, gs_spill_extent *extent)
{
    const gs_spill_folder *const f = &s->folders[0];
    gs_assert(f->files != NULL && f->spread.count == 1 &&
              extent->offset + extent->bytes <= f->end_offset);
    extent->fd = only_file(f);
    extent->spread = f->spread;
    extent->is_direct = f->is_direct;
    extent->folder = 0;
}

gs_code gs_spill_sync(const gs_spill *s, gs_status *st)
{
    for (size_t i = 0; i < s->folder_count; i++) {
        const gs_spill_folder *const f = &s->folders[i];
        int error = 0;
        for (unsigned k = 0; k < f->spread.count && error == 0; k++)
            error = gs_data_sync(f->files[k]);
        if (error != 0)
            return GS_FAIL(st, GS_ERR_IO, error, "write failed: temporary file in '%s'",
                           f->name);
    }
    return GS_OK;
}

bool gs_spill_is_space_short(const gs_spill *s, uint64_t bytes)
{
    for (size_t i = 0; i < s->folder_count; i++) {
        struct statvfs info;
        if (statvfs(s->folders[i].name, &info) == 0 &&
            (uint64_t)info.f_bavail * info.f_frsize < bytes)
            return true;
    }
    return false;
}

bool gs_spill_is_in_memory(const gs_spill *s)
{
    bool is_in_memory = s->folder_count > 0;
    for (size_t i = 0; i < s->folder_count && is_in_memory; i++)
        is_in_memory = gs_look_is_folder_in_memory(s->folders[i].name);
    return is_in_memory;
}

static void *drop_main(void *arg)
{
    gs_spill *const s = arg;
    pthread_mutex_lock(&s->mutex);
    while (!s->is_closing) {
        if (s->drop_count == 0) {
            pthread_cond_wait(&s->drops_changed, &s->mutex);
            continue;
        }
        const gs_spill_hole hole = s->drops[--s->drop_count];
        pthread_mutex_unlock(&s->mutex);
        (void)fallocate(hole.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)hole.offset, (off_t)hole.bytes);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

void gs_spill_drop(gs_spill *s, const gs_spill_extent *extent, uint64_t from, uint64_t to)
{
    const uint64_t begin = (from + GS_SPILL_ALIGN - 1) / GS_SPILL_ALIGN * GS_SPILL_ALIGN;
    const uint64_t end = to / GS_SPILL_ALIGN * GS_SPILL_ALIGN;
    gs_assert(extent->spread.count == 1);
    if (begin >= end)
        return;
    pthread_mutex_lock(&s->mutex);
    if (!s->has_dropper)
        s->has_dropper = gs_thread_start(&s->dropper, drop_main, s, 0) == 0;
    /* With no thread or no room the space stays until the file is closed. */
    if (s->has_dropper && s->drop_count < DROPS_MAX)
        s->drops[s->drop_count++] =
            (gs_spill_hole){extent->fd, extent->offset + begin, end - begin};
    pthread_cond_signal(&s->drops_changed);
    pthread_mutex_unlock(&s->mutex);
}

void gs_spill_extent_drop(gs_spill *s, const gs_spill_extent *extent)
{
    gs_spill_drop(s, extent, 0, extent->bytes);
}

gs_code gs_spill_file_new(gs_spill *s, int *fd, const char **folder, gs_status *st)
{
    pthread_mutex_lock(&s->mutex);
    const gs_spill_folder *const f = &s->folders[s->next_folder];
    s->next_folder = (s->next_folder + 1) % s->folder_count;
    pthread_mutex_unlock(&s->mutex);
    if (folder != NULL)
        *folder = f->name;
    *fd = open_nameless(f->name);
    return *fd < 0 ? fail_create(f->name, st) : GS_OK;
}

const char *gs_spill_folder_name(const gs_spill *s, size_t folder)
{
    gs_assert(folder < s->folder_count);
    return s->folders[folder].name;
}
