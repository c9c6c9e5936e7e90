/* SPDX-License-Identifier: MIT */
/*
 * The tokenizer against any bytes: the fast ways must find the words that folding all of
 * the text at once and cutting it by category gives. The first byte chooses folding and
 * what a word is. A walk over the same text stays in it, and goes forward.
 */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/index/text/tokenizer.h"
#include "lib/index/text/word_walk.h"
#include "tests/slow_words.h"

enum { TEXT_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

/* The words of the text, one after the other, each behind its position and length. */
typedef struct words {
    uint8_t bytes[64 * TEXT_MAX];
    size_t used;
} words;

static void put_word(words *w, const uint8_t *word, uint32_t bytes, uint32_t position)
{
    require(w->used + bytes + 8 <= sizeof w->bytes);
    memcpy(w->bytes + w->used, &position, 4);
    memcpy(w->bytes + w->used + 4, &bytes, 4);
    memcpy(w->bytes + w->used + 8, word, bytes);
    w->used += 8 + bytes;
}

static words got, wanted;

static void want_word(const uint8_t *word, size_t bytes, unsigned position)
{
    put_word(&wanted, word, (uint32_t)bytes, position);
}

static void tokenize(words *w, const uint8_t *text, size_t bytes, gs_word_kind kind,
                     bool folds)
{
    static gs_token_batch batch;
    static gs_word_rules *rules[GS_WORD_KINDS][2];
    gs_status st = {.code = GS_OK};
    gs_tokenizer *t = NULL;
    const gs_word_rules_options options = {.kind = kind, .is_folding = folds};
    if (batch.bytes == NULL)
        require(gs_token_batch_init(&batch, &st) == GS_OK);
    if (rules[kind][folds] == NULL)
        require(gs_word_rules_new(&rules[kind][folds], &options, &st) == GS_OK);
    require(gs_tokenizer_new(&t, rules[kind][folds], &st) == GS_OK);
    gs_tokenizer_begin_document(t);
    gs_tokenizer_begin_text(t, text, bytes);
    do {
        require(gs_tokenizer_next(t, &batch, &st) == GS_OK);
        for (size_t i = 0; i < batch.count; i++) {
            const gs_token *const token = &batch.tokens[i];
            put_word(w, token->term, token->bytes, token->position);
            require(token->hash == gs_term_hash(token->term, token->bytes));
        }
    } while (batch.count > 0);
    gs_tokenizer_free(t);
}

/* How far a walk has come. */
typedef struct walk_place {
    size_t begin, bytes;
} walk_place;

static void see_word(void *context, const gs_token *token, size_t begin, size_t end)
{
    walk_place *const place = context;
    require(token->bytes > 0 && begin >= place->begin && begin < end &&
            end <= place->bytes);
    place->begin = begin;
}

static void walk(const uint8_t *text, size_t bytes, gs_word_kind kind, bool folds)
{
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL;
    gs_word_walk *w = NULL;
    walk_place place = {0, bytes};
    const gs_word_rules_options options = {.kind = kind, .is_folding = folds};
    require(gs_word_rules_new(&rules, &options, &st) == GS_OK &&
            gs_word_walk_new(&w, rules, &st) == GS_OK);
    for (unsigned c = 0; c < 256; c++)
        gs_word_walk_want(w, &(const uint8_t){(uint8_t)c}, 1);
    require(gs_word_walk_text(w, text, bytes, see_word, &place, &st) == GS_OK);
    gs_word_walk_free(w);
    gs_word_rules_free(rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > TEXT_MAX)
        return 0;
    const bool folds = data[0] & 1;
    const gs_word_kind kind = (gs_word_kind)((data[0] >> 1) % GS_WORD_KINDS);
    data++;
    size--;
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    require(gs_mem_new(&memory, size + GS_TEXT_SLACK, "text", &st) == GS_OK);
    if (size > 0)
        memcpy(memory, data, size);
    memset((uint8_t *)memory + size, 'z', GS_TEXT_SLACK);
    got.used = wanted.used = 0;
    tokenize(&got, memory, size, kind, folds);
    slow_words(memory, size, kind, folds, want_word);
    require(got.used == wanted.used && memcmp(got.bytes, wanted.bytes, got.used) == 0);
    walk(memory, size, kind, folds);
    gs_mem_free(memory);
    return 0;
}
