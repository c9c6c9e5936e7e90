/* SPDX-License-Identifier: MIT */
/*
 * word_steps: what kernels do with text and terms, held against the plainest ways: terms
 * must come in the order of their bytes whatever their length, or a search in the index
 * misses them; keys by rank and document, with words that are left out behind all.
 */
#include "gpu/words/word_steps.h"

#include <string.h>

#include "tests/check.h"

enum { TERMS = 300, TERM_MAX = 40, PLACE_WORDS = TERM_MAX / 8 + 1 };

static uint64_t words[TERMS * PLACE_WORDS];
static uint64_t terms[TERMS];
static char plain[TERMS][TERM_MAX + 1];

static void make_terms(uint64_t *random)
{
    for (uint32_t i = 0; i < TERMS; i++) {
        const uint32_t bytes = 1 + (uint32_t)(check_random(random) % TERM_MAX);
        for (uint32_t k = 0; k < bytes; k++)
            plain[i][k] = (char)("aab\xc3\xa9z"[check_random(random) % 5]);
        plain[i][bytes] = '\0';
        const gs_word_view word = {(const uint8_t *)plain[i], bytes, false};
        for (uint32_t k = 0; k < gs_word_term_words(bytes); k++)
            words[i * PLACE_WORDS + k] = gs_word_term_word(&word, k);
        terms[i] = gs_word_term_pack((uint64_t)i * PLACE_WORDS * 8, bytes);
        CHECK(gs_word_term_length(terms[i]) == bytes);
        CHECK(memcmp(&words[gs_word_term_at(terms[i]) / 8], plain[i], bytes) == 0);
    }
}

static void terms_sort_by_bytes(uint64_t seed)
{
    make_terms(&seed);
    for (uint32_t i = 0; i < TERMS; i++) {
        for (uint32_t k = 0; k < TERMS; k++) {
            const gs_word_item a = {gs_word_prefix(words[i * PLACE_WORDS]), i, 0},
                               b = {gs_word_prefix(words[k * PLACE_WORDS]), k, 0};
            CHECK(gs_word_item_is_less(&a, &b, words, terms) ==
                  (strcmp(plain[i], plain[k]) < 0));
        }
    }
}

static void hashes_fold(void)
{
    const gs_word_view upper = {(const uint8_t *)"FISHANDCHIPS9\xc3\x89", 15, true},
                       lower = {(const uint8_t *)"fishandchips9\xc3\x89", 15, false},
                       as_is = {upper.bytes, 15, false};
    CHECK(gs_word_hash(&upper) == gs_word_hash(&lower));
    CHECK(gs_word_hash(&upper) != gs_word_hash(&as_is));
    CHECK(gs_word_term_word(&upper, 1) == gs_word_term_word(&lower, 1));
}

static void keys_sort_by_rank(void)
{
    const uint32_t ranks[] = {1, 0, 2};
    const uint64_t a = gs_word_sort_key(gs_word_token(1, 1000), ranks, 3, 900, 7),
                   b = gs_word_sort_key(gs_word_token(1, 1027), ranks, 3, 900, 7),
                   c = gs_word_sort_key(gs_word_token(0, 900), ranks, 3, 900, 7),
                   none = gs_word_sort_key(gs_word_token(GS_WORD_NO_TERM, 900), ranks, 3,
                                           900, 7);
    CHECK(a == 100 && b == 127 && c == 128 && none == 3 << 7);
}

/* A piece takes no more than it was reckoned to. */
static void room_is_enough(uint64_t seed)
{
    static uint8_t text[1 << 16];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = check_random(&seed) % 3 == 0 ? ' ' : 'a';
    const gs_word_room most = gs_word_most_of(sizeof text);
    uint64_t tokens = 0;
    for (uint32_t c = 0; c < gs_word_chunks(sizeof text); c++)
        tokens += gs_word_bits(gs_word_starts(text, sizeof text, c));
    CHECK(tokens > 10000 && tokens <= most.tokens && most.terms <= most.tokens);
    const gs_word_room one = gs_word_most_of(1);
    CHECK(one.tokens == 1 && one.terms == 1 && one.term_bytes >= 8);
}

int main(void)
{
    const uint64_t seed = check_seed(7);
    terms_sort_by_bytes(seed);
    hashes_fold();
    keys_sort_by_rank();
    room_is_enough(seed);
    return check_result();
}
