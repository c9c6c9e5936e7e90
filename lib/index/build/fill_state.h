/* SPDX-License-Identifier: MIT */
/*
 * fill_state: what the threads of block_fill have, each and together. Internal to it and
 * to batch_add.
 */
#ifndef GS_LIB_INDEX_BUILD_FILL_STATE_H
#define GS_LIB_INDEX_BUILD_FILL_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/mem.h"
#include "lib/index/build/batch_texts.h"
#include "lib/index/build/block_fill.h"
#include "lib/index/build/piece_fill.h"
#include "lib/index/build/tuple_fill.h"

enum {
    GS_FILL_NAME_BYTES = 200,
};

/* The state of one thread and one batch, kept from one run to the next. A thread may have
 * several, for batches that wait for their numbers; what is only used while a batch goes
 * into the blocks they share. */
typedef struct gs_fill_worker {
    GS_MEM_APART gs_tokenizer *tokenizer;
    gs_token_batch tokens;
    gs_tuple_batch *tuples;     /* or weights of documents */
    gs_piece_fill pieces;       /* of text that goes to a GPU, */
    gs_tuple_fill tuple_pieces; /* or of tuples */
    gs_vector_reader vector;
    gs_weight_counts weights;
    gs_tuple_reader reader;
    gs_document_list list;
    uint32_t *lengths; /* of the batch's documents */
    size_t length_capacity;
    gs_name_pack names; /* of those, when they are done */
    gs_text_pack *pack; /* of their texts; NULL: they are not stored */
    size_t text_before; /* of the block that those before the batch have left open */
    gs_batch_texts texts;

    /* Of a thread's first: which of its batches comes first, and how many there are. */
    unsigned first_batch, batch_count;

    bool has_batch;
    gs_line_batch batch;
    bool is_begun;                  /* it goes into the blocks */
    atomic_bool has_numbers;        /* with it: */
    pthread_cond_t gets_numbers;    /* or all are to stop */
    gs_document_options shape;      /* how it is read */
    uint64_t first_doc, first_line; /* of the batch */
    size_t document, text;          /* where it stands */
    bool in_text;
    size_t taken;      /* of the tokens or tuples at hand */
    uint64_t begin_ns; /* of inverting the batch, or of what is left of it */
    uint64_t doc_max;  /* of tuples */
    bool has_doc;
    uint64_t long_words, long_doc;          /* the document with the first of them, */
    char long_name[GS_FILL_NAME_BYTES + 1]; /* and its name */
} gs_fill_worker;

struct gs_block_fill {
    gs_block_fill_options options;
    bool is_tuples;   /* ready ones, without documents */
    bool has_weights; /* documents are vectors */
    bool has_pieces;  /* documents or tuples go to a GPU as text */
    gs_team *team;    /* of the run */
    unsigned depth;   /* of the queue of each thread's batches */
    unsigned worker_count;
    gs_fill_worker *workers; /* a first one of each thread, a second of each, ... */
    atomic_bool is_full, has_failed;
    atomic_bool is_pausing;    /* no more batches until the blocks are empty */
    atomic_bool has_bad_tuple; /* no more batches: the build ends with those at hand */
    atomic_bool wants_room;    /* for a long document */

    pthread_mutex_t turn_mutex; /* guards what follows, and who has numbers */
    pthread_cond_t has_room;    /* a long document is done, or all are to stop */
    uint64_t turn;              /* the ticket that gets its numbers next */
    /* What waits for them, by ticket: those from `turn` on are no more than workers. */
    gs_fill_worker **waiting;
    size_t text_open; /* bytes of the block of texts that is open before it */
    uint64_t document_count;
    size_t input_index; /* the file that line_count belongs to */
    uint64_t line_count;
    uint64_t left_out; /* records of archives */

    gs_bad_documents bad; /* guarded by turn_mutex, or for tuples by the order */
    gs_batch_order *order;
};

#endif
