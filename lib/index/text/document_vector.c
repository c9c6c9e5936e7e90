/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    SLOTS_MIN = 256,
    EXACT_DIGITS = 15,   /* a double holds whole numbers of so many */
    NUMBER_BYTES = 1024, /* longer ones are refused */
};

typedef struct gs_seen_term {
    uint32_t hash;
    uint32_t stamp; /* of the vector that has it; another one's: the slot is free */
    uint32_t place; /* of its quotation mark, behind the beginning of the vector */
} gs_seen_term;

_Static_assert(sizeof(gs_seen_term) == 12, "2^19 of them take 6 MiB");

static const char of_vectors[] = "terms of a vector";

void gs_vector_terms_release(gs_vector_terms *terms)
{
    gs_mem_free(terms->slots);
    gs_mem_free(terms->room[0]);
    gs_mem_free(terms->room[1]);
    *terms = (gs_vector_terms){0};
}

/* --- a weight ---------------------------------------------------------------------- */

/* Numbers of few digits, which are nearly all, without strtod: the quotient of two
 * numbers that are exact is rounded once, as strtod's is. */
static bool convert_short(const gs_text_span *number, double *out)
{
    static const double powers[EXACT_DIGITS + 1] = {1e0,  1e1,  1e2,  1e3, 1e4,  1e5,
                                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11,
                                                    1e12, 1e13, 1e14, 1e15};
    uint64_t digits = 0;
    size_t decimals = 0;
    bool is_behind_point = false;
    if (number->bytes > EXACT_DIGITS)
        return false;
    for (size_t i = 0; i < number->bytes; i++) {
        const uint8_t c = number->data[i];
        if (c == '.') {
            is_behind_point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        digits = digits * 10 + (uint64_t)(c - '0');
        decimals += is_behind_point;
    }
    *out = (double)digits / powers[decimals];
    return true;
}

static bool convert(const gs_text_span *number, double *out)
{
    char text[NUMBER_BYTES];
    if (convert_short(number, out))
        return true;
    if (number->bytes >= sizeof text)
        return false;
    memcpy(text, number->data, number->bytes);
    text[number->bytes] = '\0';
    *out = strtod(text, NULL);
    return true;
}

static bool is_whole(const gs_text_span *number)
{
    for (size_t i = 0; i < number->bytes; i++) {
        const uint8_t c = number->data[i];
        if (c == '.' || (c | 0x20) == 'e')
            return false;
    }
    return true;
}

static bool read_weight(gs_json_reader *json, double scale, gs_vector_weight *out)
{
    gs_text_span number;
    double weight;
    if (json->at == json->end || !gs_json_is_number_start(*json->at))
        return gs_json_fail(json, "a weight is not a number");
    if (!gs_json_read_number(json, &number))
        return false;
    if (!convert(&number, &weight))
        return gs_json_fail(json, "a weight has more than 1000 digits");
    if (weight < 0)
        return gs_json_fail(json, "a weight is negative");
    out->is_whole = is_whole(&number);
    if (scale == 0)
        scale = out->is_whole ? 1 : GS_WEIGHT_SCALE;
    const double impact = rint(weight * scale);
    if (!(impact <= UINT32_MAX))
        return gs_json_fail(json, "a weight becomes an impact of more than 2^32 - 1");
    out->impact = (uint32_t)impact;
    return true;
}

/* --- checking ---------------------------------------------------------------------- */

/* The bytes that a term stands for, in one of two rooms if it has escapes. */
static gs_code plain_term(gs_vector_terms *terms, unsigned room,
                          const gs_json_string *term, gs_text_span *out, gs_status *st)
{
    *out = term->raw;
    if (!term->has_escapes)
        return GS_OK;
    GS_TRY(gs_mem_grow(&terms->room[room], &terms->room_capacity[room], term->raw.bytes,
                       of_vectors, st));
    uint8_t *const to = terms->room[room];
    *out = (gs_text_span){to, (size_t)(gs_json_unescape(term->raw, to) - to)};
    return GS_OK;
}

static gs_seen_term *slot_from(const gs_vector_terms *terms, uint32_t hash)
{
    return &terms->slots[hash & (terms->slot_count - 1)];
}

/* The next one, around the end. */
static gs_seen_term *slot_behind(const gs_vector_terms *terms, gs_seen_term *slot)
{
    return slot + 1 < terms->slots + terms->slot_count ? slot + 1 : terms->slots;
}

static gs_code grow(gs_vector_terms *terms, gs_status *st)
{
    const gs_vector_terms old = *terms;
    const size_t count = old.slot_count > 0 ? 2 * old.slot_count : SLOTS_MIN;
    gs_seen_term *slots = NULL;
    GS_TRY(gs_mem_new(&slots, count * sizeof *slots, of_vectors, st));
    terms->slots = slots;
    terms->slot_count = count;
    for (size_t i = 0; i < old.slot_count; i++) {
        gs_seen_term *to = slot_from(terms, old.slots[i].hash);
        if (old.slots[i].stamp != terms->stamp)
            continue;
        while (to->stamp == terms->stamp)
            to = slot_behind(terms, to);
        *to = old.slots[i];
    }
    gs_mem_free(old.slots);
    return GS_OK;
}

/* Is it the term that was seen there? */
static gs_code compare_seen(gs_vector_terms *terms, const gs_seen_term *seen,
                            gs_text_span plain, bool *is_same, gs_status *st)
{
    gs_json_reader json = {.at = terms->begin + seen->place, .end = terms->end};
    gs_json_string term;
    gs_text_span other;
    const bool is_read = gs_json_read_string(&json, &term);
    gs_assert(is_read); /* it was before */
    GS_TRY(plain_term(terms, 1, &term, &other, st));
    *is_same =
        other.bytes == plain.bytes && memcmp(other.data, plain.data, plain.bytes) == 0;
    return GS_OK;
}

/* *why stays NULL if the term is one, and new in its vector. */
static gs_code see_term(gs_vector_terms *terms, const gs_json_string *term,
                        const char **why, gs_status *st)
{
    gs_text_span plain;
    GS_TRY(plain_term(terms, 0, term, &plain, st));
    if (plain.bytes == 0 || plain.bytes > GS_TERM_BYTES_MAX) {
        *why = plain.bytes == 0 ? "a term is empty" : "a term has more than 65535 bytes";
        return GS_OK;
    }
    if (terms->term_count == GS_VECTOR_TERMS_MAX) {
        *why = "a vector has more than 262144 terms";
        return GS_OK;
    }
    if (2 * (terms->term_count + 1) > terms->slot_count)
        GS_TRY(grow(terms, st));
    const uint32_t hash = (uint32_t)XXH3_64bits(plain.data, plain.bytes);
    gs_seen_term *slot = slot_from(terms, hash);
    for (; slot->stamp == terms->stamp; slot = slot_behind(terms, slot)) {
        bool is_same = false;
        if (slot->hash == hash)
            GS_TRY(compare_seen(terms, slot, plain, &is_same, st));
        if (is_same) {
            *why = "a term comes twice";
            return GS_OK;
        }
    }
    const size_t place = (size_t)(term->raw.data - terms->begin) - 1;
    *slot = (gs_seen_term){hash, terms->stamp, (uint32_t)place};
    terms->term_count++;
    return GS_OK;
}

static void begin_vector(gs_vector_terms *terms, const gs_json_reader *json)
{
    terms->term_count = 0;
    terms->begin = json->at;
    terms->end = json->end;
    if (++terms->stamp != 0)
        return;
    for (size_t i = 0; i < terms->slot_count; i++)
        terms->slots[i].stamp = 0;
    terms->stamp = 1;
}

bool gs_vector_check(gs_json_reader *json, double scale, gs_vector_terms *terms,
                     gs_weight_counts *counts, gs_text_span *out, gs_status *st)
{
    const uint8_t *const begin = json->at;
    uint64_t sum = 0;
    begin_vector(terms, json);
    if (!gs_json_take(json, '{'))
        return gs_json_fail(json, "the vector is not an object of terms and weights");
    gs_json_skip_blanks(json);
    for (bool ends = gs_json_take(json, '}'); !ends;) {
        gs_vector_weight w;
        const char *why = NULL;
        if (!gs_json_read_key(json, &w.term) || !read_weight(json, scale, &w) ||
            !gs_json_read_separator(json, true, &ends) ||
            see_term(terms, &w.term, &why, st) != GS_OK)
            return false;
        sum += w.impact;
        if (why == NULL && sum > UINT32_MAX)
            why = "impacts add up to more than 2^32 - 1";
        if (why != NULL)
            return gs_json_fail(json, why);
        counts->whole += w.is_whole && w.impact > 0;
        counts->decimal += !w.is_whole && w.impact > 0;
    }
    *out = (gs_text_span){begin, (size_t)(json->at - begin)};
    return true;
}

bool gs_vector_looks(const gs_json_reader *json, bool *is_empty)
{
    gs_json_reader r = *json;
    gs_json_string term;
    *is_empty = false;
    if (!gs_json_take(&r, '{'))
        return false;
    gs_json_skip_blanks(&r);
    *is_empty = gs_json_take(&r, '}');
    return *is_empty || (gs_json_read_key(&r, &term) && r.at < r.end &&
                         gs_json_is_number_start(*r.at));
}

/* --- reading ----------------------------------------------------------------------- */

void gs_vector_reader_begin(gs_vector_reader *r, gs_text_span vector, double scale)
{
    *r = (gs_vector_reader){
        .json = {.at = vector.data, .end = vector.data + vector.bytes}, .scale = scale};
    const bool begins = gs_json_take(&r->json, '{');
    gs_assert(begins);
    gs_json_skip_blanks(&r->json);
    r->ends = gs_json_take(&r->json, '}');
}

bool gs_vector_reader_next(gs_vector_reader *r, gs_vector_weight *out)
{
    if (r->ends)
        return false;
    const bool is_read = gs_json_read_key(&r->json, &out->term) &&
                         read_weight(&r->json, r->scale, out) &&
                         gs_json_read_separator(&r->json, true, &r->ends);
    gs_assert(is_read); /* it was checked */
    return true;
}
