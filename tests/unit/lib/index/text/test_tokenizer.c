/* SPDX-License-Identifier: MIT */
/*
 * tokenizer: the fast ways must give exactly the words of the slow definition: fold the
 * whole text at once, cut it by category. Random texts of everything that is awkward are
 * held against that; the filters are held against tables.
 */
#include "lib/index/text/tokenizer.h"

#include <time.h>

#include "lib/base/mem.h"
#include "lib/index/text/word_set.h"
#include "tests/check.h"
#include "tests/slow_words.h"

enum { TEXT_MAX = 700000, WORDS_MAX = 4 * TEXT_MAX };

static char got[WORDS_MAX], wanted[WORDS_MAX];
static size_t got_bytes, wanted_bytes;

static void put(char *to, size_t *used, const void *bytes, size_t count)
{
    REQUIRE(*used + count < WORDS_MAX);
    memcpy(to + *used, bytes, count);
    *used += count;
    to[*used] = '\0';
}

static void tokenize(const gs_word_rules *rules, const void *text, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_token_batch batch;
    gs_tokenizer *t = NULL;
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, bytes + GS_TEXT_SLACK, "text", &st), &st);
    memcpy(memory, text, bytes);
    memset((uint8_t *)memory + bytes, 'z', GS_TEXT_SLACK); /* must not be read as text */
    REQUIRE_OK(gs_token_batch_init(&batch, &st), &st);
    REQUIRE_OK(gs_tokenizer_new(&t, rules, &st), &st);
    got_bytes = 0;
    got[0] = '\0';
    gs_tokenizer_begin_document(t);
    gs_tokenizer_begin_text(t, memory, bytes);
    do {
        REQUIRE_OK(gs_tokenizer_next(t, &batch, &st), &st);
        for (size_t i = 0; i < batch.count; i++) {
            const gs_token *const token = &batch.tokens[i];
            char place[32];
            const int n = snprintf(place, sizeof place, ":%u ", token->position);
            put(got, &got_bytes, token->term, token->bytes);
            put(got, &got_bytes, place, (size_t)n);
            CHECK(token->hash == gs_term_hash(token->term, token->bytes));
            for (size_t k = token->bytes; k < gs_term_padded_bytes(token->bytes); k++)
                CHECK(token->term[k] == 0);
        }
    } while (batch.count > 0);
    gs_tokenizer_free(t);
    gs_token_batch_release(&batch);
    gs_mem_free(memory);
}

/* --- the slow definition ------------------------------------------------------------ */

static void want_word(const uint8_t *word, size_t bytes, unsigned position)
{
    char place[32];
    const int n = snprintf(place, sizeof place, ":%u ", position);
    put(wanted, &wanted_bytes, word, bytes);
    put(wanted, &wanted_bytes, place, (size_t)n);
}

static void reference(const uint8_t *text, size_t bytes, gs_word_kind kind, bool folds)
{
    wanted_bytes = 0;
    wanted[0] = '\0';
    slow_words(text, bytes, kind, folds, want_word);
}

/* --- random texts ------------------------------------------------------------------ */

static const char *const pieces[] = {
    "a",
    "Z",
    "7",
    "word",
    "Word",
    "x",
    " ",
    "  ",
    ".",
    ", ",
    "\n",
    "-",
    "_",
    "=",
    "\x7f",
    "\xc3\xa9",         /* e acute */
    "\xc3\x89",         /* E acute */
    "\xc3\x9f",         /* sharp s: becomes two letters */
    "\xcc\x81",         /* combining acute */
    "\xcc\xb8",         /* combining solidus: '=' and it are one symbol */
    "\xe2\x89\xa0",     /* that symbol */
    "\xcc\xa7\xcc\x81", /* two marks, to be put in order */
    "\xcc\x81\xcc\xa7",
    "\xd0\x96\xd0\xb6", /* Cyrillic */
    "\xce\xa3\xcf\x82", /* Sigma and final sigma */
    "\xc2\xad",         /* soft hyphen: invisible */
    "\xe2\x80\x8d",
    "\xef\xbb\xbf",             /* joiner, byte order mark */
    "\xe2\x80\xa6",             /* ellipsis: three dots */
    "\xc2\xbd",                 /* one half: two words */
    "\xc2\xb4",                 /* spacing acute: blank and mark */
    "\xef\xac\x83",             /* ffi */
    "\xef\xbc\xa1\xef\xbc\x91", /* wide A1 */
    "\xe1\x84\x80",
    "\xe1\x85\xa1",
    "\xe1\x86\xa8",
    "\xea\xb0\x80", /* Hangul */
    "\xe3\x80\x82",
    "\xe6\xbc\xa2\xe5\xad\x97", /* Han */
    "\xe6\x9d\xb1",
    "\xe3\x81\x8b", /* Hiragana, and the mark that it may join */
    "\xe3\x82\x99",
    "\xef\xbd\xb6\xef\xbe\x9e", /* Katakana of half width, and its mark */
    "\xe3\x83\xbc",             /* lengthened */
    "\xe3\x80\x80",             /* wide space */
    "\xe0\xb8\x81\xe0\xb8\xb4", /* Thai, with a mark */
    "\xe0\xb8\xb3",             /* becomes a mark and a letter */
    "\xe0\xb9\x91",             /* Thai 1 */
    "\xe1\x80\x80\xe1\x80\xbb", /* Myanmar */
    "\xe3\x8b\xbf",             /* becomes two of Han */
    "\xf0\xa0\x80\x80",         /* Han beyond 16 bits */
    "\xe3\x81\x8b\xcc\x81\xcc\xb8\xcc\xa7\xcc\x81", /* with marks of others */
    "\xf0\x9d\x90\x80",
    "\xf0\x9f\x98\x80",                     /* beyond 16 bits */
    "\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7", /* Devanagari */
    "\xef\xb7\xba",                         /* becomes 18 */
    "\xcd\x84",
    "\xe0\xa7\x87",
    "\xe0\xa6\xbe",
    "\xe2\x84\xab",
    "\xef\xbe\x9f",
    "\xff",
    "\xc0\x80",
    "\xe2\x82",
    "\xed\xa0\x80",
    "\x80", /* not UTF-8 */
};

static size_t random_text(uint64_t *state, uint8_t *to, size_t room)
{
    const uint64_t r = check_random(state);
    const size_t count = sizeof pieces / sizeof *pieces;
    /* Mostly ASCII, or anything, or a few kinds only. */
    const size_t kinds = r % 3 == 0 ? 15 : count;
    const uint64_t only = r % 3 == 2 ? check_random(state) : 0;
    const size_t wish = (r >> 8) % 5 == 0 ? room : (r >> 16) % 400;
    size_t used = 0;
    while (used < wish) {
        const uint64_t x = check_random(state);
        size_t pick = x % kinds;
        if (only != 0)
            pick = (only >> 8 * (x % 4) & 0xff) % count;
        const size_t n = strlen(pieces[pick]);
        const size_t times = (x >> 32) % 40 == 0 ? (x >> 40) % 90 + 1 : 1;
        for (size_t i = 0; i < times && used + n <= wish; i++, used += n)
            memcpy(to + used, pieces[pick], n);
        if (used + n > wish)
            break;
    }
    return used;
}

static void matches_definition(uint64_t seed)
{
    static uint8_t text[TEXT_MAX];
    gs_status st = {.code = GS_OK};
    for (unsigned i = 0; i < 2500; i++) {
        const bool folds = i % 4 != 0;
        const gs_word_kind kind =
            i % 8 < 5 ? GS_WORDS_BIGRAMS : (gs_word_kind)(i % GS_WORD_KINDS);
        const gs_word_rules_options options = {.kind = kind, .is_folding = folds};
        gs_word_rules *rules = NULL;
        REQUIRE_OK(gs_word_rules_new(&rules, &options, &st), &st);
        const size_t bytes = random_text(&seed, text, i % 100 == 0 ? 20000 : 900);
        tokenize(rules, text, bytes);
        reference(text, bytes, kind, folds);
        gs_word_rules_free(rules);
        if (strcmp(got, wanted) != 0) {
            size_t k = 0;
            while (got[k] == wanted[k])
                k++;
            k = k > 40 ? k - 40 : 0;
            fprintf(stderr,
                    "case %u, kind %d, folds %d, %zu bytes\nwanted: %.160s\ngot:    "
                    "%.160s\n",
                    i, (int)kind, folds, bytes, wanted + k, got + k);
            check_failures++;
            return;
        }
    }
}

/* Marks of many classes, few or many in a row, behind what they join and what not; some
 * of them become two, one is the vowel of a Hangul syllable. */
static size_t random_marks(uint64_t *state, uint8_t *to)
{
    static const uint32_t marks[] = {
        0x301,  0x316,  0x327,  0x338, 0x345,  0x315,  0x35c, 0x344,   0x340,
        0x5b0,  0x64b,  0x93c,  0x94d, 0xe38,  0xf71,  0xf72, 0xf73,   0xf81,
        0x302a, 0x3099, 0x309a, 0x9be, 0x1161, 0x11a8, 0x34f, 0x1d165, 0x1d16d};
    static const uint32_t others[] = {'a',   'E',   0xe9, 0x1ea5, 0x1100, 0xac00, 0x304b,
                                      0x915, 0xf40, 0xdf, ' ',    0xfb03, 0x9c7,  '='};
    uint8_t *at = to;
    for (size_t words = check_random(state) % 6; words > 0; words--) {
        const uint64_t r = check_random(state);
        at = gs_utf8_encode(at, others[r % (sizeof others / sizeof *others)]);
        for (size_t n = (r >> 8) % 16 == 0 ? (r >> 16) % 200 : (r >> 16) % 8; n > 0;
             n--) {
            const size_t pick = check_random(state) % (sizeof marks / sizeof *marks);
            at = gs_utf8_encode(at, marks[pick]);
        }
    }
    return (size_t)(at - to);
}

static void marks_are_ordered(uint64_t seed)
{
    uint8_t text[8192];
    gs_status st = {.code = GS_OK};
    for (unsigned kind = 0; kind < GS_WORD_KINDS; kind++) {
        const gs_word_rules_options o = {.kind = (gs_word_kind)kind, .is_folding = true};
        gs_word_rules *rules = NULL;
        REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
        for (unsigned i = 0; i < 1000; i++) {
            const size_t bytes = random_marks(&seed, text);
            tokenize(rules, text, bytes);
            reference(text, bytes, o.kind, true);
            CHECK(got_bytes == wanted_bytes && memcmp(got, wanted, got_bytes) == 0);
        }
        gs_word_rules_free(rules);
    }
}

static void long_words(void)
{
    static uint8_t text[TEXT_MAX];
    gs_status st = {.code = GS_OK};
    const gs_word_rules_options options = {.is_folding = true};
    gs_word_rules *rules = NULL;
    REQUIRE_OK(gs_word_rules_new(&rules, &options, &st), &st);
    for (size_t bytes = 65530; bytes < 65540; bytes++) {
        for (unsigned is_mixed = 0; is_mixed < 2; is_mixed++) {
            memset(text, 'b', bytes);
            if (is_mixed)
                memcpy(text + bytes / 2, "\xc3\xa9", 2);
            memcpy(text + bytes, " c", 2);
            tokenize(rules, text, bytes + 2);
            reference(text, bytes + 2, GS_WORDS_BIGRAMS, true);
            CHECK(strcmp(got, wanted) == 0);
            CHECK((got_bytes > 60000) == (bytes <= GS_TERM_BYTES_MAX));
        }
    }
    gs_word_rules_free(rules);
}

/* More words than a batch has in one span, which only folding cuts. */
static void words_of_a_span(void)
{
    enum { SPAN_WORDS = 1500 };
    static const char word[] = "b\xe2\x80\xa8"; /* a line separator behind it */
    static uint8_t text[SPAN_WORDS * (sizeof word - 1)];
    gs_status st = {.code = GS_OK};
    const gs_word_rules_options o = {.kind = GS_WORDS_SPACED, .is_folding = true};
    gs_word_rules *rules = NULL;
    for (size_t i = 0; i < SPAN_WORDS; i++)
        memcpy(text + i * (sizeof word - 1), word, sizeof word - 1);
    REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
    tokenize(rules, text, sizeof text);
    reference(text, sizeof text, GS_WORDS_SPACED, true);
    CHECK(strcmp(got, wanted) == 0 && strstr(got, "b:1499 ") != NULL);
    gs_word_rules_free(rules);
}

/* A head, a piece so many times, and a tail. */
typedef struct long_text {
    const char *head, *piece;
    size_t times;
    const char *tail;
} long_text;

static size_t write_long_text(const long_text *l, uint8_t *to)
{
    const size_t head = strlen(l->head), piece = strlen(l->piece), tail = strlen(l->tail);
    REQUIRE(head + l->times * piece + tail <= TEXT_MAX);
    memcpy(to, l->head, head);
    for (size_t i = 0; i < l->times; i++)
        memcpy(to + head + i * piece, l->piece, piece);
    memcpy(to + head + l->times * piece, l->tail, tail);
    return head + l->times * piece + tail;
}

/* Spans of several stretches: blanks that are not ASCII end words there too, and a word
 * goes on from one stretch to the next. */
static void long_spans(void)
{
    static const long_text texts[] = {
        {"", "\xe9\xad\x9a\xe3\x80\x80", 50000, "c"}, /* wide spaces */
        {"", "\xc3\xa9", 140000, " c"},               /* a word that is too long */
        {"A", "\xc2\xad", 140000, "Be\xcc\x81 c"},    /* one that folding makes short, */
        {"A", "\xc2\xad", 300000, "Be\xcc\x81 c"},    /* and without a place to cut at */
        {"a", "\xc2\xb4", 140000, ""},                /* blanks that folding makes */
    };
    static uint8_t text[TEXT_MAX];
    gs_status st = {.code = GS_OK};
    for (unsigned i = 0; i < 4 * sizeof texts / sizeof *texts; i++) {
        const gs_word_rules_options o = {.kind = i & 1 ? GS_WORDS_SPACED : GS_WORDS_RAW,
                                         .is_folding = (i & 2) != 0};
        const size_t bytes = write_long_text(&texts[i / 4], text);
        gs_word_rules *rules = NULL;
        REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
        tokenize(rules, text, bytes);
        reference(text, bytes, o.kind, o.is_folding);
        CHECK(got_bytes == wanted_bytes && memcmp(got, wanted, got_bytes) == 0);
        gs_word_rules_free(rules);
    }
}

/* Texts that send a careless reader to their end, or back, again and again: each takes a
 * blink by all kinds. */
static void time_is_linear(void)
{
    static const char *const bits[] = {"a\xff", "a\xe3\x80\x80",
                                       "\xcc\x81\xcc\x96", /* marks of two classes */
                                       "\xcd\x84\xcc\x96"};
    enum { BYTES = 500000 };
    static uint8_t text[TEXT_MAX];
    gs_status st = {.code = GS_OK};
    for (unsigned i = 0; i < 2 * GS_WORD_KINDS * sizeof bits / sizeof *bits; i++) {
        const char *const bit = bits[i / (2 * GS_WORD_KINDS)];
        const gs_word_rules_options o = {.kind = (gs_word_kind)(i / 2 % GS_WORD_KINDS),
                                         .is_folding = i % 2 != 0};
        const size_t bytes =
            write_long_text(&(const long_text){"", bit, BYTES / strlen(bit), ""}, text);
        gs_word_rules *rules = NULL;
        REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
        const clock_t begin = clock();
        tokenize(rules, text, bytes);
        CHECK(clock() - begin < 5 * CLOCKS_PER_SEC);
        gs_word_rules_free(rules);
    }
}

/* --- filters ------------------------------------------------------------------------ */

static void filtered(const gs_word_rules_options *options, const char *text,
                     const char *words)
{
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL;
    REQUIRE_OK(gs_word_rules_new(&rules, options, &st), &st);
    tokenize(rules, text, strlen(text));
    gs_word_rules_free(rules);
    if (strcmp(got, words) != 0) {
        fprintf(stderr, "text: %s\nwanted: %s\ngot:    %s\n", text, words, got);
        check_failures++;
    }
}

static void kinds_differ(void)
{
    static const char *const text =
        "東京tower Don't 2\xe3\x80\x80x\ty東 ทำ  漢字かな交じり文、字";
    gs_word_rules_options o = {.is_folding = true};
    filtered(
        &o, text,
        "東京:0 tower:1 don:2 t:3 2:4 x:5 y:6 東:7 ทํา:8 漢字:9 字か:10 かな:11 な交:12 "
        "交じ:13 じり:14 り文:15 字:16 ");
    o.kind = GS_WORDS_LETTERS;
    filtered(&o, text,
             "東京tower:0 don:1 t:2 2:3 x:4 y東:5 ทํา:6 漢字かな交じり文:7 字:8 ");
    o.kind = GS_WORDS_SPACED;
    filtered(&o, text, "東京tower:0 don't:1 2:2 x:3 y東:4 ทํา:5 漢字かな交じり文、字:6 ");
    o.is_folding = false;
    filtered(&o, "A\xe3\x80\x80É \xff-b\r\n", "A:0 É:1 -b:2 ");
    o.kind = GS_WORDS_RAW;
    filtered(&o, " A b\n", " A b\n:0 ");
    o.is_folding = true;
    filtered(&o, "É b", "é b:0 ");
    filtered(&o, "", "");
    /* Limits of length are none for what is cut by two. */
    o = (gs_word_rules_options){.is_folding = true, .min_len = 3, .max_len = 4};
    filtered(&o, "ab 東京 abc 字 abcde", "東京:1 abc:2 字:3 ");
}

static void scripts_without_spaces(void)
{
    static const uint32_t dense[] = {0xe01,  0xe46,  0xe81,  0x1000,  0x1780,  0x3005,
                                     0x3041, 0x30fc, 0x3105, 0x3400,  0x4e00,  0x9fff,
                                     0xf900, 0xff66, 0xff9d, 0x1b000, 0x20000, 0x30000};
    static const uint32_t others[] = {'a',
                                      0xdff,
                                      0xe31 /* a mark */,
                                      0xe51 /* a digit */,
                                      0xf00,
                                      0xac00 /* Hangul */,
                                      0x3002,
                                      0x3040,
                                      0x3099 /* a mark */,
                                      0xfb00,
                                      0xff41,
                                      0x1f600};
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++)
        CHECK(gs_fold_is_dense(dense[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!gs_fold_is_dense(others[i]));
}

static void filters_work(void)
{
    FILE *const file = fopen("stop", "w");
    REQUIRE(file != NULL);
    fputs("The\nof # a comment\n# only one\n\nSTRASSE don't", file);
    REQUIRE(fclose(file) == 0);
    gs_word_rules_options o = {.is_folding = true, .stop_file = "stop"};
    filtered(&o,
             "the End of THE Stra\xc3\x9f"
             "e, don't only",
             "end:1 only:7 ");
    o = (gs_word_rules_options){.stop_file = "stop"};
    filtered(&o, "the The of Of", "the:0 Of:3 ");
    o = (gs_word_rules_options){.is_folding = true, .min_len = 2, .max_len = 3};
    filtered(&o,
             "a bb \xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9 dddd \xc3\xa9\xc3\xa9\xc3\xa9"
             "e ccc",
             "bb:1 \xc3\xa9\xc3\xa9\xc3\xa9:3 ccc:6 ");
    o = (gs_word_rules_options){.is_folding = true, .stem_language = "english"};
    filtered(&o, "Running runs; the runner ran. running Skies relational",
             "run:0 run:1 the:2 runner:3 ran:4 run:5 sky:6 relat:7 ");
    o.stem_language = "german";
    filtered(&o, "H\xc3\xa4user", "haus:0 ");
}

static void write_stop_file(const char *words)
{
    FILE *const file = fopen("stop", "w");
    REQUIRE(file != NULL);
    fputs(words, file);
    REQUIRE(fclose(file) == 0);
}

/* Stop words are cut as text is, and come back from a header whatever is in them. */
static void stop_words_are_cut_as_text(void)
{
    static const char *const text = "c++ C don't t \"q\" a\\ \x01 x";
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL, *again = NULL;
    gs_word_rules_options o = {
        .kind = GS_WORDS_SPACED, .is_folding = true, .stop_file = "stop"};
    write_stop_file("C++ # not c\nDon't\n\"q\"\na\\ \x01\n");
    filtered(&o, text, "c:1 t:3 x:7 ");
    REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
    CHECK(strstr(gs_word_rules_json(rules),
                 "[\"\\u0001\", \"\\u0022q\\u0022\", \"a\\u005c\", \"c++\", "
                 "\"don't\"]}") != NULL);
    REQUIRE_OK(gs_word_rules_read(&again, gs_word_rules_json(rules), &st), &st);
    CHECK(strcmp(gs_word_rules_json(rules), gs_word_rules_json(again)) == 0);
    tokenize(again, text, strlen(text));
    CHECK(strcmp(got, "c:1 t:3 x:7 ") == 0);
    gs_word_rules_free(again);
    gs_word_rules_free(rules);
    o.kind = GS_WORDS_RAW;
    write_stop_file("One two \t# three\r\nfour\r\n");
    filtered(&o, "one TWO", "");
    filtered(&o, "four", "");
    filtered(&o, "one", "one:0 ");
    o.kind = GS_WORDS_LETTERS;
    filtered(&o, "one-four ones", "ones:2 ");
}

static void rules_are_told(void)
{
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL;
    gs_word_rules_options o = {.is_folding = true, .stem_language = "klingon"};
    CHECK(gs_word_rules_new(&rules, &o, &st) == GS_ERR_ARG);
    CHECK(strstr(st.msg, "klingon") != NULL && strstr(st.msg, "english") != NULL);
    gs_status_clear(&st);
    o = (gs_word_rules_options){.stop_file = "not there"};
    CHECK(gs_word_rules_new(&rules, &o, &st) == GS_ERR_IO);
    gs_status_clear(&st);
    o = (gs_word_rules_options){
        .is_folding = true, .stem_language = "english", .min_len = 2};
    REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
    CHECK(strcmp(gs_word_rules_json(rules),
                 "{\"words\": \"bigrams\", \"fold\": true, \"stem\": \"english\", "
                 "\"min_len\": 2, \"max_len\": 0, \"stopwords\": []}") == 0);
    gs_word_rules_free(rules);
}

/* What the header of an index says makes the same rules again; anything else is refused.
 */
static void rules_come_back(void)
{
    static const char *const bad[] = {
        "{\"words\": \"unicode\"}",
        "{\"words\": \"else\", \"fold\": true, \"stem\": null, \"stopwords\": []}",
        "{\"words\": \"unicode\", \"fold\": true, \"stem\": 5, \"stopwords\": []}",
        ("{\"words\": \"unicode\", \"fold\": true, \"stem\": \"english, "
         "\"stopwords\": []}"),
        "{\"words\": \"unicode\", \"fold\": true, \"stem\": null, \"stopwords\": [\"a",
        "{\"words\": \"unicode\", \"fold\": true, \"stem\": null, \"stopwords\": [\"a\"",
        "{\"words\": \"unicode\", \"fold\": true, \"stem\": null, \"stopwords\": [\"\"]}",
        "{\"words\": \"unicode\", \"fold\": true, \"stem\": null, \"stopwords\": 7}",
        ("{\"words\": \"raw\", \"fold\": true, \"stem\": null, "
         "\"stopwords\": [\"a\\u002\"]}"),
        ("{\"words\": \"raw\", \"fold\": true, \"stem\": null, "
         "\"stopwords\": [\"a\\n\"]}"),
    };
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL, *again = NULL;
    FILE *const stop = fopen("stop", "w");
    REQUIRE(stop != NULL);
    fputs("The\nof # and\nDon't\nzum Дом\n", stop);
    fclose(stop);
    const gs_word_rules_options o = {.is_folding = true,
                                     .stem_language = "german",
                                     .stop_file = "stop",
                                     .min_len = 2,
                                     .max_len = 30};
    REQUIRE_OK(gs_word_rules_new(&rules, &o, &st), &st);
    CHECK(strstr(gs_word_rules_json(rules),
                 "\"stopwords\": [\"don\", \"of\", \"t\", \"the\", \"zum\", \"дом\"]}") !=
          NULL);
    REQUIRE_OK(gs_word_rules_read(&again, gs_word_rules_json(rules), &st), &st);
    CHECK(strcmp(gs_word_rules_json(rules), gs_word_rules_json(again)) == 0);
    tokenize(again, "The houses of Дома zum x", strlen("The houses of Дома zum x"));
    CHECK(strcmp(got, "hous:1 дома:3 ") == 0);
    gs_word_rules_free(again);
    gs_word_rules_free(rules);
    for (unsigned i = 0; i < GS_WORD_KINDS; i++) {
        const gs_word_rules_options kind = {.kind = (gs_word_kind)i};
        REQUIRE_OK(gs_word_rules_new(&rules, &kind, &st), &st);
        REQUIRE_OK(gs_word_rules_read(&again, gs_word_rules_json(rules), &st), &st);
        CHECK(gs_word_rules_kind(again) == (gs_word_kind)i);
        gs_word_rules_free(again);
        gs_word_rules_free(rules);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gs_status_clear(&st);
        CHECK(gs_word_rules_read(&again, bad[i], &st) != GS_OK && again == NULL);
    }
    gs_status_clear(&st);
    REQUIRE_OK(gs_word_rules_read(&again, "{}", &st), &st);
    CHECK(again == NULL);
}

/* Every request for memory may be refused: an error, and nothing leaks. */
static void memory_may_end(void)
{
    const gs_word_rules_options o = {
        .is_folding = true, .stem_language = "english", .stop_file = "stop"};
    for (uint64_t nth = 1; nth < 60; nth++) {
        gs_status st = {.code = GS_OK};
        gs_word_rules *rules = NULL;
        gs_tokenizer *t = NULL;
        gs_mem_fail_nth(nth);
        if (gs_word_rules_new(&rules, &o, &st) == GS_OK)
            GS_NOTED(gs_tokenizer_new(&t, rules, &st));
        gs_mem_fail_nth(0);
        CHECK(st.code == GS_OK || st.code == GS_ERR_NOMEM);
        gs_tokenizer_free(t);
        gs_word_rules_free(rules);
    }
}

int main(void)
{
    matches_definition(check_seed(11));
    marks_are_ordered(check_seed(12));
    long_words();
    words_of_a_span();
    long_spans();
    time_is_linear();
    kinds_differ();
    scripts_without_spaces();
    filters_work();
    stop_words_are_cut_as_text();
    rules_are_told();
    rules_come_back();
    memory_may_end();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
