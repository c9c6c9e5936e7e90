/* SPDX-License-Identifier: MIT */
/*
 * device_text: the text that a GPU has sorted, straight into the blocks of a stream.
 *
 * Several parts are on their way at once. All threads of the team look at the parts that
 * have come, each at its own:
 *
 *      GPU --> block of the stream; witness looks --> filled, and so written
 *      GPU --> landing; copied to a page of the output; witness looks there --> filled
 *
 * The second where the stream's blocks are pages of the output. A part counts as filled
 * once a witness has seen it, and is in order. Call from one thread; the stream's piece
 * `ticket` is all of the text.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_TEXT_H
#define GS_LIB_SORT_DEVICE_DEVICE_TEXT_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/landing.h"
#include "lib/sort/form/forms.h"

/* `sort` has run, in the shape GS_TEXT_OUTPUT, and `bytes` are its result; nobody else
 * has a part of the landing. Fails with GS_ERR_GPU if the text is not in order; the
 * witness knows the rest. */
GS_MUST_CHECK gs_code gs_device_text_emit(const gs_forming *forming, gs_text_sort *sort,
                                          uint64_t bytes, const gs_landing *landing,
                                          gs_stream *stream, uint64_t ticket,
                                          gs_status *st);

#endif
