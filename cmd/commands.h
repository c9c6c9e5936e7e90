/* SPDX-License-Identifier: MIT */
/*
 * commands: the functions behind the subcommands, one file each.
 *
 * argv[0] is what messages begin with, such as "gpusort gen"; the result is the exit
 * code.
 */
#ifndef GS_CMD_COMMANDS_H
#define GS_CMD_COMMANDS_H

#include <stddef.h>

int cmd_sort(int argc, char **argv);
int cmd_device(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_partition(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_index(int argc, char **argv);
int cmd_lookup(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_join(int argc, char **argv);
int cmd_stats(int argc, char **argv);

/* Of index. */
int gs_index_build_command(int argc, char **argv);
int gs_index_append_command(int argc, char **argv);
int gs_index_delete_command(int argc, char **argv);
int gs_index_compact_command(int argc, char **argv);
int gs_index_merge_command(int argc, char **argv);
int gs_index_reorder_command(int argc, char **argv);
int gs_index_info_command(int argc, char **argv);
int gs_index_dump_command(int argc, char **argv);
int gs_index_show_command(int argc, char **argv);
int gs_index_verify_command(int argc, char **argv);
int gs_index_export_command(int argc, char **argv);
int gs_index_import_command(int argc, char **argv);

/* Of stats. */
int gs_stats_summary_command(int argc, char **argv);
int gs_stats_quantile_command(int argc, char **argv);
int gs_stats_freq_command(int argc, char **argv);
int gs_stats_hhh_command(int argc, char **argv);
int gs_stats_corrsum_command(int argc, char **argv);
int gs_stats_merge_command(int argc, char **argv);

typedef struct gs_command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *summary; /* of gpusort's own help; or NULL */
} gs_command;

/* The commands of one level: "gpusort", "gpusort index" or "gpusort stats". */
typedef struct gs_command_table {
    const char *program;
    const gs_command *commands;
    size_t count;
} gs_command_table;

/* NULL if there is none of that name. */
const gs_command *gs_command_find(const gs_command_table *table, const char *name);
/* The name that was perhaps meant, or NULL. */
const char *gs_command_close_to(const gs_command_table *table, const char *name);
/* "no WHAT named 'NAME'", with what was perhaps meant; ends the program. */
_Noreturn void gs_command_refuse(const gs_command_table *table, const char *what,
                                 const char *name);
/* Messages begin with the names of the program and the command, as argv[0] then does. */
int gs_command_run(const gs_command_table *table, const gs_command *command, int argc,
                   char **argv);
/* The command that the first operand names, of a command that has only such. */
int gs_command_run_one(const gs_command_table *table, int argc, char **argv,
                       const char *usage);

#endif
