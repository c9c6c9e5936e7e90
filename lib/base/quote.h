/* SPDX-License-Identifier: MIT */
/*
 * quote: how names and arguments stand in messages, as the C locale has it.
 *
 * Two manners: an argument is set between apostrophes with C's escapes; a file name is
 * written so that a shell reads it back, bare if nothing in it needs quoting.
 * Each returns `out->text`; what does not fit is cut off.
 */
#ifndef GS_LIB_BASE_QUOTE_H
#define GS_LIB_BASE_QUOTE_H

#include <stddef.h>

enum { GS_QUOTED_BYTES = 4 * 4096 + 64 }; /* a PATH_MAX name, every byte escaped */

typedef struct gs_quoted {
    size_t len;
    char text[GS_QUOTED_BYTES];
} gs_quoted;

const char *gs_quote_argument(gs_quoted *out, const char *text);
/* Between apostrophes even if nothing needs them. */
const char *gs_quote_name_always(gs_quoted *out, const char *name);
/* Apostrophes only where needed; a colon needs them, because ": " follows the name. */
const char *gs_quote_name(gs_quoted *out, const char *name);

#endif
