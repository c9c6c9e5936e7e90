/* SPDX-License-Identifier: MIT */
/*
 * The same as test_witness, as on a machine without AVX-512: there hashes are of another
 * kind, and strings are compared one word after the other.
 */
#define GS_HASH_PLAIN      1
#define GS_LINE_ENDS_PLAIN 1
#include "lib/sort/record/line_ends.c"
#include "lib/sort/witness/multiset.c"
#include "lib/sort/witness/record_look.c"
#include "tests/unit/lib/sort/witness/test_witness.c"
