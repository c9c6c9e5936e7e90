/* SPDX-License-Identifier: MIT */
#include "lib/stream/time_raw.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum { PAIR = 2 };

static size_t key_bytes(const gs_time_raw *r)
{
    return r->count * (r->is_text ? 1 : PAIR) * sizeof *r->keys;
}

static size_t end_bytes(const gs_time_raw *r)
{
    return r->is_text ? r->count * sizeof *r->ends : 0;
}

void gs_time_raw_release(gs_time_raw *r)
{
    gs_mem_free(r->keys);
    gs_mem_free(r->texts);
    gs_mem_free(r->ends);
    *r = (gs_time_raw){.count = 0};
}

size_t gs_time_raw_bytes(const gs_time_raw *r)
{
    return key_bytes(r) + end_bytes(r) + r->text_bytes;
}

gs_time_raw gs_time_raw_of(const gs_window *w)
{
    const bool is_text = w->width == 0;
    gs_assert(is_text ? w->times != NULL : w->width == PAIR);
    return (gs_time_raw){.is_text = is_text,
                         .keys = is_text ? w->times : w->keys,
                         .texts = w->texts,
                         .ends = w->ends,
                         .count = w->count,
                         .text_bytes = w->text_bytes};
}

/* The same room as often as not: blocks have as many values, but not as much text. */
static gs_code copy_bytes(void *to, const void *from, size_t bytes, size_t held,
                          gs_status *st)
{
    if (bytes != held)
        GS_TRY((gs_mem_resize)(to, bytes, "values with times", st));
    void *place;
    memcpy(&place, to, sizeof place);
    if (bytes > 0)
        memcpy(place, from, bytes);
    return GS_OK;
}

gs_code gs_time_raw_copy(gs_time_raw *to, const gs_time_raw *from, gs_status *st)
{
    GS_TRY(copy_bytes(&to->keys, from->keys, key_bytes(from), key_bytes(to), st));
    GS_TRY(copy_bytes(&to->ends, from->ends, end_bytes(from), end_bytes(to), st));
    GS_TRY(copy_bytes(&to->texts, from->texts, from->text_bytes, to->text_bytes, st));
    to->is_text = from->is_text;
    to->count = from->count;
    to->text_bytes = from->text_bytes;
    return GS_OK;
}

static inline uint64_t time_key(const gs_time_raw *r, size_t i)
{
    return r->keys[r->is_text ? i : PAIR * i + 1];
}

static inline double time_at(const gs_time_raw *r, size_t i)
{
    return gs_number_as_double(GS_NUMBER_F64, time_key(r, i));
}

void gs_time_raw_times(const gs_time_raw *r, double *first, double *last)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < r->count; i++) {
        const uint64_t key = time_key(r, i);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    *first = gs_number_as_double(GS_NUMBER_F64, least);
    *last = gs_number_as_double(GS_NUMBER_F64, most);
}

static gs_code take_texts(const gs_time_raw *r, const gs_time_span *span,
                          gs_text_counts *to, gs_status *st)
{
    gs_text_counts_reset(to);
    for (size_t i = 0; i < r->count; i++) {
        if (!gs_time_is_in(span, time_at(r, i)))
            continue;
        const size_t begin = i > 0 ? r->ends[i - 1] : 0, bytes = r->ends[i] - begin;
        const uint8_t *const text = /* there is no room for nothing */
            bytes > 0 ? r->texts + begin : (const uint8_t *)"";
        GS_TRY(gs_text_counts_add(to, gs_text_hash(text, bytes), text, bytes, 1, st));
        to->values++;
    }
    return GS_OK;
}

static size_t take_keys(const gs_time_raw *r, const gs_time_span *span, uint64_t *keys)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        keys[n] = r->keys[PAIR * i];
        n += gs_time_is_in(span, time_at(r, i));
    }
    return n;
}

gs_code gs_time_raw_take(const gs_time_raw *r, const gs_time_span *span,
                         gs_sliding_kind kind, uint64_t *keys, gs_sliding_block *to,
                         gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS:
        return gs_rank_summary_take(&to->ranks, keys, take_keys(r, span, keys), 1, st);
    case GS_SLIDING_NUMBERS:
        return gs_count_summary_take(&to->numbers, keys, take_keys(r, span, keys), st);
    case GS_SLIDING_TEXTS: return take_texts(r, span, &to->texts, st);
    case GS_SLIDING_SUMS: /* have no windows of time */
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    gs_assert_failed("kind", __FILE__, __LINE__);
}
