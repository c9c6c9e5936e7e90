/* SPDX-License-Identifier: MIT */
/*
 * early_state: what an early split is made of: early_split.c fills it, early_keep.c puts
 * what is too much into files, and early_bring.c empties it. For those three only.
 */
#ifndef GS_LIB_SORT_FORM_EARLY_STATE_H
#define GS_LIB_SORT_FORM_EARLY_STATE_H

#include "lib/sort/form/early_split.h"
#include "lib/sort/form/list_file.h"
#include "lib/sort/form/text_lists.h"

/* Keyed records of one worker on their way to lists. Bytes that were just written one by
 * one cannot be read as words without a stall. */
typedef struct gs_batched_key {
    const uint8_t *record;
    uint32_t record_bytes, key_bytes;
} gs_batched_key;

typedef struct gs_key_batch {
    gs_placed_string strings_of[GS_STRING_BATCH]; /* as much as is needed of each */
    gs_batched_key records[GS_STRING_BATCH];
    size_t count, used_bytes;
    uint8_t *strings;
} gs_key_batch;

struct gs_early_split {
    gs_buckets buckets; /* once all records were added */
    gs_record_layout layout;
    const gs_key_encoder *encoder; /* of keyed records */
    size_t key_room;               /* for the string of a line, however it comes out */
    bool keeps_keys;               /* on the lists, before the lines */
    size_t record_size;
    unsigned workers;
    gs_string_splitters *splitters; /* one bucket each has a list */
    unsigned sets;                  /* of lists: as many as workers, or they are shared */
    gs_places places; /* on the lists, in place of records that are not long */
    size_t page_capacity;
    size_t chunk_pages;    /* by chunks: one that takes so many is full */
    size_t reserved_pages; /* for what is being added */
    gs_text_lists lists;
    gs_key_batch *key_batch; /* one a worker, of keyed records */
    gs_list_file *file;      /* has what was too much for the lists; NULL: nothing */
    gs_listed *kept;         /* with a file: what of each bucket is there */
    size_t memory_bytes;     /* in all, */
    size_t near_bytes;       /* and of that for near buckets of all workers */
    size_t mapped_end;       /* of the text */
    uint64_t slow_look_ns;   /* what a look at a record there takes where windows pay */
    const uint8_t *arena;
    uint16_t numbered[GS_STRING_BUCKETS_MAX]; /* buckets with records */
};

#endif
