/* SPDX-License-Identifier: MIT */
/*
 * frame_reader: a stream of frames, one after the other, each of them checked.
 *
 * Damage is GS_ERR_FORMAT, and the message has the name of the stream, the number of the
 * frame and where it begins. One thread.
 */
#ifndef GS_LIB_PART_FRAME_READER_H
#define GS_LIB_PART_FRAME_READER_H

#include "lib/base/status.h"
#include "lib/part/part_frame.h"

typedef struct gs_frame_reader gs_frame_reader;

/* Reads on from where `fd` stands, which stays the caller's; borrows the name. Reads the
 * start. */
GS_MUST_CHECK gs_code gs_frame_reader_new(gs_frame_reader **out, int fd, const char *name,
                                          gs_status *st);
void gs_frame_reader_free(gs_frame_reader *r); /* NULL is fine */

uint32_t gs_frame_reader_part_count(const gs_frame_reader *r);

/* The next frame: its head, and its text unpacked, which is there until the next call.
 * Parts come in order, each with its end, whose numbers are those of its text. The last
 * frame is the end. */
GS_MUST_CHECK gs_code gs_frame_reader_next(gs_frame_reader *r,
                                           const gs_part_frame_head **head,
                                           const uint8_t **text, gs_status *st);

#endif
