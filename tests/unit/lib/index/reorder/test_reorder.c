/* SPDX-License-Identifier: MIT */
/*
 * index_reorder: whatever the order is, it must be one of all documents, the same for any
 * number of threads, and an index in it must say of every document by its name what the
 * index before said; lists that memory has no room for must be the same bytes as those it
 * has. An order that brings nothing together, or a gain that is reckoned wrong, would go
 * unnoticed but for size: both are held against what they must be.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/reorder/index_reorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/readers.h"
#include "lib/index/reorder/bisection.h"
#include "lib/index/reorder/list_reorder.h"
#include "lib/index/reorder/move_gain.h"
#include "lib/index/reorder/place_sort.h"
#include "tests/check.h"

enum {
    DOCS_MAX = 2400,
    TOPICS = 8,
    TOPIC_TERMS = 40,
    COMMON_TERMS = 12,
    FOLDER_DOCS = 8,
    PATH_BYTES = 128
};

static uint64_t state;
static uint32_t docs;
static bool in_folders; /* documents came by topic, and their names are paths */
static char scratch[] = "/tmp/gpusort-test-reorder-XXXXXX";

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static const char *in_scratch(const char *name)
{
    static char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

/* --- the parts --------------------------------------------------------------------- */

static void gains_are_those_of_logarithms(void)
{
    gs_gain_table t;
    gs_gain_table_fill(&t);
    for (uint32_t x = 1; x < 100000; x++) {
        const double d = (double)x;
        const double want = d * log2(d + 1) - (d - 1) * log2(d);
        const double got = (double)gs_gain_h(&t, x) / GS_GAIN_ONE;
        CHECK(fabs(got - want) < 2e-3);
        CHECK(gs_gain_h(&t, x) >= gs_gain_h(&t, x - 1));
    }
    CHECK(gs_gain_of_move(&t, 3, 3) > 0 && gs_gain_of_move(&t, 5, 0) < 0);
}

static void sorted_by_place(void)
{
    enum { MOST = 3000 };
    static uint64_t items[MOST], spare[MOST], before[MOST];
    for (unsigned round = 0; round < 200; round++) {
        const unsigned bits = 1 + (unsigned)below(32);
        const size_t count = below(3) ? below(100) : below(MOST);
        for (size_t i = 0; i < count; i++)
            items[i] = before[i] = below(UINT64_C(1) << bits) << 32 | i;
        gs_place_sort(items, spare, count, bits);
        uint64_t sum = 0, want = 0;
        for (size_t i = 0; i < count; i++) {
            sum += items[i] * (items[i] | 1);
            want += before[i] * (before[i] | 1);
            CHECK(i == 0 || items[i] > items[i - 1]); /* equal places by number */
        }
        CHECK(sum == want);
    }
}

/* --- indexes ----------------------------------------------------------------------- */

/* In the order that documents come all topics alternate, or come one after the other. */
static uint64_t topic_of(uint64_t doc)
{
    return in_folders ? doc * TOPICS / docs : doc % TOPICS;
}

static bool has_term(uint64_t doc, unsigned t, uint32_t *tf)
{
    uint64_t mixed = doc * 1000003 + t * 7919 + 12345;
    const uint64_t draw = check_random(&mixed);
    const bool is_common = t < COMMON_TERMS;
    const bool is_own = !is_common && (t - COMMON_TERMS) / TOPIC_TERMS == topic_of(doc);
    *tf = 1 + (uint32_t)(draw >> 20) % 4;
    return draw % 100 < (is_common ? 60 : is_own ? 30 : 1);
}

static void put_terms(gs_index_part *part, bool has_positions, gs_status *st)
{
    for (unsigned t = 0; t < COMMON_TERMS + TOPICS * TOPIC_TERMS; t++) {
        char term[16];
        const int bytes = snprintf(term, sizeof term, "t%03u", t);
        REQUIRE_OK(gs_index_part_term(part, term, (size_t)bytes, st), st);
        for (uint64_t doc = 0; doc < docs; doc++) {
            uint32_t tf;
            const uint32_t places[] = {t, t + 1000, t + 1001 + (uint32_t)doc, t + 20000};
            if (has_term(doc, t, &tf) || doc == t)
                REQUIRE_OK(gs_index_part_postings(part, &doc, &tf, 1,
                                                  has_positions ? places : NULL, st),
                           st);
        }
    }
}

static size_t make_name(uint64_t doc, char *name, size_t room)
{
    uint64_t mixed = doc / FOLDER_DOCS;
    const int n = in_folders ? snprintf(name, room, "%016llx/d%llu",
                                        (unsigned long long)check_random(&mixed),
                                        (unsigned long long)doc)
                             : snprintf(name, room, "d%llu", (unsigned long long)doc);
    REQUIRE(n > 0 && (size_t)n < room);
    return (size_t)n;
}

static void write_index(const char *folder, bool has_positions)
{
    gs_status st = {.code = GS_OK};
    const gs_index_writer_options options = {.folder = folder,
                                             .has_positions = has_positions,
                                             .has_documents = true,
                                             .memory_bytes = 1 << 20,
                                             .part_count = 1,
                                             .tokenizer = "{\"words\": \"unicode\"}"};
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    for (uint64_t doc = 0; doc < docs; doc++) {
        char name[48];
        const size_t n = make_name(doc, name, sizeof name);
        REQUIRE_OK(gs_index_writer_document(w, name, n, (uint32_t)doc + 1, &st), &st);
    }
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    put_terms(part, has_positions, &st);
    REQUIRE_OK(gs_index_part_finish(part, &st), &st);
    gs_index_part_free(part);
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_writer_free(w);
}

static gs_code reorder(const char *from, const char *to, unsigned threads, size_t memory,
                       gs_status *st)
{
    const gs_index_reorder_options options = {.folder = to,
                                              .replace = true,
                                              .input = from,
                                              .memory_bytes = memory,
                                              .threads = threads};
    return gs_index_reorder(&options, st);
}

static uint64_t sum_of(const char *folder)
{
    gs_index_header header;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_index_header_read(&header, folder, &st), &st);
    const uint64_t sum = gs_index_header_sum(&header);
    gs_index_header_release(&header);
    return sum;
}

/* The number in the name of a document, which is what has_term goes by. */
static uint64_t old_doc(const gs_index *index, uint64_t doc, gs_document_name *name)
{
    gs_status st = {.code = GS_OK};
    uint32_t length;
    REQUIRE_OK(gs_index_document_name(index, doc, name, &st), &st);
    REQUIRE_OK(gs_index_document_length(index, doc, &length, &st), &st);
    uint64_t number = 0;
    const size_t folder = in_folders ? strlen("0123456789abcdef/") : 0;
    for (size_t i = folder + 1; i < name->bytes; i++)
        number = number * 10 + (uint64_t)(name->text[i] - '0');
    CHECK(length == number + 1);
    return number;
}

static void check_list(const gs_index *index, unsigned t, const gs_term_info *info,
                       const uint64_t *old, gs_posting_list *list)
{
    static bool is_there[DOCS_MAX];
    const bool has_positions = gs_index_header_of(index)->has_positions;
    gs_status st = {.code = GS_OK};
    uint32_t want;
    memset(is_there, 0, sizeof is_there);
    REQUIRE_OK(gs_posting_list_start(list, index, info, &st), &st);
    for (;;) {
        REQUIRE_OK(gs_posting_list_block(list, &st), &st);
        if (list->count == 0)
            break;
        for (size_t i = 0; i < list->count; i++) {
            const uint64_t doc = old[list->docs[i]];
            CHECK((has_term(doc, t, &want) || doc == t) && list->tfs[i] == want);
            is_there[doc] = true;
            if (!has_positions)
                continue;
            REQUIRE_OK(gs_posting_list_positions(list, i, &st), &st);
            CHECK(list->position_count == want && list->positions[0] == t);
            CHECK(want < 3 || list->positions[2] == t + 1001 + doc);
        }
    }
    for (uint64_t doc = 0; doc < docs; doc++)
        CHECK(is_there[doc] == (has_term(doc, t, &want) || doc == t));
}

static void check_index(const char *folder)
{
    static uint64_t old[DOCS_MAX];
    static bool is_there[DOCS_MAX];
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_cursor *term = NULL;
    gs_document_name name = {0};
    gs_posting_list list = {0};
    unsigned t = 0;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE_OK(gs_index_verify(index, NULL, &st), &st);
    memset(is_there, 0, sizeof is_there);
    for (uint64_t doc = 0; doc < docs; doc++) {
        old[doc] = old_doc(index, doc, &name);
        REQUIRE(old[doc] < docs && !is_there[old[doc]]);
        is_there[old[doc]] = true;
    }
    REQUIRE_OK(gs_term_cursor_new(&term, index, &st), &st);
    REQUIRE_OK(gs_term_cursor_first(term, &st), &st);
    for (; term->has_term; t++) {
        check_list(index, t, &term->info, old, &list);
        REQUIRE_OK(gs_term_cursor_next(term, &st), &st);
    }
    CHECK(t == COMMON_TERMS + TOPICS * TOPIC_TERMS);
    gs_posting_list_release(&list);
    gs_document_name_release(&name);
    gs_term_cursor_free(term);
    gs_index_close(index);
}

/* How often the next document is of another topic, or in another folder. */
static unsigned count_changes(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_document_name name = {0};
    unsigned changes = 0;
    uint64_t last = 0;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    for (uint64_t doc = 0; doc < docs; doc++) {
        const uint64_t old = old_doc(index, doc, &name);
        const uint64_t of = in_folders ? old / FOLDER_DOCS : topic_of(old);
        changes += doc > 0 && of != last;
        last = of;
    }
    gs_document_name_release(&name);
    gs_index_close(index);
    return changes;
}

static void documents_say_the_same(bool has_positions)
{
    gs_status st = {.code = GS_OK};
    char from[PATH_BYTES], to[PATH_BYTES];
    memcpy(from, in_scratch(has_positions ? "from-p" : "from"), sizeof from);
    memcpy(to, in_scratch(has_positions ? "to-p" : "to"), sizeof to);
    write_index(from, has_positions);
    REQUIRE_OK(reorder(from, to, 1, 64 << 20, &st), &st);
    check_index(to);
    CHECK(count_changes(from) == docs - 1);
    CHECK(count_changes(to) < 4 * TOPICS);
    const uint64_t sum = sum_of(to);
    for (unsigned threads = 2; threads <= 3; threads++) {
        REQUIRE_OK(reorder(from, to, threads, 64 << 20, &st), &st);
        CHECK(sum_of(to) == sum);
    }
    REQUIRE_OK(reorder(to, to, 2, 64 << 20, &st), &st); /* in its own place */
    check_index(to);
}

/* Within a topic any order is as good as any other: the one is kept that names like. */
static void names_stay_side_by_side(void)
{
    gs_status st = {.code = GS_OK};
    char from[PATH_BYTES], to[PATH_BYTES];
    memcpy(from, in_scratch("paths"), sizeof from);
    memcpy(to, in_scratch("paths-to"), sizeof to);
    in_folders = true;
    write_index(from, false);
    REQUIRE_OK(reorder(from, to, 2, 64 << 20, &st), &st);
    check_index(to);
    CHECK(count_changes(to) < docs / FOLDER_DOCS * 5 / 4);
    in_folders = false;
}

/* Lists in as many readings as little memory takes, against those in one. */
static void lists_in_parts(const char *folder)
{
    static uint32_t places[DOCS_MAX];
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_cursor *term = NULL;
    uint64_t sums[2];
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    for (uint32_t i = 0; i < docs; i++)
        places[i] = (uint32_t)(i * UINT64_C(2017) % docs);
    for (unsigned way = 0; way < 2; way++) {
        const char *const to = in_scratch("lists");
        const gs_list_reorder_options options = {
            index, places, docs, way == 0 ? GS_LIST_REORDER_BYTES_MIN : 16 << 20, NULL};
        const gs_index_writer_options writer = {.folder = to,
                                                .replace = true,
                                                .has_positions = true,
                                                .has_documents = true,
                                                .memory_bytes = 1 << 20,
                                                .part_count = 1};
        gs_index_writer *w = NULL;
        gs_index_part *part = NULL;
        gs_list_reorder *lists = NULL;
        REQUIRE_OK(gs_index_writer_new(&w, &writer, &st), &st);
        for (uint64_t doc = 0; doc < docs; doc++)
            REQUIRE_OK(gs_index_writer_document(w, &doc, sizeof doc, 9, &st), &st);
        REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
        REQUIRE_OK(gs_list_reorder_new(&lists, &options, &st), &st);
        REQUIRE_OK(gs_term_cursor_new(&term, index, &st), &st);
        REQUIRE_OK(gs_term_cursor_first(term, &st), &st);
        while (term->has_term) {
            REQUIRE_OK(gs_list_reorder_term(lists, term, part, &st), &st);
            REQUIRE_OK(gs_term_cursor_next(term, &st), &st);
        }
        REQUIRE_OK(gs_index_part_finish(part, &st), &st);
        gs_index_part_free(part);
        REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
        gs_index_writer_free(w);
        gs_list_reorder_free(lists);
        gs_term_cursor_free(term);
        sums[way] = sum_of(to);
    }
    CHECK(sums[0] == sums[1]);
    gs_index_close(index);
}

/* --- trouble ----------------------------------------------------------------------- */

static void memory_may_end(void)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    unsigned failed = 0;
    memcpy(from, in_scratch("from"), sizeof from);
    memcpy(to, in_scratch("never"), sizeof to);
    for (uint64_t nth = 1; nth < 60; nth += check_is_short() ? 1 + nth / 8 : 1) {
        gs_status st = {.code = GS_OK};
        gs_mem_fail_nth(nth);
        GS_NOTED(reorder(from, to, 2, 64 << 20, &st));
        gs_mem_fail_nth(0);
        CHECK(st.code == GS_ERR_NOMEM || st.code == GS_OK);
        failed += st.code != GS_OK;
        CHECK((access(to, F_OK) == 0) == (st.code == GS_OK));
        if (st.code == GS_OK)
            break;
    }
    CHECK(failed > 10);
}

static void too_little_memory_is_told(void)
{
    char from[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    memcpy(from, in_scratch("from"), sizeof from);
    REQUIRE_OK(reorder(from, in_scratch("small"), 4, 1, &st),
               &st); /* for these it does */
    check_index(in_scratch("small"));
}

int main(void)
{
    state = check_seed(71);
    docs = check_is_short() ? DOCS_MAX / 3 : DOCS_MAX;
    REQUIRE(mkdtemp(scratch) != NULL);
    gains_are_those_of_logarithms();
    sorted_by_place();
    documents_say_the_same(false);
    documents_say_the_same(true);
    names_stay_side_by_side();
    lists_in_parts(in_scratch("from-p"));
    memory_may_end();
    too_little_memory_is_told();
    char command[PATH_BYTES];
    (void)snprintf(command, sizeof command, "rm -r %s", scratch);
    CHECK(system(command) == 0);
    return check_result();
}
