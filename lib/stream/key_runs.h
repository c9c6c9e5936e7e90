/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * key_runs: sorted runs of keys, in memory and behind that in a temporary file, and which
 * key has a rank among all of them.
 *
 *      runs     | 0: memory | 1: memory | 2: file            | 3: file            |
 *      marks                            | 0 | 1 | 2 | 3 | 4  | 0 | 1 | 2 | 3 | 4  |
 *
 * This is an external sort without its merge: nobody asks for all keys in order. A rank is
 * found by halving the range of keys in which its key may lie, and with it, in every run,
 * the part that is still in question. A mark is the first key of some pages of a run in the
 * file, and their checksum: what marks decide costs no reading, and of each run a few
 * marks' pages are read at all. Where marks take too much memory, each stands for twice as
 * many pages.
 *
 * Runs are all of one length and have numbers, by which they are put beside each other by
 * any number of threads; gs_key_runs_mark is called in the order of numbers, and
 * gs_key_runs_select while nothing is put.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_KEY_RUNS_H
#define GS_LIB_STREAM_KEY_RUNS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "io/spill.h"
#include "lib/base/status.h"

enum { GS_KEY_PAGE = 512 }; /* keys: 4 KiB */

typedef struct gs_key_mark {
    uint64_t first; /* key */
    uint64_t sum;   /* of the pages' XXH3, added up */
} gs_key_mark;

/* Of the run in question: [low, high] keys of it are no greater than the key looked for.
 */
typedef struct gs_run_part {
    uint32_t low, high;
} gs_run_part;

typedef struct gs_key_runs {
    size_t run_keys; /* of each; whole pages */
    const char *const *temp_folders;
    size_t temp_folder_count;

    uint64_t *near; /* runs in memory */
    size_t near_runs, near_bytes;
    uint64_t run_count;
    size_t mark_pages; /* of each mark */
    gs_key_mark *marks;
    size_t mark_count, mark_capacity, mark_bytes_max;

    gs_run_part *parts; /* of each run and of one more, and as many again */
    size_t part_capacity;
    uint64_t *room; /* for what is read, and behind it for the last keys in question */
    size_t room_bytes, gather_max;

    pthread_mutex_t mutex; /* guards the file being made */
    gs_spill *spill;
    int fd;             /* -1: none yet */
    const char *folder; /* that the file is in */
} gs_key_runs;

/* Runs of so many keys, at most UINT32_MAX; more memory keeps more of them from the file.
 * Folders are as for gs_spill_new. */
GS_MUST_CHECK gs_code gs_key_runs_init(gs_key_runs *r, size_t run_keys,
                                       size_t memory_bytes,
                                       const char *const *temp_folders,
                                       size_t temp_folder_count, gs_status *st);
void gs_key_runs_release(gs_key_runs *r);

static inline bool gs_key_runs_is_near(const gs_key_runs *r, uint64_t number)
{
    return number < r->near_runs;
}

/* A run, in order. One that is not near gets its pages' marks, run_keys / GS_KEY_PAGE. */
GS_MUST_CHECK gs_code gs_key_runs_put(gs_key_runs *r, uint64_t number,
                                      const uint64_t *keys, gs_key_mark *marks,
                                      gs_status *st);
/* The run whose number comes next is there. */
GS_MUST_CHECK gs_code gs_key_runs_mark(gs_key_runs *r, const gs_key_mark *marks,
                                       gs_status *st);

/* The key of a rank, from 1, among all runs and `last`, some more keys in order. */
GS_MUST_CHECK gs_code gs_key_runs_select(gs_key_runs *r, const uint64_t *last,
                                         size_t last_count, uint64_t rank, uint64_t *key,
                                         gs_status *st);

/* Runs in memory, and in the file. */
size_t gs_key_runs_held_bytes(const gs_key_runs *r);
uint64_t gs_key_runs_spilled_bytes(const gs_key_runs *r);

#endif
