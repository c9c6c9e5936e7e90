/* SPDX-License-Identifier: MIT */
/*
 * Searches as programs ask for them. What would break: an answer that goes to another
 * question, other answers of many than of one, documents that match and do not come, two
 * indexes that score otherwise than one of both, a snippet of another document.
 */
#define CHECK_STARTS_THREADS

#include <string.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { DOCUMENTS = 3000, QUESTIONS = 90, TOP = 7 };

/* Documents from `first` on up to `end`: k has the words "all", "aK" by what 13 leaves of
 * it, and "b" as often as 7 leaves. */
static void build(const char *folder, int first, int end)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    const char *const inputs[] = {"docs.jsonl"};
    FILE *const f = fopen(inputs[0], "w");
    REQUIRE(f != NULL);
    for (int i = first; i < end; i++) {
        fprintf(f, "{\"id\": \"d%d\", \"contents\": \"all of a%d, and", i, i % 13);
        for (int k = 0; k < i % 7; k++)
            fprintf(f, " b");
        fprintf(f, " number%d\"}\n", i);
    }
    REQUIRE(fclose(f) == 0);
    o.folder = folder;
    o.inputs = inputs;
    o.input_count = 1;
    o.replaces = o.has_texts = 1;
    GOOD(gpusort_index_build(&o, &error));
}

static gpusort_searcher *searcher_of(const gpusort_index *index, const char *statistics)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_search_options o = GPUSORT_SEARCH_OPTIONS;
    gpusort_searcher *searcher = NULL;
    o.threads = 3;
    o.statistics = statistics;
    GOOD(gpusort_searcher_new(&searcher, index, &o, &error));
    return searcher;
}

static void many_are_as_one(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_index("whole");
    gpusort_searcher *const many = searcher_of(index, NULL);
    gpusort_searcher *const one = searcher_of(index, NULL);
    static char text[QUESTIONS][32];
    gpusort_question questions[QUESTIONS] = {{.query = NULL}};
    gpusort_search_figures figures = {.size = sizeof figures};
    for (int i = 0; i < QUESTIONS; i++) {
        snprintf(text[i], sizeof *text, i % 10 == 3 ? "(a%d" : "a%d b +number%d", i, i);
        if (i % 10 == 5)
            snprintf(text[i], sizeof *text, "a%d b", i % 13);
        questions[i].query = text[i];
        questions[i].bytes = strlen(text[i]);
    }
    CHECK(gpusort_search_many(many, questions, 1, 0, NULL) == GPUSORT_ARG);
    GOOD(gpusort_search_many(many, questions, 0, TOP, &error));
    for (size_t count = 1; count <= QUESTIONS; count += QUESTIONS - 1) {
        GOOD(gpusort_search_many(many, questions, count, TOP, &error));
        for (size_t i = 0; i < count; i++) {
            const gpusort_question *const q = &questions[i];
            gpusort_hit hits[TOP];
            size_t n;
            if (i % 10 == 3) {
                CHECK(q->code == GPUSORT_ARG && q->hit_count == 0);
                CHECK(strstr(q->message, "parenthesis") != NULL);
                continue;
            }
            GOOD(gpusort_search(one, q->query, q->bytes, hits, TOP, &n, &error));
            CHECK(q->code == GPUSORT_OK && q->message == NULL && q->hit_count == n);
            CHECK(n == (i % 10 == 5 ? TOP : 1));
            for (size_t k = 0; k < n; k++)
                CHECK(q->hits[k].document == hits[k].document &&
                      memcmp(&q->hits[k].score, &hits[k].score, sizeof(double)) == 0);
        }
    }
    gpusort_searcher_figures(many, &figures);
    CHECK(figures.queries == 1 + QUESTIONS - QUESTIONS / 10);
    CHECK(figures.postings >= figures.postings_scored && figures.postings_scored > 0);
    CHECK(figures.blocks >= figures.blocks_read && figures.blocks_read > 0);
    GOOD(gpusort_search_many(many, questions, 1, TOP + 1, &error));
    gpusort_search_figures after = {.size = sizeof after};
    gpusort_searcher_figures(many, &after); /* what was done before is not forgotten */
    CHECK(after.queries == figures.queries + 1);
    questions[0].reserved[0] = "";
    CHECK(gpusort_search_many(many, questions, 1, TOP, NULL) == GPUSORT_ARG);
    gpusort_searcher_free(many);
    gpusort_searcher_free(one);
    gpusort_index_close(index);
}

static void all_that_match_come(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_index("whole");
    gpusort_searcher *const searcher = searcher_of(index, NULL);
    uint64_t documents[10];
    size_t count;
    CHECK(gpusort_search_next(searcher, documents, 10, &count, NULL) == GPUSORT_ARG);
    for (size_t room = 1; room <= 10; room += 9) {
        uint64_t expected = 5;
        GOOD(gpusort_search_begin(searcher, "+a5 -b", 6, &error));
        for (;;) {
            GOOD(gpusort_search_next(searcher, documents, room, &count, &error));
            if (count == 0)
                break;
            for (size_t i = 0; i < count; i++, expected += 13) {
                while (expected % 7 != 0)
                    expected += 13;
                CHECK(documents[i] == expected);
            }
        }
        CHECK(expected + 13 * 6 >= DOCUMENTS - 13);
        GOOD(gpusort_search_next(searcher, documents, room, &count, &error));
        CHECK(count == 0);
    }
    CHECK(gpusort_search_begin(searcher, "(", 1, NULL) == GPUSORT_ARG);
    uint64_t all;
    GOOD(gpusort_search_begin(searcher, "all", 3, &error));
    GOOD(gpusort_search_count(searcher, "+a5 b", 5, &all, &error));
    CHECK(all == (DOCUMENTS - 5 + 12) / 13);
    GOOD(gpusort_search_next(searcher, documents, 10, &count, &error));
    CHECK(count == 0); /* that query has made room for another */
    CHECK(gpusort_search_count(searcher, "(", 1, &all, NULL) == GPUSORT_ARG && all == 0);
    gpusort_searcher_free(searcher);
    gpusort_index_close(index);
}

static void snippets_are_of_their_documents(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_index("whole");
    gpusort_searcher *const searcher = searcher_of(index, NULL);
    gpusort_question two[2] = {{.query = "all", .bytes = 3}, {.query = "b", .bytes = 1}};
    uint64_t documents[100];
    static gpusort_snippet snippets[100];
    for (uint64_t i = 0; i < 100; i++)
        documents[i] = (i * 1999 + 5) % DOCUMENTS;
    for (int round = 0; round < 2; round++) { /* by one thread, and by all */
        GOOD(
            gpusort_search_snippets(searcher, "of", 2, documents, 100, snippets, &error));
        for (size_t i = 0; i < 100; i++) {
            const gpusort_snippet *const s = &snippets[i];
            char begin[32];
            snprintf(begin, sizeof begin, "all of a%d, and", (int)(documents[i] % 13));
            CHECK(strncmp(s->text, begin, strlen(begin)) == 0);
            CHECK(s->mark_count == 1 && s->marks[0].begin == 4 && s->marks[0].end == 6);
            CHECK(!s->is_cut_before && !s->is_cut_behind && s->bytes > strlen(begin));
        }
        GOOD(gpusort_search_many(searcher, two, 2, 3, &error));
    }
    documents[99] = DOCUMENTS;
    CHECK(gpusort_search_snippets(searcher, "of", 2, documents, 100, snippets, NULL) ==
          GPUSORT_ARG);
    GOOD(gpusort_search_snippets(searcher, NULL, 0, NULL, 0, NULL, &error));
    gpusort_searcher_free(searcher);
    gpusort_index_close(index);
}

static int put(void *context, const void *text, size_t bytes)
{
    return fwrite(text, 1, bytes, context) == bytes ? 0 : -1;
}

static int refuse(void *context, const void *text, size_t bytes)
{
    (void)context, (void)text, (void)bytes;
    return 1;
}

static void several_score_as_one(void)
{
    static const char query[] = "b a3 number17";
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_hit hits[TOP], whole_hits[TOP];
    size_t count;
    FILE *const f = fopen("statistics", "w");
    REQUIRE(f != NULL);
    for (int k = 0; k < 2; k++) {
        gpusort_index *const index = open_index(k ? "behind" : "before");
        gpusort_searcher *const searcher = searcher_of(index, NULL);
        CHECK(gpusort_search_gather(searcher, "(", 1, NULL) == GPUSORT_ARG);
        GOOD(gpusort_search_gather(searcher, query, sizeof query - 1, &error));
        GOOD(gpusort_search_gather(searcher, query, sizeof query - 1, &error));
        CHECK(gpusort_search_gathered(searcher, refuse, NULL, NULL) == GPUSORT_CANCELLED);
        GOOD(gpusort_search_gathered(searcher, put, f, &error));
        gpusort_searcher_free(searcher);
        gpusort_index_close(index);
    }
    REQUIRE(fclose(f) == 0);
    gpusort_index *const whole = open_index("whole"), *const part = open_index("before");
    gpusort_searcher *const all = searcher_of(whole, NULL);
    gpusort_searcher *const some = searcher_of(part, "statistics");
    GOOD(gpusort_search(all, query, sizeof query - 1, whole_hits, 1, &count, &error));
    GOOD(gpusort_search(some, query, sizeof query - 1, hits, 1, &count, &error));
    CHECK(count == 1 && hits[0].document == 17 && whole_hits[0].document == 17);
    CHECK(memcmp(&hits[0].score, &whole_hits[0].score, sizeof(double)) == 0);
    gpusort_search_options o = GPUSORT_SEARCH_OPTIONS;
    gpusort_searcher *none = all;
    o.statistics = "nothing";
    CHECK(gpusort_searcher_new(&none, whole, &o, NULL) == GPUSORT_IO && none == NULL);
    gpusort_searcher_free(all);
    gpusort_searcher_free(some);
    gpusort_index_close(whole);
    gpusort_index_close(part);
}

/* k1 of 0: how often a word comes does not count; which is no default. */
static void zeros_may_be_meant(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *const index = open_index("whole");
    gpusort_search_options o = GPUSORT_SEARCH_OPTIONS;
    gpusort_hit hits[2];
    size_t count;
    for (o.has_zeros = 0; o.has_zeros < 2; o.has_zeros++) {
        gpusort_searcher *searcher;
        o.is_exhaustive = o.has_zeros;
        GOOD(gpusort_searcher_new(&searcher, index, &o, &error));
        GOOD(gpusort_search(searcher, "b", 1, hits, 2, &count, &error));
        CHECK(count == 2 && hits[0].document == (o.has_zeros ? 1 : 6));
        gpusort_searcher_free(searcher);
    }
    o.b = 2;
    gpusort_searcher *none;
    CHECK(gpusort_searcher_new(&none, index, &o, NULL) == GPUSORT_ARG && none == NULL);
    gpusort_searcher_free(none);
    gpusort_index_close(index);
}

int main(void)
{
    build("whole", 0, DOCUMENTS);
    build("before", 0, DOCUMENTS / 3);
    build("behind", DOCUMENTS / 3, DOCUMENTS);
    many_are_as_one();
    all_that_match_come();
    snippets_are_of_their_documents();
    several_score_as_one();
    zeros_may_be_meant();
    return check_failures != 0;
}
