/* SPDX-License-Identifier: MIT */
/*
 * input_stamps: are the inputs of a job those of before? Kept beyond the program.
 *
 * Told as io/file_stamp.h does it, by file, size and times, of each input; standard input
 * counts as the file that it is, from where it stands.
 */
#ifndef GS_LIB_SORT_RECORD_INPUT_STAMPS_H
#define GS_LIB_SORT_RECORD_INPUT_STAMPS_H

#include "io/file_stamp.h"
#include "lib/base/pack.h"

typedef struct gs_input_stamp {
    gs_file_stamp file;
    uint64_t start; /* of standard input: where it stands */
} gs_input_stamp;

typedef struct gs_input_stamps {
    const char *const *names; /* borrowed */
    size_t count;
    gs_input_stamp *items;
} gs_input_stamps;

/* Fails for what is no regular file, and for standard input named twice. */
GS_MUST_CHECK gs_code gs_input_stamps_take(gs_input_stamps *s, const char *const *names,
                                           size_t count, gs_status *st);
/* Fails if a file that is there under the name `output` is one of them. */
GS_MUST_CHECK gs_code gs_input_stamps_refuse_output(const gs_input_stamps *s,
                                                    const char *output, gs_status *st);
void gs_input_stamps_release(gs_input_stamps *s);

GS_MUST_CHECK gs_code gs_input_stamps_pack(const gs_input_stamps *s, gs_packer *p,
                                           gs_status *st);
/* Fails, and names the difference, if the packed ones are of other inputs; `whose` is the
 * message's beginning. */
GS_MUST_CHECK gs_code gs_input_stamps_compare(const gs_input_stamps *s, gs_unpacker *u,
                                              const char *whose, gs_status *st);
/* Fails if a file was changed since. */
GS_MUST_CHECK gs_code gs_input_stamps_check(const gs_input_stamps *s, gs_status *st);

#endif
