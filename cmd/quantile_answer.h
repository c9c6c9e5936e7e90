/* SPDX-License-Identifier: MIT */
/*
 * quantile_answer: which quantiles are asked for, and how they are printed, whatever they
 * are known from.
 *
 * Call order: take, print*, release.
 */
#ifndef GS_CMD_QUANTILE_ANSWER_H
#define GS_CMD_QUANTILE_ANSWER_H

#include "cmd/stats_output.h"

enum { QUANTILE_PHIS_MAX = 1024 };

typedef struct quantile_ask {
    const char *phi_text; /* of --phi */
    char *phi_copy;       /* cut into its parts */
    const char *phi_texts[QUANTILE_PHIS_MAX];
    double phis[QUANTILE_PHIS_MAX];
    size_t phi_count;
} quantile_ask;

#define QUANTILE_PHIS "0.5,0.9,0.99"

/* Reads phi_text; ends the program if it is no list of shares. */
void quantile_ask_take(quantile_ask *ask);
void quantile_ask_release(quantile_ask *ask);

GS_MUST_CHECK gs_code quantile_print(const quantile_ask *ask, stats_output *to,
                                     const gpusort_summary *summary, gs_status *st);

#endif
