/* SPDX-License-Identifier: MIT */
#include "cmd/key_spec.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/quote.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/assertion.h"

_Static_assert((int)GS_LETTER_KIND_COUNT == (int)GPUSORT_RANDOM,
               "each but GPUSORT_BYTES has a letter");

#define HAS_LETTER(name, letter, ...)                                                    \
    _Static_assert(((letter) >= 'a' && (letter) <= 'z') ||                               \
                       ((letter) >= 'A' && (letter) <= 'Z'),                             \
                   "-k, a column, an option and a warning name " #name " by a letter");
GS_LETTER_KINDS(HAS_LETTER)
GS_LETTER_FLAGS(HAS_LETTER)
#undef HAS_LETTER

/* All that a letter stands for; 0 if it is none. */
static unsigned letter_flags(char letter)
{
    unsigned flags = 0;
#define KIND(name, its, word, counts) flags |= letter == (its) ? GS_LETTER_##name : 0U;
    GS_LETTER_KINDS(KIND)
#undef KIND
#define FLAG(name, its, ...) flags |= letter == (its) ? GS_LETTER_##name : 0U;
    GS_LETTER_FLAGS(FLAG)
#undef FLAG
    return flags;
}

gs_letter_counts gs_letter_counts_of(gpusort_kind kind)
{
    switch (kind) {
#define COUNTS(name, letter, word, counts)                                               \
    case GPUSORT_##name: return GS_LETTER_COUNTS_##counts;
        GS_LETTER_KINDS(COUNTS)
#undef COUNTS
    case GPUSORT_BYTES: break;
    }
    return GS_LETTER_COUNTS_TEXT;
}

unsigned gs_letters_of_kinds(gs_letter_counts wanted)
{
    unsigned letters = 0;
#define ADD(name, letter, word, counts)                                                  \
    letters |= GS_LETTER_COUNTS_##counts == wanted ? GS_LETTER_##name : 0U;
    GS_LETTER_KINDS(ADD)
#undef ADD
    return letters;
}

/* The flags that go with keys of text only. */
static unsigned letters_with_text(void)
{
    unsigned letters = 0;
#define ADD(name, letter, flag, goes_with)                                               \
    letters |= GS_LETTER_GOES_WITH_##goes_with == GS_LETTER_GOES_WITH_TEXT               \
                   ? (unsigned)GS_LETTER_##name                                          \
                   : 0U;
    GS_LETTER_FLAGS(ADD)
#undef ADD
    return letters;
}

const char *gs_letters_add(unsigned *letters, const char *text, gs_letter_place place)
{
    for (; *text; text++) {
        unsigned flags = letter_flags(*text);
        if (flags == 0)
            break;
        if (place == GS_LETTERS_OF_START)
            flags &= ~(unsigned)GS_LETTER_END_BLANKS;
        if (place == GS_LETTERS_OF_END)
            flags &= ~(unsigned)GS_LETTER_START_BLANKS;
        *letters |= flags;
        if (*letters & GS_LETTER_DICTIONARY)
            *letters &= ~(unsigned)GS_LETTER_NONPRINTING;
    }
    return text;
}

const char *gs_letters_text(unsigned letters, char *text)
{
    static const char alphabet[] = "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz";
    size_t len = 0;
    for (const char *letter = alphabet; *letter != '\0'; letter++) {
        if (letters & letter_flags(*letter))
            text[len++] = *letter;
    }
    gs_assert(len < GS_LETTERS_TEXT_BYTES);
    text[len] = '\0';
    return text;
}

bool gs_letters_change_compare(unsigned letters)
{
    return (letters & ~(unsigned)GS_LETTER_REVERSE) != 0;
}

void gs_letters_check(unsigned letters)
{
    /* Of those that say how text compares any two go together. */
    const unsigned text_kind =
        gs_letters_of_kinds(GS_LETTER_COUNTS_TEXT) | letters_with_text();
    const unsigned kinds = letters & (gs_letters_of_kinds(GS_LETTER_COUNTS_NUMBER) |
                                      gs_letters_of_kinds(GS_LETTER_COUNTS_NAME));
    if (__builtin_popcount(kinds) + ((letters & text_kind) != 0) <= 1)
        return;
    char text[GS_LETTERS_TEXT_BYTES];
    const unsigned innocent = GS_LETTERS_BLANKS | GS_LETTER_REVERSE;
    gs_die(0, "options '-%s' are incompatible",
           gs_letters_text(letters & ~innocent, text));
}

static _Noreturn void refuse_field(const char *spec, const char *why)
{
    gs_quoted q;
    gs_die(0, "%s: invalid field specification %s", why, gs_quote_argument(&q, spec));
}

/* A number too large for any line is as good as the largest one. Returns what follows,
 * or NULL if there is no number and `why` is NULL. */
static const char *parse_count(const char *text, size_t *out, const char *why)
{
    uint64_t value = 0;
    const char *rest = NULL;
    if (gs_number_parse(text, "", &value, &rest) & GS_NUMBER_INVALID) {
        gs_quoted q;
        if (why)
            gs_die(0, "%s: invalid count at start of %s", why,
                   gs_quote_argument(&q, text));
        return NULL;
    }
    *out = value > SIZE_MAX ? SIZE_MAX : (size_t)value;
    return rest;
}

void gs_key_spec_parse(gs_key_spec *spec, const char *text)
{
    *spec = (gs_key_spec){.end_field = SIZE_MAX};
    const char *p =
        parse_count(text, &spec->start_field, "invalid number at field start");
    if (spec->start_field-- == 0)
        refuse_field(text, "field number is zero");
    if (*p == '.') {
        p = parse_count(p + 1, &spec->start_char, "invalid number after '.'");
        if (spec->start_char-- == 0)
            refuse_field(text, "character offset is zero");
    }
    p = gs_letters_add(&spec->letters, p, GS_LETTERS_OF_START);
    if (*p == ',') {
        p = parse_count(p + 1, &spec->end_field, "invalid number after ','");
        if (spec->end_field-- == 0)
            refuse_field(text, "field number is zero");
        if (*p == '.')
            p = parse_count(p + 1, &spec->end_char, "invalid number after '.'");
        p = gs_letters_add(&spec->letters, p, GS_LETTERS_OF_END);
    }
    if (*p)
        refuse_field(text, "stray character in field spec");
}

bool gs_key_spec_parse_plus(gs_key_spec *spec, const char *text)
{
    *spec = (gs_key_spec){.end_field = SIZE_MAX, .is_traditional = true};
    const char *p = parse_count(text, &spec->start_field, NULL);
    if (p && *p == '.')
        p = parse_count(p + 1, &spec->start_char, NULL);
    return p && *gs_letters_add(&spec->letters, p, GS_LETTERS_OF_START) == '\0';
}

void gs_key_spec_parse_minus(gs_key_spec *spec, const char *text)
{
    gs_assert(spec->is_traditional && text[0] == '-');
    const char *p = parse_count(text + 1, &spec->end_field, "invalid number after '-'");
    if (*p == '.')
        p = parse_count(p + 1, &spec->end_char, "invalid number after '.'");
    /* "-2" ends before field 2, counted from 0, so field 1 is the last one in it. */
    if (spec->end_char == 0 && spec->end_field > 0)
        spec->end_field--;
    if (*gs_letters_add(&spec->letters, p, GS_LETTERS_OF_END))
        refuse_field(text, "stray character in field spec");
}

/* Counted from 1, where no line reaches the largest number. */
static size_t from_one(size_t counted_from_zero)
{
    return counted_from_zero < SIZE_MAX ? counted_from_zero + 1 : SIZE_MAX;
}

gpusort_key gs_key_from_spec(const gs_key_spec *spec)
{
    const unsigned letters = spec->letters;
    gpusort_kind kind = GPUSORT_BYTES;
#define TAKE(name, letter, word, counts)                                                 \
    if (kind == GPUSORT_BYTES && (letters & GS_LETTER_##name) != 0)                      \
        kind = GPUSORT_##name;
    GS_LETTER_KINDS(TAKE)
#undef TAKE
    return (gpusort_key){
        .start_field = from_one(spec->start_field),
        .start_char = from_one(spec->start_char),
        .end_field = spec->end_field < SIZE_MAX ? spec->end_field + 1 : 0,
        .end_char = spec->end_char,
        .kind = kind,
        .flags = letters & ((1U << GS_LETTER_FLAG_COUNT) - 1),
    };
}

static _Noreturn void refuse_range(const char *text, const char *why)
{
    gs_quoted q;
    gs_die(0, "%s: invalid --key-bytes argument %s", why, gs_quote_argument(&q, text));
}

/* TYPE is one of b, bytes, u, i, f, then le or be, then r; each part may be missing, and
 * a colon may stand before the r. */
static void parse_range_type(gpusort_byte_key *key, const char *text, const char *whole)
{
    const char *p = text;
    if (strncmp(p, "bytes", 5) == 0) {
        p += 5;
    } else if (*p == 'u' || *p == 'i' || *p == 'f') {
        key->number = *p == 'u'   ? GPUSORT_UNSIGNED
                      : *p == 'i' ? GPUSORT_SIGNED
                                  : GPUSORT_FLOAT;
        p++;
        if (strncmp(p, "le", 2) != 0 && strncmp(p, "be", 2) != 0 && key->length > 1)
            refuse_range(whole, "byte order missing, le or be");
        if (strncmp(p, "le", 2) == 0 || strncmp(p, "be", 2) == 0) {
            key->is_little_endian = *p == 'l';
            p += 2;
        }
    }
    if (*p == ':' && p > text)
        p++;
    if (*p == 'r') {
        key->flags = GPUSORT_REVERSE;
        p++;
    }
    if (p == text || *p || p[-1] == ':')
        refuse_range(whole, "unknown type");
}

gpusort_byte_key gs_byte_key_parse(const char *text)
{
    gpusort_byte_key key = {.number = GPUSORT_RAW};
    const char *p = isdigit((unsigned char)*text) ? text : NULL;
    p = p ? parse_count(p, &key.offset, NULL) : NULL;
    if (!p || *p != ':' || !isdigit((unsigned char)p[1]))
        refuse_range(text, "OFFSET:LENGTH[:TYPE] expected");
    p = parse_count(p + 1, &key.length, NULL);
    if (!p || (*p && *p != ':'))
        refuse_range(text, "OFFSET:LENGTH[:TYPE] expected");
    if (key.length == 0)
        refuse_range(text, "length is zero");
    if (*p == ':')
        parse_range_type(&key, p + 1, text);
    const bool is_power = (key.length & (key.length - 1)) == 0;
    if ((key.number == GPUSORT_UNSIGNED || key.number == GPUSORT_SIGNED) &&
        (!is_power || key.length > 16))
        refuse_range(text, "integers have 1, 2, 4, 8 or 16 bytes");
    if (key.number == GPUSORT_FLOAT && key.length != 4 && key.length != 8)
        refuse_range(text, "floats have 4 or 8 bytes");
    return key;
}
