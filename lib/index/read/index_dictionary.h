/* SPDX-License-Identifier: MIT */
/*
 * index_dictionary: where the blocks of the dictionary of an open index are. Any thread.
 */
#ifndef GS_LIB_INDEX_READ_INDEX_DICTIONARY_H
#define GS_LIB_INDEX_READ_INDEX_DICTIONARY_H

#include "lib/index/read/index_reader.h"

/* For the dictionary: how many blocks, the prefixes of their first terms (sorted, the
 * array that lookups search), and where one lies. */
uint64_t gs_index_dictionary_blocks(const gs_index *index);
/* Of the prefixes, too, the pages must be compared: of so many from the first on. */
const uint64_t *gs_index_term_prefixes(const gs_index *index);
GS_MUST_CHECK gs_code gs_index_check_prefixes(const gs_index *index, uint64_t first,
                                              uint64_t count, gs_status *st);
/* Where in the dictionary the places of its blocks begin. */
uint64_t gs_index_dictionary_places(const gs_index *index);
GS_MUST_CHECK gs_code gs_index_dictionary_block(const gs_index *index, uint64_t block,
                                                const uint8_t **begin,
                                                const uint8_t **end, gs_status *st);
/* Hints: soon the block will be asked for. First where it lies, then what it holds; of a
 * block that is not there nothing is fetched. */
void gs_index_fetch_offset(const gs_index *index, uint64_t block);
void gs_index_fetch_block(const gs_index *index, uint64_t block);

#endif
