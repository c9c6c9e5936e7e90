/* SPDX-License-Identifier: MIT */
/*
 * number_device: an array of numbers, sorted by a GPU.
 */
#ifndef GS_LIB_API_NUMBER_DEVICE_H
#define GS_LIB_API_NUMBER_DEVICE_H

#include "lib/base/log.h"
#include "lib/base/team.h"
#include "lib/gpusort.h"

typedef struct gs_number_array {
    void *numbers;
    void *scratch; /* as many bytes, fresh */
    size_t count;
    gpusort_type type;
} gs_number_array;

/* By the engine and the GPU that the job names, else as suits the numbers, on the first.
 * What comes back is looked at: it is in order, and what went there. After a failure the
 * numbers are as they were. */
GS_MUST_CHECK gs_code gs_number_device_sort(const gs_number_array *array,
                                            const gpusort_job *job, gs_team *team,
                                            const gs_log *log, const volatile int *cancel,
                                            gs_status *st);

#endif
