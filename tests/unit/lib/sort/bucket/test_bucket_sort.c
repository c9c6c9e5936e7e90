/* SPDX-License-Identifier: MIT */
/*
 * bucket_split and tie_sort: together they must put any strings in byte order, stably,
 * forwards and backwards. What would break: strings that end inside a prefix, NULs, long
 * shared beginnings, one string many times.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/bucket/bucket_split.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/bucket/tie_sort.h"
#include "tests/check.h"

enum { COUNT = 600000, ARENA = 64 << 20, SHAPES = 11, LONG_SHAPES = 9 };

static uint8_t *arena;
static gs_element *elements, *scratch;
static uint16_t *ids;
static gs_record_layout layout;
static size_t made; /* strings of the last shape, in this sort */

static size_t make_string(unsigned shape, uint64_t r, uint8_t *to)
{
    static const char url[] = "https://www.example.org/a/rather/long/path/";
    switch (shape) {
    case 0: /* short, over a small alphabet with NUL and 0xff */
        for (size_t i = 0; i < r % 12; i++)
            to[i] = (uint8_t) "\0\1a\xff"[(r >> (8 + 2 * i)) & 3];
        return r % 12;
    case 1: /* one string, many times, and few others */
        return (size_t)sprintf((char *)to, r % 50 ? "the" : "the%u", (unsigned)(r % 97));
    case 2: /* long shared beginnings */
        return (size_t)sprintf((char *)to, "%s%s/%u", url, r & 1 ? "x" : url,
                               (unsigned)(r >> 40));
    case 3: /* random */
        memcpy(to, &r, sizeof r);
        memcpy(to + 8, &r, sizeof r);
        return r % 17;
    case 4: /* runs of one byte, of every length around the symbol sizes */
        memset(to, 'a', 40);
        return (r >> 8) % 40;
    case 5: /* numbers */
        return (size_t)sprintf((char *)to, "%llu", (unsigned long long)(r >> 44));
    case 6: /* all equal */ return (size_t)sprintf((char *)to, "%s", url);
    case 7: /* NULs only */ memset(to, 0, 40); return r % 40;
    case 9: /* each begins the longer ones */ memset(to, 'a', 1000); return r % 1000;
    case 10: /* the same, and one of the long ones many times */
        memset(to, 'a', 1000);
        return r % 3 ? 990 : (r >> 8) % 1000;
    default: /* the first few agree further than the rest */
        memset(to, 'p', 27);
        if (made++ >= 40)
            memcpy(to + 24, (uint8_t *)&r + 5, 3);
        memcpy(to + 27, &r, sizeof r);
        return 35;
    }
}

static int compare(const void *a, const void *b)
{
    const gs_element *const x = a, *const y = b;
    const gs_record r = gs_record_at(&layout, arena, x->where);
    const gs_record s = gs_record_at(&layout, arena, y->where);
    int d = gs_string_compare(r.string, r.string_bytes, s.string, s.string_bytes, 0);
    if (layout.is_backwards)
        d = -d;
    return d ? d : (x->where > y->where) - (x->where < y->where);
}

static void sorts(unsigned shape, size_t count, bool is_backwards, bool gives_back,
                  unsigned workers, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    layout = (gs_record_layout){.is_backwards = is_backwards};
    size_t used = 0;
    made = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = make_string(shape, check_random(state), arena + used);
        elements[i].where = gs_where_pack(used, n);
        gs_tie_load(&layout, arena, &elements[i], 0);
        used += n + 1; /* no two records at one place */
        REQUIRE(used + 1024 < ARENA);
    }
    gs_team *team = NULL;
    REQUIRE_OK(gs_team_new(&team, workers, &st), &st);
    const gs_bucket_split split = {.layout = &layout,
                                   .arena = arena,
                                   .elements = elements,
                                   .scratch = scratch,
                                   .bucket_ids = ids,
                                   .element_count = count,
                                   .bucket_elements = GS_BUCKET_ELEMENTS / 8,
                                   .gives_back = gives_back,
                                   .is_tight = gives_back};
    gs_bucket_scratch beside = {0};
    if (gives_back) {
        beside.capacity = gs_bucket_scratch_capacity(&split);
        REQUIRE_OK(gs_mem_new(&beside.elements, beside.capacity * sizeof *beside.elements,
                              "scratch elements", &st),
                   &st);
    }
    gs_bucket_list list = {0};
    REQUIRE_OK(gs_bucket_split_run(&split, team, &list, &st), &st);
    size_t at = 0, wrong = 0, largest = 0;
    gs_element last = {0};
    for (size_t b = 0; b < list.count; b++) {
        const gs_bucket *const bucket = &list.buckets[b];
        CHECK(bucket->begin == at);
        largest = bucket->count > largest ? bucket->count : largest;
        const gs_near_bucket near = gs_bucket_near(&split, bucket);
        gs_near_bucket_sort(&near, &layout, &beside);
        const gs_element *const e =
            (bucket->is_in_scratch ? scratch : elements) + bucket->begin;
        CHECK(near.elements == e);
        for (size_t i = 0; i < bucket->count; i++) {
            wrong += at + i > 0 && compare(&last, &e[i]) >= 0;
            last = e[i];
        }
        at += bucket->count;
    }
    if (wrong != 0)
        fprintf(stderr, "shape %u count %zu backwards %d: %zu wrong\n", shape, count,
                is_backwards, wrong);
    CHECK(at == count && wrong == 0);
    if (shape == 9) /* one thread does not get them all */
        CHECK(largest <= gs_bucket_scratch_capacity(&split));
    gs_mem_free(beside.elements);
    gs_bucket_list_release(&list);
    gs_team_free(team);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    uint64_t state = check_seed(7);
    REQUIRE_OK(gs_mem_map(&memory, ARENA, false, "arena", &st), &st);
    arena = memory;
    REQUIRE_OK(gs_mem_map(&memory, COUNT * sizeof *elements, false, "elements", &st),
               &st);
    elements = memory;
    REQUIRE_OK(gs_mem_new(&memory, COUNT * sizeof *scratch, "scratch", &st), &st);
    scratch = memory;
    REQUIRE_OK(gs_mem_new(&memory, COUNT * sizeof *ids, "ids", &st), &st);
    ids = memory;
    for (unsigned shape = 0; shape < SHAPES; shape++) {
        const size_t count = check_often(COUNT) / (shape < LONG_SHAPES ? 1 : 8);
        for (unsigned backwards = 0; backwards < 2; backwards++) {
            sorts(shape, 0, backwards, false, 1, &state);
            sorts(shape, 1, backwards, true, 1, &state);
            sorts(shape, 5000, backwards, shape % 2 != 0, 1, &state);
            sorts(shape, count, backwards, false, 3, &state);
            sorts(shape, count, backwards, true, 3, &state);
        }
    }
    gs_mem_free(ids);
    gs_mem_free(scratch);
    gs_mem_unmap(elements, COUNT * sizeof *elements);
    gs_mem_unmap(arena, ARENA);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
