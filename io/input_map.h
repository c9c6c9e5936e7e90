/* SPDX-License-Identifier: MIT */
/*
 * input_map: the files of an input, mapped instead of read (gs_input_map).
 */
#ifndef GS_IO_INPUT_MAP_H
#define GS_IO_INPUT_MAP_H

#include "io/input.h"

typedef struct gs_input_files {
    const char *const *names;
    size_t name_count;
    const gs_input_options *options;
} gs_input_files;

/* Opens and maps all of them; false: one is not for that, and all are closed. What of it
 * counts as read is added to options->bytes_read. */
bool gs_input_map_all(const gs_input_files *in, int output_fd, size_t copy_bytes,
                      gs_file_map *map);

#endif
