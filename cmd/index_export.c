/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "io/output.h"
#include "io/write_all.h"
#include "lib/index/exchange/exchanges.h"
#include "lib/index/grow/growths.h"

static const char usage_text[] =
    "Usage: gpusort index export --ciff [-o FILE] DIR\n"
    "Writes the index in DIR in the Common Index File Format.\n\n"
    "      --ciff[=FILE]  the format, the only one there is; FILE as with -o\n"
    "  -o, --output=FILE  instead of standard output, which is also `-'\n"
    "  -h, --help         this text\n"
    "      --version      show the version and stop\n\n"
    "What the format cannot hold (docIDs of more than 31 bits, lists of more than 2 "
    "GiB,\n"
    "terms that are not UTF-8 or have a line feed) is named, and nothing is written.\n";

/* The file as far as it is written. */
typedef struct export_target {
    gs_output *output;
    uint64_t bytes;
} export_target;

static gs_code write_bytes(void *context, const void *data, size_t bytes, gs_status *st)
{
    export_target *const target = context;
    const int error = gs_write_all(gs_output_fd(target->output), data, bytes);
    target->bytes += bytes;
    return error == 0 ? GS_OK
                      : GS_FAIL(st, GS_ERR_IO, error, "write failed: %s",
                                gs_output_name(target->output));
}

typedef struct export_request {
    const char *folder, *file;
    bool is_ciff;
} export_request;

/* An index of one segment. */
static gs_code export_index(void *context, const char *folder, gs_status *st)
{
    const export_request *const r = context;
    const char *const file = r->file != NULL ? r->file : "-";
    gs_index *index = NULL;
    gs_text_out out = {0};
    export_target target = {0};
    const bool is_stdout = file[0] == '-' && file[1] == '\0';
    GS_TRY_OR_FAIL(gs_index_open(&index, folder, st));
    GS_TRY_OR_FAIL(gs_index_check_sums(index, st));
    GS_TRY_OR_FAIL(gs_output_open(&target.output, is_stdout ? NULL : file, NULL, st));
    GS_TRY_OR_FAIL(gs_text_out_open(&out, write_bytes, &target, st));
    GS_TRY_OR_FAIL(gs_ciff_write(index, &out, NULL, st));
    GS_TRY_OR_FAIL(gs_index_check_unchanged(index, st));
    GS_NOTED(gs_output_commit(
        target.output, gs_output_start_offset(target.output) + target.bytes, true, st));
fail:
    gs_text_out_release(&out);
    gs_output_free(target.output);
    gs_index_close(index);
    return st->code;
}

/* One of several segments is merged first, where temporary files lie. */
static gs_code export_whole(export_request *r, gs_status *st)
{
    char beside[GS_INDEX_PATH_BYTES];
    const char *const temporary = getenv("TMPDIR");
    const gs_index_merge_options whole = {.folder = beside};
    (void)snprintf(beside, sizeof beside, "%s/gpusort-export",
                   temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    return gs_whole_index(&whole, r->folder, export_index, r, st);
}

static void take_file(void *to, gs_opt_scan *scan)
{
    export_request *const r = to;
    const char *const name = scan->argument;
    r->is_ciff |= scan->current->takes == GS_OPT_OPTIONAL; /* --ciff */
    if (name == NULL)
        return;
    if (r->file != NULL && strcmp(r->file, name) != 0)
        gs_die(0, "multiple output files specified");
    if (*name == '\0')
        gs_die(ENOENT, "cannot create ''");
    r->file = name;
}

int gs_index_export_command(int argc, char **argv)
{
    export_request r = {0};
    const gs_opt options[] = {
        {0, "ciff", GS_OPT_CALL_MAYBE(take_file, &r)},
        {'o', "output", GS_OPT_CALL(take_file, &r)},
        {0, NULL, GS_OPT_OPERAND(&r.folder)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (r.folder == NULL)
        gs_die_usage("which index?");
    if (!r.is_ciff)
        gs_die_usage("say what the file is to be: --ciff");
    gs_status st = {.code = GS_OK};
    const gs_code code = export_whole(&r, &st);
    return code == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}
