/* SPDX-License-Identifier: MIT */
/*
 * bench_args: the command line of `gpusort bench`. Everything in it is checked before the
 * first measurement; what makes no sense ends the program with a message.
 */
#ifndef GS_CMD_BENCH_ARGS_H
#define GS_CMD_BENCH_ARGS_H

#include "cmd/bench.h"

void bench_args_parse(int argc, char **argv, bench_setup *out);

#endif
