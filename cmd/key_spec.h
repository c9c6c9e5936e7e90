/* SPDX-License-Identifier: MIT */
/*
 * key_spec: the keys of a command line, from their text to an order.
 *
 *     -k POS1[,POS2]        POS is FIELD[.CHAR][LETTERS], counted from 1
 *     +POS1 [-POS2]         the same, counted from 0, from before POSIX
 *     --key-bytes=OFF:LEN[:TYPE]...
 *
 * A spec keeps every ordering letter that was given, because GNU's checks and warnings
 * speak of letters; gs_key, which the library takes, keeps only what they come to.
 * Parsers end the program with GNU's message when the text will not do.
 */
#ifndef GS_CMD_KEY_SPEC_H
#define GS_CMD_KEY_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/sort/key/keys.h"

/* Ordering letters. At most one of DICTIONARY and NONPRINTING is set: -d wins. */
/* clang-format off */
enum {
    /* Those of types have the bit of the number of the type; of GS_KEY_BYTES, which has no
     * letter, it is free. */
    GS_LETTER_REVERSE = 1,
#define GS_LETTER(name, letter, word, counts) GS_LETTER_##name = 1 << GS_KEY_##name,
    GS_KEY_TYPES(GS_LETTER)
#undef GS_LETTER
    GS_LETTER_BIT_LAST_TYPE = GS_KEY_TYPE_COUNT - 1,
#define GS_LETTER(name, letter, mark, changes) GS_LETTER_BIT_##letter,
    GS_KEY_SWITCHES(GS_LETTER)
#undef GS_LETTER
#define GS_LETTER(name, letter, mark, changes) \
    GS_LETTER_##letter = 1 << GS_LETTER_BIT_##letter,
    GS_KEY_SWITCHES(GS_LETTER)
#undef GS_LETTER
    GS_LETTERS_BLANKS = GS_LETTER_START_BLANKS | GS_LETTER_END_BLANKS,
    GS_LETTERS_TEXT_BYTES = GS_KEY_TYPE_COUNT + GS_KEY_SWITCH_COUNT + 1, /* and the zero */
};
/* clang-format on */

/* Those of the types of keys of which this counts. */
unsigned gs_letters_of_types(gs_key_part counts);

typedef struct gs_key_spec {
    size_t start_field, start_char; /* as in gs_key */
    size_t end_field, end_char;
    unsigned letters;
    bool is_traditional; /* +POS1 -POS2 */
    char *column;        /* of this name (cmd/column_spec.h); NULL: by number */
} gs_key_spec;

typedef enum gs_letter_place {
    GS_LETTERS_OF_START,
    GS_LETTERS_OF_END,
    GS_LETTERS_OF_BOTH,
} gs_letter_place;

/* Adds ordering letters from the beginning of `text`; returns what follows them. */
const char *gs_letters_add(unsigned *letters, const char *text, gs_letter_place place);
/* The letters in GNU's order; `text` has room for GS_LETTERS_TEXT_BYTES. */
const char *gs_letters_text(unsigned letters, char *text);
/* True if a key with these letters would not compare by plain bytes (-r aside). */
bool gs_letters_change_compare(unsigned letters);
/* Ends the program if the letters ask for two kinds of comparison at once. */
void gs_letters_check(unsigned letters);

void gs_key_spec_parse(gs_key_spec *spec, const char *text);
/* False if `text` (after its '+') is no position: then it is a file name. */
bool gs_key_spec_parse_plus(gs_key_spec *spec, const char *text);
/* The "-POS2" that follows it. */
void gs_key_spec_parse_minus(gs_key_spec *spec, const char *text);

gs_key gs_key_from_spec(const gs_key_spec *spec);

gs_byte_key gs_byte_key_parse(const char *text);

#endif
