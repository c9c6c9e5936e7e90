/* SPDX-License-Identifier: MIT */
/*
 * text_key: what the GPU makes of a line's keys must be, byte for byte, what the CPU
 * makes of them, or runs of both could not be merged. What would break: fields that are
 * not there, signs, zeros and fractions of numbers, escapes, complemented keys, floats;
 * and keys that are longer than the room that is reckoned for them.
 */
#include "gpu/text/text_key.h"

#include <stdio.h>
#include <string.h>

#include "lib/sort/device/device_order.h"
#include "lib/sort/key/key_encode.h"
#include "lib/sort/key/order_layout.h"
#include "tests/check.h"

enum { LINE_MAX_BYTES = 96, ORDERS = 3000, LINES = 60, SLACK = GS_KEY_READ_SLACK };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static gs_key random_key(void)
{
    const bool has_end = below(2) != 0;
    gs_key key = {
        .start_field = below(4),
        .start_char = below(3) ? 0 : below(5),
        .end_field = has_end ? below(5) : SIZE_MAX,
        .end_char = has_end && below(2) ? below(6) : 0,
        .reverse = below(3) == 0,
        .type = below(2) ? GS_KEY_NUMERIC : GS_KEY_BYTES,
    };
#define DRAW(name, letter, mark, changes) key.name = below(3) == 0;
    GS_KEY_SWITCHES(DRAW)
#undef DRAW
    return key;
}

static size_t random_line(uint8_t *to)
{
    static const char alphabet[] = "000\x80"
                                   "23456789--..  \t\taAzZ:_\x80\xff\x01\n";
    const size_t bytes = below(LINE_MAX_BYTES);
    const bool is_digits = below(4) == 0;
    for (size_t i = 0; i < bytes; i++) {
        const uint64_t at = below(is_digits ? 12 : sizeof alphabet); /* a NUL, too */
        to[i] = (uint8_t)alphabet[at];
    }
    return bytes;
}

enum { STRING_MAX = 1 << 16 };

/* What the CPU makes of the line's keys. */
static size_t encode(const gs_order *order, const gs_record_layout *layout,
                     const uint8_t *line, size_t bytes, uint8_t to[static STRING_MAX])
{
    gs_status st = {.code = GS_OK};
    gs_key_encoder *encoder = NULL;
    REQUIRE_OK(gs_key_encoder_new(&encoder, order, layout->is_backwards, &st), &st);
    REQUIRE(gs_key_encode_bound(encoder, bytes) <= STRING_MAX);
    const size_t n = gs_key_encode(encoder, line, bytes, to);
    gs_key_encoder_free(encoder);
    return n;
}

static void same_key(const gs_order *order, const gs_record_layout *layout,
                     const uint8_t *line, size_t bytes)
{
    static uint8_t want[STRING_MAX], got[STRING_MAX];
    const size_t want_bytes = encode(order, layout, line, bytes, want);

    gs_text_order device;
    REQUIRE(gs_device_order(order, layout, &device) == NULL);
    const uint32_t measured = gs_text_key_encode(&device, line, bytes, NULL);
    memset(got, 0xa5, sizeof got);
    const uint32_t written = gs_text_key_encode(&device, line, bytes, got);
    CHECK(measured == want_bytes && written == want_bytes);
    CHECK(memcmp(got, want, want_bytes) == 0);
    CHECK(got[want_bytes] == 0xa5);
    uint64_t escaped = 0;
    for (size_t i = 0; i < bytes; i++)
        escaped += line[i] <= GS_TEXT_ESCAPED_MAX;
    CHECK(want_bytes <= gs_text_keys_bound(&device, 1, bytes, escaped));
    CHECK(want_bytes + bytes <= gs_text_string_bound(&device, bytes));
}

static gs_text_order order_of(const gs_key *keys, size_t count)
{
    const gs_order order = {.keys = (gs_key *)(uintptr_t)keys,
                            .key_count = count,
                            .delimiter = '\t',
                            .eol = '\n'};
    const gs_record_layout layout = gs_order_layout(&order, false);
    gs_text_order device;
    REQUIRE(gs_device_order(&order, &layout, &device) == NULL);
    return device;
}

/* Room is reckoned for as many copies of a line as keys may make, and no more. */
static void bounds_are_close(void)
{
    const gs_key one = {.end_field = 0}, two = {.start_field = 1, .end_field = 1};
    const gs_key rest = {.start_field = 1, .end_field = SIZE_MAX};
    const gs_key chars = {.end_field = 0, .end_char = 9}, all = {.end_field = SIZE_MAX};
    const gs_key apart[] = {one, two}, same[] = {one, one, one};
    const gs_key partly[] = {rest, all}, across[] = {chars, two};
    gs_text_order o = order_of(apart, 2);
    CHECK(gs_text_key_cover(&o) == 1);
    CHECK(gs_text_keys_bound(&o, 10, 1000, 7) == 1007 + 10 * 4);
    o = order_of(same, 3);
    CHECK(gs_text_key_cover(&o) == 3);
    o = order_of(partly, 2);
    CHECK(gs_text_key_cover(&o) == 2);
    o = order_of(across, 2);
    CHECK(gs_text_key_cover(&o) == 2);
    /* 1.5 GB of 01 and two keys of all: 6 GB, which 32 bits do not count. */
    o = order_of(same, 2);
    CHECK(gs_text_string_bound(&o, 1500000000) > GS_TEXT_STRING_MAX);
    CHECK(gs_text_string_bound(&o, 800000000) <= GS_TEXT_STRING_MAX);
}

/* Does the line's first key differ when this switch is off? */
static bool shows(gs_order order, const gs_record_layout *layout,
                  const gs_key *with_it_off, const uint8_t *line, size_t bytes)
{
    static uint8_t on[STRING_MAX], off[STRING_MAX];
    order.key_count = 1;
    const size_t n = encode(&order, layout, line, bytes, on);
    order.keys = (gs_key *)(uintptr_t)with_it_off;
    return n != encode(&order, layout, line, bytes, off) || memcmp(on, off, n) != 0;
}

/* How often each switch of a key mattered: one that never does was not tested at all. */
typedef struct shown {
#define COUNT(name, letter, mark, changes) unsigned name;
    GS_KEY_SWITCHES(COUNT)
#undef COUNT
} shown;

static void note_switches(shown *s, const gs_order *order, const gs_record_layout *layout,
                          const uint8_t *line, size_t bytes)
{
    gs_key key = order->keys[0];
#define NOTE(name, letter, mark, changes)                                                \
    if (key.name) {                                                                      \
        key.name = false;                                                                \
        s->name += shows(*order, layout, &key, line, bytes);                             \
        key.name = true;                                                                 \
    }
    GS_KEY_SWITCHES(NOTE)
#undef NOTE
}

static void every_switch_was_shown(const shown *s)
{
#define LOOK(name, letter, mark, changes)                                                \
    if (s->name == 0) {                                                                  \
        fprintf(stderr, "no line shows %s: add to `alphabet` what it changes\n", #name); \
        CHECK(s->name > 0);                                                              \
    }
    GS_KEY_SWITCHES(LOOK)
#undef LOOK
}

static void lines_of_any_order(void)
{
    shown s = {0};
    uint8_t line[LINE_MAX_BYTES + SLACK] = {0};
    for (unsigned i = 0; i < check_often(ORDERS) && check_failures == 0; i++) {
        gs_key keys[3];
        gs_order order = {
            .keys = keys,
            .key_count = 1 + below(3),
            .delimiter = below(2) ? "\t: \xff"[below(4)] & 0xff : GS_ORDER_BLANK_FIELDS,
            .eol = '\n',
            .stable = below(2) != 0,
            .reverse = below(2) != 0,
        };
        for (size_t k = 0; k < order.key_count; k++)
            keys[k] = random_key();
        gs_record_layout layout = gs_order_layout(&order, false);
        layout.is_keyed = true; /* also where it would do without */
        for (unsigned l = 0; l < LINES; l++) {
            const size_t bytes = random_line(line);
            same_key(&order, &layout, line, bytes);
            if (l % 8 == 0)
                note_switches(&s, &order, &layout, line, bytes);
        }
    }
    every_switch_was_shown(&s);
}

static void records_of_any_order(void)
{
    static const size_t lengths[] = {1, 2, 4, 8};
    uint8_t record[32 + SLACK];
    for (unsigned i = 0; i < check_often(ORDERS) && check_failures == 0; i++) {
        gs_byte_key keys[3];
        gs_order order = {.record_size = 32,
                          .byte_keys = keys,
                          .byte_key_count = 1 + below(3),
                          .stable = below(2) != 0,
                          .reverse = below(2) != 0};
        for (size_t k = 0; k < order.byte_key_count; k++) {
            const gs_field_type type = (gs_field_type)below(4);
            keys[k] = (gs_byte_key){
                .offset = below(24),
                .length = type == GS_FIELD_BYTES   ? 1 + below(8)
                          : type == GS_FIELD_FLOAT ? 4 + 4 * below(2)
                                                   : lengths[below(4)],
                .type = type,
                .is_little_endian = below(2) != 0,
                .reverse = below(2) != 0,
            };
        }
        gs_record_layout layout = gs_order_layout(&order, false);
        layout.is_keyed = true;
        for (unsigned l = 0; l < LINES; l++) {
            for (size_t b = 0; b < sizeof record; b++)
                record[b] = (uint8_t)check_random(&state);
            same_key(&order, &layout, record, order.record_size);
        }
    }
}

/* What has no kernel is said to have none. */
static void other_orders_are_refused(void)
{
    const gs_key_type types[] = {GS_KEY_GENERAL, GS_KEY_HUMAN, GS_KEY_MONTH,
                                 GS_KEY_RANDOM, GS_KEY_VERSION};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        gs_key key = {.end_field = SIZE_MAX, .type = types[i]};
        gs_order order = {.keys = &key, .key_count = 1, .eol = '\n'};
        const gs_record_layout layout = gs_order_layout(&order, false);
        gs_text_order device;
        CHECK(gs_device_order(&order, &layout, &device) != NULL);
    }
}

int main(void)
{
    state = check_seed(5);
    lines_of_any_order();
    records_of_any_order();
    other_orders_are_refused();
    bounds_are_close();
    return check_result();
}
