/* SPDX-License-Identifier: MIT */
/*
 * index_build_command: gpusort index build.
 */
#ifndef GS_CMD_INDEX_BUILD_COMMAND_H
#define GS_CMD_INDEX_BUILD_COMMAND_H

/* argv[0] is what messages begin with; returns the exit code. */
int gs_index_build_command(int argc, char **argv);

#endif
