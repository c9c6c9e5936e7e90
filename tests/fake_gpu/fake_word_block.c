/* SPDX-License-Identifier: MIT */
/*
 * fake_word_block: gpu/words/word_block.h on machines without a GPU (make FAKE_GPU=1).
 *
 * It goes through the steps of the kernels (gpu/words/word_steps.h) thread by thread,
 * and sorts with qsort; text is taken over when it is added, and windows are what they
 * are until the next. GS_FAKE_GPU_FAIL=STEP:N makes the N-th call of a step fail: start,
 * leave, piece, items, terms, join, weigh, exchange, order, firsts, window, place,
 * encode, stored, tails, reset; GS_FAKE_GPU_WRONG=HOW gives a wrong answer without a
 * word: documents, terms, tokens, places, refused, firsts, stored, tails; with
 * GS_FAKE_GPU_NO_TAILS there is no room for tails; GS_FAKE_GPU_MEMORY=BYTES is what a
 * block may hold, but a piece.
 */
#include "gpu/words/word_block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/words/tuple_steps.h"
#include "lib/base/assertion.h"
#include "lib/base/bits.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"

enum { SLOTS_A_TERM = 2, TOKEN_BYTES = 24, TERM_BYTES = 64 };

typedef struct fake_lane {
    uint8_t *text;
    uint32_t *starts, *lengths, *sums, *documents, *tokens, *positions;
} fake_lane;

/* A token, and later a posting. */
typedef struct fake_token {
    uint64_t key;
    uint32_t position, order; /* of a tuple the position is its frequency */
} fake_token;

struct gs_word_block {
    gs_word_options options;
    gs_word_room room;
    fake_lane *lanes;
    pthread_mutex_t mutex;   /* guards what follows */
    gs_word_room used, told; /* told: words that are left out */
    uint64_t left_out, tuple_tokens;
    fake_token *tokens;
    uint32_t *slots; /* number + 1 */
    size_t slot_count;
    uint64_t *terms;
    uint64_t *words;

    gs_word_sums sums; /* sorted: */
    uint32_t own_terms;
    gs_word_item *items;
    uint32_t *ranks;
    uint32_t *starts, *documents; /* of postings */
    uint32_t *first_postings;
    uint32_t
        *positions; /* of all tokens; these and what follows: as long as it is sorted */
    uint64_t *group_starts;
    uint8_t *blocks;
    uint32_t *tail_firsts, *tail_documents, *tail_starts;
};

/* --- new and free ------------------------------------------------------------------- */

static gs_code new_lane(gs_word_block *w, fake_lane *lane, gs_status *st)
{
    const gs_word_options *const o = &w->options;
    const size_t documents = o->piece_documents, size = sizeof(uint32_t);
    GS_TRY(gs_mem_new(&lane->text, o->piece_bytes, "fake lane", st));
    GS_TRY(gs_mem_new(&lane->starts, (documents + 1) * size, "fake lane", st));
    GS_TRY(gs_mem_new(&lane->lengths, documents * size, "fake lane", st));
    GS_TRY(gs_mem_new(&lane->sums, (o->piece_bytes / GS_WORD_CHUNK + 2) * size,
                      "fake lane", st));
    GS_TRY(gs_mem_new(&lane->documents, o->window_postings * size, "fake lane", st));
    GS_TRY(gs_mem_new(&lane->tokens, (o->window_postings + 1) * size, "fake lane", st));
    return gs_mem_new(&lane->positions, o->window_positions * size, "fake lane", st);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static gs_code new_memory(gs_word_block *w, gs_status *st)
{
    const char *const limit = getenv("GS_FAKE_GPU_MEMORY");
    const uint64_t memory = limit != NULL ? strtoul(limit, NULL, 10) : 64 << 20;
    const gs_word_room least = gs_word_most_of(w->options.piece_bytes),
                       *const told = &w->options.left_out;
    w->room = (gs_word_room){
        larger(least.tokens, memory / TOKEN_BYTES),
        larger(least.terms + told->terms, memory / TERM_BYTES),
        larger(least.term_bytes + told->term_bytes, memory / 4),
    };
    w->slot_count = 1024;
    while (w->slot_count < SLOTS_A_TERM * w->room.terms)
        w->slot_count *= 2;
    GS_TRY(gs_mem_map(&w->tokens, w->room.tokens * sizeof *w->tokens, false, "fake", st));
    GS_TRY(gs_mem_map(&w->slots, w->slot_count * sizeof *w->slots, false, "fake", st));
    GS_TRY(gs_mem_map(&w->terms, w->room.terms * sizeof *w->terms, false, "fake", st));
    GS_TRY(gs_mem_map(&w->words, w->room.term_bytes + 8, false, "fake", st));
    GS_TRY(gs_mem_map(&w->items, w->room.terms * sizeof *w->items, false, "fake", st));
    GS_TRY(gs_mem_map(&w->ranks, w->room.terms * 4, false, "fake", st));
    GS_TRY(gs_mem_map(&w->starts, (w->room.tokens + 1) * 4, false, "fake", st));
    GS_TRY(gs_mem_map(&w->documents, w->room.tokens * 4, false, "fake", st));
    return gs_mem_map(&w->first_postings, (w->room.terms + 1) * 4, false, "fake", st);
}

gs_code gs_word_block_new(gs_word_block **out, const gs_word_options *options,
                          gs_status *st)
{
    gs_word_block *w = NULL;
    *out = NULL;
    wake("gs_word_block_new");
    GS_TRY(pass("start", st));
    GS_TRY(gs_mem_new(&w, sizeof *w, "fake words", st));
    w->options = *options;
    pthread_mutex_init(&w->mutex, NULL);
    GS_TRY_OR_FAIL(
        gs_mem_new(&w->lanes, options->lanes * sizeof *w->lanes, "fake lanes", st));
    for (unsigned i = 0; i < options->lanes; i++)
        GS_TRY_OR_FAIL(new_lane(w, &w->lanes[i], st));
    GS_TRY_OR_FAIL(new_memory(w, st));
    *out = w;
    return GS_OK;
fail:
    gs_word_block_free(w);
    return st->code;
}

static void forget_blocks(gs_word_block *w)
{
    gs_mem_free(w->positions);
    gs_mem_free(w->group_starts);
    gs_mem_free(w->blocks);
    gs_mem_free(w->tail_firsts);
    gs_mem_free(w->tail_documents);
    gs_mem_free(w->tail_starts);
    w->positions = w->tail_firsts = w->tail_documents = w->tail_starts = NULL;
    w->group_starts = NULL;
    w->blocks = NULL;
}

void gs_word_block_free(gs_word_block *w)
{
    if (w == NULL)
        return;
    for (unsigned i = 0; w->lanes != NULL && i < w->options.lanes; i++) {
        fake_lane *const lane = &w->lanes[i];
        gs_mem_free(lane->text);
        gs_mem_free(lane->starts);
        gs_mem_free(lane->lengths);
        gs_mem_free(lane->sums);
        gs_mem_free(lane->documents);
        gs_mem_free(lane->tokens);
        gs_mem_free(lane->positions);
    }
    gs_mem_free(w->lanes);
    forget_blocks(w);
    gs_mem_unmap(w->tokens, w->room.tokens * sizeof *w->tokens);
    gs_mem_unmap(w->slots, w->slot_count * sizeof *w->slots);
    gs_mem_unmap(w->terms, w->room.terms * sizeof *w->terms);
    gs_mem_unmap(w->words, w->room.term_bytes + 8);
    gs_mem_unmap(w->items, w->room.terms * sizeof *w->items);
    gs_mem_unmap(w->ranks, w->room.terms * 4);
    gs_mem_unmap(w->starts, (w->room.tokens + 1) * 4);
    gs_mem_unmap(w->documents, w->room.tokens * 4);
    gs_mem_unmap(w->first_postings, (w->room.terms + 1) * 4);
    pthread_mutex_destroy(&w->mutex);
    gs_mem_free(w);
}

gs_word_lane gs_word_block_lane(const gs_word_block *w, unsigned lane)
{
    const fake_lane *const l = &w->lanes[lane];
    return (gs_word_lane){l->text,      l->starts, l->lengths,
                          l->documents, l->tokens, l->positions};
}

gs_word_room gs_word_block_room(const gs_word_block *w)
{
    return w->room;
}

size_t gs_word_block_device_bytes(const gs_word_block *w)
{
    return w->room.tokens * TOKEN_BYTES + w->room.terms * TERM_BYTES;
}

/* A term that is left out keeps its number. */
static void put_again(gs_word_block *w, uint32_t number)
{
    const gs_word_view word = gs_word_of_term(w->words, w->terms[number]);
    size_t i = gs_word_hash(&word) & (w->slot_count - 1);
    while (w->slots[i] != 0)
        i = (i + 1) & (w->slot_count - 1);
    w->slots[i] = number + 1;
}

gs_code gs_word_block_reset(gs_word_block *w, gs_status *st)
{
    GS_TRY(pass("reset", st));
    forget_blocks(w);
    memset(w->slots, 0, w->slot_count * sizeof *w->slots);
    w->used = w->told;
    w->left_out = w->tuple_tokens = 0;
    for (uint32_t i = 0; i < w->told.terms; i++)
        put_again(w, i);
    return GS_OK;
}

/* --- pieces ------------------------------------------------------------------------- */

static bool is_wrong(const char *how)
{
    const char *const wish = getenv("GS_FAKE_GPU_WRONG");
    return wish != NULL && strcmp(wish, how) == 0;
}

static bool is_term(const gs_word_block *w, uint32_t number, const gs_word_view *word)
{
    const uint64_t term = w->terms[number];
    bool is_same = gs_word_term_length(term) == word->count;
    for (uint32_t i = 0; is_same && i < gs_word_term_words(word->count); i++)
        is_same = w->words[gs_word_term_at(term) / 8 + i] == gs_word_term_word(word, i);
    return is_same;
}

static uint32_t number_of(gs_word_block *w, const gs_word_view *word)
{
    size_t i = gs_word_hash(word) & (w->slot_count - 1);
    for (; w->slots[i] != 0; i = (i + 1) & (w->slot_count - 1)) {
        if (is_term(w, w->slots[i] - 1, word))
            return w->slots[i] - 1;
    }
    const uint32_t words = gs_word_term_words(word->count);
    gs_assert(w->used.terms < w->room.terms &&
              w->used.term_bytes + words * 8 <= w->room.term_bytes);
    for (uint32_t k = 0; k < words; k++)
        w->words[w->used.term_bytes / 8 + k] = gs_word_term_word(word, k);
    w->terms[w->used.terms] = gs_word_term_pack(w->used.term_bytes, word->count);
    w->used.term_bytes += words * 8;
    w->slots[i] = (uint32_t)++w->used.terms;
    return w->slots[i] - 1;
}

static uint32_t first_of(const fake_lane *l, const gs_word_piece *piece, uint32_t d)
{
    return d < piece->document_count
               ? gs_word_before(l->text, piece->bytes, l->sums, l->starts[d])
               : l->sums[gs_word_chunks(piece->bytes)];
}

/* The words that begin in a chunk. */
static void take_words(gs_word_block *w, const fake_lane *l, const gs_word_piece *piece,
                       uint32_t chunk, uint64_t first_token, gs_word_counts *out)
{
    uint32_t starts = gs_word_starts(l->text, piece->bytes, chunk),
             index = l->sums[chunk];
    for (; starts != 0; starts &= starts - 1, index++) {
        const uint32_t at = chunk * GS_WORD_CHUNK + gs_word_lowest(starts);
        const uint32_t d = gs_word_holder(l->starts, piece->document_count, at);
        const gs_word_view word =
            gs_word_at(l->text, piece->bytes, at, w->options.is_folding);
        const bool is_long = word.count > GS_WORD_BYTES_MAX;
        const gs_word_options *const o = &w->options;
        uint32_t number = GS_WORD_NO_TERM;
        if (!is_long && !gs_word_is_gap(&word) &&
            !gs_word_is_beyond(&word, o->ascii_bytes_min, o->ascii_bytes_max))
            number = number_of(w, &word);
        if (number == GS_WORD_NO_TERM || number < w->told.terms) {
            number = GS_WORD_NO_TERM;
            l->lengths[d]--;
            w->left_out++;
            if (is_long && out->long_words++ == 0)
                out->long_document = d;
        }
        const uint32_t before = d == 0 ? piece->first_position : 0;
        w->tokens[first_token + index] = (fake_token){
            .key = gs_word_token(number, piece->first_document + d),
            .position = index - first_of(l, piece, d) + before,
            .order = (uint32_t)(first_token + index),
        };
    }
}

static void add_piece(gs_word_block *w, const fake_lane *l, const gs_word_piece *piece,
                      gs_word_counts *out)
{
    const uint32_t chunks = gs_word_chunks(piece->bytes);
    *out = (gs_word_counts){0};
    for (uint32_t c = 0; c <= chunks; c++) {
        l->sums[c] = out->words;
        out->words += gs_word_bits(gs_word_starts(l->text, piece->bytes, c));
    }
    for (uint32_t d = 0; d < piece->document_count; d++)
        l->lengths[d] = first_of(l, piece, d + 1) - first_of(l, piece, d);
    out->last_words = l->lengths[piece->document_count - 1];
    pthread_mutex_lock(&w->mutex);
    const uint64_t first_token = w->used.tokens;
    gs_assert(first_token + out->words <= w->room.tokens);
    w->used.tokens += out->words;
    for (uint32_t c = 0; c < chunks; c++)
        take_words(w, l, piece, c, first_token, out);
    out->used = w->used;
    pthread_mutex_unlock(&w->mutex);
    memset(l->text, '#', piece->bytes); /* what was copied is not looked at again */
}

gs_code gs_word_block_add(gs_word_block *w, unsigned lane, const gs_word_piece *piece,
                          gs_word_counts *out, gs_status *st)
{
    GS_TRY(pass("piece", st));
    add_piece(w, &w->lanes[lane], piece, out);
    return GS_OK;
}

gs_code gs_word_block_leave_out(gs_word_block *w, unsigned lane, uint32_t bytes,
                                gs_status *st)
{
    const gs_word_piece piece = {.bytes = bytes, .document_count = 1};
    gs_word_counts counts;
    GS_TRY(pass("leave", st));
    w->lanes[lane].starts[0] = 0;
    add_piece(w, &w->lanes[lane], &piece, &counts);
    w->used.tokens = w->left_out = 0;
    w->told = w->used;
    return GS_OK;
}

/* The tuple of each line, or each pair; false: a line is not plain. */
static bool look_at_tuples(const gs_word_block *w, const uint8_t *text, uint32_t bytes,
                           gs_tuple_counts *out)
{
    const bool are_lines = w->options.source == GS_WORD_LINES;
    uint8_t digits[GS_TUPLE_DIGITS_MAX];
    gs_tuple_view tuple;
    *out = (gs_tuple_counts){.first_document = UINT32_MAX};
    for (uint32_t c = 0; c < gs_word_chunks(bytes); c++) {
        uint32_t starts = are_lines ? gs_tuple_starts(text, bytes, c) : 0x01010101;
        for (; starts != 0; starts &= starts - 1) {
            const uint32_t at = c * GS_WORD_CHUNK + gs_word_lowest(starts);
            if (!are_lines && at >= bytes)
                break;
            if (!are_lines)
                gs_tuple_pair(text, at / GS_TUPLE_PAIR_BYTES, digits, &tuple);
            else if (!gs_tuple_at(text, bytes, at, &tuple))
                return false;
            out->tuples++;
            out->tokens += tuple.tf;
            if (tuple.document < out->first_document)
                out->first_document = tuple.document;
            if (tuple.document > out->last_document)
                out->last_document = tuple.document;
        }
    }
    return true;
}

static void put_tuple(gs_word_block *w, const gs_tuple_view *tuple)
{
    gs_assert(w->used.tokens < w->room.tokens);
    w->tokens[w->used.tokens] = (fake_token){
        .key = gs_word_token(number_of(w, &tuple->term), tuple->document),
        .position = tuple->tf,
        .order = (uint32_t)w->used.tokens,
    };
    w->used.tokens++;
    w->tuple_tokens += tuple->tf;
}

static void take_tuples(gs_word_block *w, const uint8_t *text, uint32_t bytes)
{
    uint8_t digits[GS_TUPLE_DIGITS_MAX];
    gs_tuple_view tuple;
    const bool are_pairs = w->options.source == GS_WORD_PAIRS;
    for (uint32_t i = 0; are_pairs && i < bytes / GS_TUPLE_PAIR_BYTES; i++) {
        gs_tuple_pair(text, i, digits, &tuple);
        put_tuple(w, &tuple);
    }
    for (uint32_t c = 0; !are_pairs && c < gs_word_chunks(bytes); c++) {
        uint32_t starts = gs_tuple_starts(text, bytes, c);
        for (; starts != 0; starts &= starts - 1) {
            (void)gs_tuple_at(text, bytes, c * GS_WORD_CHUNK + gs_word_lowest(starts),
                              &tuple);
            put_tuple(w, &tuple);
        }
    }
}

gs_code gs_word_block_add_tuples(gs_word_block *w, unsigned lane, uint32_t bytes,
                                 gs_tuple_counts *out, gs_status *st)
{
    const fake_lane *const l = &w->lanes[lane];
    GS_TRY(pass("piece", st));
    if (is_wrong("refused") || !look_at_tuples(w, l->text, bytes, out)) {
        *out = (gs_tuple_counts){.is_refused = true};
        return GS_OK;
    }
    pthread_mutex_lock(&w->mutex);
    take_tuples(w, l->text, bytes);
    out->used = w->used;
    out->block_tokens = w->tuple_tokens;
    pthread_mutex_unlock(&w->mutex);
    memset(l->text, '#', bytes);
    return GS_OK;
}

/* --- sorting ------------------------------------------------------------------------ */

static int compare_items(const void *a, const void *b, void *context)
{
    const gs_word_block *const w = context;
    return gs_word_item_is_less(a, b, w->words, w->terms)   ? -1
           : gs_word_item_is_less(b, a, w->words, w->terms) ? 1
                                                            : 0;
}

static int compare_tokens(const void *a, const void *b)
{
    const fake_token *const x = a, *const y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void make_postings(gs_word_block *w, uint32_t first, unsigned document_bits)
{
    const uint64_t mask = ((uint64_t)1 << document_bits) - 1;
    const bool are_texts = w->options.source == GS_WORD_TEXTS;
    uint32_t p = 0, before = 0;
    for (uint32_t i = 0; i < w->used.tokens - w->left_out; i++) {
        const uint64_t key = w->tokens[i].key;
        const uint32_t start = before;
        before += are_texts ? 1 : w->tokens[i].position;
        if (i > 0 && key == w->tokens[i - 1].key)
            continue;
        if (i == 0 || key >> document_bits != w->tokens[i - 1].key >> document_bits)
            w->first_postings[key >> document_bits] = p;
        w->documents[p] = first + (uint32_t)(key & mask);
        w->starts[p++] = start;
    }
    w->starts[p] = (uint32_t)w->sums.tokens;
    w->first_postings[w->sums.terms] = p;
    w->sums.postings = p;
}

gs_code gs_word_block_sort_terms(gs_word_block *w, gs_word_sums *out, gs_status *st)
{
    const uint32_t told = (uint32_t)w->told.terms, terms = (uint32_t)w->used.terms - told;
    const bool are_texts = w->options.source == GS_WORD_TEXTS;
    GS_TRY(pass("items", st));
    for (uint32_t i = 0; i < terms; i++) {
        const uint64_t at = gs_word_term_at(w->terms[told + i]) / 8;
        w->items[i] = (gs_word_item){gs_word_prefix(w->words[at]), told + i, 0};
    }
    qsort_r(w->items, terms, sizeof *w->items, compare_items, w);
    for (uint32_t i = 0; i < terms; i++)
        w->ranks[w->items[i].number] = i;
    w->sums = (gs_word_sums){terms, w->used.term_bytes - w->told.term_bytes, 0,
                             are_texts ? w->used.tokens - w->left_out : w->tuple_tokens};
    w->own_terms = terms;
    *out = w->sums;
    return GS_OK;
}

gs_code gs_word_block_join_terms(gs_word_block *w, const uint32_t *to, uint32_t count,
                                 gs_status *st)
{
    GS_TRY(pass("join", st));
    for (uint32_t i = 0; i < w->own_terms; i++) {
        const uint32_t rank = to != NULL ? to[i] : i;
        gs_assert(rank < count);
        w->ranks[w->items[i].number] = rank;
    }
    w->sums.terms = count;
    return GS_OK;
}

gs_code gs_word_block_weigh(gs_word_block *w, gs_word_weight *ranges, gs_status *st)
{
    const unsigned shift = gs_word_range_shift((uint32_t)w->sums.terms);
    GS_TRY(pass("weigh", st));
    memset(ranges, 0, GS_WORD_RANGES * sizeof *ranges);
    for (uint64_t i = 0; i < w->used.tokens; i++) {
        const uint32_t term = (uint32_t)(w->tokens[i].key >> 32);
        if (term == GS_WORD_NO_TERM)
            continue;
        gs_word_weight *const range = &ranges[w->ranks[term] >> shift];
        range->tokens++;
        range->frequencies +=
            w->options.source == GS_WORD_TEXTS ? 1 : w->tokens[i].position;
    }
    return GS_OK;
}

/* The tokens of all blocks that have their terms in the share, one behind the other. */
static void gather(gs_word_block *const *blocks, unsigned count,
                   const gs_word_share *share, fake_token *to)
{
    uint32_t n = 0;
    for (unsigned from = 0; from < count; from++) {
        const gs_word_block *const w = blocks[from];
        for (uint64_t i = 0; i < w->used.tokens; i++) {
            const uint64_t key = w->tokens[i].key;
            const uint32_t term = (uint32_t)(key >> 32);
            if (term == GS_WORD_NO_TERM || w->ranks[term] < share->first ||
                w->ranks[term] >= share->end)
                continue;
            gs_assert(n < share->weight.tokens);
            to[n] = w->tokens[i];
            to[n].key = gs_word_token(w->ranks[term] - share->first, (uint32_t)key);
            to[n].order = n;
            n++;
        }
    }
    gs_assert(n == share->weight.tokens);
}

static void adopt(gs_word_block *w, const gs_word_share *share, const fake_token *tokens)
{
    const uint64_t count = share->weight.tokens;
    gs_assert(count <= w->room.tokens && share->end - share->first <= w->room.terms);
    memcpy(w->tokens, tokens, count * sizeof *tokens);
    w->used.tokens = count;
    w->left_out = 0;
    w->tuple_tokens = share->weight.frequencies;
    w->sums = (gs_word_sums){share->end - share->first, 0, 0, share->weight.frequencies};
    for (uint32_t i = 0; i < w->sums.terms; i++)
        w->ranks[i] = i;
}

/* GS_FAKE_GPU_EXCHANGE=refuse does none. */
gs_code gs_word_blocks_exchange(gs_word_block *const *blocks, unsigned count,
                                const gs_word_share *shares, uint32_t first,
                                uint32_t last, bool *is_done, gs_status *st)
{
    fake_token *got[GS_WORD_BLOCKS_MAX] = {NULL};
    const char *const wish = getenv("GS_FAKE_GPU_EXCHANGE");
    *is_done = false;
    gs_assert(count <= GS_WORD_BLOCKS_MAX && first <= last);
    if (wish != NULL && strcmp(wish, "refuse") == 0)
        return GS_OK;
    GS_TRY(pass("exchange", st));
    for (unsigned i = 0; i < count; i++) {
        const uint64_t tokens = shares[i].weight.tokens;
        gs_assert(shares[i].first == (i > 0 ? shares[i - 1].end : 0));
        GS_TRY_OR_FAIL(gs_mem_new_array(&got[i], tokens + 1, sizeof *got[i], "fake", st));
        gather(blocks, count, &shares[i], got[i]);
    }
    for (unsigned i = 0; i < count; i++)
        adopt(blocks[i], &shares[i], got[i]);
    *is_done = true;
fail:
    for (unsigned i = 0; i < count; i++)
        gs_mem_free(got[i]);
    return st->code;
}

gs_code gs_word_block_sort(gs_word_block *w, uint32_t first, uint32_t last,
                           gs_word_sums *out, gs_status *st)
{
    const unsigned document_bits = gs_bit_length(last - first);
    GS_TRY(pass("order", st));
    for (uint64_t i = 0; i < w->used.tokens; i++)
        w->tokens[i].key = gs_word_sort_key(
            w->tokens[i].key, w->ranks, (uint32_t)w->sums.terms, first, document_bits);
    qsort(w->tokens, w->used.tokens, sizeof *w->tokens, compare_tokens);
    make_postings(w, first, document_bits);
    *out = w->sums;
    return GS_OK;
}

/* --- the way back ------------------------------------------------------------------- */

gs_code gs_word_block_terms(gs_word_block *w, uint8_t *bytes, gs_word_term *terms,
                            gs_status *st)
{
    uint64_t used = 0;
    GS_TRY(pass("terms", st));
    for (uint64_t i = 0; i < w->sums.terms; i++) {
        const uint64_t term = w->terms[w->items[i].number];
        const size_t n = gs_word_term_words(gs_word_term_length(term)) * sizeof(uint64_t);
        memcpy(bytes + used, &w->words[gs_word_term_at(term) / 8], n);
        terms[i] = gs_word_term_pack(used, gs_word_term_length(term));
        used += n;
    }
    if (is_wrong("terms") && w->sums.terms > 1)
        terms[1] = terms[0];
    return GS_OK;
}

gs_code gs_word_block_first_postings(gs_word_block *w, uint32_t *first_postings,
                                     gs_status *st)
{
    GS_TRY(pass("firsts", st));
    memcpy(first_postings, w->first_postings,
           (w->sums.terms + 1) * sizeof *first_postings);
    if (is_wrong("firsts"))
        first_postings[w->sums.terms / 2] = UINT32_MAX;
    return GS_OK;
}

/* So many, and where the tokens of the last one end. */
static gs_code fetch_postings(const fake_lane *l, const uint32_t *documents,
                              const uint32_t *starts, size_t count, gs_status *st)
{
    GS_TRY(pass("window", st));
    memcpy(l->documents, documents, count * sizeof *documents);
    memcpy(l->tokens, starts, (count + 1) * sizeof *starts);
    /* The first is read in any case: a thread may be done before it comes to others. */
    if (is_wrong("documents"))
        l->documents[0] = UINT32_MAX;
    if (is_wrong("tokens"))
        l->tokens[0] = l->tokens[count];
    return GS_OK;
}

gs_code gs_word_block_documents(gs_word_block *w, unsigned lane, uint64_t first,
                                size_t count, gs_status *st)
{
    gs_assert(count <= w->options.window_postings);
    return fetch_postings(&w->lanes[lane], w->documents + first, w->starts + first, count,
                          st);
}

gs_code gs_word_block_positions(gs_word_block *w, unsigned lane, uint64_t first,
                                size_t count, gs_status *st)
{
    const fake_lane *const l = &w->lanes[lane];
    GS_TRY(pass("place", st));
    gs_assert(count <= w->options.window_positions);
    for (size_t i = 0; i < count; i++)
        l->positions[i] = w->tokens[first + i].position;
    if (is_wrong("places"))
        memset(l->positions, 0, count * sizeof *l->positions);
    return GS_OK;
}

/* --- stored blocks ------------------------------------------------------------------ */

static gs_word_postings postings_of(const gs_word_block *w)
{
    return (gs_word_postings){w->first_postings, (uint32_t)w->sums.terms, w->documents,
                              w->starts, w->positions};
}

static gs_code copy_positions(gs_word_block *w, gs_status *st)
{
    if (!w->options.has_positions)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&w->positions, w->sums.tokens, sizeof *w->positions, "fake",
                            st));
    for (uint64_t i = 0; i < w->sums.tokens; i++)
        w->positions[i] = w->tokens[i].position;
    return GS_OK;
}

/* Where each group begins; the last number is the end. */
static gs_code measure_groups(gs_word_block *w, uint64_t places, gs_word_made *out,
                              gs_status *st)
{
    const uint32_t most = gs_word_block_bytes_max(w->options.piece_bytes);
    const gs_word_postings postings = postings_of(w);
    gs_step_block b;
    uint64_t bytes = 0;
    out->groups = (places + GS_WORD_PLACE_GROUP - 1) / GS_WORD_PLACE_GROUP;
    GS_TRY(gs_mem_new_array(&w->group_starts, out->groups + 1, sizeof *w->group_starts,
                            "fake", st));
    for (uint64_t i = 0; i < places; i++) {
        if (i % GS_WORD_PLACE_GROUP == 0)
            w->group_starts[i / GS_WORD_PLACE_GROUP] = bytes;
        bytes += gs_word_stored_bytes(gs_word_block_at(&postings, (uint32_t)i, &b)
                                          ? gs_step_block_bytes(&b, most)
                                          : 0);
    }
    w->group_starts[out->groups] = bytes;
    out->group_starts = w->group_starts;
    return GS_OK;
}

static void put_blocks(gs_word_block *w, const gs_word_lengths *lengths, uint64_t places)
{
    const uint32_t most = gs_word_block_bytes_max(w->options.piece_bytes);
    const gs_word_postings postings = postings_of(w);
    uint8_t *to = w->blocks;
    for (uint64_t i = 0; i < places; i++) {
        gs_step_block b;
        gs_word_stored head = {0};
        if (gs_word_block_at(&postings, (uint32_t)i, &b) &&
            (head.bytes = gs_step_block_bytes(&b, most)) > 0) {
            gs_word_stored_make(&head, &b, lengths);
            (void)gs_step_block_put(&b, to + sizeof head);
        }
        memcpy(to, &head, sizeof head);
        to += gs_word_stored_bytes(head.bytes);
    }
}

static gs_code make_tails(gs_word_block *w, gs_status *st)
{
    const uint64_t terms = w->sums.terms;
    const size_t most = (size_t)(w->sums.postings + terms);
    uint32_t at = 0;
    GS_TRY(gs_mem_new_array(&w->tail_firsts, terms + 1, sizeof at, "fake", st));
    GS_TRY(gs_mem_new_array(&w->tail_documents, most, sizeof at, "fake", st));
    GS_TRY(gs_mem_new_array(&w->tail_starts, most, sizeof at, "fake", st));
    for (uint64_t term = 0; term < terms; term++) {
        const uint32_t begin = w->first_postings[term], end = w->first_postings[term + 1];
        w->tail_firsts[term] = at;
        for (uint32_t i = end - (end - begin) % GS_WORD_BLOCK; i < end; i++) {
            w->tail_documents[at] = w->documents[i];
            w->tail_starts[at++] = w->starts[i];
        }
        w->tail_starts[at++] = w->starts[end];
    }
    w->tail_firsts[terms] = at;
    return GS_OK;
}

gs_code gs_word_block_encode(gs_word_block *w, const gs_word_lengths *lengths,
                             gs_word_made *out, gs_status *st)
{
    const uint64_t places = w->sums.postings / GS_WORD_BLOCK;
    *out = (gs_word_made){.groups = 0};
    GS_TRY(pass("encode", st));
    forget_blocks(w);
    if (places == 0 || gs_word_block_bytes_max(w->options.piece_bytes) == 0)
        return GS_OK;
    GS_TRY(copy_positions(w, st));
    GS_TRY(measure_groups(w, places, out, st));
    GS_TRY(gs_mem_new(&w->blocks, w->group_starts[out->groups], "fake", st));
    put_blocks(w, lengths, places);
    out->has_blocks = true;
    out->has_tails = getenv("GS_FAKE_GPU_NO_TAILS") == NULL;
    return out->has_tails ? make_tails(w, st) : GS_OK;
}

gs_code gs_word_block_stored(gs_word_block *w, unsigned lane, uint64_t first,
                             size_t count, gs_status *st)
{
    const fake_lane *const l = &w->lanes[lane];
    const uint64_t begin = w->group_starts[first], end = w->group_starts[first + count];
    GS_TRY(pass("stored", st));
    gs_assert(count > 0 && end - begin <= w->options.piece_bytes);
    memcpy(l->text, w->blocks + begin, end - begin);
    if (is_wrong("stored"))
        memset(l->text, 0xff, end - begin);
    return GS_OK;
}

gs_code gs_word_block_tail_firsts(gs_word_block *w, uint32_t *firsts, gs_status *st)
{
    GS_TRY(pass("tails", st));
    memcpy(firsts, w->tail_firsts, (w->sums.terms + 1) * sizeof *firsts);
    if (is_wrong("tails"))
        firsts[w->sums.terms / 2]++;
    return GS_OK;
}

gs_code gs_word_block_tails(gs_word_block *w, unsigned lane, uint64_t first, size_t count,
                            gs_status *st)
{
    gs_assert(count <= w->options.window_postings);
    return fetch_postings(&w->lanes[lane], w->tail_documents + first,
                          w->tail_starts + first, count, st);
}
