/* SPDX-License-Identifier: MIT */
/*
 * term_batch and batch_answer: a batch on any number of threads must give the lines that
 * one lookup after the other gives, in the order asked. What would break: blocks that all
 * begin with the same eight bytes, terms before the first and behind the last, empty and
 * long ones, batches of any size, answers larger than a thread's buffer; and a failure,
 * of the output or the input, after which no line may be written that does not follow the
 * one before.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/lookup/batch_answer.h"
#include "lib/index/write/index_writer.h"
#include "tests/check.h"

enum { TERMS = 3000, QUERIES = 70000, TEXT_MAX = 40, ROUNDS = 12, PATH_BYTES = 100 };

typedef struct text {
    size_t bytes;
    char data[TEXT_MAX];
} text;

typedef struct sink {
    uint8_t *data;
    size_t bytes, capacity;
    size_t calls_left; /* before one fails; SIZE_MAX: none does */
} sink;

static text terms[TERMS], queries[QUERIES];
static size_t term_count;
static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-batch-XXXXXX";
static char folder[PATH_BYTES];

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static int compare(const void *a, const void *b)
{
    const text *const x = a, *const y = b;
    const size_t common = x->bytes < y->bytes ? x->bytes : y->bytes;
    const int d = memcmp(x->data, y->data, common);
    return d != 0 ? d : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Short ones over few letters, zero bytes among them; long ones that share a beginning.
 */
static void make_text(text *t)
{
    static const char shared[] = "abcdefghijklmnop";
    t->bytes = 0;
    if (below(3) != 0) {
        t->bytes = 6 + below(4) * 2;
        memcpy(t->data, shared, t->bytes);
    }
    for (size_t n = 1 + below(6); n > 0; n--)
        t->data[t->bytes++] = "ab\0\xff"[below(4)];
}

static void build_index(void)
{
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < TERMS; i++)
        make_text(&terms[i]);
    qsort(terms, TERMS, sizeof *terms, compare);
    for (size_t i = 0; i < TERMS; i++) {
        if (i == 0 || compare(&terms[i], &terms[term_count - 1]) != 0)
            terms[term_count++] = terms[i];
    }
    const gs_index_writer_options options = {
        .folder = folder, .memory_bytes = 1 << 20, .part_count = 1};
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    REQUIRE_OK(gs_index_writer_set_document_count(w, TERMS + 300 * 5, &st), &st);
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    for (size_t i = 0; i < term_count; i++) {
        /* docID is the term's number; one term is in many documents. */
        uint64_t docs[300];
        uint32_t tfs[300];
        const size_t n = i % 100 == 7 ? 300 : 1;
        for (size_t k = 0; k < n; k++) {
            docs[k] = i + k * 5;
            tfs[k] = 2;
        }
        REQUIRE_OK(gs_index_part_term(part, terms[i].data, terms[i].bytes, &st), &st);
        REQUIRE_OK(gs_index_part_postings(part, docs, tfs, n, NULL, &st), &st);
    }
    REQUIRE_OK(gs_index_part_finish(part, &st), &st);
    gs_index_part_free(part);
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_writer_free(w);
}

static void put(sink *s, const void *data, size_t bytes)
{
    if (s->bytes + bytes > s->capacity) {
        s->capacity = (s->bytes + bytes) * 2;
        s->data = realloc(s->data, s->capacity);
        REQUIRE(s->data != NULL);
    }
    memcpy(s->data + s->bytes, data, bytes);
    s->bytes += bytes;
}

static gs_code collect(void *context, const void *data, size_t bytes, gs_status *st)
{
    sink *const s = context;
    if (s->calls_left == 0)
        return GS_FAIL(st, GS_ERR_IO, 28, "no room");
    s->calls_left -= s->calls_left != SIZE_MAX;
    put(s, data, bytes);
    return GS_OK;
}

/* What must come out, from the list of terms alone. */
static void expect(sink *want, size_t query_count)
{
    for (size_t q = 0; q < query_count; q++) {
        char line[64];
        const text *const found =
            bsearch(&queries[q], terms, term_count, sizeof *terms, compare);
        put(want, queries[q].data, queries[q].bytes);
        if (found == NULL) {
            put(want, "\t0\t0\t\n", 6);
            continue;
        }
        const size_t i = (size_t)(found - terms), n = i % 100 == 7 ? 300 : 1;
        put(want, line, (size_t)sprintf(line, "\t%zu\t%zu\t", n, n * 2));
        for (size_t k = 0; k < n; k++)
            put(want, line,
                (size_t)sprintf(line, "%zu:2%c", i + k * 5, k + 1 < n ? ' ' : '\n'));
    }
}

static gs_code answer(const void *context, gs_term_cursor *cursor, const void *term,
                      size_t bytes, gs_text_out *out, gs_status *st)
{
    (void)context;
    return gs_index_lookup_sought(cursor, term, bytes, GS_LOOKUP_TEXT, out, st);
}

typedef struct feed {
    size_t next, count;
    size_t calls_left; /* before one fails; SIZE_MAX: none does */
} feed;

static gs_code fill(void *context, gs_term_batch *batch, bool may_wait, gs_status *st)
{
    (void)may_wait;
    feed *const f = context;
    if (f->calls_left == 0)
        return GS_FAIL(st, GS_ERR_IO, 5, "no more");
    f->calls_left -= f->calls_left != SIZE_MAX;
    while (f->next < f->count &&
           gs_term_batch_add(batch, queries[f->next].data, queries[f->next].bytes))
        f->next++;
    return GS_OK;
}

static void answer_all(const gs_index *index, unsigned workers, feed f, sink *got,
                       gs_status *st)
{
    const gs_batch_answer_options options = {.index = index,
                                             .workers = workers,
                                             .engine = "cpu",
                                             .fill = fill,
                                             .fill_context = &f,
                                             .answer = answer,
                                             .write = collect,
                                             .write_context = got};
    GS_NOTED(gs_batch_answer_all(&options, st));
}

static void same_as_one_by_one(const gs_index *index)
{
    for (unsigned round = 0; round < (check_is_short() ? ROUNDS / 2 : ROUNDS); round++) {
        gs_status st = {.code = GS_OK};
        sink want = {.calls_left = SIZE_MAX}, got = {.calls_left = SIZE_MAX};
        const size_t query_count = round == 0 ? QUERIES : below(round % 3 ? 3000 : 600);
        for (size_t q = 0; q < query_count; q++) {
            if (below(4) == 0)
                make_text(&queries[q]);
            else
                queries[q] = terms[below(term_count)];
            if (below(50) == 0)
                queries[q].bytes = below(queries[q].bytes);
        }
        const feed all = {.count = query_count, .calls_left = SIZE_MAX};
        expect(&want, query_count);
        answer_all(index, 1 + round % 5, all, &got, &st);
        CHECK(st.code == GS_OK && got.bytes == want.bytes &&
              (want.bytes == 0 || memcmp(got.data, want.data, want.bytes) == 0));
        if (want.bytes > 0) {
            /* The same, but the output is full after a while. */
            sink cut = {.calls_left = below(6)};
            answer_all(index, 1 + round % 5, all, &cut, &st);
            CHECK(st.code == GS_OK ? cut.bytes == want.bytes : st.code == GS_ERR_IO);
            CHECK(cut.bytes <= want.bytes &&
                  (cut.bytes == 0 || memcmp(cut.data, want.data, cut.bytes) == 0));
            free(cut.data);
        }
        free(want.data);
        free(got.data);
    }
}

/* What was read before the input failed is answered. */
static void input_fails(const gs_index *index)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        for (size_t calls = 0; calls <= 2; calls++) {
            if (check_is_short() && calls != workers - 1)
                continue;
            gs_status st = {.code = GS_OK};
            sink want = {.calls_left = SIZE_MAX}, got = {.calls_left = SIZE_MAX};
            const feed broken = {.count = QUERIES, .calls_left = calls};
            for (size_t q = 0; q < QUERIES; q++)
                queries[q] = terms[below(term_count)];
            expect(&want, calls == 0 ? 0 : calls == 1 ? GS_TERM_BATCH_TERMS : QUERIES);
            answer_all(index, workers, broken, &got, &st);
            CHECK(st.code == GS_ERR_IO && strcmp(st.msg, "no more") == 0);
            CHECK(got.bytes == want.bytes &&
                  (want.bytes == 0 || memcmp(got.data, want.data, want.bytes) == 0));
            free(want.data);
            free(got.data);
        }
    }
}

/* Ranks are those that counting gives; a wrong one would cost time and not show. */
static void ranks_are_right(const gs_index *index)
{
    gs_status st = {.code = GS_OK};
    gs_term_batch *batch = NULL;
    const uint64_t *const prefixes = gs_index_term_prefixes(index);
    REQUIRE_OK(gs_term_batch_new(&batch, index, &st), &st);
    for (unsigned round = 0; round < 3; round++) {
        const size_t count = 100 + below(900), middle = below(count);
        for (size_t q = 0; q < count; q++) {
            make_text(&queries[q]);
            if (below(4) == 0)
                queries[q].bytes = below(queries[q].bytes);
            REQUIRE(gs_term_batch_add(batch, queries[q].data, queries[q].bytes));
        }
        REQUIRE_OK(gs_term_batch_find_slice(batch, (gs_term_slice){middle, count}, &st),
                   &st);
        REQUIRE_OK(gs_term_batch_find_slice(batch, (gs_term_slice){0, middle}, &st), &st);
        for (size_t q = 0; q < count; q++) {
            uint64_t prefix = 0;
            uint32_t less = 0;
            for (size_t i = 0; i < 8; i++)
                prefix = prefix << 8 |
                         (i < queries[q].bytes ? (uint8_t)queries[q].data[i] : 0);
            for (size_t i = 0; i < gs_index_dictionary_blocks(index); i++)
                less += prefixes[i] < prefix;
            CHECK(gs_term_batch_rank(batch, q) == less);
        }
        gs_term_batch_clear(batch);
    }
    gs_term_batch_free(batch);
}

/* A rank that is wrong, as a damaged array of prefixes may give, costs time only. */
static void wrong_ranks_do_not_matter(const gs_index *index)
{
    gs_status st = {.code = GS_OK};
    gs_term_cursor *c = NULL;
    REQUIRE_OK(gs_term_cursor_new(&c, index, &st), &st);
    for (unsigned i = 0; i < 2000; i++) {
        const text *const t = &terms[below(term_count)];
        const uint64_t rank = below(4) ? below(term_count) : check_random(&state);
        REQUIRE_OK(gs_term_cursor_seek_near(c, rank, t->data, t->bytes, &st), &st);
        CHECK(gs_term_cursor_is_at(c, t->data, t->bytes));
    }
    gs_term_cursor_free(c);
}

static void too_long_is_refused(const gs_index *index)
{
    gs_status st = {.code = GS_OK};
    gs_term_batch *batch = NULL;
    char *const line = calloc(1, GS_TERM_BATCH_BYTES + 1);
    REQUIRE(line != NULL);
    REQUIRE_OK(gs_term_batch_new(&batch, index, &st), &st);
    CHECK(!gs_term_batch_add(batch, line, GS_TERM_BATCH_BYTES + 1));
    CHECK(gs_term_batch_add(batch, line, GS_TERM_BATCH_BYTES));
    CHECK(!gs_term_batch_add(batch, line, 1));
    CHECK(gs_term_batch_add(batch, line, 0));
    CHECK(gs_term_batch_count(batch) == 2);
    gs_term_batch_clear(batch);
    CHECK(gs_term_batch_add(batch, line, 1));
    gs_term_batch_free(batch);
    free(line);
}

int main(void)
{
    state = check_seed(3);
    REQUIRE(mkdtemp(scratch) != NULL);
    (void)snprintf(folder, sizeof folder, "%s/index", scratch);
    build_index();
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE(gs_index_dictionary_blocks(index) > 100);
    same_as_one_by_one(index);
    input_fails(index);
    ranks_are_right(index);
    wrong_ranks_do_not_matter(index);
    too_long_is_refused(index);
    gs_index_close(index);
    CHECK(gs_mem_held_bytes() == 0);
    char command[PATH_BYTES];
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch);
    CHECK(system(command) == 0);
    return check_result();
}
