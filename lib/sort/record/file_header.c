/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/file_header.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/record/record_fail.h"

static const size_t NO_FILE = SIZE_MAX;

/* A line of a header, without what does not count of it. */
typedef struct header_line {
    const uint8_t *data;
    size_t bytes;
} header_line;

void gs_file_header_init(gs_file_header *h, const gs_line_feed_options *options)
{
    *h = (gs_file_header){.options = options, .input_index = NO_FILE};
}

void gs_file_header_release(gs_file_header *h)
{
    gs_mem_free(h->data);
    h->data = NULL;
}

static gs_code append(gs_file_header *h, const uint8_t *data, size_t bytes, gs_status *st)
{
    /* What looks for the end of a line reads beyond it. */
    GS_TRY(gs_mem_grow(&h->data, &h->capacity, h->bytes + bytes + GS_CSV_SLACK, "header",
                       st));
    memcpy(h->data + h->bytes, data, bytes);
    h->bytes += bytes;
    return GS_OK;
}

/* How long the first record is with its eol, which may be missing. */
static size_t first_record(const gs_line_feed_options *o, const uint8_t *data,
                           size_t bytes)
{
    const size_t end = o->csv != NULL ? gs_csv_first_end(data, bytes, *o->csv, false)
                                      : gs_line_find(data, bytes, o->eol) + 1;
    return end == 0 || end > bytes ? bytes : end;
}

static header_line what_counts(const uint8_t *data, size_t bytes, uint8_t eol)
{
    bytes -= bytes > 0 && data[bytes - 1] == eol;
    bytes -= bytes > 0 && data[bytes - 1] == '\r';
    const size_t mark = gs_line_mark_bytes(data, bytes);
    return (header_line){data + mark, bytes - mark};
}

/* Is the line the one that comes next in what is kept? */
static bool is_as_kept(gs_file_header *h, const uint8_t *data, size_t bytes)
{
    const uint8_t eol = h->options->eol;
    const uint8_t *const kept = h->data + h->at;
    if (h->at == h->bytes)
        return false;
    const size_t kept_bytes = first_record(h->options, kept, h->bytes - h->at);
    const header_line a = what_counts(kept, kept_bytes, eol),
                      b = what_counts(data, bytes, eol);
    h->at += kept_bytes;
    return a.bytes == b.bytes && memcmp(a.data, b.data, a.bytes) == 0;
}

static gs_code fail_other(const gs_file_header *h, gs_status *st)
{
    gs_quoted name;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: its header is not that of the first file",
                  gs_quote_name(&name, h->options->names[h->input_index]));
    return gs_status_hint(st, "give files with the same columns in the same order, or "
                              "--no-header for files that have no header");
}

static gs_code check_quotes(const gs_line_feed_options *o, const gs_line_batch *batch,
                            gs_status *st)
{
    const char *why = NULL;
    const size_t mark = gs_line_mark_bytes(batch->data, batch->bytes);
    size_t broken_at;
    if (o->csv != NULL)
        (void)gs_csv_record_end(batch->data + mark, batch->bytes - mark, *o->csv, &why,
                                &broken_at);
    return why == NULL ? GS_OK
                       : gs_line_batch_fail(batch, o->names[batch->input_index], mark,
                                            broken_at, why, st);
}

gs_code gs_file_header_cut(const gs_line_feed_options *o, gs_line_batch *batch,
                           size_t *bytes, gs_status *st)
{
    GS_TRY(check_quotes(o, batch, st));
    const size_t n =
        o->record_size > 0 ? o->record_size : first_record(o, batch->data, batch->bytes);
    if (batch->first_line > 0)
        batch->first_line += gs_line_count(batch->data, n, GS_LINE_END);
    batch->data += n;
    batch->bytes -= n;
    batch->offset += n;
    *bytes = n;
    return GS_OK;
}

gs_code gs_file_header_take(gs_file_header *h, gs_line_batch *batch, gs_status *st)
{
    const gs_line_feed_options *const o = h->options;
    if (batch->offset == 0 && h->input_index != batch->input_index) {
        h->input_index = batch->input_index;
        h->left = o->header_lines;
        h->at = 0;
        h->is_kept = h->bytes == 0;
    }
    while (h->left > 0 && batch->bytes > 0) {
        const uint8_t *const record = batch->data;
        size_t n;
        GS_TRY(gs_file_header_cut(o, batch, &n, st));
        if (!h->is_kept && !is_as_kept(h, record, n))
            return fail_other(h, st);
        if (h->is_kept)
            GS_TRY(append(h, record, n, st));
        if (h->is_kept && batch->bytes == 0 && batch->lacks_final_eol)
            GS_TRY(append(h, &o->eol, 1, st));
        h->left--;
    }
    return GS_OK;
}

gs_code gs_file_header_set(gs_file_header *h, size_t input_index, uint64_t offset,
                           const uint8_t *data, size_t bytes, gs_status *st)
{
    h->input_index = offset > 0 ? input_index : NO_FILE;
    return append(h, data, bytes, st);
}
