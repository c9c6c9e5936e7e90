/* SPDX-License-Identifier: MIT */
/*
 * window_sort: puts a window of keys in order, on the engine that was asked for.
 *
 * Any number of threads; a GPU takes windows one after the other. On cores a window is
 * sorted by the bits that tell most of its keys apart, and what is left is put right.
 */
#ifndef GS_LIB_STREAM_WINDOW_SORT_H
#define GS_LIB_STREAM_WINDOW_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/block/blocks.h"

/* Room for a window of numbers or of pairs of them, and as much again; or for one of
 * texts, which ends too when it has GS_WINDOW_TEXT_BYTES of them. */
typedef struct gs_window {
    uint64_t *keys, *scratch; /* may change places */
    size_t count, capacity;
    uint64_t number; /* of the windows of the stream */
    unsigned width;  /* keys of a value; 0: it is a text */
    uint8_t *texts;  /* one behind the other, readable GS_WINDOW_SLACK bytes beyond */
    size_t text_bytes, text_capacity;
    size_t text_bytes_max; /* as many end a window */
    uint32_t *ends;        /* of each */
    uint64_t *times;       /* of each, as keys, if texts have such; else NULL */
} gs_window;

enum {
    GS_WINDOW_TEXTS = 1 << 16,
    GS_WINDOW_TEXT_BYTES = 4 << 20,
    GS_WINDOW_TEXT_BYTES_MAX = 1 << 30,
    GS_WINDOW_SLACK = 64,
};

/* Of texts, which is a width of 0, and which may have times. */
GS_MUST_CHECK gs_code gs_window_init(gs_window *w, size_t capacity, unsigned width,
                                     bool has_times, gs_status *st);
static inline bool gs_window_is_full(const gs_window *w)
{
    return w->count == w->capacity || w->text_bytes >= w->text_bytes_max;
}
/* The first of these keys or texts, as many as fit and at least one: its number is in
 * *taken. It is not full. */
void gs_window_take_keys(gs_window *w, const uint64_t *keys, size_t count, size_t *taken);
/* Text i ends at ends[i], and the first of them begins at `begin`; `times` may be NULL.
 */
GS_MUST_CHECK gs_code gs_window_take_texts(gs_window *w, const uint8_t *texts,
                                           size_t begin, const uint32_t *ends,
                                           const uint64_t *times, size_t count,
                                           size_t *taken, gs_status *st);
void gs_window_release(gs_window *w); /* a zeroed one is fine */

/* Pairs by their first numbers. */
GS_MUST_CHECK gs_code gs_window_sort(gs_tuple_sorter *sorter, gs_window *w,
                                     gs_status *st);

#endif
