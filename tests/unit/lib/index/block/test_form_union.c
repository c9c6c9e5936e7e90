/* SPDX-License-Identifier: MIT */
/*
 * form_union: the terms of several lists must come together as a plain sort of them all
 * gives them, and each must have its rank there, for any number of threads and lists: a
 * rank that is wrong puts postings into another term's list. Lists that are empty, that
 * are the same, that have nothing in common; terms of which one begins another; memory
 * that fails at every point.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/block/form_union.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { LISTS_MAX = 4, TERMS_MAX = 3000, TERM_ROOM = 24, THREADS_MAX = 3 };

/* Padded with zeros, which no term has. */
typedef struct term {
    char bytes[TERM_ROOM];
} term;

typedef struct list {
    term terms[TERMS_MAX];
    uint64_t places[TERMS_MAX];
    uint8_t bytes[TERMS_MAX * TERM_ROOM + 16];
    gs_form_list forms;
} list;

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static size_t sort_distinct(term *terms, size_t count)
{
    size_t n = 0;
    qsort(terms, count, sizeof *terms, compare);
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || strcmp(terms[n - 1].bytes, terms[i].bytes) != 0)
            terms[n++] = terms[i];
    }
    return n;
}

/* The `first` byte, if any, keeps lists apart. */
static void make_list(list *l, size_t wanted, char first, uint64_t *seed)
{
    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < wanted; i++) {
        char *to = l->terms[i].bytes;
        if (first != '\0')
            *to++ = first;
        for (uint64_t n = 1 + check_random(seed) % (TERM_ROOM - 8); n > 0; n--)
            *to++ = "ab\xc3"[check_random(seed) % 3];
    }
    const size_t count = sort_distinct(l->terms, wanted);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(l->terms[i].bytes);
        memcpy(l->bytes + used, l->terms[i].bytes, n);
        l->places[i] = (uint64_t)used << GS_WORD_TERM_BITS | n;
        used += gs_form_padded(n);
    }
    l->forms = (gs_form_list){count, l->bytes, l->places};
}

static bool is_term(const gs_form_list *forms, size_t index, const term *wanted)
{
    const size_t n = strlen(wanted->bytes);
    return gs_form_length(forms, index) == n &&
           memcmp(forms->bytes + gs_form_place(forms, index), wanted->bytes, n) == 0;
}

static void check_union(const list *lists, size_t count, const gs_form_union *got)
{
    static term all[LISTS_MAX * TERMS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(all + n, lists[i].terms, lists[i].forms.count * sizeof *all);
        n += lists[i].forms.count;
    }
    n = sort_distinct(all, n);
    REQUIRE(got->list.count == n);
    for (size_t i = 0; i < n; i++)
        CHECK(is_term(&got->list, i, &all[i]));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < lists[i].forms.count; k++) {
            const uint32_t rank = got->ranks[i][k];
            CHECK(rank < n && strcmp(all[rank].bytes, lists[i].terms[k].bytes) == 0);
        }
    }
}

static void unite(const list *lists, size_t count, gs_team *team)
{
    gs_status st = {.code = GS_OK};
    gs_form_union got = {.memory = NULL};
    const gs_form_list *forms[LISTS_MAX];
    uint64_t terms = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        forms[i] = &lists[i].forms;
        terms += lists[i].forms.count;
        for (size_t k = 0; k < lists[i].forms.count; k++)
            bytes += gs_form_padded(gs_form_length(&lists[i].forms, k));
    }
    REQUIRE_OK(gs_form_union_make(&got, forms, count, team, &st), &st);
    check_union(lists, count, &got);
    CHECK(got.memory_bytes + got.rank_bytes <= gs_form_union_bytes(terms, bytes));
    gs_form_union_forget_ranks(&got);
    CHECK(got.ranks == NULL && got.rank_bytes == 0);
    gs_form_union_release(&got);
    CHECK(got.memory == NULL);
}

/* With no memory at the N-th request it fails, and holds none. */
static void fail_all(const list *lists, size_t count, gs_team *team)
{
    const gs_form_list *forms[LISTS_MAX];
    for (size_t i = 0; i < count; i++)
        forms[i] = &lists[i].forms;
    for (uint64_t nth = 1;; nth++) {
        gs_status st = {.code = GS_OK};
        gs_form_union got = {.memory = NULL};
        const size_t before = gs_mem_held_bytes();
        gs_mem_fail_nth(nth);
        GS_NOTED(gs_form_union_make(&got, forms, count, team, &st));
        const bool has_failed = gs_mem_fail_left() == 0;
        gs_mem_fail_nth(0);
        CHECK(st.code == (has_failed ? GS_ERR_NOMEM : GS_OK));
        gs_form_union_release(&got);
        CHECK(gs_mem_held_bytes() == before);
        if (!has_failed)
            return;
    }
}

int main(void)
{
    static list lists[LISTS_MAX];
    uint64_t seed = check_seed(31);
    gs_status st = {.code = GS_OK};
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        gs_team *team = NULL;
        REQUIRE_OK(gs_team_new(&team, threads, &st), &st);
        for (size_t count = 1; count <= LISTS_MAX; count++) {
            for (unsigned round = 0; round < 12; round++) {
                for (size_t i = 0; i < count; i++) {
                    const size_t most = round % 3 == 0 ? TERMS_MAX : 5;
                    make_list(&lists[i], check_random(&seed) % (most + 1),
                              round % 4 == 3 ? (char)('d' - (char)i) : '\0', &seed);
                }
                if (round == 5)
                    make_list(&lists[0], 0, '\0', &seed);
                if (round == 6 && count > 1) {
                    uint64_t same = seed, again = seed;
                    make_list(&lists[0], TERMS_MAX, '\0', &same);
                    make_list(&lists[1], TERMS_MAX, '\0', &again);
                }
                unite(lists, count, team);
            }
            fail_all(lists, count, team);
        }
        gs_team_free(team);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
