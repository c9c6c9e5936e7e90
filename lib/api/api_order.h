/* SPDX-License-Identifier: MIT */
/*
 * api_order: the options of a sort as gpusort.h has them, as those of ours.
 */
#ifndef GS_LIB_API_API_ORDER_H
#define GS_LIB_API_API_ORDER_H

#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/sort/sort.h"

typedef struct gs_api_sort {
    gpusort_sort_options asked;
    gs_sort_options options;
    gs_key *keys; /* of the options, as the next */
    gs_json_path *paths;
    const char **columns;
    gs_byte_key *byte_keys;
    gs_collation *collation;
    gs_api_job job;
} gs_api_sort;

/* What is asked for is checked and translated, but for inputs and output; the job begins.
 * Release also after a failure. */
GS_MUST_CHECK gs_code gs_api_sort_init(gs_api_sort *s, const gpusort_sort_options *asked,
                                       gs_status *st);
void gs_api_sort_release(gs_api_sort *s);

#endif
