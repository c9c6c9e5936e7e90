/* SPDX-License-Identifier: MIT */
/*
 * number_turn: signed numbers and floats as unsigned ones that compare like them, and
 * back. Every NaN is behind the greatest number.
 */
#ifndef GS_LIB_API_NUMBER_TURN_H
#define GS_LIB_API_NUMBER_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/gpusort.h"

/* 0: there is no such type. */
size_t gs_number_width(gpusort_type type);
/* Whether numbers of the type are not unsigned ones already. */
bool gs_number_is_turned(gpusort_type type);

/* In their place. */
void gs_number_turn(void *numbers, size_t count, gpusort_type type, bool back);
/* Into 64 bits each, and back. */
void gs_number_to_keys(uint64_t *keys, const void *numbers, size_t count,
                       gpusort_type type);
void gs_number_from_keys(void *numbers, const uint64_t *keys, size_t count,
                         gpusort_type type);

#endif
