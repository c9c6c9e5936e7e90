/* SPDX-License-Identifier: MIT */
/*
 * gen_data: bytes must depend on the options alone. If slices, threads or the machine
 * showed in them, every published number and every seeded test would stop being
 * repeatable; if --bytes cut inside a record, every consumer would see a torn one.
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/data/gen_data.h"
#include "lib/data/gen_math.h"
#include "lib/data/gen_record.h"
#include "lib/data/gen_text.h"
#include "lib/data/gen_write.h"
#include "tests/check.h"

/* All that the options make, through a file without a name; to be freed. */
static uint8_t *make(const gs_gen_options *options, unsigned threads, bool is_seekable,
                     size_t *bytes)
{
    gs_status st = {.code = GS_OK};
    gs_gen_data *data = NULL;
    REQUIRE_OK(gs_gen_data_new(&data, options, &st), &st);
    char name[] = "/tmp/gs-test-gen-XXXXXX";
    const int fd = mkstemp(name);
    REQUIRE(fd >= 0 && unlink(name) == 0);
    const gs_gen_target target = {.fd = fd,
                                  .is_seekable = is_seekable,
                                  .bytes_limit = options->bytes,
                                  .failure = "write failed"};
    uint64_t total = 0;
    REQUIRE_OK(gs_gen_write(data, &target, threads, &total, &st), &st);
    gs_gen_data_free(data);
    *bytes = (size_t)total;
    CHECK(lseek(fd, 0, SEEK_END) == (off_t)total);
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, *bytes + 1, "copy", &st), &st);
    REQUIRE(pread(fd, memory, *bytes, 0) == (ssize_t)*bytes);
    (void)close(fd);
    return memory;
}

static gs_gen_options options_of(gs_gen_kind kind, gs_gen_shape shape, uint64_t count)
{
    gs_gen_options o = gs_gen_options_default();
    o.kind = kind;
    o.shape = shape;
    o.record_count = count;
    return o;
}

static void threads_do_not_show(void)
{
    for (unsigned kind = 0; kind < GS_GEN_KIND_COUNT; kind++)
        for (unsigned shape = 0; shape < GS_GEN_SHAPE_COUNT; shape++) {
            if (!check_is_long() && (kind + shape) % (check_is_short() ? 6 : 3) != 0)
                continue; /* every kind and every shape are left */
            const uint64_t count = kind == GS_GEN_DOCS ? 3000 : 140000;
            gs_gen_options o = options_of((gs_gen_kind)kind, (gs_gen_shape)shape, count);
            size_t a_bytes, b_bytes;
            uint8_t *const a = make(&o, 1, false, &a_bytes);
            uint8_t *const b = make(&o, 4, true, &b_bytes);
            CHECK(a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0);
            gs_mem_free(b);
            o.seed = 2;
            uint8_t *const c = make(&o, 2, false, &b_bytes);
            CHECK(a_bytes != b_bytes || memcmp(a, c, a_bytes) != 0);
            gs_mem_free(c);
            gs_mem_free(a);
        }
}

/* The fingerprints hold on every machine and with every compiler. */
static void bytes_are_those_of_every_machine(void)
{
    static const struct {
        gs_gen_kind kind;
        gs_gen_shape shape;
        uint64_t hash;
    } known[] = {
        {GS_GEN_LINES, GS_GEN_UNIFORM, UINT64_C(0x122058acb1d5aa82)},
        {GS_GEN_LINES, GS_GEN_GAUSSIAN, UINT64_C(0xb24f25b1c80cd521)},
        {GS_GEN_LINES, GS_GEN_ZIPF, UINT64_C(0x8cb5cd846edfe6d4)},
        {GS_GEN_LINES, GS_GEN_POISSON, UINT64_C(0x3248fb4a61af9d82)},
        {GS_GEN_LINES, GS_GEN_SORTED, UINT64_C(0x1a51ea6276a6ca7e)},
        {GS_GEN_LINES, GS_GEN_REVERSED, UINT64_C(0x91f4cf91fb18333c)},
        {GS_GEN_LINES, GS_GEN_ALMOST, UINT64_C(0x453fe0ee3df2eef4)},
        {GS_GEN_LINES, GS_GEN_EQUAL, UINT64_C(0xd11b18799e61924f)},
        {GS_GEN_LINES, GS_GEN_FEW, UINT64_C(0xf9cb63d8bf6220ff)},
        {GS_GEN_U32, GS_GEN_UNIFORM, UINT64_C(0xb02b6dac8c3a5987)},
        {GS_GEN_U64, GS_GEN_GAUSSIAN, UINT64_C(0x4030d5709f4639f7)},
        {GS_GEN_U64, GS_GEN_ZIPF, UINT64_C(0xc3e6dbd3291cbc45)},
        {GS_GEN_TUPLES, GS_GEN_ZIPF, UINT64_C(0x696e7ee6ff08355e)},
        {GS_GEN_TUPLES, GS_GEN_SORTED, UINT64_C(0xbe69de2f922f9298)},
        {GS_GEN_RECORDS, GS_GEN_UNIFORM, UINT64_C(0x0e9f21e99a426f14)},
        {GS_GEN_RECORDS, GS_GEN_FEW, UINT64_C(0xcd87f8ca134e52b8)},
        {GS_GEN_DOCS, GS_GEN_ZIPF, UINT64_C(0xb7cc25760a405882)},
        {GS_GEN_WEBLOG, GS_GEN_ZIPF, UINT64_C(0x2832879d2d65828b)},
    };
    for (unsigned shape = 0; shape < GS_GEN_SHAPE_COUNT; shape++) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known &&
               (known[i].kind != GS_GEN_LINES || known[i].shape != shape))
            i++;
        CHECK(i < sizeof known / sizeof *known); /* lines of each are known */
    }
    for (unsigned kind = 0; kind < GS_GEN_KIND_COUNT; kind++) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && known[i].kind != kind)
            i++;
        CHECK(i < sizeof known / sizeof *known); /* and some of each kind */
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const gs_gen_options o = options_of(known[i].kind, known[i].shape, 2000);
        size_t bytes;
        uint8_t *const data = make(&o, 2, true, &bytes);
        const uint64_t hash = XXH3_64bits(data, bytes);
        CHECK(hash == known[i].hash);
        if (hash != known[i].hash)
            fprintf(stderr, "kind %d, %s: 0x%016llx\n", (int)o.kind,
                    gs_gen_shape_name(o.shape), (unsigned long long)hash);
        gs_mem_free(data);
    }
}

static void benchmark_records_are_the_known_ones(void)
{
    gs_gen_options o = options_of(GS_GEN_RECORDS, GS_GEN_UNIFORM, 3);
    size_t bytes;
    uint8_t *binary = make(&o, 1, true, &bytes);
    CHECK(bytes == 300);
    /* The first number of the sequence is its addend, which spells a name. */
    CHECK(memcmp(binary,
                 "JimGrayRIP\0\x11"
                 "00000000000000000000000000000000",
                 44) == 0);
    CHECK(memcmp(binary + 100, "\x95\xe0\xe4\x82\x62\xb3\xed\xfe\x04\x47", 10) == 0);
    gs_mem_free(binary);
    o.is_text = true;
    uint8_t *const text = make(&o, 1, true, &bytes);
    CHECK(memcmp(text, "AsfAGHM5om  0000", 16) == 0);
    CHECK(memcmp(text + 100, "~sHd0jDv6X  0000", 16) == 0);
    CHECK(memcmp(text + 98, "\r\n", 2) == 0);
    gs_mem_free(text);
    gs_gen_u128 x = 0;
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(gs_gen_sequence_at(i) == x);
        x = gs_gen_sequence_next(x);
    }
}

static void bytes_end_at_a_record(void)
{
    const uint64_t most = check_is_long() ? 3000000 : check_is_short() ? 9000 : 100000;
    for (unsigned kind = 0; kind < GS_GEN_KIND_COUNT; kind++)
        for (uint64_t wanted = 1; wanted < most; wanted = wanted * 7 + 3) {
            gs_gen_options o = options_of((gs_gen_kind)kind, GS_GEN_UNIFORM, UINT64_MAX);
            size_t all_bytes, bytes;
            o.bytes = wanted;
            uint8_t *const part = make(&o, 3, true, &bytes);
            CHECK(bytes >= wanted);
            const uint64_t size = kind == GS_GEN_U32       ? 4
                                  : kind == GS_GEN_U64     ? 8
                                  : kind == GS_GEN_RECORDS ? 100
                                                           : 0;
            if (size > 0)
                CHECK(bytes < wanted + size && bytes % size == 0);
            else /* no newline from the wanted byte to the one before the last */
                CHECK(part[bytes - 1] == '\n' &&
                      memchr(part + wanted - 1, '\n', bytes - wanted) == NULL);
            o.bytes = wanted + 5000; /* more of the same */
            uint8_t *const all = make(&o, 2, false, &all_bytes);
            CHECK(all_bytes >= bytes && memcmp(all, part, bytes) == 0);
            gs_mem_free(all);
            gs_mem_free(part);
        }
}

static void lines_keep_their_lengths(void)
{
    gs_gen_options o = options_of(GS_GEN_LINES, GS_GEN_UNIFORM, 20000);
    o.line_bytes_min = 0;
    o.line_bytes_max = 7;
    o.alphabet = "ab";
    size_t bytes, lines = 0, seen[8] = {0};
    uint8_t *const data = make(&o, 2, true, &bytes);
    for (const uint8_t *p = data; p < data + bytes; lines++) {
        const size_t length = strcspn((const char *)p, "\n");
        REQUIRE(length <= 7);
        CHECK(strspn((const char *)p, "ab") == length);
        seen[length]++;
        p += length + 1;
    }
    CHECK(lines == 20000);
    for (size_t i = 0; i < 8; i++)
        CHECK(seen[i] > 2200 && seen[i] < 2800);
    gs_mem_free(data);
}

static int compare_lines(const char *a, const char *b)
{
    const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
    const int d = memcmp(a, b, n < m ? n : m);
    return d ? d : (n > m) - (n < m);
}

static void ordered_shapes_are_in_order(void)
{
    static const uint64_t longest[] = {1, 3, 50};
    for (unsigned reversed = 0; reversed < 2; reversed++)
        for (size_t i = 0; i < 3; i++) {
            gs_gen_options o = options_of(
                GS_GEN_LINES, reversed ? GS_GEN_REVERSED : GS_GEN_SORTED, 70000);
            o.line_bytes_min = 1;
            o.line_bytes_max = longest[i];
            size_t bytes;
            uint8_t *const data = make(&o, 2, true, &bytes);
            const char *line = (const char *)data;
            for (;;) {
                const char *const next = line + strcspn(line, "\n") + 1;
                if (next >= (const char *)data + bytes)
                    break;
                const int d = compare_lines(line, next);
                CHECK(longest[i] < 50 || (reversed ? d >= 0 : d <= 0));
                CHECK(longest[i] > 3 || (reversed ? *line >= *next : *line <= *next));
                line = next;
            }
            gs_mem_free(data);
        }
    gs_gen_options o = options_of(GS_GEN_U64, GS_GEN_SORTED, 70000);
    size_t bytes;
    uint8_t *const data = make(&o, 2, true, &bytes);
    uint64_t before = 0, number;
    for (size_t i = 0; i < bytes; i += 8) {
        memcpy(&number, data + i, 8);
        CHECK(number >= before);
        before = number;
    }
    gs_mem_free(data);
}

static void words_differ(void)
{
    enum { SLOTS = 1 << 22 };
    const unsigned words = check_often(1500000);
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, SLOTS * sizeof(uint64_t), "set", &st), &st);
    uint64_t *const set = memory;
    for (uint64_t rank = 0; rank < words; rank++) {
        uint8_t word[GS_GEN_TERM_BYTES_MAX];
        const size_t n = (size_t)(gs_gen_put_term(word, rank) - word);
        const uint64_t hash = XXH3_64bits(word, n) | 1;
        size_t at = hash % SLOTS;
        while (set[at] != 0 && set[at] != hash)
            at = (at + 1) % SLOTS;
        CHECK(set[at] == 0);
        set[at] = hash;
    }
    gs_mem_free(memory);
}

static void shapes_have_their_moments(void)
{
    enum { DRAWS = 200000 };
    gs_status st = {.code = GS_OK};
    gs_gen_dist d;
    gs_gen_random random = gs_gen_random_start(5, 0);
    const gs_gen_dist_options zipf = {
        .shape = GS_GEN_ZIPF, .distinct = 1000000, .exponent = 1.0};
    REQUIRE_OK(gs_gen_dist_init(&d, &zipf, &st), &st);
    double first = 0, rare = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        const uint64_t rank = gs_gen_dist_draw(&d, &random, i);
        CHECK(rank < 1000000);
        first += rank == 0;
        rare += rank >= 500000;
    }
    gs_gen_dist_release(&d);
    CHECK(first > DRAWS * 0.0675 && first < DRAWS * 0.0715); /* 1 / H(10^6) = 0.0695 */
    CHECK(rare > DRAWS * 0.0462 && rare < DRAWS * 0.0501);   /* ln 2 / H(10^6) */
    const gs_gen_dist_options poisson = {.shape = GS_GEN_POISSON, .mean = 37.5};
    REQUIRE_OK(gs_gen_dist_init(&d, &poisson, &st), &st);
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        const double x = (double)gs_gen_dist_draw(&d, &random, i);
        sum += x;
        squares += x * x;
    }
    gs_gen_dist_release(&d);
    const double mean = sum / DRAWS, variance = squares / DRAWS - mean * mean;
    CHECK(mean > 37.4 && mean < 37.6 && variance > 36.7 && variance < 38.3);
    for (double x = 0.001; x < 1e6; x *= 1.7) {
        const double back = gs_gen_exp(gs_gen_log(x)) / x;
        CHECK(back > 1 - 1e-13 && back < 1 + 1e-13);
    }
}

static void bad_options_are_refused(void)
{
    for (unsigned i = 0; i < 5; i++) {
        gs_gen_options o = options_of(GS_GEN_LINES, GS_GEN_UNIFORM, 10);
        if (i == 0)
            o.record_count = UINT64_MAX;
        if (i == 1)
            o.line_bytes_min = 51;
        if (i == 2)
            o.alphabet = "aa";
        if (i == 3)
            o.exponent = 0;
        if (i == 4)
            o.disorder = 2;
        gs_status st = {.code = GS_OK};
        gs_gen_data *data = NULL;
        CHECK(gs_gen_data_new(&data, &o, &st) == GS_ERR_ARG && data == NULL);
    }
}

/* No crash and no leak wherever memory runs out; a full disk is an error. */
static void failures_are_reported(void)
{
    const gs_gen_options o = options_of(GS_GEN_TUPLES, GS_GEN_ZIPF, 100000);
    const size_t held = gs_mem_held_bytes();
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    for (unsigned nth = 1; nth < 20; nth++) {
        gs_status st = {.code = GS_OK};
        gs_gen_data *data = NULL;
        uint64_t total;
        const gs_gen_target target = {
            .fd = full, .bytes_limit = UINT64_MAX, .failure = "write failed: full"};
        gs_mem_fail_nth(nth);
        if (gs_gen_data_new(&data, &o, &st) == GS_OK)
            CHECK(gs_gen_write(data, &target, 3, &total, &st) != GS_OK);
        gs_mem_fail_nth(0);
        gs_gen_data_free(data);
        CHECK(st.code == GS_ERR_NOMEM || st.code == GS_ERR_IO);
        CHECK(gs_mem_held_bytes() == held);
    }
    (void)close(full);
}

int main(void)
{
    threads_do_not_show();
    bytes_are_those_of_every_machine();
    benchmark_records_are_the_known_ones();
    bytes_end_at_a_record();
    lines_keep_their_lengths();
    ordered_shapes_are_in_order();
    words_differ();
    shapes_have_their_moments();
    bad_options_are_refused();
    failures_are_reported();
    return check_result();
}
