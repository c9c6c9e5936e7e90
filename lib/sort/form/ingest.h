/* SPDX-License-Identifier: MIT */
/*
 * ingest: all threads together turn batches of lines into the records and elements of a
 * chunk, until it is full or the input ends.
 *
 * Each thread takes a batch, measures it (plain lines are counted; keyed records are made
 * in the thread's own scratch), waits for its ticket to reserve room in the chunk, lets
 * the next one reserve and then copies. So the chunk is in input order and the copying is
 * parallel. What no longer fits is kept for the next chunk.
 */
#ifndef GS_LIB_SORT_FORM_INGEST_H
#define GS_LIB_SORT_FORM_INGEST_H

#include "lib/sort/form/chunk.h"
#include "lib/sort/form/early_split.h"
#include "lib/sort/form/former.h"

typedef struct gs_ingest gs_ingest;

/* Borrows what `forming` has, whose witness hears of all records. */
GS_MUST_CHECK gs_code gs_ingest_new(gs_ingest **out, const gs_forming *forming,
                                    gs_status *st);
void gs_ingest_free(gs_ingest *in); /* NULL is fine */

/* Fills `chunk`, which is empty. *is_last: the input has ended. */
GS_MUST_CHECK gs_code gs_ingest_fill(gs_ingest *in, gs_chunk *chunk, bool *is_last,
                                     gs_status *st);

/* Where in the input the next chunk will begin, if its files come in order. */
void gs_ingest_place(gs_ingest *in, size_t *input_index, uint64_t *offset);

/* Instead, puts all of the input, which is mapped, on the lists of `early`, and what has
 * to be copied into the chunk. *is_done is false if it is not for that; then the feed has
 * to begin again. */
GS_MUST_CHECK gs_code gs_ingest_split_early(gs_ingest *in, gs_chunk *chunk,
                                            gs_early_split *early, bool *is_done,
                                            gs_status *st);

/* Fills the lists of `early`, which are empty, with a chunk of an input that is mapped;
 * what has to be copied goes to `chunk`. *is_last as above. If they are empty still, and
 * that is not all, the next batch is not for them; gs_ingest_fill goes on there. */
GS_MUST_CHECK gs_code gs_ingest_fill_early(gs_ingest *in, gs_chunk *chunk,
                                           gs_early_split *early, bool *is_last,
                                           gs_status *st);

/* From now on records whose string is greater than that of `limit` (a copy is made) need
 * not be kept: --top. */
GS_MUST_CHECK gs_code gs_ingest_set_limit(gs_ingest *in, const uint8_t *string,
                                          size_t string_bytes, gs_status *st);

#endif
