/* SPDX-License-Identifier: MIT */
#include "lib/index/read/index_dictionary.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/index/read/index_state.h"

/* Sixteen words of a language take about 200 bytes. */
enum { FETCH_BYTES = 256, CACHE_LINE_BYTES = 64 };

uint64_t gs_index_dictionary_blocks(const gs_index *index)
{
    return index->terms.blocks;
}

uint64_t gs_index_dictionary_places(const gs_index *index)
{
    return index->terms.offsets;
}

const uint64_t *gs_index_term_prefixes(const gs_index *index)
{
    /* Aligned: the map is, and the offset was checked. */
    return (const uint64_t *)(const void *)(index->files[GS_INDEX_TERMS] +
                                            index->terms.table);
}

gs_code gs_index_check_prefixes(const gs_index *index, uint64_t first, uint64_t count,
                                gs_status *st)
{
    const uint64_t *const at = gs_index_term_prefixes(index) + first;
    gs_assert(first <= index->terms.blocks && count <= index->terms.blocks - first);
    return gs_index_check_own_pages(index, GS_INDEX_TERMS, (const uint8_t *)at,
                                    (const uint8_t *)(at + count), st);
}

/* The group of places that the block's is in. */
static const uint8_t *places_of(const gs_index *index, uint64_t block)
{
    return index->files[GS_INDEX_TERMS] + index->terms.offsets +
           block / GS_INDEX_PLACE_GROUP * sizeof(gs_index_places);
}

static uint64_t place_of(const gs_index_places *places, uint64_t block)
{
    return gs_index_once(places->offset) +
           gs_index_once(places->behind[block % GS_INDEX_PLACE_GROUP]);
}

void gs_index_fetch_offset(const gs_index *index, uint64_t block)
{
    if (block < index->terms.blocks)
        __builtin_prefetch(places_of(index, block));
}

void gs_index_fetch_block(const gs_index *index, uint64_t block)
{
    gs_index_places places;
    if (block >= index->terms.blocks)
        return;
    memcpy(&places, places_of(index, block), sizeof places);
    const uint64_t at = place_of(&places, block);
    const uint64_t bytes = index->bytes[GS_INDEX_TERMS];
    if (at > bytes || bytes - at < FETCH_BYTES)
        return;
    for (size_t i = 0; i < FETCH_BYTES; i += CACHE_LINE_BYTES)
        __builtin_prefetch(index->files[GS_INDEX_TERMS] + at + i);
}

/* Where a block begins, or, of the one behind the last, where that ends. */
static gs_code read_place(const gs_index *index, uint64_t block, uint64_t *out,
                          gs_status *st)
{
    gs_index_places places;
    const uint8_t *const at = places_of(index, block);
    GS_TRY(gs_index_check_own_pages(index, GS_INDEX_TERMS, at, at + sizeof places, st));
    memcpy(&places, at, sizeof places);
    *out = place_of(&places, block);
    return GS_OK;
}

gs_code gs_index_dictionary_block(const gs_index *index, uint64_t block,
                                  const uint8_t **begin, const uint8_t **end,
                                  gs_status *st)
{
    gs_assert(block < index->terms.blocks);
    uint64_t from, to;
    GS_TRY(read_place(index, block, &from, st));
    GS_TRY(read_place(index, block + 1, &to, st));
    if (from > to)
        return gs_index_damaged(index, GS_INDEX_TERMS, "a block ends early", st);
    GS_TRY(gs_index_bytes(index, GS_INDEX_TERMS, from, to - from, begin, st));
    *end = *begin + (to - from);
    return GS_OK;
}
