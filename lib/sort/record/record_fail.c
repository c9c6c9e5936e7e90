/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/record_fail.h"

#include "lib/base/quote.h"
#include "lib/sort/record/line_scan.h"

gs_code gs_line_batch_fail(const gs_line_batch *batch, const char *name, size_t record_at,
                           size_t broken_at, const char *why, gs_status *st)
{
    gs_quoted quoted;
    const char *const shown = gs_quote_name(&quoted, name);
    const uint8_t *const record = batch->data + record_at;
    const uint64_t more = gs_line_count(record, broken_at, GS_LINE_END);
    if (batch->first_line == 0)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: byte %llu: %s", shown,
                       (unsigned long long)(batch->offset + record_at + broken_at), why);
    const uint64_t line =
        batch->first_line + gs_line_count(batch->data, record_at, GS_LINE_END);
    if (more == 0)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: line %llu: %s", shown,
                       (unsigned long long)line, why);
    return GS_FAIL(st, GS_ERR_FORMAT, 0,
                   "%s: line %llu: %s, in a record that begins on line %llu", shown,
                   (unsigned long long)(line + more), why, (unsigned long long)line);
}

gs_code gs_line_feed_fail_too_long(const gs_line_feed_options *options, const char *name,
                                   const char *what, uint64_t offset, gs_status *st)
{
    const char *const hint = options->too_long_hint;
    gs_quoted quoted;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "%s: the %s at byte %llu is longer than the memory limit allows (%zu "
                  "bytes)",
                  gs_quote_name(&quoted, name), what, (unsigned long long)offset,
                  options->record_bytes_max);
    return gs_status_hint(st, hint ? hint : "give more memory with -S");
}

gs_code gs_line_feed_fail_partial(const char *name, uint64_t offset, size_t bytes,
                                  size_t record_size, gs_status *st)
{
    gs_quoted quoted;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                  "%s: the last record, at byte %llu, has %zu bytes and not %zu",
                  gs_quote_name(&quoted, name), (unsigned long long)offset, bytes,
                  record_size);
    return gs_status_hint(st,
                          "check the size of a record, or whether the file was cut off");
}
