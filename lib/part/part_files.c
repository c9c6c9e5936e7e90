/* SPDX-License-Identifier: MIT */
#include "lib/part/part_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "io/output.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    DIGITS_MIN = 4,
    FILES_LEFT = 64, /* for inputs, runs and what the system opens */
};

typedef struct part_file {
    gs_output *output;
    uint64_t written; /* with the header */
} part_file;

struct gs_part_files {
    const gs_sort_options *options;
    gs_part_tally *tallies;
    part_file *files;
    size_t count;
};

bool gs_part_file_name(const char *prefix, size_t part, size_t part_count, char *to)
{
    const size_t length = strlen(prefix);
    const char *const dot = length > 0 && prefix[length - 1] == '/' ? "" : ".";
    int digits = 1;
    for (size_t last = part_count - 1; last >= 10; last /= 10)
        digits++;
    const int n = snprintf(to, PATH_MAX, "%s%s%0*zu", prefix, dot,
                           digits < DIGITS_MIN ? DIGITS_MIN : digits, part);
    return n >= 0 && n < PATH_MAX;
}

static gs_code fail_name(const char *prefix, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "open failed: %s",
                   gs_quote_name(&quoted, prefix));
}

static gs_code open_as(gs_part_files *f, size_t part, const char *name, gs_status *st)
{
    const gs_sort_options *const o = f->options;
    const char *const folder = o->temp_folder_count > 0 ? o->temp_folders[0] : NULL;
    GS_TRY(gs_output_open(&f->files[part].output, name, folder, st));
    return gs_output_keep_apart(f->files[part].output, o->inputs, o->input_count, st);
}

/* Takes pages of the stack for the name. */
static gs_code open_part(gs_part_files *f, size_t part, gs_status *st)
{
    char name[PATH_MAX];
    return gs_part_file_name(f->options->output, part, f->count, name)
               ? open_as(f, part, name, st)
               : fail_name(f->options->output, st);
}

static gs_code new_files(gs_part_files **out, const gs_sort_options *options,
                         size_t part_count, gs_part_tally *tallies, gs_status *st)
{
    gs_part_files *f = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&f, sizeof *f, "parts", st));
    f->options = options;
    f->tallies = tallies;
    f->count = part_count;
    if (gs_mem_new_array(&f->files, part_count, sizeof *f->files, "parts", st) == GS_OK)
        *out = f;
    else
        gs_part_files_free(f);
    return st->code;
}

gs_code gs_part_files_new_one(gs_part_files **out, const gs_sort_options *options,
                              gs_part_tally *tally, gs_status *st)
{
    GS_TRY(new_files(out, options, 1, tally, st));
    if (open_as(*out, 0, options->output, st) != GS_OK) {
        gs_part_files_free(*out);
        *out = NULL;
    }
    return st->code;
}

gs_code gs_part_files_new(gs_part_files **out, const gs_sort_options *options,
                          size_t part_count, gs_part_tally *tallies, gs_status *st)
{
    gs_part_files *f = NULL;
    *out = NULL;
    const size_t left = gs_machine_files_left(part_count + FILES_LEFT);
    if (left < part_count + FILES_LEFT) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, EMFILE, "%zu parts want %zu open files, not %zu",
                      part_count, part_count + FILES_LEFT, left);
        return gs_status_hint(st, "raise `ulimit -n', or write one stream with --framed");
    }
    GS_TRY(new_files(&f, options, part_count, tallies, st));
    for (size_t i = 0; i < part_count; i++)
        GS_TRY_OR_FAIL(open_part(f, i, st));
    *out = f;
    return GS_OK;
fail:
    gs_part_files_free(f);
    return st->code;
}

static gs_code write_part(part_file *p, const void *data, size_t bytes, gs_status *st)
{
    return gs_output_write(p->output, data, bytes, &p->written, st);
}

gs_code gs_part_files_begin(gs_part_files *f, const uint8_t *header, size_t header_bytes,
                            gs_status *st)
{
    for (size_t i = 0; i < f->count; i++) {
        part_file *const p = &f->files[i];
        if (p->written > 0 && !gs_output_is_seekable(p->output))
            return GS_FAIL(st, GS_ERR_IO, 0, "%s: what was written cannot be taken back",
                           gs_output_name(p->output));
        p->written = 0;
        f->tallies[i] = (gs_part_tally){0};
        if (header_bytes > 0)
            GS_TRY(write_part(p, header, header_bytes, st));
    }
    return GS_OK;
}

gs_code gs_part_files_put(gs_part_files *f, size_t part, const uint8_t *text,
                          size_t bytes, uint64_t records, gs_status *st)
{
    f->tallies[part].records += records;
    f->tallies[part].bytes += bytes;
    return write_part(&f->files[part], text, bytes, st);
}

gs_code gs_part_files_commit(gs_part_files *f, gs_status *st)
{
    for (size_t i = 0; i < f->count; i++)
        GS_TRY(gs_output_commit(f->files[i].output, f->files[i].written,
                                f->options->sync_output, st));
    return GS_OK;
}

void gs_part_files_free(gs_part_files *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; f->files != NULL && i < f->count; i++)
        gs_output_free(f->files[i].output);
    gs_mem_free(f->files);
    gs_mem_free(f);
}
