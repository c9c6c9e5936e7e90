/* SPDX-License-Identifier: MIT */
/*
 * ovc: codes relative to one base must order strings as memcmp does, and the loser's code
 * must stay right relative to the winner; or merges go wrong silently.
 */
#include "lib/sort/run/ovc.h"

#include "tests/check.h"

enum { SLACK = 16, LENGTH_MAX = 60000, ROUNDS = 200000 };

static uint8_t a[LENGTH_MAX + SLACK], b[LENGTH_MAX + SLACK], base[LENGTH_MAX + SLACK];

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static uint64_t code_from(const uint8_t *s, size_t n, const uint8_t *from, size_t from_n,
                          bool backwards)
{
    int order;
    const size_t index = gs_ovc_first_difference(from, from_n, s, n, 0, &order);
    return order == 0 ? GS_OVC_EQUAL : gs_ovc_code(s, n, index, backwards);
}

static size_t make(uint8_t *s, size_t shared, uint64_t r)
{
    const size_t more = r % 14;
    for (size_t i = 0; i < more; i++)
        s[shared + i] = (uint8_t) "\0ab"[(r >> (8 + 2 * i)) % 3];
    memset(s + shared + more, 0xee, SLACK - 1); /* what lies behind must not matter */
    return shared + more;
}

static void codes_order_strings(uint64_t *state, size_t shared, bool backwards)
{
    memset(a, 'x', shared);
    memset(b, 'x', shared);
    memset(base, 'x', shared);
    const size_t n = make(a, shared, check_random(state));
    const size_t m = make(b, shared, check_random(state));
    const size_t k = make(base, shared, check_random(state));
    const int flip = backwards ? -1 : 1;
    const int ab = flip * sign(gs_string_compare(a, n, b, m, 0));
    if (flip * gs_string_compare(base, k, a, n, 0) > 0 ||
        flip * gs_string_compare(base, k, b, m, 0) > 0)
        return; /* not a base for both */
    const uint64_t ca = code_from(a, n, base, k, backwards);
    const uint64_t cb = code_from(b, m, base, k, backwards);
    CHECK(ca < GS_OVC_EXHAUSTED && cb < GS_OVC_EXHAUSTED);
    if (ca == cb)
        return; /* the strings decide */
    CHECK((ca < cb) == (ab < 0));
    if (ca < cb && shared < GS_OVC_INDEX_CAP * GS_OVC_SYMBOL_BYTES)
        CHECK(code_from(b, m, a, n, backwards) == cb);
}

static void difference_is_the_first(uint64_t *state)
{
    const size_t n = make(a, 0, check_random(state)), m = make(b, 0, check_random(state));
    int order;
    const size_t index = gs_ovc_first_difference(a, n, b, m, 0, &order);
    CHECK(order == sign(gs_string_compare(a, n, b, m, 0)));
    if (order == 0)
        return;
    for (size_t i = 0; i < index; i++)
        CHECK(gs_ovc_symbol(a, n, i) == gs_ovc_symbol(b, m, i));
    CHECK(sign(gs_ovc_symbol(a, n, index) > gs_ovc_symbol(b, m, index) ? 1 : -1) ==
          order);
}

int main(void)
{
    uint64_t state = check_seed(99);
    for (size_t i = 0; i < ROUNDS; i++) {
        codes_order_strings(&state, check_random(&state) % 20, i & 1);
        difference_is_the_first(&state);
    }
    /* Around the cap, where the rest of a string is one symbol. */
    for (size_t i = 0; i < 200; i++)
        codes_order_strings(&state, GS_OVC_INDEX_CAP * GS_OVC_SYMBOL_BYTES - 10 + i % 30,
                            i & 1);
    return check_result();
}
