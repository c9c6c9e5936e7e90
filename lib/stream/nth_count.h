/* SPDX-License-Identifier: MIT */
/*
 * nth_count: the n-th largest of some counts.
 */
#ifndef GS_LIB_STREAM_NTH_COUNT_H
#define GS_LIB_STREAM_NTH_COUNT_H

#include <stddef.h>
#include <stdint.h>

/* The n-th largest, from 0; the counts change places. */
uint64_t gs_nth_largest(uint64_t *counts, size_t count, size_t n);

#endif
