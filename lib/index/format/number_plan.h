/* SPDX-License-Identifier: MIT */
/*
 * number_plan: how wide the numbers of a block are packed, and which are exceptions.
 *
 * The width is the one that makes the block shortest (lib/index/format/number_block.h);
 * of equal ones the largest, which has the fewest exceptions. It is looked for from the
 * widest number on downwards, as long as the exceptions alone are not too long already.
 * Every block that is written is planned: where the processor has AVX-512, widths are
 * measured eight at a time and counted 64 at a time.
 */
#ifndef GS_LIB_INDEX_FORMAT_NUMBER_PLAN_H
#define GS_LIB_INDEX_FORMAT_NUMBER_PLAN_H

#include <stdint.h>

#include "lib/base/pack_width.h"
#include "lib/index/format/posting_pack.h"

typedef struct gs_number_plan {
    gs_pack_width width;
    uint64_t large[GS_PACK_COUNT / 64]; /* a bit for each number: is it an exception? */
} gs_number_plan;

/* Of up to GS_PACK_COUNT numbers of at most GS_PACK_BITS_MAX bits. */
void gs_number_plan_make(gs_number_plan *out, const uint64_t *numbers, size_t count);
/* For tests: in a way that the processor has. */
void gs_number_plan_make_by(gs_pack_way way, gs_number_plan *out, const uint64_t *numbers,
                            size_t count);

#endif
