/* SPDX-License-Identifier: MIT */
/*
 * fill_report: what is told when all of the input has been read. Internal to block_fill.
 */
#ifndef GS_LIB_INDEX_BUILD_FILL_REPORT_H
#define GS_LIB_INDEX_BUILD_FILL_REPORT_H

#include "lib/index/build/bad_documents.h"
#include "lib/index/text/documents.h"

/* Words of documents that were left out since they are too long. */
typedef struct gs_left_words {
    uint64_t count;
    const char *first_name; /* of the first document that has one */
} gs_left_words;

typedef struct gs_fill_report {
    const gs_index_build_options *build;
    const gs_document_shapes *shapes; /* NULL: ready tuples */
    const gs_bad_documents *bad;
    uint64_t documents, lines; /* lines: of the last file */
    uint64_t left_out;         /* records of archives */
    gs_left_words long_words;
    gs_weight_counts weights;
} gs_fill_report;

void gs_fill_report_tell(const gs_fill_report *r);

#endif
