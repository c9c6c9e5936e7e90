/* SPDX-License-Identifier: MIT */
/*
 * number_choice: whether an array of numbers goes to a GPU where nobody says so.
 */
#ifndef GS_LIB_API_NUMBER_CHOICE_H
#define GS_LIB_API_NUMBER_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a GPU is sooner done with so many numbers of `width` bytes than `cores`, which
 * bring them there; `is_started`: this process has used it before. */
bool gs_number_gpu_pays(size_t count, size_t width, unsigned cores, bool is_started);

#endif
