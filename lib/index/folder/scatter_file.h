/* SPDX-License-Identifier: MIT */
/*
 * scatter_file: stretches of bytes put into a file by any number of threads, each at a
 * place of its own, and got back by that.
 *
 * The file has no name, and is gone when it is closed. A zeroed one is closed.
 */
#ifndef GS_LIB_INDEX_FOLDER_SCATTER_FILE_H
#define GS_LIB_INDEX_FOLDER_SCATTER_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_scatter_file {
    bool is_open;
    int fd;
    _Atomic uint64_t bytes;
} gs_scatter_file;

/* `folder` is where the file lives. */
GS_MUST_CHECK gs_code gs_scatter_file_open(gs_scatter_file *f, const char *folder,
                                           gs_status *st);
void gs_scatter_file_close(gs_scatter_file *f);
/* Any thread. */
GS_MUST_CHECK gs_code gs_scatter_file_put(gs_scatter_file *f, const void *data,
                                          size_t bytes, uint64_t *offset, gs_status *st);
GS_MUST_CHECK gs_code gs_scatter_file_get(const gs_scatter_file *f, void *to,
                                          size_t bytes, uint64_t offset, gs_status *st);

#endif
