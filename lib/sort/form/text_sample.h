/* SPDX-License-Identifier: MIT */
/*
 * text_sample: strings of records from all over mapped text, before it is read, by all
 * threads together. They are read from the files: in the map most of the pages would be
 * looked at.
 */
#ifndef GS_LIB_SORT_FORM_TEXT_SAMPLE_H
#define GS_LIB_SORT_FORM_TEXT_SAMPLE_H

#include "io/file_map.h"
#include "lib/base/status.h"
#include "lib/base/team.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"

typedef struct gs_text_sample_options {
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* of keyed records, else NULL */
    size_t key_room;               /* for the string of any line that is not long */
    size_t record_size;            /* > 0: fixed-size records */
    const gs_file_map *map;
    gs_team *team;
} gs_text_sample_options;

/* What a sample says of all records. */
typedef struct gs_text_guess {
    size_t records;   /* how many there are */
    size_t key_bytes; /* of one of them */
} gs_text_guess;

/* Fills the sample with about `want` strings, which it has the capacity for: the same
 * ones, however many threads there are. */
GS_MUST_CHECK gs_code gs_text_sample_take(const gs_text_sample_options *options,
                                          gs_string_sample *sample, size_t want,
                                          gs_text_guess *guess, gs_status *st);

#endif
