/* SPDX-License-Identifier: MIT */
/*
 * gpusort index: which of its commands is meant.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/index_build_command.h"
#include "cmd/index_export.h"
#include "cmd/index_import.h"
#include "cmd/index_merge_command.h"
#include "cmd/index_read.h"
#include "cmd/nearest.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/quote.h"

typedef struct index_command {
    const char *name;
    int (*function)(int argc, char **argv);
} index_command;

static const index_command commands[] = {
    {"build", gs_index_build_command},   {"merge", gs_index_merge_command},
    {"info", gs_index_info_command},     {"dump", gs_index_dump_command},
    {"export", gs_index_export_command}, {"import", gs_index_import_command},
    {"verify", gs_index_verify_command},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands, NAME_BYTES = 64 };

static const char usage_text[] =
    "Usage: gpusort index COMMAND [OPTION]... [ARGUMENT]...\n"
    "Makes and reads inverted indexes.\n\nCommands:\n"
    "  build    documents or tuples to an index\n"
    "  merge    several indexes to one\n"
    "  info     counts and sizes of an index\n"
    "  dump     every posting as a line of text\n"
    "  export   to the Common Index File Format\n"
    "  import   from the Common Index File Format\n"
    "  verify   check every checksum, order and count\n\n"
    "  -h, --help  this text; `gpusort index COMMAND --help' lists the options of one\n"
    "      --version  show the version and stop\n\n"
    "See also `gpusort lookup' and `gpusort search'.\n";

static _Noreturn void refuse(const char *name)
{
    gs_quoted q;
    gs_nearest search = {.word = name, .bytes = strlen(name)};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        gs_nearest_offer(&search, commands[i].name);
    gs_report(0, "no command named %s", gs_quote_argument(&q, name));
    if (search.best != NULL)
        gs_report(0, "did you mean '%s'?", search.best);
    gs_die_try_help(GS_EXIT_TROUBLE);
}

int cmd_index(int argc, char **argv)
{
    const char *word = NULL;
    const gs_opt options[] = {{0, NULL, GS_OPT_OPERAND(&word)}};
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = 1,
                        .usage = usage_text,
                        .index = 1};
    const gs_opt *const first = gs_opt_next(&scan);
    if (first == NULL)
        gs_die_usage("missing command");
    first->take(first->to, &scan);
    const int at = scan.index - 1;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[at], commands[i].name) != 0)
            continue;
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof name, "gpusort index %s", commands[i].name);
        program_invocation_name = name;
        argv[at] = name;
        return commands[i].function(argc - at, argv + at);
    }
    refuse(argv[at]);
}
