/* SPDX-License-Identifier: MIT */
/*
 * The same as test_tie_sort, as on a machine without AVX-512 and BMI2: few elements are
 * sorted by insertion, and words packed by shifting.
 */
#define GS_BUCKET_PLAIN 1
#include "lib/sort/bucket/element_sort.c"
#include "lib/sort/bucket/word_pack.c"
#include "tests/unit/lib/sort/bucket/test_tie_sort.c"
