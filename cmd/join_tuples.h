/* SPDX-License-Identifier: MIT */
/*
 * join_tuples: `gpusort join --binary`: the fields of binary tuples.
 *
 *     FIELDS[:FIELDS]       of FILE1 and, if they are others, of FILE2; a list with
 * commas u8 u16 u32 u64        numbers, little-endian or with be behind (u32be), i8 i16
 * i32 i64        with a sign, f32 f64               floats bN                    N bytes
 *
 * Both functions end the program when it will not do.
 */
#ifndef GS_CMD_JOIN_TUPLES_H
#define GS_CMD_JOIN_TUPLES_H

#include "lib/join/joins.h"

/* Sets options->tuples; their fields are in `fields`, to be freed by gs_mem_free. */
void gs_join_tuples_parse(const char *text, gs_join_options *options,
                          gs_byte_key *fields[GS_JOIN_SIDES]);
/* Once all else is known: keys can be compared, and what is asked for is there. */
void gs_join_tuples_check(const gs_join_options *options);

#endif
