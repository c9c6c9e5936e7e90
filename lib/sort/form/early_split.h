/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * early_split: large mapped text goes to buckets as it is read, and gets no elements
 * until its bucket is sorted.
 *
 *      text      | .. line .. line .. line .. line ........................ |  mapped
 *                      |  words of its string, splitters: its bucket
 *      lists      bucket 0: where where where ..   bucket 1: where where ..
 *             or  bucket 0: line line line ..      bucket 1: line line ..
 *                      |  one bucket after the other, from its first page to its last
 *      a bucket   | elements | lines |                                      a cache full
 *
 * An element in the chunk takes 24 bytes, is read again to be given a bucket and written
 * again to go there, and points all over the text; memory that was not touched before is
 * dear. The price is that the splitters come from a sample of the text before it is read
 * (string_splitters.h). They know what the strings of a bucket begin with, however long
 * that is; where even that does not tell strings apart, gs_early_split_new refuses.
 *
 * A list of places takes 8 bytes a record, and its bucket is copied once more; one of text
 * takes pages for all of that. Places are better where a bucket stays in the cache of a
 * core, or pages are dear (options.places); keyed records, those of more text than there
 * is memory for, and very short ones are always text.
 *
 * A string that comes often has a bucket for itself, of which one record is kept, with
 * how often it came: it is neither copied nor sorted.
 *
 * Of a keyed record the key is made twice: for its bucket, and again where it is sorted.
 * Where keys are copied, that takes no longer than to write key and line to memory and
 * fetch them from there, and less than half the memory. Others are kept, if there is room
 * for them: what is a number alone is a few bytes.
 *
 * Of text that is more than there is memory for, the lists hold a chunk at a time: more
 * than half as much again as of text and its elements, where lines are short. A chunk goes
 * to files as it is, bucket by bucket, and each bucket is sorted once, when all of it is
 * there (early_keep.h); or, where those files would be too much, it becomes a run.
 *
 * Every worker has lists of its own, or some share them (text_lists.h), and no bucket keeps the order of the
 * input: records that compare equal must be the same bytes, as they are but for -s and -u
 * with keys. What is on the lists is sorted by way of early_bring.h.
 *
 * Wide records without keys are refused too where memory holds all of them: to move them
 * takes longer than to sort elements that point to them, unless many lines begin alike.
 */
/* clang-format on */
#ifndef GS_LIB_SORT_FORM_EARLY_SPLIT_H
#define GS_LIB_SORT_FORM_EARLY_SPLIT_H

#include <stdbool.h>

#include "io/file_map.h"
#include "lib/base/status.h"
#include "lib/base/team.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/form/list_file.h"
#include "lib/sort/form/text_lists.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"

/* Not worth it for less: text, and the elements that it would have otherwise. Builds that
 * are for testing do it sooner. */
#ifndef GS_EARLY_SPLIT_MIN
#define GS_EARLY_SPLIT_MIN ((size_t)128 << 20)
#endif
/* More text does not fit, whatever memory there is: for the same builds. */
#ifndef GS_EARLY_SPLIT_MAX
#define GS_EARLY_SPLIT_MAX SIZE_MAX
#endif
typedef struct gs_early_split gs_early_split;

typedef struct gs_early_split_options {
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* of keyed records, else NULL */
    size_t record_size;            /* > 0: fixed-size records */
    const gs_file_map *map;
    gs_team *team;
    size_t memory_bytes; /* for what is not text */
    bool by_chunks;      /* all of the text does not fit */
    gs_list_file *file;  /* by chunks: they go there; NULL: each is used by itself */
    gs_places places;    /* of plain records, unless by chunks, or they are very short */
} gs_early_split_options;

/* *out is NULL if the text is better sorted otherwise. Borrows encoder and map; takes the
 * file if *out is not NULL. The team only takes the sample. */
GS_MUST_CHECK gs_code gs_early_split_new(gs_early_split **out,
                                         const gs_early_split_options *options,
                                         gs_status *st);
void gs_early_split_free(gs_early_split *s); /* NULL is fine */

/* Puts whole records, the first at `offset` of the arena, on the lists of a worker; each
 * worker by one thread; how many there are is added to *count. The last may lack its eol
 * if it has one in the arena. False if there is no more room for lists, which is for
 * good. */
bool gs_early_split_add(gs_early_split *s, unsigned worker, const uint8_t *data,
                        size_t bytes, size_t offset, uint64_t *count);
/* Do many of them stay where they are, and are looked at again? */
bool gs_early_split_needs_text(const gs_early_split *s);

/* By chunks: may a batch of so many bytes be added? Then there is room for it, until it
 * is said to be added. One thread at a time. */
bool gs_early_split_reserve(gs_early_split *s, size_t bytes);
void gs_early_split_added(gs_early_split *s, size_t bytes);
/* The lists are empty, or are to be so. */
bool gs_early_split_is_empty(const gs_early_split *s);
void gs_early_split_clear(gs_early_split *s);

#endif
