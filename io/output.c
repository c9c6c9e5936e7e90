/* SPDX-License-Identifier: MIT */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/last_close.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    PENDING_MAX = 8,
    PATH_BYTES = 4096 + 64,
    COPY_BYTES = 1 << 20,
};

/* Temporary names that a signal handler must remove: a slot is valid while its flag is
 * set, and the flag is set after the name is complete. */
static struct {
    volatile sig_atomic_t is_set;
    char path[PATH_BYTES];
} pending[PENDING_MAX];

static const char own_files[] = "/proc/self/fd";

typedef enum gs_output_kind {
    GS_OUTPUT_IN_PLACE, /* devices, pipes, standard output */
    GS_OUTPUT_RENAME,   /* a file without or with a temporary name in the same folder */
    GS_OUTPUT_COPY,     /* temporary file, copied into the file that is there */
} gs_output_kind;

struct gs_output {
    gs_output_kind kind;
    int fd;
    bool is_stdout, is_seekable;
    uint64_t start_offset;
    char *name;   /* for messages */
    char *target; /* the file behind symlinks */
    char *temp;   /* temporary name, NULL if none exists (yet) */
    int pending_slot;
    struct stat existing; /* of the target */
    bool has_existing;
};

static void set_pending(gs_output *o, const char *path)
{
    o->pending_slot = -1;
    for (int i = 0; i < PENDING_MAX && strlen(path) < PATH_BYTES; i++) {
        if (!pending[i].is_set) {
            (void)snprintf(pending[i].path, PATH_BYTES, "%s", path);
            pending[i].is_set = 1;
            o->pending_slot = i;
            return;
        }
    }
}

static void clear_pending(gs_output *o)
{
    if (o->pending_slot >= 0)
        pending[o->pending_slot].is_set = 0;
    o->pending_slot = -1;
}

void gs_output_unlink_pending(void)
{
    for (int i = 0; i < PENDING_MAX; i++) {
        if (pending[i].is_set)
            (void)unlink(pending[i].path);
    }
}

static gs_code fail_open(const gs_output *o, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "open failed: %s", o->name);
    return gs_status_hint(st, "check the name and permissions of the output");
}

/* Names that stand for descriptors are written in place, whatever is behind them. */
static bool names_a_descriptor(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Opening such a name to write fails, and with the right reason. */
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

/* The mode and the owner that the final file shall have; false if the owner of the
 * existing one may not be given to another. */
static bool copy_attributes(const gs_output *o, int fd)
{
    if (!o->has_existing) {
        const mode_t mask = umask(0);
        (void)umask(mask);
        (void)fchmod(fd, 0666 & ~mask);
        return true;
    }
    return fchown(fd, o->existing.st_uid, o->existing.st_gid) == 0 &&
           fchmod(fd, o->existing.st_mode & 0777) == 0;
}

/* True if the file has access lists or attributes of users. Those that the system sets
 * by itself do not count. */
static bool has_attributes(const char *path)
{
    static const char by_system[] = "security.";
    char names[PATH_BYTES];
    const ssize_t bytes = listxattr(path, names, sizeof names);
    if (bytes < 0)
        return errno == ERANGE;
    for (const char *name = names; name < names + bytes; name += strlen(name) + 1) {
        if (strncmp(name, by_system, sizeof by_system - 1) != 0)
            return true;
    }
    return false;
}

/* True if another file under the name would not be the same to others. The bits of set
 * user and group ID are the system's to clear when somebody writes. */
static bool must_stay(const gs_output *o)
{
    return o->existing.st_nlink > 1 ||
           (o->existing.st_mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0 ||
           has_attributes(o->target);
}

/* A name beside the target that nothing has yet, as a template for mkostemp; 0 or errno.
 */
static int make_template(const gs_output *o, const char *folder, size_t folder_bytes,
                         char *path)
{
    const char *const slash = strrchr(o->target, '/');
    const char *const base = slash ? slash + 1 : o->target;
    /* A long name leaves no room for a longer one: the start of it is enough. */
    const int n = snprintf(path, PATH_BYTES, "%.*s.%.200s.gpusort-XXXXXX",
                           (int)folder_bytes, folder, base);
    return n < 0 || (size_t)n >= PATH_BYTES ? ENAMETOOLONG : 0;
}

static int remember_temp(gs_output *o, const char *path)
{
    set_pending(o, path);
    gs_status st = {.code = GS_OK};
    if (gs_mem_copy_string(&o->temp, path, &st) == GS_OK)
        return 0;
    (void)unlink(path);
    clear_pending(o);
    return ENOMEM;
}

/* Makes a temporary file in `folder`: without a name where the system can (to get one it
 * needs /proc), so that nothing is left however the program ends; 0 or errno. */
static int make_temp(gs_output *o, const char *folder, size_t folder_bytes)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%.*s", folder_bytes ? (int)folder_bytes : 1,
                   folder_bytes ? folder : ".");
    o->is_seekable = true;
    if (access(own_files, X_OK) == 0)
        o->fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (o->fd >= 0)
        return 0;
    const int error = make_template(o, folder, folder_bytes, path);
    if (error != 0)
        return error;
    o->fd = mkostemp(path, O_CLOEXEC);
    return o->fd < 0 ? errno : remember_temp(o, path);
}

/* Gives a nameless file a temporary name, from which it can be renamed; 0 or errno. */
static int name_temp(gs_output *o)
{
    enum { TRIES = 100 };
    char path[PATH_BYTES], self[64];
    const char *const slash = strrchr(o->target, '/');
    (void)snprintf(self, sizeof self, "%s/%d", own_files, o->fd);
    for (unsigned i = 0; i < TRIES; i++) {
        const int error = make_template(
            o, o->target, slash ? (size_t)(slash - o->target) + 1 : 0, path);
        if (error != 0)
            return error;
        char *const tail = path + strlen(path) - 6;
        (void)snprintf(tail, 7, "%06u", (unsigned)(getpid() + (int)(i * 7919)) % 1000000);
        if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return remember_temp(o, path);
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* Chooses how a named regular file (or one that does not exist) is written. */
static gs_code open_regular(gs_output *o, gs_status *st)
{
    const char *const slash = strrchr(o->target, '/');
    const size_t folder_bytes = slash ? (size_t)(slash - o->target) + 1 : 0;
    if (o->has_existing) {
        /* Whoever may not write to the file may not replace it either. */
        const int probe = open(o->target, O_WRONLY | O_CLOEXEC);
        if (probe < 0)
            return fail_open(o, errno, st);
        (void)close(probe);
    }
    const bool stays = o->has_existing && must_stay(o);
    int error = make_temp(o, o->target, folder_bytes);
    if (error == 0) {
        const bool is_same = !stays && copy_attributes(o, o->fd);
        o->kind = is_same ? GS_OUTPUT_RENAME : GS_OUTPUT_COPY;
        return GS_OK;
    }
    if (!o->has_existing)
        return fail_open(o, error, st);
    /* The folder takes no new names: write elsewhere and copy. */
    const char *const tmp = getenv("TMPDIR");
    char folder[PATH_BYTES];
    (void)snprintf(folder, sizeof folder, "%s/", tmp && tmp[0] ? tmp : "/tmp");
    o->kind = GS_OUTPUT_COPY;
    error = make_temp(o, folder, strlen(folder));
    return error == 0 ? GS_OK : fail_open(o, error, st);
}

/* The target of a path that does not exist: the path itself, or what the symlink there
 * points to. */
static void resolve_dangling(gs_output *o, const char *path)
{
    char link[PATH_BYTES];
    const ssize_t n = readlink(path, link, sizeof link - 1);
    const char *const slash = strrchr(path, '/');
    if (n <= 0) {
        (void)snprintf(o->target, PATH_BYTES, "%s", path);
        return;
    }
    link[n] = '\0';
    const int folder_bytes =
        slash != NULL && link[0] != '/' ? (int)(slash - path) + 1 : 0;
    const int length =
        snprintf(o->target, PATH_BYTES, "%.*s%s", folder_bytes, path, link);
    if (length < 0 || length >= PATH_BYTES)
        o->target[0] = '\0'; /* too long: opening it fails */
}

static gs_code open_path(gs_output *o, const char *path, gs_status *st)
{
    void *memory = NULL;
    struct stat info;
    o->has_existing = stat(path, &o->existing) == 0;
    if (!o->has_existing && errno != ENOENT && !names_a_folder(path))
        return fail_open(o, errno, st);
    const bool in_place = names_a_descriptor(path) || names_a_folder(path) ||
                          (o->has_existing && !S_ISREG(o->existing.st_mode));
    if (in_place) {
        o->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (o->fd < 0)
            return fail_open(o, errno, st);
        /* A regular file behind /dev/stdout starts anew, as with any other program. */
        if (fstat(o->fd, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(o->fd, 0) != 0)
            return fail_open(o, errno, st);
        find_position(o);
        return GS_OK;
    }
    /* Follow symlinks, also dangling ones, so that the link stays a link. */
    GS_TRY(gs_mem_new(&memory, PATH_BYTES, "output name", st));
    o->target = memory;
    char *const resolved = realpath(path, NULL);
    if (resolved != NULL && strlen(resolved) < PATH_BYTES) {
        (void)snprintf(o->target, PATH_BYTES, "%s", resolved);
    } else {
        resolve_dangling(o, path);
    }
    free(resolved);
    GS_TRY(st->code);
    return open_regular(o, st);
}

gs_code gs_output_open(gs_output **out, const char *path, gs_status *st)
{
    *out = NULL;
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_output), "output", st));
    gs_output *const o = memory;
    o->fd = -1;
    o->pending_slot = -1;
    gs_quoted quoted;
    GS_TRY_OR_FAIL(gs_mem_copy_string(
        &o->name, path ? gs_quote_name(&quoted, path) : "'standard output'", st));
    if (path == NULL) {
        o->is_stdout = true;
        o->fd = STDOUT_FILENO;
        find_position(o);
    } else {
        GS_TRY_OR_FAIL(open_path(o, path, st));
    }
    *out = o;
    return GS_OK;
fail:
    gs_output_free(o);
    return st->code;
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
    /* Where it is refused (or the disk is too full) the writes will do without. */
    if (bytes > 0 && gs_output_is_own_file(o))
        (void)fallocate(o->fd, 0, (off_t)o->start_offset, (off_t)bytes);
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

/* Copies the finished temporary file into the target, which keeps its inode. */
static gs_code copy_into_target(const gs_output *o, uint64_t bytes, bool sync,
                                gs_status *st)
{
    void *buffer = NULL;
    GS_TRY(gs_mem_new(&buffer, COPY_BYTES, "output copy", st));
    const int to = open(o->target, O_WRONLY | O_CLOEXEC);
    if (to < 0)
        (void)fail_open(o, errno, st);
    /* A disk that is too full says so before anything of the old content is gone. */
    if (to >= 0 && bytes > 0 &&
        fallocate(to, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) != 0 && errno == ENOSPC)
        (void)fail_write(o, errno, st);
    for (uint64_t at = 0; st->code == GS_OK && at < bytes;) {
        const size_t want = bytes - at < COPY_BYTES ? (size_t)(bytes - at) : COPY_BYTES;
        const ssize_t n = pread(o->fd, buffer, want, (off_t)at);
        ssize_t done = 0;
        while (n > 0 && done < n) {
            const ssize_t m = pwrite(to, (const char *)buffer + done, (size_t)(n - done),
                                     (off_t)at + done);
            if (m < 0 && errno != EINTR)
                break;
            done += m > 0 ? m : 0;
        }
        if (n <= 0 || done < n)
            (void)fail_write(o, n == 0 ? EIO : errno, st);
        at += (uint64_t)(n > 0 ? n : 0);
    }
    if (st->code == GS_OK &&
        (ftruncate(to, (off_t)bytes) != 0 || (sync && fsync(to) != 0)))
        (void)fail_write(o, errno, st);
    if (to >= 0 && close(to) != 0 && st->code == GS_OK)
        (void)fail_write(o, errno, st);
    gs_mem_free(buffer);
    return st->code;
}

/* A folder's entry is durable when the folder is. */
static void sync_folder(const char *path)
{
    char folder[PATH_BYTES];
    const char *const slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                   slash ? path : ".");
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

/* The name stands for something that cannot be replaced, as where a file is mounted or
 * the folder lets only owners rename. */
static gs_code copy_instead(gs_output *o, uint64_t bytes, int error, bool sync,
                            gs_status *st)
{
    if (o->has_existing)
        o->fd = open(o->temp, O_RDONLY | O_CLOEXEC);
    if (o->fd < 0)
        return GS_FAIL(st, GS_ERR_IO, error, "rename failed: %s", o->name);
    return copy_into_target(o, bytes, sync, st); /* free removes the temporary name */
}

static gs_code commit_temp(gs_output *o, uint64_t total_bytes, bool sync, gs_status *st)
{
    if (ftruncate(o->fd, (off_t)total_bytes) != 0 || (sync && fsync(o->fd) != 0))
        return fail_write(o, errno, st);
    if (o->kind == GS_OUTPUT_COPY)
        return copy_into_target(o, total_bytes, sync, st);
    const int error = o->temp == NULL ? name_temp(o) : 0;
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "rename failed: %s", o->name);
    const int closed = close(o->fd);
    o->fd = -1;
    if (closed != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "close failed: %s", o->name);
    const int replaced = o->has_existing ? gs_last_close_hold(o->target) : -1;
    const bool has_renamed = rename(o->temp, o->target) == 0;
    const int rename_error = errno;
    gs_last_close(replaced);
    if (!has_renamed)
        return copy_instead(o, total_bytes, rename_error, sync, st);
    clear_pending(o);
    gs_mem_free(o->temp);
    o->temp = NULL;
    if (sync)
        sync_folder(o->target);
    return GS_OK;
}

gs_code gs_output_commit(gs_output *o, uint64_t total_bytes, bool sync, gs_status *st)
{
    if (o->kind != GS_OUTPUT_IN_PLACE)
        return commit_temp(o, total_bytes, sync, st);
    if (o->is_seekable &&
        lseek(o->fd, (off_t)(o->start_offset + total_bytes), SEEK_SET) < 0)
        return fail_write(o, errno, st);
    if (sync && o->is_seekable && fsync(o->fd) != 0)
        return fail_write(o, errno, st);
    if (o->is_stdout)
        return GS_OK; /* the program closes it, and looks whether that worked */
    const int closed = close(o->fd);
    o->fd = -1;
    return closed == 0 ? GS_OK
                       : GS_FAIL(st, GS_ERR_IO, errno, "close failed: %s", o->name);
}

void gs_output_free(gs_output *o)
{
    if (o == NULL)
        return;
    if (o->temp != NULL) {
        (void)unlink(o->temp);
        clear_pending(o);
    }
    if (o->fd >= 0 && !o->is_stdout)
        (void)close(o->fd);
    gs_mem_free(o->temp);
    gs_mem_free(o->target);
    gs_mem_free(o->name);
    gs_mem_free(o);
}
