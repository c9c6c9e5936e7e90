/* SPDX-License-Identifier: MIT */
/*
 * device_choice: is this sort one for a GPU?
 *
 * With --engine=auto it is if the order has kernels and the input is large enough for the
 * start of the device not to show; how large a pipe is shows when it has been read that
 * far. With --engine=gpu, or the name of one, size does not matter. Whether there is a
 * GPU at all is found out when the device is started, beside the first reads.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_CHOICE_H
#define GS_LIB_SORT_DEVICE_DEVICE_CHOICE_H

#include "lib/sort/device/device_order.h"
#include "lib/sort/plan/plans.h"

enum { GS_CHOICE_DEVICES_MAX = 8 };

typedef struct gs_device_choice {
    bool is_wanted;
    bool is_forced;       /* asked for by name */
    bool can_read_again;  /* every input is a regular file */
    uint64_t input_bytes; /* 0: unknown */
    size_t peek_bytes;    /* > 0: read so much before the device is started */
    gs_text_order order;
    const char *engine;                 /* for the device; NULL: picked by size */
    int devices[GS_CHOICE_DEVICES_MAX]; /* those asked for, or the first */
    size_t device_count;
} gs_device_choice;

/* Bytes of input from which a GPU is sooner than so many cores (gpu/NOTES.md). */
uint64_t gs_device_choice_bytes_min(bool is_keyed, unsigned cores);
/* `stored_bytes`: the size of the input as stored, 0 if unknown. Says why not in the
 * log. */
gs_device_choice gs_device_choose(const gs_sort_options *options,
                                  const gs_record_layout *layout, uint64_t stored_bytes);

#endif
