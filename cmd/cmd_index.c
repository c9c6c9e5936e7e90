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
#include "cmd/report.h"

typedef struct index_command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *summary;
} index_command;

static const index_command commands[] = {
    {"build", gs_index_build_command, "documents or tuples to an index"},
    {"merge", gs_index_merge_command, "several indexes to one"},
    {"info", gs_index_info_command, "counts and sizes of an index"},
    {"dump", gs_index_dump_command, "every posting as a line of text"},
    {"export", gs_index_export_command, "to the Common Index File Format"},
    {"import", gs_index_import_command, "from the Common Index File Format"},
    {"verify", gs_index_verify_command, "check every checksum, order and count"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands, NAME_BYTES = 64 };

static void print_usage(FILE *to)
{
    (void)fputs("Usage: gpusort index COMMAND [OPTION]... [ARGUMENT]...\n"
                "Makes and reads inverted indexes.\n\nCommands:\n",
                to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        (void)fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
    (void)fputs("\n`gpusort index COMMAND --help' lists the options of one. See also\n"
                "`gpusort lookup'.\n",
                to);
}

int cmd_index(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return gs_stdout_close(GS_EXIT_GOOD);
    }
    for (size_t i = 0; argc > 1 && i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        char name[NAME_BYTES];
        (void)snprintf(name, sizeof name, "gpusort index %s", commands[i].name);
        program_invocation_name = name;
        argv[1] = name;
        return commands[i].function(argc - 1, argv + 1);
    }
    if (argc > 1)
        gs_report(0, "no command named '%s'", argv[1]);
    else
        gs_report(0, "missing command");
    gs_die_try_help(GS_EXIT_TROUBLE);
}
