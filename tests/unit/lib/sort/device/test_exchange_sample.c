/* SPDX-License-Identifier: MIT */
/*
 * exchange_sample: records from all over a text, however long it is and its records are.
 * What would break: a record that is cut, a sample of the beginning only, room that is
 * passed or never used, records of fixed size that are shifted.
 */
#include "lib/sort/device/exchange_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

enum { ROOM = 4096, LINES = 200000, WIDTH = 8, RECORD = 12 };

static gs_exchange_sample new_sample(size_t record_size, size_t room)
{
    gs_status st = {.code = GS_OK};
    gs_exchange_sample s;
    const gs_text_order order = {.record_size = record_size, .eol = '\n'};
    REQUIRE_OK(gs_exchange_sample_new(&s, &order, room, &st), &st);
    return s;
}

/* Line i is its number, with WIDTH bytes in all. */
static char *make_lines(void)
{
    char *const text = malloc((size_t)LINES * WIDTH + 1);
    REQUIRE(text != NULL);
    for (unsigned i = 0; i < LINES; i++)
        (void)sprintf(text + (size_t)i * WIDTH, "%07u\n", i);
    return text;
}

static void is_from_everywhere(size_t batch_lines)
{
    char *const text = make_lines();
    gs_exchange_sample s = new_sample(0, ROOM);
    for (size_t at = 0; at < LINES; at += batch_lines) {
        const size_t n = LINES - at < batch_lines ? LINES - at : batch_lines;
        gs_exchange_sample_add(&s, (const uint8_t *)text + at * WIDTH, n * WIDTH);
    }
    CHECK(s.bytes == (size_t)s.count * WIDTH);
    CHECK(s.bytes <= ROOM - GS_TEXT_SAMPLE_SLACK);
    CHECK(s.count >= 120); /* a quarter of what there is room for, at least */
    unsigned last = 0, quarters[4] = {0};
    for (unsigned i = 0; i < s.count; i++) {
        char line[WIDTH];
        memcpy(line, s.text + (size_t)i * WIDTH, WIDTH);
        CHECK(line[WIDTH - 1] == '\n');
        line[WIDTH - 1] = '\0';
        const unsigned number = (unsigned)strtoul(line, NULL, 10);
        CHECK(i == 0 || number > last);
        last = number;
        quarters[(size_t)number * 4 / LINES]++;
    }
    for (unsigned i = 0; i < 4; i++)
        CHECK(quarters[i] >= s.count / 8);
    gs_exchange_sample_release(&s);
    free(text);
}

static void records_are_whole(void)
{
    static uint8_t text[RECORD * 5000];
    gs_exchange_sample s = new_sample(RECORD, ROOM);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i % RECORD);
    for (unsigned i = 0; i < 20; i++)
        gs_exchange_sample_add(&s, text, sizeof text);
    CHECK(s.count > 60 && s.bytes == (size_t)s.count * RECORD);
    for (size_t i = 0; i < s.bytes; i++)
        CHECK(s.text[i] == i % RECORD);
    gs_exchange_sample_release(&s);
}

/* A line that is too long for the room, and one without an end, are passed over. */
static void lines_that_are_not_taken(void)
{
    static char text[3 * ROOM];
    gs_exchange_sample s = new_sample(0, ROOM);
    memset(text, 'x', sizeof text);
    text[sizeof text - 20] = '\n';
    gs_exchange_sample_add(&s, (const uint8_t *)text, sizeof text);
    CHECK(s.count == 0 && s.bytes == 0);
    gs_exchange_sample_add(&s, (const uint8_t *)"short\nno end", 12);
    gs_exchange_sample_add(&s, (const uint8_t *)"", 0);
    CHECK(s.count <= 1);
    gs_exchange_sample_release(&s);
}

int main(void)
{
    is_from_everywhere(1);
    is_from_everywhere(7);
    is_from_everywhere(10000);
    is_from_everywhere(LINES);
    records_are_whole();
    lines_that_are_not_taken();
    return check_result();
}
