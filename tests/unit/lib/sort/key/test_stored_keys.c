/* SPDX-License-Identifier: MIT */
/*
 * The strings of keys, as runs of a checkpoint hold them: a sort that goes on after an
 * update merges old runs with new ones, and would put them in no order at all if a key
 * became another string meanwhile. Sums of the strings of some records, by every type and
 * switch, beside the version of runs that they were made for. Of a locale they are the
 * system's, and known again by what the checkpoint says of it. A plugin of before would
 * make the old strings too: so the number of what kernels make stands there as well.
 */
#include <float.h>
#include <string.h>

#include <xxhash.h>

#include "gpu/plugin/gpu_calls.h"
#include "io/run_block.h"
#include "lib/base/mem.h"
#include "lib/sort/key/key_encode.h"
#include "tests/check.h"

enum { LINE_BYTES = 48, KEY_BYTES = 2048, RECORD_BYTES = 16 };

/* clang-format off */
static const char lines[][LINE_BYTES] = {
    "", "0", "-0.0", "12", "12.50", "-12.5", " 7", "1e3", "0x1f", "nan", "-inf",
    "inf", "2K", "1.5G", "-3Mi", "1Q", "9R", "9Y", "Jan", "feb 2", "DEC", "1.2.3~rc",
    "1.10", "a-1.tar.gz", ".hidden", "aBc dEf", "abc", "A_b!c", "\x01\x02",
    "tab\there ", "\x80\xff", "123456789012345678901234567890", "00012", "  x  y  ",
    "12abc34de5", "99999", "-99999.00001", "0.1000000000000000055",
};
/* clang-format on */

/* Of a type of key or of field, or a switch: a name for messages, and the sum. */
typedef struct stored {
    const char *name;
    uint64_t sum;
} stored;

#define MADE_FOR         2 /* GS_RUN_BLOCK_VERSION; the sums below are of its keys */
#define MADE_FOR_KERNELS 1 /* GS_GPU_KERNELS, which make the same keys */

/* In the order of gs_key_type. */
static const stored types[] = {
    {"bytes", 0x6853dca4ab9863da},   {"general", 0x2ffadf234a235366},
    {"human", 0x0f35a925b17aba26},   {"month", 0xa439a74497b0b899},
    {"numeric", 0x6985018d8c6a6099}, {"random", 0x77dfa3047bf0aaff},
    {"version", 0xde32cefb9ecb75e7},
};
/* In that of GS_KEY_SWITCHES, of bytes. */
static const stored switches[] = {
    {"skip_start_blanks", 0xdba0a0c8e9798c5e},
    {"skip_end_blanks", 0xf324c0092b4b7c13},
    {"fold", 0x090e5caf0b51833d},
    {"ignore_nonprint", 0xfddcadf638326e18},
    {"dictionary", 0xa6599955f708cc37},
};
/* In that of gs_field_type. */
static const stored fields[] = {
    {"bytes", 0x4abe8defe1bd4226},
    {"unsigned", 0xa6ce4b563e80c5d7},
    {"signed", 0x373b9476249891c9},
    {"float", 0x3aabaf34813b723d},
};

_Static_assert(sizeof types / sizeof *types == GS_KEY_TYPE_COUNT,
               "a new type of key has a sum here");
_Static_assert(sizeof switches / sizeof *switches == GS_KEY_SWITCH_COUNT,
               "a new switch has a sum here");
_Static_assert(sizeof fields / sizeof *fields == GS_FIELD_TYPE_COUNT,
               "a new type of field has a sum here");
_Static_assert(GS_RUN_BLOCK_VERSION == MADE_FOR,
               "the sums are made anew, and kept, when the version goes up");
_Static_assert(GS_GPU_KERNELS == MADE_FOR_KERNELS,
               "the sums are of what kernels make, whose number goes up with them");

static void add(XXH3_state_t *sum, const gs_order *order, const void *record,
                size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_key_encoder *e = NULL;
    uint8_t key[KEY_BYTES];
    REQUIRE_OK(gs_key_encoder_new(&e, order, false, &st), &st);
    REQUIRE(gs_key_encode_bound(e, bytes) + 8 <= sizeof key);
    const size_t n = gs_key_encode(e, record, bytes, key);
    CHECK(XXH3_64bits_update(sum, &n, sizeof n) == XXH_OK &&
          XXH3_64bits_update(sum, key, n) == XXH_OK);
    gs_key_encoder_free(e);
}

static void add_lines(XXH3_state_t *sum, const gs_key *key)
{
    const gs_order order = {.keys = (gs_key *)(uintptr_t)key,
                            .key_count = 1,
                            .eol = '\n',
                            .delimiter = GS_ORDER_BLANK_FIELDS,
                            .random_seed = "a seed of 16..."};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[LINE_BYTES + GS_KEY_READ_SLACK] = "";
        memcpy(line, lines[i], LINE_BYTES);
        add(sum, &order, line, strlen(line));
    }
}

/* Is it what it was? */
static void compare(const stored *kept, XXH3_state_t *sum)
{
    const uint64_t now = XXH3_64bits_digest(sum);
    if (now != kept->sum)
        fprintf(stderr, "keys, %s: 0x%016llx%s\n", kept->name, (unsigned long long)now,
                kept->sum == 0 ? ": to be written here"
                               : ", other strings than before: GS_RUN_BLOCK_VERSION "
                                 "(io/run_block.h) and GS_GPU_KERNELS "
                                 "(gpu/plugin/gpu_calls.h) go up, and this stands here");
    CHECK(now == kept->sum);
    XXH3_freeState(sum);
}

static XXH3_state_t *begin(void)
{
    XXH3_state_t *const sum = XXH3_createState();
    REQUIRE(sum != NULL && XXH3_64bits_reset(sum) == XXH_OK);
    return sum;
}

static void keys_of_lines(void)
{
    for (unsigned type = 0; type < GS_KEY_TYPE_COUNT; type++) {
        /* Other long doubles make other strings of -g. */
        if (type == GS_KEY_GENERAL && LDBL_MANT_DIG != 64)
            continue;
        gs_key key = {.end_field = SIZE_MAX, .type = (gs_key_type)type};
        XXH3_state_t *const sum = begin();
        add_lines(sum, &key);
        key.reverse = true;
        add_lines(sum, &key);
        key = (gs_key){.start_field = 1, .end_field = 2, .type = (gs_key_type)type};
        add_lines(sum, &key);
        compare(&types[type], sum);
    }
}

static void keys_with_switches(void)
{
    static const gs_key with[] = {
#define WITH(name, ...) {.start_field = 1, .end_field = SIZE_MAX, .name = true},
        GS_KEY_SWITCHES(WITH)
#undef WITH
    };
    for (unsigned i = 0; i < GS_KEY_SWITCH_COUNT; i++) {
        gs_key key = with[i];
        XXH3_state_t *const sum = begin();
        add_lines(sum, &key);
        key.start_field = 0;
        add_lines(sum, &key);
        compare(&switches[i], sum);
    }
}

static bool is_length_of(gs_field_type type, size_t length)
{
    switch (type) {
    case GS_FIELD_BYTES: return true;
    case GS_FIELD_UNSIGNED:
    case GS_FIELD_SIGNED: return (length & (length - 1)) == 0;
    case GS_FIELD_FLOAT: return length == 4 || length == 8;
    case GS_FIELD_TYPE_COUNT: break;
    }
    return false;
}

static void keys_of_records(void)
{
    uint64_t state = 7;
    uint8_t record[RECORD_BYTES + GS_KEY_READ_SLACK] = {0};
    for (unsigned type = 0; type < GS_FIELD_TYPE_COUNT; type++) {
        XXH3_state_t *const sum = begin();
        for (size_t length = 1; length <= RECORD_BYTES; length++) {
            if (!is_length_of((gs_field_type)type, length))
                continue;
            for (unsigned i = 0; i < 64; i++) {
                gs_byte_key key = {.length = length,
                                   .type = (gs_field_type)type,
                                   .is_little_endian = i & 1,
                                   .reverse = (i & 2) != 0};
                const gs_order order = {
                    .record_size = RECORD_BYTES, .byte_keys = &key, .byte_key_count = 1};
                for (size_t b = 0; b < RECORD_BYTES; b++) {
                    state = state * 6364136223846793005 + 1442695040888963407;
                    record[b] = (uint8_t)(state >> 56);
                }
                add(sum, &order, record, RECORD_BYTES);
            }
        }
        compare(&fields[type], sum);
    }
}

int main(void)
{
    keys_of_lines();
    keys_with_switches();
    keys_of_records();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
