/* SPDX-License-Identifier: MIT */
/*
 * device_text: the text that a GPU has sorted, or several have, straight into the blocks
 * of a stream, or into memory.
 *
 * Several parts are on their way at once. All threads of the team look at the parts that
 * have come, each at its own:
 *
 *      GPU --> block of the stream; witness looks --> filled, and so written
 *      GPU --> landing; copied to a page of the output; witness looks there --> filled
 *
 * The second where the stream's blocks are pages of the output, or the text is a run that
 * goes to memory. A part counts as filled once a witness has seen it, and is in order.
 * Parts of several GPUs come down side by side, each from where its next stretch of the
 * text is. Call from one thread.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_TEXT_H
#define GS_LIB_SORT_DEVICE_DEVICE_TEXT_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/landing.h"
#include "lib/sort/form/forms.h"

/* What stretches are of, one behind the other, each of which has run in the shape
 * GS_TEXT_OUTPUT. */
typedef struct gs_sorted_text {
    gs_text_sort *const *sorts;
    unsigned count;
    const gs_text_stretch *stretches; /* all that those have */
    size_t stretch_count;
} gs_sorted_text;

/* Nobody else has a part of the landing. The text is the pieces from *ticket on of the
 * stream, and of the witness of the sort; *ticket is the next one then. Fails with
 * GS_ERR_GPU if the text is not in order; the witness knows the rest. */
GS_MUST_CHECK gs_code gs_device_text_emit(const gs_forming *forming,
                                          const gs_sorted_text *text,
                                          const gs_landing *landing, gs_stream *stream,
                                          uint64_t *ticket, gs_status *st);

/* The same of one GPU into the sink of a run of text, which has a witness of its own:
 * fails with GS_ERR_GPU if it is not the records that were `read`, in order. */
GS_MUST_CHECK gs_code gs_device_text_keep(const gs_forming *forming, gs_text_sort *sort,
                                          const gs_text_result *result,
                                          const gs_multiset *read,
                                          const gs_landing *landing, gs_sink *sink,
                                          gs_status *st);

#endif
