/* SPDX-License-Identifier: MIT */
/*
 * sealed_text: a small file of text that ends with a checksum of itself.
 *
 *     {
 *       ...
 *       "header_xxh3": "16 hex digits"
 *     }
 *
 * The last field, whose name is the caller's, is the XXH3 (64 bits) of the bytes before
 * its line. So a text that passes is one that this program wrote, and reading it is a
 * search for its fields.
 */
#ifndef GS_LIB_INDEX_FORMAT_SEALED_TEXT_H
#define GS_LIB_INDEX_FORMAT_SEALED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/status.h"

/* Prints all but the last field. */
typedef void gs_sealed_print_fn(FILE *to, const void *context);

/* A file of this name, which must be new; on the disk when it returns. `seal` is the name
 * of the last field. */
GS_MUST_CHECK gs_code gs_sealed_text_write(const char *path, const char *seal,
                                           gs_sealed_print_fn *print, const void *context,
                                           gs_status *st);

/* All of an open file, with a zero behind it, from gs_mem. GS_ERR_FORMAT: it is far too
 * long for what it should be. */
GS_MUST_CHECK gs_code gs_sealed_text_read(char **text, size_t *bytes, int fd,
                                          const char *path, gs_status *st);
/* Is every byte as it was written? */
bool gs_sealed_text_is_whole(const char *text, size_t bytes, const char *seal);

#endif
