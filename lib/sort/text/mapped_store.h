/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * mapped_store: runs as plain text, in memory as far as that goes and then in temporary
 * files, all of them seen as texts that can be cut anywhere: for who sorts parts of them
 * again (lib/sort/device/device_merge.h), and for a merge on all cores.
 *
 *      run 0   | memory ....................... |  its length is known (gs_sink, place)
 *      run 1   | memory ...... | extent ....... |  the head in memory, the tail in a file,
 *      run 2   | extent ....................... |  which is mapped when all runs are there
 *
 * Of an input that the page cache holds beside -S (gs_memory_plan, cached_bytes) the
 * extents stay there: most are read before the kernel would have written them.
 *
 * Equal records of two runs stand in the order of the runs. Nothing is left out of runs:
 * where of equal records one is wanted, or they are counted, who merges them sees to it.
 * It is not for --top, nor where a checkpoint is kept.
 *
 * A store as any other (lib/sort/run/run_store.h), and after the last close also texts,
 * read and merge_part; read by several threads at once.
 */
/* clang-format on */
#ifndef GS_LIB_SORT_TEXT_MAPPED_STORE_H
#define GS_LIB_SORT_TEXT_MAPPED_STORE_H

#include "lib/sort/run/runs.h"
#include "lib/sort/text/text_cursor.h"

typedef struct gs_mapped_store gs_mapped_store;

bool gs_mapped_store_suits(const gs_sort_options *options);

GS_MUST_CHECK gs_code gs_mapped_store_new(gs_run_store **out,
                                          const gs_run_store_options *options,
                                          gs_status *st);
/* NULL if it is a store of another kind. */
gs_mapped_store *gs_mapped_store_of(gs_run_store *store);

/* So much memory runs may take; none before this is said. */
void gs_mapped_store_may_take(gs_mapped_store *s, size_t bytes);

/* All runs, in their order; until free. */
GS_MUST_CHECK gs_code gs_mapped_store_texts(gs_mapped_store *s, const gs_text **texts,
                                            size_t *count, gs_status *st);

/* Are equal records one in the result? Runs have all of them. */
bool gs_mapped_store_drops_equals(const gs_mapped_store *s);

/* A merge of all runs begins: notes it in the statistics. */
void gs_mapped_store_begin_pass(const gs_mapped_store *s);

/* How many bytes of text `text` from `from` on one read of at most `most` bytes, with
 * what it must bring on both sides, can give; not beyond `end`. `most` is a multiple of
 * GS_SPILL_ALIGN. */
size_t gs_mapped_store_readable(const gs_mapped_store *s, size_t text,
                                const uint8_t *from, const uint8_t *end, size_t most);
/* Reads what readable said into `to`, aligned; *data is where they are there. No page of
 * the map is looked at. */
GS_MUST_CHECK gs_code gs_mapped_store_read(const gs_mapped_store *s, size_t text,
                                           const uint8_t *from, size_t bytes, uint8_t *to,
                                           const uint8_t **data, gs_status *st);

/* Merges parts [begin[i], end[i]) of all texts i on all cores, as pieces of the sink from
 * number *ticket on, which is the next one then. */
GS_MUST_CHECK gs_code gs_mapped_store_merge_part(gs_mapped_store *s,
                                                 const uint8_t *const *begin,
                                                 const uint8_t *const *end, gs_sink *sink,
                                                 uint64_t *ticket, gs_status *st);

#endif
