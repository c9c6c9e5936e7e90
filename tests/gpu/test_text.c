/* SPDX-License-Identifier: MIT */
/*
 * text_sort: lines and records sorted on the GPU must come out as a plain CPU sort of the
 * same strings puts them, in both shapes, with equals kept or dropped. What would break:
 * ties that go on for many rounds, strings that end inside a word, NULs, uploads of any
 * size, a last line without its end, chunks used again, tiles and slots that cut lines; a
 * chunk that takes more memory than it may, or more text than it can then sort.
 *
 *     test_text [--few]        --few: a handful, for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <stdbool.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/device/fault.h"
#include "gpu/text/text_sort.h"
#include "lib/base/mem.h"
#include "lib/base/trace.h"
#include "lib/sort/device/device_order.h"
#include "lib/sort/key/key_encode.h"
#include "lib/sort/key/order_layout.h"
#include "lib/sort/run/ovc.h"
#include "tests/check.h"

enum {
    TEXT_MAX = 24 << 20,
    BATCH = 1 << 20,
    FETCH = 100 * 1000,
    SHAPES = 12,
    ORDERS = 15,
    RECORD = 20,
};

typedef struct want {
    uint8_t *string; /* key and line, or key */
    size_t string_bytes, key_bytes;
    const uint8_t *line;
    size_t line_bytes, row, count;
} want;

static uint8_t *text, *got, *data;
static want *wanted;
static bool is_backwards;
static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* --- inputs ----------------------------------------------------------------------- */

/* What keys by -M -h -g -V know, with something before and behind it. */
static size_t make_suited_line(uint64_t r, uint8_t *to)
{
    static const char *const months[] = {"JAN", "feb", " Mar", "dec", "ju", "", "x"};
    static const char *const suffixes[] = {".tar.gz", "~rc1",    "",
                                           ".so.6",   ".x86_64", "-"};
    const unsigned a = (unsigned)(r >> 8) % 1000, b = (unsigned)(r >> 20) % 100;
    switch (r % 5) {
    case 0: return (size_t)sprintf((char *)to, "%s %u", months[(r >> 50) % 7], a);
    case 1:
        return (size_t)sprintf((char *)to, "%s%u.%u%c", r >> 63 ? "-" : "", a, b,
                               "KMGTk xRQ"[(r >> 50) % 9]);
    case 2:
        return (size_t)sprintf((char *)to, "%s%u.%ue%d", r >> 63 ? "-" : " ", a, b,
                               (int)((r >> 40) % 700) - 350);
    case 3:
        return (size_t)sprintf((char *)to, "%.*e", (int)(r >> 58) % 25,
                               (double)(int64_t)check_random(&state) / 1e7);
    default:
        return (size_t)sprintf((char *)to, "lib%c%u.%03u%s", "abAB"[(r >> 40) % 4],
                               a % 20, b, suffixes[(r >> 50) % 6]);
    }
}

static size_t make_line(unsigned shape, uint8_t *to)
{
    static const char url[] =
        "https://www.example.org/a/rather/long/path/that/is/shared/";
    const uint64_t r = check_random(&state);
    switch (shape) {
    case 0: /* random, short */
        for (size_t i = 0; i < r % 50; i++)
            to[i] = (uint8_t)(' ' + below(95));
        return r % 50;
    case 1: /* tuples of few terms */
        return (size_t)sprintf((char *)to, "term%u\t%u", (unsigned)(r % 100),
                               (unsigned)(r >> 44));
    case 2: /* long shared beginnings, some twice */
        return (size_t)sprintf((char *)to, "%s%s%u", url, r & 1 ? url : "x",
                               (unsigned)((r >> 8) % 3000));
    case 3: /* over a small alphabet with NUL and 0xff */
        for (size_t i = 0; i < r % 20; i++)
            to[i] = (uint8_t) "\0\1a\xff"[below(4)];
        return r % 20;
    case 4: /* all equal */ return (size_t)sprintf((char *)to, "%s", url);
    case 5: /* runs of one byte */ memset(to, 'a', 200); return r % 200;
    case 6: /* empty, mostly */ to[0] = (uint8_t)('a' + r % 3); return r % 4 == 0;
    case 7: /* numbers */
        return (size_t)sprintf((char *)to, "%s%u.%u", r & 1 ? "-" : "",
                               (unsigned)(r >> 40) % 1000, (unsigned)(r >> 20) % 100);
    case 8: /* few, very long, that differ at the end */
        memset(to, 'x', 30000);
        to[20000 + r % 10000] = (uint8_t)('a' + below(26));
        return 30000;
    case 9: return make_suited_line(r, to);
    case 10: /* a log */
        return (size_t)sprintf((char *)to, "%.3s %2u:%uK:v1.%u.%u",
                               &"JanFebMarAprMayJun"[3 * (r % 6)],
                               (unsigned)(r >> 8) % 30, (unsigned)(r >> 16) % 2000,
                               (unsigned)(r >> 30) % 12, (unsigned)(r >> 40) % 12);
    default: /* fields */
        return (size_t)sprintf((char *)to, "%u:%c%c: %u", (unsigned)(r % 50),
                               "aAbB"[(r >> 8) % 4], "xXyY"[(r >> 16) % 4],
                               (unsigned)(r >> 50));
    }
}

/* Fills text with about `bytes` of lines; the last may lack its end. */
static size_t make_text(unsigned shape, size_t bytes, bool ends)
{
    size_t used = 0;
    while (used < bytes) {
        used += make_line(shape, text + used);
        text[used++] = '\n';
    }
    return used > 0 && !ends ? used - 1 : used;
}

/* With keys that kernels for plain orders have not. */
static void make_suited_order(unsigned number, gs_order *order)
{
    const gs_key whole = {.end_field = SIZE_MAX};
    gs_key *const keys = order->keys;
    order->key_count = 1;
    keys[0] = keys[1] = whole;
    memset(order->random_seed, 0x5a, sizeof order->random_seed);
    switch (number) {
    case 0: keys[0].type = GS_KEY_VERSION; break;
    case 1: /* -g -r */
        keys[0].type = GS_KEY_GENERAL;
        keys[0].reverse = order->reverse = true;
        break;
    case 2: /* -s -h */
        keys[0].type = GS_KEY_HUMAN;
        order->stable = true;
        break;
    case 3: /* -R -f -d -u */
        keys[0].type = GS_KEY_RANDOM;
        keys[0].fold = keys[0].dictionary = true;
        order->unique = true;
        break;
    case 4: /* -t: -k1,1M -k2,2hr */
        order->delimiter = ':';
        order->key_count = 2;
        keys[0].end_field = 0;
        keys[0].type = GS_KEY_MONTH;
        keys[1].start_field = keys[1].end_field = 1;
        keys[1].type = GS_KEY_HUMAN;
        keys[1].reverse = true;
        break;
    default: /* -s -t: -k3Vir -k1,1n */
        order->stable = true;
        order->delimiter = ':';
        order->key_count = 2;
        keys[0].start_field = 2;
        keys[0].type = GS_KEY_VERSION;
        keys[0].ignore_nonprint = keys[0].reverse = true;
        keys[1].end_field = 0;
        keys[1].type = GS_KEY_NUMERIC;
        break;
    }
}

static gs_order make_order(unsigned number, gs_key *keys)
{
    gs_order order = {.keys = keys, .delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
    gs_key whole = {.end_field = SIZE_MAX};
    switch (number) {
    case 0: break;
    case 1: order.reverse = true; break;
    case 2: /* -t TAB -k1,1 -k2,2n */
        order.delimiter = '\t';
        order.key_count = 2;
        keys[0] = keys[1] = whole;
        keys[0].end_field = 0;
        keys[1].start_field = keys[1].end_field = 1;
        keys[1].type = GS_KEY_NUMERIC;
        break;
    case 3: /* -n */
        order.key_count = 1;
        keys[0] = whole;
        keys[0].type = GS_KEY_NUMERIC;
        break;
    case 4: /* -s -f */
        order.stable = true;
        order.key_count = 1;
        keys[0] = whole;
        keys[0].fold = true;
        break;
    case 5: /* -t: -k2,2r -k1n */
        order.delimiter = ':';
        order.key_count = 2;
        keys[0] = keys[1] = whole;
        keys[0].start_field = keys[0].end_field = 1;
        keys[0].reverse = true;
        keys[1].type = GS_KEY_NUMERIC;
        break;
    case 6: /* -r -k1.2,1.4 */
        order.reverse = true;
        order.key_count = 1;
        keys[0] = whole;
        keys[0].start_char = 1;
        keys[0].end_field = 0;
        keys[0].end_char = 4;
        keys[0].reverse = true;
        break;
    case 7: /* -u -d */
        order.unique = true;
        order.key_count = 1;
        keys[0] = whole;
        keys[0].dictionary = true;
        break;
    case 8: order.unique = true; break;
    default: make_suited_order(number - 9, &order); break;
    }
    return order;
}

/* --- the reference ------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const want *const x = a, *const y = b;
    const int d =
        gs_string_compare(x->string, x->string_bytes, y->string, y->string_bytes, 0);
    if (d != 0)
        return is_backwards ? -d : d;
    return (x->row > y->row) - (x->row < y->row);
}

static size_t make_wanted(const gs_order *order, const gs_record_layout *layout,
                          size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_key_encoder *encoder = NULL;
    if (layout->is_keyed)
        REQUIRE_OK(gs_key_encoder_new(&encoder, order, layout->is_backwards, &st), &st);
    size_t count = 0;
    for (size_t at = 0; at < bytes;) {
        size_t n = order->record_size;
        if (n == 0) {
            const uint8_t *const end = memchr(text + at, '\n', bytes - at);
            n = end ? (size_t)(end - (text + at)) : bytes - at;
        }
        want *const w = &wanted[count];
        *w = (want){.line = text + at, .line_bytes = n, .row = count, .count = 1};
        const size_t bound = encoder ? gs_key_encode_bound(encoder, n) : 0;
        w->string = malloc(bound + n + GS_KEY_READ_SLACK);
        REQUIRE(w->string != NULL);
        w->key_bytes = encoder ? gs_key_encode(encoder, w->line, n, w->string) : 0;
        w->string_bytes = w->key_bytes;
        if (!layout->is_key_only) {
            memcpy(w->string + w->key_bytes, w->line, n);
            w->string_bytes += n;
        }
        count++;
        at += n + (order->record_size == 0);
    }
    gs_key_encoder_free(encoder);
    is_backwards = layout->is_backwards;
    qsort(wanted, count, sizeof *wanted, compare);
    return count;
}

static void free_wanted(size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(wanted[i].string);
}

static bool same_string(const want *a, const want *b)
{
    return a->string_bytes == b->string_bytes &&
           memcmp(a->string, b->string, a->string_bytes) == 0;
}

/* Drops equals; their strings are freed here. */
static size_t drop_wanted(size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && same_string(&wanted[kept - 1], &wanted[i])) {
            wanted[kept - 1].count++;
            free(wanted[i].string);
        } else {
            wanted[kept++] = wanted[i];
        }
    }
    return kept;
}

/* --- what the GPU makes of it ------------------------------------------------------ */

static void upload(gs_text_sort *t, size_t bytes, size_t record_size)
{
    gs_status st = {.code = GS_OK};
    uint64_t ticket = 0, done = 0;
    size_t at = 0;
    while (at < bytes) {
        size_t n = 1 + below(BATCH - 40000);
        if (n >= bytes - at) {
            n = bytes - at;
        } else if (record_size > 0) {
            n = (n / record_size + 1) * record_size;
            n = n < bytes - at ? n : bytes - at;
        } else {
            const uint8_t *const end = memchr(text + at + n, '\n', bytes - at - n);
            n = end ? (size_t)(end - (text + at)) + 1 : bytes - at;
        }
        const bool lacks = record_size == 0 && text[at + n - 1] != '\n';
        bool is_full = false;
        REQUIRE_OK(gs_text_sort_upload(t, text + at, n, lacks, &is_full, &ticket, &st),
                   &st);
        REQUIRE(!is_full);
        at += n;
        if (below(3) == 0)
            REQUIRE_OK(gs_text_sort_uploads_done(t, &ticket, &done, &st), &st);
    }
    if (bytes > 0) {
        REQUIRE_OK(gs_text_sort_uploads_done(t, &ticket, &done, &st), &st);
        CHECK(done == ticket + 1);
    }
}

static void check_text(gs_text_sort *t, size_t count, uint64_t bytes, bool has_eol)
{
    gs_status st = {.code = GS_OK};
    memset(got, 0xa5, bytes + 1);
    uint64_t next = 0;
    for (unsigned i = 0; next < bytes; i++) {
        const unsigned slot = i % GS_TEXT_FETCHES;
        if (i >= GS_TEXT_FETCHES)
            REQUIRE_OK(gs_text_sort_fetch_wait(t, slot, &st), &st);
        size_t n = 1 + below(FETCH);
        n = n < bytes - next ? n : bytes - next;
        REQUIRE_OK(gs_text_sort_fetch_text(t, slot, next, n, got + next, &st), &st);
        next += n;
    }
    for (unsigned slot = 0; slot < GS_TEXT_FETCHES; slot++)
        REQUIRE_OK(gs_text_sort_fetch_wait(t, slot, &st), &st);
    CHECK(got[bytes] == 0xa5);
    uint64_t to = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const want *const w = &wanted[i];
        wrong += to + w->line_bytes + has_eol > bytes ||
                 memcmp(got + to, w->line, w->line_bytes) != 0 ||
                 (has_eol && got[to + w->line_bytes] != '\n');
        to += w->line_bytes + has_eol;
    }
    CHECK(to == bytes);
    CHECK(wrong == 0);
}

static void check_records(gs_text_sort *t, size_t count, bool has_eol)
{
    gs_status st = {.code = GS_OK};
    static gs_text_record records[5000];
    uint64_t first = 0;
    size_t wrong = 0;
    for (;;) {
        uint64_t n, bytes;
        REQUIRE_OK(gs_text_sort_cut(t, first, 1 + below(300000), 1 + below(5000), &n,
                                    &bytes, &st),
                   &st);
        if (n == 0)
            break;
        REQUIRE_OK(gs_text_sort_fetch_records(t, first, n, bytes, records, data, &st),
                   &st);
        const uint8_t *p = data;
        for (uint64_t i = 0; i < n; i++) {
            const want *const w = &wanted[first + i];
            const gs_text_record *const r = &records[i];
            wrong += r->key_bytes != w->key_bytes ||
                     r->bytes != w->key_bytes + w->line_bytes || r->count != w->count ||
                     memcmp(p, w->string, w->key_bytes) != 0 ||
                     memcmp(p + w->key_bytes, w->line, w->line_bytes) != 0;
            if (i > 0) {
                const want *const b = w - 1;
                int order;
                const size_t index = gs_ovc_first_difference(
                    b->string, b->string_bytes, w->string, w->string_bytes, 0, &order);
                wrong += r->shared != (order == 0 ? 0 : index + 1);
            }
            p += r->bytes + has_eol;
        }
        CHECK(p == data + bytes);
        first += n;
    }
    CHECK(first == count);
    CHECK(wrong == 0);
}

static void sorts(gs_text_sort *t, const gs_order *order, const gs_record_layout *layout,
                  size_t bytes, bool drops)
{
    gs_status st = {.code = GS_OK};
    const bool has_eol = order->record_size == 0;
    size_t count = make_wanted(order, layout, bytes);
    const size_t all = count;
    if (drops)
        count = drop_wanted(count);
    for (unsigned shape = 0; shape < 2; shape++) {
        gs_text_result result;
        gs_text_sort_reset(t);
        upload(t, bytes, order->record_size);
        REQUIRE_OK(
            gs_text_sort_run(t, (gs_text_shape)shape, drops, UINT64_MAX, &result, &st),
            &st);
        CHECK(result.input_count == all);
        CHECK(result.record_count == count);
        if (result.record_count != count)
            break;
        if (shape == GS_TEXT_OUTPUT)
            check_text(t, count, result.bytes, has_eol);
        else
            check_records(t, count, has_eol);
    }
    free_wanted(count);
}

static gs_text_sort *new_sort(const gs_order *order, const gs_record_layout *layout,
                              uint64_t unit_records_max)
{
    gs_status st = {.code = GS_OK};
    gs_text_sort_options options = {.batch_bytes_max = BATCH,
                                    .fetch_bytes_max = FETCH,
                                    .input_bytes = TEXT_MAX,
                                    .may_drop_equals = true,
                                    .unit_records_max = unit_records_max};
    REQUIRE(gs_device_order(order, layout, &options.order) == NULL);
    gs_text_sort *t = NULL;
    REQUIRE_OK(gs_text_sort_new(&t, &options, &st), &st);
    return t;
}

/* Of so many records a unit at most; 0: each chunk is one. */
static void lines(bool few, uint64_t unit_records_max)
{
    static const size_t sizes[] = {0, 1, 60, 16383, 16384, 16385, 300000, 2000000};
    const size_t few_sizes = unit_records_max > 0 ? 4 : 3;
    const size_t size_count = few ? few_sizes : sizeof sizes / sizeof *sizes;
    for (unsigned o = 0; o < ORDERS; o++) {
        gs_key keys[2];
        const gs_order order = make_order(o, keys);
        const gs_record_layout layout = gs_order_layout(&order, false);
        gs_text_sort *const t = new_sort(&order, &layout, unit_records_max);
        for (unsigned shape = 0; shape < SHAPES; shape++) {
            for (size_t i = 0; i < size_count; i++) {
                if (few && (shape + o) % 5 != 0)
                    continue;
                const size_t bytes = make_text(shape, sizes[i], below(2) != 0);
                const int before = check_failures;
                sorts(t, &order, &layout, bytes, order.unique || below(4) == 0);
                if (check_failures > before)
                    fprintf(stderr, "order %u, shape %u, %zu bytes, units of %llu\n", o,
                            shape, bytes, (unsigned long long)unit_records_max);
            }
        }
        gs_text_sort_free(t);
        printf("order %u done, units of %llu\n", o, (unsigned long long)unit_records_max);
    }
}

static void records(bool few, uint64_t unit_records_max)
{
    gs_byte_key keys[2] = {
        {.offset = 4, .length = 4, .type = GS_FIELD_FLOAT, .is_little_endian = true},
        {.offset = 12, .length = 2, .type = GS_FIELD_SIGNED, .reverse = true}};
    for (unsigned o = 0; o < 6; o++) {
        const gs_order order = {.record_size = RECORD,
                                .byte_keys = keys,
                                .byte_key_count = o % 3,
                                .stable = o == 2,
                                .reverse = o >= 4};
        const gs_record_layout layout = gs_order_layout(&order, false);
        gs_text_sort *const t = new_sort(&order, &layout, unit_records_max);
        const size_t bytes = RECORD * (few ? 2000 : 100000);
        for (size_t i = 0; i < bytes; i++)
            text[i] = (uint8_t)(below(3) ? below(3) : check_random(&state));
        sorts(t, &order, &layout, bytes, o == 3);
        gs_text_sort_free(t);
    }
}

/* A number by -g that only the CPU can round is the CPU's, with all beside it. */
static void numbers_that_are_not_rounded(void)
{
    gs_status st = {.code = GS_OK};
    gs_key key = {.end_field = SIZE_MAX, .type = GS_KEY_GENERAL};
    const gs_order order = {
        .keys = &key, .key_count = 1, .delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
    const gs_record_layout layout = gs_order_layout(&order, false);
    gs_text_sort *const t = new_sort(&order, &layout, 0);
    size_t bytes = make_text(7, 100000, true);
    for (unsigned i = 0; i < 2; i++) {
        gs_text_result result;
        gs_text_sort_reset(t);
        upload(t, bytes, 0);
        const gs_code code =
            gs_text_sort_run(t, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, &st);
        CHECK(code == (i == 0 ? GS_OK : GS_ERR_LIMIT));
        bytes += (size_t)sprintf((char *)text + bytes,
                                 "268625875208.877616040408611297607421875\n1\n");
    }
    gs_text_sort_free(t);
}

/* A chunk that is full says so and takes nothing; what it holds is sorted all the same.
 */
static void full_chunk(void)
{
    gs_status st = {.code = GS_OK};
    const gs_order order = {.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
    const gs_record_layout layout = gs_order_layout(&order, false);
    gs_text_sort_options options = {.batch_bytes_max = BATCH,
                                    .fetch_bytes_max = FETCH,
                                    .memory_bytes_max = (size_t)64 << 20};
    REQUIRE(gs_device_order(&order, &layout, &options.order) == NULL);
    gs_text_sort *t = NULL;
    REQUIRE_OK(gs_text_sort_new(&t, &options, &st), &st);
    const size_t bytes = make_text(0, TEXT_MAX - (1 << 20), true);
    size_t at = 0;
    for (unsigned chunks = 0; at < bytes; chunks++) {
        REQUIRE(chunks < 100);
        const size_t begin = at;
        bool is_full = false;
        uint64_t ticket = 0, done = 0;
        while (at < bytes && !is_full) {
            const size_t most = bytes - at < 500000 ? bytes - at : 500000;
            const uint8_t *const end = memrchr(text + at, '\n', most);
            const size_t n = (size_t)(end - (text + at)) + 1;
            REQUIRE_OK(
                gs_text_sort_upload(t, text + at, n, false, &is_full, &ticket, &st), &st);
            at += is_full ? 0 : n;
        }
        REQUIRE(at > begin);
        REQUIRE_OK(gs_text_sort_uploads_done(t, &ticket, &done, &st), &st);
        gs_text_result result;
        REQUIRE_OK(gs_text_sort_run(t, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, &st),
                   &st);
        CHECK(result.bytes == at - begin);
        CHECK(gs_text_sort_device_bytes(t) <= options.memory_bytes_max);
        gs_text_sort_reset(t);
    }
    gs_text_sort_free(t);
}

static size_t device_free_bytes(void)
{
    gs_status st = {.code = GS_OK};
    gs_device device;
    REQUIRE_OK(gs_device_get(0, &device, &st), &st);
    return device.free_bytes;
}

/* Uploads text[0, bytes) over and over until the chunk is full, or `uploads` times;
 * returns how often. */
static uint64_t fill_chunk(gs_text_sort *t, size_t bytes, uint64_t uploads)
{
    gs_status st = {.code = GS_OK};
    uint64_t ticket = 0, done = 0, count = 0;
    bool is_full = false;
    while (count < uploads && !is_full) {
        REQUIRE_OK(gs_text_sort_upload(t, text, bytes, false, &is_full, &ticket, &st),
                   &st);
        count += !is_full;
    }
    REQUIRE_OK(gs_text_sort_uploads_done(t, &ticket, &done, &st), &st);
    return count;
}

typedef struct budget {
    size_t limit_bytes;
    size_t key_count; /* that all hold the whole line */
    gs_key_type type; /* of the first of them */
} budget;

/* A chunk that was filled is sorted, whatever its lines and keys; so is the next, of
 * other lines. What it takes, by the driver's own figures, is within what it may take. */
static void keeps_budget(const budget *b, size_t free_before)
{
    static const unsigned shapes[] = {6, 1, 3, 8, 0}; /* short, long, full of NULs */
    gs_status st = {.code = GS_OK};
    gs_key keys[3] = {{.end_field = SIZE_MAX}, {.end_field = SIZE_MAX}};
    keys[2] = keys[0];
    keys[0].type = b->type;
    const gs_order order = {.keys = keys,
                            .key_count = b->key_count,
                            .delimiter = '\t',
                            .stable = b->key_count > 0,
                            .eol = '\n'};
    gs_record_layout layout = gs_order_layout(&order, false);
    layout.is_keyed = b->key_count > 0; /* also where it would do without */
    gs_text_sort_options options = {.batch_bytes_max = BATCH,
                                    .fetch_bytes_max = FETCH,
                                    .memory_bytes_max = b->limit_bytes};
    REQUIRE(gs_device_order(&order, &layout, &options.order) == NULL);
    gs_text_sort *t = NULL;
    REQUIRE_OK(gs_text_sort_new(&t, &options, &st), &st);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const size_t bytes = make_text(shapes[s], BATCH - 40000, true);
        const uint64_t uploads = fill_chunk(t, bytes, UINT64_MAX);
        gs_text_result result;
        REQUIRE_OK(gs_text_sort_run(t, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, &st),
                   &st);
        CHECK(result.bytes == uploads * bytes);
        const size_t left = device_free_bytes(),
                     taken = free_before > left ? free_before - left : 0,
                     counted = gs_text_sort_device_bytes(t);
        printf("%zu MiB, %zu keys, shape %u: %zu MiB of text, %zu taken, %zu counted\n",
               b->limit_bytes >> 20, b->key_count, shapes[s], uploads * bytes >> 20,
               taken >> 20, counted >> 20);
        CHECK(counted <= b->limit_bytes);
        CHECK(taken <= counted);
        gs_text_sort_reset(t);
    }
    gs_text_sort_free(t);
}

static void budgets_are_kept(void)
{
    const size_t M = (size_t)1 << 20;
    static const size_t limits[] = {300, 1024, 2048, 6144};
    const budget warm_up = {.limit_bytes = 1024 * M, .key_count = 1};
    keeps_budget(&warm_up, 0); /* loads the code, which stays */
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        for (size_t key_count = 0; key_count <= 3; key_count++) {
            const budget b = {.limit_bytes = limits[l] * M, .key_count = key_count};
            if (limits[l] < 6144 || key_count == 0 || key_count == 2)
                keeps_budget(&b, device_free_bytes());
        }
        for (gs_key_type type = 0; type < GS_KEY_TYPE_COUNT; type++) {
            const budget b = {.limit_bytes = limits[l] * M, .key_count = 2, .type = type};
            if (limits[l] == 1024)
                keeps_budget(&b, device_free_bytes());
        }
    }
}

/* A traced sort of one batch, in both shapes. */
static gs_code sort_traced(gs_trace *trace, size_t bytes, gs_status *st)
{
    static gs_text_record records[5000];
    gs_text_sort_options options = {
        .order = {.delimiter = GS_TEXT_BLANK_FIELDS, .eol = '\n'},
        .batch_bytes_max = BATCH,
        .fetch_bytes_max = FETCH,
        .input_bytes = bytes,
        .trace = trace};
    gs_text_sort *t = NULL;
    gs_text_result result;
    bool is_full;
    uint64_t ticket = 0, done, count, part;
    GS_TRY(gs_text_sort_new(&t, &options, st));
    GS_TRY_OR_FAIL(gs_text_sort_upload(t, text, bytes, false, &is_full, &ticket, st));
    GS_TRY_OR_FAIL(gs_text_sort_uploads_done(t, &ticket, &done, st));
    GS_TRY_OR_FAIL(gs_text_sort_run(t, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, st));
    GS_NOTED(gs_text_sort_fetch_text(t, 0, 0, bytes < FETCH ? bytes : FETCH, got, st));
    GS_TRY_OR_FAIL(gs_text_sort_fetch_wait(t, 0, st));
    GS_TRY_OR_FAIL(gs_text_sort_run(t, GS_TEXT_RECORDS, false, UINT64_MAX, &result, st));
    GS_TRY_OR_FAIL(gs_text_sort_cut(t, 0, FETCH, 5000, &count, &part, st));
    GS_NOTED(gs_text_sort_fetch_records(t, 0, count, part, records, data, st));
fail:
    gs_text_sort_free(t);
    return st->code;
}

/* Whichever call fails: no span of the trace stays, or goes while it is still to begin.
 */
static void traces_survive_failures(void)
{
    gs_status st = {.code = GS_OK};
    gs_trace *trace = NULL;
    REQUIRE_OK(gs_trace_new(&trace, &st), &st);
    const size_t bytes = make_text(0, 100000, true);
    REQUIRE_OK(sort_traced(trace, bytes, &st), &st);
    const size_t held = gs_mem_held_bytes();
    CHECK(gs_trace_span_count(trace) > 5);
    uint64_t nth = 0;
    for (bool was_hit = true; was_hit;) {
        gs_status_clear(&st);
        gs_fault_arm(GS_FAULT_LAUNCH, ++nth);
        const gs_code code = sort_traced(trace, bytes, &st);
        was_hit = gs_fault_calls() >= nth;
        gs_fault_arm(GS_FAULT_NONE, 0);
        CHECK(was_hit || code == GS_OK);
        CHECK(gs_mem_held_bytes() == held);
    }
    CHECK(nth > 50);
    gs_trace_free(trace);
}

int main(int argc, char **argv)
{
    const bool few = argc > 1 && strcmp(argv[1], "--few") == 0;
    /* All code at once: else each kernel that is launched for the first time takes of the
     * memory that budgets_are_kept looks at. */
    REQUIRE(setenv("CUDA_MODULE_LOADING", "EAGER", 1) == 0);
    if (gs_device_count() == 0) {
        printf("no GPU\n");
        return 77;
    }
    state = check_seed(8);
    text = malloc(TEXT_MAX + 65536);
    got = malloc(TEXT_MAX + 65536);
    data = malloc(TEXT_MAX + 65536);
    wanted = malloc((TEXT_MAX + 1) / 2 * sizeof *wanted);
    REQUIRE(text != NULL && got != NULL && data != NULL && wanted != NULL);
    /* More than a range between two splitters has by any chance, which is a thousandth of
     * the records on average; not so many of them are drawn for `few`. */
    const uint64_t unit = few ? 500 : 6000;
    lines(few, 0);
    lines(few, unit);
    records(few, 0);
    records(few, unit);
    numbers_that_are_not_rounded();
    if (!few) {
        full_chunk();
        budgets_are_kept();
        traces_survive_failures();
    }
    free(text);
    free(got);
    free(data);
    free(wanted);
    return check_result();
}
