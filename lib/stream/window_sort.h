/* SPDX-License-Identifier: MIT */
/*
 * window_sort: puts a window of keys in order, on the engine that was asked for.
 *
 * Any number of threads; a GPU takes windows one after the other. On cores a window is
 * sorted by the bits that tell most of its keys apart, and what is left is put right.
 */
#ifndef GS_LIB_STREAM_WINDOW_SORT_H
#define GS_LIB_STREAM_WINDOW_SORT_H

#include "lib/index/block/blocks.h"

/* Room for a window, and as much again. */
typedef struct gs_window {
    uint64_t *keys, *scratch; /* may change places */
    size_t count, capacity;
    uint64_t number; /* of the windows of the stream */
} gs_window;

GS_MUST_CHECK gs_code gs_window_init(gs_window *w, size_t capacity, gs_status *st);
void gs_window_release(gs_window *w); /* a zeroed one is fine */

GS_MUST_CHECK gs_code gs_window_sort(gs_tuple_sorter *sorter, gs_window *w,
                                     gs_status *st);

#endif
