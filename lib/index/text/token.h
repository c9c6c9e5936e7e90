/* SPDX-License-Identifier: MIT */
/*
 * token: a term as it goes from the input to an index builder, some hundreds at a time.
 *
 * Terms lie in the buffer of their batch, each padded with zeros to a multiple of
 * GS_TERM_PAD bytes, so that hashing, comparing and copying move whole words and need no
 * tail case.
 */
#ifndef GS_LIB_INDEX_TEXT_TOKEN_H
#define GS_LIB_INDEX_TEXT_TOKEN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/status.h"

enum {
    GS_TERM_BYTES_MAX = 65535,
    GS_TERM_PAD = 16,
    GS_TOKENS_MAX = 512, /* in a batch: what fits the first-level cache */
    /* A batch is full when a term of the greatest length might not fit. */
    GS_TOKEN_BYTES = 2 * (GS_TERM_BYTES_MAX + 1) + 32 * GS_TOKENS_MAX,
};

typedef struct gs_token {
    const uint8_t *term;
    uint32_t bytes;
    uint32_t hash;
    uint32_t position; /* in its document, counted in words from 0 */
    uint32_t document; /* counted by whoever fills the batch */
} gs_token;

typedef struct gs_token_batch {
    size_t count;
    size_t used;       /* of bytes */
    uint32_t document; /* of the tokens that are added */
    gs_token tokens[GS_TOKENS_MAX];
    uint8_t *bytes; /* GS_TOKEN_BYTES and a pad */
} gs_token_batch;

GS_MUST_CHECK gs_code gs_token_batch_init(gs_token_batch *batch, gs_status *st);
void gs_token_batch_release(gs_token_batch *batch); /* a zeroed one is fine */

static inline void gs_token_batch_clear(gs_token_batch *batch)
{
    batch->count = batch->used = 0;
}

/* Is there room for one more, of whatever length? */
static inline int gs_token_batch_has_room(const gs_token_batch *batch)
{
    return batch->count < GS_TOKENS_MAX &&
           batch->used <= GS_TOKEN_BYTES - (GS_TERM_BYTES_MAX + 1);
}

static inline size_t gs_term_padded_bytes(size_t bytes)
{
    return (bytes + GS_TERM_PAD - 1) / GS_TERM_PAD * GS_TERM_PAD;
}

static inline uint64_t gs_term_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t gs_term_mix(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of a padded term. */
static inline uint32_t gs_term_hash(const uint8_t *term, size_t bytes)
{
    uint64_t h = bytes * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = 0; at < bytes; at += 16)
        h = gs_term_mix(gs_term_word(term + at) ^ h ^ UINT64_C(0xa0761d6478bd642f),
                        gs_term_word(term + at + 8) ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint32_t)(h ^ h >> 32);
}

/* Adds the term of `bytes` bytes that stands, padded, at bytes + used. */
static inline void gs_token_batch_add(gs_token_batch *batch, size_t bytes,
                                      uint32_t position)
{
    const uint8_t *const term = batch->bytes + batch->used;
    batch->tokens[batch->count++] = (gs_token){
        term, (uint32_t)bytes, gs_term_hash(term, bytes), position, batch->document};
    batch->used += gs_term_padded_bytes(bytes);
}

#endif
