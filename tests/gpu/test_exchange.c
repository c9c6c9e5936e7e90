/* SPDX-License-Identifier: MIT */
/*
 * text_exchange: chunks on several GPUs, or several on one, that have exchanged their
 * records give, stretch by stretch, what one chunk of them all gives. What would break:
 * a record that gets lost or comes twice, equal keys out of their order, devices that
 * disagree on a splitter, text that is copied before it is all there, a result read by
 * somebody else's stretches, a call that fails.
 *
 *     test_exchange [--few]        --few: for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <stdbool.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/device/fault.h"
#include "gpu/text/text_sort.h"
#include "tests/check.h"

enum {
    CHUNKS = 3,
    BATCH = 300 * 1000,
    FETCH = 256 * 1024,
    RECORD = 20,
    UNIT = 8000,
    FAULTS_MAX = 3000,
};

static uint8_t *text, *want, *got, *sample;
static size_t bytes;
static gs_text_stretches stretches;
static uint64_t state = 11;
static unsigned device_count;

/* --- text and orders -------------------------------------------------------------- */

enum { LINES, LINES_BACKWARDS, NUMBERS, RECORDS, ORDERS };
enum { RANDOM, FEW, ALL_THE_SAME, SORTED, LONG, SHAPES };

static gs_text_order make_order(unsigned which)
{
    gs_text_order o = {.delimiter = GS_TEXT_BLANK_FIELDS, .eol = '\n'};
    if (which == LINES_BACKWARDS)
        o.is_backwards = true;
    if (which == NUMBERS) {
        o.keys[0] =
            (gs_text_key){.end_field = 0, .end_char = 0, .kind = GS_TEXT_KIND_NUMERIC};
        o.key_count = 1;
        o.is_key_only = true;
    }
    if (which == RECORDS) {
        o.record_size = RECORD;
        o.fields[0] = (gs_text_field){.offset = 2, .length = 1};
        o.key_count = 1;
        o.is_key_only = true;
    }
    return o;
}

static size_t make_line(unsigned shape, uint64_t i, char *to)
{
    const unsigned long long r = check_random(&state);
    switch (shape) {
    case RANDOM: return (size_t)sprintf(to, "%llu %llx\n", r % 5000, r);
    case FEW: return (size_t)sprintf(to, "%llu the same\n", r % 7);
    case ALL_THE_SAME: return (size_t)sprintf(to, "1 line\n");
    case SORTED: return (size_t)sprintf(to, "%09llu\n", (unsigned long long)i);
    default:
        return (size_t)sprintf(to, "%0*llu %llu\n", (int)(1 + r % 300), r % 90, r >> 32);
    }
}

static void make_text(unsigned order, unsigned shape, uint64_t count)
{
    bytes = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (order != RECORDS) {
            bytes += make_line(shape, i, (char *)text + bytes);
            continue;
        }
        for (unsigned k = 0; k < RECORD; k++)
            text[bytes++] = (uint8_t)(shape == ALL_THE_SAME ? 7 : check_random(&state));
    }
}

/* The record that begins at `at` or behind it. */
static size_t record_at(const gs_text_order *o, size_t at)
{
    if (o->record_size > 0 || at == 0 || at >= bytes)
        return at >= bytes ? bytes : at / RECORD * (o->record_size > 0 ? RECORD : 0);
    const uint8_t *const eol = memchr(text + at - 1, '\n', bytes - at + 1);
    return (size_t)(eol + 1 - text);
}

static gs_text_exchange_options make_sample(const gs_text_order *o)
{
    gs_text_exchange_options options = {.sample = sample};
    for (size_t at = 0; at < bytes && options.sample_count < 2000;) {
        const size_t begin = record_at(o, at), next = record_at(o, begin + 1),
                     end = o->record_size > 0 ? begin + RECORD : next;
        if (options.sample_bytes + (end - begin) > FETCH - GS_TEXT_SAMPLE_SLACK)
            break;
        memcpy(sample + options.sample_bytes, text + begin, end - begin);
        options.sample_bytes += end - begin;
        options.sample_count++;
        at = begin + bytes / 1500 + 1;
    }
    return options;
}

/* --- chunks ------------------------------------------------------------------------- */

static gs_code new_chunk(gs_text_sort **out, const gs_text_order *order, unsigned i,
                         bool is_of_several, gs_status *st)
{
    const gs_text_sort_options options = {.device = (int)(i % device_count),
                                          .order = *order,
                                          .batch_bytes_max = BATCH,
                                          .fetch_bytes_max = FETCH,
                                          .input_bytes = bytes + 1,
                                          .memory_bytes_max = (size_t)1 << 30,
                                          .is_of_several = is_of_several,
                                          .unit_records_max = is_of_several ? UNIT : 0,
                                          .number = i};
    return gs_text_sort_new(out, &options, st);
}

static gs_code upload(gs_text_sort *t, const gs_text_order *o, size_t begin, size_t end,
                      gs_status *st)
{
    uint64_t ticket = 0, done = 0;
    bool is_full = false;
    for (size_t at = begin, next; at < end; at = next) {
        next = record_at(o, at + BATCH / 2);
        next = next < end ? next : end;
        GS_TRY(
            gs_text_sort_upload(t, text + at, next - at, false, &is_full, &ticket, st));
        CHECK(!is_full);
    }
    return begin < end ? gs_text_sort_uploads_done(t, &ticket, &done, st) : GS_OK;
}

static gs_code fetch(gs_text_sort *t, uint64_t at, uint64_t length, uint8_t *to,
                     gs_status *st)
{
    for (uint64_t done = 0; done < length; done += FETCH) {
        const uint64_t left = length - done;
        GS_TRY(gs_text_sort_fetch_text(t, 0, at + done, left < FETCH ? left : FETCH,
                                       to + done, st));
        GS_TRY(gs_text_sort_fetch_wait(t, 0, st));
    }
    return GS_OK;
}

static void sort_as_one(const gs_text_order *order)
{
    gs_status st = {.code = GS_OK};
    gs_text_sort *t = NULL;
    gs_text_result result;
    REQUIRE_OK(new_chunk(&t, order, 0, false, &st), &st);
    REQUIRE_OK(upload(t, order, 0, bytes, &st), &st);
    REQUIRE_OK(gs_text_sort_run(t, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, &st), &st);
    CHECK(result.bytes == bytes);
    REQUIRE_OK(fetch(t, 0, bytes, want, &st), &st);
    gs_text_sort_free(t);
}

static gs_code fetch_stretches(gs_text_sort *const *chunks, gs_status *st)
{
    uint64_t next[CHUNKS] = {0}, at = 0;
    for (size_t i = 0; i < stretches.count; i++) {
        const gs_text_stretch *const s = &stretches.all[i];
        REQUIRE(at + s->bytes <= bytes);
        GS_TRY(fetch(chunks[s->chunk], next[s->chunk], s->bytes, got + at, st));
        next[s->chunk] += s->bytes;
        at += s->bytes;
    }
    CHECK(at == bytes);
    return GS_OK;
}

static gs_code sort_together(gs_text_sort **chunks, const gs_text_order *order,
                             gs_text_sharing sharing, bool *fits, gs_status *st)
{
    gs_text_exchange_options options = make_sample(order);
    options.sharing = sharing;
    for (unsigned i = 0; i < CHUNKS; i++) {
        GS_TRY(new_chunk(&chunks[i], order, i, true, st));
        GS_TRY(upload(chunks[i], order, record_at(order, bytes / CHUNKS * i),
                      i + 1 < CHUNKS ? record_at(order, bytes / CHUNKS * (i + 1)) : bytes,
                      st));
    }
    GS_TRY(gs_text_exchange(chunks, CHUNKS, &options, &stretches, fits, st));
    if (!*fits)
        return GS_OK;
    for (unsigned i = 0; i < CHUNKS; i++) {
        gs_text_result result;
        GS_TRY(
            gs_text_sort_run(chunks[i], GS_TEXT_OUTPUT, false, UINT64_MAX, &result, st));
    }
    return fetch_stretches(chunks, st);
}

static gs_code try_together(const gs_text_order *order, gs_text_sharing sharing,
                            bool *fits, gs_status *st)
{
    gs_text_sort *chunks[CHUNKS] = {NULL};
    *fits = false;
    memset(got, 0xa5, bytes);
    GS_NOTED(sort_together(chunks, order, sharing, fits, st));
    for (unsigned i = 0; i < CHUNKS; i++)
        gs_text_sort_free(chunks[i]);
    return st->code;
}

/* What a sharing promises beside the order. */
static bool is_as_promised(gs_text_sharing sharing)
{
    switch (sharing) {
    case GS_SHARE_BALANCED: return true; /* many stretches are no promise */
    case GS_SHARE_ONE_EACH:
        for (size_t i = 0; i < stretches.count; i++)
            if (stretches.all[i].chunk != i)
                return false;
        return stretches.count <= CHUNKS;
    case GS_SHARE_COUNT: break;
    }
    return false;
}

static void is_the_same(unsigned o, unsigned shape, uint64_t count)
{
    const gs_text_order order = make_order(o);
    make_text(o, shape, count);
    sort_as_one(&order);
    for (int sharing = 0; sharing < GS_SHARE_COUNT; sharing++) {
        gs_status st = {.code = GS_OK};
        bool fits = false;
        const int before = check_failures;
        REQUIRE_OK(try_together(&order, (gs_text_sharing)sharing, &fits, &st), &st);
        CHECK(fits);
        CHECK(!fits || memcmp(want, got, bytes) == 0);
        CHECK(!fits || is_as_promised((gs_text_sharing)sharing));
        if (check_failures > before)
            fprintf(stderr, "order %u, shape %u, %llu records, sharing %d\n", o, shape,
                    (unsigned long long)count, sharing);
    }
}

/* Every call fails once: an error, or nothing was done; never other bytes. */
static void calls_fail(void)
{
    const gs_text_order order = make_order(NUMBERS);
    make_text(NUMBERS, RANDOM, 20000);
    sort_as_one(&order);
    unsigned long failed = 0, nth = 1;
    for (; nth < FAULTS_MAX; nth += 1 + nth / 8) {
        gs_status st = {.code = GS_OK};
        bool fits = false;
        gs_fault_arm(nth % 3 == 0 ? GS_FAULT_LOST : GS_FAULT_LAUNCH, nth);
        const gs_code code = try_together(&order, false, &fits, &st);
        const bool is_over = gs_fault_calls() < nth;
        gs_fault_arm(GS_FAULT_NONE, 0);
        failed += code != GS_OK;
        CHECK(code != GS_OK || !fits || memcmp(want, got, bytes) == 0);
        if (is_over)
            break;
    }
    CHECK(failed > 20);
    printf("%lu of the calls up to %lu failed\n", failed, nth);
}

/* Too few records, and a sample that is none, are told. */
static void refusals(void)
{
    gs_status st = {.code = GS_OK};
    bool fits = true;
    const gs_text_order order = make_order(LINES);
    make_text(LINES, RANDOM, 10);
    REQUIRE_OK(try_together(&order, false, &fits, &st), &st);
    CHECK(!fits);
}

int main(int argc, char **argv)
{
    const bool few = argc > 1 && strcmp(argv[1], "--few") == 0;
    device_count = gs_device_count();
    if (device_count == 0) {
        puts("skipped: no GPU");
        return 77;
    }
    const size_t most = (size_t)64 << 20;
    text = malloc(most);
    want = malloc(most);
    got = malloc(most);
    sample = malloc(FETCH);
    REQUIRE(text && want && got && sample);
    for (unsigned o = 0; o < ORDERS; o++)
        for (unsigned shape = 0; shape < SHAPES; shape++) {
            if (few && (o + shape) % 4 != 0)
                continue;
            is_the_same(o, shape, 30000);
            if (!few)
                is_the_same(o, shape, 200000);
        }
    refusals();
    if (!few)
        calls_fail();
    free(text);
    free(want);
    free(got);
    free(sample);
    return check_result();
}
