/* SPDX-License-Identifier: MIT */
/*
 * commands: the functions behind the subcommands, one file each.
 *
 * argv[0] is what messages begin with, such as "gpusort gen"; the result is the exit
 * code.
 */
#ifndef GS_CMD_COMMANDS_H
#define GS_CMD_COMMANDS_H

int cmd_sort(int argc, char **argv);
int cmd_device(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_index(int argc, char **argv);
int cmd_lookup(int argc, char **argv);
int cmd_search(int argc, char **argv);

#endif
