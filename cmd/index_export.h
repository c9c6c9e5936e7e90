/* SPDX-License-Identifier: MIT */
/*
 * index_export: gpusort index export.
 */
#ifndef GS_CMD_INDEX_EXPORT_H
#define GS_CMD_INDEX_EXPORT_H

/* argv[0] is what messages begin with; returns the exit code. */
int gs_index_export_command(int argc, char **argv);

#endif
