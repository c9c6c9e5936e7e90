/* SPDX-License-Identifier: MIT */
/*
 * text_piece: the words that a GPU finds in pieces must be the terms of the tokenizer,
 * each at its position, of texts in every script, wherever a piece ends, with words that
 * are too long, and words that the rules leave out. Found here by the steps that kernels
 * go through, chunk by chunk, and held against the tokenizer.
 */
#include "lib/index/block/text_piece.h"

#include "gpu/words/word_steps.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    DOCUMENTS = 40,
    TEXTS = 3,
    TEXT_MAX = 1 << 20,
    ALL_MAX = 16 << 20,
    PIECE_DOCUMENTS = 16
};

/* All words that were found or wanted, as "term:position " and "\n" for a document. */
typedef struct word_log {
    char *text;
    size_t used, capacity;
} word_log;

static void note(word_log *log, const void *bytes, size_t count)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_grow(&log->text, &log->capacity, log->used + count, "log", &st),
               &st);
    memcpy(log->text + log->used, bytes, count);
    log->used += count;
}

static void note_word(word_log *log, const void *bytes, size_t count, uint32_t document,
                      uint32_t position)
{
    char place[40];
    const int n = snprintf(place, sizeof place, ":%u:%u ", document, position);
    note(log, bytes, count);
    note(log, place, (size_t)n);
}

typedef struct world {
    gs_word_rules *rules;
    gs_tokenizer *tokenizer;
    gs_token_batch tokens;
    uint8_t *texts; /* one after the other */
    gs_text_span spans[DOCUMENTS][TEXTS];
    size_t text_counts[DOCUMENTS];
    word_log wanted, got;
    uint64_t wanted_long, got_long;
    size_t min_len, max_len; /* of words of ASCII, which the GPU leaves out */
} world;

/* --- random texts ------------------------------------------------------------------- */

static size_t put_random(uint64_t *random, uint8_t *to)
{
    static const char *const parts[] = {
        "fish",
        "Chips",
        "A",
        "0",
        "x9",
        " ",
        ", ",
        "\n",
        "-",
        ". ",
        " ",
        " ",
        "caf\xc3\xa9",
        "\xcc\x81",
        " \xcc\x81",
        "\xd0\x96",
        "\xef\xac\x81",
        "\xc2\xbd",
        "\xe6\x9d\xb1\xe4\xba\xac",
        "\xe0\xb8\x81",
        "\xc2\xa0",
        "\xff",
        "\xe1\x84\x80\xe1\x85\xa1",
        "\xf0\x9d\x94\x98",
    };
    const char *const part = parts[check_random(random) % (sizeof parts / sizeof *parts)];
    const size_t bytes = strlen(part);
    memcpy(to, part, bytes);
    return bytes;
}

static size_t make_text(uint64_t *random, uint8_t *to, size_t most)
{
    static const size_t lengths[] = {0, 3, 40, 900, 20000, 300000};
    const size_t wanted = lengths[check_random(random) % 6];
    const bool is_ascii = check_random(random) % 3 == 0;
    size_t bytes = 0;
    while (bytes < wanted && bytes + 16 < most) {
        if (is_ascii)
            to[bytes++] = (uint8_t)("abcXYZ019 ,.\n"[check_random(random) % 13]);
        else
            bytes += put_random(random, to + bytes);
    }
    if (check_random(random) % 16 == 0 && bytes + 300100 < most) {
        const size_t word = check_random(random) % 2 ? 300000 : 65535;
        memset(to + bytes, 'w', word + check_random(random) % 2);
        bytes += word;
    }
    return bytes;
}

static void make_documents(world *w, uint64_t *random)
{
    size_t used = 0;
    for (size_t d = 0; d < DOCUMENTS; d++) {
        w->text_counts[d] = check_random(random) % (TEXTS + 1);
        for (size_t t = 0; t < w->text_counts[d]; t++) {
            const size_t bytes = make_text(random, w->texts + used, TEXT_MAX);
            REQUIRE(used + 2 * TEXT_MAX < ALL_MAX);
            w->spans[d][t] = (gs_text_span){w->texts + used, bytes};
            used += bytes;
            memset(w->texts + used, 'z', GS_TEXT_SLACK); /* must not be read as text */
            used += GS_TEXT_SLACK;
        }
    }
}

/* --- both ways ---------------------------------------------------------------------- */

static void find_wanted(world *w)
{
    gs_status st = {.code = GS_OK};
    const uint64_t before = gs_tokenizer_long_words(w->tokenizer);
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        gs_tokenizer_begin_document(w->tokenizer);
        for (size_t t = 0; t < w->text_counts[d]; t++) {
            gs_tokenizer_begin_text(w->tokenizer, w->spans[d][t].data,
                                    w->spans[d][t].bytes);
            do {
                REQUIRE_OK(gs_tokenizer_next(w->tokenizer, &w->tokens, &st), &st);
                for (size_t i = 0; i < w->tokens.count; i++) {
                    const gs_token *const token = &w->tokens.tokens[i];
                    note_word(&w->wanted, token->term, token->bytes, d, token->position);
                }
            } while (w->tokens.count > 0);
        }
    }
    w->wanted_long = gs_tokenizer_long_words(w->tokenizer) - before;
}

static void note_term(world *w, const gs_word_view *word, uint32_t document,
                      uint32_t position)
{
    uint64_t words[GS_TERM_BYTES_MAX / 8 + 1];
    if (word->count > GS_WORD_BYTES_MAX)
        w->got_long++;
    if (word->count > GS_WORD_BYTES_MAX || gs_word_is_gap(word) ||
        gs_word_is_beyond(word, w->min_len, w->max_len))
        return;
    for (uint32_t i = 0; i < gs_word_term_words(word->count); i++)
        words[i] = gs_word_term_word(word, i);
    note_word(&w->got, words, word->count, document, position);
}

/* The words of a piece whose first document is this; returns those of its last one, with
 * those before. */
static uint32_t find_in_piece(world *w, const gs_text_piece *p, uint32_t first_document,
                              uint32_t before)
{
    static uint32_t sums[TEXT_MAX / GS_WORD_CHUNK + 2];
    const uint32_t bytes = (uint32_t)p->bytes, count = (uint32_t)p->document_count;
    uint32_t words = 0, index = 0;
    for (uint32_t c = 0; c <= gs_word_chunks(bytes); c++) {
        sums[c] = words;
        words += gs_word_bits(gs_word_starts(p->text, bytes, c));
    }
    CHECK(p->starts[0] == 0 && p->starts[count] == bytes);
    for (uint32_t c = 0; c < gs_word_chunks(bytes); c++) {
        uint32_t mask = gs_word_starts(p->text, bytes, c);
        for (; mask != 0; mask &= mask - 1) {
            const uint32_t at = c * GS_WORD_CHUNK + gs_word_lowest(mask);
            const uint32_t d = gs_word_holder(p->starts, count, at),
                           first = gs_word_before(p->text, bytes, sums, p->starts[d]);
            const gs_word_view word =
                gs_word_at(p->text, bytes, at, gs_word_rules_fold(w->rules));
            CHECK(p->starts[d] <= at && at < p->starts[d + 1]);
            note_term(w, &word, first_document + d,
                      index++ - first + (d == 0 ? before : 0));
        }
    }
    const uint32_t last =
        words - gs_word_before(p->text, bytes, sums, p->starts[count - 1]);
    return last + (count == 1 ? before : 0);
}

static void find_got(world *w, gs_text_piece *p)
{
    gs_status st = {.code = GS_OK};
    const uint64_t long_before = gs_tokenizer_long_words(w->tokenizer);
    uint32_t first = 0, before = 0;
    gs_text_piece_clear(p, false);
    for (uint32_t d = 0; d < DOCUMENTS; d++) {
        if (!gs_text_piece_begin_document(p)) {
            (void)find_in_piece(w, p, first, before);
            gs_text_piece_clear(p, false);
            first = d;
            before = 0;
            CHECK(gs_text_piece_begin_document(p));
        }
        for (size_t t = 0; t < w->text_counts[d]; t++) {
            bool is_done = false;
            gs_text_piece_begin_text(p, w->spans[d][t].data, w->spans[d][t].bytes);
            for (;;) {
                REQUIRE_OK(gs_text_piece_take(p, &is_done, &st), &st);
                if (is_done)
                    break;
                CHECK(p->bytes > 0);
                before = find_in_piece(w, p, first, before);
                memset(p->text, '#', p->bytes);
                gs_text_piece_clear(p, true);
                first = d;
            }
        }
    }
    (void)find_in_piece(w, p, first, before);
    w->got_long += gs_tokenizer_long_words(w->tokenizer) - long_before;
}

static void words_are_terms(uint64_t seed, const gs_word_rules_options *options)
{
    static world w;
    gs_status st = {.code = GS_OK};
    gs_text_piece piece = {0};
    uint8_t *text = NULL;
    uint32_t starts[PIECE_DOCUMENTS + 1];
    w = (world){.min_len = options->min_len, .max_len = options->max_len};
    REQUIRE_OK(gs_mem_map(&w.texts, ALL_MAX, false, "texts", &st), &st);
    REQUIRE_OK(gs_mem_new(&text, TEXT_MAX, "piece", &st), &st);
    REQUIRE_OK(gs_token_batch_init(&w.tokens, &st), &st);
    REQUIRE_OK(gs_word_rules_new(&w.rules, options, &st), &st);
    REQUIRE_OK(gs_tokenizer_new(&w.tokenizer, w.rules, &st), &st);
    make_documents(&w, &seed);
    find_wanted(&w);
    gs_text_piece_bind(&piece, text, GS_TEXT_PIECE_BYTES_MIN + seed % 1000, starts,
                       PIECE_DOCUMENTS);
    gs_text_piece_use(&piece, w.tokenizer, &w.tokens);
    find_got(&w, &piece);
    CHECK(w.wanted.used == w.got.used);
    CHECK(w.wanted.used == 0 || memcmp(w.wanted.text, w.got.text, w.wanted.used) == 0);
    CHECK(w.wanted_long == w.got_long);
    gs_tokenizer_free(w.tokenizer);
    gs_word_rules_free(w.rules);
    gs_token_batch_release(&w.tokens);
    gs_mem_free(w.wanted.text);
    gs_mem_free(w.got.text);
    gs_mem_free(text);
    gs_mem_unmap(w.texts, ALL_MAX);
}

int main(void)
{
    uint64_t seed = check_seed(23);
    for (int round = 0; round < (check_is_long() ? 200 : 4); round++) {
        const gs_word_rules_options options = {
            .kind = round % 2 ? GS_WORDS_LETTERS : GS_WORDS_BIGRAMS,
            .is_folding = round % 3 != 0,
            .min_len = round % 4 > 1 ? 2 : 0, /* words that are left out leave gaps */
            .max_len = round % 4 > 2 ? 4 : 0,
        };
        words_are_terms(check_random(&seed), &options);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
