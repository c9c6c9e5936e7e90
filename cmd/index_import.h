/* SPDX-License-Identifier: MIT */
/*
 * index_import: gpusort index import.
 */
#ifndef GS_CMD_INDEX_IMPORT_H
#define GS_CMD_INDEX_IMPORT_H

/* argv[0] is what messages begin with; returns the exit code. */
int gs_index_import_command(int argc, char **argv);

#endif
