/* SPDX-License-Identifier: MIT */
/*
 * The same as test_witness, as on a machine with AVX2 but without AVX-512: what its loops
 * add up must be what the plain ones do, or a sort's sums could not be compared.
 */
#define GS_HASH_WITHOUT_AES 1
#define GS_LINE_ENDS_PLAIN  1
#include "lib/sort/record/line_ends.c"
#include "lib/sort/witness/multiset.c"
#include "lib/sort/witness/record_look.c"
#include "tests/unit/lib/sort/witness/test_witness.c"
