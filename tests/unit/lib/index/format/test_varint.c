/* SPDX-License-Identifier: MIT */
/*
 * varint: lists in memory and in an index are read as what was written. A short number
 * that is put without branches must have the bytes of any other, and no more of them.
 */
#include "lib/index/format/varint.h"

#include "tests/check.h"

enum { ROUNDS = 100000 };

static void comes_back(uint64_t x)
{
    uint8_t bytes[GS_VARINT_BYTES_MAX];
    uint64_t got = ~x;
    const uint8_t *const end = gs_varint_put(bytes, x);
    CHECK(gs_varint_get(bytes, &got) == end);
    CHECK(got == x);
    if (x >= GS_VARINT_SHORT_MAX)
        return;
    uint8_t quick[GS_VARINT_SHORT_BYTES];
    const unsigned count = gs_varint_short_bytes(x);
    gs_varint_put_short(quick, x, count);
    CHECK(bytes + count == end);
    CHECK(memcmp(quick, bytes, count) == 0);
}

int main(void)
{
    uint64_t state = check_seed(51);
    for (unsigned bits = 0; bits < 64; bits++) {
        const uint64_t power = UINT64_C(1) << bits;
        comes_back(power - 1);
        comes_back(power);
        comes_back(power + 1);
        const int64_t signed_ones[] = {(int64_t)power, (int64_t)(power - 1),
                                       ~(int64_t)power};
        for (unsigned k = 0; k < 3; k++)
            CHECK(gs_unzigzag(gs_zigzag(signed_ones[k])) == signed_ones[k]);
    }
    comes_back(UINT64_MAX);
    for (unsigned i = 0; i < ROUNDS; i++)
        comes_back(check_random(&state) >> check_random(&state) % 64);
    return check_result();
}
