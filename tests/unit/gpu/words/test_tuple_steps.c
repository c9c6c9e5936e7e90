/* SPDX-License-Identifier: MIT */
/*
 * tuple_steps: what kernels take for a tuple must be what the reader of the cores does,
 * or an index depends on who built it; and a line that is malformed must be refused,
 * since nobody else tells of it. Lines of every kind, whole and cut off, against that
 * reader.
 */
#include "gpu/words/tuple_steps.h"

#include <string.h>

#include "lib/index/text/documents.h"
#include "tests/check.h"

enum { LINE_MAX_BYTES = 70000, LINES = 40, SLACK = 64 };

static gs_tuple_batch tuples;

/* A field that is right, nearly, or not at all. */
static size_t put_number(uint64_t *random, char *to)
{
    static const char *const odd[] = {"",
                                      "x",
                                      "1 ",
                                      "-1",
                                      "0",
                                      "4294967295",
                                      "4294967296",
                                      "1099511627775",
                                      "1099511627776",
                                      "99999999999999999999",
                                      "00000000012"};
    const uint64_t r = check_random(random);
    if (r % 8 == 0)
        return (size_t)sprintf(to, "%s", odd[(r >> 8) % (sizeof odd / sizeof *odd)]);
    if (r % 50 == 1) {
        memset(to, '0', 80);
        return 80;
    }
    return (size_t)sprintf(to, "%llu", (unsigned long long)(r >> 40));
}

static size_t put_line(uint64_t *random, char *to)
{
    static const char *const terms[] = {"fish", "a", "\xc3\xa9t\xc3\xa9", "two words", "",
                                        " ",    "\r"};
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\t\n", "\n\n", " \n"};
    const uint64_t r = check_random(random);
    size_t n = 0;
    if (r % 100 == 0) {
        n = 65530 + (r >> 8) % 10;
        memset(to, 'w', n);
    } else {
        n = (size_t)sprintf(to, "%s", terms[(r >> 8) % (r % 10 == 1 ? 7 : 4)]);
    }
    for (uint64_t field = 0; field < (r >> 20) % 10 && field < 2 + (r >> 30) % 2;
         field++) {
        to[n++] = '\t';
        n += put_number(random, to + n);
        if (r % 3 != 0)
            break;
    }
    return n + (size_t)sprintf(to + n, "%s", ends[(r >> 40) % 7]);
}

static bool is_blank(const uint8_t *line, size_t bytes)
{
    return gs_document_line_is_blank(line, line + bytes);
}

/* The line by the reader: 1 tuple, or what is malformed, or nothing of a blank one. */
static void check_line(const uint8_t *text, uint32_t bytes, uint32_t at)
{
    const uint8_t *const eol = memchr(text + at, '\n', bytes - at);
    const size_t line_bytes = eol != NULL ? (size_t)(eol - (text + at)) : bytes - at;
    const gs_line_batch batch = {.data = text + at,
                                 .bytes = line_bytes + (eol != NULL ? 1 : 0)};
    gs_tuple_reader reader;
    gs_bad_document bad;
    gs_tuple_view view;
    const bool is_plain = gs_tuple_at(text, bytes, at, &view);
    gs_tuple_reader_begin(&reader, GS_FORMAT_TUPLES, &batch);
    gs_tuple_reader_next(&reader, &tuples, &bad);
    if (tuples.count == 0) {
        CHECK(!is_plain && (bad.why != NULL || is_blank(text + at, line_bytes)));
        return;
    }
    const gs_tuple *const t = &tuples.tuples[0];
    const bool is_long = line_bytes - t->term.bytes >= GS_TUPLE_NUMBERS_BYTES;
    CHECK(is_plain == (t->doc <= UINT32_MAX && !is_long));
    if (!is_plain)
        return;
    CHECK(view.document == t->doc && view.tf == t->tf);
    CHECK(view.term.count == t->term.bytes &&
          memcmp(view.term.bytes, t->term.term, t->term.bytes) == 0);
}

static void lines_are_what_the_reader_takes(uint64_t seed)
{
    static char text[LINES * LINE_MAX_BYTES + SLACK];
    for (unsigned round = 0; round < 300; round++) {
        size_t bytes = 0, wanted = 0, got = 0;
        for (unsigned i = 0; i < LINES; i++)
            bytes += put_line(&seed, text + bytes);
        bytes -= check_random(&seed) % 4;
        const uint8_t *const p = (const uint8_t *)text;
        for (size_t i = 0; i < bytes; i++)
            wanted += i == 0 || p[i - 1] == '\n';
        for (uint32_t c = 0; c < gs_word_chunks((uint32_t)bytes); c++) {
            uint32_t starts = gs_tuple_starts(p, (uint32_t)bytes, c);
            for (; starts != 0; starts &= starts - 1, got++)
                check_line(p, (uint32_t)bytes,
                           c * GS_WORD_CHUNK + gs_word_lowest(starts));
        }
        CHECK(got == wanted);
    }
}

static void pairs_are_what_the_reader_takes(uint64_t seed)
{
    uint32_t pairs[64] = {0, 0, 9, 1, 10, 2, UINT32_MAX, UINT32_MAX};
    for (size_t i = 8; i < 64; i++)
        pairs[i] = (uint32_t)(check_random(&seed) >> (32 + check_random(&seed) % 32));
    const gs_line_batch batch = {.data = (const uint8_t *)pairs, .bytes = sizeof pairs};
    gs_tuple_reader reader;
    gs_bad_document bad;
    gs_tuple_reader_begin(&reader, GS_FORMAT_TUPLES_BIN, &batch);
    gs_tuple_reader_next(&reader, &tuples, &bad);
    CHECK(tuples.count == 32);
    for (uint32_t i = 0; i < 32; i++) {
        uint8_t digits[GS_TUPLE_DIGITS_MAX];
        gs_tuple_view view;
        gs_tuple_pair(batch.data, i, digits, &view);
        char plain[16];
        CHECK(view.term.count == (uint32_t)sprintf(plain, "%u", pairs[2 * i]));
        CHECK(memcmp(digits, plain, view.term.count) == 0);
        CHECK(view.term.count == tuples.tuples[i].term.bytes &&
              memcmp(digits, tuples.tuples[i].term.term, view.term.count) == 0);
        CHECK(view.document == pairs[2 * i + 1] && tuples.tuples[i].doc == view.document);
    }
}

/* A piece takes no more than it was reckoned to. */
static void room_is_enough(void)
{
    for (size_t pairs = 1; pairs < 5000; pairs += 7) {
        const gs_word_room most = gs_word_most_of(pairs * GS_TUPLE_PAIR_BYTES);
        CHECK(most.tokens >= pairs && most.terms >= pairs);
        CHECK(most.term_bytes >= pairs * 16); /* each of ten digits */
    }
    for (size_t lines = 1; lines < 5000; lines += 7) { /* "a TAB 1" each */
        const gs_word_room most = gs_word_most_of(lines * 4 - 1);
        CHECK(most.tokens >= lines && most.terms >= lines &&
              most.term_bytes >= 8 * lines);
    }
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    const uint64_t seed = check_seed(11);
    REQUIRE_OK(gs_token_batch_init(&tuples.terms, &st), &st);
    lines_are_what_the_reader_takes(seed);
    pairs_are_what_the_reader_takes(seed);
    room_is_enough();
    gs_token_batch_release(&tuples.terms);
    return check_result();
}
