/* SPDX-License-Identifier: MIT */
/*
 * input_head: what can be known of an input before memory is planned for it: whether it
 * is so little that no plan is needed. Of a pipe that takes reading: what was read goes
 * to the input (io/input.h), which begins with it.
 *
 * Call order: look, then an input that is given it, release after that input is freed.
 */
#ifndef GS_IO_INPUT_HEAD_H
#define GS_IO_INPUT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum { GS_INPUT_HEAD_BYTES = 64 << 10 };

typedef struct gs_input_head {
    bool is_small; /* there are no more than GS_INPUT_HEAD_BYTES, as they are read */
    uint8_t *data; /* the beginning of standard input; NULL: it was left alone */
    size_t bytes;
    bool is_all; /* standard input ended behind it */
} gs_input_head;

/* Reads from standard input if that is the only name and no regular file, until *cancel
 * (NULL is fine) is not 0. What fails here is left to the input, which fails as well. */
GS_MUST_CHECK gs_code gs_input_head_look(gs_input_head *head, const char *const *names,
                                         size_t name_count, bool keep_compressed,
                                         const volatile int *cancel, gs_status *st);
void gs_input_head_release(gs_input_head *head);

#endif
