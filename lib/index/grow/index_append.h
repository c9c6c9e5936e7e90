/* SPDX-License-Identifier: MIT */
/*
 * index_append: documents to an index that is there, which is not written anew.
 *
 *      documents -> build -> a segment in the folder -> the manifest names it, too
 *                                                    -> merges, if they pay
 *
 * They come behind those that are there. Terms are made by the rules of the index, and
 * positions and texts are kept if it has them; the docID of the first document stays what
 * it is, whatever is deleted. An index of tuples, which have docIDs of their own, or of
 * vectors is refused. When the call fails the index is what it
 * was. A merge that fails is a warning: the documents are there.
 *
 * Call from one thread; the workers are inside. All options are borrowed.
 */
#ifndef GS_LIB_INDEX_GROW_INDEX_APPEND_H
#define GS_LIB_INDEX_GROW_INDEX_APPEND_H

#include "lib/index/build/builds.h"

/* Which of the options that must agree with the index were asked for: others are those of
 * the index. */
typedef struct gs_append_asked {
    bool kind, fold, stem, stop_words, min_len, max_len;
} gs_append_asked;

typedef struct gs_index_append_options {
    /* What is read, and with what; its folder is the index. Its words count as far as
     * they are asked for, and positions and texts if they are true: what the index has
     * not is an error then. */
    gs_index_build_options build;
    gs_append_asked asked;
    bool updates;  /* what is there and has the name of a new document goes, at once */
    bool no_merge; /* segments are only added */
} gs_index_append_options;

GS_MUST_CHECK gs_code gs_index_append(const gs_index_append_options *options,
                                      gs_status *st);

#endif
