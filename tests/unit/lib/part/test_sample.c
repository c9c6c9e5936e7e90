/* SPDX-License-Identifier: MIT */
/*
 * sample: a pick that keeps other records than those with the least ranks, or their bytes
 * wrongly; places that miss records, offer them twice, or prefer some of them.
 */
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/part/sample_pick.h"
#include "lib/part/sample_places.h"
#include "tests/check.h"

typedef struct offered {
    uint64_t rank, input, offset;
    char text[64];
    size_t bytes;
} offered;

static int by_rank(const void *a, const void *b)
{
    const offered *const x = a, *const y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static const offered *find(const offered *all, size_t count, const gs_sampled *r)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i].input == r->input && all[i].offset == r->offset)
            return &all[i];
    }
    return NULL;
}

/* The N least ranks of all, by sorting all; in any order they are offered. */
static void keeps_the_least(void)
{
    enum { ALL = 700 };
    uint64_t state = check_seed(1);
    static offered all[ALL];
    gs_status st = {.code = GS_OK};
    for (unsigned round = 0; round < 40; round++) {
        const size_t count = 1 + check_random(&state) % (2 * ALL);
        gs_sample_pick p;
        gs_sample_pick_init(&p, count, check_random(&state), SIZE_MAX);
        for (size_t i = 0; i < ALL; i++) {
            offered *const o = &all[i];
            o->input = check_random(&state) % 3;
            o->offset = i * 5;
            o->rank = gs_sample_pick_rank(&p, o->input, o->offset);
            o->bytes = check_random(&state) % sizeof o->text;
            memset(o->text, (int)(i % 251), o->bytes);
            if (gs_sample_pick_wants(&p, o->rank))
                REQUIRE_OK(gs_sample_pick_add(&p, o->rank, o->input, o->offset,
                                              (const uint8_t *)o->text, o->bytes, &st),
                           &st);
        }
        CHECK(p.offered == ALL);
        gs_sample_pick_settle(&p);
        qsort(all, ALL, sizeof *all, by_rank);
        const size_t wanted = count < ALL ? count : ALL;
        REQUIRE(p.count == wanted);
        for (size_t i = 0; i < wanted; i++) {
            const gs_sampled *const r = &p.records[i];
            const offered *const o = find(all, wanted, r);
            REQUIRE(o != NULL);
            CHECK(r->bytes == o->bytes && memcmp(p.text + r->at, o->text, r->bytes) == 0);
            CHECK(i == 0 || r[-1].input < r->input || r[-1].offset < r->offset);
        }
        gs_sample_pick_release(&p);
    }
}

/* Memory follows what is kept, and not what was offered; beyond it there is an error. */
static void stays_within_its_memory(void)
{
    enum { KEPT = 20, TEXT = 1000 };
    static const uint8_t text[TEXT];
    gs_sample_pick p;
    gs_status st = {.code = GS_OK};
    gs_sample_pick_init(&p, KEPT, 1, 300 << 10);
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t rank = UINT64_MAX - i; /* each is kept, for a while */
        REQUIRE_OK(gs_sample_pick_add(&p, rank, 0, i, text, TEXT, &st), &st);
    }
    CHECK(p.count == KEPT && p.text_kept == KEPT * TEXT);
    CHECK(p.text_capacity <= 64 << 10);
    gs_sample_pick_release(&p);
    gs_sample_pick_init(&p, UINT64_MAX, 1, 300 << 10);
    for (uint64_t i = 0; i < 1000 && st.code == GS_OK; i++)
        GS_NOTED(gs_sample_pick_add(&p, i, 0, i, text, TEXT, &st));
    CHECK(st.code == GS_ERR_LIMIT && p.count < 300);
    gs_sample_pick_release(&p);
    for (size_t bytes = 0; bytes < 100; bytes += 3) { /* texts and records together */
        gs_status full = {.code = GS_OK};
        gs_sample_pick_init(&p, UINT64_MAX, 1, 900 << 10);
        for (uint64_t i = 0; gs_sample_pick_add(&p, i, 0, i, text, bytes, &full) == GS_OK;
             i++)
            REQUIRE(p.text_capacity + p.capacity * sizeof *p.records <= p.bytes_max);
        CHECK(full.code == GS_ERR_LIMIT);
        gs_sample_pick_release(&p);
    }
    CHECK(gs_mem_held_bytes() == 0);
}

typedef struct text_file {
    FILE *file;
    uint64_t begins[5000]; /* of its lines, and its end */
    size_t lines;
} text_file;

static void make_file(text_file *f, size_t lines, size_t length_max, bool has_last_eol,
                      uint64_t *state)
{
    uint64_t at = 0;
    f->file = tmpfile();
    REQUIRE(f->file != NULL);
    f->lines = lines;
    for (size_t i = 0; i < lines; i++) {
        const size_t length = (size_t)(check_random(state) % length_max);
        const bool has_eol = has_last_eol || i + 1 < lines;
        f->begins[i] = at;
        for (size_t j = 0; j + 1 < length; j++)
            (void)putc('a' + (int)(i % 26), f->file);
        if (!has_eol && length <= 1)
            (void)putc('z', f->file);
        at += (length > 1 ? length - 1 : !has_eol) + has_eol;
        if (has_eol)
            (void)putc('\n', f->file);
    }
    f->begins[lines] = at;
    REQUIRE(fflush(f->file) == 0);
}

static gs_sample_area area_of(const text_file *f, uint64_t input)
{
    return (gs_sample_area){.name = "file",
                            .fd = fileno(f->file),
                            .input = input,
                            .to = f->begins[f->lines],
                            .file_bytes = f->begins[f->lines]};
}

/* Two files cut anywhere into areas: all lines are offered, each once, and picked whole.
 */
static void areas_have_all_lines(void)
{
    uint64_t state = check_seed(2);
    gs_status st = {.code = GS_OK};
    static text_file f[2];
    for (unsigned round = 0; round < 12; round++) {
        gs_sample_area areas[4];
        size_t lines = 0, at = 0;
        for (uint64_t i = 0; i < 2; i++) {
            make_file(&f[i], 1 + check_random(&state) % 900,
                      round % 3 == 2 ? 20000 : 2 + check_random(&state) % 90, round % 2,
                      &state);
            areas[2 * i] = areas[2 * i + 1] = area_of(&f[i], i);
            areas[2 * i].to = check_random(&state) % (areas[2 * i].file_bytes + 1);
            areas[2 * i + 1].from = areas[2 * i].to;
            lines += f[i].lines;
        }
        const gs_sample_places places = {
            .areas = areas, .area_count = 4, .eol = '\n', .record_bytes_max = 1 << 20};
        gs_sample_pick p;
        gs_sample_pick_init(&p, 5000, round, SIZE_MAX);
        REQUIRE_OK(gs_sample_places_run(&places, &p, &st), &st);
        gs_sample_pick_settle(&p);
        REQUIRE(p.offered == lines && p.count == lines);
        for (size_t i = 0; i < 2; i++) {
            for (size_t j = 0; j < f[i].lines; j++, at++) {
                const gs_sampled *const r = &p.records[at];
                const uint64_t end = f[i].begins[j + 1];
                const bool has_eol = round % 2 || j + 1 < f[i].lines;
                CHECK(r->input == i && r->offset == f[i].begins[j]);
                CHECK(r->bytes == end - f[i].begins[j] - has_eol);
            }
            fclose(f[i].file);
        }
        gs_sample_pick_release(&p);
    }
}

/* Of a file of which some blocks are read, a line of 1 byte is picked as often as one of
 * 300, and one at the end as often as one at the beginning. */
static void every_line_has_the_same_chance(void)
{
    enum { LINES = 4800, SEEDS = 300, PICKED = 20, TENTHS = 10 };
    static text_file f;
    unsigned tenths[TENTHS] = {0}, shorts = 0, all = 0;
    gs_status st = {.code = GS_OK};
    f.file = tmpfile();
    REQUIRE(f.file != NULL);
    for (size_t i = 0; i < LINES; i++) {
        f.begins[i + 1] = f.begins[i] + (i % 2 ? 300 : 1) + 1;
        for (size_t j = 0; j < (i % 2 ? 300 : 1); j++)
            (void)putc(i % 2 ? 'l' : 's', f.file);
        (void)putc('\n', f.file);
    }
    f.lines = LINES;
    REQUIRE(fflush(f.file) == 0);
    const gs_sample_area area = area_of(&f, 0);
    const gs_sample_places places = {
        .areas = &area, .area_count = 1, .eol = '\n', .record_bytes_max = 1 << 20};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        gs_sample_pick p;
        gs_sample_pick_init(&p, PICKED, seed, SIZE_MAX);
        REQUIRE_OK(gs_sample_places_run(&places, &p, &st), &st);
        CHECK(p.count == PICKED && p.offered < LINES / 2);
        for (size_t i = 0; i < p.count; i++) {
            tenths[p.records[i].offset * TENTHS / area.to]++;
            shorts += p.records[i].bytes == 1;
            all++;
        }
        gs_sample_pick_release(&p);
    }
    CHECK(shorts > 0.47 * all && shorts < 0.53 * all);
    for (unsigned i = 0; i < TENTHS; i++)
        CHECK(tenths[i] > 0.08 * all && tenths[i] < 0.12 * all);
    fclose(f.file);
}

int main(void)
{
    keeps_the_least();
    stays_within_its_memory();
    areas_have_all_lines();
    every_line_has_the_same_chance();
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures > 0;
}
