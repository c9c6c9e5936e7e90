/* SPDX-License-Identifier: MIT */
#include "lib/stream/column_facts.h"

#include <string.h>

#include "lib/base/mem.h"

void gs_column_facts_release(gs_column_facts *f)
{
    gs_mem_free(f->least.data);
    gs_mem_free(f->most.data);
    gs_text_counts_release(&f->counts);
    gs_rank_summary_release(&f->ranks);
    f->least = f->most = (gs_kept_text){0};
}

void gs_column_facts_reset(gs_column_facts *f)
{
    memset(f->kinds, 0, sizeof f->kinds);
    memset(&f->distinct, 0, sizeof f->distinct);
    f->missing = 0;
    f->least.is_there = f->most.is_there = false;
    f->ranks.count = 0;
    f->ranks.values = 0;
    gs_text_counts_reset(&f->counts);
}

static int compare(const gs_kept_text *kept, const uint8_t *text, size_t bytes)
{
    const int order = memcmp(kept->data, text, bytes < kept->bytes ? bytes : kept->bytes);
    return order != 0 ? order : (kept->bytes > bytes) - (kept->bytes < bytes);
}

static gs_code keep(gs_kept_text *kept, const uint8_t *text, size_t bytes, gs_status *st)
{
    GS_TRY(gs_mem_grow(&kept->data, &kept->capacity, bytes + 1, "a value", st));
    if (bytes > 0)
        memcpy(kept->data, text, bytes);
    kept->bytes = bytes;
    kept->is_there = true;
    return GS_OK;
}

static gs_code keep_ends(gs_column_facts *f, const uint8_t *text, size_t bytes,
                         gs_status *st)
{
    if (!f->least.is_there || compare(&f->least, text, bytes) > 0)
        GS_TRY(keep(&f->least, text, bytes, st));
    if (!f->most.is_there || compare(&f->most, text, bytes) < 0)
        return keep(&f->most, text, bytes, st);
    return GS_OK;
}

static void keep_keys(gs_column_facts *f, bool is_first, uint64_t least, uint64_t most)
{
    if (is_first || least < f->least_key)
        f->least_key = least;
    if (is_first || most > f->most_key)
        f->most_key = most;
}

gs_code gs_column_facts_add(gs_column_facts *f, const uint8_t *text, size_t bytes,
                            uint64_t *key, bool *is_number, gs_status *st)
{
    const gs_value_kind kind = gs_value_kind_of(text, bytes, key);
    const bool is_first = gs_column_numbers(f) == 0;
    f->kinds[kind]++;
    *is_number = kind == GS_KIND_INTEGER || kind == GS_KIND_DECIMAL;
    if (kind == GS_KIND_EMPTY)
        return GS_OK;
    if (*is_number)
        keep_keys(f, is_first, *key, *key);
    else
        GS_TRY(keep_ends(f, text, bytes, st));
    const uint64_t hash = gs_text_hash(text, bytes);
    gs_distinct_add(&f->distinct, hash);
    f->counts.values++;
    return gs_text_counts_add(&f->counts, hash, text, bytes, 1, st);
}

gs_code gs_column_facts_merge(gs_column_facts *f, const gs_column_facts *other,
                              gs_status *st)
{
    if (gs_column_numbers(other) > 0)
        keep_keys(f, gs_column_numbers(f) == 0, other->least_key, other->most_key);
    for (size_t i = 0; i < GS_KIND_COUNT; i++)
        f->kinds[i] += other->kinds[i];
    f->missing += other->missing;
    if (other->least.is_there) {
        GS_TRY(keep_ends(f, other->least.data, other->least.bytes, st));
        GS_TRY(keep_ends(f, other->most.data, other->most.bytes, st));
    }
    gs_distinct_merge(&f->distinct, &other->distinct);
    return gs_text_counts_merge(&f->counts, &other->counts, st);
}

uint64_t gs_column_facts_distinct(const gs_column_facts *f, bool *is_exact)
{
    *is_exact = f->counts.lost == 0;
    return *is_exact ? f->counts.count : gs_distinct_estimate(&f->distinct);
}
