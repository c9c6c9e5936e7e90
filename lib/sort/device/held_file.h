/* SPDX-License-Identifier: MIT */
/*
 * held_file: text that a GPU has and nobody can read again, in a temporary file.
 *
 * What is held back of a pipe may be more than memory is left for. It goes to a nameless
 * file in a folder for temporary files, by a stream, so that whoever reads the pipe
 * seldom waits; half of the space that is free there is left for runs. When the chunk is
 * safe it is emptied, and after a failure of the GPU read again
 * (lib/sort/record/replay.h).
 *
 * One thread. Call order: init, (has_room, append)*, close, then clear or take, release.
 */
#ifndef GS_LIB_SORT_DEVICE_HELD_FILE_H
#define GS_LIB_SORT_DEVICE_HELD_FILE_H

#include "io/spill.h"
#include "io/stream.h"
#include "lib/sort/plan/plans.h"

typedef struct gs_held_file {
    const gs_sort_options *options;
    uint8_t *memory; /* of the stream's blocks, while one is open; page-aligned */
    size_t block_bytes, block_count;
    gs_spill *spill;
    int fd;             /* -1: none yet */
    gs_stream *stream;  /* NULL: none is open */
    uint64_t ticket;    /* the next one of the stream */
    uint64_t bytes;     /* of text, from the file's beginning */
    uint64_t bytes_max; /* when it is as long as this there is no room */
    bool is_refused;    /* there is no file to be had */
    char failure[GS_STREAM_FAILURE_BYTES];
} gs_held_file;

/* Borrows the options. The caller sets `memory` before anything is kept. */
void gs_held_file_init(gs_held_file *f, const gs_sort_options *options,
                       const gs_memory_plan *plan);
void gs_held_file_release(gs_held_file *f);

/* Is there room for so many bytes more? Opens the file if there is none. */
bool gs_held_file_has_room(gs_held_file *f, size_t bytes);
/* Text, and behind it the byte `eol` if `adds_eol`. There was room. */
GS_MUST_CHECK gs_code gs_held_file_append(gs_held_file *f, const uint8_t *text,
                                          size_t bytes, bool adds_eol, uint8_t eol,
                                          gs_status *st);
/* All that was appended is in the file when it returns; its memory is free. */
GS_MUST_CHECK gs_code gs_held_file_close(gs_held_file *f, gs_status *st);
/* It was closed, and is empty from now on. */
void gs_held_file_clear(gs_held_file *f);
/* It was closed: the descriptor is the caller's, and there is no file any more. */
int gs_held_file_take(gs_held_file *f, uint64_t *bytes);

#endif
