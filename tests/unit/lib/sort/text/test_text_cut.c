/* SPDX-License-Identifier: MIT */
/*
 * text_cut: the pieces follow each other and hold every line once; merged one by one,
 * they give what merging all at once gives, down to which of equal lines comes first;
 * equal lines stay together where that is asked for; pieces are of about the size that
 * was asked for; where texts are not sorted the cutting ends, and all that was cut is
 * right. A text whose last line has lost its end meanwhile, or has become another than
 * the copy of it, is a failure.
 */
#include "lib/sort/text/text_cut.h"

#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    TEXTS_MAX = 9,
    TEXT_BYTES = 20000,
    SLACK = 64,
    LINES_MAX = TEXTS_MAX * TEXT_BYTES,
    LONGEST = 30
};

typedef struct line {
    const uint8_t *at;
    size_t bytes, text;
} line;

static uint8_t room[TEXTS_MAX][TEXT_BYTES + SLACK];
static gs_text texts[TEXTS_MAX];
static line lines[LINES_MAX];
static size_t line_count;
static gs_record_layout layout;
static size_t record_size;

static int compare_bytes(const line *a, const line *b)
{
    const size_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    const int d = memcmp(a->at, b->at, common);
    const int order = d != 0 ? d : (a->bytes > b->bytes) - (a->bytes < b->bytes);
    return layout.is_backwards ? -order : order;
}

static int compare_lines(const void *a, const void *b)
{
    const line *const x = a, *const y = b;
    const int d = compare_bytes(x, y);
    return d != 0 ? d : (x->at > y->at) - (x->at < y->at); /* texts lie in order */
}

/* Lines of [at, end), which a last one without eol ends. */
static void add_lines(const uint8_t *at, const uint8_t *end, size_t text)
{
    while (at < end) {
        const uint8_t *const eol =
            record_size > 0 ? NULL : memchr(at, '\n', (size_t)(end - at));
        const size_t bytes = record_size > 0 ? record_size
                             : eol != NULL   ? (size_t)(eol - at)
                                             : (size_t)(end - at);
        REQUIRE(line_count < LINES_MAX);
        lines[line_count++] = (line){at, bytes, text};
        at += bytes + (eol != NULL);
    }
}

/* A sorted text of random lines of few different bytes, so that many are equal. */
static void fill_text(size_t t, size_t bytes, unsigned alphabet, size_t longest,
                      uint64_t *state)
{
    static uint8_t unsorted[TEXT_BYTES + SLACK];
    size_t used = 0, at = 0;
    while (used < bytes) {
        const size_t wanted =
            record_size > 0 ? record_size : check_random(state) % (longest + 1);
        if (used + wanted + 1 > bytes)
            break;
        for (size_t i = 0; i < wanted; i++)
            unsorted[used++] = (uint8_t)('a' + check_random(state) % alphabet);
        if (record_size == 0)
            unsorted[used++] = '\n';
    }
    line_count = 0;
    add_lines(unsorted, unsorted + used, 0);
    qsort(lines, line_count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < line_count; i++) {
        memcpy(room[t] + at, lines[i].at, lines[i].bytes);
        at += lines[i].bytes;
        if (record_size == 0)
            room[t][at++] = '\n';
    }
    texts[t] = (gs_text){.begin = room[t], .end = room[t] + at};
}

/* Sorts the lines of a piece after what `lines` holds; returns how many they are. */
static size_t merge_piece(const uint8_t *const *begin, const uint8_t *const *end,
                          size_t text_count)
{
    const size_t before = line_count;
    for (size_t t = 0; t < text_count; t++)
        add_lines(begin[t], end[t], t);
    qsort(lines + before, line_count - before, sizeof *lines, compare_lines);
    return line_count - before;
}

static void check_pieces(size_t text_count, size_t piece_bytes, bool keeps_together,
                         gs_text_cut_end expected)
{
    const gs_text_cut_options options = {
        .form = {.layout = &layout, .record_size = record_size},
        .texts = texts,
        .text_count = text_count,
        .piece_bytes = piece_bytes,
        .keeps_equals_together = keeps_together,
    };
    const uint8_t *begin[TEXTS_MAX], *end[TEXTS_MAX], *next[TEXTS_MAX];
    gs_status st = {.code = GS_OK};
    gs_text_cut *cut = NULL;
    gs_text_cut_end how;
    size_t largest = 0, pieces = 0;
    REQUIRE_OK(gs_text_cut_new(&cut, &options, &st), &st);
    for (size_t t = 0; t < text_count; t++)
        next[t] = texts[t].begin;
    line_count = 0;
    for (;; pieces++) {
        REQUIRE_OK(gs_text_cut_next(cut, begin, end, &how, &st), &st);
        CHECK(memcmp(begin, next, text_count * sizeof *begin) == 0);
        if (how != GS_TEXT_CUT_PIECE)
            break;
        size_t bytes = 0;
        const size_t first = line_count;
        for (size_t t = 0; t < text_count; t++) {
            CHECK(begin[t] <= end[t] && end[t] <= texts[t].end);
            bytes += (size_t)(end[t] - begin[t]);
        }
        const size_t count = merge_piece(begin, end, text_count);
        CHECK(count > 0);
        if (first > 0 && count > 0) {
            CHECK(compare_lines(&lines[first - 1], &lines[first]) < 0);
            CHECK(!keeps_together || compare_bytes(&lines[first - 1], &lines[first]) < 0);
        }
        largest = bytes > largest ? bytes : largest;
        memcpy(next, end, text_count * sizeof *end);
    }
    CHECK(how == expected);
    if (expected == GS_TEXT_CUT_DONE) {
        for (size_t t = 0; t < text_count; t++)
            CHECK(next[t] == texts[t].end);
        /* What was asked for, and of every text a step between two lines. */
        const size_t step = piece_bytes / 16 + 2 * (LONGEST + 1);
        CHECK(keeps_together || largest <= piece_bytes + step * (text_count + 1));
    }
    gs_text_cut_free(cut);
}

static void pieces_are_right(uint64_t *state)
{
    static const size_t piece_sizes[] = {1, 40, 300, 3000, 1000000};
    for (unsigned round = 0; round < 400; round++) {
        const size_t text_count = 1 + check_random(state) % TEXTS_MAX;
        const unsigned alphabet = 1 + (unsigned)(check_random(state) % 20);
        record_size = check_random(state) % 4 == 0 ? 1 + check_random(state) % 9 : 0;
        layout = (gs_record_layout){.has_eol = record_size == 0,
                                    .eol = '\n',
                                    .is_backwards = check_random(state) % 3 == 0};
        for (size_t t = 0; t < text_count; t++) {
            const size_t most = round % 10 == 0 ? TEXT_BYTES : 600;
            const size_t bytes = check_random(state) % most;
            const size_t longest = 1 + check_random(state) % LONGEST;
            fill_text(t, bytes, alphabet, longest, state);
        }
        for (size_t i = 0; i < sizeof piece_sizes / sizeof *piece_sizes; i++)
            check_pieces(text_count, piece_sizes[i], i % 2 == round % 2,
                         GS_TEXT_CUT_DONE);
    }
}

/* A last line without eol is a line like any other. */
static void open_lines_count(void)
{
    static const uint8_t last[] = "b\n";
    static uint8_t padded[sizeof last + SLACK];
    layout = (gs_record_layout){.has_eol = true, .eol = '\n'};
    record_size = 0;
    memcpy(padded, last, sizeof last);
    memcpy(room[0], "a\nb", 3);
    memcpy(room[1], "a\nb\nc\n", 6);
    texts[0] = (gs_text){room[0], room[0] + 3, padded, 1, 0, false, NULL};
    texts[1] = (gs_text){room[1], room[1] + 6, NULL, 0, 1, false, NULL};
    for (size_t bytes = 1; bytes < 12; bytes++) {
        check_pieces(2, bytes, false, GS_TEXT_CUT_DONE);
        CHECK(line_count == 5);
        check_pieces(2, bytes, true, GS_TEXT_CUT_DONE);
        CHECK(line_count == 5);
    }
}

static void is_changed(const char *text, const uint8_t *last_line, size_t last_bytes)
{
    const size_t bytes = strlen(text);
    const gs_text_form form = {.layout = &layout};
    gs_status st = {.code = GS_OK};
    gs_merge_head head, greater = {.string = (const uint8_t *)"z", .string_bytes = 1};
    gs_text_cursor c = {0};
    bool is_in_order = true;
    memcpy(room[0], text, bytes);
    const gs_text all = {room[0], room[0] + bytes, last_line, last_bytes, 0, false, NULL};
    gs_code code = gs_text_cursor_start(&c, &form, &all, all.begin, all.end, &head, &st);
    while (code == GS_OK && head.code != GS_OVC_EXHAUSTED)
        code = gs_text_cursor_advance(&c, &is_in_order, &st);
    CHECK(code == GS_ERR_IO && strstr(st.msg, "changed") != NULL);
    gs_text_cursor_release(&c);
    const uint8_t *found = NULL;
    gs_status_clear(&st);
    CHECK(gs_text_find(&form, &all, all.begin, all.end, &greater, false, &found, &st) ==
          GS_ERR_IO);
}

/* As if somebody wrote to the file while it was merged. */
static void changed_ends_fail(void)
{
    static const uint8_t last[] = "b\n";
    layout = (gs_record_layout){.has_eol = true, .eol = '\n'};
    is_changed("a\nb", NULL, 0); /* its last byte was an eol */
    is_changed("ab", NULL, 0);
    is_changed("a\nbc", last, 1); /* the eol was one byte later */
    is_changed("aab", last, 1);   /* and now there is none */
}

/* What is found lies between the bounds, also if a line at the upper one has lost its
 * end. */
static void bounds_are_kept(void)
{
    static const char text[] = "aa\nbb\nccXdd\n";
    const gs_text_form form = {.layout = &layout};
    const gs_merge_head greater = {.string = (const uint8_t *)"z", .string_bytes = 1};
    const gs_text all = {room[0], room[0] + sizeof text - 1, NULL, 0, 0, false, NULL};
    gs_status st = {.code = GS_OK};
    const uint8_t *found = NULL;
    layout = (gs_record_layout){.has_eol = true, .eol = '\n'};
    memcpy(room[0], text, sizeof text);
    const uint8_t *const hi = all.begin + 9; /* where dd was a line of its own */
    REQUIRE_OK(gs_text_find(&form, &all, all.begin, hi, &greater, false, &found, &st),
               &st);
    CHECK(found == hi);
}

/* Two halves of a text change places: what is cut before that is seen is right, and the
 * rest is not cut. */
static void disorder_ends_it(uint64_t *state)
{
    static uint8_t half[TEXT_BYTES];
    layout = (gs_record_layout){.has_eol = true, .eol = '\n'};
    record_size = 0;
    for (unsigned round = 0; round < 50; round++) {
        fill_text(0, 9000, 20, 10, state);
        fill_text(1, 9000, 20, 10, state);
        const size_t bytes = (size_t)(texts[1].end - texts[1].begin);
        const uint8_t *const middle = memchr(room[1] + bytes / 2, '\n', bytes / 2);
        REQUIRE(middle != NULL);
        const size_t front = (size_t)(middle - room[1]) + 1;
        memcpy(half, room[1], front);
        memmove(room[1], room[1] + front, bytes - front);
        memcpy(room[1] + bytes - front, half, front);
        check_pieces(2, 100 + check_random(state) % 2000, false, GS_TEXT_CUT_DISORDER);
    }
}

int main(void)
{
    uint64_t state = check_seed(27);
    pieces_are_right(&state);
    open_lines_count();
    changed_ends_fail();
    bounds_are_kept();
    disorder_ends_it(&state);
    return check_failures != 0;
}
