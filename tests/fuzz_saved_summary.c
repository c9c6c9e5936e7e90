/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a saved summary, behind its first word and with their checksum put right:
 * it is refused, or it can be asked, merged with itself and saved, and is as good when
 * it is read again.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/stream/saved_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static void ask_ranks(const gs_rank_summary *ranks)
{
    for (uint64_t i = 0; ranks->count > 0 && i <= 8; i++) {
        const uint64_t rank = 1 + (ranks->values - 1) / 8 * i;
        const gs_rank_entry *const e = gs_rank_summary_at(ranks, rank);
        require(e >= ranks->entries && e < ranks->entries + ranks->count);
    }
}

/* By how often they came, and back. */
static void ask_numbers(gs_count_summary *numbers)
{
    gs_count_summary_rank(numbers);
    for (size_t i = 1; i < numbers->count; i++)
        require(numbers->entries[i].count <= numbers->entries[i - 1].count);
    gs_count_summary_order(numbers);
}

static void ask_texts(const gs_text_counts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        const uint8_t *const text = gs_text_counts_text(texts, i);
        const size_t bytes = texts->entries[i].bytes;
        require(gs_text_counts_find(texts, gs_text_hash(text, bytes), text, bytes) == i);
    }
}

static void ask_prefixes(const gs_prefix_counts *prefixes)
{
    gs_heavy_finder finder = {.capacity = 0};
    gs_heavy_prefixes heavy = {.count = 0};
    gs_status st = {.code = GS_OK};
    require(gs_heavy_find(&finder, prefixes, NULL, 1, &heavy, &st) == GS_OK);
    for (size_t i = 0; i < heavy.count; i++)
        require(heavy.prefixes[i].own <= heavy.prefixes[i].count);
    gs_heavy_finder_release(&finder);
}

static void ask(gs_saved_summary *s)
{
    switch (s->kind) {
    case GS_SAVED_QUANTILES: ask_ranks(&s->ranks); return;
    case GS_SAVED_NUMBERS: ask_numbers(&s->numbers); return;
    case GS_SAVED_TEXTS: ask_texts(&s->texts); return;
    case GS_SAVED_SUMS:
        ask_ranks(&s->pairs.ranks);
        for (uint64_t key = 0; key < 1 << 8; key++)
            (void)gs_sum_summary_at(&s->pairs.sums, key << 56 | key);
        return;
    case GS_SAVED_PREFIXES: ask_prefixes(&s->prefixes); return;
    case GS_SAVED_KINDS: break;
    }
    abort();
}

/* Ranks may be thinned out once more each time, within their error. */
static bool is_kept_whole(gs_saved_kind kind)
{
    switch (kind) {
    case GS_SAVED_NUMBERS:
    case GS_SAVED_TEXTS:
    case GS_SAVED_PREFIXES: return true;
    case GS_SAVED_QUANTILES:
    case GS_SAVED_SUMS:
    case GS_SAVED_KINDS: break;
    }
    return false;
}

/* To bytes, and these back: they are good, and where all is kept the same. */
static void save(gs_saved_summary *s)
{
    gs_status st = {.code = GS_OK};
    gs_packer first = {.bytes = 0}, second = {.bytes = 0};
    gs_saved_summary again;
    require(gs_saved_summary_pack(s, &first, &st) == GS_OK);
    require(gs_saved_summary_unpack(&again, first.data, first.bytes, "x", &st) == GS_OK);
    require(gs_saved_summary_pack(&again, &second, &st) == GS_OK);
    require(!is_kept_whole(s->kind) ||
            (first.bytes == second.bytes &&
             memcmp(first.data, second.data, first.bytes) == 0));
    gs_saved_summary_release(&again);
    gs_packer_release(&first);
    gs_packer_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gs_status st = {.code = GS_OK};
    gs_saved_summary s, other;
    uint64_t sum;
    const size_t bytes = 8 + size;
    uint8_t *const whole = malloc(bytes + sizeof sum); /* its end is guarded */
    require(whole != NULL);
    memcpy(whole, "GSSTATS\n", 8);
    if (size > 0)
        memcpy(whole + 8, data, size);
    sum = XXH3_64bits(whole, bytes);
    memcpy(whole + bytes, &sum, sizeof sum);
    if (gs_saved_summary_unpack(&s, whole, bytes + sizeof sum, "x", &st) == GS_OK) {
        require(gs_saved_summary_unpack(&other, whole, bytes + sizeof sum, "x", &st) ==
                GS_OK);
        ask(&s);
        save(&s);
        if (gs_saved_summary_merge(&s, &other, "x", &st) == GS_OK) {
            require(s.values == 2 * other.values);
            ask(&s);
            save(&s);
        } else {
            require(st.code == GS_ERR_LIMIT);
        }
        gs_saved_summary_release(&other);
    }
    gs_saved_summary_release(&s);
    free(whole);
    return 0;
}
