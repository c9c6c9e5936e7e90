/* SPDX-License-Identifier: MIT */
/*
 * decode: zstd and gzip data, recognised by their first bytes and decoded as a stream.
 *
 * Files may hold several frames or members one after the other; zero bytes after the last
 * gzip member are padding. One thread a decoder.
 */
#ifndef GS_IO_DECODE_H
#define GS_IO_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef enum gs_compression {
    GS_COMPRESSION_NONE,
    GS_COMPRESSION_ZSTD,
    GS_COMPRESSION_GZIP,
} gs_compression;

enum { GS_DECODE_MAGIC_BYTES = 4, GS_DECODE_HEAD_BYTES = 18 };

/* Looks at the first GS_DECODE_MAGIC_BYTES. */
gs_compression gs_decode_recognise(const uint8_t *bytes, size_t count);
/* What a decoder of the stream that begins so will take of memory, as far as its first
 * GS_DECODE_HEAD_BYTES tell. */
size_t gs_decode_memory_bytes(gs_compression kind, const uint8_t *head, size_t count);

typedef struct gs_decoder gs_decoder;

/* `name` is for messages, borrowed until free(). */
GS_MUST_CHECK gs_code gs_decoder_new(gs_decoder **out, gs_compression kind,
                                     const char *name, gs_status *st);
void gs_decoder_free(gs_decoder *d); /* NULL is fine */

/* Takes some of `in` (*taken says how much) and writes some of `out` (*made). Makes
 * progress on one of them unless both are empty. */
GS_MUST_CHECK gs_code gs_decoder_run(gs_decoder *d, const uint8_t *in, size_t in_bytes,
                                     size_t *taken, uint8_t *out, size_t out_bytes,
                                     size_t *made, gs_status *st);

/* The stored bytes have ended: fails if that is in the middle of a frame. */
GS_MUST_CHECK gs_code gs_decoder_end(const gs_decoder *d, gs_status *st);

#endif
