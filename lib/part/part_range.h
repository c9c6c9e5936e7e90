/* SPDX-License-Identifier: MIT */
/*
 * part_range: the records of a file that begin at some bytes of it, as a range of bytes
 * that begins and ends between two records. So ranges that follow each other have each
 * record once, wherever the file is cut.
 */
#ifndef GS_LIB_PART_PART_RANGE_H
#define GS_LIB_PART_PART_RANGE_H

#include "lib/sort/sort.h"

/* Of the one input, where the first record from *from on begins, and the first from *to
 * on; the end of the file where there is none. The file must be regular, and plain unless
 * keep_compressed is set. */
GS_MUST_CHECK gs_code gs_part_range_find(const gs_sort_options *options, uint64_t *from,
                                         uint64_t *to, gs_status *st);

#endif
