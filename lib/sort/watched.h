/* SPDX-License-Identifier: MIT */
/*
 * watched: what a witness has to know of a sort or merge.
 */
#ifndef GS_LIB_SORT_WATCHED_H
#define GS_LIB_SORT_WATCHED_H

#include "lib/sort/record/records.h"
#include "lib/sort/sort.h"
#include "lib/sort/witness/witnesses.h"

/* Full if that is asked for. */
gs_witness_options gs_sort_watched(const gs_sort_options *options,
                                   const gs_record_layout *layout);

#endif
