/* SPDX-License-Identifier: MIT */
/*
 * group_former: one chunk on several GPUs, for an input that they can hold together.
 *
 *      files   | a batch here, a batch there |       GPU 0 | ... |   GPU 1 | ... |
 *      exchange  each GPU has some stretches of the order, and all records of them
 *      output  | GPU 0 | GPU 1 | GPU 0 | ...         sorted and sent down side by side
 *
 * Each GPU has its own way to the host, and all are used at once, up and down; between
 * them records change places without the host (gpu/text/text_sort.h). For files in the
 * page cache. Who wants equal keys in the order in which they came gets the GPUs filled
 * one after the other, since they are exchanged in their order. Where records are left
 * out or counted, or compressed by the cores, each GPU has one stretch, and what it has
 * comes down when the one before is done: equal records are all on one GPU.
 *
 * An input that does not fit, or of so few records that they are not worth it, is given
 * back and read again by device_former, whose GPUs take chunks in turn.
 */
#ifndef GS_LIB_SORT_DEVICE_GROUP_FORMER_H
#define GS_LIB_SORT_DEVICE_GROUP_FORMER_H

#include "lib/sort/device/device_choice.h"
#include "lib/sort/form/forms.h"

/* NULL if it is not for this sort. */
GS_MUST_CHECK gs_code gs_group_former_new(gs_former **out, const gs_forming *forming,
                                          gs_status *st);

#endif
