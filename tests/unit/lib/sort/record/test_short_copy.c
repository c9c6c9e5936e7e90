/* SPDX-License-Identifier: MIT */
/* short_copy: all bytes of a record arrive, of any length; what is written beyond is no
 * more than was said, and nothing behind a record that is longer than that. */
#include "lib/sort/record/short_copy.h"

#include "tests/check.h"

int main(void)
{
    enum { LONGEST = 300, BEHIND = GS_SHORT_COPY_BYTES, GUARD = 0xa5 };
    uint8_t from[LONGEST + BEHIND], to[LONGEST + BEHIND];
    uint64_t state = check_seed(17);
    for (size_t bytes = 0; bytes <= LONGEST; bytes++) {
        for (size_t i = 0; i < sizeof from; i++)
            from[i] = (uint8_t)(check_random(&state) % GUARD);
        memset(to, GUARD, sizeof to);
        gs_copy_short(to, from, bytes);
        CHECK(memcmp(to, from, bytes) == 0);
        const size_t written = bytes > BEHIND ? bytes : BEHIND;
        for (size_t i = written; i < sizeof to; i++)
            CHECK(to[i] == GUARD);
    }
    return check_result();
}
