/* SPDX-License-Identifier: MIT */
/*
 * ordered_copy: a file whose lines are in order, or in order the other way round, goes to
 * the output while that is seen of it.
 *
 *      file        | aa ab a | c ad | ae af |       a part has the lines that end in it,
 *      before              ab a         ad          and those before are read with it
 *      output      | aa ab a | c ad | ae af |       in order: the bytes as they stand
 *      or          | af ae | ad ac | ab aa |        the other way round, line by line
 *
 * Each part is read once, its lines are compared while they are in the cache, and it is
 * written from there: less work than to look at all of it, and then to copy it. Where
 * each part goes is known beforehand, so threads need not wait for each other.
 *
 * Whatever speaks against it ends it: a line out of place, a long one, a write that
 * fails. Then the output is written anew by whoever sorts or merges. So that this seldom
 * comes late, lines from all over the file and the whole last part are looked at first.
 */
#ifndef GS_LIB_SORT_TEXT_ORDERED_COPY_H
#define GS_LIB_SORT_TEXT_ORDERED_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/file_space.h"
#include "io/quick_write.h"
#include "lib/base/status.h"
#include "lib/base/team.h"

typedef struct gs_ordered_copy_options {
    int from;             /* a regular file */
    uint64_t bytes;       /* that it has, at least one */
    int to;               /* a file of ours, written from its beginning */
    uint8_t eol;          /* lines are their own strings */
    bool is_backwards;    /* the order that is asked for */
    bool may_be_reversed; /* the file may have the other one */
    bool fills_pages;     /* of what is written, if it is in memory (io/file_pages.h), */
    gs_write_way way;     /* else how it is written */
    gs_file_space *space; /* of it, that is being taken then; NULL: none is */
    size_t part_bytes;    /* a multiple of a page */
    gs_team *team;
    const volatile int *cancel;
    _Atomic uint64_t *copied_bytes; /* so far; NULL: nobody asks */
} gs_ordered_copy_options;

typedef struct gs_ordered_copy {
    bool is_done;   /* else nothing is known, and the output may hold anything */
    bool was_begun; /* some lines stood in one order */
    bool is_reversed;
    uint64_t records;
    uint64_t bytes; /* of the output: a last line without its end gets one */
} gs_ordered_copy;

/* Fails only if it is cancelled, or without memory. Who changes the file meanwhile is not
 * noticed here. */
GS_MUST_CHECK gs_code gs_ordered_copy_run(gs_ordered_copy *out,
                                          const gs_ordered_copy_options *options,
                                          gs_status *st);

#endif
