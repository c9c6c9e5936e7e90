/* SPDX-License-Identifier: MIT */
/*
 * posting_run: postings as records of a run (lib/sort/run/run_record.h), so that the
 * sort's own merge puts them in order.
 *
 * A record is a stretch of one term's postings. Its key makes byte order the order of
 * terms, then of documents:
 *
 *      +-------------------------------------+-------+----------------------+
 *      | the term, each 00 followed by a 01  | 00 00 | first document, high |
 *      |                                     |       | byte first, 5 bytes  |
 *      +-------------------------------------+-------+----------------------+
 *
 * Its value is varints: how many postings; then for each the gap to the document before,
 * << 1, | 1 if the tf is 1 (the first gap is 0), else followed by the tf; then, if there
 * are positions, tf of them: the first, then the steps.
 *
 * Within a run stretches of a term do not overlap. Stretches of different runs may: those
 * of documents that were being read when a run ended, and those of tuples in any order.
 *
 * A writer and a joiner belong to one thread each.
 */
#ifndef GS_LIB_INDEX_BUILD_POSTING_RUN_H
#define GS_LIB_INDEX_BUILD_POSTING_RUN_H

#include "lib/index/format/formats.h"
#include "lib/sort/run/runs.h"

/* The layout of the records. */
gs_record_layout gs_posting_run_layout(void);

/* For gs_range_consumer: records of one term belong together. */
size_t gs_posting_run_kept_together(const uint8_t *key, size_t bytes);

/* --- writing ----------------------------------------------------------------------- */

typedef struct gs_posting_writer gs_posting_writer;
GS_MUST_CHECK gs_code gs_posting_writer_new(gs_posting_writer **out, bool has_positions,
                                            gs_status *st);
void gs_posting_writer_free(gs_posting_writer *w); /* NULL is fine */
/* Records go to this piece from now on; the first of a piece follows nothing. */
void gs_posting_writer_begin(gs_posting_writer *w, gs_sink_piece *piece);
gs_posting_target gs_posting_writer_target(gs_posting_writer *w);

/* --- joining ----------------------------------------------------------------------- */

/* Takes records in the order of their keys, from any number of runs, and gathers whole
 * lists. Overlapping stretches are kept until documents pass them by. */
typedef struct gs_posting_joiner gs_posting_joiner;
GS_MUST_CHECK gs_code gs_posting_joiner_new(gs_posting_joiner **out, bool has_positions,
                                            gs_status *st);
void gs_posting_joiner_free(gs_posting_joiner *j); /* NULL is fine */
/* Starts anew, into this gather. */
void gs_posting_joiner_begin(gs_posting_joiner *j, gs_posting_gather *gather);
GS_MUST_CHECK gs_code gs_posting_joiner_add(gs_posting_joiner *j, const uint8_t *key,
                                            size_t key_bytes, const uint8_t *value,
                                            gs_status *st);
/* Gathers what is left, up to gs_posting_gather_end. */
GS_MUST_CHECK gs_code gs_posting_joiner_end(gs_posting_joiner *j, gs_status *st);

#endif
