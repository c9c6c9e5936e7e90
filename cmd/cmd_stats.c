/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats: which of its commands is meant.
 */
#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"

static const gs_command commands[] = {
    {"quantile", gs_stats_quantile_command, NULL},
    {"summary", gs_stats_summary_command, NULL},
    {"freq", gs_stats_freq_command, NULL},
    {"hhh", gs_stats_hhh_command, NULL},
    {"corrsum", gs_stats_corrsum_command, NULL},
    {"merge", gs_stats_merge_command, NULL},
};

static const gs_command_table table = {"gpusort stats", GS_COUNTED(commands)};

static const char usage_text[] =
    "Usage: gpusort stats COMMAND [OPTION]... [FILE]...\n"
    "Tells of a stream of values, in one pass and in bounded memory.\n\nCommands:\n"
    "  summary    what there is in a file: kinds of values, quantiles, the most "
    "frequent\n"
    "  quantile   values at given shares of the order\n"
    "  freq       the most frequent values\n"
    "  hhh        prefixes that many values have\n"
    "  corrsum    the sum of one column where another is up to its average\n"
    "  merge      answers from what these saved, of several streams together\n\n"
    "  -h, --help  this text; `gpusort stats COMMAND --help' lists the options of one\n"
    "      --version  show the version and stop\n";

int cmd_stats(int argc, char **argv)
{
    return gs_command_run_one(&table, argc, argv, usage_text);
}
