/* SPDX-License-Identifier: MIT */
/*
 * The exchange of several fake GPUs: all records in one list, sorted, cut into stretches,
 * and each chunk gets its own in the order in which they came.
 * GS_FAKE_GPU_FAIL=exchange:N makes the N-th fail; GS_FAKE_GPU_EXCHANGE=refuse finds no
 * room for it, =wrong gives a record to the chunk that it does not belong to.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"
#include "tests/fake_gpu/fake_text.h"

typedef struct fake_exchange {
    gs_text_sort *const *chunks;
    unsigned count;
    const gs_text_exchange_options *options;
    gs_text_stretches *out;
    fake_record *all; /* in order; row: where it is among all that came */
    uint8_t *owners;  /* by row */
    uint64_t record_count, bytes;
    uint64_t got[GS_TEXT_CHUNKS_MAX];
} fake_exchange;

static bool is_asked(const char *how)
{
    const char *const wish = getenv("GS_FAKE_GPU_EXCHANGE");
    return wish != NULL && strcmp(wish, how) == 0;
}

static uint64_t text_bytes(const fake_exchange *x, const fake_record *r)
{
    return r->line_bytes + (x->chunks[0]->options.order.record_size == 0);
}

static gs_code list_records(fake_exchange *x, gs_status *st)
{
    for (unsigned i = 0; i < x->count; i++) {
        gs_text_sort *const t = x->chunks[i];
        fake_finish_uploads(t);
        fake_release_result(t);
        GS_TRY(fake_find_records(t, st));
        x->record_count += t->record_count;
        x->bytes += t->text_bytes;
    }
    GS_TRY(gs_mem_new_array(&x->all, x->record_count + 1, sizeof *x->all, "fake", st));
    GS_TRY(gs_mem_new_array(&x->owners, x->record_count + 1, 1, "fake", st));
    uint64_t row = 0;
    for (unsigned i = 0; i < x->count; i++)
        for (uint64_t k = 0; k < x->chunks[i]->record_count; k++, row++) {
            x->all[row] = x->chunks[i]->records[k];
            x->all[row].row = row;
        }
    return GS_OK;
}

static bool are_equal(const fake_exchange *x, uint64_t i)
{
    fake_record a = x->all[i - 1], b = x->all[i];
    a.row = b.row = 0;
    return fake_compare(&a, &b, &x->chunks[0]->options.order) == 0;
}

static unsigned least_loaded(const fake_exchange *x)
{
    unsigned least = 0;
    for (unsigned i = 1; i < x->count; i++)
        if (x->got[i] < x->got[least])
            least = i;
    return least;
}

/* A stretch of so many bytes is long enough. */
static uint64_t stretch_bytes(const fake_exchange *x)
{
    const uint64_t longest = x->bytes / (GS_TEXT_STRETCHES_MAX / 2);
    const uint64_t fetch = x->chunks[0]->options.fetch_bytes_max;
    const uint64_t few = x->bytes / (16 * x->count), stretch = few < fetch ? few : fetch;
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return stretch > longest ? stretch : longest + 1;
    case GS_SHARE_ONE_EACH: return x->bytes / x->count + 1;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

static size_t stretches_max(const fake_exchange *x)
{
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return GS_TEXT_STRETCHES_MAX;
    case GS_SHARE_ONE_EACH: return x->count;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

static unsigned owner_of(const fake_exchange *x, size_t stretch)
{
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return least_loaded(x);
    case GS_SHARE_ONE_EACH: return (unsigned)stretch;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

static void share_out(fake_exchange *x)
{
    const uint64_t enough = stretch_bytes(x);
    const size_t count_max = stretches_max(x);
    gs_text_stretches *const out = x->out;
    for (uint64_t i = 0; i < x->record_count; i++) {
        const bool is_full = i > 0 && out->all[out->count - 1].bytes >= enough &&
                             !are_equal(x, i) && out->count < count_max;
        if (i == 0 || is_full) {
            const unsigned owner = owner_of(x, out->count);
            out->all[out->count++] = (gs_text_stretch){.chunk = owner};
        }
        gs_text_stretch *const last = &out->all[out->count - 1];
        last->bytes += text_bytes(x, &x->all[i]);
        x->got[last->chunk] += text_bytes(x, &x->all[i]);
        x->owners[x->all[i].row] = (uint8_t)last->chunk;
    }
}

/* The texts of all chunks again, before any of them is written over. */
static gs_code move_texts(fake_exchange *x, gs_status *st)
{
    uint8_t *texts[GS_TEXT_CHUNKS_MAX] = {NULL};
    uint64_t ends[GS_TEXT_CHUNKS_MAX] = {0};
    for (unsigned i = 0; i < x->count && st->code == GS_OK; i++)
        GS_NOTED(gs_mem_map(&texts[i], x->chunks[i]->capacity, false, "fake GPU", st));
    uint64_t row = 0;
    for (unsigned i = 0; i < x->count && st->code == GS_OK; i++)
        for (uint64_t k = 0; k < x->chunks[i]->record_count; k++) {
            const fake_record *const r = &x->chunks[i]->records[k];
            const unsigned owner = x->owners[row++];
            memcpy(texts[owner] + ends[owner], r->line, text_bytes(x, r));
            ends[owner] += text_bytes(x, r);
        }
    for (unsigned i = 0; i < x->count; i++) {
        gs_text_sort *const t = x->chunks[i];
        fake_release_result(t);
        if (st->code != GS_OK) {
            if (texts[i] != NULL)
                gs_mem_unmap(texts[i], t->capacity);
            continue;
        }
        gs_mem_unmap(t->text, t->capacity);
        t->text = texts[i];
        t->text_bytes = ends[i];
    }
    return st->code;
}

static bool have_room(const fake_exchange *x)
{
    for (unsigned i = 0; i < x->count; i++)
        if (x->got[i] > x->chunks[i]->capacity)
            return false;
    return x->options->sample_count >= 16 && !is_asked("refuse");
}

static gs_code run_all(fake_exchange *x, bool *fits, gs_status *st)
{
    GS_TRY(list_records(x, st));
    qsort_r(x->all, x->record_count, sizeof *x->all, fake_compare,
            &x->chunks[0]->options.order);
    share_out(x);
    *fits = have_room(x);
    if (!*fits)
        return GS_OK;
    if (is_asked("wrong") && x->out->count > 1)
        x->owners[x->all[0].row] ^= 1;
    return move_texts(x, st);
}

gs_code gs_text_exchange(gs_text_sort *const *chunks, unsigned count,
                         const gs_text_exchange_options *options, gs_text_stretches *out,
                         bool *fits, gs_status *st)
{
    fake_exchange x = {.chunks = chunks, .count = count, .options = options, .out = out};
    *fits = false;
    out->count = 0;
    GS_TRY(pass("exchange", st));
    const size_t room = chunks[0]->options.fetch_bytes_max;
    gs_assert(options->sample_bytes + GS_TEXT_SAMPLE_SLACK <= room);
    gs_assert((options->sample_count + 1) * sizeof(uint64_t) <= room);
    GS_NOTED(run_all(&x, fits, st));
    gs_mem_free(x.all);
    gs_mem_free(x.owners);
    return st->code;
}
