/* SPDX-License-Identifier: MIT */
/*
 * Twins of a bucket: of random records, whose lengths lie around what an element's words
 * tell, exactly the first of each are left, in their order, with how many there are; more
 * than a head can count are more elements. What cannot have counts stays as it is, and so
 * do buckets behind one that had few twins.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/bucket/buckets.h"
#include "tests/check.h"

enum { DEPTH = 5, LENGTH_MAX = 64, RECORDS_MAX = 1 << 16 };

typedef struct fixture {
    uint8_t *text; /* heads and records */
    size_t bytes;
    gs_element *elements, *before;
    gs_near_bucket bucket;
    gs_record_layout layout;
} fixture;

static void open_fixture(fixture *f, bool is_backwards)
{
    *f =
        (fixture){.layout = {.has_eol = true, .eol = '\n', .is_backwards = is_backwards}};
    f->text = malloc((size_t)RECORDS_MAX * (LENGTH_MAX + 4) + 64);
    f->elements = malloc(RECORDS_MAX * sizeof *f->elements);
    f->before = malloc(RECORDS_MAX * sizeof *f->before);
    REQUIRE(f->text != NULL && f->elements != NULL && f->before != NULL);
}

static void close_fixture(fixture *f)
{
    free(f->text);
    free(f->elements);
    free(f->before);
}

static void clear(fixture *f)
{
    f->bytes = 0;
    f->bucket = (gs_near_bucket){.elements = f->elements,
                                 .arena = f->text,
                                 .heads = f->text,
                                 .depth = DEPTH,
                                 .has_next = true};
}

static void add(fixture *f, const uint8_t *string, size_t length)
{
    gs_element *const e = &f->elements[f->bucket.count++];
    const uint16_t head = (uint16_t)length;
    memcpy(f->text + f->bytes, &head, sizeof head);
    f->bytes += sizeof head;
    memcpy(f->text + f->bytes, string, length);
    f->text[f->bytes + length] = '\n';
    e->where = gs_where_pack(f->bytes, length);
    gs_tie_put_words(&f->layout, e, f->text + f->bytes, length, DEPTH);
    f->bytes += length + 1;
}

/* Strings that begin alike, share a long piece or differ in one byte only, of `kinds`
 * different tails. */
static void add_random(fixture *f, uint64_t *state, unsigned kinds)
{
    uint8_t string[LENGTH_MAX];
    const uint64_t kind = check_random(state) % kinds;
    uint64_t of_kind = kind;
    const size_t length = DEPTH + check_random(&of_kind) % (LENGTH_MAX - DEPTH + 1);
    memset(string, 'a', sizeof string);
    if (length > DEPTH)
        string[DEPTH + check_random(&of_kind) % (length - DEPTH)] = (uint8_t)kind;
    add(f, string, length);
}

static bool are_same(const fixture *f, const gs_element *a, const gs_element *b)
{
    const gs_record x = gs_record_at(&f->layout, f->text, a->where);
    const gs_record y = gs_record_at(&f->layout, f->text, b->where);
    return x.line_bytes == y.line_bytes && memcmp(x.line, y.line, x.line_bytes) == 0;
}

static gs_status find(fixture *f, gs_twin_search *search)
{
    gs_status st = {.code = GS_OK};
    memcpy(f->before, f->elements, f->bucket.count * sizeof *f->before);
    GS_NOTED(gs_twins_find(search, &f->bucket, &st));
    return st;
}

/* What is left, against all that there was. */
static void are_first_and_counted(const fixture *f, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (first < i && !are_same(f, &f->before[first], &f->before[i]))
            first++;
        if (first < i)
            continue;
        uint64_t times = 0;
        for (size_t k = i; k < count; k++)
            times += are_same(f, &f->before[i], &f->before[k]);
        REQUIRE(left < f->bucket.count);
        const gs_element *const e = &f->elements[left++];
        CHECK(e->where == f->before[i].where && e->prefix == f->before[i].prefix &&
              e->next == f->before[i].next);
        CHECK(gs_twins_count(f->text, e) == times);
    }
    CHECK(left == f->bucket.count);
}

static void all_are_found(fixture *f, uint64_t *state)
{
    static const unsigned kinds[] = {1, 2, 7, 60, 250, 1000};
    gs_twin_search search = {0};
    for (unsigned round = 0; round < 60; round++) {
        const size_t count = 16 + check_random(state) % 500;
        clear(f);
        for (size_t i = 0; i < count; i++)
            add_random(f, state, kinds[round % 6]);
        search.pause = search.left_of_pause = 0;
        const gs_status st = find(f, &search);
        REQUIRE_OK(st.code, &st);
        CHECK(f->bucket.has_twins);
        are_first_and_counted(f, count);
    }
    gs_twin_search_release(&search);
    CHECK(gs_mem_held_bytes() == 0);
}

static void heads_can_count_so_many(fixture *f)
{
    static const char text[] = "again and again, of more than the words";
    gs_twin_search search = {0};
    clear(f);
    for (size_t i = 0; i < RECORDS_MAX; i++)
        add(f, (const uint8_t *)text, strlen(text));
    const gs_status st = find(f, &search);
    REQUIRE_OK(st.code, &st);
    CHECK(f->bucket.count == 2);
    CHECK(gs_twins_count(f->text, &f->elements[0]) == UINT16_MAX);
    CHECK(gs_twins_count(f->text, &f->elements[1]) == RECORDS_MAX - UINT16_MAX);
    CHECK(f->elements[1].where > f->elements[0].where);
    gs_twin_search_release(&search);
}

static void stays(fixture *f, gs_twin_search *search)
{
    const size_t count = f->bucket.count;
    const gs_status st = find(f, search);
    REQUIRE_OK(st.code, &st);
    CHECK(!f->bucket.has_twins && f->bucket.count == count);
    CHECK(memcmp(f->before, f->elements, count * sizeof *f->before) == 0);
}

static void others_stay(fixture *f)
{
    gs_twin_search search = {0};
    clear(f);
    for (size_t i = 0; i < 100; i++)
        add(f, (const uint8_t *)"same string", 11);
    f->bucket.heads = NULL;
    stays(f, &search);
    f->bucket.heads = f->text;
    f->bucket.has_next = false;
    stays(f, &search);
    f->bucket.has_next = f->bucket.is_settled = true;
    stays(f, &search);
    f->bucket.is_settled = false;
    f->bucket.count = 3;
    stays(f, &search);
    gs_twin_search_release(&search);
}

/* Buckets without twins, each looked at less often than the one before. */
static void few_are_left_alone(fixture *f)
{
    gs_twin_search search = {0};
    unsigned looked = 0;
    for (unsigned round = 0; round < 1000; round++) {
        uint8_t string[DEPTH + 4] = "begin";
        clear(f);
        for (uint32_t i = 0; i < 64; i++) {
            memcpy(string + DEPTH, &i, sizeof i);
            add(f, string, sizeof string);
        }
        const gs_status st = find(f, &search);
        REQUIRE_OK(st.code, &st);
        CHECK(f->bucket.count == 64);
        looked += f->bucket.has_twins;
    }
    CHECK(looked > 10 && looked < 40);
    gs_twin_search_release(&search);
}

int main(void)
{
    fixture f;
    uint64_t state = check_seed(11);
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        open_fixture(&f, backwards == 1);
        all_are_found(&f, &state);
        heads_can_count_so_many(&f);
        others_stay(&f);
        few_are_left_alone(&f);
        close_fixture(&f);
    }
    return check_result();
}
