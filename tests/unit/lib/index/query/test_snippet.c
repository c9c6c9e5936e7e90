/* SPDX-License-Identifier: MIT */
/*
 * Snippets: the window must be the one that looking at all of them gives; words of a text
 * must be found where they stand, those of the tokenizer, none left out; and a snippet is
 * UTF-8 without control characters, with the words of the query marked and nothing else,
 * of a text of any bytes and length.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/query/snippet.h"

#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/build/index_builder.h"
#include "lib/index/query/dense_window.h"
#include "tests/check.h"

enum {
    ROUNDS = 3000,
    PLACES = 200,
    TEXT_MAX = 4000,
    PATH_BYTES = 200,
    LONG_BYTES = 900000,
    LONE_WORDS = 50,
    LONE_BYTES = (LONG_BYTES - 200) / LONE_WORDS,
};

static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-snippet-XXXXXX";

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* --- the window ------------------------------------------------------------------ */

/* What places first to last are worth. */
static uint64_t worth(const gs_dense_window *w, const gs_term_place *places, size_t first,
                      size_t last)
{
    bool seen[GS_WINDOW_TERMS_MAX] = {false};
    uint64_t sum = 0;
    for (size_t i = first; i <= last; i++) {
        sum += (uint64_t)w->weights[places[i].term] * (seen[places[i].term] ? 1 : 10);
        seen[places[i].term] = true;
    }
    return sum;
}

static void window_is_the_best(void)
{
    static gs_term_place places[PLACES];
    gs_dense_window w;
    const unsigned terms = 1 + (unsigned)below(6);
    const size_t count = 1 + below(PLACES);
    uint64_t at = 0, best = 0, begin = 0, end = 0;
    gs_dense_window_begin(&w, 50 + below(200));
    for (unsigned i = 0; i < terms; i++)
        w.weights[i] = 1 + (uint32_t)below(5000);
    for (size_t i = 0; i < count; i++) {
        at += 1 + below(below(5) ? 30 : 300);
        places[i] = (gs_term_place){at, at + 1 + below(12), (unsigned)below(terms)};
        at = places[i].end;
        size_t first = i;
        while (first > 0 && places[i].end - places[first - 1].begin <= w.length)
            first--;
        REQUIRE(i - first < GS_WINDOW_PLACES_MAX);
        const uint64_t here = worth(&w, places, first, i);
        const bool is_better = here > best;
        CHECK(gs_dense_window_add(&w, &places[i]) == is_better);
        if (is_better) {
            best = here;
            begin = places[first].begin;
            end = places[i].end;
        }
        CHECK(w.best == best && w.begin == begin && w.end == end);
    }
}

/* --- words ----------------------------------------------------------------------- */

static const char *const parts[] = {
    "cat", "Cat's", "DOG", "a_b", "x-ray", " ", " ", "\n", ", ", "caf\xc3\xa9",
    "\xe6\x9d\xb1", "\xe4\xba\xac\xe9\x83\xbd", "\xe3\x81\x8b",
    "\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2", "1984",
    "\xd0\x96\xd0\xb8\xd0\xb7\xd0\xbd\xd1\x8c", "\xff", "\x01", "\xe2\x80\x94",
    "tail\xe6\x96\x87", "co\xc2\xadop", "e\xcc\x81t\xc3\xa9", "\xc2\xa0",
    /* What folding makes something else of: */
    "E\xcc\x81\x63ole",                     /* a letter and its accent */
    "mark\xe2\x84\xa2",                     /* trade mark: tm */
    "\xe3\x8d\xbf",                         /* four of Han in a square */
    "\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d", /* Katakana of half width */
    "\xc2\xbd",                             /* a half: two words, 1 and 2 */
    "=\xcc\xb8",                            /* not equal: no word */
    "\xcc\x81",                             /* an accent alone */
    "\xc2\xa8",                             /* a blank and an accent */
    "\xef\xac\x81",                         /* fi */
    "\xc4\xb0\xc7\xb0",                     /* letters that fold to two */
    "\xe2\x84\xab",                         /* a letter that is another */
    "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", /* Hangul in parts */
    "\xe2\x80\x8b",                         /* nothing, of no width */
    "1\xef\xb8\x8f\xe2\x83\xa3",            /* a digit on a key */
    "\xe3\x80\x82",                         /* a full stop of Han */
};

enum { PARTS = sizeof parts / sizeof *parts };

static size_t make_text(uint8_t *text, size_t part_count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < part_count; i++) {
        const char *const part = parts[below(PARTS)];
        memcpy(text + bytes, part, strlen(part));
        bytes += strlen(part);
        if (below(3) == 0)
            text[bytes++] = ' ';
    }
    return bytes;
}

static char all[16 * TEXT_MAX];
static size_t all_bytes;
static const uint8_t *walked;
static size_t last_begin;

static void note(const uint8_t *term, size_t bytes)
{
    REQUIRE(all_bytes + bytes + 1 < sizeof all);
    memcpy(all + all_bytes, term, bytes);
    all_bytes += bytes;
    all[all_bytes++] = '|';
}

static void see_word(void *context, const gs_token *token, size_t begin, size_t end)
{
    const size_t *const bytes = context;
    CHECK(begin < end && end <= *bytes && begin >= last_begin);
    last_begin = begin;
    /* A word of ASCII stands there but for its case. */
    if (token->term[0] < 0x80 && walked[begin] < 0x80)
        CHECK((walked[begin] | 0x20) == (token->term[0] | 0x20));
    note(token->term, token->bytes);
}

typedef struct walker {
    gs_word_rules *rules;
    gs_tokenizer *tokenizer;
    gs_word_walk *walk;
    gs_token_batch batch;
    uint8_t text[TEXT_MAX + GS_TEXT_SLACK];
    size_t bytes;
    char wanted[sizeof all]; /* the tokenizer's terms */
    size_t wanted_bytes;
    const char *term; /* one of them; NULL: there is none */
    size_t term_bytes, times;
} walker;

/* The terms of the text, of which one is chosen. */
static void take_terms(walker *w, gs_status *st)
{
    uint64_t seen = 0;
    w->term = NULL;
    w->wanted_bytes = w->times = all_bytes = 0;
    gs_tokenizer_begin_document(w->tokenizer);
    gs_tokenizer_begin_text(w->tokenizer, w->text, w->bytes);
    do {
        REQUIRE_OK(gs_tokenizer_next(w->tokenizer, &w->batch, st), st);
        for (size_t i = 0; i < w->batch.count; i++) {
            const gs_token *const token = &w->batch.tokens[i];
            if (below(++seen) == 0) {
                w->term = w->wanted + all_bytes;
                w->term_bytes = token->bytes;
            }
            note(token->term, token->bytes);
        }
    } while (w->batch.count > 0);
    memcpy(w->wanted, all, all_bytes);
    w->wanted_bytes = all_bytes;
}

static void check_all_words(walker *w, gs_status *st)
{
    for (unsigned c = 0; c < 256; c++)
        gs_word_walk_want(w->walk, &(uint8_t){(uint8_t)c}, 1);
    all_bytes = last_begin = 0;
    walked = w->text;
    REQUIRE_OK(gs_word_walk_text(w->walk, w->text, w->bytes, see_word, &w->bytes, st),
               st);
    const bool is_same =
        all_bytes == w->wanted_bytes && memcmp(all, w->wanted, all_bytes) == 0;
    CHECK(is_same);
    if (!is_same)
        fprintf(stderr, "%d: %.*s\n%.*s\n%.*s\n", (int)gs_word_rules_kind(w->rules),
                (int)w->bytes, w->text, (int)w->wanted_bytes, w->wanted, (int)all_bytes,
                all);
}

static size_t count_term(const walker *w, const char *text, size_t bytes)
{
    size_t times = 0;
    for (const char *p = text, *end; p < text + bytes; p = end + 1) {
        end = memchr(p, '|', bytes - (size_t)(p - text));
        times +=
            (size_t)(end - p) == w->term_bytes && memcmp(p, w->term, w->term_bytes) == 0;
    }
    return times;
}

/* If only one term is wanted, none of its places is left out. */
static void check_one_word(walker *w, gs_status *st)
{
    gs_word_walk_want_none(w->walk);
    gs_word_walk_want(w->walk, (const uint8_t *)w->term, w->term_bytes);
    all_bytes = last_begin = 0;
    REQUIRE_OK(gs_word_walk_text(w->walk, w->text, w->bytes, see_word, &w->bytes, st),
               st);
    CHECK(count_term(w, all, all_bytes) == count_term(w, w->wanted, w->wanted_bytes));
}

static void words_are_the_tokenizers(gs_word_kind kind)
{
    static walker w;
    gs_status st = {.code = GS_OK};
    const gs_word_rules_options options = {.kind = kind, .is_folding = below(4) > 0};
    w = (walker){.rules = NULL};
    REQUIRE_OK(gs_word_rules_new(&w.rules, &options, &st), &st);
    REQUIRE_OK(gs_tokenizer_new(&w.tokenizer, w.rules, &st), &st);
    REQUIRE_OK(gs_word_walk_new(&w.walk, w.rules, &st), &st);
    REQUIRE_OK(gs_token_batch_init(&w.batch, &st), &st);
    w.bytes = make_text(w.text, below(60));
    take_terms(&w, &st);
    check_all_words(&w, &st);
    if (w.term != NULL && memchr(w.term, '|', w.term_bytes) == NULL)
        check_one_word(&w, &st);
    gs_token_batch_release(&w.batch);
    gs_word_walk_free(w.walk);
    gs_tokenizer_free(w.tokenizer);
    gs_word_rules_free(w.rules);
}

/* --- snippets -------------------------------------------------------------------- */

static gs_index *build(const char *documents, gs_word_kind kind, const char *stem,
                       gs_word_rules **rules)
{
    char folder[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    (void)snprintf(folder, sizeof folder, "%s/index", scratch);
    const gs_index_build_options options = {
        .folder = folder,
        .replace = true,
        .inputs = &documents,
        .input_count = 1,
        .document = {.format = GS_FORMAT_TSV,
                     .text_fields = gs_usual_text_fields,
                     .text_field_count = GS_USUAL_TEXTS,
                     .takes_usual_texts = true},
        .words = {.kind = kind, .is_folding = true, .stem_language = stem},
        .has_texts = true,
        .has_positions = true,
        .memory_bytes = 32 << 20,
        .threads = 2,
        .sorter = {.engine = "cpu"},
    };
    REQUIRE_OK(gs_index_build(&options, &st), &st);
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE_OK(gs_word_rules_read(rules, gs_index_header_of(index)->tokenizer, &st), &st);
    return index;
}

static void check_sound(const gs_snippet *s)
{
    size_t behind = 0;
    CHECK(gs_utf8_is_valid(s->text, s->bytes));
    for (size_t i = 0; i < s->bytes; i++)
        CHECK(s->text[i] >= ' ' && s->text[i] != 0x7f);
    CHECK(s->bytes == 0 || (s->text[0] != ' ' && s->text[s->bytes - 1] != ' '));
    for (size_t i = 0; i < s->mark_count; i++) {
        CHECK(s->marks[i].begin >= behind && s->marks[i].begin < s->marks[i].end);
        CHECK(s->marks[i].end <= s->bytes);
        behind = s->marks[i].end;
    }
}

/* The snippet as text, with [] around what is marked and ... where it is cut. */
static const char *show(const gs_snippet *s)
{
    static char text[2 * GS_SNIPPET_BYTES_MAX];
    char *to = text;
    size_t mark = 0;
    if (s->is_cut_before)
        to = stpcpy(to, "...");
    for (size_t i = 0; i <= s->bytes; i++) {
        if (mark < s->mark_count && s->marks[mark].end == i && ++mark > 0)
            *to++ = ']';
        if (mark < s->mark_count && s->marks[mark].begin == i)
            *to++ = '[';
        if (i < s->bytes)
            *to++ = (char)s->text[i];
    }
    (void)strcpy(to, s->is_cut_behind ? "..." : "");
    return text;
}

typedef struct asker {
    gs_index *index;
    gs_word_rules *rules;
    gs_snippet_maker *maker;
    gs_snippet snippet;
} asker;

static void asker_open(asker *a, const char *documents, gs_word_kind kind,
                       const char *stem)
{
    gs_status st = {.code = GS_OK};
    const gs_search_options options = {.limit = 1};
    a->index = build(documents, kind, stem, &a->rules);
    REQUIRE_OK(gs_snippet_maker_new(&a->maker, a->index, a->rules, &options, &st), &st);
}

static void asker_close(asker *a)
{
    gs_snippet_maker_free(a->maker);
    gs_word_rules_free(a->rules);
    gs_index_close(a->index);
}

static const char *ask(asker *a, const char *query, uint64_t doc)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_snippet_maker_query(a->maker, query, strlen(query), &st), &st);
    REQUIRE_OK(gs_snippet_make(a->maker, doc, &a->snippet, &st), &st);
    check_sound(&a->snippet);
    return show(&a->snippet);
}

static void write_file(const char *path, const void *text, size_t bytes)
{
    FILE *const file = fopen(path, "w");
    REQUIRE(file != NULL && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
}

static void check_text(asker *a, const char *query, uint64_t doc, const char *wanted)
{
    const char *const got = ask(a, query, doc);
    CHECK(strcmp(got, wanted) == 0);
    if (strcmp(got, wanted) != 0)
        fprintf(stderr, "%s: %s\n", query, got);
}

static void words_are_marked(void)
{
    static const char text[] =
        "0\tThe Cats sat,  and the dog's dinner;\x1b[31m cat-like \n"
        "1\t\n"
        "2\t\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd tower caf\xc3\xa9 \xff\xfe x\n";
    char path[PATH_BYTES];
    asker a = {0};
    (void)snprintf(path, sizeof path, "%s/few", scratch);
    write_file(path, text, sizeof text - 1);
    asker_open(&a, path, GS_WORDS_BIGRAMS, "english");
    check_text(&a, "cat", 0, "The [Cats] sat, and the dog's dinner; [31m [cat]-like");
    check_text(&a, "cat AND sat", 0,
               "The [Cats] [sat], and the dog's dinner; [31m [cat]-like");
    check_text(&a, "dog NOT cat", 0,
               "The Cats sat, and the [dog]'s dinner; [31m cat-like");
    check_text(&a, "dog -cat", 0, "The Cats sat, and the [dog]'s dinner; [31m cat-like");
    check_text(&a, "\"dog s\" OR di*", 0,
               "The Cats sat, and the [dog]'[s] [dinner]; [31m cat-like");
    check_text(&a, "nothing", 0, "The Cats sat, and the dog's dinner; [31m cat-like");
    check_text(&a, "", 0, "The Cats sat, and the dog's dinner; [31m cat-like");
    check_text(&a, "cat", 1, "");
    check_text(&a, "\xe6\x9d\xb1\xe4\xba\xac", 2,
               "[\xe6\x9d\xb1\xe4\xba\xac]\xe9\x83\xbd tower caf\xc3\xa9 "
               "\xef\xbf\xbd\xef\xbf\xbd x");
    check_text(&a, "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd CAF\xc3\x89", 2,
               "[\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd] tower [caf\xc3\xa9] "
               "\xef\xbf\xbd\xef\xbf\xbd x");
    asker_close(&a);
}

/* Of words between blanks, what is shown as a blank or not at all is not marked. */
static void blanks_are_not_marked(void)
{
    static const char text[] = "0\ta big fox\xc2\xa0\n"
                               "1\t\x7f fox\xe2\x80\xa8 \x7f dog \x7f\n"
                               "2\tone\xc2\xa0"
                               "fox\xe2\x80\xa8"
                               "dog two\xff"
                               "fox three\n";
    char path[PATH_BYTES];
    asker a = {0};
    (void)snprintf(path, sizeof path, "%s/blanks", scratch);
    write_file(path, text, sizeof text - 1);
    asker_open(&a, path, GS_WORDS_SPACED, NULL);
    check_text(&a, "fox", 0, "a big [fox]");
    check_text(&a, "fox \x7f", 1, "[fox] dog");
    check_text(&a, "fox", 2, "one [fox] dog two\xef\xbf\xbd[fox] three");
    asker_close(&a);
}

/* Of folded text, what it comes from is marked, all of it and nothing else. */
static void folded_words_are_marked(void)
{
    static const char text[] = "0\tan E\xcc\x81"
                               "cole and Bluetooth\xe2\x84\xa2, \xc2\xbd\n"
                               "1\t\xe6\x9d\xb1\xe4\xba\xac\xe3\x8d\xbf "
                               "\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d\xef\xbd\xa1\n";
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/folded", scratch);
    write_file(path, text, sizeof text - 1);
    for (int round = 0; round < 3; round++) {
        static const gs_word_kind kinds[] = {GS_WORDS_BIGRAMS, GS_WORDS_LETTERS,
                                             GS_WORDS_SPACED};
        asker a = {0};
        asker_open(&a, path, kinds[round], NULL);
        check_text(&a,
                   "\xc3\x89"
                   "cole",
                   0,
                   "an [E\xcc\x81"
                   "cole] and Bluetooth\xe2\x84\xa2, \xc2\xbd");
        check_text(&a, "2 bluetoothtm", 0,
                   round < 2 ? "an E\xcc\x81"
                               "cole and [Bluetooth\xe2\x84\xa2], [\xc2\xbd]"
                             : "an E\xcc\x81"
                               "cole and Bluetooth\xe2\x84\xa2, \xc2\xbd");
        check_text(&a, "\xe6\xa0\xaa\xe5\xbc\x8f", 1,
                   round == 0 ? "\xe6\x9d\xb1\xe4\xba\xac[\xe3\x8d\xbf] "
                                "\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d\xef\xbd\xa1"
                              : "\xe6\x9d\xb1\xe4\xba\xac\xe3\x8d\xbf "
                                "\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d\xef\xbd\xa1");
        check_text(&a, "\xe3\x83\x91\xe3\x83\xb3", 1,
                   round < 2 ? "\xe6\x9d\xb1\xe4\xba\xac\xe3\x8d\xbf "
                               "[\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d]\xef\xbd\xa1"
                             : "\xe6\x9d\xb1\xe4\xba\xac\xe3\x8d\xbf "
                               "\xef\xbe\x8a\xef\xbe\x9f\xef\xbe\x9d\xef\xbd\xa1");
        asker_close(&a);
    }
}

/* Two words side by side, each of which comes alone too, somewhere in a text of many
 * blocks; what is around them must be there, wherever the pieces of the text end. */
static void found_anywhere(void)
{
    static char text[LONG_BYTES + 100];
    static const char pair[] = " zebra quagga ";
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/long", scratch);
    for (int round = 0; round < 6; round++) {
        asker a = {0};
        const bool has_blanks = round % 3 != 2; /* or nothing but a long word */
        memcpy(text, "0\t", 2);
        for (size_t i = 2; i < LONG_BYTES; i++)
            text[i] = has_blanks && below(8) == 0 ? ' ' : (char)('a' + below(20));
        /* So far apart that no two of them are in one window. */
        for (size_t i = 0; i < LONE_WORDS; i++)
            memcpy(text + 100 + i * LONE_BYTES + below(LONE_BYTES / 2),
                   below(2) ? " zebra " : " quagga ", 7);
        const size_t at = round == 0   ? 2
                          : round == 1 ? LONG_BYTES - 20
                                       : 2 + below(LONG_BYTES - 100);
        memcpy(text + at, pair, sizeof pair - 1);
        text[LONG_BYTES] = '\n';
        write_file(path, text, LONG_BYTES + 1);
        asker_open(&a, path, GS_WORDS_BIGRAMS, NULL);
        const char *const got = ask(&a, "zebra quagga", 0);
        CHECK(strstr(got, "[zebra] [quagga]") != NULL);
        CHECK(a.snippet.bytes > 100 && a.snippet.bytes <= 2 * GS_SNIPPET_BYTES);
        CHECK(a.snippet.is_cut_before == (at > 300) || round > 1);
        asker_close(&a);
    }
}

/* Texts of any bytes. */
static void any_text_is_sound(void)
{
    static uint8_t text[64 * TEXT_MAX];
    char path[PATH_BYTES];
    asker a = {0};
    size_t bytes = 0;
    (void)snprintf(path, sizeof path, "%s/any", scratch);
    for (int doc = 0; doc < 40; doc++) {
        uint8_t *const begin = text + bytes;
        begin[0] = (uint8_t)('0' + doc);
        begin[1] = '\t';
        size_t n = 2 + make_text(begin + 2, below(400));
        for (size_t i = 2; i < n; i++)
            begin[i] = begin[i] == '\n' ? ' '
                       : below(100)     ? begin[i]
                                        : (uint8_t)below(256);
        for (size_t i = 2; i < n; i++)
            begin[i] = begin[i] == '\n' || begin[i] == '\t' ? ' ' : begin[i];
        begin[n++] = '\n';
        bytes += n;
    }
    write_file(path, text, bytes);
    asker_open(&a, path, GS_WORDS_BIGRAMS, NULL);
    static const char *const queries[] = {"cat",
                                          "dog 1984 ray",
                                          "caf*",
                                          "tail \xe6\x9d\xb1",
                                          "\xe4\xba\xac\xe9\x83\xbd OR coop",
                                          "\"cat s\"",
                                          "NOT cat"};
    for (uint64_t doc = 0; doc < gs_index_header_of(a.index)->documents; doc++) {
        for (size_t q = 0; q < sizeof queries / sizeof *queries; q++)
            (void)ask(&a, queries[q], doc);
    }
    asker_close(&a);
}

int main(void)
{
    char command[PATH_BYTES];
    REQUIRE(mkdtemp(scratch) != NULL);
    state = check_seed(21);
    for (int i = 0; i < ROUNDS / 10; i++)
        window_is_the_best();
    for (int i = 0; i < ROUNDS; i++)
        words_are_the_tokenizers(below(3)   ? GS_WORDS_BIGRAMS
                                 : below(2) ? GS_WORDS_LETTERS
                                            : GS_WORDS_SPACED);
    words_are_marked();
    blanks_are_not_marked();
    folded_words_are_marked();
    found_anywhere();
    any_text_is_sound();
    (void)snprintf(command, sizeof command, "rm -r %s", scratch);
    CHECK(system(command) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
