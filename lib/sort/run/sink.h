/* SPDX-License-Identifier: MIT */
/*
 * sink: where sorted records go, as text to the output or as blocks to a run.
 *
 * The order of the output is cut into pieces, numbered by their tickets: from 1 on for
 * records, since what stands before them (a header) has ticket 0. A worker
 * makes one piece after the other in buffers of its own and puts it into the stream when
 * its turn comes. A piece that outgrows the buffer waits for its turn and then flows.
 * Whole pieces of a run do not wait: as many as `held_most` are held until the turn comes
 * to them, and then written by the worker who brings it.
 *
 *      worker 0:  piece 0 ----------> | piece 2 ------>
 *      worker 1:  piece 1 ------> wait |  piece 3 --->
 *      stream:    | piece 0 | piece 1 | piece 2 | ...
 *
 * A gs_sink is shared; a gs_sink_piece belongs to one worker.
 */
#ifndef GS_LIB_SORT_RUN_SINK_H
#define GS_LIB_SORT_RUN_SINK_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/run_block.h"
#include "io/stream.h"
#include "lib/sort/record/records.h"
#include "lib/sort/run/run.h"
#include "lib/sort/witness/witnesses.h"

typedef struct gs_sink_held gs_sink_held;

typedef struct gs_sink {
    gs_stream *stream;
    gs_record_layout layout;
    bool has_counts;    /* records carry how often they came */
    gs_run *run;        /* NULL: text */
    gs_run_codec codec; /* of run blocks */
    bool is_zstd;       /* text: one zstd frame a flush */
    int zstd_level;     /* of that, as far as zstd_bytes allow it */
    size_t zstd_bytes;  /* memory for that, of each piece */
    size_t block_raw_bytes;
    size_t buffer_bytes; /* a piece flows when it holds this much */
    size_t held_most;    /* pieces of a run */
    bool is_passing;     /* text, but not the output: another merge reads it */
    /* Of text that will have so many bytes the first may go to memory, by any threads,
     * and the others to the stream: how many, whole blocks of the stream unless it is all
     * of them. NULL: none. */
    uint64_t (*place)(void *context, uint64_t bytes, uint8_t **to);
    void *place_context;
    gs_witness *witness;       /* sees what text goes out; else only what stays out */
    pthread_mutex_t run_mutex; /* guards run->entries and held */
    gs_sink_held *held;        /* held_most of them once there is one */
    _Atomic uint64_t record_count;
} gs_sink;

/* Everything before run_mutex is set by the caller. */
void gs_sink_init(gs_sink *sink);
void gs_sink_release(gs_sink *sink);

typedef struct gs_sink_piece gs_sink_piece;
GS_MUST_CHECK gs_code gs_sink_piece_new(gs_sink_piece **out, gs_sink *sink,
                                        gs_status *st);
void gs_sink_piece_free(gs_sink_piece *p); /* NULL is fine */

/* One record: `data` is key and line (and eol), `length` counts key and line. `shared` as
 * in lib/sort/run/run_record.h; text does not look at it. */
typedef struct gs_sink_record {
    const uint8_t *data;
    size_t length;
    size_t key_bytes;
    uint64_t count;
    size_t shared;
    gs_seen_string string; /* that orders it, if that is not in `data`: for a witness */
} gs_sink_record;

void gs_sink_begin(gs_sink_piece *p, uint64_t ticket);
/* Nothing of the piece that was begun goes out before its end, however large it gets. */
void gs_sink_hold_back(gs_sink_piece *p);
/* The piece that was begun, of text as it is, will have just so many bytes: its place is
 * taken now, so that it flows before pieces whose turn comes earlier are complete. Waits
 * until they have taken theirs. */
GS_MUST_CHECK gs_code gs_sink_take_place(gs_sink_piece *p, uint64_t bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_sink_add(gs_sink_piece *p, const gs_sink_record *r,
                                  gs_status *st);
/* So many records, text only, as they are; nobody looks at them. */
GS_MUST_CHECK gs_code gs_sink_add_records(gs_sink_piece *p, const uint8_t *text,
                                          size_t bytes, uint64_t records, gs_status *st);
/* `times` records with this line (without eol) are left out, as equals of one that is or
 * will be added. */
void gs_sink_drop(gs_sink_piece *p, const uint8_t *line, size_t bytes, uint64_t times);
/* The same of lines that nobody has seen. */
void gs_sink_drop_unknown(gs_sink_piece *p, uint64_t times);
/* Bytes as they are (a header), text only. */
GS_MUST_CHECK gs_code gs_sink_add_bytes(gs_sink_piece *p, const void *data, size_t bytes,
                                        gs_status *st);
/* Room for `bytes` of text that the caller makes in place, and for what copies write
 * beyond (gs_copy_short); then how many bytes and lines were made. The piece flows as one
 * of records does. */
GS_MUST_CHECK gs_code gs_sink_text_room(gs_sink_piece *p, size_t bytes, uint8_t **to,
                                        gs_status *st);
void gs_sink_text_added(gs_sink_piece *p, size_t bytes, uint64_t lines);
GS_MUST_CHECK gs_code gs_sink_end(gs_sink_piece *p, gs_status *st);

/* A run is complete: puts its entries in order. */
void gs_sink_finish_run(gs_sink *sink);

#endif
