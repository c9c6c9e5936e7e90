/* SPDX-License-Identifier: MIT */
/*
 * gpusort_sort_strings against a merge sort that compares byte by byte: order, ties, both
 * directions, any number of threads, strings longer than an element can say, and what is
 * no array of strings.
 */
#define CHECK_STARTS_THREADS

#include "lib/gpusort.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

typedef struct strings {
    uint8_t *text;
    uint64_t *offsets, *want, *spare, *got;
    size_t count;
    bool is_backwards;
} strings;

static int compare(const strings *s, uint64_t a, uint64_t b)
{
    const size_t a_bytes = (size_t)(s->offsets[a + 1] - s->offsets[a]);
    const size_t b_bytes = (size_t)(s->offsets[b + 1] - s->offsets[b]);
    const int d = memcmp(s->text + s->offsets[a], s->text + s->offsets[b],
                         a_bytes < b_bytes ? a_bytes : b_bytes);
    const int order = d != 0 ? d : (a_bytes > b_bytes) - (a_bytes < b_bytes);
    return s->is_backwards ? -order : order;
}

static void merge_sort(const strings *s, uint64_t *list, uint64_t *spare, size_t count)
{
    if (count < 2)
        return;
    const size_t half = count / 2;
    merge_sort(s, list, spare, half);
    merge_sort(s, list + half, spare, count - half);
    memcpy(spare, list, half * sizeof *list);
    size_t a = 0, b = half, to = 0;
    while (a < half)
        list[to++] =
            b < count && compare(s, spare[a], list[b]) > 0 ? list[b++] : spare[a++];
}

/* Draws `count` strings of up to bytes_max bytes out of few letters. */
static strings draw(size_t count, size_t bytes_max, unsigned letters, uint64_t *seed)
{
    strings s = {.count = count};
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_new(&s.text, count * bytes_max + 1, "text", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&s.offsets, count + 1, sizeof *s.offsets, "s", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&s.want, count + 1, sizeof *s.want, "s", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&s.spare, count + 1, sizeof *s.spare, "s", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&s.got, count + 1, sizeof *s.got, "s", &st), &st);
    s.offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = check_random(seed) % (bytes_max + 1);
        for (size_t k = 0; k < bytes; k++)
            s.text[s.offsets[i] + k] = (uint8_t)(check_random(seed) % letters * 83);
        s.offsets[i + 1] = s.offsets[i] + bytes;
    }
    /* Nothing behind the last string is the caller's. */
    REQUIRE_OK(
        gs_mem_resize(&s.text, s.offsets[count] + (s.offsets[count] == 0), "text", &st),
        &st);
    return s;
}

static void drop(strings *s)
{
    gs_mem_free(s->text);
    gs_mem_free(s->offsets);
    gs_mem_free(s->want);
    gs_mem_free(s->spare);
    gs_mem_free(s->got);
}

/* The strings themselves, by the order that is wanted. */
static void check_text(const strings *s, const gpusort_job *job)
{
    gs_status st = {.code = GS_OK};
    const size_t bytes = (size_t)s->offsets[s->count];
    uint8_t *text = NULL;
    uint64_t *offsets = NULL;
    REQUIRE_OK(gs_mem_new(&text, bytes + 1, "text", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&offsets, s->count + 1, sizeof *offsets, "s", &st), &st);
    text[bytes] = 0xa5;
    offsets[0] = 77;
    CHECK(gpusort_sorted_strings(s->text, s->offsets, s->count,
                                 s->is_backwards ? GPUSORT_REVERSE : 0, text, offsets,
                                 job, NULL) == GPUSORT_OK);
    CHECK(offsets[0] == 0 && offsets[s->count] == bytes && text[bytes] == 0xa5);
    for (size_t i = 0; i < s->count; i++) {
        const uint8_t *const from = s->text + s->offsets[s->want[i]];
        const size_t n = (size_t)(s->offsets[s->want[i] + 1] - s->offsets[s->want[i]]);
        REQUIRE(offsets[i + 1] - offsets[i] == n);
        CHECK(n == 0 || memcmp(text + offsets[i], from, n) == 0);
    }
    gs_mem_free(text);
    gs_mem_free(offsets);
}

static void check_sorts(strings *s)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    for (unsigned way = 0; way < 8; way++) {
        const gpusort_job job = {.threads = way / 2};
        s->is_backwards = way % 2 == 1;
        for (size_t i = 0; i < s->count; i++)
            s->want[i] = i;
        merge_sort(s, s->want, s->spare, s->count);
        memset(s->got, 0xff, s->count * sizeof *s->got);
        CHECK(gpusort_sort_strings(s->text, s->offsets, s->count,
                                   s->is_backwards ? GPUSORT_REVERSE : 0, s->got,
                                   way < 2 ? NULL : &job, &error) == GPUSORT_OK);
        CHECK(memcmp(s->got, s->want, s->count * sizeof *s->got) == 0);
        check_text(s, way < 2 ? NULL : &job);
    }
    drop(s);
}

static void strings_of_all_kinds(uint64_t *seed)
{
    static const size_t counts[] = {0, 1, 2, 3, 100, 5000, 60000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        strings few = draw(counts[i], 4, 2, seed), many = draw(counts[i], 40, 4, seed);
        check_sorts(&few);
        check_sorts(&many);
    }
    strings empty = draw(3000, 0, 1, seed), zeros = draw(3000, 30, 1, seed);
    check_sorts(&empty);
    check_sorts(&zeros);
}

/* Some are as long as the length in an element, which then says that it stands apart. */
static void long_strings(void)
{
    enum { LONG = (1 << 24) - 1, COUNT = 6 };
    const size_t bytes[COUNT] = {LONG - 1, LONG, 5, LONG + 1, LONG, 0};
    strings s = {.count = COUNT};
    gs_status st = {.code = GS_OK};
    uint64_t offsets[COUNT + 1] = {0}, want[COUNT], spare[COUNT], got[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        offsets[i + 1] = offsets[i] + bytes[i];
    REQUIRE_OK(gs_mem_new(&s.text, offsets[COUNT], "text", &st), &st);
    memset(s.text, 'x', offsets[COUNT]);
    s.text[offsets[2] - 1] = 'a';
    s.offsets = offsets;
    for (unsigned back = 0; back < 2; back++) {
        const gpusort_job job = {.threads = 2};
        s.is_backwards = back == 1;
        for (size_t i = 0; i < COUNT; i++)
            want[i] = i;
        merge_sort(&s, want, spare, COUNT);
        CHECK(gpusort_sort_strings(s.text, offsets, COUNT, back ? GPUSORT_REVERSE : 0,
                                   got, &job, NULL) == GPUSORT_OK);
        CHECK(memcmp(got, want, sizeof got) == 0);
    }
    gs_mem_free(s.text);
}

static void mistakes_are_told(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const uint64_t offsets[] = {0, 3, 2, 4};
    uint64_t order[3];
    CHECK(gpusort_sort_strings("abcd", offsets, 3, 0, order, NULL, &error) ==
          GPUSORT_ARG);
    CHECK(strstr(error.message, "string 1 ends before it begins") != NULL);
    CHECK(gpusort_sort_strings("abcd", offsets, 1, GPUSORT_FOLD, order, NULL, NULL) ==
          GPUSORT_ARG);
    const int wants_none = 1;
    const gpusort_job job = {.cancel = &wants_none};
    CHECK(gpusort_sort_strings("abcd", offsets, 1, 0, order, &job, NULL) ==
          GPUSORT_CANCELLED);
}

int main(void)
{
    uint64_t seed = check_seed(41);
    strings_of_all_kinds(&seed);
    long_strings();
    mistakes_are_told();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
