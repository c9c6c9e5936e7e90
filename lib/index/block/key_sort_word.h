/* SPDX-License-Identifier: MIT */
/*
 * key_sort_word: what key_sort_width.h has to know of keys that are one machine word, and
 * their sort with it. KEY and OF_WIDTH are as there. There is no guard, since it is
 * included more than once.
 */

static inline unsigned OF_WIDTH(digit)(const KEY *key, unsigned shift)
{
    return (unsigned)(*key >> shift & (DIGIT_VALUES - 1));
}

static inline bool OF_WIDTH(is_less)(const KEY *a, const KEY *b, unsigned low)
{
    return *a >> low < *b >> low;
}

/* The highest bit that varies, plus one; 0 if none does from `low` on, or if the keys are
 * in order already. */
static unsigned OF_WIDTH(top_bit)(const KEY *keys, size_t n, unsigned low)
{
    KEY any = 0, descents = 0;
    for (size_t i = 1; i < n; i++) {
        any |= keys[i] ^ keys[0];
        descents |= (KEY)(keys[i - 1] >> low > keys[i] >> low);
    }
    const unsigned top = gs_bit_length(any);
    return descents == 0 || top <= low ? 0 : top;
}

#include "lib/index/block/key_sort_width.h"
