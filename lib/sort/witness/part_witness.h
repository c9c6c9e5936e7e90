/* SPDX-License-Identifier: MIT */
/*
 * part_witness: shows a witness text that comes in parts, which are cut anywhere.
 *
 *      part 0   | aaaa . bbbb . cc |         thread 0: aaaa, bbbb
 *      part 1   | cc . dddd . eeee |         thread 1: cccc, dddd
 *      part 2   | . ffff .         |         thread 0: eeee, ffff
 *
 * Parts are taken in their order, one at a time: what a part leaves of a line goes to who
 * takes the next one. Then each thread looks at its own part. Keys are made again from
 * the lines, so that nothing is believed but the text.
 *
 * Call order: new, (take, look)*, finish, free. take comes from one thread at a time;
 * look of different workers at once.
 */
#ifndef GS_LIB_SORT_WITNESS_PART_WITNESS_H
#define GS_LIB_SORT_WITNESS_PART_WITNESS_H

#include "lib/base/status.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"
#include "lib/sort/witness/witness.h"

typedef struct gs_part_witness gs_part_witness;

/* `encoder` is NULL if the records are their own strings. Borrows it and the witness, of
 * which the first part's ticket is `first_ticket`. */
GS_MUST_CHECK gs_code gs_part_witness_new(gs_part_witness **out, gs_witness *witness,
                                          const gs_record_layout *layout,
                                          const gs_key_encoder *encoder,
                                          size_t record_size, uint64_t first_ticket,
                                          unsigned workers, gs_status *st);
void gs_part_witness_free(gs_part_witness *w); /* NULL is fine */

/* The next part is this worker's, who has looked at the one before. The text stays until
 * look. */
GS_MUST_CHECK gs_code gs_part_witness_take(gs_part_witness *w, unsigned worker,
                                           const uint8_t *text, size_t bytes,
                                           gs_status *st);
/* The part was copied to `text`, and is to be looked at there. */
void gs_part_witness_moved(gs_part_witness *w, unsigned worker, const uint8_t *from,
                           const uint8_t *text);
/* Fails with `code` if records of the part are out of order. */
GS_MUST_CHECK gs_code gs_part_witness_look(gs_part_witness *w, unsigned worker,
                                           gs_code code, gs_status *st);
/* All parts were looked at, but for what was left at the end. Fails with `code` if that
 * is no whole record. */
GS_MUST_CHECK gs_code gs_part_witness_finish(gs_part_witness *w, gs_code code,
                                             gs_status *st);
/* Then, the ticket that comes next. */
uint64_t gs_part_witness_next_ticket(const gs_part_witness *w);

#endif
