/* SPDX-License-Identifier: MIT */
/*
 * text_key: what the GPU makes of a line's keys must be, byte for byte, what the CPU
 * makes of them, or runs of both could not be merged. What would break: fields that are
 * not there, signs, zeros and fractions of numbers, escapes, complemented keys, floats;
 * text that counts looked at while it is read and not before, as the CPU does; and keys
 * that are longer than the room that is reckoned for them.
 */
#include "gpu/text/text_key.h"

#include <float.h>
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
        .type = below(3) ? (gs_key_type)below(GS_KEY_TYPE_COUNT) : GS_KEY_BYTES,
    };
    if (key.type == GS_KEY_GENERAL && LDBL_MANT_DIG != 64)
        key.type = GS_KEY_NUMERIC;
#define DRAW(name, ...) key.name = below(3) == 0;
    GS_KEY_SWITCHES(DRAW)
#undef DRAW
    return key;
}

/* Bytes of any kind; or words that types of keys know, and what is between them. */
static size_t random_line(uint8_t *to)
{
    static const char alphabet[] = "000\x80"
                                   "23456789--..  \t\taAzZ:_\x80\xff\x01\n";
    static const char *const words[] = {
        "jan", "DEC",     "Mar",  "j\x01un", "1e5", "-2.5E-3", "0x1.8p3",
        "inf", "-nan",    "1K",   "2.5M",    "3k",  "-7G",     "0Q",
        ".so", ".tar.gz", "~rc1", "10.2",    "..",  ".",       "a-1",
        " ",   "\t",      ":",    "\t",      "-",   "007",     "\x80"};
    const size_t bytes = below(LINE_MAX_BYTES);
    const bool is_digits = below(4) == 0, is_words = !is_digits && below(2) == 0;
    for (size_t i = 0; i < bytes && !is_words; i++) {
        const uint64_t at = below(is_digits ? 12 : sizeof alphabet); /* a NUL, too */
        to[i] = (uint8_t)alphabet[at];
    }
    for (size_t i = 0; i < bytes && is_words;) {
        const char *const word = words[below(sizeof words / sizeof *words)];
        for (size_t k = 0; i < bytes && word[k] != '\0'; k++)
            to[i++] = (uint8_t)word[k];
    }
    return bytes;
}

/* Those that gs_text_cost names. */
static uint64_t costly_bytes(const gs_text_order *order, const uint8_t *line,
                             size_t bytes)
{
    uint64_t costly = 0;
    for (size_t i = 0; i < bytes; i++) {
        const bool is_digit = line[i] >= '0' && line[i] <= '9';
        const bool was_digit = i > 0 && line[i - 1] >= '0' && line[i - 1] <= '9';
        costly += line[i] <= GS_TEXT_ESCAPED_MAX ||
                  (is_digit && !was_digit && gs_text_order_has_versions(order));
    }
    return costly;
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
    const bool is_plain = gs_text_order_is_plain(&device);
    const uint32_t measured = gs_text_key_encode(&device, is_plain, line, bytes, NULL);
    memset(got, 0xa5, sizeof got);
    const uint32_t written = gs_text_key_encode(&device, is_plain, line, bytes, got);
    CHECK(measured == want_bytes && written == want_bytes);
    CHECK(memcmp(got, want, want_bytes) == 0);
    CHECK(got[want_bytes] == 0xa5);
    const uint64_t costly = costly_bytes(&device, line, bytes);
    CHECK(want_bytes <= gs_text_keys_bound(&device, 1, bytes, costly));
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
    CHECK(gs_text_key_cover(&o).bytes == 1);
    CHECK(gs_text_keys_bound(&o, 10, 1000, 7) == 1007 + 10 * 4);
    o = order_of(same, 3);
    CHECK(gs_text_key_cover(&o).bytes == 3);
    o = order_of(partly, 2);
    CHECK(gs_text_key_cover(&o).bytes == 2);
    o = order_of(across, 2);
    CHECK(gs_text_key_cover(&o).bytes == 2);
    gs_key mixed[] = {one, two, two};
    mixed[1].type = GS_KEY_MONTH;
    mixed[2].type = GS_KEY_VERSION;
    o = order_of(mixed, 3);
    CHECK(gs_text_keys_bound(&o, 10, 1000, 7) == 2 * 1000 + 4 * 7 + 10 * (2 + 1 + 11));
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

/* How often each switch of a key mattered: one that never does was not tested at all; and
 * each type. */
typedef struct shown {
    unsigned types[GS_KEY_TYPE_COUNT];
#define COUNT(name, ...) unsigned name;
    GS_KEY_SWITCHES(COUNT)
#undef COUNT
} shown;

static void note_switches(shown *s, const gs_order *order, const gs_record_layout *layout,
                          const uint8_t *line, size_t bytes)
{
    gs_key key = order->keys[0];
    const gs_key_type type = key.type;
    key.type = GS_KEY_BYTES;
    s->types[type] += shows(*order, layout, &key, line, bytes);
    key.type = type;
#define NOTE(name, ...)                                                                  \
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
#define LOOK(name, ...)                                                                  \
    if (s->name == 0) {                                                                  \
        fprintf(stderr, "no line shows %s: add to `alphabet`, `words` what it has\n",    \
                #name);                                                                  \
        CHECK(s->name > 0);                                                              \
    }
    GS_KEY_SWITCHES(LOOK)
#undef LOOK
    for (size_t i = 0; i < GS_KEY_TYPE_COUNT; i++)
        CHECK((s->types[i] > 0) ==
              (i != GS_KEY_BYTES && (i != GS_KEY_GENERAL || LDBL_MANT_DIG == 64)));
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
        for (size_t k = 0; k < GS_ORDER_SEED_BYTES; k++)
            order.random_seed[k] = (uint8_t)check_random(&state);
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
    gs_key keys[GS_TEXT_KEYS_MAX + 1] = {{.end_field = 0}};
    gs_order order = {
        .keys = keys, .key_count = 1, .delimiter = ',', .eol = '\n', .stable = true};
    const gs_record_layout layout = gs_order_layout(&order, false);
    gs_text_order device;
    CHECK(gs_device_order(&order, &layout, &device) == NULL);
    order.form = GS_FORM_CSV;
    CHECK(gs_device_order(&order, &layout, &device) != NULL);
    order.form = GS_FORM_JSON;
    CHECK(gs_device_order(&order, &layout, &device) != NULL);
    order.form = GS_FORM_LINES;
    order.collation = (const gs_collation *)(uintptr_t)keys; /* any: none is looked at */
    CHECK(gs_device_order(&order, &layout, &device) != NULL);
    order.collation = NULL;
    order.key_count = GS_TEXT_KEYS_MAX + 1;
    CHECK(gs_device_order(&order, &layout, &device) != NULL);
    order.key_count = 1;
    keys[0].type = GS_KEY_GENERAL;
    CHECK((gs_device_order(&order, &layout, &device) == NULL) == (LDBL_MANT_DIG == 64));
}

/* A number by -g that only the CPU can round is said to be one, wherever it stands; and a
 * run of digits that is longer than a byte counts is as the CPU has it. */
static void numbers_of_any_length(void)
{
    static const char line[] = "x\t268625875208.877616040408611297607421875\t1";
    const gs_key version = {.end_field = SIZE_MAX, .type = GS_KEY_VERSION};
    gs_key keys[] = {{.start_field = 1, .end_field = 1, .type = GS_KEY_GENERAL},
                     {.end_field = SIZE_MAX}};
    if (LDBL_MANT_DIG == 64) {
        gs_text_order device = order_of(keys, 2);
        CHECK(gs_text_key_encode(&device, false, (const uint8_t *)line, sizeof line - 1,
                                 NULL) == GS_TEXT_UNDECIDED);
        keys[0].start_field = 2;
        keys[0].end_field = 2;
        device = order_of(keys, 2);
        CHECK(gs_text_key_encode(&device, false, (const uint8_t *)line, sizeof line - 1,
                                 NULL) < GS_TEXT_UNDECIDED);
    }
    static uint8_t digits[2000 + SLACK];
    memset(digits, '7', sizeof digits);
    digits[300] = digits[560] = 'a';
    const gs_order order = {.keys = (gs_key *)(uintptr_t)&version,
                            .key_count = 1,
                            .delimiter = '\t',
                            .eol = '\n'};
    const gs_record_layout layout = gs_order_layout(&order, false);
    static uint8_t want[STRING_MAX], got[STRING_MAX];
    const gs_text_order device = order_of(&version, 1);
    const size_t n = encode(&order, &layout, digits, 2000, want);
    CHECK(n == gs_text_key_encode(&device, false, digits, 2000, got));
    CHECK(memcmp(want, got, n) == 0);
}

int main(void)
{
    state = check_seed(5);
    lines_of_any_order();
    records_of_any_order();
    other_orders_are_refused();
    numbers_of_any_length();
    bounds_are_close();
    return check_result();
}
