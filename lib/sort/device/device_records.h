/* SPDX-License-Identifier: MIT */
/*
 * device_records: the records that a GPU has sorted, into a sink: a run, or text of which
 * equals are left out or counted.
 *
 *      GPU --> landing or heap --> witness of the run looks --> encoded by all threads
 *
 * Parts come down one at a time and are encoded side by side.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_RECORDS_H
#define GS_LIB_SORT_DEVICE_DEVICE_RECORDS_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/landing.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/run/runs.h"

/* `sort` has run, in the shape GS_TEXT_RECORDS, and has `count` records, of those that
 * were `read`. Nobody else has a part of the landing. They are the pieces from *ticket
 * on of the sink; *ticket is the next one then. Fails with GS_ERR_GPU if a run is not
 * what was read, in order. */
GS_MUST_CHECK gs_code gs_device_records_emit(const gs_forming *forming,
                                             gs_text_sort *sort, uint64_t count,
                                             const gs_multiset *read,
                                             const gs_landing *landing, gs_sink *sink,
                                             const gs_emit_options *emit,
                                             uint64_t *ticket, gs_status *st);

#endif
