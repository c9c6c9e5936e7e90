/* SPDX-License-Identifier: MIT */
/*
 * list_shelf: posting lists put into a file without a name as they come, and taken from
 * it in the order of their terms.
 *
 *      put down   | list | list | list | ...       in the order of the input
 *      list       varint: bytes of the term | term | (varint: count | (gap, tf)*)* | 0
 *
 * Most inputs have the lists in the order of their terms, and then that is all there is
 * to it: parts are stretches of the file. For others a directory of all lists is made in
 * memory, which is sorted, and parts are stretches of that.
 *
 * Call order: open, (term, postings*, end)*, arrange, readers, close. One thread puts
 * down; then each part may be read by a thread of its own.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_LIST_SHELF_H
#define GS_LIB_INDEX_EXCHANGE_LIST_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"

enum { GS_SHELF_BUFFER_BYTES = 256 << 10 };

typedef struct gs_shelf_list gs_shelf_list;

typedef struct gs_list_shelf {
    gs_scatter_file file;
    uint8_t *buffer;
    size_t used;
    uint64_t bytes; /* put down, those in the buffer included */
    uint64_t list_count, term_bytes;
    uint64_t last_doc; /* of the list that is put down */
    uint8_t *last_term;
    size_t last_term_bytes;
    bool is_disordered;
    uint64_t *cuts; /* where lists begin that are far enough behind each other */
    size_t cut_count, cut_capacity;

    gs_shelf_list *lists; /* of a disordered one, sorted */
    uint8_t *terms;       /* theirs */
    unsigned part_count;
} gs_list_shelf;

/* `folder` is where the file lives. The shelf is zeroed; close it also after a failure.
 */
GS_MUST_CHECK gs_code gs_list_shelf_open(gs_list_shelf *s, const char *folder,
                                         gs_status *st);
void gs_list_shelf_close(gs_list_shelf *s);

GS_MUST_CHECK gs_code gs_list_shelf_term(gs_list_shelf *s, const void *term, size_t bytes,
                                         gs_status *st);
GS_MUST_CHECK gs_code gs_list_shelf_postings(gs_list_shelf *s, const uint64_t *docs,
                                             const uint32_t *tfs, size_t count,
                                             gs_status *st);
GS_MUST_CHECK gs_code gs_list_shelf_end(gs_list_shelf *s, gs_status *st);

/* All lists of `input`, a name for messages, are there: so many parts are to be read.
 * Fails where a term comes twice, or a directory would take more than `memory_bytes`. */
GS_MUST_CHECK gs_code gs_list_shelf_arrange(gs_list_shelf *s, const char *input,
                                            unsigned part_count, size_t memory_bytes,
                                            gs_status *st);

/* The lists of a part, in the order of their terms. */
typedef struct gs_shelf_reader {
    const gs_list_shelf *shelf;
    uint8_t *buffer;
    const uint8_t *p, *end; /* of what is in it */
    uint64_t next, stop;    /* of the file: what comes behind it, and where that ends */
    size_t list, list_end;  /* of a disordered shelf */
    uint64_t left;          /* of the present chunk */
    uint64_t doc;
} gs_shelf_reader;

GS_MUST_CHECK gs_code gs_shelf_reader_open(gs_shelf_reader *r, const gs_list_shelf *s,
                                           unsigned part, gs_status *st);
void gs_shelf_reader_close(gs_shelf_reader *r); /* a zeroed one is fine */
/* The next list's term, valid until the next call; *bytes is 0 behind the last list. The
 * postings of the one before have been read. */
GS_MUST_CHECK gs_code gs_shelf_reader_term(gs_shelf_reader *r, const uint8_t **term,
                                           size_t *bytes, gs_status *st);
/* Up to `most` of its next postings; *count is 0 at its end. */
GS_MUST_CHECK gs_code gs_shelf_reader_postings(gs_shelf_reader *r, uint64_t *docs,
                                               uint32_t *tfs, size_t most, size_t *count,
                                               gs_status *st);

#endif
