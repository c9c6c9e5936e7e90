/* SPDX-License-Identifier: MIT */
/*
 * term_dictionary: numbers for terms, in the order in which they are first seen, and
 * their ranks in byte order.
 *
 * Shared by all threads of a build. The hash is cut into shards; known terms are found
 * without a lock, new ones are added under their shard's. What a thread has met lately it
 * finds in a cache of its own. Ranks are made between the phases of a build, by one
 * thread: terms new since the last time are sorted and merged into the order of the
 * others.
 *
 * Every byte is counted, what ranking needs included. A full dictionary refuses new terms
 * and goes on knowing the old ones; reset empties it.
 */
#ifndef GS_LIB_INDEX_BLOCK_TERM_DICTIONARY_H
#define GS_LIB_INDEX_BLOCK_TERM_DICTIONARY_H

#include <stdbool.h>

#include "lib/index/text/documents.h"

typedef struct gs_term_dictionary gs_term_dictionary;

enum { GS_DICTIONARY_BYTES_MIN = 512 * 1024 };

#define GS_TERM_ID_NONE UINT32_MAX

GS_MUST_CHECK gs_code gs_term_dictionary_new(gs_term_dictionary **out,
                                             size_t memory_bytes, gs_status *st);
void gs_term_dictionary_free(gs_term_dictionary *d); /* NULL is fine */

/* A thread's cache. */
typedef struct gs_term_cache gs_term_cache;
GS_MUST_CHECK gs_code gs_term_cache_new(gs_term_cache **out, gs_status *st);
void gs_term_cache_free(gs_term_cache *cache); /* NULL is fine */
/* Forgets all: the dictionary was reset. */
void gs_term_cache_reset(gs_term_cache *cache);

/* The term's number, given to it if it has none; GS_TERM_ID_NONE if the dictionary is
 * full. Any thread. */
GS_MUST_CHECK gs_code gs_term_dictionary_id(gs_term_dictionary *d, gs_term_cache *cache,
                                            const gs_token *term, uint32_t *id,
                                            gs_status *st);
/* To be asked for ahead: where `id` will look first for a token; and later, when that is
 * there, where it will look then. */
void gs_term_cache_prefetch(const gs_term_cache *cache, const gs_token *term);
void gs_term_dictionary_prefetch(const gs_term_dictionary *d, const gs_term_cache *cache,
                                 const gs_token *term);

size_t gs_term_dictionary_count(const gs_term_dictionary *d);
size_t gs_term_dictionary_bytes(const gs_term_dictionary *d);
size_t gs_term_dictionary_bytes_max(const gs_term_dictionary *d);

/* No other thread is using the dictionary. */
GS_MUST_CHECK gs_code gs_term_dictionary_rank(gs_term_dictionary *d, gs_status *st);
void gs_term_dictionary_reset(gs_term_dictionary *d);

/* After rank: ranks[id], and the id of each rank. */
const uint32_t *gs_term_dictionary_ranks(const gs_term_dictionary *d);
const uint32_t *gs_term_dictionary_order(const gs_term_dictionary *d);
/* Padded with zeros to a multiple of 8 bytes. */
const uint8_t *gs_term_dictionary_term(const gs_term_dictionary *d, uint32_t id,
                                       size_t *bytes);

#endif
