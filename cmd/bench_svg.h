/* SPDX-License-Identifier: MIT */
/*
 * bench_svg: measurements as a picture.
 *
 *      title, and the machine
 *      legend: a colour and a mark an engine
 *      +--------------+  +--------------+
 *      | u64 uniform  |  | u64 zipf     |     a panel for each type and distribution,
 *      |   speed over |  |              |     all with the same axes, so that they can
 *      |   how many   |  |              |     be compared
 *      +--------------+  +--------------+
 *
 * The number of keys is on a scale of powers of two; the speed too is on a logarithmic
 * scale where engines are far apart, and begins at zero otherwise.
 */
#ifndef GS_CMD_BENCH_SVG_H
#define GS_CMD_BENCH_SVG_H

#include "cmd/bench.h"

/* Whether it could be written is for the caller to ask of `to`. */
void bench_svg_write(FILE *to, const char *machine, unsigned runs,
                     const bench_points *points);

#endif
