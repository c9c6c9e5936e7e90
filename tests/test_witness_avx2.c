/* SPDX-License-Identifier: MIT */
/*
 * The same as test_witness, as on a machine with AVX2 but without AVX-512: what its loops
 * add up must be what the plain ones do, or a sort's sums could not be compared.
 */
#define GS_HASH_WITHOUT_AES 1
#include "lib/sort/multiset.c"
#include "lib/sort/record_look.c"
#include "tests/test_witness.c"
