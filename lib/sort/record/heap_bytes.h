/* SPDX-License-Identifier: MIT */
/*
 * heap_bytes: a buffer that grows, for records of any length.
 */
#ifndef GS_LIB_SORT_RECORD_HEAP_BYTES_H
#define GS_LIB_SORT_RECORD_HEAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* Zeroed it is empty. */
typedef struct gs_heap_bytes {
    uint8_t *data;
    size_t bytes, capacity;
    bool is_map; /* of large pieces pages that nothing touched count nothing */
} gs_heap_bytes;

void gs_heap_bytes_release(gs_heap_bytes *b);
/* To so much, not less than there is in it. */
GS_MUST_CHECK gs_code gs_heap_bytes_resize(gs_heap_bytes *b, size_t capacity,
                                           gs_status *st);
GS_MUST_CHECK gs_code gs_heap_bytes_append(gs_heap_bytes *to, const uint8_t *data,
                                           size_t bytes, gs_status *st);

#endif
