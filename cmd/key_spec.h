/* SPDX-License-Identifier: MIT */
/*
 * key_spec: the keys of a command line, from their text to an order.
 *
 *     -k POS1[,POS2]        POS is FIELD[.CHAR][LETTERS], counted from 1
 *     +POS1 [-POS2]         the same, counted from 0, from before POSIX
 *     --key-bytes=OFF:LEN[:TYPE]...
 *
 * A spec keeps every ordering letter that was given, because GNU's checks and warnings
 * speak of letters; gpusort_key, which the library takes, keeps only what they come to.
 * Parsers end the program with GNU's message when the text will not do.
 */
#ifndef GS_CMD_KEY_SPEC_H
#define GS_CMD_KEY_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/gpusort.h"

/* clang-format off */
/*
 * The kinds of keys that have a letter; where a key is given more than one the first here
 * counts. A new one needs its option in cmd/sort_args.c too, and what cmd/sort_debug.c
 * marks of it.
 *
 *     NAME      GPUSORT_..., and GS_LETTER_...
 *     letter    of -k, and of an option
 *     word      --sort=WORD
 *     COUNTS    what of the key counts: all of its TEXT, or a NUMBER or NAME (of a month)
 *               at its beginning, without the blanks before it
 */
#define GS_LETTER_KINDS(X)                      \
    X(GENERAL, 'g', "general-numeric", NUMBER)  \
    X(HUMAN,   'h', "human-numeric",   NUMBER)  \
    X(MONTH,   'M', "month",           NAME)    \
    X(NUMERIC, 'n', "numeric",         NUMBER)  \
    X(RANDOM,  'R', "random",          TEXT)    \
    X(VERSION, 'V', "version",         TEXT)

/*
 * What letters switch on besides; -b switches on two. test_api_key holds it against the
 * library: each flag is here, and goes with the same keys.
 *
 *     NAME      GS_LETTER_...
 *     letter    of -k, of a column, of an option and in warnings: each has one
 *     flag      of gpusort.h
 *     GOES_WITH keys of EVERY kind, or those of which all TEXT counts
 */
#define GS_LETTER_FLAGS(X)                                  \
    X(REVERSE,      'r', GPUSORT_REVERSE,            EVERY) \
    X(START_BLANKS, 'b', GPUSORT_SKIP_START_BLANKS,  EVERY) \
    X(END_BLANKS,   'b', GPUSORT_SKIP_END_BLANKS,    EVERY) \
    X(FOLD,         'f', GPUSORT_FOLD,               EVERY) \
    X(NONPRINTING,  'i', GPUSORT_IGNORE_NONPRINTING, TEXT)  \
    X(DICTIONARY,   'd', GPUSORT_DICTIONARY,         TEXT)

#define GS_LETTER_ONE(...) +1
enum {
    GS_LETTER_KIND_COUNT = GS_LETTER_KINDS(GS_LETTER_ONE),
    GS_LETTER_FLAG_COUNT = GS_LETTER_FLAGS(GS_LETTER_ONE),
};
#undef GS_LETTER_ONE

/* Ordering letters. At most one of DICTIONARY and NONPRINTING is set: -d wins. Flags have
 * the bits that they have in gpusort.h, and kinds those above them, by number. */
enum {
#define GS_LETTER(name, letter, word, counts) \
    GS_LETTER_##name = 1 << (GS_LETTER_FLAG_COUNT + GPUSORT_##name),
    GS_LETTER_KINDS(GS_LETTER)
#undef GS_LETTER
#define GS_LETTER(name, letter, flag, goes_with) GS_LETTER_##name = (flag),
    GS_LETTER_FLAGS(GS_LETTER)
#undef GS_LETTER
    GS_LETTERS_BLANKS = GS_LETTER_START_BLANKS | GS_LETTER_END_BLANKS,
    GS_LETTERS_TEXT_BYTES = GS_LETTER_KIND_COUNT + GS_LETTER_FLAG_COUNT + 1,
};
/* clang-format on */

/* With which keys a flag goes. */
typedef enum gs_letter_company {
    GS_LETTER_GOES_WITH_EVERY,
    GS_LETTER_GOES_WITH_TEXT,
} gs_letter_company;

/* What of a key counts. */
typedef enum gs_letter_counts {
    GS_LETTER_COUNTS_TEXT,
    GS_LETTER_COUNTS_NUMBER,
    GS_LETTER_COUNTS_NAME,
} gs_letter_counts;

gs_letter_counts gs_letter_counts_of(gpusort_kind kind);
/* The letters of the kinds of keys of which this counts. */
unsigned gs_letters_of_kinds(gs_letter_counts counts);

typedef struct gs_key_spec {
    size_t start_field, start_char; /* counted from 0 */
    size_t end_field, end_char;     /* SIZE_MAX: the end of the line; 0: of the field */
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

gpusort_key gs_key_from_spec(const gs_key_spec *spec);

gpusort_byte_key gs_byte_key_parse(const char *text);

#endif
