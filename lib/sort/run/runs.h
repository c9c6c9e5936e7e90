/* SPDX-License-Identifier: MIT */
/*
 * runs: what others see of the room of runs: sorted records on the disk, how they
 * get there, and how many become one.
 */
#ifndef GS_LIB_SORT_RUN_RUNS_H
#define GS_LIB_SORT_RUN_RUNS_H

#include "lib/sort/run/block_store.h"
#include "lib/sort/run/checkpoint.h"
#include "lib/sort/run/merge_pass.h"
#include "lib/sort/run/merge_tree.h"
#include "lib/sort/run/ovc.h"
#include "lib/sort/run/range_merge.h"
#include "lib/sort/run/run_codec_choice.h"
#include "lib/sort/run/run_list.h"
#include "lib/sort/run/run_store.h"
#include "lib/sort/run/sink.h"

#endif
