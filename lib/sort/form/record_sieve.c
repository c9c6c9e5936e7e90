/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/record_sieve.h"

size_t gs_record_sieve_run(const gs_record_sieve *sieve, size_t input,
                           const gs_record_layout *layout, gs_element *elements,
                           size_t count, uint8_t *records, size_t *record_bytes)
{
    gs_sieve_string strings[GS_SIEVE_STRINGS];
    bool stays[GS_SIEVE_STRINGS];
    size_t kept = 0, to = 0;
    for (size_t first = 0; first < count; first += GS_SIEVE_STRINGS) {
        const size_t n =
            count - first < GS_SIEVE_STRINGS ? count - first : GS_SIEVE_STRINGS;
        for (size_t i = 0; i < n; i++) {
            const gs_record r = gs_record_at(layout, records, elements[first + i].where);
            strings[i] = (gs_sieve_string){r.string, r.string_bytes};
        }
        sieve->sift(sieve->context, input, strings, n, stays);
        for (size_t i = first; i < first + n; i++) {
            if (!stays[i - first])
                continue;
            const size_t begin = gs_where_offset(elements[i].where);
            const size_t end =
                i + 1 < count ? gs_where_offset(elements[i + 1].where) : *record_bytes;
            if (to != begin)
                memmove(records + to, records + begin, end - begin);
            elements[kept] = elements[i];
            elements[kept++].where = gs_where_pack(to, strings[i - first].bytes);
            to += end - begin;
        }
    }
    *record_bytes = to;
    return kept;
}
