/* SPDX-License-Identifier: MIT */
#include "lib/part/splitter_order.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

/* A record's string, in `strings` of all. */
typedef struct ordered {
    const uint8_t *strings;
    uint64_t at, bytes;
    size_t number;
    int direction; /* -1: the other way round */
} ordered;

typedef struct all_strings {
    uint8_t *data;
    size_t used, capacity;
    ordered *records;
} all_strings;

static int compare(const void *a, const void *b)
{
    const ordered *const x = a, *const y = b;
    const int d =
        gs_string_compare(x->strings + x->at, x->bytes, y->strings + y->at, y->bytes, 0);
    if (d != 0)
        return d * x->direction;
    return (x->number > y->number) - (x->number < y->number);
}

static gs_code fail_no_key(const gs_sampled *r, const char *name, const char *why,
                           gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: the record at byte %llu: %s",
                   gs_quote_name(&quoted, name), (unsigned long long)r->offset, why);
}

static gs_code add_string(all_strings *all, const gs_line_string *s, size_t number,
                          size_t bytes_max, gs_status *st)
{
    /* There is memory also where all strings are empty. */
    GS_TRY(gs_mem_grow(&all->data, &all->capacity, all->used + s->bytes + 1,
                       "keys of a sample", st));
    if (all->capacity > bytes_max) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "keys of the sample take more than the %zu bytes there are for "
                      "them",
                      bytes_max);
        return gs_status_hint(st, "give more memory with -S, or sample fewer");
    }
    memcpy(all->data + all->used, s->data, s->bytes);
    all->records[number] =
        (ordered){.at = all->used, .bytes = s->bytes, .number = number};
    all->used += s->bytes;
    return GS_OK;
}

static gs_code make_strings(all_strings *all, const gs_order *order,
                            const gs_record_layout *layout, const gs_key_encoder *encoder,
                            const gs_sample_pick *sample, const char *const *names,
                            size_t bytes_max, gs_status *st)
{
    gs_line_string string = {0};
    for (size_t i = 0; i < sample->count && st->code == GS_OK; i++) {
        const gs_sampled *const r = &sample->records[i];
        const uint8_t *const text = sample->text + r->at;
        const char *const why =
            gs_form_is_objects(order->form) ? gs_json_line_why(text, r->bytes) : NULL;
        if (why != NULL)
            GS_NOTED(fail_no_key(r, names[r->input], why, st));
        else if (gs_line_string_make(&string, layout, encoder, text, r->bytes, st) ==
                 GS_OK)
            GS_NOTED(add_string(all, &string, i, bytes_max, st));
    }
    gs_line_string_release(&string);
    return st->code;
}

gs_code gs_splitter_order_make(gs_splitter_order *out, const gs_order *order,
                               const gs_sample_pick *sample, const char *const *names,
                               gs_status *st)
{
    const gs_record_layout layout = gs_order_layout(order, false);
    const size_t n = sample->count, fixed = n * (sizeof(ordered) + sizeof(size_t));
    const size_t strings_max = out->bytes_max > fixed ? out->bytes_max - fixed : 0;
    all_strings all = {.data = NULL};
    gs_key_encoder *encoder = NULL;
    if (layout.is_keyed)
        GS_TRY(gs_key_encoder_new(&encoder, order, layout.is_backwards, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&all.records, n, sizeof *all.records, "order of a sample", st));
    GS_TRY_OR_FAIL(gs_mem_new_array(&out->numbers, n, sizeof *out->numbers,
                                    "order of a sample", st));
    GS_TRY_OR_FAIL(
        make_strings(&all, order, &layout, encoder, sample, names, strings_max, st));
    for (size_t i = 0; i < n; i++) {
        all.records[i].strings = all.data;
        all.records[i].direction = layout.is_backwards ? -1 : 1;
    }
    if (n > 1)
        qsort(all.records, n, sizeof *all.records, compare);
    for (size_t i = 0; i < n; i++)
        out->numbers[i] = all.records[i].number;
    out->count = n;
fail:
    gs_mem_free(all.records);
    gs_mem_free(all.data);
    gs_key_encoder_free(encoder);
    return st->code;
}

void gs_splitter_order_release(gs_splitter_order *o)
{
    gs_mem_free(o->numbers);
    *o = (gs_splitter_order){0};
}
