/* SPDX-License-Identifier: MIT */
/*
 * index_header: header.json, which says what an index is.
 *
 *     {
 *       "format": "gpusort index", "version": 6,
 *       "documents": N, "doc_bound": N, "terms": N, "postings": N, "tokens": N,
 *       "length_sum": N, "doc_base": N,
 *       "has_positions": true, "has_names": true, "has_texts": true,
 *       "has_impacts": true,
 *       "tokenizer": {...},
 *       "files": [
 *         {"name": "terms", "bytes": N, "xxh3": "16 hex digits"}, ...
 *       ],
 *       "header_xxh3": "16 hex digits"
 *     }
 *
 * A field a line, as written here; doc_base is there only if it is not 0, and has_impacts
 * if it is true: then what stands where postings have a frequency is what they add to a
 * score, once for each time that a query has the term. Without both the version is 5;
 * has_texts is there only if it is true, and without all three the version is 4. The last
 * one is a checksum (lib/index/format/sealed_text.h).
 */
#ifndef GS_LIB_INDEX_FORMAT_INDEX_HEADER_H
#define GS_LIB_INDEX_FORMAT_INDEX_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/index/format/index_format.h"

#define GS_INDEX_HEADER_NAME "header.json"

typedef struct gs_index_header {
    uint64_t documents, terms, postings, tokens, length_sum;
    /* No docID is as large: their number, unless it was not known when postings were
     * written. */
    uint64_t doc_bound;
    uint64_t
        doc_base; /* what the first document is called outside; see gs_index_doc_id */
    bool has_positions, has_names, has_texts;
    bool has_impacts; /* scores are sums of them; blocks know no lengths of documents */
    char *tokenizer;  /* a JSON object; from gs_mem when read, borrowed when written */
    uint64_t file_bytes[GS_INDEX_FILE_COUNT];
    uint64_t file_sums[GS_INDEX_FILE_COUNT];
} gs_index_header;

GS_MUST_CHECK gs_code gs_index_header_write(const gs_index_header *header,
                                            const char *folder, gs_status *st);
/* Does an index with this header have the file? */
bool gs_index_header_has(const gs_index_header *header, gs_index_file file);
/* Has it what the documents have, whatever terms the index has of them? */
bool gs_index_file_is_of_documents(gs_index_file file);
/* `header` is zeroed on failure. */
GS_MUST_CHECK gs_code gs_index_header_read(gs_index_header *header, const char *folder,
                                           gs_status *st);
/* What stands behind the first `"name": ` of a JSON text of ours, or NULL. */
const char *gs_index_find_field(const char *json, const char *name);
/* Of all that it says: two indexes with the same are the same bytes. */
uint64_t gs_index_header_sum(const gs_index_header *header);
/* Is an index there whose header has this sum? */
bool gs_index_has_header_sum(const char *folder, uint64_t sum);
void gs_index_header_release(gs_index_header *header); /* one that was read */

#endif
