/* SPDX-License-Identifier: MIT */
/*
 * file_stamp: was a file changed since?
 *
 * Told by its size and its times. The time of the last write can be set back, that of the
 * last change cannot; but a new name, mode or owner is a change too, and not of the
 * bytes.
 *
 *      size, time of write    differ: changed
 *      time of change         differs: changed, unless names, mode or owner do, too
 *
 * A clock stamps all changes within one tick alike, so a stamp is taken only when the
 * tick of the last change is over: what comes then gets another time. Writes through a
 * shared map are missed where the file system does not note them.
 */
#ifndef GS_IO_FILE_STAMP_H
#define GS_IO_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct gs_file_stamp {
    uint64_t bytes, device, inode, links;
    struct timespec written, changed;
    uint64_t place; /* a hash of where it lies */
    uint32_t mode, owner, group;
} gs_file_stamp;

/* Of an open file, before anything is read of it. Waits for the next tick if it was
 * changed in this one: some milliseconds, or up to `wait_ms` on a file system that has
 * only whole seconds. False if that is too little, with errno EBUSY, or if it cannot be
 * looked at, with another. */
bool gs_file_stamp_take(gs_file_stamp *stamp, int fd, unsigned wait_ms);

/* Are its bytes still the same, as far as that can be told? False as well if it cannot be
 * looked at: errno says why, and is 0 if the bytes differ. */
bool gs_file_stamp_is_same(const gs_file_stamp *stamp, int fd);
/* The same of a file that is not open any more, by its path. True as well if the path has
 * no file or another one by now: then the one that was open was replaced, not changed. */
bool gs_file_stamp_is_same_at(const gs_file_stamp *stamp, const char *path);

#endif
