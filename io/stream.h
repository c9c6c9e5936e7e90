/* SPDX-License-Identifier: MIT */
/*
 * stream: bytes made by many threads, written in one order.
 *
 * The stream is a sequence of large aligned blocks, of which a window is in memory:
 *
 *      written      window of blocks in memory           not yet
 *     ---------- | full | full | filling | filling | ... ----------
 *                    ^ to the disk            ^ two threads fill different parts
 *
 * Pieces come in the order of their tickets, 0, 1, 2, ...: whoever holds the next ticket
 * reserves a place (its length is known by then), then fills it while later tickets
 * reserve and fill theirs. A full block is written at once: by a writer thread, with
 * several writes in flight on a file, one after the other on a pipe; by whoever filled
 * it where the blocks are spread over several files (io/spread.h). A piece may be longer
 * than the window. Of a file in memory the blocks may be its own pages
 * (io/file_pages.h): those who fill them write, and nothing is copied. Or there are no
 * blocks, and whoever puts bytes writes them to the page cache from where they are.
 *
 * Any number of threads. After a failure every call fails with it, so nobody waits for
 * ever. Call order: new, then for each ticket reserve(is_last = false)*, reserve(is_last
 * = true), each followed by put*; then finish, free.
 */
#ifndef GS_IO_STREAM_H
#define GS_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "io/file_space.h"
#include "io/spread.h"
#include "lib/base/status.h"
#include "lib/base/trace.h"

typedef struct gs_stream gs_stream;

/* Room for the message of a failed write that names a file. */
enum { GS_STREAM_FAILURE_BYTES = 4400 };

/* Gets the bytes of a stream in order, by one thread at a time, if perhaps not always the
 * same. Up to their end and no further they can be read. */
typedef gs_code gs_stream_take_fn(void *context, const uint8_t *data, size_t bytes,
                                  gs_status *st);

typedef struct gs_stream_target {
    int fd;
    gs_stream_take_fn
        *take; /* in place of fd, of which nothing is then looked at; NULL */
    void *take_context;
    bool is_seekable; /* positioned writes; else in order with write() */
    bool try_direct;  /* O_DIRECT if the file takes it (our own descriptor only) */
    bool is_direct;   /* the descriptor has O_DIRECT already */
    bool fills_pages; /* where the file can be mapped: our own, an aligned offset */
    bool puts_write;  /* without blocks, so not by map; only if seekable, without a sum,
                         and pages are not filled. Then nothing is direct */
    gs_spread spread; /* of several files, in place of fd: a unit is a block. Only if
                         seekable and neither direct nor with a sum */
    gs_file_space *space; /* of fd, being taken, for fills_pages; borrowed, or NULL */
    bool no_uring;
    unsigned
        pipe_lanes;    /* a pipe is filled through so many of our own (io/pipe_relay.h) */
    bool ends_by_pipe; /* a closed pipe ends the program by SIGPIPE; else a write fails */
    gs_trace *trace;   /* lane GS_LANE_WRITE; may be NULL */
    uint64_t offset;   /* where the stream begins in the file; for O_DIRECT aligned */
    uint64_t skip_bytes; /* of the stream, written before by somebody else: are left out;
                            only if not seekable */
    XXH3_state_t *sum;   /* of all bytes of the stream; borrowed, or NULL */
    const char *failure; /* message of a failed write: "write failed: NAME"; borrowed */
    uint8_t
        *memory; /* page-aligned, of all blocks, if there is some; borrowed. Or NULL */
} gs_stream_target;

/* `block_bytes` is a multiple of 4096; at least 2 blocks. */
GS_MUST_CHECK gs_code gs_stream_new(gs_stream **out, const gs_stream_target *target,
                                    size_t block_bytes, size_t block_count,
                                    gs_status *st);
/* Waits for writes in flight. NULL is fine. */
void gs_stream_free(gs_stream *s);

/* Waits until `ticket` is the next, then gives `bytes` at *offset to the caller. With
 * is_last the turn goes to ticket + 1. */
GS_MUST_CHECK gs_code gs_stream_reserve(gs_stream *s, uint64_t ticket, uint64_t bytes,
                                        bool is_last, uint64_t *offset, gs_status *st);

/* Would reserve not wait? */
bool gs_stream_is_turn(gs_stream *s, uint64_t ticket);

/* The memory at a reserved offset: *room bytes, at least 1, of the `bytes` that will be
 * filled, up to the end of the block at most. Waits while the window is not there yet. */
GS_MUST_CHECK gs_code gs_stream_map(gs_stream *s, uint64_t offset, size_t bytes,
                                    uint8_t **memory, size_t *room, gs_status *st);
/* `bytes` from `offset` on, mapped before, are filled. */
void gs_stream_filled(gs_stream *s, uint64_t offset, size_t bytes);

/* map, copy and filled, as often as needed. */
GS_MUST_CHECK gs_code gs_stream_put(gs_stream *s, uint64_t offset, const void *data,
                                    size_t bytes, gs_status *st);

/* All tickets are done: writes what is left (a last block is rounded up to 4096 bytes of
 * zeros with O_DIRECT) and waits. *total is the number of bytes reserved. */
GS_MUST_CHECK gs_code gs_stream_finish(gs_stream *s, uint64_t *total, gs_status *st);

/* A thread gives up: everybody else fails too. */
/* Does put write, as asked for? */
bool gs_stream_puts_write(const gs_stream *s);
void gs_stream_abort(gs_stream *s, const gs_status *why);

uint64_t gs_stream_bytes_written(const gs_stream *s);
/* Are the blocks pages of the file? Then memory that map gave is gone once all of its
 * block is filled. */
bool gs_stream_fills_pages(const gs_stream *s);

#endif
