/* SPDX-License-Identifier: MIT */
/*
 * list_shelf: lists put down in any order, of any length, must come back in the order of
 * their terms, whole and once, however many parts they are read in; a term that comes
 * twice, and a directory that is larger than it may be, must be refused.
 */
#include "lib/index/exchange/list_shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { LISTS_MAX = 2000, PARTS_MAX = 9, BATCH_MAX = GS_POSTINGS_MAX };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* A list is its number: the term, how many postings, and these follow from it. */
static size_t term_of(unsigned list, char *to, size_t capacity)
{
    const int bytes = snprintf(to, capacity, "%06u", list);
    const size_t more = list % 50 == 7 ? 3000 : list % 7;
    memset(to + bytes, 'x', more);
    return (size_t)bytes + more;
}

static uint64_t count_of(unsigned list)
{
    return list % 97 == 5 ? 40000 + list : 1 + list % 11;
}

static uint64_t doc_of(unsigned list, uint64_t posting)
{
    return list % 3 + posting * (1 + list % 5) * (list % 13 == 2 ? 100000 : 1);
}

static uint32_t tf_of(unsigned list, uint64_t posting)
{
    return (uint32_t)(1 + (list * 31 + posting) % (list % 17 == 1 ? UINT32_MAX : 9));
}

static gs_code put_list(gs_list_shelf *s, unsigned list, gs_status *st)
{
    char term[4096];
    uint64_t docs[BATCH_MAX];
    uint32_t tfs[BATCH_MAX];
    GS_TRY(gs_list_shelf_term(s, term, term_of(list, term, sizeof term), st));
    for (uint64_t at = 0; at < count_of(list);) {
        const uint64_t left = count_of(list) - at;
        const size_t n = (size_t)below(BATCH_MAX) + 1;
        const size_t count = left < n ? (size_t)left : n;
        for (size_t i = 0; i < count; i++) {
            docs[i] = doc_of(list, at + i);
            tfs[i] = tf_of(list, at + i);
        }
        GS_TRY(gs_list_shelf_postings(s, docs, tfs, count, st));
        at += count;
    }
    return gs_list_shelf_end(s, st);
}

static gs_code fill(gs_list_shelf *s, const unsigned *lists, size_t count, gs_status *st)
{
    GS_TRY(gs_list_shelf_open(s, ".", st));
    for (size_t i = 0; i < count; i++)
        GS_TRY(put_list(s, lists[i], st));
    return GS_OK;
}

static gs_code check_list(gs_shelf_reader *r, unsigned list, gs_status *st)
{
    uint64_t docs[BATCH_MAX], at = 0;
    uint32_t tfs[BATCH_MAX];
    for (size_t count;; at += count) {
        GS_TRY(gs_shelf_reader_postings(r, docs, tfs, 1 + below(BATCH_MAX), &count, st));
        for (size_t i = 0; i < count; i++)
            CHECK(docs[i] == doc_of(list, at + i) && tfs[i] == tf_of(list, at + i));
        if (count == 0)
            break;
    }
    CHECK(at == count_of(list));
    return GS_OK;
}

/* Reads a part; the lists are 0, 1, 2 ... over all parts. */
static gs_code check_part(const gs_list_shelf *s, unsigned part, unsigned *next,
                          gs_status *st)
{
    gs_shelf_reader r = {0};
    if (gs_shelf_reader_open(&r, s, part, st) == GS_OK) {
        for (;; ++*next) {
            char wanted[4096];
            const uint8_t *term;
            size_t bytes;
            if (gs_shelf_reader_term(&r, &term, &bytes, st) != GS_OK || bytes == 0)
                break;
            CHECK(bytes == term_of(*next, wanted, sizeof wanted));
            CHECK(memcmp(term, wanted, bytes) == 0);
            if (check_list(&r, *next, st) != GS_OK)
                break;
        }
    }
    gs_shelf_reader_close(&r);
    return st->code;
}

static void shuffle(unsigned *lists, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)below(i);
        const unsigned list = lists[i - 1];
        lists[i - 1] = lists[k];
        lists[k] = list;
    }
}

static void come_back(void)
{
    static unsigned lists[LISTS_MAX];
    for (unsigned round = 0; round < check_often(160); round++) {
        gs_list_shelf s = {0};
        gs_status st = {.code = GS_OK};
        const size_t count = round < 3 ? round : (size_t)below(LISTS_MAX);
        const unsigned parts = 1 + (unsigned)below(PARTS_MAX);
        for (size_t i = 0; i < count; i++)
            lists[i] = (unsigned)i;
        if (round % 2)
            shuffle(lists, count);
        if (round % 5 == 4)
            gs_mem_fail_nth(1 + below(12));
        unsigned next = 0;
        if (fill(&s, lists, count, &st) == GS_OK &&
            gs_list_shelf_arrange(&s, "x", parts, SIZE_MAX, &st) == GS_OK) {
            for (unsigned part = 0; part < parts && st.code == GS_OK; part++)
                GS_NOTED(check_part(&s, part, &next, &st));
        }
        gs_mem_fail_nth(0);
        CHECK(st.code == GS_OK ? next == count
                               : st.code == GS_ERR_NOMEM && round % 5 == 4);
        gs_list_shelf_close(&s);
    }
}

static void refused(void)
{
    static const unsigned twice[] = {3, 1, 2, 3}, disordered[] = {2, 1, 3};
    gs_list_shelf s = {0};
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(fill(&s, twice, 4, &st), &st);
    CHECK(gs_list_shelf_arrange(&s, "x", 1, SIZE_MAX, &st) == GS_ERR_FORMAT);
    CHECK(strcmp(st.msg, "x: two posting lists have the term '000003xxx'") == 0);
    gs_list_shelf_close(&s);
    gs_status_clear(&st);
    REQUIRE_OK(fill(&s, disordered, 3, &st), &st);
    CHECK(gs_list_shelf_arrange(&s, "x", 1, 100, &st) == GS_ERR_LIMIT);
    gs_list_shelf_close(&s);
}

int main(void)
{
    state = check_seed(3);
    come_back();
    refused();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
