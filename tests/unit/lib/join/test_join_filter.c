/* SPDX-License-Identifier: MIT */
/*
 * join_filter: no key that was added is lost, of others few stay; where all stay it goes
 * to sleep, and wakes up when that changes. record_sieve: what stays is what was there.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_filter.h"
#include "tests/check.h"

enum { KEYS = 20000, KEY_BYTES = 9 }; /* the last says of which side it is */

typedef struct keys {
    uint8_t bytes[KEYS][KEY_BYTES];
} keys;

static void number_keys(keys *k, uint64_t first)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        const uint64_t number = first + i;
        memcpy(k->bytes[i], &number, sizeof number);
        k->bytes[i][KEY_BYTES - 1] = (uint8_t)(first > 0);
    }
}

/* How many stay of these keys. */
static size_t sift(gs_join_filter *f, size_t input, keys *k)
{
    size_t count = 0;
    for (size_t at = 0; at < KEYS; at += GS_SIEVE_STRINGS) {
        gs_sieve_string strings[GS_SIEVE_STRINGS];
        bool stays[GS_SIEVE_STRINGS];
        const size_t n = KEYS - at < GS_SIEVE_STRINGS ? KEYS - at : GS_SIEVE_STRINGS;
        for (size_t i = 0; i < n; i++)
            strings[i] = (gs_sieve_string){k->bytes[at + i], KEY_BYTES};
        gs_join_filter_sift(f, input, strings, n, stays);
        for (size_t i = 0; i < n; i++)
            count += stays[i];
    }
    return count;
}

static void keys_are_not_lost(void)
{
    gs_status st = {.code = GS_OK};
    gs_join_filter *f;
    keys *k;
    REQUIRE_OK(gs_mem_new(&k, sizeof *k, "keys", &st), &st);
    REQUIRE_OK(gs_join_filter_new(&f, (size_t)2 * KEYS, &st), &st); /* 16 bits a key */
    number_keys(k, 0);
    CHECK(sift(f, 0, k) == KEYS);
    number_keys(k, KEYS);
    CHECK(sift(f, 1, k) < KEYS / 20);
    number_keys(k, 0);
    CHECK(sift(f, 1, k) == KEYS); /* and it goes to sleep */
    number_keys(k, 2 * KEYS);
    CHECK(sift(f, 1, k) > KEYS / 100); /* wakes up */
    CHECK(sift(f, 1, k) < KEYS / 20);
    number_keys(k, 0);
    CHECK(sift(f, 1, k) == KEYS);
    gs_join_filter_free(f);
    gs_mem_free(k);
}

/* --- the sieve ------------------------------------------------------------------ */

static void stay_by_number(void *context, size_t input, const gs_sieve_string *strings,
                           size_t count, bool *stays)
{
    const uint8_t *const which = context;
    CHECK(input == 3);
    for (size_t i = 0; i < count; i++)
        stays[i] = which[strings[i].data[0]] != 0;
}

static void what_stays_is_whole(uint64_t *state)
{
    enum { RECORDS = 200, RECORD_MAX = 40 };
    const gs_record_layout layout = {
        .is_keyed = true, .is_key_only = true, .has_eol = true, .eol = '\n'};
    const size_t head = gs_record_head_bytes(&layout, 1);
    for (unsigned round = 0; round < 300; round++) {
        uint8_t records[RECORDS * RECORD_MAX], was[RECORDS * RECORD_MAX], which[256];
        gs_element elements[RECORDS];
        size_t starts[RECORDS + 1] = {0}, used = 0;
        const size_t count = check_random(state) % RECORDS;
        for (size_t i = 0; i < 256; i++)
            which[i] = (uint8_t)(check_random(state) % 3 == 0);
        for (size_t i = 0; i < count; i++) {
            const size_t key = 1 + check_random(state) % 8,
                         line = check_random(state) % 20;
            elements[i].where = gs_where_pack(used, key);
            gs_record_put_head(&layout, records + used, key, line);
            for (size_t b = 0; b < key + line + 1; b++)
                records[used + head + b] = (uint8_t)check_random(state);
            used += head + key + line + 1;
            starts[i + 1] = used;
        }
        memcpy(was, records, used);
        const gs_record_sieve sieve = {.sift = stay_by_number, .context = which};
        const size_t kept =
            gs_record_sieve_run(&sieve, 3, &layout, elements, count, records, &used);
        size_t n = 0, at = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t bytes = starts[i + 1] - starts[i];
            if (!which[was[starts[i] + head]])
                continue;
            CHECK(n < kept && gs_where_offset(elements[n].where) == at);
            CHECK(memcmp(records + at, was + starts[i], bytes) == 0);
            n++;
            at += bytes;
        }
        CHECK(n == kept && at == used);
    }
}

int main(void)
{
    uint64_t state = check_seed(22);
    keys_are_not_lost();
    what_stays_is_whole(&state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
