/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/run_cursor.h"

#include <errno.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/run/run_record.h"

enum {
    RAW_SLACK = GS_SHORT_COPY_BYTES,       /* readable beyond a decoded block */
    FRONT_SLACK = 2 * GS_SHORT_COPY_BYTES, /* and beyond a record put together */
    ALIGN = GS_SPILL_ALIGN,
};

static uint64_t round_down(uint64_t x)
{
    return x / ALIGN * ALIGN;
}

static uint64_t round_up(uint64_t x)
{
    return (x + ALIGN - 1) / ALIGN * ALIGN;
}

/* The order of two strings as the run is sorted. */
static int compare(const gs_record_layout *layout, const uint8_t *a, size_t a_bytes,
                   const uint8_t *b, size_t b_bytes)
{
    const int d = gs_string_compare(a, a_bytes, b, b_bytes, 0);
    return layout->is_backwards ? -d : d;
}

/* How many entries come before the bound. An entry's key is the beginning of its block's
 * first string; backwards, such a beginning comes after the string itself, so with
 * `keep_ties` entries equal to the bound still count. */
static size_t entries_before(const gs_run *run, const gs_record_layout *layout,
                             const gs_range_bound *bound, bool keep_ties)
{
    size_t lo = 0, hi = run->entry_count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        const gs_run_entry *const e = &run->entries[middle];
        const int d = compare(layout, e->key, e->key_bytes, bound->string, bound->bytes);
        if (d < 0 || (d == 0 && keep_ties))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void gs_run_find_range(const gs_run *run, const gs_record_layout *layout,
                       const gs_range_bound *lo, const gs_range_bound *hi, size_t *first,
                       size_t *end)
{
    *first = 0;
    if (!lo->is_open) {
        const size_t before = entries_before(run, layout, lo, false);
        *first = before > 0 ? before - 1 : 0;
    }
    *end = hi->is_open ? run->entry_count
                       : entries_before(run, layout, hi, layout->is_backwards);
    if (*end < *first)
        *end = *first;
}

/* Sets the window's place: as many of the blocks as fit, at least one. */
static gs_code place_window(gs_run_window *w, const gs_run *run, size_t first, size_t end,
                            gs_status *st)
{
    const gs_run_entry *const e = run->entries;
    const uint64_t begin = round_down(e[first].offset);
    size_t last = first;
    while (last + 1 < end &&
           round_up(e[last + 1].offset + e[last + 1].stored_bytes) - begin <= w->capacity)
        last++;
    const uint64_t bytes = round_up(e[last].offset + e[last].stored_bytes) - begin;
    if (bytes > w->capacity) {
        /* A block larger than the window: a very long record. */
        uint8_t *larger = NULL;
        GS_TRY(gs_mem_map(&larger, (size_t)bytes, false, "merge window", st));
        gs_mem_unmap(w->memory, w->capacity);
        w->memory = larger;
        w->capacity = (size_t)bytes;
    }
    w->file_offset = begin;
    w->bytes = (size_t)bytes;
    w->first_entry = first;
    w->end_entry = last + 1;
    return GS_OK;
}

gs_code gs_run_window_submit(gs_run_window *window, const gs_run *run, size_t first,
                             size_t end, gs_aio *aio, bool *is_submitted, gs_status *st)
{
    *is_submitted = first < end;
    if (!*is_submitted) {
        window->first_entry = window->end_entry = first;
        return GS_OK;
    }
    GS_TRY(place_window(window, run, first, end, st));
    return gs_aio_read(aio, run->extent.fd, window->memory, window->bytes,
                       run->extent.offset + window->file_offset, window, st);
}

static gs_code fail_read(const char *folder, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "read failed: temporary file in '%s'", folder);
    return gs_status_hint(st, "choose another folder for temporary files with -T");
}

gs_code gs_run_window_done(gs_run_window *window, const gs_run *run, int64_t result,
                           const char *folder, gs_status *st)
{
    if (result < 0)
        return fail_read(folder, (int)-result, st);
    /* The end of the file may come before the rounded end, never before the blocks'. */
    const gs_run_entry *const last = &run->entries[window->end_entry - 1];
    if ((uint64_t)result + window->file_offset < last->offset + last->stored_bytes)
        return fail_read(folder, EIO, st);
    window->bytes = (size_t)result;
    return GS_OK;
}

/* Reads the next window of a range that did not fit in one. */
static gs_code refill_window(gs_run_cursor *c, gs_status *st)
{
    gs_run_window *const w = c->window;
    GS_TRY(place_window(w, c->run, c->next_entry, c->end_entry, st));
    size_t got = 0;
    while (got < w->bytes) {
        const uint64_t offset = c->run->extent.offset + w->file_offset + got;
        const ssize_t n =
            pread(c->run->extent.fd, w->memory + got, w->bytes - got, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_read(c->folder, errno, st);
        if (n == 0)
            break;
        got += (size_t)n;
        if (got % ALIGN != 0)
            break; /* the end of the file */
    }
    return gs_run_window_done(w, c->run, (int64_t)got, c->folder, st);
}

/* Decodes the next block into the buffer that is not in use; *is_end if there is none. */
static gs_code decode_next(gs_run_cursor *c, bool *is_end, gs_status *st)
{
    *is_end = c->next_entry >= c->end_entry;
    if (*is_end)
        return GS_OK;
    if (c->next_entry >= c->window->end_entry)
        GS_TRY(refill_window(c, st));
    const gs_run_entry *const e = &c->run->entries[c->next_entry];
    const unsigned to = c->raw_now ^ 1;
    if (c->raw_capacity[to] < (size_t)e->raw_bytes + RAW_SLACK) {
        const size_t capacity = (size_t)e->raw_bytes + RAW_SLACK;
        GS_TRY(gs_mem_resize(&c->raw[to], capacity, "merge block", st));
        c->raw_capacity[to] = capacity;
    }
    const size_t inside = (size_t)(e->offset - c->window->file_offset);
    size_t raw_bytes, stored;
    uint32_t records;
    GS_TRY(gs_run_block_decode(
        c->coder, c->window->memory + inside, c->window->bytes - inside, c->folder,
        c->raw[to], c->raw_capacity[to] - RAW_SLACK, &raw_bytes, &records, &stored, st));
    c->raw_now = to;
    c->at = c->raw[to];
    c->end = c->at + raw_bytes;
    c->next_entry++;
    c->checks_stop = false;
    if (!c->stop.is_open) {
        const gs_run_entry *const after =
            c->next_entry < c->run->entry_count ? e + 1 : NULL;
        c->checks_stop = after == NULL || compare(c->layout, after->key, after->key_bytes,
                                                  c->stop.string, c->stop.bytes) >= 0;
    }
    return GS_OK;
}

/* Puts the record together from what is its own, at `own`, and the beginning of the one
 * before, which is in front most often, where nothing of it need be moved. */
static inline void complete(gs_run_cursor *c, const uint8_t *own, size_t left_out,
                            size_t own_bytes)
{
    if (c->data != c->front)
        memcpy(c->front, c->data, left_out);
    gs_copy_short(c->front + left_out, own, own_bytes);
    c->data = c->front;
}

/* Stands on the record at `at`; gives its code relative to the one before. */
static inline uint64_t take_record(gs_run_cursor *c)
{
    uint64_t shared, length, key_bytes = 0;
    const gs_record_layout *const layout = c->layout;
    const uint8_t *const own = gs_run_get_head(c->at, layout, c->has_counts, &shared,
                                               &length, &key_bytes, &c->count);
    const size_t string_bytes = gs_run_string_bytes(layout, length, key_bytes);
    const size_t left_out = gs_run_left_out(shared, length, string_bytes);
    const size_t own_bytes = length - left_out + layout->has_eol;
    gs_dassert(left_out <= string_bytes);
    c->at = own + own_bytes;
    gs_assert(c->at <= c->end);
    if (left_out > 0)
        complete(c, own, left_out, own_bytes);
    else
        c->data = own;
    c->length = length;
    c->key_bytes = key_bytes;
    c->head->string = c->data;
    c->head->string_bytes = string_bytes;
    if (shared == 0)
        return GS_OVC_EQUAL;
    if (__builtin_expect(length > GS_RUN_SHARING_MAX, 0))
        return gs_ovc_code(own, string_bytes, (size_t)shared - 1, layout->is_backwards);
    /* From where it was read: what was just written would have to be waited for. */
    return gs_ovc_code_at(own, string_bytes - left_out, (size_t)shared - 1,
                          layout->is_backwards);
}

/* Ends the cursor if its record is beyond the range. */
static inline void check_stop(gs_run_cursor *c)
{
    if (c->checks_stop && compare(c->layout, c->head->string, c->head->string_bytes,
                                  c->stop.string, c->stop.bytes) >= 0)
        c->head->code = GS_OVC_EXHAUSTED;
}

static gs_code next_block(gs_run_cursor *c, gs_status *st)
{
    const uint8_t *const last = c->head->string;
    const size_t last_bytes = c->head->string_bytes;
    bool is_end;
    GS_TRY(decode_next(c, &is_end, st));
    if (is_end) {
        c->head->code = GS_OVC_EXHAUSTED;
        return GS_OK;
    }
    (void)take_record(c); /* the first of a block is whole */
    int order;
    const size_t index = gs_ovc_first_difference(last, last_bytes, c->head->string,
                                                 c->head->string_bytes, 0, &order);
    if (c->layout->is_backwards ? order < 0 : order > 0)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "temporary file in '%s': a run out of order",
                       c->folder);
    c->head->code = order == 0 ? GS_OVC_EQUAL
                               : gs_ovc_code(c->head->string, c->head->string_bytes,
                                             index, c->layout->is_backwards);
    check_stop(c);
    return GS_OK;
}

gs_code gs_run_cursor_advance(gs_run_cursor *c, gs_status *st)
{
    if (__builtin_expect(c->at == c->end, 0))
        return next_block(c, st);
    c->head->code = take_record(c);
    check_stop(c);
    return GS_OK;
}

gs_code gs_run_cursor_start(gs_run_cursor *c, const gs_range_bound *lo,
                            const gs_range_bound *hi, size_t first, size_t end,
                            gs_status *st)
{
    if (c->front == NULL)
        GS_TRY(gs_mem_new_apart(&c->front, GS_RUN_SHARING_MAX + FRONT_SLACK,
                                "merged record", st));
    c->stop = *hi;
    c->next_entry = first;
    c->end_entry = end;
    bool is_end;
    GS_TRY(decode_next(c, &is_end, st));
    if (is_end) {
        c->head->code = GS_OVC_EXHAUSTED;
        return GS_OK;
    }
    (void)take_record(c);
    c->head->code = GS_OVC_EQUAL;
    check_stop(c);
    while (!lo->is_open && c->head->code != GS_OVC_EXHAUSTED &&
           compare(c->layout, c->head->string, c->head->string_bytes, lo->string,
                   lo->bytes) < 0)
        GS_TRY(gs_run_cursor_advance(c, st));
    /* The first record of a range differs from nothing at the first symbol. */
    if (c->head->code != GS_OVC_EXHAUSTED)
        c->head->code = gs_ovc_code(c->head->string, c->head->string_bytes, 0,
                                    c->layout->is_backwards);
    return GS_OK;
}

void gs_run_cursor_release(gs_run_cursor *c)
{
    gs_mem_free(c->raw[0]);
    gs_mem_free(c->raw[1]);
    gs_mem_free(c->front);
    *c = (gs_run_cursor){0};
}
