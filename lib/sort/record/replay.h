/* SPDX-License-Identifier: MIT */
/*
 * replay: whole records that were read and are given out again, batch by batch.
 *
 *      memory ......... | file, if it was too little ......... | last batch
 *
 * Batches of the memory point into it, so it stays until release; those of the file have
 * memory of their own. One thread at a time.
 */
#ifndef GS_LIB_SORT_RECORD_REPLAY_H
#define GS_LIB_SORT_RECORD_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

struct gs_line_batch;

/* How batches are cut of what lies one after the other. */
typedef struct gs_part_form {
    size_t record_size; /* > 0: fixed-size records */
    uint8_t eol;
    size_t part_bytes; /* of a batch, unless its first record is longer */
} gs_part_form;

/* How many of the first bytes are a batch of whole records; 0 if there is no end. */
size_t gs_part_cut(const gs_part_form *form, const uint8_t *from, size_t left);

/* Each record has its eol. Zeroed is nothing. */
typedef struct gs_replay {
    uint8_t *memory; /* from gs_mem_map, readable beyond the end; or NULL */
    size_t map_bytes, bytes, at;
    int fd; /* closed by release, if there are bytes of the file */
    uint64_t file_bytes, file_at;
} gs_replay;

/* *has_batch is false at the end. The ticket is the caller's to give. */
GS_MUST_CHECK gs_code gs_replay_next(gs_replay *r, const gs_part_form *form,
                                     struct gs_line_batch *out, bool *has_batch,
                                     gs_status *st);
void gs_replay_release(gs_replay *r);

#endif
