/* SPDX-License-Identifier: MIT */
/*
 * run_block: the unit in which sorted runs are stored.
 *
 * A run is a sequence of blocks in one extent of a spill file, each with its own header
 * and checksum, so that damage is found in the block that is hurt and merging can start
 * in the middle. All numbers are little-endian.
 *
 *       0        4        6       7       8            12            16
 *      +--------+--------+-------+-------+------------+-------------+
 *      | "GSRB" | version| codec | 0     | raw bytes  | stored bytes|
 *      +--------+--------+-------+-------+------------+-------------+
 *      | record count    | 0             | XXH3-64 of the payload,  |
 *      |                 |               | seeded by that of        |
 *      |                 |               | bytes 0..23              |
 *      +-----------------+---------------+--------------------------+
 *      | payload: `stored bytes` bytes, of which the codec makes    |
 *      | the `raw bytes` again (gs_run_codec)                       |
 *      +------------------------------------------------------------+
 *
 * The writer of a run decides what the payload holds: see lib/sort/run/run_record.h.
 */
#ifndef GS_IO_RUN_BLOCK_H
#define GS_IO_RUN_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* How the payload of a block is encoded. Each has a row in run_block.c, and its number is
 * in the blocks. */
typedef enum gs_run_codec {
    GS_RUN_CODEC_RAW = 0,  /* the bytes as they are */
    GS_RUN_CODEC_ZSTD = 1, /* one frame */
    GS_RUN_CODEC_COUNT,
} gs_run_codec;

const char *gs_run_codec_name(gs_run_codec codec);
/* GS_RUN_CODEC_RAW if none has that name. */
gs_run_codec gs_run_codec_named(const char *name);

typedef struct gs_run_block_header {
    char magic[4];
    uint16_t version;
    uint8_t codec;
    uint8_t reserved;
    uint32_t raw_bytes;
    uint32_t stored_bytes;
    uint32_t record_count;
    uint32_t reserved2;
    uint64_t checksum;
} gs_run_block_header;

_Static_assert(sizeof(gs_run_block_header) == 32, "on-disk layout");

enum { GS_RUN_BLOCK_VERSION = 2 };
_Static_assert(GS_RUN_CODEC_COUNT == 2 && GS_RUN_BLOCK_VERSION == 2,
               "older programs do not know a new codec: the version goes up with it");

/* What one thread needs to encode and decode, by any codec. */
typedef struct gs_run_coder gs_run_coder;
GS_MUST_CHECK gs_code gs_run_coder_new(gs_run_coder **out, gs_status *st);
void gs_run_coder_free(gs_run_coder *coder); /* NULL is fine */

/* Most bytes that a codec makes of `raw_bytes`; of more than it takes, they themselves.
 */
size_t gs_run_codec_bound(gs_run_codec codec, size_t raw_bytes);
/* The same of a block by any of them, header included. */
size_t gs_run_block_bound(size_t raw_bytes);

/* Writes header and payload to `to`, returns their size in *stored. Data that does not
 * get smaller is stored as it is. */
GS_MUST_CHECK gs_code gs_run_block_encode(gs_run_coder *coder, gs_run_codec codec,
                                          const void *raw, size_t raw_bytes,
                                          uint32_t record_count, uint8_t *to,
                                          size_t *stored, gs_status *st);
/* The payload alone, as large as it comes out: to see what a codec is worth. */
GS_MUST_CHECK gs_code gs_run_payload_encode(gs_run_coder *coder, gs_run_codec codec,
                                            const void *raw, size_t raw_bytes,
                                            uint8_t *to, size_t *bytes, gs_status *st);

/* Checks the `available` bytes at `from` for one whole sound block and gives its raw
 * payload in `to` (room for `capacity`). *stored is the block's size with its header.
 * Fails with GS_ERR_FORMAT and `place` in the message. */
GS_MUST_CHECK gs_code gs_run_block_decode(gs_run_coder *coder, const uint8_t *from,
                                          size_t available, const char *place, void *to,
                                          size_t capacity, size_t *raw_bytes,
                                          uint32_t *record_count, size_t *stored,
                                          gs_status *st);

#endif
