/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * The array is cut by the highest bits that vary into parts that follow each other, each
 * thread its slice of the array; then the parts are sorted, whoever is free the next one:
 *
 *      numbers   | slice of thread 0 | slice of thread 1 | ...
 *      scratch   | part 0 | part 1 | part 2 | ...          of each part first what thread 0
 *      numbers   | part 0 | part 1 | part 2 | ...          has, then thread 1: then sorted
 *
 * A part fits the second-level cache unless the numbers lie close together; how it is sorted
 * says number_part.h. One that is much of the array is cut again, as if it were all of it.
 */
/* clang-format on */
#include "lib/api/number_sort.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/block/blocks.h"

enum {
    PART_BITS = 12,
    PARTS = 1 << PART_BITS,
    SERIAL_MAX = 1 << 16, /* so few are not worth a second thread */
    LARGE_SHARE = 64,     /* a part that is more than this part of the array */
    CELL_BITS = 15,       /* of a part; so many places fit the cache beside it */
    CROWD = 16,           /* so many of a cell are sorted as they settle */
};

#define KEY            uint32_t
#define OF_WIDTH(name) name##_u32
#include "lib/api/number_sort_width.h"
#undef KEY
#undef OF_WIDTH

#define KEY            uint64_t
#define OF_WIDTH(name) name##_u64
#include "lib/api/number_sort_width.h"
#undef KEY
#undef OF_WIDTH
