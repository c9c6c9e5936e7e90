/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/key_encode.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/encode/key_reader.h"
#include "lib/sort/key/byte_key.h"
#include "lib/sort/key/collation.h"
#include "lib/sort/key/csv_value.h"
#include "lib/sort/key/json_value.h"
#include "lib/sort/key/key_digits.h"
#include "lib/sort/key/key_field.h"
#include "lib/sort/key/key_number.h"
#include "lib/sort/key/key_shared.h"

enum {
    BYTES_EXTRA = 16, /* terminator, and what copying many at a time writes beyond */
    ESCAPE = 0x01,    /* 00 and 01 become 01 01 and 01 02 */
    TERMINATOR = 0x00,
    SHORT_KEY_BYTES = 256, /* translated on the stack */
};

/* What is known of a key before any line is seen. */
typedef struct gs_key_plan {
    size_t field;
    enum { PART_FIELD, PART_REST, PART_OTHER } part; /* all of it, all from it on */
    /* Bytes as they stand, -f of all of them, -n. */
    enum { TEXT_BARE, TEXT_FOLDED, TEXT_NUMBER, TEXT_OTHER } text;
    bool is_complemented;
} gs_key_plan;

struct gs_key_encoder {
    const gs_order *order; /* NULL: strings are made */
    gs_key_maker maker;
    bool flip;
    bool is_of_lines; /* and not of other records */
    bool has_fields;  /* some key begins or ends with a field that has to be found */
    size_t bound_factor, bound_extra;
    gs_key_plan plans[]; /* key by key */
};

void gs_key_locate(const gs_order *order, size_t k, const uint8_t *line,
                   size_t line_bytes, size_t *begin, size_t *limit)
{
    gs_assert(k < order->key_count);
    gs_field_walk walk = gs_field_start(order, line, line_bytes);
    const uint8_t *const from = gs_field_begin(&walk, &order->keys[k]);
    const uint8_t *to = gs_field_limit(&walk, &order->keys[k]);
    if (to < from)
        to = from;
    *begin = (size_t)(from - line);
    *limit = (size_t)(to - line);
}

/* --- bytes ------------------------------------------------------------------------- */

/* Some bytes as they are put: 00 and 01 become two. */
static uint8_t *put_escaped(uint8_t *to, const uint8_t *from, const uint8_t *end,
                            bool fold)
{
    for (; from < end; from++) {
        const uint8_t c = fold ? gs_text_upper(*from) : *from;
        if (c <= ESCAPE)
            *to++ = ESCAPE;
        *to++ = c <= ESCAPE ? (uint8_t)(c + 1) : c;
    }
    return to;
}

#ifdef __SSE2__
static inline __m128i upper_16(__m128i text)
{
    const __m128i from_a = _mm_add_epi8(text, _mm_set1_epi8((char)(0x80 - 'a')));
    const __m128i is_lower = _mm_cmplt_epi8(from_a, _mm_set1_epi8(-0x80 + 26));
    return _mm_sub_epi8(text, _mm_and_si128(is_lower, _mm_set1_epi8('a' - 'A')));
}
#endif

/* Copies with 00 and 01 escaped and the terminator, folded or not. Many at a time while
 * none is there; each byte is looked at once. */
static inline __attribute__((always_inline)) uint8_t *
put_bytes_as(bool fold, uint8_t *to, const uint8_t *from, const uint8_t *end)
{
#ifdef __SSE2__
    enum { AT_ONCE = 16 };
    while (from < end) {
        __m128i text = gs_load_16(from); /* the slack may be read */
        if (fold)
            text = upper_16(text);
        const __m128i low =
            _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(ESCAPE)), text);
        const size_t left = (size_t)(end - from), n = left < AT_ONCE ? left : AT_ONCE;
        _mm_storeu_si128((__m128i *)(void *)to, text);
        if (__builtin_expect(((unsigned)_mm_movemask_epi8(low) & ((1u << n) - 1)) != 0,
                             0)) {
            uint8_t some[AT_ONCE];
            _mm_storeu_si128((__m128i *)(void *)some, text);
            to = put_escaped(to, some, some + n, false);
        } else {
            to += n;
        }
        from += n;
    }
#else
    to = put_escaped(to, from, end, fold);
#endif
    *to++ = TERMINATOR;
    return to;
}

static uint8_t *put_bytes(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    return put_bytes_as(false, to, from, end);
}

static uint8_t *put_folded(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    return put_bytes_as(true, to, from, end);
}

#ifdef __SSE2__
/* Copies 16 bytes; which of them have to be escaped. */
static inline unsigned put_16(uint8_t *to, const uint8_t *from)
{
    const __m128i text = gs_load_16(from);
    _mm_storeu_si128((__m128i *)(void *)to, text);
    return (unsigned)_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(ESCAPE)), text));
}
#endif

/* The same for few bytes, at once; NULL if there are more or some have to be escaped. */
static inline uint8_t *put_short_bytes(uint8_t *to, const uint8_t *from,
                                       const uint8_t *end)
{
#ifdef __SSE2__
    enum { FEW = 16, MORE = 64 };
    const size_t bytes = (size_t)(end - from);
    uint64_t escaped = put_16(to, from);
    if (bytes > FEW) {
        escaped |= (uint64_t)put_16(to + 16, from + 16) << 16;
        escaped |= (uint64_t)put_16(to + 32, from + 32) << 32;
        escaped |= (uint64_t)put_16(to + 48, from + 48) << 48;
        if (bytes >= MORE)
            return NULL;
    }
    if ((escaped & ((UINT64_C(1) << bytes) - 1)) != 0)
        return NULL;
    to[bytes] = TERMINATOR;
    return to + bytes + 1;
#else
    return NULL;
#endif
}

static bool is_translated(const gs_key *key)
{
    return gs_key_has_change(key, GS_KEY_CHANGES_TEXT);
}

/* Bytes that are compared folded, all of them. */
static bool is_folded(const gs_key *key)
{
    return key->type == GS_KEY_BYTES && gs_key_only_folds(key);
}

/* The bytes that count, folded; -d wins over -i. */
static size_t translate(const gs_key *key, const uint8_t *from, const uint8_t *end,
                        uint8_t *to)
{
    uint8_t *p = to;
    if (!is_translated(key)) {
        memcpy(to, from, (size_t)(end - from));
        return (size_t)(end - from);
    }
    const bool dictionary = key->dictionary, ignore_nonprint = key->ignore_nonprint,
               fold = key->fold;
    for (; from < end; from++) {
        const uint8_t c = *from;
        if (!gs_key_counts(dictionary, ignore_nonprint, c))
            continue;
        *p++ = fold ? gs_text_upper(c) : c;
    }
    return (size_t)(p - to);
}

/* --- one key ------------------------------------------------------------------------ */

/* The most that one key's string takes: of the length of the line so many times, and so
 * many bytes. */
typedef struct key_bound {
    size_t factor, extra;
} key_bound;

static const key_bound bounds[] = {
    [GS_KEY_BYTES] = {3, BYTES_EXTRA},
    [GS_KEY_NUMERIC] = {1, GS_NUMBER_EXTRA_BYTES + BYTES_EXTRA},
    [GS_KEY_GENERAL] = {1, GS_GENERAL_BYTES_MAX + GS_GENERAL_SCRATCH_BYTES + BYTES_EXTRA},
    [GS_KEY_HUMAN] = {1, GS_NUMBER_EXTRA_BYTES + BYTES_EXTRA},
    [GS_KEY_MONTH] = {1, BYTES_EXTRA},
    [GS_KEY_RANDOM] = {3, GS_MD5_BYTES + BYTES_EXTRA},
    [GS_KEY_VERSION] = {5, GS_VERSION_EXTRA_BYTES + BYTES_EXTRA},
};

_Static_assert(sizeof bounds / sizeof *bounds == GS_KEY_TYPE_COUNT, "a row each");

/* Without what is made of the text with a collation, which lies behind it. */
static key_bound string_bound(const gs_order *order, const gs_key *key)
{
    return order->collation != NULL && key->type == GS_KEY_BYTES
               ? (key_bound){GS_COLLATION_FACTOR, GS_COLLATION_EXTRA_BYTES}
               : bounds[key->type];
}

static key_bound whole_bound(const gs_order *order, const gs_key *key)
{
    key_bound b = string_bound(order, key);
    if (order->collation != NULL) {
        b.factor++;
        b.extra += GS_KEY_READ_SLACK;
    }
    return b;
}

_Static_assert(GS_KEY_TYPE_COUNT == 7,
               "put_text_key or put_number_key knows the new one");

/* Types whose text is translated first, given the text as it counts. */
static uint8_t *put_text_key(const gs_order *order, const gs_key *key,
                             const uint8_t *from, const uint8_t *end, uint8_t *to)
{
    if (key->type == GS_KEY_MONTH) {
        *to = order->collation == NULL ? gs_shared_month(from, end)
                                       : gs_collation_month(order->collation, from, end);
        return to + 1;
    }
    if (key->type == GS_KEY_VERSION)
        return to + gs_shared_version(from, end, to);
    if (key->type == GS_KEY_RANDOM) {
        gs_shared_digest(order->random_seed, from, end, to);
        to += GS_MD5_BYTES;
    }
    return put_bytes(to, from, end);
}

static uint8_t *put_number_key(const gs_key *key, const uint8_t *from, const uint8_t *end,
                               uint8_t *to)
{
    if (key->type == GS_KEY_NUMERIC)
        return to + gs_number_encode_decimal(from, end, to);
    if (key->type == GS_KEY_HUMAN)
        return to + gs_number_encode_human(from, end, key->fold, to);
    /* The scratch lies behind where the string goes. */
    return to + gs_number_encode_general(from, end, to + GS_GENERAL_BYTES_MAX, to);
}

static bool is_number(const gs_key *key)
{
    return gs_key_type_counts(key->type) == GS_KEY_COUNTS_NUMBER;
}

/* Text, or a number, as a locale has them: first as C has it, behind the string. */
static uint8_t *put_collated(const gs_order *order, const gs_key *key,
                             const uint8_t *from, const uint8_t *end, uint8_t *to)
{
    const size_t bytes = (size_t)(end - from);
    const key_bound b = string_bound(order, key);
    uint8_t *const text = to + b.factor * bytes + b.extra;
    if (key->type == GS_KEY_BYTES)
        return gs_collation_put(order->collation, text, translate(key, from, end, text),
                                to);
    const size_t counts =
        gs_collation_number(order->collation, key->type, from, end, text);
    return put_number_key(key, text, text + counts, to);
}

static bool is_collated(const gs_order *order, const gs_key *key)
{
    return order->collation != NULL &&
           (key->type == GS_KEY_BYTES ||
            (is_number(key) && !gs_collation_has_plain_numbers(order->collation)));
}

/* Not inlined, so that what is common stays in registers. */
static __attribute__((noinline)) uint8_t *put_key(const gs_order *order,
                                                  const gs_key *key, const uint8_t *from,
                                                  const uint8_t *end, uint8_t *to)
{
    const size_t bytes = (size_t)(end - from);
    if (__builtin_expect(is_collated(order, key), 0))
        return put_collated(order, key, from, end, to);
    if (is_number(key))
        return put_number_key(key, from, end, to);
    if (is_folded(key))
        return put_folded(to, from, end);
    if (!is_translated(key) && key->type != GS_KEY_VERSION)
        return put_text_key(order, key, from, end, to);
    /* Text that counts differs from text that is there. So may, from one look to the
     * next, that of a mapped file that somebody writes to; of a version the length of the
     * string would not be bounded then. A short one is made aside, a long one at the end
     * of the room, which the factor of the bound has left for it. */
    uint8_t aside[SHORT_KEY_BYTES + GS_KEY_READ_SLACK];
    uint8_t *text = aside;
    if (bytes > SHORT_KEY_BYTES)
        text = to + (bounds[key->type].factor - 1) * bytes + bounds[key->type].extra;
    const size_t counts = translate(key, from, end, text);
    return put_text_key(order, key, text, text + counts, to);
}

/* --- the encoder -------------------------------------------------------------------- */

static gs_key_plan plan_key(const gs_order *order, const gs_key *key, bool flip)
{
    const bool is_whole =
        key->start_char == 0 && !gs_key_has_change(key, GS_KEY_CHANGES_START);
    gs_key_plan plan = {.field = key->start_field,
                        .part = PART_OTHER,
                        .text = TEXT_OTHER,
                        .is_complemented = key->reverse != flip};
    if (is_whole && key->end_field == SIZE_MAX)
        plan.part = PART_REST;
    else if (is_whole && key->end_field == key->start_field && key->end_char == 0)
        plan.part = PART_FIELD;
    if (is_collated(order, key))
        return plan;
    if (key->type == GS_KEY_NUMERIC)
        plan.text = TEXT_NUMBER;
    else if (key->type == GS_KEY_BYTES && !is_translated(key))
        plan.text = TEXT_BARE;
    else if (is_folded(key))
        plan.text = TEXT_FOLDED;
    return plan;
}

gs_code gs_key_encoder_new(gs_key_encoder **out, const gs_order *order, bool flip,
                           gs_status *st)
{
    *out = NULL;
    gs_key_encoder *e = NULL;
    GS_TRY(gs_mem_new(&e, sizeof(gs_key_encoder) + order->key_count * sizeof(gs_key_plan),
                      "key encoder", st));
    e->order = order;
    e->flip = flip;
    e->is_of_lines = order->record_size == 0 && gs_form_is_plain(order->form);
    e->bound_extra = GS_KEY_READ_SLACK + gs_byte_key_bytes(order);
    for (size_t i = 0; i < order->key_count; i++) {
        const key_bound bound = whole_bound(order, &order->keys[i]);
        e->bound_factor += bound.factor;
        e->bound_extra += 2 * bound.extra;
        e->plans[i] = plan_key(order, &order->keys[i], flip);
        e->has_fields |=
            order->keys[i].start_field > 0 || order->keys[i].end_field != SIZE_MAX;
    }
    if (!gs_form_is_plain(order->form)) { /* a value that has to be made */
        e->bound_factor++;
        e->bound_extra += GS_KEY_READ_SLACK;
    }
    *out = e;
    return GS_OK;
}

gs_code gs_key_encoder_new_made(gs_key_encoder **out, const gs_key_maker *maker,
                                gs_status *st)
{
    gs_key_encoder *e = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&e, sizeof *e, "key encoder", st));
    e->maker = *maker;
    e->bound_factor = maker->bound_factor;
    e->bound_extra = maker->bound_extra + GS_KEY_READ_SLACK;
    *out = e;
    return GS_OK;
}

const gs_key_maker *gs_key_encoder_maker(const gs_key_encoder *e)
{
    return e->order == NULL ? &e->maker : NULL;
}

void gs_key_encoder_free(gs_key_encoder *e)
{
    gs_mem_free(e);
}

size_t gs_key_encode_bound(const gs_key_encoder *e, size_t line_bytes)
{
    return e->bound_factor * line_bytes + e->bound_extra;
}

bool gs_key_encode_is_cheap(const gs_key_encoder *e)
{
    bool has_copied = false;
    if (e->order == NULL)
        return false;
    for (size_t i = 0; i < e->order->key_count; i++) {
        if (e->plans[i].text == TEXT_OTHER)
            return false;
        has_copied |= e->plans[i].text != TEXT_NUMBER;
    }
    return has_copied;
}

bool gs_key_encoder_plain_keys(const gs_key_encoder *e, gs_plain_keys *out)
{
    *out = (gs_plain_keys){0};
    if (!e->is_of_lines || e->order->delimiter == GS_ORDER_BLANK_FIELDS ||
        e->order->key_count > GS_PLAIN_KEYS_MAX)
        return false;
    out->delimiter = (uint8_t)e->order->delimiter;
    for (size_t i = 0; i < e->order->key_count; i++) {
        const gs_key_plan *const plan = &e->plans[i];
        if (plan->part == PART_OTHER ||
            (plan->text != TEXT_BARE && plan->text != TEXT_NUMBER))
            return false;
        out->keys[out->count++] =
            (gs_plain_key){.field = plan->field,
                           .is_rest = plan->part == PART_REST,
                           .is_number = plan->text == TEXT_NUMBER,
                           .is_complemented = plan->is_complemented};
    }
    return true;
}

static size_t encode_any(const gs_key_encoder *e, const uint8_t *line, size_t line_bytes,
                         uint8_t *dst)
{
    const gs_order *const order = e->order;
    uint8_t *to = dst;
    gs_field_walk walk = gs_field_start(order, line, line_bytes);
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_key *const key = &order->keys[i];
        const uint8_t *const from = gs_field_begin(&walk, key);
        const uint8_t *const end = gs_field_limit(&walk, key);
        uint8_t *const next = put_key(order, key, from, end < from ? from : end, to);
        if (key->reverse != e->flip)
            gs_digits_complement(to, next);
        to = next;
    }
    return (size_t)(to - dst);
}

/* Of a line that is not long; compiled for short ones and others. */
static inline __attribute__((always_inline)) size_t
encode_by_bits(bool is_short, const gs_key_encoder *e, const uint8_t *line,
               size_t line_bytes, uint8_t *dst)
{
    const gs_order *const order = e->order;
    uint8_t *to = dst;
    gs_bit_walk walk = gs_bit_start(order, line, line_bytes, e->has_fields, is_short);
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_key_plan *const plan = &e->plans[i];
        size_t from, limit;
        if (plan->part != PART_OTHER) {
            gs_bit_walk_to(&walk, plan->field);
            from = walk.at;
            limit = plan->part == PART_FIELD ? gs_bit_field_end(&walk) : line_bytes;
        } else {
            from = gs_bit_begin(&walk, line, &order->keys[i]);
            limit = gs_bit_limit(&walk, line, &order->keys[i]);
        }
        const uint8_t *const end = line + (limit < from ? from : limit);
        uint8_t *next = NULL;
        if (plan->text == TEXT_BARE)
            next = put_short_bytes(to, line + from, end);
        else if (plan->text == TEXT_NUMBER)
            next = gs_digits_encode(line + from, end, to);
        if (__builtin_expect(next == NULL, 0))
            next = put_key(order, &order->keys[i], line + from, end, to);
        if (plan->is_complemented)
            gs_digits_complement(to, next);
        to = next;
    }
    return (size_t)(to - dst);
}

static size_t encode_short(const gs_key_encoder *e, const uint8_t *line,
                           size_t line_bytes, uint8_t *dst)
{
    return encode_by_bits(true, e, line, line_bytes, dst);
}

static size_t encode_longer(const gs_key_encoder *e, const uint8_t *line,
                            size_t line_bytes, uint8_t *dst)
{
    return encode_by_bits(false, e, line, line_bytes, dst);
}

/* A key of a value that is no line's own. */
static uint8_t *put_value(const gs_key_encoder *e, size_t key, const uint8_t *from,
                          const uint8_t *end, uint8_t *to)
{
    const gs_key_plan *const plan = &e->plans[key];
    uint8_t *next = NULL;
    if (plan->text == TEXT_BARE)
        next = put_short_bytes(to, from, end);
    else if (plan->text == TEXT_NUMBER)
        next = gs_digits_encode(from, end, to);
    if (next == NULL)
        next = put_key(e->order, &e->order->keys[key], from, end, to);
    if (plan->is_complemented)
        gs_digits_complement(to, next);
    return next;
}

/* Values that have to be made lie behind all that the keys take. */
static uint8_t *value_room(const gs_key_encoder *e, size_t bytes, uint8_t *dst)
{
    return dst + gs_key_encode_bound(e, bytes) - bytes - GS_KEY_READ_SLACK;
}

static size_t encode_csv(const gs_key_encoder *e, const uint8_t *record, size_t bytes,
                         uint8_t *dst)
{
    const gs_order *const order = e->order;
    uint8_t *const room = value_room(e, bytes, dst);
    uint8_t *to = dst;
    gs_csv_walk walk = gs_csv_walk_begin(record, bytes, (uint8_t)order->delimiter);
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_csv_value v = gs_csv_walk_key(&walk, &order->keys[i], room);
        to = put_value(e, i, v.from, v.end, to);
    }
    return (size_t)(to - dst);
}

static size_t encode_json(const gs_key_encoder *e, const uint8_t *line, size_t bytes,
                          uint8_t *dst)
{
    const gs_order *const order = e->order;
    gs_json_value values[GS_JSON_PATHS_MAX];
    uint8_t *const room = value_room(e, bytes, dst);
    uint8_t *to = dst;
    if (gs_json_values_find(order, line, bytes, values) != NULL)
        return GS_KEY_BAD;
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_text_span v = gs_json_value_text(&values[i], room);
        const uint8_t *from = v.data, *const end = v.data + v.bytes;
        if (order->keys[i].skip_start_blanks)
            from = gs_text_skip_blanks(from, end);
        to = put_value(e, i, from, end, to);
    }
    return (size_t)(to - dst);
}

static __attribute__((noinline)) size_t
encode_other(const gs_key_encoder *e, const uint8_t *record, size_t bytes, uint8_t *dst)
{
    if (e->order == NULL)
        return e->maker.make(e->maker.context, record, bytes, dst);
    if (gs_form_is_objects(e->order->form))
        return encode_json(e, record, bytes, dst);
    if (e->order->record_size == 0)
        return encode_csv(e, record, bytes, dst);
    gs_byte_key_encode(e->order, e->flip, record, dst);
    return gs_byte_key_bytes(e->order);
}

size_t gs_key_encode(const gs_key_encoder *e, const uint8_t *line, size_t line_bytes,
                     uint8_t *dst)
{
    if (__builtin_expect(!e->is_of_lines, 0))
        return encode_other(e, line, line_bytes, dst);
    if (line_bytes <= GS_SHORT_LINE_BYTES)
        return encode_short(e, line, line_bytes, dst);
    return line_bytes <= GS_BIT_LINE_BYTES ? encode_longer(e, line, line_bytes, dst)
                                           : encode_any(e, line, line_bytes, dst);
}
