/* SPDX-License-Identifier: MIT */
#include "cmd/close_name.h"

#include <string.h>

enum { WORD_BYTES_MAX = 32, FAULTS_SHARE = 3 /* one letter in so many */ };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The least number of letters to change, leave out, put in, or swap with their neighbour
 * (each at most once) that makes one word the other. */
static size_t count_faults(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t faults[WORD_BYTES_MAX + 1][WORD_BYTES_MAX + 1];
    for (size_t i = 0; i <= a_bytes; i++)
        faults[i][0] = i;
    for (size_t j = 0; j <= b_bytes; j++)
        faults[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        for (size_t j = 1; j <= b_bytes; j++) {
            const size_t changed = faults[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            size_t n = least(changed, least(faults[i - 1][j], faults[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                n = least(n, faults[i - 2][j - 2] + 1);
            faults[i][j] = n;
        }
    }
    return faults[a_bytes][b_bytes];
}

void gs_close_name_offer(gs_close_name *search, const char *known)
{
    const size_t bytes = strlen(known);
    if (search->bytes > WORD_BYTES_MAX || bytes > WORD_BYTES_MAX)
        return;
    const size_t faults = count_faults(search->word, search->bytes, known, bytes);
    const size_t longer = bytes > search->bytes ? bytes : search->bytes;
    if (faults * FAULTS_SHARE > longer)
        return;
    if (search->best == NULL || faults < search->faults) {
        search->best = known;
        search->faults = faults;
    }
}
