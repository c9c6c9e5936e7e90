/* SPDX-License-Identifier: MIT */
/*
 * text_cursor: the code of each line is what its symbols say, found with the end of the
 * line by one look or by two, wherever lines differ and end; a line that is out of order
 * is seen.
 */
#include "lib/sort/text/text_cursor.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { LINES = 400, LINE_MAX = 300, ROOM = LINES * (LINE_MAX + 1) + GS_KEY_READ_SLACK };

static uint8_t room[ROOM];
static size_t begins[LINES + 1];

/* A line is much of the one before it, and others; or as long, or cut off, or equal. */
static size_t make_line(uint8_t *to, const uint8_t *last, size_t last_bytes, uint8_t eol,
                        uint64_t *state)
{
    const unsigned kind = check_random(state) % 8;
    size_t shared = last_bytes > 0 ? check_random(state) % (last_bytes + 1) : 0;
    size_t bytes = shared + check_random(state) % (kind == 0 ? LINE_MAX : 20);
    if (kind == 1)
        shared = bytes = last_bytes; /* equal */
    if (kind == 2)
        bytes = shared; /* cut off */
    if (kind == 3)
        bytes = shared = 0;
    bytes = bytes < LINE_MAX ? bytes : LINE_MAX;
    shared = shared < bytes ? shared : bytes;
    if (shared > 0)
        memcpy(to, last, shared);
    for (size_t i = shared; i < bytes; i++) {
        const uint8_t byte = (uint8_t)(check_random(state) % 3 + 254);
        to[i] = byte == eol ? (uint8_t)(eol + 1) : byte;
    }
    to[bytes] = eol;
    return bytes;
}

static size_t make_text(uint8_t eol, uint64_t *state)
{
    size_t at = 0, last_bytes = 0;
    for (size_t i = 0; i < LINES; i++) {
        const uint8_t *const last = i > 0 ? room + begins[i - 1] : room;
        begins[i] = at;
        last_bytes = make_line(room + at, last, last_bytes, eol, state);
        at += last_bytes + 1;
    }
    begins[LINES] = at;
    for (size_t i = at; i < ROOM; i++) /* what is behind it does not matter */
        room[i] = check_random(state) % 2 == 0 ? eol : 0xff;
    return at;
}

static void check_line(const gs_text_cursor *c, size_t i, bool is_in_order)
{
    const bool is_backwards = c->form->layout->is_backwards;
    const uint8_t *const last = room + begins[i - 1], *const line = room + begins[i];
    const size_t last_bytes = begins[i] - begins[i - 1] - 1;
    const size_t bytes = begins[i + 1] - begins[i] - 1;
    int order;
    const size_t differ =
        gs_ovc_first_difference(last, last_bytes, line, bytes, 0, &order);
    CHECK(c->begin == line && c->line_bytes == bytes && c->head->string_bytes == bytes);
    CHECK(memcmp(c->head->string, line, bytes) == 0);
    CHECK(is_in_order == (is_backwards ? order >= 0 : order <= 0));
    CHECK(c->head->code ==
          (order == 0 ? GS_OVC_EQUAL : gs_ovc_code(line, bytes, differ, is_backwards)));
}

static void codes_are_right(uint8_t eol, bool is_backwards, bool lacks_end,
                            uint64_t *state)
{
    const gs_record_layout layout = {
        .has_eol = true, .eol = eol, .is_backwards = is_backwards};
    const gs_text_form form = {.layout = &layout};
    uint8_t last_line[LINE_MAX + 1 + GS_KEY_READ_SLACK] = {0};
    gs_status st = {.code = GS_OK};
    gs_merge_head head;
    gs_text_cursor c = {0};
    bool is_in_order;
    const size_t end = make_text(eol, state);
    const size_t last_bytes = begins[LINES] - begins[LINES - 1] - 1;
    const bool is_cut = lacks_end && last_bytes > 0; /* else there would be no line */
    memcpy(last_line, room + begins[LINES - 1], last_bytes + 1);
    const gs_text text = {.begin = room,
                          .end = room + end - (is_cut ? 1 : 0),
                          .last_line = is_cut ? last_line : NULL,
                          .last_line_bytes = is_cut ? last_bytes : 0};
    if (is_cut)
        room[end - 1] = (uint8_t)(eol + 1);
    REQUIRE_OK(gs_text_cursor_start(&c, &form, &text, text.begin, text.end, &head, &st),
               &st);
    for (size_t i = 1; i < LINES; i++) {
        REQUIRE_OK(gs_text_cursor_advance(&c, &is_in_order, &st), &st);
        check_line(&c, i, is_in_order);
        CHECK(c.line == (is_cut && i == LINES - 1 ? last_line : c.begin));
    }
    REQUIRE_OK(gs_text_cursor_advance(&c, &is_in_order, &st), &st);
    CHECK(head.code == GS_OVC_EXHAUSTED && is_in_order);
    gs_text_cursor_release(&c);
}

int main(void)
{
    uint64_t state = check_seed(1);
    for (unsigned i = 0; i < check_often(400); i++)
        codes_are_right(i % 3 == 0 ? 0 : '\n', i % 2 == 1, i % 5 == 0, &state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
