/* SPDX-License-Identifier: MIT */
/*
 * corrsum_answer: which correlated sum is asked for, and how it is printed.
 */
#ifndef GS_CMD_CORRSUM_ANSWER_H
#define GS_CMD_CORRSUM_ANSWER_H

#include "cmd/opt_kinds.h"
#include "cmd/stats_output.h"

/* Of y where x <= times * agg(x) + plus. */
typedef struct corrsum_ask {
    gpusort_aggregate agg;
    double phi, times, plus;
} corrsum_ask;

gs_opt_fn corrsum_take_agg, corrsum_take_number;

/* Rows of an option table. */
#define CORRSUM_OPTIONS(ask)                                                             \
    {0, "agg",                                                                           \
     GS_OPT_CALL(corrsum_take_agg, GS_OPT_TO(gpusort_aggregate, &(ask)->agg))},          \
        {0, "times",                                                                     \
         GS_OPT_CALL(corrsum_take_number, GS_OPT_TO(double, &(ask)->times))},            \
    {                                                                                    \
        0, "plus", GS_OPT_CALL(corrsum_take_number, GS_OPT_TO(double, &(ask)->plus))     \
    }

GS_MUST_CHECK gs_code corrsum_print(const corrsum_ask *ask, stats_output *to,
                                    const gpusort_summary *summary, gs_status *st);

#endif
