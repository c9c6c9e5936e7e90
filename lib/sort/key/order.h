/* SPDX-License-Identifier: MIT */
/*
 * order: what "sorted" means, as plain data.
 *
 * An order says how to find a record's keys and how each compares; it is filled by the
 * command line (or a library caller), checked once and then read-only. Every compare in
 * the program goes through the byte string that key_encode makes of it.
 */
#ifndef GS_LIB_SORT_KEY_ORDER_H
#define GS_LIB_SORT_KEY_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/sort/record/records.h"

/* clang-format off */
/*
 * The types of keys, but for GS_KEY_BYTES, which has no letter. A new one does not build
 * until key_encode.c, lib/sort/device/device_order.c and lib/api/api_key.c (with
 * lib/gpusort.h) have it, and then cmd/key_spec.h (its letter and word), cmd/sort_args.c
 * (its option) and cmd/sort_debug.c; the tests of the Python package then fail until its
 * _order.py has it too.
 *
 *     NAME      GS_KEY_...
 *     letter    in the text of a job, by which --checkpoint knows it again
 *     COUNTS    what of the key counts: all of its TEXT, or a NUMBER or NAME (of a month)
 *               at its beginning, without the blanks before it
 */
#define GS_KEY_TYPES(X)                                                        \
    X(GENERAL, 'g', NUMBER) /* long double */                                  \
    X(HUMAN,   'h', NUMBER) /* 2K 1G */                                        \
    X(MONTH,   'M', NAME)                                                      \
    X(NUMERIC, 'n', NUMBER) /* decimal, of any length */                       \
    X(RANDOM,  'R', TEXT) /* by hash; equals stay together */                  \
    X(VERSION, 'V', TEXT)

/*
 * What is switched on or off for a key, besides its direction: a bool of gs_key each.
 * Whoever does something for each of them walks this list: what else of the sort needs a
 * place of its own does not build, or fails in test_key_encode or test_text_key, which also
 * fail where their lines do not show what the new switch changes. Nor does it build until
 * lib/api/api_key.c has its flag of lib/gpusort.h. Then test_api_key does not build until
 * cmd/key_spec.h has its letter, nor, with that, the command line until cmd/sort_args.c
 * has its option; the fuzzers name their references, and the tests of the Python package
 * its _order.py.
 *
 *     name      of the bool, in gs_key and in gs_text_key (gpu/text/text_sort.h)
 *     mark      in the text of a job, by which --checkpoint knows it again
 *     CHANGES   where the key begins (START) or ends (END), or which of its bytes count,
 *               and as what (TEXT)
 *     GOES_WITH keys of EVERY type, or those of which all TEXT counts
 */
#define GS_KEY_SWITCHES(X)                        \
    X(skip_start_blanks, "b", START, EVERY)       \
    X(skip_end_blanks,   "B", END,   EVERY)       \
    X(fold,              "f", TEXT,  EVERY)       \
    X(ignore_nonprint,   "i", TEXT,  TEXT)        \
    X(dictionary,        "d", TEXT,  TEXT) /* wins over ignore_nonprint */
/* clang-format on */

typedef enum gs_key_type {
    GS_KEY_BYTES, /* byte order */
#define GS_KEY_TYPE(name, letter, counts) GS_KEY_##name,
    GS_KEY_TYPES(GS_KEY_TYPE) GS_KEY_TYPE_COUNT,
#undef GS_KEY_TYPE
} gs_key_type;

#define GS_KEY_ONE(...) +1
enum { GS_KEY_SWITCH_COUNT = GS_KEY_SWITCHES(GS_KEY_ONE) };
#undef GS_KEY_ONE

/* What of a key counts, by its type. */
typedef enum gs_key_part {
    GS_KEY_COUNTS_TEXT,
    GS_KEY_COUNTS_NUMBER,
    GS_KEY_COUNTS_NAME,
} gs_key_part;

static inline gs_key_part gs_key_type_counts(gs_key_type type)
{
    switch (type) {
#define GS_KEY_CASE(name, letter, counts)                                                \
    case GS_KEY_##name: return GS_KEY_COUNTS_##counts;
        GS_KEY_TYPES(GS_KEY_CASE)
#undef GS_KEY_CASE
    case GS_KEY_BYTES:
    case GS_KEY_TYPE_COUNT: break;
    }
    return GS_KEY_COUNTS_TEXT;
}

typedef enum gs_key_change {
    GS_KEY_CHANGES_START = 1,
    GS_KEY_CHANGES_END = 2,
    GS_KEY_CHANGES_TEXT = 4,
} gs_key_change;

/* One -k POS1,POS2. Fields and characters count from 0. */
typedef struct gs_key {
    size_t start_field; /* fields to skip before the key */
    size_t start_char;  /* then characters to skip */
    size_t end_field;   /* SIZE_MAX: the key ends with the line */
    size_t end_char;    /* 0: the key ends with field end_field; else that many
                           characters into it (GNU's eword / echar after parsing) */
#define GS_KEY_BOOL(name, ...) bool name;
    GS_KEY_SWITCHES(GS_KEY_BOOL)
#undef GS_KEY_BOOL
    bool reverse; /* -r */
    gs_key_type type;
} gs_key;

/* Is folding all that is done to the bytes of a key? */
static inline bool gs_key_only_folds(const gs_key *key)
{
#define GS_KEY_IS_ON(name, mark, change, goes_with)                                      \
    +(GS_KEY_CHANGES_##change == GS_KEY_CHANGES_TEXT && key->name)
    return key->fold && GS_KEY_SWITCHES(GS_KEY_IS_ON) == 1;
#undef GS_KEY_IS_ON
}

/* Is anything on that makes one of these changes? */
static inline bool gs_key_has_change(const gs_key *key, unsigned changes)
{
#define GS_KEY_MAKES(name, mark, change, goes_with)                                      \
    ((changes & GS_KEY_CHANGES_##change) != 0 && key->name) ||
    return GS_KEY_SWITCHES(GS_KEY_MAKES) false;
#undef GS_KEY_MAKES
}

typedef enum gs_key_company {
    GS_KEY_GOES_WITH_EVERY,
    GS_KEY_GOES_WITH_TEXT,
} gs_key_company;

/* Does a switch that goes with these keys go with those of the type? */
static inline bool gs_key_goes_with(gs_key_company company, gs_key_type type)
{
    return company == GS_KEY_GOES_WITH_EVERY ||
           gs_key_type_counts(type) == GS_KEY_COUNTS_TEXT;
}

/* Does all that is on go with the type of the key? */
static inline bool gs_key_is_sound(const gs_key *key)
{
#define GS_KEY_FITS(name, mark, change, goes_with)                                       \
    (!key->name || gs_key_goes_with(GS_KEY_GOES_WITH_##goes_with, key->type)) &&
    return GS_KEY_SWITCHES(GS_KEY_FITS) true;
#undef GS_KEY_FITS
}

/* What a --key-bytes range of a fixed-size record is, and how the text of a job names it.
 * Floats are of IEEE 754, 4 or 8 bytes, in total order: -NaN < -inf ... inf < NaN. A new
 * type does not build until all have it who make something of one. */
#define GS_FIELD_TYPES(X) X(BYTES, "bytes") X(UNSIGNED, "u") X(SIGNED, "i") X(FLOAT, "f")

typedef enum gs_field_type {
#define GS_FIELD_TYPE(name, text) GS_FIELD_##name,
    GS_FIELD_TYPES(GS_FIELD_TYPE) GS_FIELD_TYPE_COUNT,
#undef GS_FIELD_TYPE
} gs_field_type;

/* One --key-bytes range. */
typedef struct gs_byte_key {
    size_t offset, length; /* length 1, 2, 4, 8 (or 16 for integers) unless bytes */
    gs_field_type type;
    bool is_little_endian;
    bool reverse;
} gs_byte_key;

enum { GS_ORDER_SEED_BYTES = 16, GS_ORDER_BLANK_FIELDS = -1 };

/* Where the fields of a record are that is no fixed-size one. */
typedef enum gs_order_form {
    GS_FORM_LINES, /* a line; fields as `delimiter` says */
    GS_FORM_CSV,   /* RFC 4180, with `delimiter` between fields */
    GS_FORM_JSON,  /* a line that is an object; a key is the value of its path */
} gs_order_form;

/* The three questions that are asked of a form, and nothing else is: a new one does not
 * build before it answers each. Is a record a line and nothing more, whose fields are
 * bytes of it as they lie there? */
static inline bool gs_form_is_plain(gs_order_form form)
{
    switch (form) {
    case GS_FORM_LINES: return true;
    case GS_FORM_CSV:
    case GS_FORM_JSON: break;
    }
    return false;
}

/* Do quotes say what a field is, and which end of a line ends a record (gs_order_csv)? */
static inline bool gs_form_has_quotes(gs_order_form form)
{
    switch (form) {
    case GS_FORM_CSV: return true;
    case GS_FORM_LINES:
    case GS_FORM_JSON: break;
    }
    return false;
}

/* Is a record an object, and a line that is none an error? */
static inline bool gs_form_is_objects(gs_order_form form)
{
    switch (form) {
    case GS_FORM_JSON: return true;
    case GS_FORM_LINES:
    case GS_FORM_CSV: break;
    }
    return false;
}

/* Where a value is: the name in the outermost object, then in the one it has, ... */
typedef struct gs_json_path {
    const char *names; /* each with its zero, one behind the other */
    size_t depth;      /* so many */
} gs_json_path;

typedef struct gs_collation gs_collation; /* see collation.h */

typedef struct gs_order {
    gs_order_form form;
    gs_key *keys; /* none: the whole line is the key, in byte order */
    size_t key_count;
    const gs_json_path *json_paths; /* GS_FORM_JSON: one a key */
    const gs_collation *collation;  /* of the text that is compared; NULL: bytes */
    int delimiter;                  /* -t: 0..255, or GS_ORDER_BLANK_FIELDS */
    uint8_t eol;                    /* '\n', or 0 with -z */
    bool stable;                    /* -s: no last-resort comparison */
    bool unique;  /* -u: the first of each set of equals; implies no last resort */
    bool reverse; /* global -r: turns the last-resort comparison round */
    uint8_t random_seed[GS_ORDER_SEED_BYTES];

    size_t record_size; /* > 0: fixed-size binary records, `keys` unused */
    gs_byte_key *byte_keys;
    size_t byte_key_count; /* none: the whole record */
} gs_order;

/* How the records of GS_FORM_CSV are told apart. */
static inline gs_csv_form gs_order_csv(const gs_order *order)
{
    return (gs_csv_form){.separator = (uint8_t)order->delimiter, .eol = order->eol};
}

#endif
