/* SPDX-License-Identifier: MIT */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_space.h"
#include "io/file_sync.h"
#include "io/last_close.h"
#include "io/link_chain.h"
#include "io/name_guard.h"
#include "io/overwrite.h"
#include "io/pending_names.h"
#include "io/stand_in.h"
#include "io/temp_name.h"
#include "io/write_all.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/temp_folder.h"
#include "lib/base/thread.h"

enum { PATH_BYTES = GS_LINK_CHAIN_BYTES };

static const char own_files[] = "/proc/self/fd";

typedef enum gs_output_kind {
    GS_OUTPUT_IN_PLACE, /* devices, pipes, standard output */
    GS_OUTPUT_RENAME,   /* a file without or with a temporary name in the same folder */
    GS_OUTPUT_COPY,     /* temporary file, copied into `final_fd` */
} gs_output_kind;

struct gs_output {
    gs_output_kind kind;
    int fd;        /* what is written to; -1: none any more */
    int final_fd;  /* the file that has the name so far; -1: there is none */
    int shared_fd; /* in place: a descriptor that stays open, as standard output; or -1 */
    bool is_seekable;        /* of fd, and where it starts */
    uint64_t start_offset;   /* the same */
    uint64_t final_offset;   /* of final_fd, where the copy begins; or if that is */
    bool appends;            /* opened to append, behind all that it has */
    char *name;              /* for messages */
    char *target;            /* the file behind symlinks; NULL: it is not known by name */
    const char *temp_folder; /* where the target's folder takes no files; NULL: $TMPDIR */
    char *temp;              /* temporary name, NULL if none exists (yet) */
    char *temp_template;     /* for that name, its tail to be drawn (io/temp_name.h) */
    int pending_slot;
    bool is_expected;     /* its space was asked for, */
    gs_file_space *space; /* and is being taken; or NULL */
    struct stat existing; /* of final_fd */
};

static gs_code fail_open(const gs_output *o, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "open failed: %s", o->name);
    return gs_status_hint(st, "check the name and permissions of the output");
}

static bool names_a_folder(const char *path)
{
    const size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

/* Positioned writes work on regular files that are not opened to append. */
static void find_position(gs_output *o)
{
    struct stat info;
    const int flags = fcntl(o->fd, F_GETFL);
    if (fstat(o->fd, &info) != 0 || !S_ISREG(info.st_mode) || flags < 0 ||
        (flags & O_APPEND) != 0)
        return;
    const off_t at = lseek(o->fd, 0, SEEK_CUR);
    if (at < 0)
        return;
    o->is_seekable = true;
    o->start_offset = (uint64_t)at;
}

/* Everything up to the name itself: with the slash, or empty. */
static void folder_of(const char *path, char *folder)
{
    const char *const slash = strrchr(path, '/');
    (void)snprintf(folder, PATH_BYTES, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
}

/* Remembers a template for a name in `folder`; 0 or errno. */
static int make_template(gs_output *o, const char *folder)
{
    char path[PATH_BYTES];
    const char *const target = o->target != NULL ? o->target : "output";
    const char *const slash = strrchr(target, '/');
    const char *const base = slash != NULL ? slash + 1 : target;
    gs_status st = {.code = GS_OK};
    /* A long name leaves no room for a longer one: the start of it is enough. */
    const int n = snprintf(path, sizeof path, "%s.%.200s.gpusort-XXXXXX", folder, base);
    if (n < 0 || (size_t)n >= sizeof path)
        return ENAMETOOLONG;
    gs_mem_free(o->temp_template);
    o->temp_template = NULL;
    return gs_mem_copy_string(&o->temp_template, path, &st) == GS_OK ? 0 : ENOMEM;
}

static int remember_temp(gs_output *o, const char *path)
{
    o->pending_slot = gs_pending_name_set(path);
    gs_status st = {.code = GS_OK};
    if (gs_mem_copy_string(&o->temp, path, &st) == GS_OK)
        return 0;
    (void)unlink(path);
    gs_pending_name_clear(&o->pending_slot);
    return ENOMEM;
}

/* Makes a temporary file in `folder`: without a name where the system can (to get one it
 * needs /proc), so that nothing is left however the program ends; 0 or errno. What the
 * umask and the folder's access list leave of the mode is that of a new output. */
static int make_temp(gs_output *o, const char *folder, mode_t mode)
{
    char path[PATH_BYTES];
    o->is_seekable = true;
    o->start_offset = 0;
    const int error = make_template(o, folder);
    if (error != 0)
        return error;
    if (access(own_files, X_OK) == 0)
        o->fd =
            open(folder[0] != '\0' ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (o->fd >= 0)
        return 0;
    (void)snprintf(path, sizeof path, "%s", o->temp_template);
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    o->fd = gs_temp_name_open(path, mode);
    const int failed = o->fd < 0 ? errno : remember_temp(o, path);
    gs_name_guard_end(&guard);
    return failed;
}

/* The same in a folder for temporary files. */
static int make_temp_elsewhere(gs_output *o)
{
    char folder[PATH_BYTES];
    const int n = snprintf(folder, sizeof folder, "%s/",
                           o->temp_folder != NULL ? o->temp_folder : gs_temp_folder());
    return n < 0 || (size_t)n >= sizeof folder ? ENAMETOOLONG
                                               : make_temp(o, folder, 0600);
}

/* Gives a nameless file a temporary name, from which it can be renamed; 0 or errno. */
static int name_temp(gs_output *o)
{
    char path[PATH_BYTES], self[64];
    (void)snprintf(self, sizeof self, "%s/%d", own_files, o->fd);
    (void)snprintf(path, sizeof path, "%s", o->temp_template);
    int error = EEXIST;
    for (unsigned i = 0; error == EEXIST && i < GS_TEMP_NAME_TRIES; i++) {
        gs_name_guard guard;
        gs_temp_name_draw(path);
        gs_name_guard_begin(&guard);
        error = linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
                    ? remember_temp(o, path)
                    : errno;
        gs_name_guard_end(&guard);
    }
    return error;
}

/* Is the file that was opened still the one that the name stands for? */
static bool is_target_existing(const gs_output *o)
{
    struct stat info;
    return lstat(o->target, &info) == 0 && info.st_dev == o->existing.st_dev &&
           info.st_ino == o->existing.st_ino;
}

/* Chooses how a regular file (or one that does not exist) is written: never so that the
 * old content goes before commit. */
static gs_code open_regular(gs_output *o, bool is_descriptor, gs_status *st)
{
    char folder[PATH_BYTES];
    const bool has_existing = o->final_fd >= 0;
    const bool is_known = !has_existing || is_target_existing(o);
    const bool stays =
        has_existing && (is_descriptor || !is_known ||
                         !gs_stand_in_is_possible(&o->existing, o->final_fd));
    folder_of(o->target, folder);
    int error = is_known ? make_temp(o, folder, has_existing ? 0600 : 0666) : ENOENT;
    if (error == 0 && !stays &&
        (!has_existing || gs_stand_in_make_like(o->fd, &o->existing))) {
        o->kind = GS_OUTPUT_RENAME;
        return GS_OK;
    }
    o->kind = GS_OUTPUT_COPY;
    /* The folder takes no new names: write elsewhere and copy. */
    if (error != 0 && has_existing)
        error = make_temp_elsewhere(o);
    return error == 0 ? GS_OK : fail_open(o, error, st);
}

static gs_code open_path(gs_output *o, const char *path, gs_status *st)
{
    bool is_descriptor;
    /* Who may not write to the file may not replace it either. A name with a slash behind
     * it is refused, and with the right reason if it is to be made. */
    const bool is_folder = names_a_folder(path);
    o->final_fd = open(path, O_WRONLY | O_CLOEXEC | (is_folder ? O_CREAT : 0), 0666);
    if (o->final_fd < 0 && (errno != ENOENT || is_folder))
        return fail_open(o, errno, st);
    if (o->final_fd >= 0 && fstat(o->final_fd, &o->existing) != 0)
        return fail_open(o, errno, st);
    /* Links are followed, also dangling ones, so that they stay. */
    GS_TRY(gs_mem_new(&o->target, PATH_BYTES, "output name", st));
    const int error = gs_link_chain_follow(path, o->target, &is_descriptor);
    if (error != 0 && o->final_fd < 0)
        return fail_open(o, error, st);
    if (o->final_fd < 0 && names_a_folder(o->target))
        return fail_open(o, EISDIR, st);
    /* A descriptor's file that is empty has nothing to lose; whoever shares it may be
     * looking at it as it grows. */
    if (o->final_fd >= 0 &&
        (!S_ISREG(o->existing.st_mode) || (is_descriptor && o->existing.st_size == 0))) {
        o->fd = o->final_fd;
        o->final_fd = -1;
        find_position(o);
        return GS_OK;
    }
    return open_regular(o, is_descriptor, st);
}

static gs_code new_output(gs_output **out, const char *name, gs_status *st)
{
    gs_output *o = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&o, sizeof *o, "output", st));
    o->fd = o->final_fd = o->shared_fd = o->pending_slot = -1;
    if (gs_mem_copy_string(&o->name, name, st) == GS_OK)
        *out = o;
    else
        gs_mem_free(o);
    return st->code;
}

/* Takes pages of the stack, which a small sort to standard output is not to pay for. */
static __attribute__((noinline)) gs_code
open_named(gs_output **out, const char *path, const char *temp_folder, gs_status *st)
{
    gs_quoted quoted;
    GS_TRY(new_output(out, gs_quote_name(&quoted, path), st));
    (*out)->temp_folder = temp_folder;
    if (open_path(*out, path, st) != GS_OK) {
        gs_output_free(*out);
        *out = NULL;
    }
    return st->code;
}

gs_code gs_output_open(gs_output **out, const char *path, const char *temp_folder,
                       gs_status *st)
{
    return path == NULL ? gs_output_open_descriptor(out, STDOUT_FILENO, st)
                        : open_named(out, path, temp_folder, st);
}

gs_code gs_output_open_descriptor(gs_output **out, int fd, gs_status *st)
{
    char name[32];
    (void)snprintf(name, sizeof name, "descriptor %d", fd);
    GS_TRY(new_output(out, fd == STDOUT_FILENO ? "'standard output'" : name, st));
    (*out)->fd = (*out)->shared_fd = fd;
    find_position(*out);
    return GS_OK;
}

gs_code gs_output_open_nowhere(gs_output **out, gs_status *st)
{
    return new_output(out, "no output", st);
}

static bool is_same_file(const struct stat *a, const char *name)
{
    struct stat b;
    const int error = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &b) : stat(name, &b);
    return error == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

gs_code gs_output_keep_apart(gs_output *o, const char *const *inputs, size_t input_count,
                             gs_status *st)
{
    if (o->kind != GS_OUTPUT_IN_PLACE || fstat(o->fd, &o->existing) != 0 ||
        !S_ISREG(o->existing.st_mode) || o->existing.st_size == 0)
        return GS_OK;
    bool is_input = false;
    for (size_t i = 0; i < input_count && !is_input; i++)
        is_input = is_same_file(&o->existing, inputs[i]);
    if (!is_input)
        return GS_OK;
    o->kind = GS_OUTPUT_COPY;
    o->final_fd = o->fd;
    o->final_offset = o->start_offset;
    o->appends = !o->is_seekable;
    o->fd = -1;
    const int error = make_temp_elsewhere(o);
    return error == 0 ? GS_OK : fail_open(o, error, st);
}

int gs_output_fd(const gs_output *o)
{
    return o->fd;
}

bool gs_output_is_seekable(const gs_output *o)
{
    return o->is_seekable;
}

bool gs_output_is_own_file(const gs_output *o)
{
    return o->kind != GS_OUTPUT_IN_PLACE;
}

void gs_output_expect(gs_output *o, uint64_t bytes)
{
    if (bytes > 0 && !o->is_expected && gs_output_is_own_file(o)) {
        o->is_expected = true;
        gs_file_space_begin(&o->space, o->fd, bytes);
    }
}

gs_file_space *gs_output_space(const gs_output *o)
{
    return o->space;
}

bool gs_output_has_room(const gs_output *o, uint64_t bytes)
{
    return gs_file_space_free(o->fd) / 2 >= bytes;
}

/* What was expected and did not come is cut off from now on. */
static void end_space(gs_output *o)
{
    gs_file_space_end(o->space);
    o->space = NULL;
}

uint64_t gs_output_start_offset(const gs_output *o)
{
    return o->start_offset;
}

const char *gs_output_name(const gs_output *o)
{
    return o->name;
}

static gs_code fail_write(const gs_output *o, int error, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", o->name);
}

gs_code gs_output_write(const gs_output *o, const void *data, size_t bytes,
                        uint64_t *written, gs_status *st)
{
    const int error = o->is_seekable
                          ? gs_pwrite_all(o->fd, data, bytes, o->start_offset + *written)
                          : gs_write_all(o->fd, data, bytes);
    *written += bytes;
    if (error == 0)
        return GS_OK;
    (void)fail_write(o, error, st);
    return gs_status_hint_full_disk(st, "free some space, or choose another place for "
                                        "the output");
}

/* Writes the finished bytes into the file that is there. The temporary file has a name
 * meanwhile, and keeps it if the old content is lost and the new not complete, so that
 * one of both is there whatever happens. */
static int overwrite_final(gs_output *o, const gs_overwrite *how, bool *is_touched)
{
    sigset_t before;
    if (o->temp == NULL)
        (void)name_temp(o);
    gs_signals_block(&before, 0);
    gs_pending_name_clear(&o->pending_slot);
    const int error = gs_overwrite_run(how, is_touched);
    if (o->temp != NULL && (error == 0 || !*is_touched)) {
        (void)unlink(o->temp);
        gs_mem_free(o->temp);
        o->temp = NULL;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static gs_code copy_into_final(gs_output *o, uint64_t bytes, bool sync, gs_status *st)
{
    const gs_overwrite how = {
        .from = o->fd,
        .bytes = bytes,
        .to = o->final_fd,
        .at = o->final_offset,
        .appends = o->appends,
        .is_end = o->shared_fd < 0,
    };
    bool is_touched;
    const int error = overwrite_final(o, &how, &is_touched);
    if (error != 0 && o->temp != NULL) {
        gs_quoted quoted;
        (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: %s, but all of it is in %s",
                      o->name, gs_quote_name(&quoted, o->temp));
        gs_mem_free(o->temp); /* not ours to remove any more */
        o->temp = NULL;
        return st->code;
    }
    if (error != 0)
        return fail_write(o, error, st);
    if (o->shared_fd >= 0 && !o->appends)
        (void)lseek(o->final_fd, (off_t)(o->final_offset + bytes), SEEK_SET);
    const int unsynced = sync ? gs_file_sync(o->final_fd) : 0;
    if (unsynced != 0)
        return fail_write(o, unsynced, st);
    const int closed = o->shared_fd >= 0 ? 0 : close(o->final_fd);
    o->final_fd = -1;
    return closed == 0 ? GS_OK : fail_write(o, errno, st);
}

/* The name stands for something that cannot be replaced, as where a file is mounted or
 * the folder lets only owners rename. */
static gs_code copy_instead(gs_output *o, uint64_t bytes, int error, bool sync,
                            gs_status *st)
{
    if (o->final_fd >= 0)
        o->fd = open(o->temp, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (o->fd < 0)
        return GS_FAIL(st, GS_ERR_IO, error, "rename failed: %s", o->name);
    return copy_into_final(o, bytes, sync, st);
}

static gs_code close_written(gs_output *o, gs_status *st)
{
    const int closed = close(o->fd);
    o->fd = -1;
    return closed == 0 ? GS_OK
                       : GS_FAIL(st, GS_ERR_IO, errno, "close failed: %s", o->name);
}

static gs_code commit_temp(gs_output *o, uint64_t total_bytes, bool sync, gs_status *st)
{
    end_space(o);
    int error = ftruncate(o->fd, (off_t)total_bytes) == 0 ? 0 : errno;
    if (error == 0 && sync)
        error = gs_file_sync(o->fd);
    if (error != 0)
        return fail_write(o, error, st);
    if (o->kind == GS_OUTPUT_COPY)
        return copy_into_final(o, total_bytes, sync, st);
    error = o->temp == NULL ? name_temp(o) : 0;
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "rename failed: %s", o->name);
    GS_TRY(close_written(o, st));
    if (rename(o->temp, o->target) != 0)
        return copy_instead(o, total_bytes, errno, sync, st);
    gs_pending_name_clear(&o->pending_slot);
    gs_mem_free(o->temp);
    o->temp = NULL;
    gs_last_close(o->final_fd); /* the file that had the name */
    o->final_fd = -1;
    const int unsynced = sync ? gs_name_sync(o->target) : 0;
    return unsynced == 0 ? GS_OK
                         : GS_FAIL(st, GS_ERR_IO, unsynced,
                                   "cannot make the name durable: %s", o->name);
}

gs_code gs_output_commit(gs_output *o, uint64_t total_bytes, bool sync, gs_status *st)
{
    if (o->kind != GS_OUTPUT_IN_PLACE)
        return commit_temp(o, total_bytes, sync, st);
    if (o->is_seekable &&
        lseek(o->fd, (off_t)(o->start_offset + total_bytes), SEEK_SET) < 0)
        return fail_write(o, errno, st);
    const int unsynced = sync && o->is_seekable ? gs_file_sync(o->fd) : 0;
    if (unsynced != 0)
        return fail_write(o, unsynced, st);
    if (o->shared_fd >= 0)
        return GS_OK; /* who opened it closes it, and looks whether that worked */
    return close_written(o, st);
}

void gs_output_free(gs_output *o)
{
    if (o == NULL)
        return;
    end_space(o);
    if (o->temp != NULL) {
        (void)unlink(o->temp);
        gs_pending_name_clear(&o->pending_slot);
    }
    /* Who opened the shared one closes it. */
    if (o->fd >= 0 && o->fd != o->shared_fd)
        (void)close(o->fd);
    if (o->final_fd >= 0 && o->final_fd != o->shared_fd)
        (void)close(o->final_fd);
    gs_mem_free(o->temp_template);
    gs_mem_free(o->temp);
    gs_mem_free(o->target);
    gs_mem_free(o->name);
    gs_mem_free(o);
}
