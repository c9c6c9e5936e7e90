/* SPDX-License-Identifier: MIT */
/*
 * device_chunk: the chunks of runs, sorted on a GPU.
 *
 * What device_former works with: batches of lines go up as they are read, the sorted text
 * or records come down into the output stream or a run.
 *
 *      line_feed --> held back --> GPU --> text straight into the stream's blocks
 *                      ^                   or records, encoded by all threads
 *                      while the device starts
 *
 * Files that are in the page cache go up by another way (device_feed.h).
 *
 * The device is started by a thread of its own while the first blocks are read. Text that
 * comes before it is ready is held back in host memory. Where the input cannot be read
 * again (a pipe), a copy of a chunk's text stays on the host until its run is written, so
 * that a GPU that fails costs time and nothing else: in memory as far as the plan goes,
 * and then in a temporary file (held_file.h).
 *
 * What the device gives back is not believed: records that went up and records that came
 * down are compared, and their order, before a run counts and before text gets its name
 * (lib/sort/witness/witness.h). What is wrong is a failure of the device.
 *
 * A chunk lives in a slot, a part of a GPU's memory. While one slot is emitted by a
 * thread another may be filled by another thread (device_former).
 *
 * After a failure of fill or emit that the device has caused (can_do_without), give_back
 * returns what is held back to the feed; the caller then goes on with the CPU, or starts
 * again if text was lost.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_CHUNK_H
#define GS_LIB_SORT_DEVICE_DEVICE_CHUNK_H

#include "lib/sort/device/device_choice.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/run/runs.h"
#include "lib/sort/text/texts.h"

typedef struct gs_device_chunk gs_device_chunk;

/* Of an order that kernels are there for (forming->device). Borrows `forming`, whose pool
 * is locked in place for the device. Its witness hears of a chunk once it was emitted. */
GS_MUST_CHECK gs_code gs_device_chunk_new(gs_device_chunk **out,
                                          const gs_forming *forming, gs_status *st);
void gs_device_chunk_free(gs_device_chunk *c); /* NULL is fine */

/* Reads until `bytes` of text are held back or the input ends, and leaves the device
 * alone: whether a pipe is worth it. */
GS_MUST_CHECK gs_code gs_device_chunk_peek(gs_device_chunk *c, size_t bytes, bool *is_all,
                                           gs_status *st);

/* How many slots there are; one while the device starts. */
unsigned gs_device_chunk_slots(gs_device_chunk *c);
/* Makes sure that the slot has its memory; false if there is none, and one slot less. */
bool gs_device_chunk_need_slot(gs_device_chunk *c, unsigned slot);

/* Fills a slot, which is empty. *is_last: the input has ended. */
GS_MUST_CHECK gs_code gs_device_chunk_fill(gs_device_chunk *c, unsigned slot,
                                           bool *is_last, gs_status *st);
bool gs_device_chunk_is_empty(const gs_device_chunk *c, unsigned slot);

/* Of a slot's chunk the share of records that are left if of equals there is one: sorts
 * it for that. Of a sort that drops equals. */
double gs_device_chunk_kept(gs_device_chunk *c, unsigned slot);

/* Sorts a slot's chunk and writes it to the sink. One slot at a time. The chunk stays,
 * and what is held back of it, until what was written is known to be there. */
GS_MUST_CHECK gs_code gs_device_chunk_emit(gs_device_chunk *c, unsigned slot,
                                           gs_sink *sink, const gs_emit_options *emit,
                                           gs_status *st);
/* All of the input is in these runs, and the slots are empty: merges them into the sink,
 * which is plain text, as pieces from number `ticket` on (device_merge.h). Once. After a
 * failure that the device has caused the runs are as they were. */
GS_MUST_CHECK gs_code gs_device_chunk_merge(gs_device_chunk *c, gs_mapped_store *runs,
                                            gs_sink *sink, uint64_t ticket,
                                            gs_status *st);
/* Memory for the blocks of a stream of the output, which a GPU fills faster than other
 * memory; until free. */
uint8_t *gs_device_chunk_stream_memory(const gs_device_chunk *c);
/* The slot's chunk is in a run: the slot is empty again. */
void gs_device_chunk_clear(gs_device_chunk *c, unsigned slot);

/* Could the CPU have done what failed? Not if it was the reading: what the feed had in
 * hand is gone. */
bool gs_device_chunk_can_do_without(const gs_device_chunk *c, const gs_status *st);

/* False while (and if) the device could not be started. */
bool gs_device_chunk_is_started(const gs_device_chunk *c);

/* Some of the text read so far, from its beginning. */
void gs_device_chunk_sample(const gs_device_chunk *c, const uint8_t **text,
                            size_t *bytes);

/* Returns text that is held back, and not in a run yet, to the feed. False if some of it
 * is gone: the input must be read again from its beginning. No more calls but free. */
bool gs_device_chunk_give_back(gs_device_chunk *c);

#endif
