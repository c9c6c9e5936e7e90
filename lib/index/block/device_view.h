/* SPDX-License-Identifier: MIT */
/*
 * device_view: a block on a GPU that is sorted, read as a term block.
 *
 * Internal to device_block: what such a block is, shared by its sources. Terms are here;
 * postings come down to the windows of who reads them.
 */
#ifndef GS_LIB_INDEX_BLOCK_DEVICE_VIEW_H
#define GS_LIB_INDEX_BLOCK_DEVICE_VIEW_H

#include <pthread.h>

#include "gpu/words/word_block.h"
#include "lib/index/block/device_block.h"
#include "lib/index/block/form_stems.h"

enum {
    GS_DEVICE_WINDOW_POSTINGS = 1 << 16, /* that come down at once, at most */
    GS_DEVICE_WINDOW_POSITIONS = 1 << 17,
};

typedef struct gs_device_windows gs_device_windows;

/* What one reader has of the postings, in the memory of a lane. */
typedef struct gs_device_window {
    gs_device_windows *home;
    const gs_device_block *block; /* NULL: nobody has it */
    unsigned lane;
    gs_word_lane memory;
    uint64_t first, end; /* postings of all, or of the tails; and: */
    bool are_tails;
    uint64_t first_position, position_end;
    uint64_t first_group, group_end; /* of places */
    uint64_t place;                  /* whose head is here: */
    size_t place_at, stored_bytes;
    size_t wanted, positions_wanted; /* that the next is to have */
    size_t stored_wanted;            /* bytes */
} gs_device_window;

struct gs_device_windows {
    pthread_mutex_t mutex; /* guards who has which */
    gs_word_made made;     /* before anybody reads */
    uint32_t *tail_firsts; /* then, if there are tails; mapped */
    size_t tail_bytes;
    unsigned count;
    gs_device_window windows[];
};

struct gs_device_block {
    gs_device_block_options options;
    pthread_t starter;
    bool is_starting;
    gs_status start; /* what became of it */
    gs_word_block *words;
    gs_text_piece *pieces; /* one a worker */

    pthread_mutex_t mutex; /* guards what follows, and the start */
    pthread_cond_t has_landed;
    gs_word_room room, used, in_flight;
    uint64_t tuple_tokens; /* frequencies of tuples together */
    bool has_docs;
    uint32_t first_doc, last_doc;
    gs_device_windows *windows; /* one a worker */

    /* Sorted: */
    gs_word_sums sums;
    gs_form_list list; /* the terms: as they came down, or their stems */
    uint8_t *memory;   /* of terms that came down */
    size_t memory_bytes;
    gs_form_stems stems;
    uint32_t *first_postings; /* mapped */
    size_t first_bytes;
};

static inline bool gs_device_block_stems(const gs_device_block *b)
{
    return b->options.rules != NULL && gs_word_rules_stem(b->options.rules);
}

extern const gs_term_block_ops gs_device_view_ops; /* of a gs_device_block */

gs_code gs_device_fail_wrong(const char *what, gs_status *st);
void gs_device_view_term(const void *block, size_t index, gs_term_view *out);
void gs_device_view_release_blocks(gs_device_windows *home);

/* What the terms of a view take on the host, but for stemming. */
size_t gs_device_view_bytes(uint64_t terms, uint64_t term_bytes);
void gs_device_view_release(gs_device_block *b);

#endif
