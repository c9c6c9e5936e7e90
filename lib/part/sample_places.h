/* SPDX-License-Identifier: MIT */
/*
 * sample_places: records of files that need not be read whole.
 *
 * All areas together are cut into blocks of some KB, every k-th of which is read, from a
 * first one that the seed says. A record is of the block in which it begins: so each has
 * the same chance, short or long. The pick is offered all records of these blocks.
 *
 *      blocks    |     |#####|     |     |#####|     |     |#####|
 *      records   ...-----|--|--------|--|-----|---|--...
 *                   of no|  of the block    |of the next one
 *
 * There are as many blocks as records are wanted, so that those which are picked are from
 * many places; more, if in these there were not twice as many; or all.
 */
#ifndef GS_LIB_PART_SAMPLE_PLACES_H
#define GS_LIB_PART_SAMPLE_PLACES_H

#include "lib/part/sample_pick.h"

/* Bytes `from` to `to` of a regular file; records that begin there are its records. */
typedef struct gs_sample_area {
    const char *name;
    int fd;
    uint64_t input; /* its number, for the pick */
    uint64_t from, to, file_bytes;
} gs_sample_area;

typedef struct gs_sample_places {
    const gs_sample_area *areas;
    size_t area_count;
    uint8_t eol;
    size_t record_size; /* 0: they end with eol */
    size_t record_bytes_max;
    const char *too_long_hint;
    const volatile int *cancel;   /* may be NULL */
    _Atomic uint64_t *bytes_read; /* added to; may be NULL */
} gs_sample_places;

GS_MUST_CHECK gs_code gs_sample_places_run(const gs_sample_places *places,
                                           gs_sample_pick *pick, gs_status *st);

#endif
