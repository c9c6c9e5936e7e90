/* SPDX-License-Identifier: MIT */
#include "lib/part/part_cutter.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    HELD_BYTES = 64, /* at the end of a block, and more up to the begin of a record */
    SHARED_BYTES = 256 << 10, /* written at once of records that are the same */
};
_Static_assert((int)HELD_BYTES >= (int)GS_KEY_READ_SLACK &&
                   (int)HELD_BYTES >= (int)GS_CSV_SLACK,
               "what is read beyond a record is there");

/* Where one region of the text ends and the next begins. */
typedef struct region_end {
    size_t splitter;   /* whose equals */
    bool after_equals; /* are the last of this region, or the first of the next */
} region_end;

/* A region is a part, or is shared out among parts. */
typedef struct region {
    size_t first_part, last_part;
} region;

/* The text that is looked at: whole records, and HELD_BYTES that can be read. */
typedef struct whole_text {
    const uint8_t *begin, *end;
} whole_text;

struct gs_part_cutter {
    const gs_part_splitters *splitters;
    const gs_order *order;
    gs_record_layout layout;
    gs_key_encoder *encoder;
    gs_part_put_fn *put;
    void *context;
    region *regions; /* one more than ends */
    region_end *ends;
    size_t end_count;
    size_t now; /* the region */
    gs_line_string string;
    size_t *begins; /* of a table: where records of the text begin, and its end */
    size_t begin_count, begin_capacity;
    uint8_t *held; /* the end of what was taken */
    size_t held_bytes, held_capacity;
    bool held_is_whole; /* it ends with a record; */
    bool held_inside;   /* of a table: it ends inside of quotes */
    uint8_t *same;      /* a record of a region that is shared out, with its end */
    size_t same_bytes, same_capacity;
    uint64_t same_count;
};

/* --- regions ---------------------------------------------------------------------- */

/* Splitters that are equal to `first`: where they end. */
static size_t equals_end(const gs_part_cutter *c, size_t first)
{
    size_t end = first + 1;
    while (end < c->splitters->count &&
           gs_part_splitters_compare(c->splitters, first, end, false) == 0)
        end++;
    return end;
}

static gs_code make_regions(gs_part_cutter *c, gs_status *st)
{
    const size_t n = c->splitters->count;
    /* Equal strings are then those of the same bytes. */
    const bool can_share =
        !c->order->unique && !(c->layout.is_keyed && c->layout.is_key_only);
    size_t part = 0, end;
    GS_TRY(gs_mem_new_array(&c->regions, 2 * n + 1, sizeof *c->regions, "parts", st));
    GS_TRY(gs_mem_new_array(&c->ends, 2 * n + 1, sizeof *c->ends, "parts", st));
    for (size_t first = 0; first < n; first = end, part = end) {
        end = equals_end(c, first);
        c->regions[c->end_count] = (region){part, part};
        c->ends[c->end_count++] = (region_end){first, false};
        if (end - first > 1 && can_share) {
            c->regions[c->end_count] = (region){part, end};
            c->ends[c->end_count++] = (region_end){first, true};
        }
    }
    c->regions[c->end_count] = (region){part, part};
    return GS_OK;
}

gs_code gs_part_cutter_new(gs_part_cutter **out, const gs_part_splitters *splitters,
                           const gs_order *order, gs_part_put_fn *put, void *context,
                           gs_status *st)
{
    gs_part_cutter *c = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "parts", st));
    c->splitters = splitters;
    c->order = order;
    c->layout = gs_order_layout(order, false);
    c->put = put;
    c->context = context;
    if (c->layout.is_keyed)
        GS_TRY_OR_FAIL(
            gs_key_encoder_new(&c->encoder, order, c->layout.is_backwards, st));
    GS_TRY_OR_FAIL(make_regions(c, st));
    *out = c;
    return GS_OK;
fail:
    gs_part_cutter_free(c);
    return st->code;
}

void gs_part_cutter_free(gs_part_cutter *c)
{
    if (c == NULL)
        return;
    gs_key_encoder_free(c->encoder);
    gs_line_string_release(&c->string);
    gs_mem_free(c->regions);
    gs_mem_free(c->ends);
    gs_mem_free(c->begins);
    gs_mem_free(c->held);
    gs_mem_free(c->same);
    gs_mem_free(c);
}

/* --- records of a text ------------------------------------------------------------ */

/* Where records of a table begin is not seen from inside. */
static gs_code list_begins(gs_part_cutter *c, const whole_text *t, gs_status *st)
{
    const size_t bytes = (size_t)(t->end - t->begin);
    gs_csv_iter it = gs_csv_iter_begin(t->begin, bytes, gs_order_csv(c->order));
    c->begin_count = 0;
    while (gs_csv_iter_load(&it)) {
        GS_TRY(gs_mem_grow(&c->begins, &c->begin_capacity, c->begin_count + 65,
                           "records of a table", st));
        while (gs_csv_iter_next(&it))
            c->begins[c->begin_count++] = it.begin;
    }
    gs_assert(it.rest == bytes);
    c->begins[c->begin_count] = bytes;
    return GS_OK;
}

/* The number of the record of a table that holds the byte at `at`. */
static size_t begin_before(const gs_part_cutter *c, size_t at)
{
    size_t lo = 0, hi = c->begin_count;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (c->begins[middle] <= at)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* The record that holds the byte at `at`, which is not before `lo`, where one begins. */
static whole_text record_around(const gs_part_cutter *c, const whole_text *t,
                                const uint8_t *lo, const uint8_t *at)
{
    const size_t record_size = c->order->record_size;
    if (record_size > 0) {
        const uint8_t *const begin = at - (size_t)(at - lo) % record_size;
        return (whole_text){begin, begin + record_size};
    }
    if (gs_form_has_quotes(c->order->form)) {
        const size_t i = begin_before(c, (size_t)(at - t->begin));
        return (whole_text){t->begin + c->begins[i], t->begin + c->begins[i + 1]};
    }
    const uint8_t eol = c->order->eol;
    const size_t left = (size_t)(t->end - at);
    return (whole_text){lo + gs_line_find_last(lo, (size_t)(at - lo), eol),
                        at + gs_line_find(at, left, eol) + 1};
}

static uint64_t count_records(const gs_part_cutter *c, const whole_text *t,
                              const uint8_t *from, const uint8_t *to)
{
    const size_t bytes = (size_t)(to - from);
    if (c->order->record_size > 0)
        return bytes / c->order->record_size;
    if (!gs_form_has_quotes(c->order->form))
        return gs_line_count(from, bytes, c->order->eol);
    if (bytes == 0)
        return 0;
    return begin_before(c, (size_t)(to - t->begin) - 1) -
           begin_before(c, (size_t)(from - t->begin)) + 1;
}

/* Does the record belong to the region before the end? */
static gs_code is_before(gs_part_cutter *c, const whole_text *record,
                         const region_end *end, bool *is, gs_status *st)
{
    const gs_part_splitter *const s = &c->splitters->list[end->splitter];
    const size_t bytes = (size_t)(record->end - record->begin) - c->layout.has_eol;
    GS_TRY(gs_line_string_make(&c->string, &c->layout, c->encoder, record->begin, bytes,
                               st));
    const int d =
        gs_string_compare(c->string.data, c->string.bytes,
                          c->splitters->strings + s->string_at, s->string_bytes, 0);
    *is = (c->layout.is_backwards ? d > 0 : d < 0) || (d == 0 && end->after_equals);
    return GS_OK;
}

/* Where the region that `from` lies in ends in the text; looks at its last record first.
 */
static gs_code find_region_end(gs_part_cutter *c, const whole_text *t,
                               const uint8_t *from, const uint8_t **found, gs_status *st)
{
    const region_end *const end = &c->ends[c->now];
    const uint8_t *lo = from, *hi = t->end, *look = hi - 1;
    while (lo < hi) {
        bool is;
        const whole_text record = record_around(c, t, lo, look);
        GS_TRY(is_before(c, &record, end, &is, st));
        if (is)
            lo = record.end;
        else
            hi = record.begin;
        look = lo + (size_t)(hi - lo) / 2;
    }
    *found = lo;
    return GS_OK;
}

/* --- parts ------------------------------------------------------------------------ */

/* Does the text say that record again and again, and nothing else? */
static bool is_repeated(const uint8_t *record, size_t record_bytes, const uint8_t *text,
                        size_t bytes)
{
    return bytes % record_bytes == 0 && memcmp(record, text, record_bytes) == 0 &&
           memcmp(text, text + record_bytes, bytes - record_bytes) == 0;
}

/* Of records that are the same, one is kept, and how many there are. Others between them
 * are of an input that was said to be in order. */
static gs_code keep_same(gs_part_cutter *c, const whole_text *t, const uint8_t *from,
                         const uint8_t *to, gs_status *st)
{
    if (c->same_count == 0) {
        const whole_text record = record_around(c, t, from, from);
        c->same_bytes = (size_t)(record.end - record.begin);
        GS_TRY(gs_mem_grow(&c->same, &c->same_capacity, c->same_bytes,
                           "a record of several parts", st));
        memcpy(c->same, record.begin, c->same_bytes);
    }
    const size_t bytes = (size_t)(to - from);
    if (!is_repeated(c->same, c->same_bytes, from, bytes))
        return GS_FAIL(st, GS_ERR_FORMAT, 0,
                       "an input is not in order: between equal records lies another");
    c->same_count += bytes / c->same_bytes;
    return GS_OK;
}

/* So many of them to a part. */
static gs_code put_same(gs_part_cutter *c, size_t part, uint64_t count, gs_status *st)
{
    const size_t bytes = c->same_bytes;
    const uint64_t together_most = bytes < SHARED_BYTES ? SHARED_BYTES / bytes : 1;
    const size_t together = (size_t)(count < together_most ? count : together_most);
    GS_TRY(gs_mem_grow(&c->same, &c->same_capacity, together * bytes,
                       "a record of several parts", st));
    for (size_t made = 1, n; made < together; made += n) {
        n = made < together - made ? made : together - made;
        memcpy(c->same + made * bytes, c->same, n * bytes);
    }
    while (count > 0) {
        const uint64_t n = count < together ? count : together;
        GS_TRY(c->put(c->context, part, c->same, (size_t)n * bytes, n, st));
        count -= n;
    }
    return GS_OK;
}

/* The region is complete. */
static gs_code end_region(gs_part_cutter *c, gs_status *st)
{
    const region r = c->regions[c->now++];
    const uint64_t parts = r.last_part - r.first_part + 1;
    for (uint64_t i = 0; i < parts && c->same_count > 0; i++) {
        const uint64_t count = c->same_count / parts + (i < c->same_count % parts);
        if (count > 0)
            GS_TRY(put_same(c, r.first_part + i, count, st));
    }
    c->same_count = 0;
    return GS_OK;
}

static gs_code put_region(gs_part_cutter *c, const whole_text *t, const uint8_t *from,
                          const uint8_t *to, gs_status *st)
{
    const region *const r = &c->regions[c->now];
    if (from == to)
        return GS_OK;
    if (r->first_part < r->last_part)
        return keep_same(c, t, from, to, st);
    return c->put(c->context, r->first_part, from, (size_t)(to - from),
                  count_records(c, t, from, to), st);
}

static gs_code cut_whole(gs_part_cutter *c, const whole_text *t, gs_status *st)
{
    const uint8_t *at = t->begin;
    if (at < t->end && gs_form_has_quotes(c->order->form))
        GS_TRY(list_begins(c, t, st));
    while (at < t->end) {
        const uint8_t *to = t->end;
        if (c->now < c->end_count)
            GS_TRY(find_region_end(c, t, at, &to, st));
        GS_TRY(put_region(c, t, at, to, st));
        at = to;
        if (at < t->end)
            GS_TRY(end_region(c, st));
    }
    return GS_OK;
}

/* --- blocks ----------------------------------------------------------------------- */

static gs_code hold(gs_part_cutter *c, const uint8_t *text, size_t bytes, gs_status *st)
{
    GS_TRY(gs_mem_grow(&c->held, &c->held_capacity, c->held_bytes + bytes + HELD_BYTES,
                       "a record between two blocks", st));
    if (bytes > 0)
        memcpy(c->held + c->held_bytes, text, bytes);
    c->held_bytes += bytes;
    if (c->order->record_size > 0) {
        c->held_is_whole = c->held_bytes % c->order->record_size == 0;
    } else if (gs_form_has_quotes(c->order->form) && bytes > 0) {
        const uint8_t *const from = c->held + c->held_bytes - bytes;
        c->held_is_whole = gs_csv_last_end(from, bytes, gs_order_csv(c->order),
                                           &c->held_inside) == bytes;
    } else if (bytes > 0) {
        c->held_is_whole = c->held[c->held_bytes - 1] == c->order->eol;
    }
    return GS_OK;
}

/* How much of the text ends the record that is held; all of it, if it does not end
 * there. */
static size_t rest_of_held(const gs_part_cutter *c, const uint8_t *text, size_t bytes)
{
    const size_t record_size = c->order->record_size;
    size_t n = 0;
    if (record_size > 0) {
        n = record_size - c->held_bytes % record_size;
        return n < bytes ? n : bytes;
    }
    if (!gs_form_has_quotes(c->order->form)) {
        n = gs_line_find(text, bytes, c->order->eol) + 1;
        return n < bytes ? n : bytes;
    }
    if (bytes > HELD_BYTES)
        n = gs_csv_first_end(text, bytes - HELD_BYTES, gs_order_csv(c->order),
                             c->held_inside);
    return n > 0 ? n : bytes;
}

static gs_code cut_held(gs_part_cutter *c, gs_status *st)
{
    if (c->held_bytes == 0)
        return GS_OK;
    const whole_text t = {c->held, c->held + c->held_bytes};
    c->held_bytes = 0;
    return cut_whole(c, &t, st);
}

/* How much of the text, which begins with a record, is whole records. */
static size_t whole_bytes(const gs_part_cutter *c, const uint8_t *text, size_t bytes)
{
    bool inside = false;
    if (c->order->record_size > 0)
        return bytes - bytes % c->order->record_size;
    return gs_form_has_quotes(c->order->form)
               ? gs_csv_last_end(text, bytes, gs_order_csv(c->order), &inside)
               : gs_line_find_last(text, bytes, c->order->eol);
}

gs_code gs_part_cutter_take(gs_part_cutter *c, const uint8_t *text, size_t bytes,
                            gs_status *st)
{
    if (c->held_bytes > 0 && !c->held_is_whole) {
        const size_t n = rest_of_held(c, text, bytes);
        GS_TRY(hold(c, text, n, st));
        text += n;
        bytes -= n;
    }
    if (bytes == 0)
        return GS_OK;
    GS_TRY(cut_held(c, st));
    const size_t whole =
        bytes > HELD_BYTES ? whole_bytes(c, text, bytes - HELD_BYTES) : 0;
    const whole_text t = {text, text + whole};
    GS_TRY(cut_whole(c, &t, st));
    c->held_inside = false;
    return hold(c, text + whole, bytes - whole, st);
}

gs_code gs_part_cutter_end(gs_part_cutter *c, gs_status *st)
{
    if (c->held_bytes > 0 && !c->held_is_whole)
        return GS_FAIL(st, GS_ERR_FORMAT, 0,
                       "the last %zu bytes of what was sorted are no whole record: an "
                       "input was written to meanwhile",
                       c->held_bytes);
    GS_TRY(cut_held(c, st));
    while (c->now < c->end_count)
        GS_TRY(end_region(c, st));
    return GS_OK;
}
