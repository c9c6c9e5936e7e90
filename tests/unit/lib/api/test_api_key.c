/* SPDX-License-Identifier: MIT */
/* A flag of a key that nobody translates would be taken and do nothing; one that the
 * command line has no letter for could not be asked for there. */
#include "lib/api/api_key.h"

#include <string.h>

#include "cmd/key_spec.h"
#include "tests/check.h"

_Static_assert((int)GS_LETTER_FLAG_COUNT == 1 + (int)GS_KEY_SWITCH_COUNT,
               "GS_LETTER_FLAGS of cmd/key_spec.h has -r and each of GS_KEY_SWITCHES");

static gs_letter_counts letter_counts(gpusort_kind kind)
{
    static const gs_letter_counts counts[] = {
#define ROW(name, letter, word, counts) [GPUSORT_##name] = GS_LETTER_COUNTS_##counts,
        [GPUSORT_BYTES] = GS_LETTER_COUNTS_TEXT, GS_LETTER_KINDS(ROW)
#undef ROW
    };
    return counts[kind];
}

/* Each of its flags is one of the library's, and none is there twice. */
static void letters_are_of_flags(void)
{
    unsigned seen = 0;
#define SEE(name, letter, flag, goes_with)                                               \
    CHECK((seen & (flag)) == 0);                                                         \
    seen |= (flag);
    GS_LETTER_FLAGS(SEE)
#undef SEE
    CHECK(seen == (1U << GS_LETTER_FLAG_COUNT) - 1);
}

static unsigned switched_on(const gs_key *key)
{
#define IS_ON(name, ...) +key->name
    return (unsigned)(key->reverse + GS_KEY_SWITCHES(IS_ON));
#undef IS_ON
}

/* A key is refused with a flag that does not go with it, and no other; and the letters of
 * the command line say the same. */
static void flags_go_with_kinds(void)
{
    static const struct {
        const char *name;
        unsigned flag;
        bool needs_text;
    } flags[] = {
#define ROW(name, letter, flag, goes_with)                                               \
    {#name, (flag), GS_LETTER_GOES_WITH_##goes_with == GS_LETTER_GOES_WITH_TEXT},
        GS_LETTER_FLAGS(ROW)
#undef ROW
    };
    for (int kind = 0; kind <= GS_LETTER_KIND_COUNT; kind++) {
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            const gpusort_key one = {.kind = (gpusort_kind)kind, .flags = flags[i].flag};
            gs_status st = {.code = GS_OK};
            gs_key key;
            const bool is_text = letter_counts(one.kind) == GS_LETTER_COUNTS_TEXT;
            const gs_code code = gs_api_take_key(&key, &one, &st);
            if (code == (flags[i].needs_text && !is_text ? GS_ERR_ARG : GS_OK))
                continue;
            fprintf(
                stderr,
                "cmd/key_spec.h, GS_LETTER_FLAGS, lets %s go with kind %d and order.h, "
                "GS_KEY_SWITCHES, does not, or the other way round\n",
                flags[i].name, kind);
            check_failures++;
        }
    }
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
    flags_go_with_kinds();
    return check_result();
}
