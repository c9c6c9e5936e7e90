/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

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

typedef struct export_request {
    const char *folder, *file;
    bool is_ciff;
} export_request;

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
    gpusort_error error = GPUSORT_NO_ERROR;
    const bool is_stdout = r.file == NULL || strcmp(r.file, "-") == 0;
    return gpusort_index_export(r.folder, is_stdout ? NULL : r.file, NULL, &error) ==
                   GPUSORT_OK
               ? GS_EXIT_GOOD
               : gs_report_error(&error);
}
