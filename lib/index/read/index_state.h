/* SPDX-License-Identifier: MIT */
/*
 * index_state: what an open index is made of: index_reader.c opens it, index_documents.c,
 * index_dictionary.c and text_reader.c look at its tables. For those only.
 */
#ifndef GS_LIB_INDEX_READ_INDEX_STATE_H
#define GS_LIB_INDEX_READ_INDEX_STATE_H

#include "io/file_stamp.h"
#include "io/map_names.h"
#include "lib/index/read/index_reader.h"

struct gs_index {
    char *folder;
    gs_index_header header;
    const uint8_t *files[GS_INDEX_FILE_COUNT]; /* mapped; NULL: not there */
    uint64_t bytes[GS_INDEX_FILE_COUNT];       /* with the slack */
    int fds[GS_INDEX_FILE_COUNT]; /* of those that are there; -1: it is closed */
    gs_file_stamp stamps[GS_INDEX_FILE_COUNT]; /* when they were opened */
    gs_map_name *names[GS_INDEX_FILE_COUNT];
    gs_page_checks pages[GS_INDEX_SUMS];
    gs_index_head terms, documents, texts;
};

/* Do the pages of these bytes hold? */
GS_MUST_CHECK static inline gs_code
gs_index_check_own_pages(const gs_index *index, gs_index_file file, const uint8_t *begin,
                         const uint8_t *end, gs_status *st)
{
    return gs_index_check_pages(index, file, &index->pages[file], begin, end, st);
}

#endif
