/* SPDX-License-Identifier: MIT */
/*
 * near_join: a band join whose sides stay in memory as they were read, while their
 * numbers are sorted apart from them.
 *
 *      right input -> text, numbers -> sorted --+
 *                                               +-> near_match -> output
 *      left input  -> text, numbers -> sorted --+
 *
 * It is for files of lines that fit into the memory together with 16 bytes a line, and as
 * much again of the longer side; whose keys are numbers of 64 bits in some unit. What is
 * not for it has cost a look, most often at the beginning of a file.
 */
#ifndef GS_LIB_JOIN_NEAR_JOIN_H
#define GS_LIB_JOIN_NEAR_JOIN_H

#include "lib/join/join_job.h"

/* *is_done is false if the join is not for it: nothing is written then, and the job is
 * as it was. *skipped: lines that were left out since they have no number. */
GS_MUST_CHECK gs_code gs_near_join_run(gs_join_job *job, bool *is_done, uint64_t *skipped,
                                       gs_status *st);

#endif
