/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/run_ranges.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

/* --- the ranges ----------------------------------------------------------------- */

const uint8_t *const *gs_run_ranges_begin(const gs_run_ranges *r, size_t range)
{
    gs_assert(range <= r->count);
    return r->bounds + range * r->run_count;
}

uint64_t gs_run_ranges_bytes(const gs_run_ranges *r, size_t range)
{
    const uint8_t *const *const begin = gs_run_ranges_begin(r, range);
    const uint8_t *const *const end = gs_run_ranges_begin(r, range + 1);
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->run_count; i++)
        bytes += (uint64_t)(end[i] - begin[i]);
    return bytes;
}

/* What was looked at to cut counts as ours no more; the rest is read without a look. */
static void leave_texts(const gs_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gs_text_leave(&texts[i], texts[i].begin, (size_t)(texts[i].end - texts[i].begin));
}

static gs_code cut_all(gs_run_ranges *r, const gs_text *texts, gs_text_cut *cut,
                       gs_status *st)
{
    gs_text_cut_end how = GS_TEXT_CUT_PIECE;
    for (;;) {
        const size_t rows = r->count + 2;
        GS_TRY(gs_mem_grow(&r->bounds, &r->capacity, rows * r->run_count,
                           "ranges of runs", st));
        const uint8_t **const begin = r->bounds + r->count * r->run_count;
        GS_TRY(gs_text_cut_next(cut, begin, begin + r->run_count, &how, st));
        leave_texts(texts, r->run_count);
        if (how == GS_TEXT_CUT_DISORDER)
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "the runs were not in order");
        if (how == GS_TEXT_CUT_DONE)
            return GS_OK;
        r->count++;
    }
}

gs_code gs_run_ranges_make(gs_run_ranges *r, gs_mapped_store *store,
                           const gs_text_form *form, size_t range_bytes, gs_status *st)
{
    const gs_text *texts = NULL;
    gs_text_cut *cut = NULL;
    r->store = store;
    GS_TRY(gs_mapped_store_texts(store, &texts, &r->run_count, st));
    const gs_text_cut_options options = {.form = *form,
                                         .texts = texts,
                                         .text_count = r->run_count,
                                         .piece_bytes = range_bytes,
                                         .keeps_equals_together =
                                             gs_mapped_store_drops_equals(store),
                                         .are_mapped = true};
    if (gs_text_cut_new(&cut, &options, st) == GS_OK)
        GS_NOTED(cut_all(r, texts, cut, st));
    gs_text_cut_free(cut);
    return st->code;
}

void gs_run_ranges_release(gs_run_ranges *r)
{
    gs_mem_free(r->bounds);
    *r = (gs_run_ranges){0};
}

/* --- their batches -------------------------------------------------------------- */

static gs_code next_batch(void *context, gs_line_batch *batch, bool *has_batch,
                          gs_status *st)
{
    gs_run_batches *const b = context;
    const gs_run_ranges *const r = b->ranges;
    (void)st;
    for (*has_batch = false; b->range < r->count && !*has_batch;) {
        const uint8_t *const from =
            b->at != NULL ? b->at : gs_run_ranges_begin(r, b->range)[b->run];
        const uint8_t *const end = gs_run_ranges_begin(r, b->range + 1)[b->run];
        if (from < end) {
            const size_t bytes =
                gs_mapped_store_readable(r->store, b->run, from, end, b->block_bytes);
            *batch = (gs_line_batch){.data = from, .bytes = bytes, .input_index = b->run};
            b->at = from + bytes;
            *has_batch = true;
            continue;
        }
        b->at = NULL;
        b->run = (b->run + 1) % r->run_count;
        b->range += b->run == 0;
    }
    return GS_OK;
}

static gs_code read_batch(void *context, const gs_line_batch *batch, uint8_t *to,
                          gs_ring_batch *out, gs_status *st)
{
    const gs_run_batches *const b = context;
    return gs_mapped_store_read(b->ranges->store, batch->input_index, batch->data,
                                batch->bytes, to, &out->data, st);
}

gs_batch_source gs_run_batches_source(gs_run_batches *b)
{
    return (gs_batch_source){.context = b, .next = next_batch, .read = read_batch};
}
