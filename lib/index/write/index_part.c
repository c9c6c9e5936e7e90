/* SPDX-License-Identifier: MIT */
#include "lib/index/write/index_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "lib/index/write/part_join.h"
#include "lib/sort/record/records.h"

enum {
    SKIP_ENTRY_MAX = 3 * GS_VARINT_BYTES_MAX + GS_IMPACTS_MAX * GS_IMPACT_BYTES,
    SKIPS_HELD_MAX = 64 << 10, /* bytes of entries in memory */
};

struct gs_index_part {
    gs_part_options options;
    gs_part_files *files;
    uint8_t term[GS_INDEX_TERM_MAX], next_term[GS_INDEX_TERM_MAX];
    size_t term_bytes; /* 0: none yet */
    gs_part_numbers numbers;
    uint64_t last_doc; /* of the term's postings so far */
    bool has_doc;

    /* The block being filled: docIDs, numbers for them and for frequencies. */
    uint64_t ids[GS_INDEX_BLOCK], docs[GS_INDEX_BLOCK], tfs[GS_INDEX_BLOCK];
    size_t filled;
    gs_impacts impacts;              /* of the term's blocks so far */
    uint64_t places[GS_NUMBERS_MAX]; /* numbers of positions, not put yet */
    size_t place_count;
    uint64_t block_positions_bytes;
    uint64_t first_doc; /* of the term */
    uint64_t skip_doc;  /* the last docID of the block before */

    uint8_t *skips; /* entries of the term */
    size_t skip_bytes, skip_capacity;
    gs_append_file spilled; /* those before, of a term with very many */
};

gs_code gs_index_parts_fit(unsigned *out, unsigned wanted, bool has_positions,
                           gs_status *st)
{
    /* Open while parts are: documents, runs, what parts go to, ours; and with each part
     * the ring by which its runs are read. */
    enum { FILES_BESIDE = 16, RING = 1 };
    const size_t files = (has_positions ? GS_PART_FILES : GS_PART_FILES - 1) + RING;
    const size_t left = gs_machine_files_left(wanted * files + FILES_BESIDE);
    *out = wanted;
    if (left < files + FILES_BESIDE) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, EMFILE,
                      "%zu more files may be open, and %zu must", left,
                      files + FILES_BESIDE);
        return gs_status_hint(st, "raise the limit of open files with ulimit -n");
    }
    if ((left - FILES_BESIDE) / files < wanted)
        *out = (unsigned)((left - FILES_BESIDE) / files);
    return GS_OK;
}

void gs_part_files_close(gs_part_files *files)
{
    gs_append_file_close(&files->terms);
    gs_append_file_close(&files->postings);
    gs_append_file_close(&files->positions);
}

/* --- parts that are kept ----------------------------------------------------------- */

static bool has_file(const gs_part_options *options, int i)
{
    return i < 2 || options->has_positions;
}

static gs_append_file *file_of(gs_part_files *files, int i)
{
    return i == 0 ? &files->terms : i == 1 ? &files->postings : &files->positions;
}

static bool make_path(const gs_part_options *options, int i, char *path)
{
    static const char *const names[GS_PART_FILES] = {"terms", "postings", "positions"};
    return snprintf(path, GS_PART_PATH_BYTES, "%s/gpusort-part-%u-%s",
                    options->kept_folder, options->number, names[i]) < GS_PART_PATH_BYTES;
}

static gs_code open_file(gs_part_files *files, int i, const gs_part_options *options,
                         uint64_t bytes, uint64_t sum, gs_status *st)
{
    if (!has_file(options, i))
        return GS_OK;
    if (options->kept_folder == NULL)
        return gs_append_file_open(file_of(files, i), options->folder,
                                   options->buffer_bytes, st);
    if (!make_path(options, i, files->paths[i]))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "open failed: %s",
                       options->kept_folder);
    return gs_append_file_open_kept(file_of(files, i), files->paths[i], bytes, sum,
                                    options->buffer_bytes, st);
}

gs_code gs_part_files_keep(gs_part_files *files, gs_kept_part *kept, gs_status *st)
{
    gs_assert(files->is_finished);
    *kept = (gs_kept_part){
        .terms = files->term_count,
        .postings = files->posting_count,
        .tokens = files->token_count,
    };
    for (int i = 0; i < GS_PART_FILES; i++) {
        gs_append_file *const f = file_of(files, i);
        if (f->path == NULL)
            continue;
        GS_TRY(gs_append_file_sync(f, st));
        kept->bytes[i] = f->bytes;
        kept->sums[i] = f->sum;
    }
    return GS_OK;
}

/* What it holds is believed later, so that it is looked through now. */
static gs_code take_file(gs_part_files *files, int i, const gs_part_options *options,
                         const gs_kept_part *kept, gs_status *st)
{
    if (!has_file(options, i))
        return GS_OK;
    GS_TRY(open_file(files, i, options, kept->bytes[i], kept->sums[i], st));
    return kept->bytes[i] > 0 ? gs_append_file_look_through(file_of(files, i), st)
                              : GS_OK;
}

gs_code gs_part_files_take_over(gs_part_files *files, const gs_part_options *options,
                                const gs_kept_part *kept, gs_status *st)
{
    files->term_count = kept->terms;
    files->posting_count = kept->postings;
    files->token_count = kept->tokens;
    for (int i = 0; i < GS_PART_FILES; i++)
        GS_TRY(take_file(files, i, options, kept, st));
    files->is_finished = true;
    return GS_OK;
}

void gs_index_parts_remove(const char *kept_folder, unsigned part_count)
{
    char path[GS_PART_PATH_BYTES];
    gs_part_options options = {.kept_folder = kept_folder};
    for (; options.number < part_count; options.number++) {
        for (int i = 0; i < GS_PART_FILES; i++) {
            if (make_path(&options, i, path))
                (void)unlink(path);
        }
    }
}

/* --- life -------------------------------------------------------------------------- */

gs_code gs_index_part_open(gs_index_part **out, gs_part_files *files,
                           const gs_part_options *options, gs_status *st)
{
    *out = NULL;
    gs_index_part *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "part of an index", st));
    p->options = *options;
    p->files = files;
    for (int i = 0; i < GS_PART_FILES; i++)
        GS_TRY_OR_FAIL(open_file(files, i, options, 0, 0, st));
    *out = p;
    return GS_OK;
fail:
    gs_part_files_close(files);
    gs_index_part_free(p);
    return st->code;
}

void gs_index_part_free(gs_index_part *p)
{
    if (p == NULL)
        return;
    gs_append_file_close(&p->spilled);
    gs_mem_free(p->skips);
    gs_mem_free(p);
}

/* --- blocks of postings ------------------------------------------------------------ */

static gs_code spill_skips(gs_index_part *p, gs_status *st)
{
    if (p->spilled.buffer == NULL)
        GS_TRY(gs_append_file_open(&p->spilled, p->options.folder, SKIPS_HELD_MAX, st));
    p->numbers.skip_bytes += p->skip_bytes;
    const size_t bytes = p->skip_bytes;
    p->skip_bytes = 0;
    return gs_append_file_put(&p->spilled, p->skips, bytes, st);
}

/* What the block being filled can add to scores; joins it to what the term can. */
static gs_impacts take_impacts(gs_index_part *p)
{
    const gs_length_table *const lengths = p->options.lengths;
    uint8_t codes[GS_INDEX_BLOCK] = {0};
    for (size_t i = 0; lengths != NULL && i < p->filled; i++)
        codes[i] = gs_length_table_code(lengths, p->ids[i]);
    gs_impacts impacts;
    gs_impacts_of(&impacts, p->tfs, codes, p->filled);
    gs_impacts_join(&p->impacts, &impacts);
    return impacts;
}

static gs_code add_skip(gs_index_part *p, uint64_t block_bytes, const gs_impacts *impacts,
                        gs_status *st)
{
    if (p->skip_bytes > SKIPS_HELD_MAX - SKIP_ENTRY_MAX)
        GS_TRY(spill_skips(p, st));
    GS_TRY(gs_mem_grow(&p->skips, &p->skip_capacity, p->skip_bytes + SKIP_ENTRY_MAX,
                       "skip entries", st));
    uint8_t *to = p->skips + p->skip_bytes;
    to = gs_varint_put(to, p->last_doc - p->skip_doc);
    to = gs_varint_put(to, block_bytes << GS_SKIP_COUNT_BITS | impacts->count);
    if (p->options.has_positions)
        to = gs_varint_put(to, p->block_positions_bytes);
    to = gs_impacts_put(to, impacts);
    p->skip_bytes = (size_t)(to - p->skips);
    p->skip_doc = p->last_doc;
    p->block_positions_bytes = 0;
    return GS_OK;
}

/* The full block, as it is stored, ends. */
static gs_code end_block(gs_index_part *p, const uint8_t *block, size_t bytes,
                         const gs_impacts *impacts, gs_status *st)
{
    GS_TRY(gs_append_file_put(&p->files->postings, block, bytes, st));
    p->numbers.postings_bytes += bytes;
    p->filled = 0;
    return add_skip(p, bytes, impacts, st);
}

/* The least docID that the next block can begin with. */
static uint64_t least_doc(const gs_index_part *p)
{
    return p->ids[0] - p->docs[0];
}

static gs_code put_places(gs_index_part *p, gs_status *st);

static gs_code put_block(gs_index_part *p, gs_status *st)
{
    uint8_t block[GS_BLOCK_BYTES_MAX + GS_PACK_SLACK];
    const uint8_t *const end = gs_block_put(block, least_doc(p), p->ids, p->docs, p->tfs);
    GS_TRY(put_places(p, st));
    const gs_impacts impacts = take_impacts(p);
    return end_block(p, block, (size_t)(end - block), &impacts, st);
}

/* A posting that is the only one of its term is in the dictionary. */
static gs_code put_tail(gs_index_part *p, gs_status *st)
{
    uint8_t tail[GS_TAIL_BYTES_MAX + sizeof(uint64_t)];
    GS_TRY(put_places(p, st));
    if (p->numbers.df == 1 || p->filled == 0) {
        p->numbers.only_doc = p->first_doc;
        p->filled = 0;
        return GS_OK;
    }
    const gs_tail_frame frame = {.count = p->filled,
                                 .first = least_doc(p),
                                 .below = p->options.doc_bound,
                                 .has_more = p->numbers.df < GS_INDEX_BLOCK,
                                 .more = p->numbers.cf - p->numbers.df};
    const size_t bytes = (size_t)(gs_tail_put(tail, &frame, p->ids, p->tfs) - tail);
    p->numbers.postings_bytes += bytes;
    p->filled = 0;
    return gs_append_file_put(&p->files->postings, tail, bytes, st);
}

static gs_code append_places(gs_index_part *p, const uint8_t *places, size_t bytes,
                             gs_status *st)
{
    p->numbers.positions_bytes += bytes;
    p->block_positions_bytes += bytes;
    return gs_append_file_put(&p->files->positions, places, bytes, st);
}

/* Those that wait, fewer than would fill a block of them only where postings end. */
static gs_code put_places(gs_index_part *p, gs_status *st)
{
    uint8_t places[GS_NUMBERS_BYTES_MAX + GS_PACK_SLACK];
    if (p->place_count == 0)
        return GS_OK;
    const uint8_t *const end = gs_numbers_put(places, p->places, p->place_count);
    p->place_count = 0;
    return append_places(p, places, (size_t)(end - places), st);
}

static gs_code put_positions(gs_index_part *p, const uint32_t *positions, uint32_t tf,
                             gs_status *st)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < tf; i++) {
        if (i > 0 && positions[i] <= last)
            return GS_FAIL(st, GS_ERR_ARG, 0, "positions of a posting do not ascend");
        p->places[p->place_count++] = i == 0 ? positions[i] : positions[i] - last - 1;
        last = positions[i];
        if (p->place_count == GS_NUMBERS_MAX)
            GS_TRY(put_places(p, st));
    }
    return GS_OK;
}

static gs_code misplaced(uint64_t doc, uint32_t tf, gs_status *st)
{
    return tf == 0 ? GS_FAIL(st, GS_ERR_ARG, 0, "a frequency of 0")
                   : GS_FAIL(st, GS_ERR_ARG, 0, "docID %llu is out of place",
                             (unsigned long long)doc);
}

/* The least docID that the next posting can have. */
static uint64_t next_doc(const gs_index_part *p)
{
    return p->has_doc ? p->last_doc + 1 : 0;
}

/* The term has these postings too. */
static void count_postings(gs_index_part *p, const uint64_t *docs, size_t count,
                           uint64_t cf)
{
    p->first_doc = p->has_doc ? p->first_doc : docs[0];
    p->last_doc = docs[count - 1];
    p->has_doc = true;
    p->numbers.df += count;
    p->numbers.cf += cf;
}

/* Postings, at least one, that the block being filled has room for. */
static gs_code fill_block(gs_index_part *p, const uint64_t *docs, const uint32_t *tfs,
                          size_t count, gs_status *st)
{
    const uint64_t bound = p->options.doc_bound;
    const size_t from = p->filled;
    uint64_t next = next_doc(p), cf = 0;
    if (p->term_bytes == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "postings without a term");
    for (size_t i = 0; i < count; i++) {
        const uint64_t doc = docs[i];
        if (__builtin_expect(doc < next || doc >= bound || tfs[i] == 0, 0))
            return misplaced(doc, tfs[i], st);
        p->ids[from + i] = doc;
        p->docs[from + i] = doc - next;
        p->tfs[from + i] = tfs[i] - 1;
        cf += tfs[i];
        next = doc + 1;
    }
    p->filled = from + count;
    count_postings(p, docs, count, cf);
    return GS_OK;
}

static size_t room(const gs_index_part *p, size_t count)
{
    return count < GS_INDEX_BLOCK - p->filled ? count : GS_INDEX_BLOCK - p->filled;
}

gs_code gs_index_part_postings(gs_index_part *p, const uint64_t *docs,
                               const uint32_t *tfs, size_t count,
                               const uint32_t *positions, gs_status *st)
{
    for (size_t at = 0, n; at < count; at += n) {
        n = room(p, count - at);
        GS_TRY(fill_block(p, docs + at, tfs + at, n, st));
        for (size_t i = at; p->options.has_positions && i < at + n; i++) {
            GS_TRY(put_positions(p, positions, tfs[i], st));
            positions += tfs[i];
        }
        if (p->filled == GS_INDEX_BLOCK)
            GS_TRY(put_block(p, st));
    }
    return GS_OK;
}

/* Postings of which all is known already. */
static gs_code pass_block(gs_index_part *p, const gs_foreign_block *block, gs_status *st)
{
    const uint64_t last = block->docs[GS_INDEX_BLOCK - 1];
    if (last >= p->options.doc_bound)
        return misplaced(last, 1, st);
    count_postings(p, block->docs, GS_INDEX_BLOCK, block->tokens);
    gs_impacts_join(&p->impacts, block->impacts);
    return GS_OK;
}

gs_code gs_index_part_block(gs_index_part *p, const gs_foreign_block *block, bool *taken,
                            gs_status *st)
{
    const gs_stored_block *const stored = &block->stored;
    *taken = p->filled == 0 && p->term_bytes > 0 &&
             block->docs[0] - next_doc(p) == block->first_number;
    if (!*taken)
        return GS_OK;
    gs_impacts impacts;
    if (block->impacts != NULL) {
        GS_TRY(pass_block(p, block, st));
        impacts = *block->impacts;
    } else {
        GS_TRY(fill_block(p, block->docs, block->tfs, GS_INDEX_BLOCK, st));
        impacts = take_impacts(p);
    }
    if (p->options.has_positions)
        GS_TRY(append_places(p, stored->places, stored->place_bytes, st));
    return end_block(p, stored->data, stored->bytes, &impacts, st);
}

/* --- terms ------------------------------------------------------------------------- */

static gs_code put_spilled_skips(gs_index_part *p, gs_status *st)
{
    GS_TRY(gs_append_file_rewind(&p->spilled, st));
    for (uint64_t left = p->spilled.bytes; left > 0;) {
        const size_t n = left < SKIPS_HELD_MAX ? (size_t)left : SKIPS_HELD_MAX;
        const uint8_t *data;
        GS_TRY(gs_append_file_take(&p->spilled, &data, n, st));
        GS_TRY(gs_append_file_put(&p->files->postings, data, n, st));
        left -= n;
    }
    gs_append_file_close(&p->spilled);
    return GS_OK;
}

/* What the term can add to a score, and its skip entries, go behind its postings. */
static gs_code put_skips(gs_index_part *p, gs_status *st)
{
    uint8_t impacts[1 + GS_IMPACTS_MAX * GS_IMPACT_BYTES];
    if (p->skip_bytes == 0)
        return GS_OK;
    impacts[0] = (uint8_t)p->impacts.count;
    const size_t bytes = (size_t)(gs_impacts_put(impacts + 1, &p->impacts) - impacts);
    p->numbers.skip_bytes += bytes + p->skip_bytes;
    GS_TRY(gs_append_file_put(&p->files->postings, impacts, bytes, st));
    if (p->spilled.buffer != NULL)
        GS_TRY(put_spilled_skips(p, st));
    return gs_append_file_put(&p->files->postings, p->skips, p->skip_bytes, st);
}

static gs_code end_term(gs_index_part *p, gs_status *st)
{
    if (p->term_bytes == 0)
        return GS_OK;
    if (p->numbers.df == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a term without postings");
    gs_part_files *const files = p->files;
    if (p->skip_bytes > 0 && p->filled > 0)
        (void)take_impacts(p); /* of the tail */
    GS_TRY(put_tail(p, st));
    GS_TRY(put_skips(p, st));
    const uint32_t bytes = (uint32_t)p->term_bytes;
    GS_TRY(gs_append_file_put(&files->terms, &bytes, sizeof bytes, st));
    GS_TRY(gs_append_file_put(&files->terms, p->term, bytes, st));
    GS_TRY(gs_append_file_put(&files->terms, &p->numbers, sizeof p->numbers, st));
    files->term_count++;
    files->posting_count += p->numbers.df;
    files->token_count += p->numbers.cf;
    p->numbers = (gs_part_numbers){0};
    p->last_doc = p->skip_doc = 0;
    p->has_doc = false;
    p->skip_bytes = 0;
    p->impacts.count = 0;
    p->block_positions_bytes = 0;
    p->term_bytes = 0;
    return GS_OK;
}

gs_code gs_index_part_term(gs_index_part *p, const void *term, size_t term_bytes,
                           gs_status *st)
{
    if (term_bytes == 0 || term_bytes > GS_INDEX_TERM_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a term of %zu bytes", term_bytes);
    if (gs_string_compare(p->term, p->term_bytes, term, term_bytes, 0) >= 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "terms do not ascend");
    memcpy(p->next_term, term, term_bytes); /* the caller's may be overwritten by then */
    GS_TRY(end_term(p, st));
    memcpy(p->term, p->next_term, term_bytes);
    p->term_bytes = term_bytes;
    return GS_OK;
}

gs_code gs_index_part_finish(gs_index_part *p, gs_status *st)
{
    GS_TRY(end_term(p, st));
    gs_part_files *const files = p->files;
    GS_TRY(gs_append_file_rewind(&files->terms, st));
    GS_TRY(gs_append_file_rewind(&files->postings, st));
    if (p->options.has_positions)
        GS_TRY(gs_append_file_rewind(&files->positions, st));
    files->is_finished = true;
    return p->options.join != NULL
               ? gs_part_join_note(p->options.join, p->options.number, st)
               : GS_OK;
}
