/* SPDX-License-Identifier: MIT */
/*
 * overwrite: the bytes of a finished file into another one, which keeps its name, owner,
 * links and access lists.
 *
 *      to      | before `at` | old, and is overwritten | new     |
 *      order                   2                         1
 *
 * What lengthens the file is written first, after the disk space was asked for, so that a
 * disk that is too full is met while all of the old content is there.
 */
#ifndef GS_IO_OVERWRITE_H
#define GS_IO_OVERWRITE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gs_overwrite {
    int from; /* its bytes [0, bytes) are copied, */
    uint64_t bytes;
    int to;       /* to here, */
    uint64_t at;  /* from this offset on, */
    bool appends; /* or, as `to` is opened, behind all that it has */
    bool is_end;  /* nothing of `to` stays behind the copy */
} gs_overwrite;

/* Returns 0 or errno. *is_touched tells whether any of the old content may be lost; else
 * the file is as it was. */
int gs_overwrite_run(const gs_overwrite *o, bool *is_touched);

#endif
