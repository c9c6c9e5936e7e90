/* SPDX-License-Identifier: MIT */
/*
 * block: the large aligned buffers that input arrives in, and their pool.
 *
 *      base                 data (aligned)              data + len   end of capacity
 *       |<--- headroom ----->|<-------- content --------->|<- free ->|<-- slack -->|
 *
 * The headroom lets the reader of lines put the cut-off end of the previous block
 * in front of this one without moving the content. The slack may be read (not
 * written) past the content, so that vector code needs no tail case.
 *
 * A block has one owner at a time. get and release may be called by any thread.
 */
#ifndef GS_IO_BLOCK_H
#define GS_IO_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum {
    GS_BLOCK_ALIGN = 4096,
    GS_BLOCK_HEADROOM = 65536,
    GS_BLOCK_SLACK = 4096,
};

typedef struct gs_block_pool gs_block_pool;

typedef struct gs_block {
    uint8_t *data; /* first byte of the content; may be moved down into the headroom */
    size_t len;
    size_t capacity;           /* bytes that may be written from the aligned start */
    size_t input_index;        /* which input file the content came from */
    bool ends_input;           /* nothing of that file follows */
    struct gs_late_file *late; /* not NULL: its content is still to be read */
    uint64_t late_offset;      /* (io/late_read.h), and behind it */
    size_t late_rest; /* so many bytes that belong to it, for which it is small */
    uint8_t *start;   /* aligned start of the content area, never moves */
    gs_block_pool *pool;
    struct gs_block *next_free;
} gs_block;

/* All the memory is mapped at once; pages are taken when first used. */
GS_MUST_CHECK gs_code gs_block_pool_new(gs_block_pool **out, size_t block_bytes,
                                        size_t block_count, gs_status *st);
/* NULL is fine. Every block must have been released. */
void gs_block_pool_free(gs_block_pool *pool);

/* A fresh block (data == start, len == 0), or NULL when all are in use. */
gs_block *gs_block_try_get(gs_block_pool *pool);
/* Waits until one is released. */
gs_block *gs_block_get(gs_block_pool *pool);
void gs_block_release(gs_block *block); /* NULL is fine */

size_t gs_block_pool_block_bytes(const gs_block_pool *pool); /* capacity of each */
/* The mapped area that holds every block, for registering with the kernel. */
void gs_block_pool_area(const gs_block_pool *pool, void **start, size_t *bytes);

#endif
