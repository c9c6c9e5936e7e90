/* SPDX-License-Identifier: MIT */
/*
 * index_builder: documents or tuples to an index folder, larger than memory.
 *
 * Two methods fill blocks: `spimi`, growing lists by term, and `bsbi`, sorted tuples; or
 * words are found and sorted on a GPU, where the engine "gpu" is asked for, or none and
 * the input is so large that it is sooner (device_try.h). The index is
 * the same bytes either way, for any memory, number of threads and engine. The flow is
 * drawn in index_builder.c.
 *
 * Call from one thread; the workers are inside. All options are borrowed.
 */
#ifndef GS_LIB_INDEX_BUILD_INDEX_BUILDER_H
#define GS_LIB_INDEX_BUILD_INDEX_BUILDER_H

#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/index/block/blocks.h"
#include "lib/index/text/documents.h"
#include "lib/index/write/writers.h"

typedef enum gs_index_method {
    GS_INDEX_AUTO, /* picked by what there is to sort with */
    GS_INDEX_BSBI,
    GS_INDEX_SPIMI,
} gs_index_method;

typedef struct gs_index_build_options {
    const char *folder;
    bool replace;              /* an index that is there */
    const char *const *inputs; /* "-" is standard input; at least one */
    size_t input_count;
    const unsigned char
        *inputs_found; /* which were found in folders, not named; NULL: none */
    gs_document_options document;
    uint64_t doc_base; /* the docID of the first document; 0 with tuples */
    bool skip_bad;     /* leave malformed documents out */
    bool unique_ids;   /* that two documents have the same name is an error */
    gs_word_rules_options words;
    const char *rules_json; /* of an index that it is appended to, instead; NULL: none */
    bool has_positions;     /* not with tuples */
    bool has_texts;         /* the text of each is stored; the same */
    bool reorders;          /* documents at the end; not with tuples or a checkpoint */
    gs_index_method method;

    size_t memory_bytes; /* -S; 0: chosen from what the machine or cgroup has */
    unsigned threads;    /* --parallel; 0: every core */
    unsigned batch_size; /* --batch-size: runs merged at once; 0: as memory allows */
    const char *const *temp_folders; /* -T; none: $TMPDIR, else /tmp */
    size_t temp_folder_count;
    /* Keeps what is done in this folder, and goes on from what is there; NULL: does not.
     * Inputs are regular files. */
    const char *checkpoint;
    bool no_uring;
    bool keep_compressed; /* inputs as they are */

    gs_tuple_sorter_options sorter; /* of bsbi */

    const gs_log *log;                 /* may be NULL */
    gs_trace *trace;                   /* a timeline of every stage; may be NULL */
    gs_index_stats *stats;             /* filled as the job goes on; may be NULL */
    const volatile int *cancel_signal; /* becomes non-zero: stop; may be NULL */
} gs_index_build_options;

GS_MUST_CHECK gs_code gs_index_build(const gs_index_build_options *options,
                                     gs_status *st);

#endif
