/* SPDX-License-Identifier: MIT */
/* part_tally: how much is in a part. */
#ifndef GS_LIB_PART_PART_TALLY_H
#define GS_LIB_PART_PART_TALLY_H

#include <stdint.h>

typedef struct gs_part_tally {
    uint64_t records, bytes; /* without a header */
} gs_part_tally;

#endif
