/* SPDX-License-Identifier: MIT */
/*
 * corrsum_answer: which correlated sum is asked for, and how it is printed.
 */
#ifndef GS_CMD_CORRSUM_ANSWER_H
#define GS_CMD_CORRSUM_ANSWER_H

#include "cmd/opt_kinds.h"
#include "cmd/stats_output.h"

typedef enum corrsum_agg { AGG_AVG, AGG_MIN, AGG_MAX, AGG_QUANTILE } corrsum_agg;

/* Of y where x <= times * agg(x) + plus. */
typedef struct corrsum_ask {
    corrsum_agg agg;
    double phi, times, plus;
    gs_number_type type;
    double eps;
    stats_output output;
} corrsum_ask;

gs_opt_fn corrsum_take_agg, corrsum_take_number;

/* Rows of an option table. */
#define CORRSUM_OPTIONS(ask)                                                             \
    {0, "agg", GS_OPT_CALL(corrsum_take_agg, GS_OPT_TO(corrsum_agg, &(ask)->agg))},      \
        {0, "times",                                                                     \
         GS_OPT_CALL(corrsum_take_number, GS_OPT_TO(double, &(ask)->times))},            \
    {                                                                                    \
        0, "plus", GS_OPT_CALL(corrsum_take_number, GS_OPT_TO(double, &(ask)->plus))     \
    }

/* Of so many pairs all that count; `bytes` are what is kept for it. */
GS_MUST_CHECK gs_code corrsum_print(corrsum_ask *ask, const gs_pair_facts *all,
                                    uint64_t values, size_t bytes, bool is_end,
                                    gs_status *st);

#endif
