/* SPDX-License-Identifier: MIT */
/*
 * document_log: names and lengths of the documents so far, for a build that goes on.
 *
 *      | name bytes u32 | length u32 | name | name bytes u32 | ...
 *
 * The checkpoint keeps how much of the file counts, and the checksum of that part
 * (gs_document_log_mark). One thread at a time.
 */
#ifndef GS_LIB_INDEX_BUILD_DOCUMENT_LOG_H
#define GS_LIB_INDEX_BUILD_DOCUMENT_LOG_H

#include "lib/index/build/block_fill.h"
#include "lib/index/folder/folders.h"

/* Gets each document once, in order. */
typedef gs_code gs_document_fn(void *context, const void *name, size_t name_bytes,
                               uint32_t length, gs_status *st);

typedef struct gs_document_log {
    gs_append_file file;
} gs_document_log;

typedef struct gs_document_mark {
    uint64_t bytes, sum;
} gs_document_mark;

/* Opens the file, or makes it; `path` is borrowed. Its first documents, up to `mark`, go
 * to `fn` once more; GS_ERR_FORMAT, with the path, if they are not what they were. */
GS_MUST_CHECK gs_code gs_document_log_open(gs_document_log *log, const char *path,
                                           const gs_document_mark *mark,
                                           gs_document_fn *fn, void *context,
                                           gs_status *st);
void gs_document_log_close(gs_document_log *log); /* a zeroed one is fine */

GS_MUST_CHECK gs_code gs_document_log_add(gs_document_log *log, const void *name,
                                          size_t name_bytes, uint32_t length,
                                          gs_status *st);
/* All that was added is on the disk. */
GS_MUST_CHECK gs_code gs_document_log_sync(gs_document_log *log, gs_document_mark *mark,
                                           gs_status *st);

#endif
