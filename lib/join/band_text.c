/* SPDX-License-Identifier: MIT */
#include "lib/join/band_text.h"

#include <string.h>

#include "lib/base/quote.h"

static gs_code take_end(const char *text, size_t bytes, gs_join_number open,
                        gs_join_number *out, gs_status *st)
{
    gs_quoted q;
    *out = open;
    if (bytes == 0 || gs_join_number_parse((const uint8_t *)text, bytes, out))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_ARG, 0, "invalid end of a band: %s",
                   gs_quote_argument(&q, text));
}

gs_code gs_band_text_parse(const char *text, gs_join_number *low, gs_join_number *high,
                           gs_status *st)
{
    const char *const colon = strchr(text, ':');
    gs_quoted q;
    if (colon == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "invalid band, which is LO:HI: %s",
                       gs_quote_argument(&q, text));
    GS_TRY(take_end(text, (size_t)(colon - text), -GS_JOIN_NUMBER_FAR, low, st));
    GS_TRY(take_end(colon + 1, strlen(colon + 1), GS_JOIN_NUMBER_FAR, high, st));
    return *low <= *high ? GS_OK
                         : GS_FAIL(st, GS_ERR_ARG, 0, "nothing is in the band %s",
                                   gs_quote_argument(&q, text));
}
