/* SPDX-License-Identifier: MIT */
#include "lib/index/read/term_cursor.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "lib/index/read/index_dictionary.h"

enum { PAGE_PREFIXES = GS_SUM_PAGE_BYTES / sizeof(uint64_t) };

void gs_term_cursor_init(gs_term_cursor *c, const gs_index *index)
{
    c->index = index;
    c->pages = gs_index_pages(index, GS_INDEX_TERMS);
    c->prefixes = gs_index_term_prefixes(index);
    c->block_count = gs_index_dictionary_blocks(index);
    c->postings_end = gs_index_end(index, GS_INDEX_POSTINGS);
    c->positions_end = gs_index_end(index, GS_INDEX_POSITIONS);
    c->has_positions = gs_index_header_of(index)->has_positions;
}

gs_code gs_term_cursor_new(gs_term_cursor **out, const gs_index *index, gs_status *st)
{
    *out = NULL;
    GS_TRY(gs_mem_new(out, sizeof **out, "term cursor", st));
    gs_term_cursor_init(*out, index);
    return GS_OK;
}

void gs_term_cursor_free(gs_term_cursor *c)
{
    gs_mem_free(c);
}

static gs_code damaged(const gs_term_cursor *c, const char *what, gs_status *st)
{
    return gs_index_damaged(c->index, GS_INDEX_TERMS, what, st);
}

/* To the front of a block, before its first term. */
static gs_code enter_block(gs_term_cursor *c, uint64_t block, gs_status *st)
{
    GS_TRY(gs_index_dictionary_block(c->index, block, &c->p, &c->end, st));
    c->positions = c->only_doc = 0;
    if (!gs_varint_read(&c->p, c->end, &c->postings) ||
        (c->has_positions && !gs_varint_read(&c->p, c->end, &c->positions)))
        return damaged(c, "a block is too short", st);
    c->block = block;
    c->in_block = 0;
    c->bytes = 0;
    return GS_OK;
}

/* A function of its own, so that the reader of a term has nothing on its stack that
 * needs a guard. */
static __attribute__((noinline)) gs_code fail_place(const gs_term_cursor *c,
                                                    gs_index_file file, uint64_t at,
                                                    uint64_t bytes, gs_status *st)
{
    const uint8_t *ignored;
    return gs_index_place(c->index, file, at, bytes, &ignored, st);
}

/* Whether a list lies in its file, which ends at `end`. */
static inline gs_code check_place(const gs_term_cursor *c, gs_index_file file,
                                  uint64_t end, uint64_t at, uint64_t bytes,
                                  gs_status *st)
{
    return at <= end && bytes <= end - at ? GS_OK : fail_place(c, file, at, bytes, st);
}

/* How many bytes a term shares with the one before, and how many are its own. */
static inline bool read_lengths(const uint8_t **p, const uint8_t *end, uint64_t *shared,
                                uint64_t *suffix)
{
    uint64_t more;
    if (*p >= end)
        return false;
    const uint64_t both = gs_index_once(*(*p)++);
    *shared = both >> GS_TERM_LENGTH_BITS;
    *suffix = both & GS_TERM_LENGTH_MORE;
    if (*shared == GS_TERM_LENGTH_MORE) {
        if (!gs_varint_read(p, end, &more) || more > GS_INDEX_TERM_MAX)
            return false;
        *shared += more;
    }
    if (*suffix == GS_TERM_LENGTH_MORE) {
        if (!gs_varint_read(p, end, &more) || more > GS_INDEX_TERM_MAX)
            return false;
        *suffix += more;
    }
    (*suffix)++;
    return *suffix <= (uint64_t)(end - *p) && *shared + *suffix <= GS_INDEX_TERM_MAX;
}

/* What the dictionary says of the term, behind its bytes. */
static inline bool read_info(gs_term_cursor *c)
{
    gs_term_info *const info = &c->info;
    uint64_t counts, more = 0, doc;
    info->only_doc = info->postings_bytes = info->skip_bytes = info->positions_bytes = 0;
    if (!gs_varint_read(&c->p, c->end, &counts) ||
        ((counts & 1) == 0 && !gs_varint_read(&c->p, c->end, &more)))
        return false;
    info->df = (counts >> 1) + 1;
    if (more > UINT64_MAX - info->df - 1)
        return false;
    info->cf = info->df + ((counts & 1) == 0 ? more + 1 : 0);
    if (info->df == 1) {
        if (!gs_varint_read(&c->p, c->end, &doc))
            return false;
        c->only_doc += (uint64_t)gs_unzigzag(doc);
        info->only_doc = c->only_doc;
    } else if (!gs_varint_read(&c->p, c->end, &info->postings_bytes)) {
        return false;
    }
    if (info->df >= GS_INDEX_BLOCK && !gs_varint_read(&c->p, c->end, &info->skip_bytes))
        return false;
    return !c->has_positions || gs_varint_read(&c->p, c->end, &info->positions_bytes);
}

/* Reads the term at p. Terms of a block must ascend. */
static gs_code read_term(gs_term_cursor *c, gs_status *st)
{
    uint64_t shared, suffix;
    gs_term_info *const info = &c->info;
    if (!read_lengths(&c->p, c->end, &shared, &suffix) || shared > c->bytes)
        return damaged(c, "a term has an impossible length", st);
    if (c->in_block > 0 && shared < c->bytes && c->p[0] <= c->term[shared])
        return damaged(c, "terms do not ascend", st);
    memcpy(c->term + shared, c->p, (size_t)suffix);
    c->bytes = (size_t)(shared + suffix);
    c->p += suffix;
    if (!read_info(c))
        return damaged(c, "what it says of a term ends early", st);
    info->postings = c->postings;
    info->positions = c->positions;
    if (info->postings_bytes > UINT64_MAX - info->skip_bytes)
        return damaged(c, "a posting list has an impossible length", st);
    GS_TRY(check_place(c, GS_INDEX_POSTINGS, c->postings_end, info->postings,
                       info->postings_bytes + info->skip_bytes, st));
    if (info->positions_bytes > 0)
        GS_TRY(check_place(c, GS_INDEX_POSITIONS, c->positions_end, info->positions,
                           info->positions_bytes, st));
    c->postings += info->postings_bytes + info->skip_bytes;
    c->positions += info->positions_bytes;
    c->in_block++;
    c->has_term = true;
    return GS_OK;
}

/* How many terms a block has. */
static unsigned block_terms(const gs_term_cursor *c, uint64_t block)
{
    const uint64_t left =
        gs_index_header_of(c->index)->terms - block * GS_INDEX_TERM_BLOCK;
    return left < GS_INDEX_TERM_BLOCK ? (unsigned)left : GS_INDEX_TERM_BLOCK;
}

gs_code gs_term_cursor_next(gs_term_cursor *c, gs_status *st)
{
    c->has_term = false;
    if (c->in_block == block_terms(c, c->block)) {
        if (c->block + 1 >= gs_index_dictionary_blocks(c->index))
            return GS_OK;
        GS_TRY(enter_block(c, c->block + 1, st));
    }
    return read_term(c, st);
}

static gs_code begin_block(gs_term_cursor *c, uint64_t block, gs_status *st)
{
    c->has_term = false;
    if (block >= gs_index_dictionary_blocks(c->index))
        return GS_OK;
    GS_TRY(enter_block(c, block, st));
    return read_term(c, st);
}

gs_code gs_term_cursor_first(gs_term_cursor *c, gs_status *st)
{
    return begin_block(c, 0, st);
}

static int compare(const gs_term_cursor *c, const uint8_t *term, size_t bytes)
{
    const size_t common = c->bytes < bytes ? c->bytes : bytes;
    const int d = memcmp(c->term, term, common);
    return d != 0 ? d : (c->bytes > bytes) - (c->bytes < bytes);
}

/* Prefixes, aligned, after their pages. */
static inline gs_code check_prefix(const gs_term_cursor *c, uint64_t block, gs_status *st)
{
    const uint8_t *const at = (const uint8_t *)(c->prefixes + block);
    if (gs_page_checks_know_at(c->pages, (uint64_t)(at - c->pages->data)))
        return GS_OK;
    return gs_index_check_prefixes(c->index, block, 1, st);
}

/* How many blocks begin with a prefix that is less. No branch depends on what is
 * compared. The last steps are within a page or two, which are checked together. */
static gs_code count_less(const gs_term_cursor *c, uint64_t prefix, uint64_t *out,
                          gs_status *st)
{
    uint64_t n = c->block_count, at = 0;
    gs_assert(c->pages != NULL); /* else all terms would be walked, unnoticed */
    while (n > PAGE_PREFIXES) {
        const uint64_t half = n / 2;
        GS_TRY(check_prefix(c, at + half, st));
        const bool goes_right = c->prefixes[at + half] < prefix;
        at = goes_right ? at + half + 1 : at;
        n = goes_right ? n - half - 1 : half;
    }
    GS_TRY(gs_index_check_prefixes(c->index, at, n, st));
    while (n > 0) {
        const uint64_t half = n / 2;
        const bool goes_right = c->prefixes[at + half] < prefix;
        at = goes_right ? at + half + 1 : at;
        n = goes_right ? n - half - 1 : half;
    }
    *out = at;
    return GS_OK;
}

static gs_code is_prefix_of(const gs_term_cursor *c, uint64_t block, uint64_t prefix,
                            bool *out, gs_status *st)
{
    GS_TRY(check_prefix(c, block, st));
    *out = c->prefixes[block] == prefix;
    return GS_OK;
}

/* Behind the blocks from `at` on that begin with this prefix: mostly none or one, so the
 * steps grow. */
static gs_code behind_equals(const gs_term_cursor *c, uint64_t at, uint64_t prefix,
                             uint64_t *out, gs_status *st)
{
    const uint64_t left = c->block_count - at;
    uint64_t reach = 1;
    bool is_equal = false;
    *out = at;
    if (left > 0)
        GS_TRY(is_prefix_of(c, at, prefix, &is_equal, st));
    if (!is_equal)
        return GS_OK;
    while (reach < left) {
        GS_TRY(is_prefix_of(c, at + reach, prefix, &is_equal, st));
        if (!is_equal)
            break;
        reach *= 2;
    }
    uint64_t lo = reach / 2, hi = reach < left ? reach : left;
    while (hi - lo > 1) {
        const uint64_t middle = lo + (hi - lo) / 2;
        GS_TRY(is_prefix_of(c, at + middle, prefix, &is_equal, st));
        lo = is_equal ? middle : lo;
        hi = is_equal ? hi : middle;
    }
    *out = at + hi;
    return GS_OK;
}

/* Whether so many blocks begin with a lesser prefix, by what is on both sides. */
static gs_code is_rank(const gs_term_cursor *c, uint64_t rank, uint64_t prefix, bool *out,
                       gs_status *st)
{
    *out = false;
    if (rank > c->block_count)
        return GS_OK;
    if (rank > 0)
        GS_TRY(check_prefix(c, rank - 1, st));
    if (rank < c->block_count)
        GS_TRY(check_prefix(c, rank, st));
    *out = (rank == 0 || c->prefixes[rank - 1] < prefix) &&
           (rank == c->block_count || c->prefixes[rank] >= prefix);
    return GS_OK;
}

/* The first `lo` blocks begin with a lesser prefix. */
static gs_code seek_from(gs_term_cursor *c, uint64_t lo, uint64_t prefix,
                         const void *term, size_t bytes, gs_status *st)
{
    /* The term is in the last block whose first term is not greater. Blocks that begin
     * with the same eight bytes are told apart by their first terms. */
    uint64_t hi;
    GS_TRY(behind_equals(c, lo, prefix, &hi, st));
    while (lo < hi) {
        const uint64_t middle = lo + (hi - lo) / 2;
        GS_TRY(begin_block(c, middle, st));
        if (compare(c, term, bytes) <= 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    GS_TRY(begin_block(c, lo > 0 ? lo - 1 : 0, st));
    while (c->has_term && compare(c, term, bytes) < 0)
        GS_TRY(gs_term_cursor_next(c, st));
    return GS_OK;
}

gs_code gs_term_cursor_seek_near(gs_term_cursor *c, uint64_t rank, const void *term,
                                 size_t bytes, gs_status *st)
{
    const uint64_t prefix = gs_term_prefix(term, bytes);
    bool is_right;
    GS_TRY(is_rank(c, rank, prefix, &is_right, st));
    if (!is_right)
        GS_TRY(count_less(c, prefix, &rank, st));
    return seek_from(c, rank, prefix, term, bytes, st);
}

gs_code gs_term_cursor_seek(gs_term_cursor *c, const void *term, size_t bytes,
                            gs_status *st)
{
    const uint64_t prefix = gs_term_prefix(term, bytes);
    uint64_t rank;
    GS_TRY(count_less(c, prefix, &rank, st));
    return seek_from(c, rank, prefix, term, bytes, st);
}

bool gs_term_cursor_is_at(const gs_term_cursor *c, const void *term, size_t bytes)
{
    return c->has_term && compare(c, term, bytes) == 0;
}

gs_code gs_term_cursor_find(gs_term_cursor *c, const void *term, size_t bytes,
                            bool *found, gs_status *st)
{
    *found = false;
    GS_TRY(gs_term_cursor_seek(c, term, bytes, st));
    *found = gs_term_cursor_is_at(c, term, bytes);
    return GS_OK;
}

gs_code gs_dictionary_head_read(const gs_index *index, uint64_t block,
                                gs_dictionary_head *out, gs_status *st)
{
    const uint8_t *p = NULL, *end = NULL;
    uint64_t shared, bytes;
    GS_TRY(gs_index_dictionary_block(index, block, &p, &end, st));
    *out = (gs_dictionary_head){0};
    if (!gs_varint_read(&p, end, &out->postings) ||
        (gs_index_header_of(index)->has_positions &&
         !gs_varint_read(&p, end, &out->positions)))
        return gs_index_damaged(index, GS_INDEX_TERMS, "a block is too short", st);
    if (!read_lengths(&p, end, &shared, &bytes) || shared != 0)
        return gs_index_damaged(index, GS_INDEX_TERMS, "a term has an impossible length",
                                st);
    out->term = p;
    out->bytes = (size_t)bytes;
    return GS_OK;
}
