/* SPDX-License-Identifier: MIT */
#include "io/file_stamp.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { STEP_MS = 1, COARSE_SECONDS = 2 };

/* A file that is given another name says so there; 0 where nothing says it. */
static uint64_t place_of(int fd)
{
    char path[64], place[4096];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(path, place, sizeof place);
    return n > 0 ? XXH3_64bits(place, (size_t)n) : 0;
}

static gs_file_stamp stamp_of(const struct stat *info)
{
    return (gs_file_stamp){
        .bytes = (uint64_t)info->st_size,
        .device = info->st_dev,
        .inode = info->st_ino,
        .links = info->st_nlink,
        .written = info->st_mtim,
        .changed = info->st_ctim,
        .mode = info->st_mode,
        .owner = info->st_uid,
        .group = info->st_gid,
    };
}

static bool look(gs_file_stamp *stamp, int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return false;
    *stamp = stamp_of(&info);
    return true;
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static bool is_equal(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Could a change that comes now get the same time? One that lies far ahead was stamped by
 * another clock, or by this one before it was set back. */
static bool is_in_this_tick(struct timespec changed)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    const bool is_far_ahead = changed.tv_sec > now.tv_sec + COARSE_SECONDS;
    if (changed.tv_nsec == 0) /* perhaps of a clock of one second or two */
        return !is_far_ahead && now.tv_sec - changed.tv_sec < COARSE_SECONDS;
    return !is_far_ahead && !is_before(changed, now);
}

bool gs_file_stamp_take(gs_file_stamp *stamp, int fd, unsigned wait_ms)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
    if (!look(stamp, fd))
        return false;
    for (unsigned waited = 0; is_in_this_tick(stamp->changed); waited += STEP_MS) {
        if (waited >= wait_ms) {
            errno = EBUSY;
            return false;
        }
        (void)nanosleep(&step, NULL);
        if (!look(stamp, fd))
            return false;
    }
    stamp->place = place_of(fd);
    return true;
}

static bool has_same_bytes(const gs_file_stamp *a, const gs_file_stamp *b)
{
    return a->bytes == b->bytes && is_equal(a->written, b->written);
}

/* Is the time of the last change the same, or is there another reason for it? */
static bool is_explained(const gs_file_stamp *a, const gs_file_stamp *b)
{
    return is_equal(a->changed, b->changed) || a->links != b->links ||
           a->mode != b->mode || a->owner != b->owner || a->group != b->group;
}

bool gs_file_stamp_is_same(const gs_file_stamp *stamp, int fd)
{
    gs_file_stamp now;
    if (!look(&now, fd))
        return false;
    const bool is_same = has_same_bytes(&now, stamp) &&
                         (is_explained(&now, stamp) || place_of(fd) != stamp->place);
    errno = 0;
    return is_same;
}

bool gs_file_stamp_is_same_at(const gs_file_stamp *stamp, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return true;
    const gs_file_stamp now = stamp_of(&info);
    if (now.device != stamp->device || now.inode != stamp->inode)
        return true;
    return has_same_bytes(&now, stamp) && is_explained(&now, stamp);
}
