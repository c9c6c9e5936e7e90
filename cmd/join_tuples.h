/* SPDX-License-Identifier: MIT */
/*
 * join_tuples: `gpusort join --binary`: the fields of binary tuples.
 *
 *     FIELDS[:FIELDS]       of FILE1 and, if they are others, of FILE2; a list with
 * commas u8 u16 u32 u64        numbers, little-endian or with be behind (u32be), i8 i16
 * i32 i64        with a sign, f32 f64               floats bN                    N bytes
 *
 * Ends the program when it will not do.
 */
#ifndef GS_CMD_JOIN_TUPLES_H
#define GS_CMD_JOIN_TUPLES_H

#include "lib/gpusort.h"

enum { GS_JOIN_FILES = 2 };

typedef struct gs_join_tuples {
    gpusort_byte_key *fields[GS_JOIN_FILES]; /* to be freed by gs_mem_free */
} gs_join_tuples;

/* Sets options->tuples, whose fields are those of `tuples`. */
void gs_join_tuples_parse(gs_join_tuples *tuples, const char *text,
                          gpusort_join_options *options);

#endif
