/* SPDX-License-Identifier: MIT */
#include "lib/index/query/query_weights.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "lib/json/json_reader.h"

enum { NUMBER_BYTES = 400 };

static bool is_of_number(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' || c == 'e' ||
           c == 'E';
}

const uint8_t *gs_query_weight_of_word(const uint8_t *begin, const uint8_t *end)
{
    const uint8_t *p = end;
    while (p > begin && is_of_number(p[-1]))
        p--;
    /* Something stands before the mark, and a number begins behind it. */
    const bool has_mark = p > begin + 1 && p < end && p[-1] == '^';
    return has_mark && (*p | 0x20) != 'e' ? p - 1 : end;
}

double gs_query_weight_read(const uint8_t *begin, const uint8_t *end, const char **why)
{
    char text[NUMBER_BYTES];
    char *stop = NULL;
    const size_t bytes = (size_t)(end - begin);
    *why = NULL;
    if (bytes < sizeof text) {
        memcpy(text, begin, bytes);
        text[bytes] = '\0';
        const double weight = strtod(text, &stop);
        if (bytes > 0 && *stop == '\0' && weight > 0 && weight <= GS_QUERY_WEIGHT_MAX)
            return weight;
    }
    *why = "a weight is a number above 0, and at most 10^9";
    return 0;
}

static bool add_pair(gs_query *query, int list, gs_query_role role,
                     const gs_json_string *key, double weight, uint8_t *room,
                     size_t column, gs_status *st)
{
    const size_t bytes = (size_t)(gs_json_unescape(key->raw, room) - room);
    int term;
    if (gs_query_add_term(query, GS_QUERY_TERM, room, bytes, column, &term, st) != GS_OK)
        return false;
    query->nodes[term].weight = weight;
    gs_query_append(query, list, term, role);
    return true;
}

/* Weights of 0 say nothing, as in documents. */
static bool read_pairs(gs_query *query, int list, gs_query_role role, gs_json_reader *r,
                       uint8_t *room, gs_status *st)
{
    const uint8_t *const begin = r->at;
    (void)gs_json_take(r, '{');
    gs_json_skip_blanks(r);
    for (bool ends = gs_json_take(r, '}'); !ends;) {
        gs_json_string key;
        gs_text_span number;
        const char *why;
        gs_json_skip_blanks(r);
        const size_t column = 1 + (size_t)(r->at - begin);
        if (!gs_json_read_key(r, &key))
            return false;
        if (r->at == r->end || !gs_json_is_number_start(*r->at))
            return gs_json_fail(r, "a weight is not a number");
        if (!gs_json_read_number(r, &number))
            return false;
        const double weight =
            gs_query_weight_read(number.data, number.data + number.bytes, &why);
        const bool is_zero = strspn((const char *)number.data, "0.") >= number.bytes;
        if (why != NULL && !is_zero)
            return gs_json_fail(r, why);
        if (key.raw.bytes > 0 && !is_zero &&
            !add_pair(query, list, role, &key, weight, room, column, st))
            return false;
        if (!gs_json_read_separator(r, true, &ends))
            return false;
    }
    gs_json_skip_blanks(r);
    return r->at == r->end || gs_json_fail(r, "something follows the object");
}

bool gs_query_weights_object(gs_query *query, int list, gs_query_role role,
                             const uint8_t *text, size_t bytes, const uint8_t **at,
                             const char **why, gs_status *st)
{
    gs_json_reader r = {.at = text, .end = text + bytes};
    uint8_t *room = NULL;
    *why = NULL;
    if (gs_mem_new(&room, bytes + GS_JSON_SLACK, "query", st) != GS_OK)
        return false;
    const bool is_good = read_pairs(query, list, role, &r, room, st);
    gs_mem_free(room);
    *at = r.at;
    *why = r.why;
    return is_good;
}
