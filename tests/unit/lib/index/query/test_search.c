/* SPDX-License-Identifier: MIT */
/*
 * What a search is made of: the best documents must be those that sorting gives, bounds
 * must be bounds, and neither damaged files nor refused memory may do more than fail.
 * Whole answers are held against an independent computation by search_check.py.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/write/index_writer.h"
#include "lib/index/format/length_table.h"
#include "lib/index/query/searcher.h"
#include "tests/check.h"

enum { DOCS = 4000, TERMS = 90, RARE = 75, PATH_BYTES = 200, MUTATIONS = 300 };

static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-search-XXXXXX";

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* --- the best ---------------------------------------------------------------------- */

static int compare_docs(const void *a, const void *b)
{
    const gs_scored_doc *const x = a, *const y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->doc > y->doc) - (x->doc < y->doc);
}

static void best_are_best(void)
{
    enum { MOST = 500 };
    gs_scored_doc all[MOST];
    gs_top_docs top = {0};
    gs_status st = {.code = GS_OK};
    for (unsigned round = 0; round < 300; round++) {
        const size_t count = below(MOST),
                     limit = below(5) ? 1 + below(below(2) ? 40 : 200) : SIZE_MAX;
        gs_top_docs_clear(&top, limit);
        for (size_t i = 0; i < count; i++) {
            all[i] = (gs_scored_doc){(double)below(50), i * 7919 % MOST};
            REQUIRE_OK(gs_top_docs_add(&top, all[i].doc, all[i].score, &st), &st);
        }
        qsort(all, count, sizeof *all, compare_docs);
        const size_t wanted = count < limit ? count : limit;
        const double threshold = gs_top_docs_threshold(&top),
                     least = wanted < limit ? -1 : all[limit - 1].score;
        CHECK(threshold <= least && (limit > 40 || threshold == least));
        CHECK(threshold >= 0 || count < limit + limit / 2 || wanted < limit);
        gs_top_docs_sort(&top);
        CHECK(top.count == wanted);
        for (size_t i = 0; i < wanted; i++)
            CHECK(top.docs[i].doc == all[i].doc && top.docs[i].score == all[i].score);
    }
    gs_top_docs_release(&top);
}

/* --- bounds ------------------------------------------------------------------------ */

static void codes_round_down(void)
{
    uint32_t last = 0;
    for (unsigned code = 0; code <= UINT8_MAX; code++) {
        const uint32_t length = gs_code_number((uint8_t)code);
        CHECK(gs_code_below(length) == code);
        CHECK(code == 0 || length > last);
        CHECK(code < 32 || length - last <= last / 16 + 1);
        last = length;
    }
    for (unsigned i = 0; i < 100000; i++) {
        const uint32_t length = (uint32_t)check_random(&state) >> below(32);
        const uint8_t above = gs_code_above(length);
        CHECK(gs_code_number(gs_code_below(length)) <= length);
        CHECK(gs_code_number(above) >= length || above == UINT8_MAX);
        CHECK(above <= gs_code_below(length) + 1);
    }
}

/* More documents than places: what a place says is never more than a length. */
static void tables_stay_below(void)
{
    enum { STRIDE = 997 };
    const uint64_t count = GS_LENGTH_TABLE_PLACES * UINT64_C(4) - 5;
    gs_length_table t = {0};
    gs_status st = {.code = GS_OK};
    for (uint64_t doc = 0; doc < count; doc++)
        REQUIRE_OK(gs_length_table_add(&t, (uint32_t)(doc * 31 % 1000), &st), &st);
    CHECK(t.shift == 2 && gs_length_table_code(&t, count) == 0);
    for (uint64_t doc = 0; doc < count; doc += STRIDE) {
        uint32_t least = UINT32_MAX;
        for (uint64_t d = doc & ~UINT64_C(3); d < (doc | 3) + 1 && d < count; d++) {
            const uint32_t length = (uint32_t)(d * 31 % 1000);
            least = length < least ? length : least;
        }
        CHECK(gs_length_table_code(&t, doc) == gs_code_below(least));
    }
    gs_length_table_release(&t);
}

static void impacts_cover(void)
{
    for (unsigned round = 0; round < check_often(3000); round++) {
        uint64_t tfs[GS_INDEX_BLOCK];
        uint8_t lengths[GS_INDEX_BLOCK], bytes[GS_IMPACTS_MAX * GS_IMPACT_BYTES];
        const size_t count = 1 + below(GS_INDEX_BLOCK);
        const uint64_t most = UINT64_C(1) << below(32);
        uint64_t seen = 0; /* frequencies; the last bit: those that are rounded */
        for (size_t i = 0; i < count; i++) {
            tfs[i] = below(3) ? below(4) : below(most);
            lengths[i] = round % 5 ? (uint8_t)below(256) : 0;
            seen |= UINT64_C(1) << (tfs[i] < 30 ? tfs[i] : 63);
        }
        gs_impacts impacts, again = {0}, joined = {0};
        gs_impacts_of(&impacts, tfs, lengths, count);
        CHECK(gs_impacts_put(bytes, &impacts) == bytes + impacts.count * GS_IMPACT_BYTES);
        again.count = impacts.count;
        for (unsigned i = 0; i < again.count; i++)
            again.pairs[i] = gs_impact_at(bytes, i);
        gs_impacts_join(&joined, &again);
        for (size_t i = 0; i < count; i++) {
            CHECK(gs_impacts_cover(&again, tfs[i] + 1, lengths[i]));
            CHECK(gs_impacts_cover(&joined, tfs[i] + 1, lengths[i]));
        }
        /* Each is a posting, unless there were too many or they had to be rounded. */
        if (__builtin_popcountll(seen) > GS_IMPACTS_KEPT || seen >> 63 != 0)
            continue;
        for (unsigned i = 0; i < again.count; i++) {
            bool is_there = false;
            for (size_t k = 0; k < count; k++)
                is_there |= tfs[k] + 1 == again.pairs[i].tf &&
                            lengths[k] == again.pairs[i].length;
            CHECK(is_there);
        }
    }
}

/* --- searches ---------------------------------------------------------------------- */

/* Term t comes in every (t + 1)th document or so, with positions; the last ones in one.
 */
static void write_index(const char *folder)
{
    gs_status st = {.code = GS_OK};
    const gs_index_writer_options options = {
        .folder = folder,
        .has_positions = true,
        .has_documents = true,
        .memory_bytes = 1 << 20,
        .part_count = 1,
        .tokenizer = "{\"words\": \"unicode\", \"fold\": true, \"stem\": null, "
                     "\"stopwords\": [\"the\"]}"};
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    for (uint64_t doc = 0; doc < DOCS; doc++) {
        char name[32];
        const int n = snprintf(name, sizeof name, "d%llu", (unsigned long long)doc);
        REQUIRE_OK(
            gs_index_writer_document(w, name, (size_t)n, (uint32_t)below(300), &st), &st);
    }
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    for (unsigned t = 0; t < TERMS; t++) {
        char term[8];
        const int n = snprintf(term, sizeof term, "t%02u", t);
        REQUIRE_OK(gs_index_part_term(part, term, (size_t)n, &st), &st);
        for (uint64_t doc = below(t + 1); doc < DOCS; doc += 1 + below(2 * t + 1)) {
            const uint32_t tf = 1 + (uint32_t)below(3);
            const uint32_t places[] = {t, t + TERMS, t + 2 * TERMS};
            REQUIRE_OK(gs_index_part_postings(part, &doc, &tf, 1, places, &st), &st);
            if (t >= RARE)
                break;
        }
    }
    REQUIRE_OK(gs_index_part_finish(part, &st), &st);
    gs_index_part_free(part);
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_writer_free(w);
}

static size_t make_query(char *text, size_t room)
{
    static const char *const marks[] = {"", "", "", "+", "-", "AND ", "OR ", "NOT "};
    size_t bytes = 0;
    const size_t count = 1 + below(6);
    const uint64_t kind = below(4); /* any of them, all of them, or a mixture */
    for (size_t i = 0; i < count; i++) {
        const unsigned t = (unsigned)below(TERMS);
        const char *const mark = kind == 0   ? ""
                                 : kind == 1 ? "+"
                                 : i > 0     ? marks[below(sizeof marks / sizeof *marks)]
                                             : "";
        const int n =
            below(12) == 0 /* all terms: GS_RANK_MANY_MIN or more */
                ? snprintf(text + bytes, room - bytes, "%st* ", mark)
                : below(4) == 0 ? snprintf(text + bytes, room - bytes,
                                           "%s\"t%02u t%02u\" ", mark, t, (t + 1) % TERMS)
                  : below(6) == 0
                      ? snprintf(text + bytes, room - bytes, "%st%u* ", mark, t / 10)
                      : snprintf(text + bytes, room - bytes, "%st%02u ", mark, t);
        bytes += (size_t)n;
        REQUIRE(bytes < room);
    }
    return bytes;
}

typedef struct answer {
    gs_top_docs top;
    uint64_t matches, last;
} answer;

static gs_code search(gs_searcher *s, const char *text, size_t bytes, answer *a,
                      gs_status *st)
{
    uint64_t counted;
    a->matches = 0;
    GS_TRY(gs_searcher_rank(s, text, bytes, &a->top, st));
    GS_TRY(gs_searcher_count(s, text, bytes, &counted, st));
    GS_TRY(gs_searcher_begin(s, text, bytes, st));
    for (uint64_t doc;; a->matches++, a->last = doc) {
        GS_TRY(gs_searcher_next(s, &doc, st));
        if (doc == GS_NO_DOC)
            break;
        CHECK(doc < DOCS && (a->matches == 0 || doc > a->last));
    }
    CHECK(counted == a->matches);
    return GS_OK;
}

/* Opens, asks a few queries and closes. */
static gs_code ask(const char *folder, unsigned queries, bool is_exhaustive, answer *a,
                   gs_status *st)
{
    gs_index *index = NULL;
    gs_word_rules *rules = NULL;
    gs_searcher *s = NULL;
    gs_doc_presence *presence = NULL;
    gs_search_options options = {
        .k1 = 1.2, .b = 0.75, .limit = 10, .is_exhaustive = is_exhaustive};
    GS_TRY_OR_FAIL(gs_index_open(&index, folder, st));
    GS_TRY_OR_FAIL(gs_word_rules_read(&rules, gs_index_header_of(index)->tokenizer, st));
    GS_TRY_OR_FAIL(gs_doc_presence_new(&presence, index, st));
    options.presence = presence;
    GS_TRY_OR_FAIL(gs_searcher_new(&s, index, rules, &options, st));
    for (unsigned i = 0; i < queries; i++) {
        char text[400];
        const size_t bytes = make_query(text, sizeof text);
        if (search(s, text, bytes, a, st) != GS_OK && st->code == GS_ERR_ARG)
            gs_status_clear(st); /* one that ends with an operator */
        GS_TRY_OR_FAIL(st->code);
    }
fail:
    gs_searcher_free(s);
    gs_doc_presence_free(presence);
    gs_word_rules_free(rules);
    gs_index_close(index);
    return st->code;
}

static void skipping_changes_nothing(const char *folder)
{
    answer fast = {0}, slow = {0};
    for (unsigned i = 0; i < check_often(300); i++) {
        gs_status st = {.code = GS_OK};
        const uint64_t before = state;
        REQUIRE_OK(ask(folder, 1, false, &fast, &st), &st);
        state = before;
        REQUIRE_OK(ask(folder, 1, true, &slow, &st), &st);
        CHECK(fast.top.count == slow.top.count && fast.matches == slow.matches);
        CHECK(fast.top.count == (fast.matches < 10 ? fast.matches : 10));
        CHECK(fast.top.count == 0 || memcmp(fast.top.docs, slow.top.docs,
                                            fast.top.count * sizeof *fast.top.docs) == 0);
    }
    gs_top_docs_release(&fast.top);
    gs_top_docs_release(&slow.top);
}

static void damage_gives_errors(const char *folder)
{
    static const char *const names[] = {"terms", "postings", "positions", "documents"};
    answer a = {0};
    for (unsigned m = 0; m < check_often(MUTATIONS); m++) {
        char path[PATH_BYTES];
        struct stat info;
        uint8_t good[8], bad[8];
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[below(4)]);
        const int fd = open(path, O_RDWR);
        REQUIRE(fd >= 0 && fstat(fd, &info) == 0);
        const off_t at = (off_t)below((uint64_t)info.st_size - sizeof good);
        REQUIRE(pread(fd, good, sizeof good, at) == sizeof good);
        for (size_t i = 0; i < sizeof bad; i++)
            bad[i] = below(2) ? 0xff : (uint8_t)check_random(&state);
        const size_t n = 1 + below(sizeof bad);
        REQUIRE(pwrite(fd, bad, n, at) == (ssize_t)n);
        gs_status st = {.code = GS_OK};
        GS_NOTED(ask(folder, 30, m % 2 == 0, &a, &st));
        CHECK(st.code == GS_OK || st.code == GS_ERR_FORMAT);
        REQUIRE(pwrite(fd, good, n, at) == (ssize_t)n);
        (void)close(fd);
    }
    gs_top_docs_release(&a.top);
}

static void memory_may_end(const char *folder)
{
    answer a = {0};
    for (uint64_t nth = 1; nth < 80; nth++) {
        gs_status st = {.code = GS_OK};
        gs_top_docs_release(&a.top);
        gs_mem_fail_nth(nth);
        GS_NOTED(ask(folder, 4, false, &a, &st));
        gs_mem_fail_nth(0);
        CHECK(st.code == GS_OK || st.code == GS_ERR_NOMEM);
    }
    gs_top_docs_release(&a.top);
}

int main(void)
{
    char folder[PATH_BYTES], command[PATH_BYTES];
    state = check_seed(21);
    REQUIRE(mkdtemp(scratch) != NULL);
    (void)snprintf(folder, sizeof folder, "%s/index", scratch);
    best_are_best();
    codes_round_down();
    tables_stay_below();
    impacts_cover();
    write_index(folder);
    skipping_changes_nothing(folder);
    damage_gives_errors(folder);
    memory_may_end(folder);
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch);
    CHECK(system(command) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
