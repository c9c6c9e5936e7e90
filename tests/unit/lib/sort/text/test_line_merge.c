/* SPDX-License-Identifier: MIT */
/*
 * line_merge: parts of sorted texts give what sorting all of their lines gives, in any
 * room, forwards and backwards, with no byte beyond what may be written; a line out of
 * order, one that has lost its end and one that is too long are said where they are.
 */
#include "lib/sort/text/line_merge.h"

#include <stdlib.h>

#include "tests/check.h"

enum {
    TEXTS = 7,
    LINES = 400,
    LONGEST = 200,
    TEXT_BYTES = LINES * (LONGEST + 1),
    SLACK = 128,
    GUARD = 0xa5
};

typedef struct line {
    uint8_t bytes[LONGEST];
    size_t length;
} line;

static uint8_t text[TEXTS][TEXT_BYTES + SLACK];
static uint8_t expected[TEXTS * TEXT_BYTES];
static uint8_t made[TEXTS * TEXT_BYTES + GS_SHORT_COPY_BYTES + 1];
static line lines[TEXTS * LINES];
static bool is_backwards;

static int compare(const void *a, const void *b)
{
    const line *const x = a, *const y = b;
    const size_t common = x->length < y->length ? x->length : y->length;
    const int d = memcmp(x->bytes, y->bytes, common);
    const int order = d != 0 ? d : (x->length > y->length) - (x->length < y->length);
    return is_backwards ? -order : order;
}

/* Few letters, zeros too, and beginnings in common: many are equal or nearly so. */
static void make_line(line *l, uint64_t *state)
{
    l->length = check_random(state) % 4 == 0 ? check_random(state) % LONGEST
                                             : check_random(state) % 9;
    const size_t shared = check_random(state) % (l->length + 1);
    for (size_t i = 0; i < l->length; i++)
        l->bytes[i] = i < shared ? 'p' : (uint8_t)("\0ab\xff"[check_random(state) % 4]);
}

static size_t write_lines(uint8_t *to, line *of, size_t count)
{
    size_t at = 0;
    qsort(of, count, sizeof *of, compare);
    for (size_t i = 0; i < count; i++) {
        memcpy(to + at, of[i].bytes, of[i].length);
        at += of[i].length;
        to[at++] = '\n';
    }
    return at;
}

/* Some texts, and all of it in order: returns how many bytes that has. */
static size_t make_texts(const uint8_t **begins, const uint8_t **ends, size_t count,
                         uint64_t *state)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = check_random(state) % 3 == 0 ? 0 : check_random(state) % LINES;
        for (size_t j = 0; j < n; j++)
            make_line(&lines[total + j], state);
        begins[i] = text[i];
        ends[i] = text[i] + write_lines(text[i], lines + total, n);
        total += n;
    }
    return write_lines(expected, lines, total);
}

static void gives_what_sorting_gives(uint64_t *state)
{
    const uint8_t *begins[TEXTS], *ends[TEXTS];
    for (unsigned round = 0; round < 300; round++) {
        gs_status st = {.code = GS_OK};
        gs_line_merge m;
        is_backwards = round % 2 == 1;
        const size_t count = 1 + check_random(state) % TEXTS;
        const size_t bytes = make_texts(begins, ends, count, state);
        REQUIRE_OK(gs_line_merge_init(&m, count, '\n', is_backwards, LONGEST, &st), &st);
        gs_line_merge_end how = gs_line_merge_start(&m, begins, ends);
        size_t at = 0, some, room = round % 3 == 0 ? sizeof expected : LONGEST;
        while (how == GS_LINE_MERGE_FULL) {
            uint64_t n;
            memset(made + at + room, GUARD, GS_SHORT_COPY_BYTES + 1);
            how = gs_line_merge_some(&m, made + at, room, &some, &n);
            CHECK(made[at + room + GS_SHORT_COPY_BYTES] == GUARD);
            CHECK(some <= room);
            at += some;
            if (how != GS_LINE_MERGE_FULL)
                break;
            CHECK(gs_line_merge_next_bytes(&m) > room - some);
            room = 1 + check_random(state) % (2 * LONGEST);
            if (room < gs_line_merge_next_bytes(&m))
                room = gs_line_merge_next_bytes(&m);
        }
        CHECK(how == GS_LINE_MERGE_DONE);
        CHECK(at == bytes && memcmp(made, expected, bytes) == 0);
        gs_line_merge_release(&m);
    }
}

/* Of two texts, the second of which is not as it should be. */
static void expect_end(const char *second, size_t bytes, gs_line_merge_end wanted,
                       size_t where)
{
    static const char first[] = "aa\nab\nzz\n";
    const uint8_t *const begins[] = {text[0], text[1]};
    const uint8_t *const ends[] = {text[0] + sizeof first - 1, text[1] + bytes};
    gs_status st = {.code = GS_OK};
    gs_line_merge m;
    size_t some;
    uint64_t n;
    memcpy(text[0], first, sizeof first);
    memcpy(text[1], second, bytes);
    REQUIRE_OK(gs_line_merge_init(&m, 2, '\n', false, 5, &st), &st);
    gs_line_merge_end how = gs_line_merge_start(&m, begins, ends);
    if (how == GS_LINE_MERGE_FULL)
        how = gs_line_merge_some(&m, made, sizeof made - GS_SHORT_COPY_BYTES, &some, &n);
    CHECK(how == wanted);
    CHECK(wanted == GS_LINE_MERGE_DONE || (m.source == 1 && m.at == text[1] + where));
    gs_line_merge_release(&m);
}

static void says_what_is_wrong(void)
{
    expect_end("ac\nad\n", 6, GS_LINE_MERGE_DONE, 0);
    expect_end("ac\nad\nab\n", 9, GS_LINE_MERGE_DISORDER, 3);
    expect_end("ac\nad\nae", 8, GS_LINE_MERGE_OPEN, 6);
    expect_end("ac", 2, GS_LINE_MERGE_OPEN, 0);
    expect_end("ac\nadefgh\n", 10, GS_LINE_MERGE_LONG, 3);
    expect_end("adefgh\n", 7, GS_LINE_MERGE_LONG, 0);
    expect_end("ac\nadefg\n", 9, GS_LINE_MERGE_DONE, 0);
}

int main(void)
{
    uint64_t state = check_seed(31);
    gives_what_sorting_gives(&state);
    says_what_is_wrong();
    return check_failures != 0;
}
