/* SPDX-License-Identifier: MIT */
/*
 * index_builder: whatever fails, and whenever, a build must end with that failure: no
 * crash, no hang, nothing leaked, and nothing left where the index was to be.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/build/index_builder.h"

#include "lib/index/read/index_documents.h"
#include "lib/index/read/index_verify.h"
#include "tests/failing_calls.h"

static const char *const fields[] = {"contents"};
static const char *const inputs[] = {"docs.jsonl"};
static const char *const tuple_inputs[] = {"tuples.tsv"};

static unsigned document_count(void)
{
    return check_is_long() ? 1000 : 250;
}

/* Of document i: many short ones, an empty one, and some that blocks end within. */
static unsigned word_count(unsigned i)
{
    return i % 97 + (i % 300 == 7 ? 5000 : 0);
}

static void make_inputs(void)
{
    uint64_t seed = 17;
    FILE *const docs = fopen("docs.jsonl", "w"), *const tuples = fopen("tuples.tsv", "w");
    REQUIRE(docs != NULL && tuples != NULL);
    for (unsigned i = 0; i < document_count(); i++) {
        fprintf(docs, "{\"id\":\"name%u\",\"contents\":\"", i);
        for (unsigned k = 0; k < word_count(i); k++) {
            const uint64_t r = check_random(&seed);
            fprintf(docs, "w%llu ", (unsigned long long)(r % (1 + (r >> 32) % 20000)));
            fprintf(tuples, "t%llu\t%llu\n", (unsigned long long)(r % 9000),
                    (unsigned long long)(r >> 40) % 500);
        }
        fputs("\"}\n", docs);
    }
    REQUIRE(fclose(docs) == 0 && fclose(tuples) == 0);
}

typedef struct variant {
    gs_index_method method;
    bool is_tuples, has_positions;
    size_t memory_bytes;
    unsigned threads;
} variant;

static const variant variants[] = {
    {GS_INDEX_SPIMI, false, true, 1, 2},
    {GS_INDEX_BSBI, false, false, 1, 2},
    {GS_INDEX_SPIMI, true, false, 1, 2},
    {GS_INDEX_BSBI, true, false, 16 << 20, 1},
    {GS_INDEX_SPIMI, false, false, 16 << 20, 2},
};

static gs_index_build_options options_of(const variant *v, gs_index_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    return (gs_index_build_options){
        .folder = "index",
        .inputs = v->is_tuples ? tuple_inputs : inputs,
        .input_count = 1,
        .document = {.format = v->is_tuples ? GS_FORMAT_TUPLES : GS_FORMAT_JSONL,
                     .id_field = "id",
                     .text_fields = fields,
                     .text_field_count = 1},
        .words = {.is_folding = true},
        .has_positions = v->has_positions,
        .method = v->method,
        .memory_bytes = v->memory_bytes,
        .threads = v->threads,
        .batch_size = 3,
        .sorter = {.engine = "cpu"},
        .stats = stats,
    };
}

static void remove_index(void)
{
    REQUIRE(system("rm -rf index") == 0);
}

/* Is anything of an index here, under whatever name? */
static bool is_index_left(void)
{
    return system("ls -A | grep -q index") == 0;
}

static void check_index(void)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    REQUIRE_OK(gs_index_verify(index, NULL, &st), &st);
    gs_index_close(index);
}

/* Some failures do no harm; the index is whole then. So with all of the first calls,
 * which ask how much memory there is, as many as there are control groups. */
static void every_call_may_fail(const variant *v, failing what)
{
    enum { FAILURES_MIN = 3 };
    gs_index_stats stats;
    gs_index_build_options options = options_of(v, &stats);
    unsigned failures = 0;
    const unsigned first_step = check_is_short() ? 3 : 1;
    for (uint64_t nth = 1;;
         nth = failures < FAILURES_MIN ? nth + first_step : next_to_fail(nth)) {
        gs_status st = {.code = GS_OK};
        const size_t held = gs_mem_held_bytes();
        const size_t descriptors = count_entries("/proc/self/fd");
        fail_nth(what, nth);
        const gs_code code = gs_index_build(&options, &st);
        const bool was_reached = end_failing(what);
        CHECK(gs_mem_held_bytes() == held);
        CHECK(count_entries("/proc/self/fd") == descriptors);
        if (code == GS_OK) {
            check_index();
            remove_index();
        } else {
            CHECK(code == (what == FAILS_MEMORY ? GS_ERR_NOMEM : GS_ERR_IO));
            CHECK(st.msg[0] != '\0' && !is_index_left());
            failures++;
        }
        if (!was_reached)
            break;
    }
    CHECK(failures >= FAILURES_MIN);
}

/* A call that is interrupted, or takes less than it was given, is no failure. */
static void calls_may_be_short(const variant *v)
{
    gs_index_stats stats;
    gs_status st = {.code = GS_OK};
    gs_index_build_options options = options_of(v, &stats);
    options.no_uring = true;
    atomic_store(&restless_calls, 1);
    REQUIRE_OK(gs_index_build(&options, &st), &st);
    check_index();
    CHECK(atomic_exchange(&restless_calls, 0) > 40);
    remove_index();
}

static void inputs_may_end(const variant *v)
{
    static const char *const missing[] = {"docs.jsonl", "not there"};
    gs_index_stats stats;
    gs_status st = {.code = GS_OK};
    gs_index_build_options options = options_of(v, &stats);
    options.inputs = missing;
    options.input_count = 2;
    options.skip_bad = true; /* whatever docs.jsonl is to this format */
    CHECK(gs_index_build(&options, &st) == GS_ERR_IO);
    CHECK(strstr(st.msg, "not there") != NULL && st.sys == ENOENT);
    CHECK(!is_index_left());
}

static void signals_stop(const variant *v)
{
    gs_index_stats stats;
    gs_status st = {.code = GS_OK};
    gs_index_build_options options = options_of(v, &stats);
    const volatile int signal_number = 15;
    options.cancel_signal = &signal_number;
    CHECK(gs_index_build(&options, &st) == GS_ERR_CANCELLED);
    CHECK(!is_index_left());
}

static void counts_are_told(void)
{
    gs_index_stats stats;
    gs_status st = {.code = GS_OK};
    const gs_index_build_options options = options_of(&variants[0], &stats);
    uint64_t words = 0;
    for (unsigned i = 0; i < document_count(); i++)
        words += word_count(i);
    REQUIRE_OK(gs_index_build(&options, &st), &st);
    CHECK(stats.sort.records == document_count() && stats.tokens == words);
    CHECK(stats.terms > 1000 && stats.sort.output_records > stats.terms);
    CHECK(stats.sort.runs > 3 && stats.sort.passes > 1 && stats.skipped == 0);
    CHECK(stats.sort.input_bytes == stats.sort.input_bytes_total);
    CHECK(stats.sort.output_bytes > stats.sort.output_records);
    remove_index();
}

static void documents_are_in_order(const variant *v)
{
    gs_index_stats stats;
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    const gs_index_build_options options = options_of(v, &stats);
    REQUIRE_OK(gs_index_build(&options, &st), &st);
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    for (unsigned i = 0; i < document_count(); i++) {
        char name[32];
        gs_document_name found = {0};
        uint32_t length = 0;
        REQUIRE_OK(gs_index_document_name(index, i, &found, &st), &st);
        REQUIRE_OK(gs_index_document_length(index, i, &length, &st), &st);
        (void)snprintf(name, sizeof name, "name%u", i);
        CHECK(found.bytes == strlen(name) && memcmp(found.text, name, found.bytes) == 0);
        gs_document_name_release(&found);
        CHECK(length == word_count(i));
    }
    gs_index_close(index);
    remove_index();
}

int main(void)
{
    REQUIRE(system("rm -rf index*") == 0); /* of a run that was stopped */
    make_inputs();
    const bool is_short = check_is_short(); /* one of two each */
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (!is_short || i % 2 == 0)
            every_call_may_fail(&variants[i], FAILS_MEMORY);
        if (!is_short || i % 2 == 1)
            every_call_may_fail(&variants[i], FAILS_SYSTEM);
        calls_may_be_short(&variants[i]);
        inputs_may_end(&variants[i]);
        signals_stop(&variants[i]);
        if (!variants[i].is_tuples)
            documents_are_in_order(&variants[i]);
    }
    counts_are_told();
    (void)unlink("docs.jsonl");
    (void)unlink("tuples.tsv");
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
