/* SPDX-License-Identifier: MIT */
/*
 * small_file: all of a file that is not large, as one piece of memory; "-" is standard
 * input.
 */
#ifndef GS_IO_SMALL_FILE_H
#define GS_IO_SMALL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum { GS_SMALL_FILE_SLACK = 64 }; /* zeros behind the last byte */

typedef struct gs_small_file {
    uint8_t *data;
    size_t bytes;
    size_t capacity;
} gs_small_file;

/* Stops soon behind bytes_max: what is too much for the caller shows in `bytes`, and is
 * the caller's to say. Fails with "cannot read: NAME" or "read failed: NAME". */
GS_MUST_CHECK gs_code gs_small_file_read(gs_small_file *file, const char *name,
                                         size_t bytes_max, gs_status *st);
/* Also after a failure; a zeroed one is fine. */
void gs_small_file_release(gs_small_file *file);

#endif
