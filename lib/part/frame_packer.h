/* SPDX-License-Identifier: MIT */
/*
 * frame_packer: frames that wait until there are some, are then packed by all threads
 * together, and go on in the order in which they came.
 *
 *      add     | block 7 | block 8 | end of part | block 9 | block 10 |    full
 *      pack      thread 0  thread 1                thread 0  thread 1
 *      put       7 8 end 9 10
 *
 * Call order: new, then add* and flush as often as wanted, free. One thread at a time.
 */
#ifndef GS_LIB_PART_FRAME_PACKER_H
#define GS_LIB_PART_FRAME_PACKER_H

#include "lib/base/status.h"
#include "lib/part/part_frame.h"

/* Gets a frame whose codec and stored bytes are settled. */
typedef gs_code gs_frame_put_fn(void *context, gs_part_frame_head *head,
                                const uint8_t *payload, gs_status *st);

typedef struct gs_frame_packer gs_frame_packer;

GS_MUST_CHECK gs_code gs_frame_packer_new(gs_frame_packer **out, unsigned threads,
                                          gs_frame_put_fn *put, void *context,
                                          gs_status *st);
void gs_frame_packer_free(gs_frame_packer *p); /* NULL is fine */

/* Copies the text, of head->bytes, at most GS_PART_FRAME_TEXT_MAX of a block; of other
 * frames there is none. */
GS_MUST_CHECK gs_code gs_frame_packer_add(gs_frame_packer *p,
                                          const gs_part_frame_head *head,
                                          const uint8_t *text, gs_status *st);
/* What waits goes on. */
GS_MUST_CHECK gs_code gs_frame_packer_flush(gs_frame_packer *p, gs_status *st);
/* What waits is forgotten. */
void gs_frame_packer_drop(gs_frame_packer *p);

#endif
