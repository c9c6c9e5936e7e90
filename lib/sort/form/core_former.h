/* SPDX-License-Identifier: MIT */
/*
 * core_former: chunks formed on cores, in two ways. memory_former makes records and
 * elements, in any number of chunks; list_former keeps of much mapped text only where
 * each line lies (early_split.h), and takes all of it or gives it back.
 */
#ifndef GS_LIB_SORT_FORM_CORE_FORMER_H
#define GS_LIB_SORT_FORM_CORE_FORMER_H

#include "lib/sort/form/former.h"

/* Would list_former keep in files what is too much for memory, if the files are plain and
 * stay in the page cache? What they hold is all of the text, and of runs less: of equal
 * records only one, of others not what the one before begins with. */
bool gs_list_former_keeps(const gs_sort_options *options);
GS_MUST_CHECK gs_code gs_list_former_new(gs_former **out, const gs_forming *forming,
                                         gs_status *st);
GS_MUST_CHECK gs_code gs_memory_former_new(gs_former **out, const gs_forming *forming,
                                           gs_status *st);

/* Maps the inputs into `map`, and has the feed cut batches of it, if records are better
 * sorted where they are. Before a former is made; forming->map is for the caller to set.
 */
bool gs_core_former_map(const gs_forming *forming, int output_fd, gs_file_map *map);

#endif
