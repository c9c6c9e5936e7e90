/* SPDX-License-Identifier: MIT */
#ifndef GS_LIB_INDEX_INDEX_WRITER_H
#define GS_LIB_INDEX_INDEX_WRITER_H
#include "lib/base/log.h"
#include <stdint.h>
typedef struct gs_index_writer gs_index_writer;
typedef struct gs_index_part gs_index_part;
typedef struct gs_index_writer_options {
    const char *folder;
    bool has_positions;
    bool has_documents;
    bool replace;
    size_t memory_bytes;
    unsigned part_count;
    const char *tokenizer;
    const gs_log *log;
} gs_index_writer_options;
gs_code gs_index_writer_new(gs_index_writer **out, const gs_index_writer_options *o,
                            gs_status *st);
gs_code gs_index_writer_document(gs_index_writer *w, const void *name, size_t name_bytes,
                                 uint32_t length, gs_status *st);
gs_code gs_index_writer_set_document_count(gs_index_writer *w, uint64_t count,
                                           gs_status *st);
gs_code gs_index_part_new(gs_index_part **out, gs_index_writer *w, unsigned part,
                          gs_status *st);
gs_code gs_index_part_term(gs_index_part *p, const void *term, size_t term_bytes,
                           gs_status *st);
gs_code gs_index_part_postings(gs_index_part *p, const uint64_t *docs,
                               const uint32_t *tfs, size_t count,
                               const uint32_t *positions, gs_status *st);
gs_code gs_index_part_finish(gs_index_part *p, gs_status *st);
void gs_index_part_free(gs_index_part *p);
gs_code gs_index_writer_commit(gs_index_writer *w, gs_status *st);
void gs_index_writer_free(gs_index_writer *w);
#endif
