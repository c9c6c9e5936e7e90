/* SPDX-License-Identifier: MIT */
/*
 * What is lost is the call that does not come back and what was not synced before it. The
 * names are undone here, in the reverse of their order; the bytes in unsynced_bytes.c.
 */
#include "tests/faults/power_cut.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/real_calls.h"
#include "tests/faults/unsynced_bytes.h"

enum { NAME_BYTES = 256, CHANGES_MAX = 4096, FOLDERS_MAX = 64 };

typedef enum change_kind { MADE, MADE_FOLDER, RENAMED, EXCHANGED, REMOVED } change_kind;

/* A change of a name that is not on the disk yet. */
typedef struct change {
    change_kind kind;
    int folder, to_folder; /* as indexes of `folders` */
    char name[NAME_BYTES], to[NAME_BYTES];
    char aside[32]; /* where what was replaced or removed is; empty: nothing was */
} change;

/* Guards all that follows, and what unsynced_bytes keeps. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static change changes[CHANGES_MAX];
static size_t change_count;
static struct {
    dev_t device;
    ino_t inode;
    int fd;
} folders[FOLDERS_MAX];
static int folder_count;
static unsigned aside_count;
static int side_fd = -1;

static void give_up(const char *why)
{
    fprintf(stderr, "GS_FAULT=cut: %s\n", why);
    _exit(125);
}

/* --- which folder ------------------------------------------------------------------ */

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The index of the folder behind `fd`, which is taken. */
static int folder_index(int fd)
{
    struct stat info;
    if (fd < 0 || __real_fstat(fd, &info) != 0)
        give_up("a folder cannot be opened");
    for (int i = 0; i < folder_count; i++) {
        if (folders[i].device == info.st_dev && folders[i].inode == info.st_ino) {
            (void)__real_close(fd);
            return i;
        }
    }
    if (folder_count == FOLDERS_MAX)
        give_up("too many folders");
    folders[folder_count].device = info.st_dev;
    folders[folder_count].inode = info.st_ino;
    folders[folder_count].fd = fd;
    return folder_count++;
}

/* Of the folder that holds the last part of the path. */
static int parent_index(int folder, const char *path)
{
    char parent[4400];
    const char *const name = last_part(path);
    const size_t length = (size_t)(name - path);
    if (length >= sizeof parent)
        give_up("a name is too long");
    memcpy(parent, path, length);
    memcpy(parent + length, ".", 2);
    return folder_index(
        __real_openat(folder, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void copy_name(char to[NAME_BYTES], const char *path)
{
    (void)snprintf(to, NAME_BYTES, "%s", last_part(path));
}

/* --- noting ------------------------------------------------------------------------ */

static change *add_change(change_kind kind, int folder, const char *path)
{
    if (change_count == CHANGES_MAX)
        give_up("too many names change");
    change *const c = &changes[change_count++];
    *c = (change){.kind = kind, .folder = parent_index(folder, path)};
    c->to_folder = c->folder;
    copy_name(c->name, path);
    return c;
}

static void next_aside(char name[32])
{
    (void)snprintf(name, 32, "%u-%u", (unsigned)getpid(), aside_count++);
}

void cut_made(int folder, const char *path, bool is_folder)
{
    if (cut_is_asked_for())
        (void)add_change(is_folder ? MADE_FOLDER : MADE, folder, path);
}

/* A second name keeps the file that loses its own; a folder loses it only to another if
 * it is empty, and can be made again. */
void cut_before_rename(cut_rename *r)
{
    r->aside[0] = '\0';
    if (!cut_is_asked_for() || r->exchanges)
        return;
    next_aside(r->aside);
    if (__real_linkat(r->to_folder, r->to, side_fd, r->aside, 0) != 0)
        r->aside[0] = '\0';
}

void cut_after_rename(const cut_rename *r, bool done)
{
    if (!cut_is_asked_for())
        return;
    if (!done) {
        if (r->aside[0] != '\0')
            (void)__real_unlinkat(side_fd, r->aside, 0);
        return;
    }
    change *const c =
        add_change(r->exchanges ? EXCHANGED : RENAMED, r->from_folder, r->from);
    c->to_folder = parent_index(r->to_folder, r->to);
    copy_name(c->to, r->to);
    memcpy(c->aside, r->aside, sizeof c->aside);
}

static bool is_empty(int folder, const char *path)
{
    const int fd = __real_openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = fd >= 0 ? __real_fdopendir(fd) : NULL;
    size_t entries = 0;
    while (dir != NULL && __real_readdir(dir) != NULL)
        entries++;
    if (dir != NULL)
        (void)closedir(dir);
    return entries <= 2;
}

/* Renamed, a folder stays the one that others have open, and that has come back if what
 * was in it comes back. */
int cut_remove(int folder, const char *path, bool is_folder)
{
    char aside[32];
    struct stat info;
    if (__real_fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (S_ISDIR(info.st_mode) != is_folder || (is_folder && !is_empty(folder, path))) {
        errno = is_folder ? ENOTEMPTY : EISDIR;
        return -1;
    }
    change *const c = add_change(REMOVED, folder, path);
    next_aside(aside);
    if (__real_renameat(folder, path, side_fd, aside) != 0)
        give_up("GS_FAULT_SIDE is no folder on the same file system");
    memcpy(c->aside, aside, sizeof c->aside);
    return 0;
}

/* What is in this folder is on the disk. */
static void forget_changes(const struct stat *info)
{
    size_t kept = 0;
    for (size_t i = 0; i < change_count; i++) {
        const int in = changes[i].folder;
        if (folders[in].device != info->st_dev || folders[in].inode != info->st_ino)
            changes[kept++] = changes[i];
    }
    change_count = kept;
}

/* --- undoing ----------------------------------------------------------------------- */

static void remove_tree(int folder, const char *name)
{
    const int fd = __real_openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = fd >= 0 ? __real_fdopendir(fd) : NULL;
    if (dir == NULL)
        return;
    for (const struct dirent *e; (e = __real_readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            __real_unlinkat(fd, e->d_name, 0) != 0)
            remove_tree(fd, e->d_name);
    }
    (void)closedir(dir);
    (void)__real_unlinkat(folder, name, AT_REMOVEDIR);
}

static void undo(const change *c)
{
    const int folder = folders[c->folder].fd, to_folder = folders[c->to_folder].fd;
    switch (c->kind) {
    case MADE: (void)__real_unlinkat(folder, c->name, 0); break;
    case MADE_FOLDER: remove_tree(folder, c->name); break;
    case RENAMED: (void)__real_renameat(to_folder, c->to, folder, c->name); break;
    case EXCHANGED:
        (void)__real_renameat2(to_folder, c->to, folder, c->name, RENAME_EXCHANGE);
        break;
    case REMOVED: break;
    }
    if (c->aside[0] != '\0')
        (void)__real_renameat(side_fd, c->aside, to_folder,
                              c->kind == REMOVED ? c->name : c->to);
}

/* As often all of them, none, or some. */
static void undo_names(void)
{
    const uint64_t chance = unsynced_chance();
    size_t count = change_count;
    if (chance % 4 == 1)
        count = 0;
    else if (chance % 4 > 1)
        count = (size_t)(chance / 4 % (change_count + 1));
    while (count-- > 0)
        undo(&changes[--change_count]);
}

/* --- the calls that count ---------------------------------------------------------- */

bool cut_is_asked_for(void)
{
    return side_fd >= 0;
}

static void cut(void)
{
    const pid_t program = getpid(), child = fork();
    if (child < 0)
        give_up("no child for the cut");
    while (child > 0)
        (void)pause();
    /* Its threads must not see what the disk is made to hold. */
    (void)kill(program, SIGKILL);
    while (getppid() == program)
        (void)usleep(100);
    undo_names();
    unsynced_lose();
    _exit(0);
}

/* Counts one more; locked. */
static void pass_locked(void)
{
    if (fault_of_call(FAULT_CUT, NULL) != 0)
        cut();
}

void cut_names_begin(void)
{
    if (!cut_is_asked_for())
        return;
    pthread_mutex_lock(&mutex);
    pass_locked();
}

void cut_names_end(void)
{
    if (cut_is_asked_for())
        pthread_mutex_unlock(&mutex);
}

void cut_before_write(int fd, off_t offset, size_t bytes)
{
    struct stat info;
    if (!cut_is_asked_for() || __real_fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    const int flags = __real_fcntl(fd, F_GETFL, 0L);
    if (offset < 0)
        offset = flags & O_APPEND ? info.st_size : __real_lseek(fd, 0, SEEK_CUR);
    pthread_mutex_lock(&mutex);
    pass_locked();
    unsynced_keep(fd, &info, offset, offset + (off_t)bytes);
    pthread_mutex_unlock(&mutex);
}

void cut_before_length(int fd, off_t length)
{
    struct stat info;
    if (!cut_is_asked_for() || __real_fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    pthread_mutex_lock(&mutex);
    pass_locked();
    unsynced_keep(fd, &info, length, info.st_size);
    pthread_mutex_unlock(&mutex);
}

void cut_before_emptied(int folder, const char *path)
{
    if (!cut_is_asked_for())
        return;
    const int fd = __real_openat(folder, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        cut_before_length(fd, 0);
        (void)__real_close(fd);
    }
}

void cut_before_sync(void)
{
    cut_names_begin();
    cut_names_end();
}

void cut_after_sync(int fd)
{
    struct stat info;
    if (!cut_is_asked_for() || __real_fstat(fd, &info) != 0)
        return;
    pthread_mutex_lock(&mutex);
    if (S_ISDIR(info.st_mode))
        forget_changes(&info);
    else
        unsynced_forget(&info);
    pthread_mutex_unlock(&mutex);
}

static void end(int code, void *context)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    fault_note_end(code);
    cut();
}

__attribute__((constructor)) static void begin(void)
{
    const char *const wish = getenv("GS_FAULT"), *const side = getenv("GS_FAULT_SIDE");
    if (wish == NULL || strncmp(wish, "cut:", 4) != 0)
        return;
    side_fd = side != NULL ? __real_open(side, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (side_fd < 0)
        give_up("GS_FAULT_SIDE is no folder");
    (void)on_exit(end, NULL);
}
