/* SPDX-License-Identifier: MIT */
#include "lib/stream/prefix_sink.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* What a thread makes of a window. */
typedef struct window_prefixes {
    gs_text_counts values;
    gs_text_counts levels[GS_PREFIX_LEVELS_MAX];
    gs_prefixes cut;
} window_prefixes;

static void release_levels(gs_text_counts *levels)
{
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        gs_text_counts_release(&levels[i]);
}

void gs_prefix_sink_release(gs_prefix_sink *s)
{
    release_levels(s->levels);
    gs_text_counts_release(&s->level);
    gs_text_counts_release(&s->heavy);
    gs_mem_free(s->prefixes);
}

static void release_window(void *window)
{
    window_prefixes *const w = window;
    gs_text_counts_release(&w->values);
    release_levels(w->levels);
}

/* --- windows ------------------------------------------------------------------------ */

static gs_code count_prefixes(const gs_prefix_sink *s, window_prefixes *w, gs_status *st)
{
    for (size_t i = 0; i < w->values.count; i++) {
        const gs_text_count *const e = &w->values.entries[i];
        gs_prefix_cut(&s->by, gs_text_counts_text(&w->values, i), e->bytes, &w->cut);
        for (size_t p = 0; p < w->cut.count; p++) {
            const gs_slice text = w->cut.texts[p];
            gs_text_counts *const level = &w->levels[w->cut.levels[p]];
            GS_TRY(gs_text_counts_add(level, gs_text_hash(text.data, text.bytes),
                                      text.data, text.bytes, e->count, st));
            level->values += e->count;
        }
    }
    return GS_OK;
}

static gs_code digest(void *context, const gs_window *window, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_prefix_sink *const s = context;
    window_prefixes *const w = to;
    (void)is_whole;
    gs_text_counts_reset(&w->values);
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        gs_text_counts_reset(&w->levels[i]);
    GS_TRY(gs_text_counts_add_all(&w->values, window->texts, window->ends, window->count,
                                  st));
    GS_TRY(count_prefixes(s, w, st));
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        GS_TRY(gs_text_counts_prune(&w->levels[i], s->counters, st));
    return GS_OK;
}

static size_t held_bytes(const gs_prefix_sink *s)
{
    size_t sum = 0;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        sum += gs_text_counts_bytes(&s->levels[i]);
    return sum;
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_prefix_sink *const s = context;
    window_prefixes *const w = window;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++) {
        gs_text_counts *const level = &s->levels[i];
        GS_TRY(gs_text_counts_merge(level, &w->levels[i], st));
        if (level->count > 2 * s->counters)
            GS_TRY(gs_text_counts_prune(level, s->counters, st));
    }
    if (held_bytes(s) <= s->memory_bytes)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "counts of %zu prefixes of each level take more than %zu bytes",
                  s->counters, s->memory_bytes);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

/* --- reports ------------------------------------------------------------------------ */

/* Those of all levels whose count may be as large as the support asks, in one table. */
static gs_code gather_heavy(gs_prefix_sink *s, const window_prefixes *w, uint64_t values,
                            uint64_t *lost, gs_status *st)
{
    gs_text_counts_reset(&s->heavy);
    *lost = 0;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++) {
        gs_text_counts *const level = &s->level;
        gs_text_counts_reset(level);
        GS_TRY(gs_text_counts_merge(level, &s->levels[i], st));
        if (w != NULL)
            GS_TRY(gs_text_counts_merge(level, &w->levels[i], st));
        if (level->lost > *lost)
            *lost = level->lost;
        for (size_t k = 0; k < level->count; k++) {
            const gs_text_count *const e = &level->entries[k];
            if ((double)(e->count + level->lost) >= s->support * (double)values)
                GS_TRY(gs_text_counts_add(&s->heavy, e->hash,
                                          gs_text_counts_text(level, k), e->bytes,
                                          e->count, st));
        }
    }
    return GS_OK;
}

/* What each has below it goes off the next one above that is heavy. */
static void take_off_those_below(gs_prefix_sink *s)
{
    gs_prefixes cut;
    for (size_t i = 0; i < s->heavy.count; i++) {
        const gs_text_count *const e = &s->heavy.entries[i];
        gs_prefix_cut(&s->by, gs_text_counts_text(&s->heavy, i), e->bytes, &cut);
        for (size_t p = 1; p < cut.count; p++) {
            const gs_slice text = cut.texts[p];
            const size_t at = gs_text_counts_find(
                &s->heavy, gs_text_hash(text.data, text.bytes), text.data, text.bytes);
            if (at == SIZE_MAX)
                continue;
            uint64_t *const own = &s->prefixes[at].own;
            *own = *own > e->count ? *own - e->count : 0;
            break;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const gs_heavy_prefix *const x = a, *const y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    const int order = memcmp(x->text, y->text, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_prefix_sink *const s = context;
    uint64_t lost;
    GS_TRY(gather_heavy(s, last, values, &lost, st));
    const size_t count = s->heavy.count;
    GS_TRY(gs_mem_grow(&s->prefixes, &s->prefix_capacity, count + 1, "prefixes", st));
    for (size_t i = 0; i < count; i++) {
        const gs_text_count *const e = &s->heavy.entries[i];
        s->prefixes[i] = (gs_heavy_prefix){gs_text_counts_text(&s->heavy, i), e->bytes,
                                           e->count, e->count};
    }
    take_off_those_below(s);
    if (count > 1)
        qsort(s->prefixes, count, sizeof *s->prefixes, compare);
    const gs_heavy_prefixes all = {.prefixes = s->prefixes,
                                   .count = count,
                                   .values = values,
                                   .lost = lost,
                                   .bytes = held_bytes(s)};
    return s->report(s->report_context, &all, is_end, st);
}

gs_value_sink gs_prefix_sink_as_sink(gs_prefix_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_prefixes),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release_window,
    };
}
