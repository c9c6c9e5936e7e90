/* SPDX-License-Identifier: MIT */
/*
 * index_of_documents: an index of a file of documents (id, contents), with positions and
 * texts, by one thread.
 */
#ifndef GS_TESTS_INDEX_OF_DOCUMENTS_H
#define GS_TESTS_INDEX_OF_DOCUMENTS_H

#include "lib/index/build/index_builder.h"
#include "tests/check.h"

/* One of that name may be there, and is replaced. The first document is called
 * `doc_base` outside. */
static inline void index_of_documents_from(const char *folder, const char *documents,
                                           uint64_t doc_base)
{
    static const char *const fields[] = {"contents"};
    gs_status st = {.code = GS_OK};
    const gs_index_build_options options = {
        .folder = folder,
        .replace = true,
        .inputs = &documents,
        .input_count = 1,
        .document = {.format = GS_FORMAT_JSONL,
                     .id_field = "id",
                     .text_fields = fields,
                     .text_field_count = 1},
        .doc_base = doc_base,
        .has_positions = true,
        .has_texts = true,
        .memory_bytes = 32 << 20,
        .threads = 1,
        .sorter = {.engine = "cpu"},
    };
    REQUIRE_OK(gs_index_build(&options, &st), &st);
}

static inline void index_of_documents(const char *folder, const char *documents)
{
    index_of_documents_from(folder, documents, 0);
}

#endif
