/* SPDX-License-Identifier: MIT */
/*
 * search_plan: a query put to an index: its terms looked up, and all that it takes to
 * find and to score documents.
 *
 * A slot is a term that scores: one that the query wants, in the order in which it first
 * comes there, known to the index. Nodes are what decides if a document matches; a leaf
 * of a term that the index does not have matches nothing.
 *
 * A plan keeps its memory for the next query. It belongs to one thread.
 */
#ifndef GS_LIB_INDEX_QUERY_SEARCH_PLAN_H
#define GS_LIB_INDEX_QUERY_SEARCH_PLAN_H

#include "lib/index/query/collection_stats.h"
#include "lib/index/segment/segments.h"
#include "lib/index/query/doc_presence.h"
#include "lib/index/query/query.h"
#include "lib/index/query/score_block.h"

/* Terms of a query. If there are more with all that beginnings of words stand for, these
 * stay as they are, and the plan is_wide. */
enum { GS_SEARCH_TERMS_MAX = 4096 };

typedef struct gs_search_slot {
    uint64_t term; /* its number */
    gs_term_info info;
    uint64_t df;        /* of all documents that are scored, maybe of other indexes */
    double times;       /* in the query, or its weights there */
    size_t text, bytes; /* the term, in the query's text */
    size_t order;       /* where it first comes there */
    double weight;
    double part; /* of the score of a document */
    size_t reader;
    gs_block_bound bound;
    gs_length_bounds window;      /* of the documents that are looked at */
    float window_most;            /* the largest of those */
    const uint8_t *probed;        /* entry of the block that was asked about last */
    gs_length_bounds probed_most; /* of that block */
} gs_search_slot;

/* As a node of a query, but beginnings of words are lists of terms, unless the plan
 * is_wide. */
typedef struct gs_search_node {
    gs_query_kind kind;
    gs_query_role role;
    int first, last, next;
    uint32_t offset;
    size_t text, bytes; /* of a beginning, in the query's text */
    size_t order;       /* where it comes there, if it is wanted: its terms score */
    double weight;      /* of a beginning, in the query */
    bool is_wanted;
    bool is_known;     /* a term's */
    gs_term_info info; /* a term's */
    size_t slot;       /* of a term that scores; else SIZE_MAX */
    size_t reader;     /* a term's, when matching */
    uint64_t cost;     /* about how many documents */
    bool has_must, has_should;
    bool is_set;
    uint64_t doc;    /* the first match that is not less than what was asked for */
    uint64_t walked; /* of a term of a phrase: places that were looked at */
} gs_search_node;

typedef struct gs_search_stats {
    uint64_t queries;
    uint64_t postings, postings_scored; /* of the terms that score */
    uint64_t blocks, blocks_read;
} gs_search_stats;

typedef struct gs_search_plan {
    const gs_index *index;
    gs_segment_terms *all; /* borrowed: counts documents; NULL: the index is all */
    bool has_deleted;      /* some of its documents are: it is a segment */
    gs_doc_presence *presence;
    const uint32_t *lengths; /* NULL: all count as the average, or not at all */
    const gs_page_checks *length_pages;
    bool knows_lengths; /* their pages, all of them: nothing needs a look */
    gs_status damage;   /* met with lengths, which fails the query at its end */
    const gs_collection_stats *collection; /* borrowed; NULL: what the index says */
    gs_collection_stats *gathered;         /* borrowed; NULL: not wanted */
    gs_scoring scoring;
    gs_length_scale scale;
    gs_search_slot *slots;
    size_t slot_count, slot_capacity;
    gs_search_node *nodes;
    size_t node_count, node_capacity;
    size_t leaf_count;
    int root;              /* GS_QUERY_NONE: matches nothing */
    bool is_any_of;        /* a document matches if it has one of the slots' terms */
    bool is_all_of;        /* if it has all of them, and the phrases among the nodes */
    bool is_wide;          /* beginnings stand for too many terms: gs_rank_wide */
    const uint8_t *text;   /* borrowed: the query's */
    gs_term_cursor *terms; /* borrowed; stands anywhere */
    size_t wanted_count;   /* terms and beginnings that score, so far */
    gs_posting_list *readers;
    size_t reader_count, reader_capacity;
    /* Room for ranking: for each slot, and one more, twice. */
    size_t *order;
    gs_length_bounds *sums;
    struct gs_rank_window *window; /* rank_any's */
    struct gs_score_log *logs;     /* the same, of each slot */
    size_t log_capacity;
    struct gs_wide_query *wide;  /* wide_query's */
    struct gs_rank_lists *lists; /* rank_lists' */
    double *batch_parts;         /* rank_batch's */
    size_t batch_parts_capacity;
    uint64_t *common_tfs; /* rank_all's, of documents that all lists have */
    size_t common_tfs_capacity;
    gs_score_way score_way;
    gs_search_stats stats;
} gs_search_plan;

/* Internal to release. NULL is fine. */
void gs_rank_lists_free(struct gs_rank_lists *r);

/* Borrows the index and what is known of its documents. If it is a segment, documents
 * are scored as those of the whole, whose counts `all` has; else that is NULL. */
void gs_search_plan_init(gs_search_plan *plan, const gs_index *index,
                         gs_segment_terms *all, gs_doc_presence *presence, double k1,
                         double b);
void gs_search_plan_release(gs_search_plan *plan);

/* Documents are scored as some of a collection: what a slot weighs is what it says. */
void gs_search_plan_set_collection(gs_search_plan *plan, double k1, double b,
                                   const gs_collection_stats *collection);

/* Looks all terms up. The query and the cursor are borrowed until the next one is made.
 */
GS_MUST_CHECK gs_code gs_search_plan_make(gs_search_plan *plan, const gs_query *query,
                                          gs_term_cursor *terms, gs_status *st);

/* A reader at the beginning of a term's postings; its number is *out. */
GS_MUST_CHECK gs_code gs_search_plan_open_reader(gs_search_plan *plan,
                                                 const gs_term_info *info, size_t *out,
                                                 gs_status *st);
/* Can there be such a term? */
GS_MUST_CHECK gs_code gs_search_plan_check_term(const gs_search_plan *plan,
                                                const gs_term_info *info, gs_status *st);
/* How many documents have the term that the cursor is at: in all segments and, if they
 * are only a part of one, of the collection. The query asks for it at `column`, of which
 * a beginning has none: those that stand for many terms are not for collections. */
GS_MUST_CHECK gs_code gs_search_plan_df(const gs_search_plan *plan,
                                        const gs_term_cursor *term, size_t column,
                                        uint64_t *df, gs_status *st);
/* The bounds of all slots. */
GS_MUST_CHECK gs_code gs_search_plan_open_bounds(gs_search_plan *plan, gs_status *st);
/* Looks at the postings of a slot that has less than a block of them, from its reader,
 * which is at the beginning: its bound is what the best of them adds. */
GS_MUST_CHECK gs_code gs_search_plan_look_at_short(gs_search_plan *plan,
                                                   gs_search_slot *slot, gs_status *st);
/* What the slot can add to the document in the block that would have to be read for it;
 * NULL if that is not known better than for the window. */
GS_MUST_CHECK gs_code gs_search_plan_probe(gs_search_plan *plan, gs_search_slot *slot,
                                           uint64_t doc, const gs_length_bounds **most,
                                           gs_status *st);
/* Adds what the readers did to the statistics. */
void gs_search_plan_count(gs_search_plan *plan);

/* Of a page that is not known to be good yet. */
void gs_search_plan_check_length(gs_search_plan *plan, uint64_t doc);

/* What postings of a slot add to the scores of their documents. */
void gs_search_plan_score(gs_search_plan *plan, const gs_search_slot *slot,
                          const uint64_t *docs, const uint64_t *tfs, size_t count,
                          gs_scores *out);

/* What a document's score is made with. */
static inline uint32_t gs_search_plan_length(gs_search_plan *plan, uint64_t doc)
{
    if (plan->lengths == NULL)
        return 1;
    if (__builtin_expect(!plan->knows_lengths &&
                             !gs_page_checks_know_at(plan->length_pages,
                                                     sizeof(gs_index_head) +
                                                         doc * sizeof *plan->lengths),
                         0))
        gs_search_plan_check_length(plan, doc);
    return plan->lengths[doc];
}

/* What the posting that the reader is at adds to its document's score. */
static inline double gs_search_plan_part(gs_search_plan *plan, const gs_search_slot *slot,
                                         gs_posting_list *reader)
{
    const uint32_t length = gs_search_plan_length(plan, reader->doc);
    plan->stats.postings_scored++;
    return gs_scoring_part(&plan->scoring, slot->weight,
                           gs_posting_list_tf(reader, reader->at), length);
}

/* The parts of a document, added in the order that makes the score; they are 0 then. */
static inline double gs_search_plan_sum(gs_search_plan *plan)
{
    double score = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        score += plan->slots[i].part;
        plan->slots[i].part = 0;
    }
    return score;
}

#endif
