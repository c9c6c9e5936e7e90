/* SPDX-License-Identifier: MIT */
/*
 * index_merge_command: gpusort index merge.
 */
#ifndef GS_CMD_INDEX_MERGE_COMMAND_H
#define GS_CMD_INDEX_MERGE_COMMAND_H

/* argv[0] is what messages begin with; returns the exit code. */
int gs_index_merge_command(int argc, char **argv);

#endif
