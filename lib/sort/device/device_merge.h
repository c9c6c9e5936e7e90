/* SPDX-License-Identifier: MIT */
/*
 * device_merge: runs of text become the output on a GPU, range by range: the parts that
 * runs have of a range are read, go up, are sorted again and come down as text.
 *
 *      slot 0   | range 0 up | sorted, down | range 2 up | ...
 *      slot 1                | range 1 up   | sorted, down | ...
 *
 * To sort them again takes a GPU less time than the bytes take to get there, and the
 * cores do nothing but move bytes, where a merge of theirs is bound by comparing. A
 * thread fills slots while the calling one emits; with one slot there is no such thread.
 *
 * Where equal records are one, or are counted, they are all in one range, which comes
 * down as records. A range that a slot has no room for, since its lines are short or too
 * many are equal, is merged by the cores, by itself. After a failure of the device the
 * runs are as they were, and the cores can merge all of them (gs_run_store_merge_last).
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_MERGE_H
#define GS_LIB_SORT_DEVICE_DEVICE_MERGE_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/landing.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/text/texts.h"

enum { GS_DEVICE_SLOTS_MAX = 8 };

/* Copied; what it points to is borrowed until free(). */
typedef struct gs_device_merge_options {
    const gs_forming *forming;
    gs_mapped_store *runs;      /* all that was read */
    gs_text_sort *const *slots; /* empty */
    unsigned slot_count;
    size_t range_bytes; /* that each has room for, half as much again included */
    const gs_landing *landing;
} gs_device_merge_options;

typedef struct gs_device_merge gs_device_merge;

/* Cuts the ranges, and begins to read. */
GS_MUST_CHECK gs_code gs_device_merge_new(gs_device_merge **out,
                                          const gs_device_merge_options *options,
                                          gs_status *st);
/* All of them, as pieces from number `ticket` on of a sink of plain text, which the
 * witness of the sort sees. Once. */
GS_MUST_CHECK gs_code gs_device_merge_run(gs_device_merge *m, gs_sink *sink,
                                          uint64_t ticket, gs_status *st);
/* After a failure not before the slots are freed, which may still be read to. NULL is
 * fine. */
void gs_device_merge_free(gs_device_merge *m);

#endif
