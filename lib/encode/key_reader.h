/* SPDX-License-Identifier: MIT */
/*
 * key_reader: the text of a key that counts, byte by byte: without what -d or -i leave
 * out, in upper case with -f.
 *
 * A copy of a reader looks ahead. The cores leave out what does not count before they
 * encode; a kernel has no room for that, and does it while it reads.
 */
#ifndef GS_LIB_ENCODE_KEY_READER_H
#define GS_LIB_ENCODE_KEY_READER_H

#include "lib/encode/key_text.h"

typedef struct gs_key_reader {
    const uint8_t *at, *end;
    bool fold, dictionary, ignore_nonprint; /* as in gs_key */
} gs_key_reader;

enum { GS_KEY_READ_ALL = -1 }; /* there is no further byte */

/* Does a byte count? -d wins over -i. */
GS_BOTH bool gs_key_counts(bool dictionary, bool ignore_nonprint, uint8_t c)
{
    if (dictionary)
        return gs_text_is_alphanumeric(c) || gs_text_is_blank(c);
    return !ignore_nonprint || gs_text_is_printing(c);
}

/* The next byte that counts, which `at` then points to; it stays the next one. */
GS_BOTH int gs_key_peek(gs_key_reader *r)
{
    while (r->at < r->end && !gs_key_counts(r->dictionary, r->ignore_nonprint, *r->at))
        r->at++;
    if (r->at == r->end)
        return GS_KEY_READ_ALL;
    return r->fold ? gs_text_upper(*r->at) : *r->at;
}

/* The same, and passes it. */
GS_BOTH int gs_key_next(gs_key_reader *r)
{
    const int c = gs_key_peek(r);
    r->at += c != GS_KEY_READ_ALL;
    return c;
}

#endif
