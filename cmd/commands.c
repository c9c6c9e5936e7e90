/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/close_name.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/quote.h"

const gs_command *gs_command_find(const gs_command_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->commands[i].name, name) == 0)
            return &table->commands[i];
    }
    return NULL;
}

const char *gs_command_close_to(const gs_command_table *table, const char *name)
{
    gs_close_name search = {.word = name, .bytes = strlen(name)};
    for (size_t i = 0; i < table->count; i++)
        gs_close_name_offer(&search, table->commands[i].name);
    return search.best;
}

void gs_command_refuse(const gs_command_table *table, const char *what, const char *name)
{
    gs_quoted q;
    const char *const near = gs_command_close_to(table, name);
    gs_report(0, "no %s named %s", what, gs_quote_argument(&q, name));
    if (near != NULL)
        gs_report(0, "did you mean '%s'?", near);
    gs_die_try_help(GS_EXIT_TROUBLE);
}

int gs_command_run(const gs_command_table *table, const gs_command *command, int argc,
                   char **argv)
{
    enum { NAME_BYTES = 64 };
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s %s", table->program, command->name);
    program_invocation_name = name;
    argv[0] = name;
    return command->function(argc, argv);
}

int gs_command_run_one(const gs_command_table *table, int argc, char **argv,
                       const char *usage)
{
    const char *word = NULL;
    const gs_opt options[] = {{0, NULL, GS_OPT_OPERAND(&word)}};
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = 1,
                        .usage = usage,
                        .index = 1};
    const gs_opt *const first = gs_opt_next(&scan);
    if (first == NULL)
        gs_die_usage("missing command");
    first->take(first->to, &scan);
    const int at = scan.index - 1;
    const gs_command *const command = gs_command_find(table, word);
    if (command == NULL)
        gs_command_refuse(table, "command", word);
    return gs_command_run(table, command, argc - at, argv + at);
}
