/* SPDX-License-Identifier: MIT */
/*
 * key_encode: memcmp of the strings must be the order, equal keys must have equal
 * strings, none may be a prefix of another, and none longer than its bound. The
 * references here are the plainest that can be written; whole files are compared with the
 * system's sort by tests/differential.py.
 */
#include "lib/sort/key/key_encode.h"

#include <float.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/encode/key_text.h"
#include "lib/sort/key/order_layout.h"
#include "tests/check.h"

enum { LINE_MAX_BYTES = 40, ROUNDS = 40000, GUARD = 0xa5 };

typedef struct sample {
    uint8_t line[LINE_MAX_BYTES + GS_KEY_READ_SLACK];
    size_t bytes;
    uint8_t key[1024];
    size_t key_bytes;
} sample;

static gs_key whole_line = {.end_field = SIZE_MAX};

static void fill(sample *s, const char *alphabet, uint64_t *state)
{
    const size_t letters = strlen(alphabet);
    memset(s->line, 0xee, sizeof s->line); /* what lies behind must not matter */
    s->bytes = check_random(state) % (LINE_MAX_BYTES / 2);
    for (size_t i = 0; i < s->bytes; i++) {
        const char c = alphabet[check_random(state) % letters];
        s->line[i] = c == '@' ? 0 : c == '#' ? 1 : (uint8_t)c;
    }
}

static void encode(const gs_key_encoder *e, sample *s)
{
    const size_t bound = gs_key_encode_bound(e, s->bytes);
    REQUIRE(bound + 8 <= sizeof s->key);
    memset(s->key, GUARD, sizeof s->key);
    s->key_bytes = gs_key_encode(e, s->line, s->bytes, s->key);
    CHECK(s->key_bytes <= bound);
    for (size_t i = bound; i < sizeof s->key; i++)
        CHECK(s->key[i] == GUARD);
}

static int compare_keys(const sample *a, const sample *b)
{
    const size_t n = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    const int d = memcmp(a->key, b->key, n);
    if (d == 0)
        CHECK(a->key_bytes == b->key_bytes); /* prefix-free */
    return (d > 0) - (d < 0);
}

static int compare_bytes(const sample *a, const sample *b)
{
    const size_t n = a->bytes < b->bytes ? a->bytes : b->bytes;
    const int d = memcmp(a->line, b->line, n);
    return d ? (d > 0) - (d < 0) : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* The same of their letters as capitals. */
static int compare_folded(const sample *a, const sample *b)
{
    static sample x, y;
    x = *a;
    y = *b;
    for (size_t i = 0; i < LINE_MAX_BYTES; i++) {
        x.line[i] = gs_text_upper(x.line[i]);
        y.line[i] = gs_text_upper(y.line[i]);
    }
    return compare_bytes(&x, &y);
}

/* A decimal as its sign and digits lined up around the point. */
static int parse_decimal(const sample *s, char out[3 * LINE_MAX_BYTES])
{
    size_t i = 0, sign = 1, at = LINE_MAX_BYTES, any = 0;
    memset(out, '0', 3 * LINE_MAX_BYTES);
    while (i < s->bytes && (s->line[i] == ' ' || s->line[i] == '\t'))
        i++;
    if (i < s->bytes && s->line[i] == '-')
        sign = 0, i++;
    size_t end = i;
    while (end < s->bytes && s->line[end] >= '0' && s->line[end] <= '9')
        end++;
    for (size_t k = end; k-- > i;)
        out[--at] = (char)s->line[k];
    at = LINE_MAX_BYTES;
    if (end < s->bytes && s->line[end] == '.') {
        for (end++; end < s->bytes && s->line[end] >= '0' && s->line[end] <= '9'; end++)
            out[at++] = (char)s->line[end];
    }
    for (size_t k = 0; k < 3 * LINE_MAX_BYTES; k++)
        any |= out[k] != '0';
    return any ? (sign ? 1 : -1) : 0;
}

static int compare_decimals(const sample *a, const sample *b)
{
    char x[3 * LINE_MAX_BYTES], y[3 * LINE_MAX_BYTES];
    const int sx = parse_decimal(a, x), sy = parse_decimal(b, y);
    if (sx != sy || sx == 0)
        return (sx > sy) - (sx < sy);
    const int d = memcmp(x, y, sizeof x);
    return sx * ((d > 0) - (d < 0));
}

typedef int reference(const sample *a, const sample *b);

static void agrees(gs_key key, const char *alphabet, reference *expected, uint64_t *state)
{
    for (unsigned turn = 0; turn < 4; turn++) {
        gs_status st = {.code = GS_OK};
        gs_key_encoder *e = NULL;
        key.reverse = turn & 1;
        const bool flip = (turn & 2) != 0;
        const gs_order order = {
            .keys = &key, .key_count = 1, .eol = '\n', .delimiter = -1};
        REQUIRE_OK(gs_key_encoder_new(&e, &order, flip, &st), &st);
        const int sign = key.reverse != flip ? -1 : 1;
        static sample a, b;
        for (unsigned i = 0; i < check_often(ROUNDS); i++) {
            fill(&a, alphabet, state);
            fill(&b, alphabet, state);
            encode(e, &a);
            encode(e, &b);
            CHECK(compare_keys(&a, &b) == sign * expected(&a, &b));
        }
        gs_key_encoder_free(e);
    }
}

/* Lines in their order; `=' before one makes it equal to the one above. */
static void kinds_are_in_order(void)
{
    static const struct {
        gs_key_type type;
        const char *lines[10];
    } cases[] = {
        {GS_KEY_HUMAN, {"-1Q", "-1R", "-9Y", "0Q", "1", "1000q", "1Y", "1R", "1Q", "2Q"}},
        {GS_KEY_GENERAL,
         {"n", "-nan", "=-NAN(5)", "nan", "=nan(7)", "=+NaN", "-inf", "-1", "1", "inf"}},
        {GS_KEY_VERSION, {"", ".", "..", ".6~.5x", ".a", ".b~", ".b", "a~", "a", "a.b"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gs_key key = whole_line;
        key.type = cases[i].type;
        const gs_order order = {
            .keys = &key, .key_count = 1, .eol = '\n', .delimiter = -1};
        gs_status st = {.code = GS_OK};
        gs_key_encoder *e = NULL;
        REQUIRE_OK(gs_key_encoder_new(&e, &order, false, &st), &st);
        static sample a, b;
        for (size_t k = 0; k < sizeof cases[i].lines / sizeof *cases[i].lines; k++) {
            const char *line = cases[i].lines[k];
            const bool is_equal = *line == '=';
            a = b;
            b.bytes = strlen(line + is_equal);
            memcpy(b.line, line + is_equal, b.bytes);
            encode(e, &b);
            if (k > 0)
                CHECK(compare_keys(&a, &b) == (is_equal ? 0 : -1));
        }
        gs_key_encoder_free(e);
    }
}

static void fields_are_found(void)
{
    static const struct {
        const char *line;
        int delimiter;
        gs_key key;
        const char *expected;
    } cases[] = {
        {"a:b:c", ':', {.start_field = 1, .end_field = 1}, "b"},
        {"a:b:c", ':', {.start_field = 1, .end_field = SIZE_MAX}, "b:c"},
        {"a:b:c", ':', {.start_field = 5, .end_field = SIZE_MAX}, ""},
        {"a::c", ':', {.start_field = 1, .end_field = 1}, ""},
        {"abc:d", ':', {.start_char = 1, .end_field = 0, .end_char = 2}, "b"},
        {"a  b c", -1, {.start_field = 1, .end_field = 1}, "  b"},
        {"a  b c",
         -1,
         {.start_field = 1, .end_field = 1, .skip_start_blanks = true},
         "b"},
        {" a b", -1, {.start_field = 0, .end_field = 0}, " a"},
        {"ab cd", -1, {.start_field = 1, .start_char = 2, .end_field = SIZE_MAX}, "d"},
        {"x:y", ':', {.start_field = 1, .end_field = 0}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gs_key key = cases[i].key;
        const gs_order order = {
            .keys = &key, .key_count = 1, .delimiter = cases[i].delimiter};
        uint8_t line[LINE_MAX_BYTES + GS_KEY_READ_SLACK] = {0};
        const size_t n = strlen(cases[i].line);
        memcpy(line, cases[i].line, n);
        size_t begin, limit;
        gs_key_locate(&order, 0, line, n, &begin, &limit);
        const size_t want = strlen(cases[i].expected);
        CHECK(limit - begin == want);
        CHECK(memcmp(line + begin, cases[i].expected, want) == 0);
    }
}

/* Fields far into a line, and keys out of order, are found as well. */
static void long_lines_are_walked(void)
{
    static uint8_t line[4000 + GS_KEY_READ_SLACK];
    size_t n = 0;
    for (unsigned f = 0; f < 300; f++)
        n += (size_t)snprintf((char *)line + n, 4000 - n, "%s%u", f ? "," : "", f);
    gs_key keys[2] = {{.start_field = 250, .end_field = 250},
                      {.start_field = 3, .end_field = 3}};
    const gs_order order = {.keys = keys, .key_count = 2, .delimiter = ',', .eol = '\n'};
    gs_status st = {.code = GS_OK};
    gs_key_encoder *e = NULL;
    REQUIRE_OK(gs_key_encoder_new(&e, &order, false, &st), &st);
    static uint8_t key[70000];
    REQUIRE(gs_key_encode_bound(e, n) <= sizeof key);
    const size_t bytes = gs_key_encode(e, line, n, key);
    CHECK(bytes == 6 && memcmp(key, "250\0003\0", 6) == 0);
    gs_key_encoder_free(e);
}

/* Keys that end before the line does, of a random type, with what goes with that. */
static gs_key random_key(size_t fields, uint64_t *state)
{
    gs_key key = {.start_field = check_random(state) % fields,
                  .type = (gs_key_type)(check_random(state) % GS_KEY_TYPE_COUNT)};
    key.end_field = key.start_field + check_random(state) % (fields - key.start_field);
    if (check_random(state) % 3 == 0)
        key.start_char = check_random(state) % 4;
    if (check_random(state) % 3 == 0)
        key.end_char = 1 + check_random(state) % 4;
#define DRAW(name, mark, changes, goes_with)                                             \
    key.name = check_random(state) % 4 == 0 &&                                           \
               gs_key_goes_with(GS_KEY_GOES_WITH_##goes_with, key.type);
    GS_KEY_SWITCHES(DRAW)
#undef DRAW
    key.reverse = check_random(state) % 4 == 0;
    return key;
}

/* A line of some fields, the last of which no random key reaches. */
static size_t make_fields(uint8_t *line, size_t most, size_t fields, bool is_blank,
                          const char *alphabet, uint64_t *state)
{
    enum { END = 8 };
    const char separator = is_blank ? ' ' : ',';
    const size_t longest = check_random(state) % 2 == 0 ? 16 : 60;
    size_t bytes = 0;
    for (size_t f = 0; f < fields; f++) {
        if (f > 0)
            line[bytes++] = (uint8_t)separator;
        const size_t length = check_random(state) % longest;
        for (size_t i = 0; i < length && bytes + 2 * fields + END < most; i++) {
            const char c = alphabet[check_random(state) % strlen(alphabet)];
            line[bytes++] = c == '#' ? 0 : c == '@' ? 1 : (uint8_t)c;
        }
        if (is_blank)
            line[bytes++] = 'e'; /* a field of blanks alone would join the next */
    }
    memset(line + bytes, 'q', END); /* characters are counted beyond their field */
    return bytes + END;
}

/* Lines are looked at in other ways the longer they are: with a field more behind it,
 * which no key reaches, a line has the same key. */
static void short_and_long_agree(uint64_t *state)
{
    enum { SHORT = 63, MIDDLE = 127, FIELDS = 4, MORE = 200 };
    for (unsigned round = 0; round < check_often(ROUNDS); round++) {
        const bool is_blank = check_random(state) % 2 == 0;
        const char *const alphabet = round % 3 == 0   ? "0123456789"
                                     : round % 3 == 1 ? "aB1 .-\t"
                                                      : "01#@x~";
        uint8_t line[MIDDLE + MORE + GS_KEY_READ_SLACK];
        memset(line, 0xee, sizeof line);
        const size_t bytes = make_fields(line, round % 2 == 0 ? SHORT : MIDDLE, FIELDS,
                                         is_blank, alphabet, state);
        gs_key keys[2] = {random_key(FIELDS - 1, state), random_key(FIELDS - 1, state)};
        const gs_order order = {.keys = keys,
                                .key_count = 2,
                                .eol = '\n',
                                .delimiter = is_blank ? GS_ORDER_BLANK_FIELDS : ','};
        gs_status st = {.code = GS_OK};
        gs_key_encoder *e = NULL;
        REQUIRE_OK(gs_key_encoder_new(&e, &order, round % 4 < 2, &st), &st);
        uint8_t as_is[16384], of_longer[16384];
        REQUIRE(bytes <= MIDDLE && gs_key_encode_bound(e, bytes + MORE) <= sizeof as_is);
        const size_t n = gs_key_encode(e, line, bytes, as_is);
        line[bytes] = is_blank ? ' ' : ',';
        memset(line + bytes + 1, 'z', MORE - 1);
        for (unsigned i = 0; i < 4; i++) {
            const size_t more = 1 + check_random(state) % MORE;
            const size_t m = gs_key_encode(e, line, bytes + more, of_longer);
            CHECK(n == m && memcmp(as_is, of_longer, n) == 0);
        }
        gs_key_encoder_free(e);
    }
}

static size_t encode_once(const gs_key *key, const char *line, size_t bytes, uint8_t *to)
{
    const gs_order order = {.keys = (gs_key *)(uintptr_t)key,
                            .key_count = 1,
                            .eol = '\n',
                            .delimiter = GS_ORDER_BLANK_FIELDS};
    gs_status st = {.code = GS_OK};
    gs_key_encoder *e = NULL;
    REQUIRE_OK(gs_key_encoder_new(&e, &order, false, &st), &st);
    const size_t n = gs_key_encode(e, (const uint8_t *)line, bytes, to);
    gs_key_encoder_free(e);
    return n;
}

/* A line in which every switch of a key shows, if the encoder heeds it, short or long;
 * and whether whole lines are then taken for the key. */
static void every_switch_is_heeded(void)
{
    enum { SHORT = 12, LONG = 90 };
    static const char line[LONG + GS_KEY_READ_SLACK] = "  aB\x01!  cDe"
                                                       "and what makes the line longer";
    const gs_key key = {.end_field = 1, .end_char = 2};
    static const struct {
        const char *name;
        gs_key of_field, of_line;
        unsigned changes;
    } switches[] = {
#define ON(name, mark, changes, goes_with)                                               \
    {#name,                                                                              \
     {.end_field = 1, .end_char = 2, .name = true},                                      \
     {.end_field = SIZE_MAX, .name = true},                                              \
     GS_KEY_CHANGES_##changes},
        GS_KEY_SWITCHES(ON)
#undef ON
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        uint8_t off[1024], on[1024];
        for (size_t bytes = SHORT; bytes <= LONG; bytes += LONG - SHORT) {
            const size_t n = encode_once(&key, line, bytes, off);
            if (n == encode_once(&switches[i].of_field, line, bytes, on) &&
                memcmp(off, on, n) == 0) {
                fprintf(stderr,
                        "key_encode does nothing about %s, or `line` does not show it\n",
                        switches[i].name);
                CHECK(false);
            }
        }
        /* Folding has ways of its own: it must not hide another one. */
        gs_key folded = key, both = switches[i].of_field;
        folded.fold = both.fold = true;
        const size_t n = encode_once(&folded, line, LONG, off);
        CHECK(switches[i].of_field.fold || n != encode_once(&both, line, LONG, on) ||
              memcmp(off, on, n) != 0);
        const gs_order order = {.keys = (gs_key *)(uintptr_t)&switches[i].of_line,
                                .key_count = 1,
                                .eol = '\n'};
        CHECK(gs_order_layout(&order, false).is_keyed ==
              (switches[i].changes != GS_KEY_CHANGES_END));
    }
}

/* Numbers by -g of which only strtold can tell that they are half way between two, beside
 * their neighbours. */
static void long_numbers_are_rounded(void)
{
    static const char lines[][48] = {"268625875208.8776160404086112976074",
                                     "268625875208.877616040408611297607421875",
                                     "268625875208.8776160404086112976075"};
    gs_key key = whole_line;
    key.type = GS_KEY_GENERAL;
    uint8_t strings[3][128];
    size_t bytes[3];
    for (size_t i = 0; i < 3; i++) {
        char line[48 + GS_KEY_READ_SLACK] = "";
        memcpy(line, lines[i], sizeof lines[i]);
        bytes[i] = encode_once(&key, line, strlen(line), strings[i]);
        CHECK(bytes[i] == bytes[0]);
    }
    CHECK(memcmp(strings[0], strings[1], bytes[0]) < 0);
    CHECK((memcmp(strings[1], strings[2], bytes[0]) == 0) == (LDBL_MANT_DIG == 64));
}

/* By them a checkpoint tells one job from another: two of a name would let it go on with
 * the runs of an order that is not asked for. */
static void marks_are_unique(void)
{
#define MARK(name, mark, ...)     mark,
#define LETTER(name, letter, ...) letter,
    static const char *const marks[] = {GS_KEY_SWITCHES(MARK) "r" /* reversed */};
    static const char letters[] = {'-' /* bytes */, GS_KEY_TYPES(LETTER)};
#undef LETTER
#undef MARK
    bool is_seen[256] = {false};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        CHECK(strlen(marks[i]) == 1 && !is_seen[(uint8_t)marks[i][0]]);
        is_seen[(uint8_t)marks[i][0]] = true;
    }
    CHECK(sizeof letters == GS_KEY_TYPE_COUNT);
    for (size_t i = 0; i < sizeof letters; i++)
        CHECK(memchr(letters + i + 1, letters[i], sizeof letters - i - 1) == NULL);
}

int main(void)
{
    uint64_t state = check_seed(11);
    agrees(whole_line, "ab@#z", compare_bytes, &state);
    gs_key folded = whole_line;
    folded.fold = true;
    agrees(folded, "aAzZ`{[@#\xe1\xc1", compare_folded, &state);
    gs_key numeric = whole_line;
    numeric.type = GS_KEY_NUMERIC;
    agrees(numeric, "0012.-9 ", compare_decimals, &state);
    agrees(numeric, "00000.5", compare_decimals, &state);
    agrees(numeric, "123456789", compare_decimals, &state);
    agrees(numeric, "012\x80.-9", compare_decimals, &state);
    agrees(numeric, "1234567890\x80", compare_decimals, &state);
    kinds_are_in_order();
    long_numbers_are_rounded();
    fields_are_found();
    long_lines_are_walked();
    short_and_long_agree(&state);
    every_switch_is_heeded();
    marks_are_unique();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
