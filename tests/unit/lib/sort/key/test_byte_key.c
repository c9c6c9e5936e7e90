/* SPDX-License-Identifier: MIT */
/* byte_key: memcmp of encoded numbers must be their numeric order, whatever their bytes.
 */
#include "lib/sort/key/byte_key.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"

static int sign_of(const uint8_t *a, const uint8_t *b, size_t n)
{
    const int d = memcmp(a, b, n);
    return (d > 0) - (d < 0);
}

static int order_of(gs_byte_key key, const void *a, const void *b)
{
    uint8_t x[16], y[16], swapped_a[16], swapped_b[16];
    for (size_t i = 0; i < key.length; i++) {
        /* The machine is little-endian or not: make the bytes what the key says. */
        const bool swap =
            key.is_little_endian != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
        const size_t from = swap ? key.length - 1 - i : i;
        swapped_a[i] = ((const uint8_t *)a)[from];
        swapped_b[i] = ((const uint8_t *)b)[from];
    }
    const gs_order order = {.record_size = 16, .byte_keys = &key, .byte_key_count = 1};
    gs_byte_key_encode(&order, false, swapped_a, x);
    gs_byte_key_encode(&order, false, swapped_b, y);
    return sign_of(x, y, gs_byte_key_bytes(&order));
}

int main(void)
{
    uint64_t state = check_seed(5);
    for (unsigned i = 0; i < 200000; i++) {
        const uint64_t a = check_random(&state), b = i % 5 ? check_random(&state) : a;
        const bool little = i & 1, reverse = (i & 2) != 0;
        const int turn = reverse ? -1 : 1;
        gs_byte_key key = {.length = 8, .is_little_endian = little, .reverse = reverse};
        key.type = GS_FIELD_UNSIGNED;
        CHECK(order_of(key, &a, &b) == turn * ((a > b) - (a < b)));
        key.type = GS_FIELD_SIGNED;
        const int64_t sa = (int64_t)a, sb = (int64_t)b;
        CHECK(order_of(key, &sa, &sb) == turn * ((sa > sb) - (sa < sb)));
        key.type = GS_FIELD_FLOAT;
        double da, db;
        memcpy(&da, &a, sizeof da);
        memcpy(&db, &b, sizeof db);
        if (!isnan(da) && !isnan(db) && da != db)
            CHECK(order_of(key, &da, &db) == turn * ((da > db) - (da < db)));
        key.length = 4;
        const float fa = (float)sa, fb = (float)sb;
        if (fa != fb)
            CHECK(order_of(key, &fa, &fb) == turn * ((fa > fb) - (fa < fb)));
    }
    const gs_byte_key key = {
        .length = 8, .type = GS_FIELD_FLOAT, .is_little_endian = true};
    const double order[] = {-INFINITY, -1e300, -1, -1e-300,  -0.0,
                            0.0,       1e-300, 1,  INFINITY, NAN};
    for (size_t i = 0; i + 1 < sizeof order / sizeof order[0]; i++)
        CHECK(order_of(key, &order[i], &order[i + 1]) < 0);
    return check_result();
}
