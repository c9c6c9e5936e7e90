/* SPDX-License-Identifier: MIT */
/*
 * feed_job: all that a reader of mapped inputs is made for, as a sort has it
 * (gs_forming).
 *
 * Call order: the caller sets `options`; open, close. Then gs_input_batches_map or its
 * like says if `in.map` has the inputs.
 */
#ifndef GS_TESTS_FEED_JOB_H
#define GS_TESTS_FEED_JOB_H

#include "lib/sort/plan/plans.h"
#include "lib/sort/sort_input.h"

typedef struct feed_job {
    gs_sort_options options;
    gs_memory_plan plan;
    gs_record_layout layout;
    gs_witness_options watched;
    gs_sort_input in;
    gs_forming forming;
} feed_job;

/* What is 0 is as planned. */
static inline gs_code feed_job_open(feed_job *j, unsigned workers, size_t block_bytes,
                                    size_t block_count, gs_status *st)
{
    gs_team *team = NULL;
    j->plan = gs_memory_plan_sort(&j->options, false);
    if (block_bytes > 0)
        j->plan.feed_block_bytes = block_bytes;
    if (block_count > 0)
        j->plan.feed_blocks = block_count;
    j->layout = gs_order_layout(&j->options.order, false);
    j->watched = gs_sort_watched(&j->options, &j->layout);
    GS_TRY(gs_sort_input_open(&j->in, &j->options, &j->plan, &j->layout, st));
    GS_TRY(gs_team_new(&team, workers > 0 ? workers : j->plan.workers, st));
    j->forming = (gs_forming){.options = &j->options,
                              .plan = &j->plan,
                              .layout = &j->layout,
                              .watched = &j->watched,
                              .team = team,
                              .pool = j->in.pool,
                              .input = j->in.input,
                              .feed = j->in.feed,
                              .map = &j->in.map};
    return GS_OK;
}

static inline void feed_job_close(feed_job *j)
{
    gs_team_free(j->forming.team);
    gs_sort_input_release(&j->in);
}

#endif
