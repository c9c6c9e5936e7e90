/* SPDX-License-Identifier: MIT */
/*
 * saved_file: saved summaries to files and back.
 */
#include <string.h>

#include "io/output.h"
#include "io/small_file.h"
#include "lib/base/quote.h"
#include "lib/stream/saved_summary.h"

gs_code gs_saved_summary_write(gs_saved_summary *s, const char *path, gs_status *st)
{
    gs_output *output = NULL;
    gs_packer p = {.bytes = 0};
    GS_TRY_OR_FAIL(gs_saved_summary_pack(s, &p, st));
    GS_TRY_OR_FAIL(gs_output_open(&output, path, NULL, st));
    uint64_t written = 0;
    GS_TRY_OR_FAIL(gs_output_write(output, p.data, p.bytes, &written, st));
    GS_NOTED(gs_output_commit(output, written, true, st));
fail:
    gs_output_free(output);
    gs_packer_release(&p);
    return st->code;
}

gs_code gs_saved_summary_read(gs_saved_summary *out, const char *path, size_t bytes_max,
                              gs_status *st)
{
    static const char in_words[] = "standard input";
    const char *const name = strcmp(path, "-") == 0 ? in_words : path;
    gs_quoted quoted;
    gs_small_file file = {.bytes = 0};
    *out = (gs_saved_summary){.values = 0};
    if (gs_small_file_read(&file, path, bytes_max, st) == GS_OK) {
        if (file.bytes > bytes_max)
            (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "%s: this takes more than %zu bytes",
                          gs_quote_name(&quoted, name), bytes_max);
        else
            GS_NOTED(gs_saved_summary_unpack(out, file.data, file.bytes, name, st));
    }
    gs_small_file_release(&file);
    return st->code;
}
