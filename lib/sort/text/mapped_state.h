/* SPDX-License-Identifier: MIT */
/*
 * mapped_state: what a mapped merge is made of: mapped_texts.c opens it, mapped_merge.c
 * merges, mapped_piece.c a piece of it. For those only.
 */
#ifndef GS_LIB_SORT_TEXT_MAPPED_STATE_H
#define GS_LIB_SORT_TEXT_MAPPED_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "io/quick_write.h"
#include "lib/sort/record/records.h"
#include "lib/sort/text/mapped_merge.h"
#include "lib/sort/text/text_cut.h"

/* Room behind a line of ours. */
enum { GS_MAPPED_LINE_SLACK = GS_KEY_READ_SLACK + GS_SHORT_COPY_BYTES };

typedef struct gs_asked_text {
    _Atomic(const uint8_t *) to; /* so far it was asked for; NULL: it is cached */
} gs_asked_text;

struct gs_mapped_merge {
    gs_file_merge *merge;
    gs_memory_plan plan;
    gs_file_map map;
    gs_text_form form;
    gs_ordered_copy copied;
    gs_text *texts; /* text_count of them: files, sorted stretches of files, or runs */
    bool are_runs;  /* in order, and their records have been told to the witness */
    size_t text_count;
    size_t ask_bytes, piece_bytes;
    gs_asked_text *asked;
    gs_sink *sink;
    uint64_t first_ticket;
    bool has_places; /* what a piece becomes is known before it is merged, and where */
    bool is_guess;   /* that the texts are in order: all lines are looked at in merging */
    atomic_bool was_wrong; /* it was not so */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn;   /* `sorted` or an end has changed */
    gs_text_cut *cut;
    const uint8_t **brought, **kept; /* of each text: up to and from where it is ours */
    const uint8_t *reversed_end;     /* of what is left of a text that is reversed */
    uint64_t next;                   /* piece to be taken, counted from 0 */
    uint64_t sorted;                 /* pieces before this one were seen to be sorted */
    uint64_t end;                    /* no pieces from here on, or not in this way */
    const uint8_t **rest;            /* where that one begins, if there is more */
    bool has_rest, has_failed;
    gs_multiset read; /* records that the witness has not been told of, and */
    uint64_t read_bytes;
};

/* How tests want the output to be written: by GS_MERGED_TO=cache or disk. */
gs_write_way gs_mapped_wished_way(void);

/* Has text `i` read so far ahead of `from` that no thread needs to wait for it.
 * Several workers may call. */
void gs_mapped_ask_ahead(gs_mapped_merge *m, size_t i, const uint8_t *from);

#endif
