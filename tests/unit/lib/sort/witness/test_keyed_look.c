/* SPDX-License-Identifier: MIT */
/*
 * keyed_look: says of neighbours what their strings say, whatever the keys are, for lines
 * that share much, numbers that are none, empty fields, missing ones and zeros.
 */
#include "lib/sort/witness/keyed_look.h"

#include <string.h>

#include "tests/check.h"

enum { LINES = 40, LINE_MAX = 150, SLACK = 128, ORDERS = 9 };

static uint64_t state;

static gs_key field_key(size_t from, size_t to, gs_key_type type, bool reverse)
{
    return (gs_key){
        .start_field = from, .end_field = to, .type = type, .reverse = reverse};
}

/* Keys of one order or another, at most 3 of them. */
static gs_order make_order(gs_key *keys, unsigned which)
{
    gs_order o = {.keys = keys, .delimiter = '\t', .eol = '\n', .key_count = 2};
    keys[0] = field_key(0, 0, GS_KEY_BYTES, which == 1);
    keys[1] = field_key(1, 1, GS_KEY_NUMERIC, which == 2);
    if (which == 3)
        keys[1] = field_key(1, SIZE_MAX, GS_KEY_NUMERIC, true);
    if (which == 4)
        keys[0] = field_key(1, 1, GS_KEY_NUMERIC, false);
    if (which == 5)
        keys[1] = field_key(1, SIZE_MAX, GS_KEY_BYTES, false);
    if (which == 6) {
        o.key_count = 3;
        keys[1] = field_key(2, 2, GS_KEY_BYTES, true);
        keys[2] = field_key(1, 1, GS_KEY_NUMERIC, false);
    }
    if (which == 8)
        o.delimiter = 0;
    o.stable = which == 7; /* the key is all */
    return o;
}

/* A line that begins as the one before does. */
static size_t make_line(uint8_t *to, const uint8_t *before, size_t before_bytes)
{
    static const char some[] = "012\0003456789019\t\t\tab.- \x01\xff";
    const bool is_long = check_random(&state) % 16 == 0;
    const size_t bytes = check_random(&state) % (is_long ? LINE_MAX : 16);
    const size_t same = check_random(&state) % (before_bytes + 1);
    for (size_t i = 0; i < bytes; i++) {
        const size_t c = check_random(&state) % sizeof some; /* the zero at the end too */
        to[i] = i < same ? before[i] : (uint8_t)some[c];
    }
    return bytes;
}

static int sign(int d)
{
    return (d > 0) - (d < 0);
}

/* Each pair of neighbours by itself. */
static void neighbours_are_compared(gs_keyed_look *look, const uint8_t *text,
                                    const uint32_t *ends)
{
    gs_status st = {.code = GS_OK};
    for (size_t i = 1; i < LINES; i++) {
        const size_t begin = i > 1 ? (size_t)ends[i - 2] + 1 : 0;
        const uint32_t two[2] = {(uint32_t)(ends[i - 1] - begin),
                                 (uint32_t)(ends[i] - begin)};
        gs_line_string a = {0}, b = {0};
        CHECK(gs_line_string_make(&a, look->layout, look->encoder, text + begin, two[0],
                                  &st) == GS_OK);
        CHECK(gs_line_string_make(&b, look->layout, look->encoder,
                                  text + begin + two[0] + 1, two[1] - two[0] - 1,
                                  &st) == GS_OK);
        const int d = sign(gs_string_compare(a.data, a.bytes, b.data, b.bytes, 0));
        for (unsigned how = 0; how < 4; how++) {
            const gs_look_order as = {how % 2 > 0, how / 2 > 0};
            const int turned = as.is_backwards ? -d : d;
            const bool is_wrong = turned > 0 || (turned == 0 && as.is_strict);
            size_t disorder = 9;
            CHECK(gs_keyed_look_at_text(look, text + begin, two, 2, as, &disorder, &st) ==
                  GS_OK);
            CHECK(disorder == (is_wrong ? 2 : 0));
        }
        gs_line_string_release(&a);
        gs_line_string_release(&b);
    }
}

static void order_is_seen(unsigned which)
{
    static uint8_t text[LINES * (LINE_MAX + 1) + SLACK];
    gs_key keys[3];
    const gs_order order = make_order(keys, which);
    const gs_record_layout layout = gs_order_layout(&order, false);
    gs_key_encoder *encoder = NULL;
    gs_status st = {.code = GS_OK};
    gs_keyed_look look;
    CHECK(layout.is_key_only == (which == 7));
    CHECK(gs_key_encoder_new(&encoder, &order, layout.is_backwards, &st) == GS_OK);
    if (!gs_keyed_look_init(&look, &layout, encoder)) {
        CHECK(!__builtin_cpu_supports("avx512bw"));
        gs_key_encoder_free(encoder);
        return;
    }
    for (unsigned round = 0; round < 150; round++) {
        uint32_t ends[LINES];
        size_t used = 0, before = 0, before_bytes = 0;
        for (size_t i = 0; i < LINES; i++) {
            const size_t bytes = make_line(text + used, text + before, before_bytes);
            before = used;
            before_bytes = bytes;
            used += bytes;
            ends[i] = (uint32_t)used;
            text[used++] = '\n';
        }
        neighbours_are_compared(&look, text, ends);
    }
    gs_keyed_look_release(&look);
    gs_key_encoder_free(encoder);
}

int main(void)
{
    state = check_seed(5);
    for (unsigned which = 0; which < ORDERS; which++)
        order_is_seen(which);
    return check_result();
}
