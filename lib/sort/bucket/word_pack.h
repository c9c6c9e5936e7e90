/* SPDX-License-Identifier: MIT */
/*
 * word_pack: both words of elements as one number, by the bits in which they differ.
 *
 *      prefix        next                    any two differ in
 *      "ib/x86_6"    "4-linux-"              ^^^ ......... ^^
 *      "oc/x86_6"    "4-kernel"   -------->  one word that is compared instead of two
 *
 * Bits that are the same everywhere decide nothing, and of a byte of text two or three
 * are: ten to sixteen bytes of a string go into a word, and are put in order at once.
 */
#ifndef GS_LIB_SORT_BUCKET_WORD_PACK_H
#define GS_LIB_SORT_BUCKET_WORD_PACK_H

#include <stdbool.h>

#include "lib/sort/bucket/element.h"

/* Replaces the prefixes of elements[0 .. count) by numbers that compare as prefixes do,
 * and where these are equal as the first bits of the next words do. True if they hold all
 * of the next words that differs: equal numbers then mean equal words. */
bool gs_words_pack(gs_element *elements, size_t count);

#endif
