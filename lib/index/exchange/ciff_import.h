/* SPDX-License-Identifier: MIT */
/*
 * ciff_import: a file in the Common Index File Format to an index folder.
 *
 *      file -> ciff_read -> list_shelf ----------------> parts of the index, all threads
 *                      \-> documents -> index_writer /
 *
 * The format has the documents behind the lists, whose blocks are to know how long their
 * documents are. So the lists are put aside as they come, and written when the documents
 * are known; terms that do not ascend are put in order there, as long as a directory of
 * them fits half of the memory. The file is read once and may be a pipe.
 *
 * Terms are taken as they are; there are no positions. Call from one thread. All options
 * are borrowed.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_CIFF_IMPORT_H
#define GS_LIB_INDEX_EXCHANGE_CIFF_IMPORT_H

#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/index/exchange/ciff_read.h"
#include "lib/index/write/writers.h"

typedef struct gs_ciff_import_options {
    const char *folder;
    bool replace;      /* an index that is there */
    bool unique_ids;   /* that two documents have the same name is an error */
    bool has_impacts;  /* frequencies are impacts, whatever the file says of itself */
    bool is_strict;    /* else breaks of rules that leave no doubt are counted */
    const char *input; /* "-": standard input; may be packed by zstd or gzip */
    bool no_uring;
    bool keep_compressed;  /* inputs as they are */
    size_t memory_bytes;   /* -S; 0: chosen from what the machine or cgroup has */
    unsigned threads;      /* 0: every core */
    const gs_log *log;     /* may be NULL */
    gs_trace *trace;       /* may be NULL */
    gs_index_stats *stats; /* may be NULL */
    const volatile int *cancel_signal; /* may be NULL */
} gs_ciff_import_options;

GS_MUST_CHECK gs_code gs_ciff_import(const gs_ciff_import_options *options,
                                     gs_status *st);
/* The same from bytes that come otherwise; `input` is for messages. */
GS_MUST_CHECK gs_code gs_ciff_import_source(const gs_ciff_import_options *options,
                                            const gs_byte_source *source, gs_status *st);

#endif
