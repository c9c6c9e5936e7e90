/* SPDX-License-Identifier: MIT */
/* A flag of a key that nobody translates would be taken and do nothing; one that the
 * command line has no letter for could not be asked for there. */
#include "lib/api/api_key.h"

#include <string.h>

#include "cmd/key_spec.h"
#include "tests/check.h"

_Static_assert((int)GS_LETTER_FLAG_COUNT == 1 + (int)GS_KEY_SWITCH_COUNT,
               "GS_LETTER_FLAGS of cmd/key_spec.h has -r and each of GS_KEY_SWITCHES");

/* Each of its flags is one of the library's, and none is there twice. */
static void letters_are_of_flags(void)
{
    unsigned seen = 0;
#define SEE(name, letter, flag)                                                          \
    CHECK((seen & (flag)) == 0);                                                         \
    seen |= (flag);
    GS_LETTER_FLAGS(SEE)
#undef SEE
    CHECK(seen == (1U << GS_LETTER_FLAG_COUNT) - 1);
}

static unsigned switched_on(const gs_key *key)
{
#define IS_ON(name, mark, changes) +key->name
    return (unsigned)(key->reverse + GS_KEY_SWITCHES(IS_ON));
#undef IS_ON
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    gs_key seen = {.reverse = false}, key;
    unsigned flag = 1;
    for (unsigned i = 0; i < 1 + GS_KEY_SWITCH_COUNT; i++, flag *= 2) {
        const gpusort_key one = {.flags = flag}, all = {.flags = 2 * flag - 1};
        REQUIRE_OK(gs_api_take_key(&key, &one, &st), &st);
        CHECK(switched_on(&key) == 1);
        REQUIRE_OK(gs_api_take_key(&key, &all, &st), &st);
        CHECK(switched_on(&key) == i + 1);
        CHECK(i == 0 || memcmp(&seen, &key, sizeof key) != 0);
        seen = key;
    }
    const gpusort_key unknown = {.flags = flag};
    CHECK(gs_api_take_key(&key, &unknown, &st) == GS_ERR_ARG);
    letters_are_of_flags();
    return check_result();
}
