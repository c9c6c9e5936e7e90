/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * early_keep: an early split of more text than there is memory for. When its lists are
 * full, what is on them goes to files as it is, and the lists begin again; its buckets
 * are brought from there and from the lists (early_bring.h). So each is sorted once, and
 * nothing is merged.
 *
 *      lists   | b0 | b1 | .. | full | b0 | b1 | .. | full | b0 | b1 | .. |
 *                       |                    |
 *      files   | b0 | b1 | .. |       | b0 | b1 | .. |             of all workers
 *
 * How large buckets are is planned by a sample of the text, and looked at again when it
 * is known.
 */
/* clang-format on */
#ifndef GS_LIB_SORT_FORM_EARLY_KEEP_H
#define GS_LIB_SORT_FORM_EARLY_KEEP_H

#include "lib/base/team.h"
#include "lib/sort/form/early_split.h"

/* What is on the lists goes to the files, and they are empty. *bytes is how much went
 * there. */
GS_MUST_CHECK gs_code gs_early_split_keep(gs_early_split *s, gs_team *team,
                                          uint64_t *bytes, gs_status *st);

/* Is there memory to bring every bucket to, as far as it is known, without the lists? */
bool gs_early_split_is_even(const gs_early_split *s);

/* All records were added. If a bucket needs more memory than was planned beside the
 * lists, what they still hold goes to the files too, and their memory to the buckets. */
GS_MUST_CHECK gs_code gs_early_split_make_room(gs_early_split *s, gs_team *team,
                                               uint64_t *bytes, gs_status *st);

#endif
