/* SPDX-License-Identifier: MIT */
/*
 * number_sort: an array of unsigned numbers, sorted by all threads.
 */
#ifndef GS_LIB_API_NUMBER_SORT_H
#define GS_LIB_API_NUMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/team.h"

/* `scratch` has room for as many. */
GS_MUST_CHECK gs_code gs_number_sort_u32(uint32_t *numbers, uint32_t *scratch,
                                         size_t count, gs_team *team,
                                         const volatile int *cancel, gs_status *st);
GS_MUST_CHECK gs_code gs_number_sort_u64(uint64_t *numbers, uint64_t *scratch,
                                         size_t count, gs_team *team,
                                         const volatile int *cancel, gs_status *st);

#endif
