/* SPDX-License-Identifier: MIT */
/*
 * Keys against a slow reference: any two lines must compare by the byte strings of
 * lib/sort/key_encode as they do by the rules of gpusort-sort(1), applied here to texts,
 * with digits compared one by one. Fields and positions are found here in another way,
 * too. What a GPU would make of the keys is the same.
 *
 *      flags u8 | delimiter u8 | keys: 6 bytes each | lines, with the end of line between
 *
 * Flags: 3 bits keys, 8 a delimiter, 16 lines end with 0, 32 everything turned round.
 * A key: type | letters | start field, character | end field, character (255: none).
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/text/text_key.h"
#include "lib/base/mem.h"
#include "lib/sort/device/device_order.h"
#include "lib/sort/key/key_encode.h"
#include "tests/check.h"

enum {
    KEYS_MAX = 3,
    LINES_MAX = 4,
    LINE_BYTES_MAX = 2000,
    KEY_BYTES = 6,
    HEAD_BYTES = 2
};

/* The letters of a key: a bit for each of GS_KEY_SWITCHES, by its name, and REVERSE. */
enum {
    ON_fold = 1,
    ON_ignore_nonprint = 2,
    ON_dictionary = 4,
    REVERSE = 8,
    ON_skip_start_blanks = 16,
    ON_skip_end_blanks = 32
};
_Static_assert(GS_KEY_SWITCH_COUNT == 5, "each has its bit, and find_key, filter or "
                                         "compare_by_key does what it asks for");
_Static_assert(GS_KEY_TYPE_COUNT == 7, "compare_by_key knows each, and read_key has it");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    const uint8_t *at;
    size_t bytes;
} text;

static int sign(long long x)
{
    return (x > 0) - (x < 0);
}

/* --- bytes -------------------------------------------------------------------------- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static uint8_t upper(uint8_t c)
{
    return c >= 'a' && c <= 'z' ? (uint8_t)(c - 32) : c;
}

static int compare_bytes(text a, text b)
{
    for (size_t i = 0; i < a.bytes && i < b.bytes; i++) {
        if (a.at[i] != b.at[i])
            return a.at[i] < b.at[i] ? -1 : 1;
    }
    return sign((long long)a.bytes - (long long)b.bytes);
}

static text without_blanks(text t)
{
    while (t.bytes > 0 && is_blank(*t.at))
        t = (text){t.at + 1, t.bytes - 1};
    return t;
}

/* --- numbers ------------------------------------------------------------------------ */

typedef struct number {
    bool is_negative;
    text whole, fraction; /* without zeros that mean nothing */
    text rest;
} number;

static text digits_of(text *t)
{
    text found = {t->at, 0};
    while (found.bytes < t->bytes && is_digit(t->at[found.bytes]))
        found.bytes++;
    *t = (text){t->at + found.bytes, t->bytes - found.bytes};
    return found;
}

static number read_number(text t)
{
    number n = {0};
    t = without_blanks(t);
    if (t.bytes > 0 && *t.at == '-') {
        n.is_negative = true;
        t = (text){t.at + 1, t.bytes - 1};
    }
    n.whole = digits_of(&t);
    if (t.bytes > 0 && *t.at == '.') {
        t = (text){t.at + 1, t.bytes - 1};
        n.fraction = digits_of(&t);
    }
    while (n.whole.bytes > 0 && *n.whole.at == '0')
        n.whole = (text){n.whole.at + 1, n.whole.bytes - 1};
    while (n.fraction.bytes > 0 && n.fraction.at[n.fraction.bytes - 1] == '0')
        n.fraction.bytes--;
    n.rest = t;
    if (n.whole.bytes == 0 && n.fraction.bytes == 0)
        n.is_negative = false; /* there is one zero */
    return n;
}

static int compare_numbers(const number *a, const number *b)
{
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    int d = sign((long long)a->whole.bytes - (long long)b->whole.bytes);
    if (d == 0)
        d = compare_bytes(a->whole, b->whole);
    if (d == 0)
        d = compare_bytes(a->fraction, b->fraction);
    return a->is_negative ? -d : d;
}

static int unit_of(const number *n, bool fold)
{
    static const char units[] = "KMGTPEZYRQ";
    const bool is_zero = n->whole.bytes == 0 && n->fraction.bytes == 0;
    if (is_zero || n->rest.bytes == 0 || *n->rest.at == 0)
        return 0;
    const uint8_t c = *n->rest.at == 'k' || fold ? upper(*n->rest.at) : *n->rest.at;
    const char *const found = strchr(units, c);
    const int order = found != NULL ? (int)(found - units) + 1 : 0;
    return n->is_negative ? -order : order;
}

static int compare_sizes(text a, text b, bool fold)
{
    const number x = read_number(a), y = read_number(b);
    if (x.is_negative != y.is_negative)
        return x.is_negative ? -1 : 1;
    const int d = sign(unit_of(&x, fold) - unit_of(&y, fold));
    return d != 0 ? d : compare_numbers(&x, &y);
}

/* 0 for no number, 1 for a nan, 2 for a number. */
static int read_float(text t, long double *value)
{
    char copy[LINE_BYTES_MAX + 1];
    char *end;
    memcpy(copy, t.at, t.bytes);
    copy[t.bytes] = '\0';
    *value = strtold(copy, &end);
    return end == copy ? 0 : *value != *value ? 1 : 2;
}

/* Two nans, of which there are many, may be in any order. */
static int compare_floats(text a, text b, bool *may_be_any)
{
    long double x, y;
    const int kind = read_float(a, &x), other = read_float(b, &y);
    *may_be_any |= kind == 1 && other == 1;
    if (kind != other || kind != 2)
        return sign(kind - other);
    return (x > y) - (x < y);
}

static int month_of(text t)
{
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    t = without_blanks(t);
    for (int i = 0; t.bytes >= 3 && i < 12; i++) {
        if (upper(t.at[0]) == names[3 * i] && upper(t.at[1]) == names[3 * i + 1] &&
            upper(t.at[2]) == names[3 * i + 2])
            return i + 1;
    }
    return 0;
}

/* --- versions ----------------------------------------------------------------------- */

/* Is all of it suffixes, as ".tar.gz"? */
static bool is_suffixes(text t)
{
    size_t i = 0;
    while (i < t.bytes) {
        if (t.at[i] != '.' || i + 1 == t.bytes ||
            !(is_letter(t.at[i + 1]) || t.at[i + 1] == '~'))
            return false;
        for (i += 2; i < t.bytes && t.at[i] != '.'; i++) {
            if (!is_letter(t.at[i]) && !is_digit(t.at[i]) && t.at[i] != '~')
                return false;
        }
    }
    return true;
}

static text without_suffixes(text t)
{
    for (size_t n = 1; n < t.bytes; n++) {
        if (is_suffixes((text){t.at + n, t.bytes - n}))
            return (text){t.at, n};
    }
    return t;
}

/* Of what stands at `i` in a run of other bytes: '~', a number or the end, letters, all
 * else. */
static int rank_of(text t, size_t i)
{
    if (i >= t.bytes || is_digit(t.at[i]))
        return 0;
    return t.at[i] == '~' ? -1 : is_letter(t.at[i]) ? t.at[i] : t.at[i] + 256;
}

static bool is_in_run(text t, size_t i)
{
    return i < t.bytes && !is_digit(t.at[i]);
}

static int compare_parts(text a, text b)
{
    while (a.bytes > 0 || b.bytes > 0) {
        size_t i = 0;
        for (; is_in_run(a, i) || is_in_run(b, i); i++) {
            if (rank_of(a, i) != rank_of(b, i))
                return sign(rank_of(a, i) - rank_of(b, i));
        }
        a = (text){a.at + i, a.bytes - i};
        b = (text){b.at + i, b.bytes - i};
        const number x = {.whole = digits_of(&a)}, y = {.whole = digits_of(&b)};
        number p = read_number(x.whole), q = read_number(y.whole);
        const int d = compare_numbers(&p, &q);
        if (d != 0)
            return d;
    }
    return 0;
}

static int class_of(text t)
{
    return t.bytes == 0                     ? 0
           : t.at[0] != '.'                 ? 4
           : t.bytes == 1                   ? 1
           : t.bytes == 2 && t.at[1] == '.' ? 2
                                            : 3;
}

static int compare_versions(text a, text b)
{
    if (class_of(a) != class_of(b))
        return sign(class_of(a) - class_of(b));
    const int d = compare_parts(without_suffixes(a), without_suffixes(b));
    return d != 0 ? d : compare_parts(a, b);
}

/* --- keys --------------------------------------------------------------------------- */

/* Where field `n` begins and ends; behind the last there are empty ones. */
static void find_field(text line, int delimiter, size_t n, size_t *begin, size_t *end)
{
    size_t at = 0;
    for (size_t field = 0;; field++) {
        *begin = at;
        if (delimiter == GS_ORDER_BLANK_FIELDS) {
            while (at < line.bytes && is_blank(line.at[at]))
                at++;
            while (at < line.bytes && !is_blank(line.at[at]))
                at++;
        } else {
            while (at < line.bytes && line.at[at] != (uint8_t)delimiter)
                at++;
        }
        *end = at;
        if (field == n)
            return;
        at += delimiter != GS_ORDER_BLANK_FIELDS && at < line.bytes;
    }
}

static size_t forward(text line, size_t at, bool skips_blanks, size_t characters)
{
    while (skips_blanks && at < line.bytes && is_blank(line.at[at]))
        at++;
    return line.bytes - at < characters ? line.bytes : at + characters;
}

static text find_key(const gs_order *order, const gs_key *key, text line)
{
    size_t begin, end, limit = line.bytes, ignored;
    find_field(line, order->delimiter, key->start_field, &begin, &ignored);
    begin = forward(line, begin, key->skip_start_blanks, key->start_char);
    if (key->end_field != SIZE_MAX) {
        find_field(line, order->delimiter, key->end_field, &end, &limit);
        if (key->end_char > 0)
            limit = forward(line, end, key->skip_end_blanks, key->end_char);
    }
    return (text){line.at + begin, limit > begin ? limit - begin : 0};
}

/* What of the text counts. */
static text filter(const gs_key *key, text t, uint8_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < t.bytes; i++) {
        const uint8_t c = t.at[i];
        const bool is_word = is_blank(c) || is_letter(c) || is_digit(c);
        if ((key->dictionary && !is_word) ||
            (key->ignore_nonprint && (c < 0x20 || c > 0x7e)))
            continue;
        to[n++] = key->fold ? upper(c) : c;
    }
    return (text){to, n};
}

static int compare_by_key(const gs_key *key, text a, text b, bool *may_be_any)
{
    static uint8_t of_a[LINE_BYTES_MAX], of_b[LINE_BYTES_MAX];
    const number x = read_number(a), y = read_number(b);
    switch (key->type) {
    case GS_KEY_NUMERIC: return compare_numbers(&x, &y);
    case GS_KEY_HUMAN: return compare_sizes(a, b, key->fold);
    case GS_KEY_GENERAL: return compare_floats(a, b, may_be_any);
    case GS_KEY_MONTH: return sign(month_of(a) - month_of(b));
    case GS_KEY_VERSION:
        return compare_versions(filter(key, a, of_a), filter(key, b, of_b));
    case GS_KEY_BYTES:
    case GS_KEY_RANDOM:
    case GS_KEY_TYPE_COUNT: break;
    }
    return compare_bytes(filter(key, a, of_a), filter(key, b, of_b));
}

/* What must come out; 2 if anything may. */
static int compare_lines(const gs_order *order, bool flip, text a, text b)
{
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_key *const key = &order->keys[i];
        bool may_be_any = false;
        const int d = compare_by_key(key, find_key(order, key, a),
                                     find_key(order, key, b), &may_be_any);
        if (may_be_any)
            return 2;
        if (d != 0)
            return key->reverse != flip ? -d : d;
    }
    return 0;
}

/* --- the input ---------------------------------------------------------------------- */

static gs_key read_key(const uint8_t *from)
{
    static const gs_key_type types[] = {GS_KEY_BYTES, GS_KEY_NUMERIC, GS_KEY_GENERAL,
                                        GS_KEY_HUMAN, GS_KEY_MONTH,   GS_KEY_VERSION};
    gs_key key = {
        .type = types[from[0] % 6],
        .start_field = from[2],
        .start_char = from[3],
        .end_field = from[4] == 255 ? SIZE_MAX : from[4],
        .end_char = from[4] == 255 ? 0 : from[5],
        .reverse = from[1] & REVERSE,
    };
#define TAKE(name, mark, changes, goes_with)                                             \
    key.name = (from[1] & ON_##name) != 0 &&                                             \
               gs_key_goes_with(GS_KEY_GOES_WITH_##goes_with, key.type);
    GS_KEY_SWITCHES(TAKE)
#undef TAKE
    key.ignore_nonprint = !key.dictionary && key.ignore_nonprint;
    return key;
}

static size_t encode(const gs_key_encoder *e, text line, uint8_t **key)
{
    /* Exactly as long as it may be read, so that the address sanitizer sees the rest. */
    void *copy = NULL, *to = NULL;
    gs_status st = {.code = GS_OK};
    const size_t bound = gs_key_encode_bound(e, line.bytes);
    REQUIRE(gs_mem_new(&copy, line.bytes + GS_KEY_READ_SLACK, "line", &st) == GS_OK &&
            gs_mem_new(&to, bound, "key", &st) == GS_OK);
    memcpy(copy, line.at, line.bytes);
    const size_t bytes = gs_key_encode(e, copy, line.bytes, to);
    REQUIRE(bytes <= bound);
    gs_mem_free(copy);
    *key = to;
    return bytes;
}

/* The kernels measure, and then write. */
static void is_same_on_a_device(const gs_order *order, bool flip, text line,
                                const uint8_t *key, size_t bytes)
{
    gs_text_order device;
    const gs_record_layout layout = {.is_keyed = true, .is_backwards = flip};
    REQUIRE(gs_device_order(order, &layout, &device) == NULL);
    const bool is_plain = gs_text_order_is_plain(&device);
    const uint32_t measured =
        gs_text_key_encode(&device, is_plain, line.at, line.bytes, NULL);
    if (measured == GS_TEXT_UNDECIDED)
        return;
    REQUIRE(measured == bytes);
    uint8_t *got = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE(gs_mem_new(&got, bytes + 1, "key", &st) == GS_OK);
    REQUIRE(gs_text_key_encode(&device, is_plain, line.at, line.bytes, got) == bytes);
    REQUIRE(memcmp(got, key, bytes) == 0);
    gs_mem_free(got);
}

static void compare_pair(const gs_order *order, bool flip, const gs_key_encoder *e,
                         text a, text b)
{
    uint8_t *x, *y;
    const size_t x_bytes = encode(e, a, &x), y_bytes = encode(e, b, &y);
    is_same_on_a_device(order, flip, a, x, x_bytes);
    const int got = compare_bytes((text){x, x_bytes}, (text){y, y_bytes});
    const int want = compare_lines(order, flip, a, b);
    if (want != 2)
        REQUIRE(got == want);
    const size_t least = x_bytes < y_bytes ? x_bytes : y_bytes;
    REQUIRE(x_bytes == y_bytes || memcmp(x, y, least) != 0); /* no prefix of another */
    gs_mem_free(x);
    gs_mem_free(y);
}

static size_t cut_lines(const uint8_t *data, size_t size, uint8_t eol, text *lines)
{
    size_t count = 0;
    while (count < LINES_MAX) {
        const uint8_t *const end = size > 0 ? memchr(data, eol, size) : NULL;
        const size_t bytes = end != NULL ? (size_t)(end - data) : size;
        lines[count++] = (text){data, bytes < LINE_BYTES_MAX ? bytes : LINE_BYTES_MAX};
        if (end == NULL)
            break;
        data += bytes + 1;
        size -= bytes + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gs_key keys[KEYS_MAX];
    text lines[LINES_MAX];
    if (size < HEAD_BYTES)
        return 0;
    const uint8_t flags = data[0];
    gs_order order = {
        .keys = keys,
        .key_count = 1 + (flags & 7) % KEYS_MAX,
        .delimiter = flags & 8 ? data[1] : GS_ORDER_BLANK_FIELDS,
        .eol = flags & 16 ? 0 : '\n',
    };
    const size_t head = HEAD_BYTES + KEY_BYTES * order.key_count;
    if (size < head)
        return 0;
    for (size_t i = 0; i < order.key_count; i++)
        keys[i] = read_key(data + HEAD_BYTES + KEY_BYTES * i);
    gs_key_encoder *e = NULL;
    gs_status st = {.code = GS_OK};
    const bool flip = (flags & 32) != 0;
    REQUIRE(gs_key_encoder_new(&e, &order, flip, &st) == GS_OK);
    const size_t count = cut_lines(data + head, size - head, order.eol, lines);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++)
            compare_pair(&order, flip, e, lines[i], lines[j]);
    }
    gs_key_encoder_free(e);
    return 0;
}
