/* SPDX-License-Identifier: MIT */
/*
 * verify: if it missed a disorder at the border of two batches, or if its checksum
 * depended on the order or on the threads, it would vouch for broken outputs.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/sort/verify.h"
#include "tests/check.h"

typedef struct lines {
    char *text;
    size_t bytes, count;
    size_t *begins; /* count + 1 of them */
} lines;

static void *get(size_t bytes)
{
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, bytes, "test", &st), &st);
    return memory;
}

static lines make_lines(uint64_t *random, size_t count, size_t longest, bool in_order)
{
    lines l = {.count = count};
    l.text = get(count * (longest + 12) + 1);
    l.begins = get((count + 1) * sizeof *l.begins);
    for (size_t i = 0; i < count; i++) {
        char *const line = l.text + l.bytes;
        l.begins[i] = l.bytes;
        const size_t tail = check_random(random) % (longest + 1);
        size_t n = in_order ? (size_t)sprintf(line, "%010zu", i / 3) : 0;
        memset(line + n, (int)('a' + check_random(random) % 3), in_order ? 0 : tail);
        n += in_order ? 0 : tail;
        line[n] = '\n';
        l.bytes += n + 1;
    }
    l.begins[count] = l.bytes;
    return l;
}

static void free_lines(lines *l)
{
    gs_mem_free(l->text);
    gs_mem_free(l->begins);
}

static int compare_at(const lines *l, size_t a, size_t b)
{
    const size_t n = l->begins[a + 1] - l->begins[a] - 1;
    const size_t m = l->begins[b + 1] - l->begins[b] - 1;
    const int d = memcmp(l->text + l->begins[a], l->text + l->begins[b], n < m ? n : m);
    return d ? d : (n > m) - (n < m);
}

/* The dumbest version. */
static gs_verify_result expect(const lines *l, bool reverse, bool unique)
{
    gs_verify_result r = {.records = l->count, .bytes = l->bytes};
    for (size_t i = 0; i < l->count; i++) {
        const size_t n = l->begins[i + 1] - l->begins[i] - 1;
        const XXH128_hash_t h = XXH3_128bits(l->text + l->begins[i], n);
        r.sum_high += h.high64 + (r.sum_low + h.low64 < h.low64);
        r.sum_low += h.low64;
        if (i == 0)
            continue;
        const int d = compare_at(l, i - 1, i) * (reverse ? -1 : 1);
        r.duplicates += d == 0;
        if (d > 0 || (d == 0 && unique)) {
            r.disorders++;
            if (r.first_disorder == 0)
                r.first_disorder = i + 1;
        }
    }
    return r;
}

static void write_file(char *name, const char *text, size_t bytes)
{
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text, bytes) == (ssize_t)bytes);
    (void)close(fd);
}

/* -c stops at what the other counts as the first, and has that line. */
static void check_first(const lines *l, const gs_sort_options *o, uint64_t first_disorder)
{
    gs_status st = {.code = GS_OK};
    gs_sort_disorder d;
    REQUIRE_OK(gs_sort_check(o, &d, &st), &st);
    CHECK(d.found == (first_disorder > 0) && d.line_number == first_disorder);
    if (d.found) {
        const size_t *const begin = &l->begins[first_disorder - 1];
        CHECK(d.line_bytes == begin[1] - begin[0] - 1 &&
              memcmp(d.line, l->text + begin[0], d.line_bytes) == 0);
    }
    gs_mem_free(d.line);
}

static gs_verify_result verify(const lines *l, const gs_sort_options *base,
                               bool with_order)
{
    char name[] = "/tmp/gs-test-verify-XXXXXX";
    write_file(name, l->text, l->bytes);
    const char *const names[] = {name};
    gs_sort_options o = *base;
    o.inputs = names;
    o.input_count = 1;
    gs_status st = {.code = GS_OK};
    gs_verify_result r;
    REQUIRE_OK(gs_verify_run(&o, 0, with_order, &r, &st), &st);
    if (with_order)
        check_first(l, &o, r.first_disorder);
    REQUIRE(unlink(name) == 0);
    return r;
}

static void agrees_with_the_dumb_one(uint64_t *random)
{
    for (unsigned round = 0; round < 60; round++) {
        const bool in_order = check_random(random) % 2;
        const size_t longest = round % 10 == 9 ? 200000 : 1 + check_random(random) % 40;
        const size_t count = check_random(random) % (longest > 1000 ? 60 : 40000);
        lines l = make_lines(random, count, longest, in_order);
        if (in_order && count > 0 && check_random(random) % 2)
            l.text[l.begins[check_random(random) % count]] = '~';
        gs_key whole = {.end_field = SIZE_MAX};
        gs_sort_options o = {.memory_bytes = 1 << 20,
                             .threads = 1 + (unsigned)(check_random(random) % 4)};
        o.order = (gs_order){.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
        o.order.reverse = check_random(random) % 4 == 0;
        o.order.unique = check_random(random) % 4 == 0;
        if (check_random(random) % 2) { /* through strings that are made */
            whole.reverse = o.order.reverse;
            o.order.keys = &whole;
            o.order.key_count = 1;
        }
        const gs_verify_result want = expect(&l, o.order.reverse, o.order.unique);
        const gs_verify_result got = verify(&l, &o, true);
        CHECK(memcmp(&want, &got, sizeof want) == 0);
        const gs_verify_result counted = verify(&l, &o, false);
        CHECK(counted.sum_low == want.sum_low && counted.sum_high == want.sum_high);
        CHECK(counted.records == want.records && counted.disorders == 0);
        free_lines(&l);
    }
}

static void sum_sees_every_byte(uint64_t *random)
{
    const gs_sort_options o = {
        .order = {.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'}};
    lines l = make_lines(random, 500, 30, false);
    const gs_verify_result before = verify(&l, &o, false);
    for (unsigned i = 0; i < 50; i++) {
        const size_t at = check_random(random) % l.bytes;
        if (l.text[at] == '\n')
            continue;
        l.text[at] ^= 1;
        const gs_verify_result after = verify(&l, &o, false);
        CHECK(before.sum_low != after.sum_low || before.sum_high != after.sum_high);
        l.text[at] ^= 1;
    }
    l.bytes--; /* the same record without its end of line */
    const gs_verify_result cut = verify(&l, &o, false);
    CHECK(before.sum_low == cut.sum_low && before.records == cut.records);
    free_lines(&l);
}

static void failures_are_reported(void)
{
    const char *const names[] = {"/etc/passwd"}, *const missing[] = {"/no/such/file"};
    gs_key number = {.end_field = SIZE_MAX, .type = GS_KEY_NUMERIC};
    gs_sort_options o = {.inputs = names, .input_count = 1, .threads = 3};
    o.order = (gs_order){
        .keys = &number, .key_count = 1, .delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
    gs_verify_result r;
    const size_t held = gs_mem_held_bytes();
    unsigned failed = 0;
    for (unsigned nth = 1; nth < 60; nth++) {
        gs_status st = {.code = GS_OK};
        gs_mem_fail_nth(nth);
        if (gs_verify_run(&o, 0, true, &r, &st) != GS_OK) {
            CHECK(st.code == GS_ERR_NOMEM);
            failed++;
        }
        gs_mem_fail_nth(0);
        CHECK(gs_mem_held_bytes() == held);
    }
    CHECK(failed > 5);
    o.inputs = missing;
    gs_status st = {.code = GS_OK};
    CHECK(gs_verify_run(&o, 0, true, &r, &st) == GS_ERR_IO);
    CHECK(gs_mem_held_bytes() == held);
}

/* What is wrong behind the line that is out of place is not met, by however many threads:
 * here the end of the last record is missing. */
static void what_comes_after_it_does_not_matter(void)
{
    enum { SIZE = 8, BYTES = (4 << 20) + 3 };
    char name[] = "/tmp/gs-test-verify-XXXXXX";
    char *const text = get(BYTES);
    const char *const names[] = {name};
    gs_sort_options o = {.inputs = names, .input_count = 1, .memory_bytes = 1 << 20};
    o.order = (gs_order){.record_size = SIZE};
    memset(text + BYTES - 10 * SIZE, 'b', 10 * SIZE);
    memset(text + BYTES - 3 - 2 * SIZE, 'a', SIZE);
    write_file(name, text, BYTES);
    for (o.threads = 1; o.threads <= 8; o.threads++) {
        gs_status st = {.code = GS_OK};
        gs_sort_disorder d;
        REQUIRE_OK(gs_sort_check(&o, &d, &st), &st);
        CHECK(d.found && d.line_number == BYTES / SIZE - 1);
        gs_mem_free(d.line);
    }
    REQUIRE(unlink(name) == 0);
    gs_mem_free(text);
}

int main(void)
{
    uint64_t random = check_seed(3);
    agrees_with_the_dumb_one(&random);
    sum_sees_every_byte(&random);
    failures_are_reported();
    what_comes_after_it_does_not_matter();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
