/* SPDX-License-Identifier: MIT */
/*
 * column_names: keys by the names that the columns of a table have in its header.
 *
 * A job of tables works on its own copy of the options, whose keys get the numbers of
 * their fields once the header has been read and before the first record has a key. What
 * else is known of keys does not depend on where they are.
 */
#ifndef GS_LIB_SORT_COLUMN_NAMES_H
#define GS_LIB_SORT_COLUMN_NAMES_H

#include "lib/sort/plan/plans.h"

typedef struct gs_named_job {
    gs_sort_options options; /* as they were given, but for the keys of its order */
    gs_key *keys;            /* of that */
} gs_named_job;

/* On failure there is nothing to release. */
GS_MUST_CHECK gs_code gs_named_job_init(gs_named_job *job, const gs_sort_options *options,
                                        gs_status *st);
void gs_named_job_release(gs_named_job *job); /* a zeroed one is fine */

/* Finds the columns that keys are of, in the header of the file `name`: its last line. */
GS_MUST_CHECK gs_code gs_named_job_resolve(gs_named_job *job, const uint8_t *header,
                                           size_t header_bytes, const char *name,
                                           gs_status *st);

/* Finds the column `name` in the last line of the header of the file `file`. Of the order
 * form, delimiter and eol are looked at. `hint`: what to do where there is none. */
GS_MUST_CHECK gs_code gs_column_name_find(const gs_order *order, const uint8_t *header,
                                          size_t header_bytes, const char *file,
                                          const char *name, const char *hint,
                                          size_t *field, gs_status *st);

#endif
