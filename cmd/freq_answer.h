/* SPDX-License-Identifier: MIT */
/*
 * freq_answer: which frequent values are asked for, and how they are printed.
 */
#ifndef GS_CMD_FREQ_ANSWER_H
#define GS_CMD_FREQ_ANSWER_H

#include "cmd/stats_output.h"

typedef struct freq_ask {
    double support;
    size_t top; /* 0: all */
} freq_ask;

#define FREQ_SUPPORT 0.01

GS_MUST_CHECK gs_code freq_print(const freq_ask *ask, stats_output *to,
                                 gpusort_summary *summary, gs_status *st);

#endif
