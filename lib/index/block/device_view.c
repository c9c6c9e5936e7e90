/* SPDX-License-Identifier: MIT */
#include "lib/index/block/device_view.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum { WINDOW_FIRST = 1 << 11, STORED_FIRST = 1 << 14 };

_Static_assert((int)GS_WORD_BLOCK == (int)GS_INDEX_BLOCK &&
                   (int)GS_WORD_BLOCK_SLACK >= (int)GS_PACK_SLACK,
               "blocks are those of an index");

gs_code gs_device_fail_wrong(const char *what, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: a wrong answer: %s", what);
}

/* --- windows ------------------------------------------------------------------------ */

static void give_back(void *context)
{
    gs_device_window *const window = context;
    gs_device_windows *const home = window->home;
    pthread_mutex_lock(&home->mutex);
    window->block = NULL;
    pthread_mutex_unlock(&home->mutex);
}

/* A window for the reader: there is one for each worker. */
static gs_device_window *take_window(const gs_device_block *b)
{
    gs_device_windows *const home = b->windows;
    gs_device_window *window = NULL;
    pthread_mutex_lock(&home->mutex);
    for (unsigned i = 0; window == NULL && i < home->count; i++) {
        if (home->windows[i].block != NULL)
            continue;
        window = &home->windows[i];
        *window = (gs_device_window){.home = home,
                                     .block = b,
                                     .lane = i,
                                     .memory = gs_word_block_lane(b->words, i),
                                     .wanted = WINDOW_FIRST,
                                     .positions_wanted = WINDOW_FIRST,
                                     .stored_wanted = STORED_FIRST};
    }
    pthread_mutex_unlock(&home->mutex);
    gs_assert(window != NULL);
    return window;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How much is fetched from `at` on, behind what ends at `end`: twice as much each time
 * where that is not left by more than a window, so that short ranges do not fetch what
 * they do not read, and terms between whose postings others are skipped, full blocks or
 * none, still share a window. */
static size_t next_size(size_t *wanted, uint64_t at, uint64_t end, size_t first,
                        size_t most)
{
    const bool follows = end > 0 && at >= end && at - end <= *wanted;
    *wanted = follows ? (size_t)smaller(2 * *wanted, most) : first;
    return *wanted;
}

static gs_code fetch(gs_device_window *w, bool are_tails, uint64_t first, gs_status *st)
{
    const gs_device_block *const b = w->block;
    const uint64_t all =
        are_tails ? w->home->tail_firsts[b->list.count] - 1 : b->sums.postings;
    const size_t size =
        next_size(&w->wanted, first, w->end, WINDOW_FIRST, GS_DEVICE_WINDOW_POSTINGS);
    const size_t count = (size_t)smaller(size, all - first);
    w->first = w->end = 0;
    if (are_tails)
        GS_TRY(gs_word_block_tails(b->words, w->lane, first, count, st));
    else
        GS_TRY(gs_word_block_documents(b->words, w->lane, first, count, st));
    w->are_tails = are_tails;
    w->first = first;
    w->end = first + count;
    return GS_OK;
}

static gs_code fetch_positions(gs_device_window *w, uint64_t first, gs_status *st)
{
    const gs_word_sums *const sums = &w->block->sums;
    const size_t size = next_size(&w->positions_wanted, first, w->position_end,
                                  WINDOW_FIRST, GS_DEVICE_WINDOW_POSITIONS);
    const size_t count = (size_t)smaller(size, sums->tokens - first);
    w->first_position = w->position_end = 0;
    GS_TRY(gs_word_block_positions(w->block->words, w->lane, first, count, st));
    w->first_position = first;
    w->position_end = first + count;
    return GS_OK;
}

/* The group, and those behind it that are wanted and have room. */
static gs_code fetch_groups(gs_device_window *w, uint64_t group, gs_status *st)
{
    const gs_word_made *const made = &w->home->made;
    const size_t room = w->block->options.piece_bytes - GS_WORD_BLOCK_SLACK;
    const uint64_t *const starts = made->group_starts + group;
    const bool follows = group == w->group_end && w->group_end > 0;
    const size_t wanted = follows ? 2 * w->stored_wanted : STORED_FIRST;
    w->stored_wanted = (size_t)smaller(wanted, room);
    size_t count = 1;
    while (group + count < made->groups &&
           starts[count + 1] - starts[0] <= w->stored_wanted)
        count++;
    w->first_group = w->group_end = 0;
    if (starts[count] < starts[0] || starts[count] - starts[0] > room)
        return gs_device_fail_wrong("blocks are longer than any", st);
    GS_TRY(gs_word_block_stored(w->block->words, w->lane, group, count, st));
    w->first_group = group;
    w->group_end = group + count;
    w->place = group * GS_WORD_PLACE_GROUP;
    w->place_at = 0;
    w->stored_bytes = (size_t)(starts[count] - starts[0]);
    return GS_OK;
}

/* The head at the window's place; false if it, or its block, ends too late. */
static bool get_head(const gs_device_window *w, gs_word_stored *head)
{
    const size_t left = w->stored_bytes - w->place_at;
    if (left < sizeof *head)
        return false;
    memcpy(head, w->memory.text + w->place_at, sizeof *head);
    return head->bytes <= left && gs_word_stored_bytes(head->bytes) <= left;
}

/* Goes to the place, which has the head then. */
static gs_code find_place(gs_device_window *w, uint64_t place, gs_word_stored *head,
                          gs_status *st)
{
    const uint64_t group = place / GS_WORD_PLACE_GROUP;
    if (group < w->first_group || group >= w->group_end)
        GS_TRY(fetch_groups(w, group, st));
    if (place < w->place) {
        w->place = w->first_group * GS_WORD_PLACE_GROUP;
        w->place_at = 0;
    }
    for (;; w->place++, w->place_at += gs_word_stored_bytes(head->bytes)) {
        if (!get_head(w, head))
            return gs_device_fail_wrong("a block does not end where it should", st);
        if (w->place == place)
            return GS_OK;
    }
}

/* --- reading ------------------------------------------------------------------------ */

void gs_device_view_term(const void *block, size_t index, gs_term_view *out)
{
    const gs_device_block *const b = block;
    out->bytes = b->list.bytes + gs_form_place(&b->list, index);
    out->count = gs_form_length(&b->list, index);
    out->prefix = gs_string_word(out->bytes, out->count, 0);
}

static uint64_t weigh_terms(const void *block, size_t begin, size_t end)
{
    const gs_device_block *const b = block;
    return b->first_postings[end] - b->first_postings[begin];
}

static gs_code open_term(const void *block, size_t index, gs_term_reader *r,
                         gs_status *st)
{
    (void)st;
    const gs_device_block *const b = block;
    gs_term_reader_begin(r);
    if (r->window == NULL) {
        r->window = take_window(b);
        r->window_give_back = give_back;
    }
    r->index = index;
    r->takes = false;
    r->next = r->begin = b->first_postings[index];
    r->next_end = b->first_postings[index + 1];
    return GS_OK;
}

/* Adds the positions of tokens [first, first + count), which ascend. */
static gs_code add_positions(gs_device_window *w, gs_posting_batch *batch, uint64_t first,
                             uint32_t count, gs_status *st)
{
    const uint64_t end = first + count;
    GS_TRY(gs_posting_batch_grow(batch, count, st));
    while (first < end) {
        if (first < w->first_position || first >= w->position_end)
            GS_TRY(fetch_positions(w, first, st));
        const size_t n = (size_t)(smaller(end, w->position_end) - first);
        memcpy(batch->positions + batch->position_count,
               w->memory.positions + (first - w->first_position), n * sizeof(uint32_t));
        batch->position_count += n;
        first += n;
    }
    const uint32_t *const positions = batch->positions + batch->position_count - count;
    uint32_t disorder = 0;
    for (uint32_t i = 1; i < count; i++)
        disorder |= positions[i] <= positions[i - 1];
    return disorder == 0 ? GS_OK : gs_device_fail_wrong("positions are not in order", st);
}

/* Adds `count` postings, which are in the window from `at` on and for which there is
 * room. All are looked at before one is believed. */
static gs_code add_postings(const gs_device_block *b, gs_term_reader *r, size_t at,
                            size_t count, gs_posting_batch *batch, gs_status *st)
{
    const gs_device_window *const w = r->window;
    const uint32_t *const documents = w->memory.documents + at, *const tokens =
                                                                    w->memory.tokens + at;
    uint64_t *const docs = batch->docs + batch->count;
    uint32_t *const tfs = batch->tfs + batch->count;
    uint32_t disorder = documents[0] < r->doc;
    for (size_t i = 1; i < count; i++)
        disorder |= documents[i] <= documents[i - 1];
    for (size_t i = 0; i < count; i++) {
        docs[i] = documents[i];
        tfs[i] = tokens[i + 1] - tokens[i];
        disorder |= tokens[i + 1] <= tokens[i];
    }
    if (disorder != 0 || documents[count - 1] > b->last_doc ||
        tokens[count] > b->sums.tokens)
        return gs_device_fail_wrong("postings are not in order", st);
    r->doc = (uint64_t)documents[count - 1] + 1;
    r->next += count;
    batch->count += count;
    return GS_OK;
}

/* Postings that stand beside each other in what is fetched. */
typedef struct posting_stretch {
    bool are_tails;
    uint64_t first, end; /* postings */
    uint64_t at;         /* where the first stands there */
} posting_stretch;

/* Those that are read next. Where blocks are taken, postings are read up to the next one,
 * and those of the tail from the list of tails. */
static posting_stretch next_stretch(const gs_device_block *b, const gs_term_reader *r)
{
    const uint32_t *const firsts = b->windows->tail_firsts;
    const uint64_t blocks = (r->next_end - r->begin) / GS_INDEX_BLOCK * GS_INDEX_BLOCK;
    const uint64_t tail = r->begin + blocks, read = r->next - r->begin;
    if (!r->takes)
        return (posting_stretch){false, r->next, r->next_end, r->next};
    if (r->next < tail)
        return (posting_stretch){false, r->next,
                                 r->begin + (read / GS_INDEX_BLOCK + 1) * GS_INDEX_BLOCK,
                                 r->next};
    return (posting_stretch){firsts != NULL, r->next, r->next_end,
                             firsts != NULL ? firsts[r->index] + (r->next - tail)
                                            : r->next};
}

static gs_code read_postings(const void *block, gs_term_reader *r,
                             gs_posting_batch *batch, gs_status *st)
{
    const gs_device_block *const b = block;
    gs_device_window *const w = r->window;
    const bool has_positions = b->options.has_positions;
    gs_posting_batch_clear(batch);
    const posting_stretch s = next_stretch(b, r);
    while (r->next < s.end && !gs_posting_batch_is_full(batch)) {
        const uint64_t place = s.at + (r->next - s.first);
        if (s.are_tails != w->are_tails || place < w->first || place >= w->end)
            GS_TRY(fetch(w, s.are_tails, place, st));
        const size_t at = (size_t)(place - w->first);
        const uint64_t left = smaller(s.end - r->next, w->end - place);
        const size_t room = has_positions ? 1 : GS_POSTINGS_MAX - batch->count;
        const uint32_t token = w->memory.tokens[at];
        GS_TRY(add_postings(b, r, at, (size_t)smaller(left, room), batch, st));
        if (has_positions)
            GS_TRY(add_positions(w, batch, token, batch->tfs[batch->count - 1], st));
    }
    return GS_OK;
}

/* --- full blocks -------------------------------------------------------------------- */

static gs_code fetch_tail_firsts(const gs_device_block *b, gs_status *st)
{
    gs_device_windows *const home = b->windows;
    const size_t terms = b->list.count;
    uint32_t wrong = 0;
    home->tail_bytes = (terms + 1) * sizeof *home->tail_firsts;
    GS_TRY(
        gs_mem_map(&home->tail_firsts, home->tail_bytes, false, "terms of a block", st));
    GS_TRY(gs_word_block_tail_firsts(b->words, home->tail_firsts, st));
    for (size_t i = 0; i < terms; i++) {
        const uint32_t postings = b->first_postings[i + 1] - b->first_postings[i];
        wrong |= home->tail_firsts[i + 1] - home->tail_firsts[i] !=
                 postings % GS_INDEX_BLOCK + 1;
    }
    return wrong == 0 && home->tail_firsts[0] == 0
               ? GS_OK
               : gs_device_fail_wrong("the ends of terms' postings are not in order", st);
}

static gs_code make_blocks(const void *block, const gs_length_table *lengths,
                           gs_status *st)
{
    static const gs_length_table none = {.codes = NULL};
    const gs_length_table *const t = lengths != NULL ? lengths : &none;
    const gs_word_lengths words = {t->codes, t->count, t->shift};
    const gs_device_block *const b = block;
    gs_device_windows *const home = b->windows;
    if (b->list.count == 0)
        return GS_OK;
    GS_TRY(gs_word_block_encode(b->words, &words, &home->made, st));
    return home->made.has_tails ? fetch_tail_firsts(b, st) : GS_OK;
}

void gs_device_view_release_blocks(gs_device_windows *home)
{
    gs_mem_unmap(home->tail_firsts, home->tail_bytes);
    home->tail_firsts = NULL;
    home->made = (gs_word_made){.has_blocks = false};
}

/* Positions of so many tokens, up to the end. */
static bool are_places(const uint8_t *p, const uint8_t *end, uint64_t tokens)
{
    while (tokens > 0) {
        const size_t n = (size_t)smaller(tokens, GS_NUMBERS_MAX);
        if (!gs_numbers_pass(&p, end, n))
            return false;
        tokens -= n;
    }
    return p == end;
}

/* Reads what the GPU has written before it is believed. Impacts are what it says: to look
 * up lengths again takes longer than all else here. */
static bool read_block(const gs_device_block *b, uint64_t least,
                       const gs_word_stored *head, const uint8_t *data,
                       gs_made_block *out)
{
    const uint8_t *p = data, *const end = data + head->bytes;
    uint64_t tokens = GS_INDEX_BLOCK;
    if (head->last > b->last_doc || head->impact_count > GS_IMPACTS_KEPT ||
        head->impact_count == 0 ||
        !gs_block_get_docs(&p, end, least, head->last, out->docs) ||
        !gs_numbers_get(&p, end, GS_INDEX_BLOCK, out->numbers))
        return false;
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++)
        tokens += out->numbers[i];
    out->impacts.count = head->impact_count;
    memcpy(out->impacts.pairs, head->impacts, sizeof head->impacts);
    out->block = (gs_foreign_block){
        .docs = out->docs,
        .first_number = out->docs[0] - least,
        .stored = {data, p, (size_t)(p - data), (size_t)(end - p)},
        .impacts = &out->impacts,
        .tokens = tokens,
    };
    return tokens == head->tokens &&
           are_places(p, end, b->options.has_positions ? tokens : 0);
}

static gs_code take_block(const void *block, gs_term_reader *r, gs_made_block *out,
                          bool *is_there, gs_status *st)
{
    const gs_device_block *const b = block;
    gs_device_window *const w = r->window;
    const uint64_t read = r->next - r->begin;
    gs_word_stored head;
    *is_there = false;
    r->takes = b->windows->made.has_blocks;
    if (!r->takes || r->next_end - r->next < GS_INDEX_BLOCK || read % GS_INDEX_BLOCK != 0)
        return GS_OK;
    GS_TRY(find_place(w, r->begin / GS_INDEX_BLOCK + read / GS_INDEX_BLOCK, &head, st));
    if (head.bytes == 0)
        return GS_OK;
    if (!read_block(b, r->doc, &head, w->memory.text + w->place_at + sizeof head, out))
        return gs_device_fail_wrong("a block is not as it should be", st);
    r->doc = out->docs[GS_INDEX_BLOCK - 1] + 1;
    r->next += GS_INDEX_BLOCK;
    *is_there = true;
    return GS_OK;
}

const gs_term_block_ops gs_device_view_ops = {
    gs_device_view_term, weigh_terms, open_term, read_postings, make_blocks, take_block,
};
