/* SPDX-License-Identifier: MIT */
/*
 * plans: what others see of the room of plans: what a job is told, how the memory
 * is shared out, what is counted.
 */
#ifndef GS_LIB_SORT_PLAN_PLANS_H
#define GS_LIB_SORT_PLAN_PLANS_H

#include "lib/sort/plan/job_text.h"
#include "lib/sort/plan/memory_plan.h"
#include "lib/sort/plan/sort_job.h"
#include "lib/sort/plan/sort_options.h"
#include "lib/sort/plan/sort_stats.h"
#include "lib/sort/plan/text_taker.h"

#endif
