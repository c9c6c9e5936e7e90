/* SPDX-License-Identifier: MIT */
/*
 * index_writer: sorted postings to an index folder.
 *
 * The folder is made under a temporary name beside its final one; commit puts the parts
 * together and renames it, so an index is there whole or not at all. Parts are contiguous
 * ranges of the order of the terms, so that several threads write at once; the bytes of
 * the finished index do not depend on how the terms were cut into parts.
 *
 * Call order: new, document* or set_document_count, parts, commit, free. Documents may
 * also come after the parts, but then blocks of postings cannot tell how short their
 * documents are, and a ranked search can leave out fewer of them.
 * A part: part_new, (part_term, part_postings*)*, part_finish, part_free.
 * A format that is not kept (terms or docIDs that do not ascend) is GS_ERR_ARG.
 */
#ifndef GS_LIB_INDEX_WRITE_INDEX_WRITER_H
#define GS_LIB_INDEX_WRITE_INDEX_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/log.h"
#include "lib/index/format/formats.h"
#include "lib/index/write/name_pack.h"
#include "lib/index/write/text_writer.h"

typedef struct gs_index_writer gs_index_writer;
typedef struct gs_index_part gs_index_part;

typedef struct gs_index_writer_options {
    const char *folder; /* the final name */
    bool has_positions;
    bool has_documents;  /* document() is called for each; otherwise documents are
                           numbers, without names and lengths */
    bool has_texts;      /* those of documents are stored */
    bool has_impacts;    /* frequencies are impacts (lib/index/format/index_header.h) */
    bool replace;        /* an index of that name; nothing else is ever replaced */
    bool unique_names;   /* the commit fails if two documents have the same */
    uint64_t doc_base;   /* what the first document is called outside */
    size_t memory_bytes; /* what all parts together may hold */
    unsigned part_count;
    const char *kept_folder; /* parts outlive the program there; NULL: they do not */
    const char *tokenizer;   /* a JSON object: how text became terms; may be NULL */
    const int *held_lock;    /* of what is replaced (index_folder.h); may be NULL */
    const gs_log *log;       /* may be NULL */
} gs_index_writer_options;

/* Borrows what the options point to until free(). */
GS_MUST_CHECK gs_code gs_index_writer_new(gs_index_writer **out,
                                          const gs_index_writer_options *options,
                                          gs_status *st);
/* Without a commit before, nothing is left. NULL is fine. */
void gs_index_writer_free(gs_index_writer *w);

/* The folder that the index is made in, where files without names may live. */
const char *gs_index_writer_place(const gs_index_writer *w);

/* In the order of docIDs, from 0; one thread, and while no part is written. Names that
 * come again are told at the end, as a warning (lib/index/write/name_check.h). */
GS_MUST_CHECK gs_code gs_index_writer_document(gs_index_writer *w, const void *name,
                                               size_t name_bytes, uint32_t length,
                                               gs_status *st);
/* The same of several, made before it was their turn. */
GS_MUST_CHECK gs_code gs_index_writer_documents(gs_index_writer *w,
                                                const gs_name_pack *names, gs_status *st);
/* With has_texts, where those of the documents go, in their order, before the commit;
 * else NULL. */
gs_text_writer *gs_index_writer_texts(gs_index_writer *w);
/* Before the first part, where it is not known when the writer is made: these two of the
 * options. */
void gs_index_writer_set_kind(gs_index_writer *w, bool has_impacts,
                              const char *tokenizer);
/* Without has_documents, before the first part: all docIDs are below. */
GS_MUST_CHECK gs_code gs_index_writer_set_document_count(gs_index_writer *w,
                                                         uint64_t count, gs_status *st);

/* Before the first part: the postings, and the positions, are going
 * to be about so many bytes, for which nothing else has to be done meanwhile. */
void gs_index_writer_expect(gs_index_writer *w, uint64_t posting_bytes,
                            uint64_t position_bytes);

/* How many parts may be written side by side: as many as wanted, or as there can be files
 * open. The index is the same bytes for any number. */
GS_MUST_CHECK gs_code gs_index_parts_fit(unsigned *out, unsigned wanted,
                                         bool has_positions, gs_status *st);

/* Parts are numbered in the order of their terms, from 0. Each is one thread's, different
 * ones may be written at the same time. */
GS_MUST_CHECK gs_code gs_index_part_new(gs_index_part **out, gs_index_writer *w,
                                        unsigned part, gs_status *st);
/* Terms ascend by memcmp and have 1 to 65535 bytes. */
GS_MUST_CHECK gs_code gs_index_part_term(gs_index_part *p, const void *term,
                                         size_t term_bytes, gs_status *st);
/* Postings of the current term, docIDs ascending, in as many calls as wanted. Each
 * frequency is at least 1; `positions` are as many as the frequencies add up to,
 * ascending in a posting, or NULL without has_positions. */
GS_MUST_CHECK gs_code gs_index_part_postings(gs_index_part *p, const uint64_t *docs,
                                             const uint32_t *tfs, size_t count,
                                             const uint32_t *positions, gs_status *st);

/* The lengths of documents that parts go by; NULL: they have none. */
const gs_length_table *gs_index_writer_lengths(const gs_index_writer *w);

/* Takes the block, as part_postings would its postings, if it would be the same bytes
 * here: if a block begins, and the first doc number is the same. Else *taken is false. */
GS_MUST_CHECK gs_code gs_index_part_block(gs_index_part *p, const gs_foreign_block *block,
                                          bool *taken, gs_status *st);
GS_MUST_CHECK gs_code gs_index_part_finish(gs_index_part *p, gs_status *st);
void gs_index_part_free(gs_index_part *p); /* NULL is fine */

/* With kept_folder: what a finished part is, which is then on the disk but for the names
 * in the folder; and such a part again, in another process, instead of making it. */
enum { GS_PART_FILES = 3 };
typedef struct gs_kept_part {
    uint64_t terms, postings, tokens;
    uint64_t bytes[GS_PART_FILES], sums[GS_PART_FILES];
} gs_kept_part;
GS_MUST_CHECK gs_code gs_index_writer_keep_part(gs_index_writer *w, unsigned part,
                                                gs_kept_part *kept, gs_status *st);
GS_MUST_CHECK gs_code gs_index_writer_take_part(gs_index_writer *w, unsigned part,
                                                const gs_kept_part *kept, gs_status *st);
/* Removes all that is kept there of so many parts. */
void gs_index_parts_remove(const char *kept_folder, unsigned part_count);

/* Every part is finished. The first half of a commit, which it would do itself: all is
 * there under the temporary name, and the header's sum known. */
GS_MUST_CHECK gs_code gs_index_writer_put_together(gs_index_writer *w,
                                                   uint64_t *header_sum, gs_status *st);
/* Every part is finished. Durable when it returns. */
GS_MUST_CHECK gs_code gs_index_writer_commit(gs_index_writer *w, gs_status *st);
/* Instead: the index may be read under its temporary name until free(), and never gets
 * its own. */
GS_MUST_CHECK gs_code gs_index_writer_lend(gs_index_writer *w, const char **folder,
                                           gs_status *st);

#endif
