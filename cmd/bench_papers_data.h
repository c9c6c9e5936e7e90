/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * bench_papers_data: what the papers measured, as they print it.
 *
 * [B]  The bitonic sort on CUDA for indexing, 2009: an 8800 GT with 14 multiprocessors,
 *      keys of 32 bits, 20 arrays of each kind. Its figure 4 is a drawing without
 *      numbers; its text says who was ahead.
 * [F]  Fine Sample Sort, a thesis of 2012: a GTX 480, averages of ten runs in ms, tables
 *      1 to 16.
 * [P]  The periodic balanced sorting network for streams, 2005, and
 * [C]  the cache-efficient bitonic sort of 2005: a GeForce 6800 Ultra, floats, up to 8
 *      million; figure 9 of [C] and its text.
 */
/* clang-format on */
#ifndef GS_CMD_BENCH_PAPERS_DATA_H
#define GS_CMD_BENCH_PAPERS_DATA_H

#include "gpu/generate/generate.h"

/* --- [B], figure 4: 1 M to 64 M --------------------------------------------------- */

enum { PAPER_B_SIZES = 7, PAPER_B_BITONIC_AHEAD_FROM = 8, PAPER_B_QUICK_UP_TO = 16 };
static const unsigned paper_b_mega_keys[PAPER_B_SIZES] = {1, 2, 4, 8, 16, 32, 64};

/* --- [F], tables 1 to 16: 10 M to 100 M ------------------------------------------- */

enum { PAPER_F_SIZES = 10, PAPER_F_KINDS = 4, PAPER_F_STEP = 10000000 };

typedef struct paper_f_kind {
    gs_distribution distribution;
    const char *tables_plain, *tables_fine;
    double plain_ms[PAPER_F_SIZES], fine_ms[PAPER_F_SIZES];
} paper_f_kind;

static const paper_f_kind paper_f_kinds[PAPER_F_KINDS] = {
    {GS_DIST_DESCENDING,
     "1, 2",
     "3, 4",
     {42.57, 93.33, 1270.10, 5584.34, 9893.66, 10266.16, 10454.49, 10690.66, 10746.84,
      10780.17},
     {67.81, 484.07, 1182.48, 1986.69, 3024.01, 3670.23, 4179.30, 4820.64, 5083.54,
      5581.87}},
    {GS_DIST_GAUSSIAN,
     "5, 6",
     "7, 8",
     {44.08, 91.66, 1577.11, 5821.72, 9151.11, 10120.05, 10625.68, 10670.36, 10736.88,
      10809.11},
     {70.82, 427.78, 1394.71, 2196.87, 2603.67, 4534.18, 4807.00, 4850.64, 5211.65,
      5466.61}},
    {GS_DIST_POISSON,
     "9, 10",
     "11, 12",
     {27.34, 47.48, 203.70, 790.55, 976.91, 1077.49, 1139.03, 1146.80, 1179.47, 1234.53},
     {50.39, 174.64, 296.59, 492.80, 539.32, 588.43, 661.18, 696.29, 840.33, 909.55}},
    {GS_DIST_UNIFORM,
     "13, 14",
     "15, 16",
     {47.11, 52.58, 1170.92, 5682.79, 8937.32, 10454.99, 10644.04, 10680.21, 10755.41,
      10857.91},
     {73.99, 474.86, 1380.47, 2196.71, 3104.25, 4385.89, 4632.17, 5007.89, 5626.17,
      5613.60}},
};

/* --- [C], figure 9: up to 8 M ----------------------------------------------------- */

enum { PAPER_C_SIZES = 4 };
static const unsigned paper_c_mega_keys[PAPER_C_SIZES] = {1, 2, 4, 8};
/* How many times faster than PBSN, and its own millions of keys a second. */
static const double paper_c_ratio_min = 2.0, paper_c_ratio_max = 2.5;
static const double paper_c_mega_keys_a_second = 10;

#endif
