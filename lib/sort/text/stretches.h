/* SPDX-License-Identifier: MIT */
/*
 * stretches: where the sorted stretches of mapped texts begin.
 *
 *      text          | ab ae ba bc | aa ad bd | ab ca |
 *      stretches       0             1          2         a line that belongs before the
 *                                                         one before it begins another
 *
 * A file that is in order, or some of them one behind the other, need not be sorted:
 * their stretches are merged. Lines from all over the texts say at once if there are
 * many stretches; if not, all lines are looked at, by all threads. A single text may be
 * in order the other way round, all of it: then it is one stretch that says so.
 *
 * Who sees the order of all lines later on may do with a guess: only lines between two of
 * those from all over the texts that are out of order are looked at, and those behind the
 * last of them, where something was appended. Then there may be more stretches.
 */
#ifndef GS_LIB_SORT_TEXT_STRETCHES_H
#define GS_LIB_SORT_TEXT_STRETCHES_H

#include "lib/base/team.h"
#include "lib/sort/text/text_cursor.h"

enum { GS_STRETCHES_MAX = 32 }; /* more are sorted as fast */

typedef struct gs_stretches_options {
    gs_text_form form;
    const gs_text *texts; /* of whole records, by a gs_file_map: pages are left */
    size_t text_count;    /* no more than GS_STRETCHES_MAX */
    size_t line_bytes_max;
    bool may_be_reversed; /* one that is reversed is looked for too */
    bool *is_guess;       /* is set if it is one; NULL: it must not be */
    gs_team *team;
    const volatile int *cancel;
} gs_stretches_options;

/* Fills `stretches`, of which there is room for GS_STRETCHES_MAX, in the order of the
 * texts. *count is 0 if there are more, or long lines. */
GS_MUST_CHECK gs_code gs_stretches_find(const gs_stretches_options *options,
                                        gs_text *stretches, size_t *count, gs_status *st);

#endif
