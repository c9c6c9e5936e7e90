/* SPDX-License-Identifier: MIT */
/*
 * join_first: the first line of each side in the order of the keys, which decides how
 * many fields -o auto shows. One thread.
 */
#ifndef GS_LIB_JOIN_JOIN_FIRST_H
#define GS_LIB_JOIN_JOIN_FIRST_H

#include "lib/join/join_fields.h"
#include "lib/join/join_options.h"
#include "lib/join/join_sorted.h"

/* `only`: all lines are of this side; GS_JOIN_SIDES: the last byte of each key says of
 * which it is (join_match.h). Cuts these lines; *has_line is false for a side without
 * lines, and what its fields hold does not count. The fields have counts, but their bytes
 * may be gone. */
GS_MUST_CHECK gs_code gs_join_first_find(gs_join_sorted *sorted, gs_join_side only,
                                         const gs_join_options *options,
                                         gs_join_fields fields[], bool has_line[],
                                         gs_status *st);

#endif
