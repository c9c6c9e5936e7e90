/* SPDX-License-Identifier: MIT */
/*
 * text_sample: strings of records from all over mapped text, before it is read. They are
 * read from the files: in the map most of the pages would be looked at, by one thread,
 * while all others wait.
 */
#ifndef GS_LIB_SORT_FORM_TEXT_SAMPLE_H
#define GS_LIB_SORT_FORM_TEXT_SAMPLE_H

#include "io/file_map.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"

typedef struct gs_text_sample_options {
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* of keyed records, else NULL */
    size_t record_size;            /* > 0: fixed-size records */
    const gs_file_map *map;
} gs_text_sample_options;

/* What a sample says of all records. */
typedef struct gs_text_guess {
    size_t records;   /* how many there are */
    size_t key_bytes; /* of one of them */
} gs_text_guess;

/* Fills the sample with about `want` strings, which it has the capacity for. `key_room`
 * is for the string of any line that is not long, if there are keys. */
gs_text_guess gs_text_sample_take(const gs_text_sample_options *options,
                                  gs_string_sample *sample, size_t want,
                                  uint8_t *key_room);

#endif
