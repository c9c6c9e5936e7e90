/* SPDX-License-Identifier: MIT */
/*
 * hhh_answer: which heavy prefixes are asked for, and how they are printed.
 */
#ifndef GS_CMD_HHH_ANSWER_H
#define GS_CMD_HHH_ANSWER_H

#include "cmd/stats_output.h"

typedef struct hhh_ask {
    double support;
} hhh_ask;

GS_MUST_CHECK gs_code hhh_print(const hhh_ask *ask, stats_output *to,
                                gpusort_summary *summary, gs_status *st);

#endif
