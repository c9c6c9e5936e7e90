/* SPDX-License-Identifier: MIT */
/*
 * stretches: wherever stretches of texts begin, also where parts meet that several
 * threads look at, they are found, and nothing else; of many there is none, and none
 * where lines are long; a text that is reversed is seen to be, if all of it is. Lines by
 * bytes, backwards, by numbers, fixed-size records, and a last line without its end.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/text/stretches.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    TEXTS = 2,
    NUMBERS = 3000000,
    WIDTH = 8,
    PARTS_LINES = (8 << 20) / WIDTH,
    ROOM = NUMBERS * WIDTH + 4096,
    LONG = 5000
};

typedef struct made_text {
    uint8_t *data;
    size_t bytes;
    size_t begins[GS_STRETCHES_MAX + 8];
    size_t begin_count;
} made_text;

static void put_number(uint8_t *at, size_t value)
{
    for (size_t i = WIDTH - 1; i-- > 0; value /= 10)
        at[i] = (uint8_t)('0' + value % 10);
    at[WIDTH - 1] = '\n';
}

/* Lines of numbers that go up, of eight bytes each, and at some places from 0 again. */
static void make_text(made_text *t, size_t lines, size_t stretches, bool is_backwards,
                      uint64_t *state)
{
    uint8_t *at = t->data;
    t->begin_count = 0;
    for (size_t s = 0; s < stretches; s++) {
        const size_t first = lines * s / stretches, end = lines * (s + 1) / stretches;
        const size_t base = s == 0 ? 0 : check_random(state) % 10;
        t->begins[t->begin_count++] = (size_t)(at - t->data);
        for (size_t i = first; i < end; i++) {
            const size_t up = base + (i - first);
            const size_t value = is_backwards ? 9000000 - up : up;
            put_number(at, value / 2 * 2);
            at += WIDTH;
        }
    }
    t->bytes = (size_t)(at - t->data);
}

/* In so many of the texts. */
static size_t guess_in(const gs_text_form *form, const made_text *made, size_t text_count,
                       gs_text *stretches, size_t line_bytes_max, bool *is_guess)
{
    gs_status st = {.code = GS_OK};
    gs_text texts[TEXTS] = {{0}};
    gs_stretches_options options = {.form = *form,
                                    .texts = texts,
                                    .text_count = text_count,
                                    .line_bytes_max = line_bytes_max,
                                    .may_be_reversed = true,
                                    .is_guess = is_guess};
    size_t count = 99;
    for (size_t i = 0; i < text_count; i++)
        texts[i] = (gs_text){
            .begin = made[i].data, .end = made[i].data + made[i].bytes, .file = i};
    REQUIRE_OK(gs_team_new(&options.team, 3, &st), &st);
    REQUIRE_OK(gs_stretches_find(&options, stretches, &count, &st), &st);
    gs_team_free(options.team);
    return count;
}

static size_t find_in(const gs_text_form *form, const made_text *made, size_t text_count,
                      gs_text *stretches, size_t line_bytes_max)
{
    return guess_in(form, made, text_count, stretches, line_bytes_max, NULL);
}

static size_t find(const gs_text_form *form, const made_text *made, gs_text *stretches,
                   size_t line_bytes_max)
{
    return find_in(form, made, TEXTS, stretches, line_bytes_max);
}

/* One text that is in order the other way round, with equal lines; not if a line in it is
 * in order, wherever, nor of two texts. */
static void reversed_is_found(const gs_text_form *form, made_text *made, size_t lines,
                              uint64_t *state)
{
    gs_text stretches[GS_STRETCHES_MAX];
    const bool is_backwards = form->layout->is_backwards;
    make_text(&made[0], lines, 1, !is_backwards, state);
    make_text(&made[1], lines, 1, !is_backwards, state);
    CHECK(find(form, made, stretches, 1000) == 0);
    REQUIRE(find_in(form, made, 1, stretches, 1000) == 1);
    CHECK(stretches[0].is_reversed && stretches[0].begin == made[0].data &&
          stretches[0].end == made[0].data + made[0].bytes);
    for (unsigned round = 0; round < 4; round++) {
        const size_t place[] = {4, lines - 1, PARTS_LINES / 2,
                                4 + check_random(state) % (lines - 4)};
        const size_t at = place[round] < lines ? place[round] : lines / 2;
        uint8_t kept[WIDTH];
        memcpy(kept, made[0].data + at * WIDTH, WIDTH);
        put_number(made[0].data + at * WIDTH, is_backwards ? 0 : 9999999);
        CHECK(find_in(form, made, 1, stretches, 1000) == 0);
        memcpy(made[0].data + at * WIDTH, kept, WIDTH);
    }
    make_text(&made[0], lines, 1, is_backwards, state);
    REQUIRE(find_in(form, made, 1, stretches, 1000) == 1);
    CHECK(!stretches[0].is_reversed);
}

/* Of long stretches, and one that was appended, a guess says what is so; of a line out of
 * place it need not know. A text that is reversed is looked at. */
static void some_are_guessed(const gs_text_form *form, made_text *made, size_t lines,
                             uint64_t *state)
{
    gs_text found[GS_STRETCHES_MAX], guessed[GS_STRETCHES_MAX];
    const bool is_backwards = form->layout->is_backwards;
    bool is_guess = false;
    for (unsigned round = 0; round < 4; round++) {
        make_text(&made[0], lines, 1 + check_random(state) % 15, is_backwards, state);
        make_text(&made[1], lines / 2, 1 + check_random(state) % 15, is_backwards, state);
        if (round == 3)
            put_number(made[1].data + made[1].bytes - WIDTH, is_backwards ? 9999999 : 0);
        const size_t count = find(form, made, found, 1000);
        REQUIRE(guess_in(form, made, 2, guessed, 1000, &is_guess) == count && is_guess);
        for (size_t i = 0; i < count; i++)
            CHECK(guessed[i].begin == found[i].begin && guessed[i].end == found[i].end &&
                  guessed[i].file == found[i].file);
    }
    make_text(&made[0], lines, 2, is_backwards, state);
    put_number(made[0].data + made[0].bytes / 4 / WIDTH * WIDTH + 5 * WIDTH,
               is_backwards ? 0 : 9999999);
    REQUIRE(find_in(form, made, 1, found, 1000) == 3);
    const size_t count = guess_in(form, made, 1, guessed, 1000, &is_guess);
    CHECK((count == 2 || count == 3) && is_guess);
    make_text(&made[0], lines, 1, !is_backwards, state);
    CHECK(guess_in(form, made, 1, guessed, 1000, &is_guess) == 1 && !is_guess);
    CHECK(guessed[0].is_reversed);
}

static void all_are_found(const gs_text_form *form, made_text *made, size_t lines,
                          uint64_t *state)
{
    gs_text stretches[GS_STRETCHES_MAX];
    const bool is_backwards = form->layout->is_backwards;
    for (unsigned round = 0; round < 4; round++) {
        size_t expected = 0, at = 0;
        for (size_t i = 0; i < TEXTS; i++) {
            const size_t n = round == 0 ? 1 : 1 + check_random(state) % 15;
            if (round == 1 && i < 2) /* one begins where parts meet, or a line behind */
                make_text(&made[i], PARTS_LINES + 2 * i, 2, is_backwards, state);
            else
                make_text(&made[i], lines / (1 + i), n, is_backwards, state);
            expected += made[i].begin_count;
        }
        REQUIRE(find(form, made, stretches, 1000) == expected);
        for (size_t i = 0; i < TEXTS; i++)
            for (size_t k = 0; k < made[i].begin_count; k++, at++) {
                const bool is_last = k + 1 == made[i].begin_count;
                const size_t end = is_last ? made[i].bytes : made[i].begins[k + 1];
                CHECK(stretches[at].begin == made[i].data + made[i].begins[k]);
                CHECK(stretches[at].end == made[i].data + end);
                CHECK(stretches[at].file == i);
            }
    }
}

static void others_are_refused(const gs_text_form *form, made_text *made, size_t lines,
                               uint64_t *state)
{
    gs_text stretches[GS_STRETCHES_MAX];
    const bool is_backwards = form->layout->is_backwards;
    make_text(&made[0], lines, 1, is_backwards, state);
    make_text(&made[1], lines, GS_STRETCHES_MAX, is_backwards, state);
    CHECK(find(form, made, stretches, 1000) == 0);
    make_text(&made[1], lines, GS_STRETCHES_MAX - 1, is_backwards, state);
    CHECK(find(form, made, stretches, 1000) == GS_STRETCHES_MAX);
    if (form->record_size > 0)
        return;
    memset(made[0].data + lines / 2 * WIDTH, made[0].data[lines / 2 * WIDTH], LONG);
    made[0].data[lines / 2 * WIDTH + LONG] = '\n';
    make_text(&made[1], lines, 1, is_backwards, state);
    CHECK(find(form, made, stretches, LONG - 1) == 0);
    CHECK(find(form, made, stretches, LONG + WIDTH) > 0);
}

int main(void)
{
    uint64_t state = check_seed(5);
    gs_status st = {.code = GS_OK};
    made_text made[TEXTS] = {{0}};
    gs_key_encoder *encoder = NULL;
    gs_key key = {.end_field = SIZE_MAX, .type = GS_KEY_NUMERIC};
    const gs_order order = {.keys = &key, .key_count = 1, .eol = '\n'};
    const size_t lines = check_is_long() ? NUMBERS
                                         : NUMBERS / (CHECK_HAS_TSAN   ? 20
                                                      : CHECK_HAS_ASAN ? 10
                                                                       : 2);
    for (size_t i = 0; i < TEXTS; i++) {
        /* Shared, as a file is: what is left comes back. */
        void *const map =
            mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        REQUIRE(map != MAP_FAILED);
        made[i].data = map;
    }
    REQUIRE_OK(gs_key_encoder_new(&encoder, &order, false, &st), &st);
    const gs_record_layout plain = {.has_eol = true, .eol = '\n'};
    const gs_record_layout back = {.has_eol = true, .eol = '\n', .is_backwards = true};
    const gs_record_layout keyed = {.has_eol = true, .eol = '\n', .is_keyed = true};
    const gs_record_layout fixed = {0};
    const gs_text_form forms[] = {
        {&plain, NULL, 0}, {&back, NULL, 0}, {&keyed, encoder, 0}, {&fixed, NULL, WIDTH}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        all_are_found(&forms[i], made, i < 2 ? lines : lines / 2, &state);
        others_are_refused(&forms[i], made, lines / 2, &state);
        reversed_is_found(&forms[i], made, lines / 2, &state);
        some_are_guessed(&forms[i], made, lines / 2, &state);
    }
    gs_key_encoder_free(encoder);
    for (size_t i = 0; i < TEXTS; i++)
        REQUIRE(munmap(made[i].data, ROOM) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
