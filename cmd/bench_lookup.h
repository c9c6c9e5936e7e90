/* SPDX-License-Identifier: MIT */
/*
 * bench_lookup: gpusort bench lookup, the searches for batches of keys side by side.
 */
#ifndef GS_CMD_BENCH_LOOKUP_H
#define GS_CMD_BENCH_LOOKUP_H

/* argv[0] is "lookup"; returns the exit code. */
int gs_bench_lookup(int argc, char **argv);

#endif
