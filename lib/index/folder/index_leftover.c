/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/index_leftover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/temp_name.h"
#include "io/write_all.h"
#include "lib/base/quote.h"
#include "lib/index/format/formats.h"

enum {
    REMOVE_TRIES = 50,
    RANDOM_BYTES = GS_TEMP_NAME_TAIL,
    NAME_BYTES = 256,
    PATH_BYTES = 4400,
    FIRST_PAUSE_NS = 1000000,
    LAST_PAUSE_NS = 32 * FIRST_PAUSE_NS,
};

static const char mark_text[] =
    "An index that gpusort was making, or replacing. The next build of it removes this "
    "folder.\n";

enum { OWN_NAMES = GS_INDEX_FILE_COUNT + 2 };

/* In the order in which they go: a folder that has lost some of them is still marked. */
static const char *own_name(int i)
{
    return i < GS_INDEX_FILE_COUNT    ? gs_index_file_names[i]
           : i == GS_INDEX_FILE_COUNT ? GS_INDEX_HEADER_NAME
                                      : GS_INDEX_MARK_NAME;
}

bool gs_index_owns_file(const char *name)
{
    for (int i = 0; i < OWN_NAMES; i++) {
        if (strcmp(name, own_name(i)) == 0)
            return true;
    }
    uint64_t number;
    return gs_index_grown_name(name, &number) != GS_GROWN_OTHER;
}

void gs_index_remove_folder(int folder_fd, int parent, const char *folder)
{
    /* After a signal other threads still run, and may begin one more file. */
    for (int tries = 0; tries < REMOVE_TRIES; tries++) {
        for (int i = 0; i < OWN_NAMES; i++)
            (void)unlinkat(folder_fd, own_name(i), 0);
        if (unlinkat(parent, folder, AT_REMOVEDIR) == 0 ||
            (errno != ENOTEMPTY && errno != EEXIST))
            return;
    }
}

/* --- marks and locks --------------------------------------------------------------- */

int gs_index_mark(int folder_fd)
{
    const int fd = openat(folder_fd, GS_INDEX_MARK_NAME,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? 0 : errno;
    /* The name is what counts; the text is for whoever finds it. */
    const int error = gs_write_all(fd, mark_text, sizeof mark_text - 1);
    (void)close(fd);
    return error;
}

void gs_index_unmark(int folder_fd)
{
    (void)unlinkat(folder_fd, GS_INDEX_MARK_NAME, 0);
}

static bool is_marked(int folder_fd)
{
    struct stat info;
    return fstatat(folder_fd, GS_INDEX_MARK_NAME, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode) && info.st_uid == geteuid();
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Does the folder behind the descriptor have this name? 0, or errno if that cannot be
 * told. */
static int ask_name(int fd, int parent, const char *name, int flags, bool *has_name)
{
    struct stat held, named;
    *has_name = false;
    if (fstat(fd, &held) != 0)
        return errno;
    if (fstatat(parent, name, &named, flags) != 0)
        return errno == ENOENT ? 0 : errno;
    *has_name = is_same(&held, &named);
    return 0;
}

static int lock(int fd, int how)
{
    int result;
    do {
        result = flock(fd, how);
    } while (result != 0 && errno == EINTR);
    return result;
}

/* The lock of another is asked for again and again: who waits in the kernel hears of
 * nothing else. */
static int wait_for_lock(int fd, const volatile int *cancel)
{
    struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS};
    if (cancel == NULL)
        return lock(fd, LOCK_EX);
    while (lock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return -1;
        if (__atomic_load_n(cancel, __ATOMIC_RELAXED) != 0) {
            errno = ECANCELED;
            return -1;
        }
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < LAST_PAUSE_NS)
            pause.tv_nsec *= 2;
    }
    return 0;
}

int gs_index_lock(const char *folder, const volatile int *cancel)
{
    for (;;) {
        const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return -1;
        const int why = wait_for_lock(fd, cancel) != 0 ? errno : 0;
        bool has_name = false;
        if (why != 0 && why != ECANCELED) /* without locks there are no sweeps either */
            return fd;
        const int error = why != 0 ? why : ask_name(fd, AT_FDCWD, folder, 0, &has_name);
        if (error == 0 && has_name)
            return fd;
        (void)close(fd);
        if (error != 0) {
            errno = error;
            return -1;
        }
        /* Another took its place while we waited. */
    }
}

/* --- the sweep --------------------------------------------------------------------- */

typedef struct sweep {
    int parent;
    char base[NAME_BYTES]; /* the last part of the path of the index */
    const char *index;
    const gs_log *log;
    char aside[NAME_BYTES]; /* an index that was being replaced */
    unsigned aside_count;
} sweep;

static bool ends_at_random(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]))
        n++;
    return n == RANDOM_BYTES && text[n] == '\0';
}

/* BASE.tmp-XXXXXX, for the kind ".tmp-" */
static bool is_of_kind(const sweep *s, const char *name, const char *kind)
{
    const size_t base = strlen(s->base), length = strlen(kind);
    return strncmp(name, s->base, base) == 0 && strncmp(name + base, kind, length) == 0 &&
           ends_at_random(name + base + length);
}

/* Of a part that was being made when the program ended. */
static bool is_part(const char *name)
{
    const size_t length = strlen(GS_INDEX_PART_NAME);
    return strncmp(name, GS_INDEX_PART_NAME, length) == 0 &&
           ends_at_random(name + length);
}

/* The names in the folder; NULL: it cannot be read. */
static DIR *open_names(int folder_fd)
{
    const int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL && fd >= 0)
        (void)close(fd);
    return dir;
}

static void remove_parts(int folder_fd)
{
    DIR *const dir = open_names(folder_fd);
    if (dir == NULL)
        return;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (is_part(e->d_name))
            (void)unlinkat(folder_fd, e->d_name, 0);
    }
    (void)closedir(dir);
}

/* --- what an index has grown by --------------------------------------------------- */

void gs_index_remove_segment(int folder_fd, const char *name)
{
    const int fd =
        openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    remove_parts(fd);
    gs_index_remove_folder(fd, folder_fd, name);
    (void)close(fd);
}

void gs_index_remove_grown(int folder_fd)
{
    DIR *const dir = open_names(folder_fd);
    if (dir == NULL)
        return;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        uint64_t number;
        switch (gs_index_grown_name(e->d_name, &number)) {
        case GS_GROWN_OTHER: break;
        case GS_GROWN_MANIFEST:
        case GS_GROWN_UNFINISHED:
        case GS_GROWN_DELETIONS: (void)unlinkat(folder_fd, e->d_name, 0); break;
        case GS_GROWN_SEGMENT:
        case GS_GROWN_UNFINISHED_SEGMENT:
            gs_index_remove_segment(folder_fd, e->d_name);
            break;
        }
    }
    (void)closedir(dir);
}

void gs_index_remove_first(int folder_fd)
{
    for (int i = OWN_NAMES; i-- > 0;) { /* the header first: then it is no index */
        if (strcmp(own_name(i), GS_INDEX_MARK_NAME) != 0)
            (void)unlinkat(folder_fd, own_name(i), 0);
    }
}

/* --- leftovers -------------------------------------------------------------------- */

/* Does it hold what is of an index only? */
static bool holds_own_only(int folder_fd)
{
    DIR *const dir = open_names(folder_fd);
    if (dir == NULL)
        return false;
    bool is_own = true;
    for (const struct dirent *e; is_own && (e = readdir(dir)) != NULL;) {
        is_own = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
                 is_part(e->d_name) || gs_index_owns_file(e->d_name);
    }
    (void)closedir(dir);
    return is_own;
}

/* A descriptor of the leftover that holds its lock; -1 if it is none. */
static int open_leftover(const sweep *s, const char *name)
{
    struct stat info;
    bool has_name;
    const int fd =
        openat(s->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
        lock(fd, LOCK_EX | LOCK_NB) == 0 && is_marked(fd) && holds_own_only(fd) &&
        ask_name(fd, s->parent, name, AT_SYMLINK_NOFOLLOW, &has_name) == 0 && has_name)
        return fd;
    (void)close(fd);
    return -1;
}

static void remove_leftover(const sweep *s, const char *name)
{
    gs_quoted q;
    const int fd = open_leftover(s, name);
    if (fd < 0)
        return;
    remove_parts(fd);
    gs_index_remove_grown(fd);
    gs_index_remove_folder(fd, s->parent, name);
    gs_log_say(s->log, GS_LOG_INFO, "%s: removed, a build that was killed had left it",
               gs_quote_name(&q, name));
    (void)close(fd);
}

/* The build that was to replace it did not get so far. */
static void put_back(const sweep *s, const char *name)
{
    gs_quoted q, is;
    const int fd = open_leftover(s, name);
    if (fd < 0)
        return;
    if (renameat2(s->parent, name, s->parent, s->base, RENAME_NOREPLACE) == 0 ||
        ((errno == EINVAL || errno == ENOSYS) &&
         renameat(s->parent, name, s->parent, s->base) == 0)) {
        gs_index_unmark(fd);
        (void)fsync(s->parent);
        gs_log_say(s->log, GS_LOG_WARNING,
                   "%s: has its name again; a build that was killed had moved it to %s",
                   gs_quote_name(&q, s->index), gs_quote_name(&is, name));
    }
    (void)close(fd);
}

static void look_at(sweep *s, const char *name, bool is_there)
{
    if (is_of_kind(s, name, ".tmp-") || (is_there && is_of_kind(s, name, ".old-"))) {
        remove_leftover(s, name);
    } else if (is_of_kind(s, name, ".old-")) {
        memcpy(s->aside, name, strlen(name) + 1);
        s->aside_count++;
    }
}

void gs_index_sweep(const char *index, const gs_log *log)
{
    char path[PATH_BYTES];
    sweep s = {.index = index, .log = log};
    size_t length = strlen(index);
    while (length > 1 && index[length - 1] == '/')
        length--;
    size_t base = length;
    while (base > 0 && index[base - 1] != '/')
        base--;
    if (length - base >= sizeof s.base || length == base || base >= sizeof path)
        return;
    memcpy(s.base, index + base, length - base);
    (void)snprintf(path, sizeof path, "%.*s", base > 0 ? (int)base : 1,
                   base > 0 ? index : ".");
    struct stat info;
    DIR *const dir = opendir(path);
    if (dir == NULL)
        return;
    s.parent = dirfd(dir);
    const bool is_there = fstatat(s.parent, s.base, &info, AT_SYMLINK_NOFOLLOW) == 0;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        look_at(&s, e->d_name, is_there);
    /* If there are several, it cannot be told which was the last. */
    if (s.aside_count == 1)
        put_back(&s, s.aside);
    (void)closedir(dir);
}
