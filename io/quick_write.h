/* SPDX-License-Identifier: MIT */
/*
 * quick_write: parts of a file, each written in the way that has lately taken less time:
 * through the page cache, or past it, straight to the disk.
 *
 * Through the cache is best while pages are there to be had, 0.3 ns a byte. Where they
 * are not, as in a virtual machine whose host takes free memory back, it is 3.5 ns, and a
 * disk may be faster. No file of the system says which it is, and it changes while a
 * program runs, so the writes are timed:
 *
 *      cached  | 0.3 | 3.5 | 3.5 | 3.5 |     |     |        ns a byte
 *      direct  |     |     |     |     | 1.8 | 1.8 | ...    tried after several dear ones
 *
 * One writer a thread, any number of them on a file; what they write does not overlap.
 */
#ifndef GS_IO_QUICK_WRITE_H
#define GS_IO_QUICK_WRITE_H

#include <stddef.h>
#include <stdint.h>

typedef enum gs_write_way {
    GS_WRITE_QUICK, /* whichever is */
    GS_WRITE_CACHED,
    GS_WRITE_DIRECT, /* all that can be */
} gs_write_way;

typedef struct gs_quick_writer {
    int fd;           /* not ours */
    int direct_fd;    /* another description of the same file; -1: not open */
    gs_write_way way; /* CACHED too once it is known that the file cannot be the other */
    double cached_ns; /* what a byte has taken lately; 0: not tried */
    double direct_ns;
} gs_quick_writer;

/* `fd` is a regular file that is open to be written, through the page cache. */
void gs_quick_writer_begin(gs_quick_writer *w, int fd, gs_write_way way);
/* 0, or errno. What can go past the cache begins and ends at multiples of 4096, in the
 * file and in memory; the rest goes through it. */
int gs_quick_write(gs_quick_writer *w, const uint8_t *data, size_t bytes,
                   uint64_t offset);
void gs_quick_writer_end(gs_quick_writer *w);

#endif
