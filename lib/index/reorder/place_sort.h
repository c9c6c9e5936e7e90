/* SPDX-License-Identifier: MIT */
/*
 * place_sort: numbers of 64 bits, sorted by their upper halves.
 *
 * What lies below is carried along, and equal ones stay in their order. By digits from
 * the last one on, of many; few are put in one by one. One thread.
 */
#ifndef GS_LIB_INDEX_REORDER_PLACE_SORT_H
#define GS_LIB_INDEX_REORDER_PLACE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Upper halves have `bits` bits at most; `spare` has room for as many. */
void gs_place_sort(uint64_t *items, uint64_t *spare, size_t count, unsigned bits);

#endif
