/* SPDX-License-Identifier: MIT */
/*
 * form_stems: each form must have the rank of its stem among all stems, as a word by word
 * comparison gives it, for any number of threads: a rank that is wrong puts postings into
 * another term's list. Forms whose stems sort otherwise than they do, forms that are
 * stems of others, one form; memory that fails at every point.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/block/form_stems.h"

#include <stdlib.h>

#include "gpu/words/word_block.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { FORMS_MAX = 6000, FORM_BYTES = 48, THREADS_MAX = 3 };

typedef struct world {
    gs_word_rules *rules;
    size_t count;
    char forms[FORMS_MAX][FORM_BYTES]; /* in order */
    char stems[FORMS_MAX][FORM_BYTES]; /* of each */
    uint64_t terms[FORMS_MAX];
    uint8_t bytes[FORMS_MAX * FORM_BYTES];
    size_t used;
    gs_form_list list;
} world;

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void make_forms(world *w, uint64_t *seed, size_t wanted)
{
    static const char *const ends[] = {"",     "s",       "ed",  "ing",
                                       "ly",   "er",      "ies", "ness",
                                       "less", "fulness", "'s4", "\xc3\xa9s"};
    for (size_t i = 0; i < wanted; i++) {
        char *to = w->forms[i];
        for (uint64_t n = 1 + check_random(seed) % 5; n > 0; n--)
            *to++ = "abeilnorst"[check_random(seed) % 10];
        const size_t end = check_random(seed) % (sizeof ends / sizeof *ends);
        (void)snprintf(to, 16, "%s", ends[end]);
    }
    qsort(w->forms, wanted, FORM_BYTES, compare);
    w->count = 0;
    for (size_t i = 0; i < wanted; i++) {
        if (w->count == 0 || strcmp(w->forms[w->count - 1], w->forms[i]) != 0)
            memmove(w->forms[w->count++], w->forms[i], FORM_BYTES);
    }
    w->used = 0;
    memset(w->bytes, 0, sizeof w->bytes);
    for (size_t i = 0; i < w->count; i++) {
        const size_t n = strlen(w->forms[i]);
        memcpy(w->bytes + w->used, w->forms[i], n);
        w->terms[i] = (uint64_t)w->used << GS_WORD_TERM_BITS | n;
        w->used += (n + GS_WORD_TERM_PAD - 1) / GS_WORD_TERM_PAD * GS_WORD_TERM_PAD;
    }
    w->list = (gs_form_list){w->count, w->bytes, w->terms};
}

static void find_stems(world *w)
{
    static uint8_t word[GS_TERM_BYTES_MAX + 1 + 2 * GS_TERM_PAD];
    gs_status st = {.code = GS_OK};
    gs_word_filter *filter = NULL;
    REQUIRE_OK(gs_word_filter_new(&filter, w->rules, true, &st), &st);
    for (size_t i = 0; i < w->count; i++) {
        const size_t n = strlen(w->forms[i]);
        memset(word, 0, FORM_BYTES + GS_TERM_PAD);
        memcpy(word, w->forms[i], n);
        const size_t bytes = gs_word_filter_apply(filter, word, n, 0);
        REQUIRE(bytes > 0 && bytes < FORM_BYTES);
        memcpy(w->stems[i], word, bytes);
        w->stems[i][bytes] = '\0';
    }
    gs_word_filter_free(filter);
}

static bool is_stem(const gs_form_list *stems, size_t rank, const char *wanted)
{
    const size_t n = strlen(wanted);
    return (stems->terms[rank] & UINT16_MAX) == n &&
           memcmp(stems->bytes + (stems->terms[rank] >> GS_WORD_TERM_BITS), wanted, n) ==
               0;
}

static void check_stems(const world *w, const gs_form_stems *got)
{
    static char wanted[FORMS_MAX][FORM_BYTES];
    size_t count = 0;
    memcpy(wanted, w->stems, w->count * FORM_BYTES);
    qsort(wanted, w->count, FORM_BYTES, compare);
    for (size_t i = 0; i < w->count; i++) {
        if (count == 0 || strcmp(wanted[count - 1], wanted[i]) != 0)
            memmove(wanted[count++], wanted[i], FORM_BYTES);
    }
    REQUIRE(got->list.count == count);
    for (size_t i = 0; i < count; i++)
        CHECK(is_stem(&got->list, i, wanted[i]));
    for (size_t i = 0; i < w->count; i++)
        CHECK(got->ranks[i] < count && is_stem(&got->list, got->ranks[i], w->stems[i]));
}

/* With no memory at the N-th request it fails, and holds none. */
static void fail_all(const world *w, gs_team *team)
{
    for (uint64_t nth = 1;; nth++) {
        gs_status st = {.code = GS_OK};
        gs_form_stems got = {0};
        const size_t before = gs_mem_held_bytes();
        gs_mem_fail_nth(nth);
        GS_NOTED(gs_form_stems_make(&got, &w->list, w->used, w->rules, team, &st));
        const bool has_failed = gs_mem_fail_left() == 0;
        gs_mem_fail_nth(0);
        CHECK(st.code == (has_failed ? GS_ERR_NOMEM : GS_OK));
        gs_form_stems_release(&got);
        CHECK(gs_mem_held_bytes() == before);
        if (!has_failed)
            return;
    }
}

static void ranks_are_those_of_stems(const char *language, uint64_t *seed)
{
    static world w;
    gs_status st = {.code = GS_OK};
    const gs_word_rules_options options = {.is_folding = true, .stem_language = language};
    REQUIRE_OK(gs_word_rules_new(&w.rules, &options, &st), &st);
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        gs_team *team = NULL;
        REQUIRE_OK(gs_team_new(&team, threads, &st), &st);
        for (size_t wanted = FORMS_MAX; wanted > 0; wanted /= 75) {
            gs_form_stems got = {0};
            make_forms(&w, seed, wanted);
            find_stems(&w);
            REQUIRE_OK(gs_form_stems_make(&got, &w.list, w.used, w.rules, team, &st),
                       &st);
            check_stems(&w, &got);
            CHECK(got.memory_bytes < gs_form_stems_bytes(w.count, w.used));
            gs_form_stems_release(&got);
        }
        if (threads == 1)
            fail_all(&w, team);
        gs_team_free(team);
    }
    gs_word_rules_free(w.rules);
}

int main(void)
{
    uint64_t seed = check_seed(31);
    ranks_are_those_of_stems("english", &seed);
    ranks_are_those_of_stems("spanish", &seed);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
