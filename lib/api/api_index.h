/* SPDX-License-Identifier: MIT */
/*
 * api_index: an open index as other programs have it, and what goes to their functions.
 */
#ifndef GS_LIB_API_API_INDEX_H
#define GS_LIB_API_API_INDEX_H

#include <pthread.h>

#include "lib/gpusort.h"
#include "lib/index/query/queries.h"

struct gpusort_index {
    gs_segments *segments;
    gs_doc_presence *presence;
    pthread_mutex_t mutex; /* guards the rest */
    bool has_rules;        /* they were read */
    gs_word_rules *rules;
};

/* How text becomes terms, read when it is first asked for; NULL: it does not. */
GS_MUST_CHECK gs_code gs_api_index_rules(const gpusort_index *index,
                                         const gs_word_rules **out, gs_status *st);
/* GS_ERR_ARG if it has no document of that number. */
GS_MUST_CHECK gs_code gs_api_index_check_document(const gpusort_index *index,
                                                  uint64_t document, gs_status *st);

/* GS_ERR_ARG, and what to do, if it has no texts. */
GS_MUST_CHECK gs_code gs_api_index_need_texts(const gs_segments *segments, gs_status *st);

/* Text of an index, which goes to a function of the caller's if the index is what it was.
 */
typedef struct gs_api_writer {
    const gs_segments *segments;
    int (*write)(void *context, const void *text, size_t bytes);
    void *context;
    const volatile int *cancel;
} gs_api_writer;

/* A gs_text_write_fn; the context is a gs_api_writer. */
gs_code gs_api_index_write(void *context, const void *data, size_t bytes, gs_status *st);

#endif
