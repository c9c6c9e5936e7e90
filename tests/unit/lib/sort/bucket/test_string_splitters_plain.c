/* SPDX-License-Identifier: MIT */
/*
 * The same as test_string_splitters, as on a machine without AVX-512: the words of a node
 * are compared one after the other.
 */
#define GS_BUCKET_PLAIN 1
#include "lib/sort/bucket/string_find.c"
#include "tests/unit/lib/sort/bucket/test_string_splitters.c"
