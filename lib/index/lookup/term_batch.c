/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/term_batch.h"

#include <endian.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/lookup/prefix_search.h"

/* How far ahead of seek its offset is fetched, and then its block: a seek takes about as
 * long as three loads from memory. */
enum { OFFSET_AHEAD = 8, BLOCK_AHEAD = 4, PREFIX_BYTES = 8 };

/* Fewer are searched for one by one: that touches some pages of the array of prefixes,
 * where a search for many needs all of them compared. */
enum { MANY_TERMS = 16 };

struct gs_term_batch {
    const gs_index *index;
    bool has_ranks; /* there are not more blocks than they can tell */
    bool is_found;
    size_t count, text_bytes;
    uint8_t text[GS_TERM_BATCH_BYTES + PREFIX_BYTES]; /* a prefix can be read anywhere */
    uint32_t ends[GS_TERM_BATCH_TERMS];
    uint64_t prefixes[GS_TERM_BATCH_TERMS];
    uint32_t ranks[GS_TERM_BATCH_TERMS];
};

gs_code gs_term_batch_new(gs_term_batch **out, const gs_index *index, gs_status *st)
{
    *out = NULL;
    gs_term_batch *b = NULL;
    GS_TRY(gs_mem_map(&b, sizeof *b, false, "term batch", st));
    b->index = index;
    b->has_ranks = gs_index_dictionary_blocks(index) <= GS_PREFIX_KEYS_MAX;
    *out = b;
    return GS_OK;
}

void gs_term_batch_free(gs_term_batch *b)
{
    if (b != NULL)
        gs_mem_unmap(b, sizeof *b);
}

bool gs_term_batch_add(gs_term_batch *b, const void *term, size_t bytes)
{
    if (b->count == GS_TERM_BATCH_TERMS || bytes > GS_TERM_BATCH_BYTES - b->text_bytes)
        return false;
    memcpy(b->text + b->text_bytes, term, bytes);
    b->text_bytes += bytes;
    b->ends[b->count] = (uint32_t)b->text_bytes;
    b->count++;
    return true;
}

size_t gs_term_batch_count(const gs_term_batch *b)
{
    return b->count;
}

/* What gs_term_prefix gives, where eight bytes can be read. */
static uint64_t prefix_of(const uint8_t *term, size_t bytes)
{
    uint64_t prefix;
    memcpy(&prefix, term, sizeof prefix);
    prefix = be64toh(prefix);
    return bytes >= PREFIX_BYTES ? prefix : prefix & ~(UINT64_MAX >> (8 * bytes));
}

static void take_prefixes(gs_term_batch *b, gs_term_slice slice)
{
    size_t begin = slice.first > 0 ? b->ends[slice.first - 1] : 0;
    for (size_t i = slice.first; i < slice.end; i++) {
        b->prefixes[i] = prefix_of(b->text + begin, b->ends[i] - begin);
        begin = b->ends[i];
    }
}

void gs_term_batch_find(gs_term_batch *b, gs_prefix_ranks *finder)
{
    if (!b->has_ranks || !gs_prefix_ranks_is_ready(finder))
        return;
    take_prefixes(b, (gs_term_slice){0, b->count});
    b->is_found = gs_prefix_ranks_find(finder, b->prefixes, b->count, b->ranks);
}

/* Of all of the batch, by a slice or by find. */
static bool has_ranks(const gs_term_batch *b)
{
    return b->has_ranks && (b->is_found || b->count >= MANY_TERMS);
}

gs_code gs_term_batch_find_slice(gs_term_batch *b, gs_term_slice slice, gs_status *st)
{
    const uint64_t blocks = gs_index_dictionary_blocks(b->index);
    gs_assert(slice.first <= slice.end && slice.end <= b->count);
    if (!has_ranks(b) || b->is_found)
        return GS_OK;
    /* The search has nobody to tell of a page. */
    GS_TRY(gs_index_check_prefixes(b->index, 0, blocks, st));
    take_prefixes(b, slice);
    gs_prefix_search(gs_index_term_prefixes(b->index), blocks, b->prefixes + slice.first,
                     slice.end - slice.first, b->ranks + slice.first);
    return GS_OK;
}

const char *gs_term_batch_term(const gs_term_batch *b, size_t i, size_t *bytes)
{
    gs_assert(i < b->count);
    const size_t begin = i > 0 ? b->ends[i - 1] : 0;
    *bytes = b->ends[i] - begin;
    return (const char *)b->text + begin;
}

uint32_t gs_term_batch_rank(const gs_term_batch *b, size_t i)
{
    gs_assert(i < b->count);
    return b->ranks[i];
}

/* The block that a term of this rank is in, if no two blocks begin with its prefix. */
static uint64_t block_of(uint32_t rank)
{
    return rank > 0 ? rank - 1 : 0;
}

gs_code gs_term_batch_seek(const gs_term_batch *b, gs_term_slice slice, size_t i,
                           gs_term_cursor *cursor, gs_status *st)
{
    size_t bytes;
    const char *const term = gs_term_batch_term(b, i, &bytes);
    gs_assert(slice.first <= i && i < slice.end);
    if (!has_ranks(b))
        return gs_term_cursor_seek(cursor, term, bytes, st);
    if (i + OFFSET_AHEAD < slice.end)
        gs_index_fetch_offset(b->index, block_of(b->ranks[i + OFFSET_AHEAD]));
    if (i + BLOCK_AHEAD < slice.end)
        gs_index_fetch_block(b->index, block_of(b->ranks[i + BLOCK_AHEAD]));
    return gs_term_cursor_seek_near(cursor, b->ranks[i], term, bytes, st);
}

void gs_term_batch_clear(gs_term_batch *b)
{
    b->count = b->text_bytes = 0;
    b->is_found = false;
}
