/* SPDX-License-Identifier: MIT */
/*
 * csv: records and values of CSV found by the number of quotes, 64 bytes at a time, must
 * be those of RFC 4180; else lines inside of quotes are torn apart, broken records pass,
 * or keys are other text than was meant.
 */
#include "tests/check.h"
#include "tests/slow_csv.h"

enum { TEXT_MAX = 400 };

static const gs_csv_form comma = {.separator = ',', .eol = '\n'};

static void set(uint8_t *to, const char *text, size_t *bytes)
{
    *bytes = strlen(text);
    memset(to, '"', TEXT_MAX + GS_CSV_SLACK); /* what is behind must not count */
    memcpy(to, text, *bytes);
}

static void examples(void)
{
    static const struct {
        const char *text, *why;
        size_t broken_at;
    } cases[] = {
        {"", NULL, 0},
        {"a,b\n", NULL, 0},
        {"a,\"b\nc\"\n\"\"\n", NULL, 0},
        {"\"a\"\"b\"\r\n", NULL, 0},
        {"\"a\"\r", NULL, 0},
        {"a\n\"b\"c\n", "text behind a closing quote", 5},
        {"a\n\"b\"\rc\n", "text behind a closing quote", 6},
        {"a\nb\"c\n", "a quote in a field that does not begin with one", 3},
        {"a\nb,\"c\n", "a quote is not closed", 2},
        {"\"\"\"", "a quote is not closed", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t text[TEXT_MAX + GS_CSV_SLACK];
        size_t bytes;
        set(text, cases[i].text, &bytes);
        gs_csv_iter it = gs_csv_iter_begin(text, bytes, comma);
        while (gs_csv_iter_load(&it)) {
            while (gs_csv_iter_next(&it))
                continue;
        }
        const char *const why = gs_csv_iter_why(&it);
        CHECK((why == NULL) == (cases[i].why == NULL));
        if (why != NULL && cases[i].why != NULL) {
            CHECK(strcmp(why, cases[i].why) == 0);
            CHECK(it.broken_at == cases[i].broken_at);
        }
    }
}

static void check_key(const char *record, size_t first, size_t last, size_t start_char,
                      size_t end_char, const char *want)
{
    uint8_t text[TEXT_MAX + GS_CSV_SLACK], room[TEXT_MAX + GS_CSV_SLACK];
    size_t bytes;
    set(text, record, &bytes);
    const gs_key key = {.start_field = first,
                        .end_field = last,
                        .start_char = start_char,
                        .end_char = end_char};
    gs_csv_walk walk = gs_csv_walk_begin(text, bytes, ',');
    const gs_csv_value v = gs_csv_walk_key(&walk, &key, room);
    CHECK((size_t)(v.end - v.from) == strlen(want) &&
          memcmp(v.from, want, strlen(want)) == 0);
}

/* Keys of several columns are their values with separators between them. */
static void keys_of_columns(void)
{
    static const char record[] = "\"a,\"\"b\",c,\"\",\"x\ny\"\r";
    check_key(record, 0, 0, 0, 0, "a,\"b");
    check_key(record, 0, 1, 0, 0, "a,\"b,c");
    check_key(record, 0, SIZE_MAX, 0, 0, "a,\"b,c,,x\ny");
    check_key(record, 3, 3, 1, 2, "\n");
    check_key(record, 0, 3, 2, 1, "\"b,c,,x");
    check_key(record, 0, 9, 2, 1, "\"b,c,,x\ny");
    check_key(record, 0, 0, 9, 0, "");
    check_key(record, 4, 4, 0, 0, "");
    check_key(record, 4, SIZE_MAX, 0, 0, "");
    check_key(record, 2, 1, 0, 0, "");
}

/* Bytes that matter, in any order, at any distance from a multiple of 64. */
static void as_the_slow_way(void)
{
    static const char alphabet[] = "\"\"\"\",,\n\n\r\rab";
    uint64_t rng = check_seed(1);
    const unsigned rounds = check_often(400000);
    for (unsigned round = 0; round < rounds; round++) {
        uint8_t text[TEXT_MAX + GS_CSV_SLACK], room[TEXT_MAX + GS_CSV_SLACK],
            other[TEXT_MAX + GS_CSV_SLACK];
        const size_t bytes = check_random(&rng) % TEXT_MAX;
        const unsigned plain = check_random(&rng) % 64;
        for (size_t i = 0; i < sizeof text; i++) {
            const uint64_t r = check_random(&rng);
            const bool is_plain = r >> 32 & 63 ? (r >> 32 & 63) < plain : false;
            text[i] = is_plain ? 'x' : (uint8_t)alphabet[r % (sizeof alphabet - 1)];
        }
        const gs_csv_form form = {.separator = ',',
                                  .eol = check_random(&rng) % 8 ? '\n' : 'a'};
        const char *what = slow_csv_differs(text, bytes, form, room, other);
        for (unsigned inside = 0; inside < 2 && what == NULL; inside++)
            what = slow_csv_ends_differ(text, bytes, form, inside != 0);
        if (what != NULL) {
            fprintf(stderr, "round %u: %s\n", round, what);
            check_failures++;
            return;
        }
    }
}

/* Tables that are good, of which most random texts are none. */
static void good_tables(void)
{
    static const char *const fields[] = {"",
                                         "a",
                                         "\"\"",
                                         "\"a,b\"",
                                         "\"\n\"",
                                         "bc",
                                         "\"\"\"\"",
                                         "\"x\"\"y\"",
                                         " ",
                                         "12.5",
                                         "\"\r\n\"",
                                         "\"\"\"\n\"\"\"",
                                         "long field of words",
                                         "\"and , quoted\"",
                                         "\r"};
    uint64_t rng = check_seed(2);
    for (unsigned round = 0; round < check_often(100000); round++) {
        uint8_t text[TEXT_MAX + GS_CSV_SLACK] = {0}, room[TEXT_MAX + GS_CSV_SLACK],
                                other[TEXT_MAX + GS_CSV_SLACK];
        size_t bytes = 0;
        while (bytes < TEXT_MAX - 40) {
            const char *const f = fields[check_random(&rng) % 15];
            memcpy(text + bytes, f, strlen(f));
            bytes += strlen(f);
            const uint64_t r = check_random(&rng) % 8;
            if (r == 0)
                text[bytes++] = '\r';
            text[bytes++] = r < 2 ? '\n' : ',';
            if (check_random(&rng) % 64 == 0)
                break;
        }
        const char *const what = slow_csv_differs(text, bytes, comma, room, other);
        if (what != NULL) {
            fprintf(stderr, "good table %u: %s\n", round, what);
            check_failures++;
            return;
        }
    }
}

/* A quoted value of short and long stretches, closed or not, with anything behind. */
static void quoted_values(void)
{
    uint64_t rng = check_seed(3);
    for (unsigned round = 0; round < check_often(20000); round++) {
        uint8_t text[TEXT_MAX], want[TEXT_MAX], got[TEXT_MAX];
        const uint64_t one_in = 2 + check_random(&rng) % 40;
        const size_t bytes = 1 + check_random(&rng) % (TEXT_MAX - 1);
        for (size_t i = 0; i < bytes; i++)
            text[i] = i == 0 || check_random(&rng) % one_in == 0
                          ? '"'
                          : (uint8_t)('a' + i % 26);
        size_t at = 1, n = 0;
        bool doubled = false, has_doubled = false;
        for (; at < bytes && (text[at] != '"' || (at + 1 < bytes && text[at + 1] == '"'));
             at++) {
            want[n++] = text[at];
            doubled |= text[at] == '"';
            at += text[at] == '"';
        }
        const uint8_t *const end = gs_csv_quoted_end(text, text + bytes, &has_doubled);
        CHECK(end == (at < bytes ? text + at + 1 : NULL));
        CHECK(has_doubled == doubled);
        CHECK(gs_csv_undouble(text + 1, text + at, got) == got + n);
        CHECK(memcmp(got, want, n) == 0);
        CHECK(gs_csv_undouble(text + 1, text + at, text + 1) == text + 1 + n);
        CHECK(memcmp(text + 1, want, n) == 0);
    }
}

int main(void)
{
    examples();
    quoted_values();
    keys_of_columns();
    as_the_slow_way();
    good_tables();
    return check_failures != 0;
}
