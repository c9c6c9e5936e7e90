/* SPDX-License-Identifier: MIT */
/*
 * exchange_sample: records from all over the text that goes up, by which several GPUs
 * share it out (gs_text_exchange).
 *
 * One is taken after each `stride` bytes. When there is no more room every second one
 * goes, and the stride is twice as long: so there are always many, from everywhere,
 * however much text there is.
 */
#ifndef GS_LIB_SORT_DEVICE_EXCHANGE_SAMPLE_H
#define GS_LIB_SORT_DEVICE_EXCHANGE_SAMPLE_H

#include "gpu/text/text_sort.h"
#include "lib/base/status.h"

enum { GS_EXCHANGE_SAMPLE_MAX = 32768 };

/* Zeroed at first. */
typedef struct gs_exchange_sample {
    uint8_t *text;
    size_t bytes, room;
    uint32_t count, count_max;
    size_t record_size; /* or 0: lines that end with eol */
    uint8_t eol;
    uint64_t stride, passed; /* bytes since the last one was taken */
} gs_exchange_sample;

/* For chunks that fetch so much at a time. */
GS_MUST_CHECK gs_code gs_exchange_sample_new(gs_exchange_sample *s,
                                             const gs_text_order *order,
                                             size_t fetch_bytes_max, gs_status *st);
void gs_exchange_sample_release(gs_exchange_sample *s);

/* Of the next batch, which begins with a record. */
void gs_exchange_sample_add(gs_exchange_sample *s, const uint8_t *text, size_t bytes);

#endif
