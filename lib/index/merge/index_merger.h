/* SPDX-License-Identifier: MIT */
/*
 * index_merger: several indexes to one.
 *
 * The index is the same bytes as one build of all the inputs together, in that order and
 * with the same options. So documents are numbered on from index to index, from the base
 * of the first on; where indexes have bases, they must follow each other in their docIDs,
 * which then stay what they are. docIDs of tuples, which are the user's own, stay what
 * they are, and what comes in two indexes is added up. Tuples may be numbered on as well,
 * if each index has its own docIDs.
 *
 * Of an index that has grown each segment is an input, but for the documents that are
 * deleted.
 *
 * Memory: a window on the mapped files, and the buffers of the writer; lists are streams.
 * Call from one thread; the workers are inside. All options are borrowed.
 */
#ifndef GS_LIB_INDEX_MERGE_INDEX_MERGER_H
#define GS_LIB_INDEX_MERGE_INDEX_MERGER_H

#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/index/write/writers.h"

typedef enum gs_merge_ids {
    GS_MERGE_IDS_AUTO,  /* shifted, but those of tuples, or with a base, kept */
    GS_MERGE_IDS_KEEP,  /* of documents, where they follow each other; else a failure */
    GS_MERGE_IDS_SHIFT, /* by the documents of the indexes before; of tuples, by their
                           last docID + 1 */
} gs_merge_ids;

typedef struct gs_index_merge_options {
    const char *folder;
    bool replace;              /* an index that is there; it may be one of the inputs */
    const char *const *inputs; /* folders; at least one */
    size_t input_count;
    /* Of the only input, not all segments but these. 0, 0: all. */
    size_t segment_from, segment_to;
    const int *held_lock; /* of the index that is replaced (index_folder.h); or NULL */
    gs_merge_ids ids;
    bool unique_ids; /* that two documents have the same name is an error */
    /* Only terms from the one on and before the other, of all documents; NULL or empty:
     * no bound. And such results joined (merge_range.h). */
    const char *from_term, *to_term;
    bool joins_terms;

    size_t memory_bytes; /* -S; 0: chosen from what the machine or cgroup has */
    unsigned threads;    /* --parallel; 0: every core */
    /* Keeps what is done in this folder, and goes on from what is there; NULL: does not.
     * The output is none of the inputs. */
    const char *checkpoint;

    const gs_log *log;                 /* may be NULL */
    gs_trace *trace;                   /* may be NULL */
    gs_index_stats *stats;             /* filled as the job goes on; may be NULL */
    const volatile int *cancel_signal; /* becomes non-zero: stop; may be NULL */
} gs_index_merge_options;

GS_MUST_CHECK gs_code gs_index_merge(const gs_index_merge_options *options,
                                     gs_status *st);

/* Is called with the folder of the index, which goes when it returns. */
typedef gs_code gs_index_lent_fn(void *context, const char *folder, gs_status *st);
/* The same, but the index gets no name: it is lent. The folder of the options says where
 * it is made; nothing has that name. Without a checkpoint. */
GS_MUST_CHECK gs_code gs_index_merge_lend(const gs_index_merge_options *options,
                                          gs_index_lent_fn *fn, void *context,
                                          gs_status *st);

/* Terms, or what they begin with, that cut such a merge into `range_count` ranges of
 * about equally much work; fewer, if indexes are small. They ascend, and have no byte 0
 * or line feed. Inputs, from_term and to_term are looked at. */
typedef gs_code gs_merge_tell_fn(void *context, const uint8_t *term, size_t bytes,
                                 gs_status *st);
GS_MUST_CHECK gs_code gs_index_merge_splitters(const gs_index_merge_options *options,
                                               unsigned range_count,
                                               gs_merge_tell_fn *tell, void *context,
                                               gs_status *st);

#endif
