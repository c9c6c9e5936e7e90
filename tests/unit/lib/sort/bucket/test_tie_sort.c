/* SPDX-License-Identifier: MIT */
/*
 * tie_sort, word_pack: whatever strings agree in, they come out as by qsort(), equal ones
 * in the order that they had, in both directions, with one word loaded and with two;
 * packed words compare as the words do.
 */
#include "lib/sort/bucket/tie_sort.h"

#include <stdlib.h>
#include <string.h>

#include "lib/sort/bucket/word_pack.h"
#include "tests/check.h"

enum { COUNT_MAX = 5000, STRING_MAX = 120, SLACK = 16, KINDS = 7 };

static gs_element elements[COUNT_MAX], scratch[COUNT_MAX], expected[COUNT_MAX];
static uint8_t arena[COUNT_MAX * STRING_MAX + SLACK];
static gs_record_layout layout;

/* Pieces of strings: some that are often alike, ends with zero bytes, all bits. */
static size_t make_string(uint8_t *to, unsigned kind, uint64_t *state)
{
    static const char *const pieces[] = {"include/config/", "a", "lib", "\xff",
                                         "-dev.so.6"};
    const size_t parts = check_random(state) % (kind < 2 ? 3 : 9);
    size_t bytes = 0;
    for (; kind == 6 && bytes < 2; bytes++) /* most are told apart by their prefixes */
        to[bytes] = (uint8_t)check_random(state);
    for (size_t i = 0; i < parts; i++) {
        const uint64_t r = check_random(state);
        const char *const piece = pieces[(kind % 2 == 0 ? r % 2 : r) % 5];
        if (kind == 4 && r % 4 == 0)
            to[bytes++] = 0;
        memcpy(to + bytes, piece, strlen(piece));
        bytes += strlen(piece);
        if (kind == 5)
            to[bytes++] = (uint8_t)(r >> 32);
    }
    return bytes;
}

static int compare(const void *a, const void *b)
{
    const gs_element *const x = a, *const y = b;
    const gs_record rx = gs_record_at(&layout, arena, x->where);
    const gs_record ry = gs_record_at(&layout, arena, y->where);
    const int d =
        gs_string_compare(rx.string, rx.string_bytes, ry.string, ry.string_bytes, 0);
    if (d != 0)
        return layout.is_backwards ? -d : d;
    return (x->where > y->where) - (x->where < y->where);
}

static void agrees_with_qsort(unsigned kind, size_t n, bool has_next, uint64_t *state)
{
    size_t at = 0;
    memset(arena, (int)check_random(state), sizeof arena); /* nobody is to see */
    for (size_t i = 0; i < n; i++) {
        const size_t bytes = make_string(arena + at, kind, state);
        elements[i].where = gs_where_pack(at, bytes);
        at += bytes + 1;
    }
    for (size_t i = 0; i < n; i++) {
        gs_tie_load(&layout, arena, &elements[i], 0);
        if (!has_next)
            elements[i].next = check_random(state);
        expected[i] = elements[i];
    }
    qsort(expected, n, sizeof *expected, compare);
    gs_tie_sort(&layout, arena, elements, scratch, n, 0, has_next);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += elements[i].where != expected[i].where;
    if (wrong != 0)
        fprintf(stderr, "kind %u, n %zu, next %d, backwards %d: %zu wrong\n", kind, n,
                has_next, layout.is_backwards, wrong);
    CHECK(wrong == 0);
}

/* Words of which only some bits differ. */
static void packed_words_compare(uint64_t *state)
{
    enum { N = 200 };
    gs_element before[N];
    const uint64_t shift = check_random(state) % 64;
    const uint64_t masks[2] = {check_random(state) & check_random(state),
                               check_random(state) & UINT64_MAX << shift};
    const uint64_t also[2] = {check_random(state), check_random(state)};
    const unsigned which = (unsigned)(check_random(state) % 4);
    for (size_t i = 0; i < N; i++) {
        const uint64_t few = check_random(state) % 16 * UINT64_C(0x1111111111111111);
        elements[i].prefix = which & 1 ? (few & masks[0]) | (also[0] & ~masks[0]) : 7;
        elements[i].next = which & 2 ? (check_random(state) & masks[1]) : also[1];
        elements[i].where = i;
        before[i] = elements[i];
    }
    const bool is_all = gs_words_pack(elements, N);
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            const gs_element *const x = &before[i], *const y = &before[j];
            const bool less =
                x->prefix < y->prefix || (x->prefix == y->prefix && x->next < y->next);
            const bool equal = x->prefix == y->prefix && x->next == y->next;
            const uint64_t p = elements[i].prefix, q = elements[j].prefix;
            wrong += p < q && !less;
            wrong += p == q && (is_all ? !equal : x->prefix != y->prefix);
            wrong += elements[i].next != x->next || elements[i].where != i;
        }
    }
    CHECK(wrong == 0);
}

int main(void)
{
    static const size_t counts[] = {1, 2, 5, 7, 24, 25, 65, 128, 129, 700, COUNT_MAX};
    uint64_t state = check_seed(20260102);
    for (unsigned i = 0; i < 300; i++)
        packed_words_compare(&state);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            layout = (gs_record_layout){
                .eol = '\n', .has_eol = true, .is_backwards = c % 2 == kind % 2};
            agrees_with_qsort(kind, counts[c], (c + kind) % 3 > 0, &state);
        }
    }
    return check_result();
}
