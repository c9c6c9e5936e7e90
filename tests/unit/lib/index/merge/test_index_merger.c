/* SPDX-License-Identifier: MIT */
/*
 * index_merger, ciff_import: the merged index must be the same bytes as the whole one,
 * wherever the documents were cut (at the ends of blocks, too, where blocks are copied),
 * with any number of indexes, threads and memory; and when memory cannot be had, nothing
 * may leak or be left.
 */
#define CHECK_STARTS_THREADS

#include "lib/index/merge/index_merger.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/exchange/ciff_import.h"
#include "lib/index/exchange/ciff_write.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/write/index_writer.h"
#include "tests/check.h"

enum { DOCS = 1500, TERMS = 60, TF_MAX = 5, INPUTS_MAX = 64, PATH_BYTES = 96 };

static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-merge-XXXXXX";
static uint8_t tfs[TERMS][DOCS]; /* 0: the term is not in the document */

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* Terms in every document, in most, in few, and in a stretch of them. */
static void make_corpus(void)
{
    for (size_t t = 0; t < TERMS; t++) {
        const uint64_t first = below(DOCS), length = below(DOCS);
        for (size_t doc = 0; doc < DOCS; doc++) {
            const bool is_in = t % 4 == 0   ? true
                               : t % 4 == 1 ? below(10) > 0
                               : t % 4 == 2 ? below(100) == 0
                                            : doc - first < length;
            tfs[t][doc] = is_in ? (uint8_t)(1 + below(3) * below(3)) : 0;
        }
        tfs[t][below(DOCS)] = 1;
    }
}

static void write_list(gs_index_part *part, size_t t, size_t begin, size_t end,
                       gs_status *st)
{
    bool has_term = false;
    char term[32];
    const int bytes =
        snprintf(term, sizeof term, "%s%zu", t % 2 ? "abcdefgh" : "a", t + 10);
    for (size_t doc = begin; doc < end; doc++) {
        const uint64_t id = doc - begin;
        const uint32_t tf = tfs[t][doc];
        uint32_t positions[TF_MAX];
        if (tf == 0)
            continue;
        for (uint32_t i = 0; i < tf; i++)
            positions[i] = (uint32_t)(doc * 7 + i * 1000);
        if (!has_term)
            REQUIRE_OK(gs_index_part_term(part, term, (size_t)bytes, st), st);
        has_term = true;
        REQUIRE_OK(gs_index_part_postings(part, &id, &tf, 1, positions, st), st);
    }
}

static void write_index(const char *folder, size_t begin, size_t end, bool has_positions)
{
    gs_status st = {.code = GS_OK};
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    const gs_index_writer_options options = {.folder = folder,
                                             .has_positions = has_positions,
                                             .has_documents = true,
                                             .memory_bytes = 1 << 20,
                                             .part_count = 1};
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    for (size_t doc = begin; doc < end; doc++) {
        uint32_t length = 0;
        char name[32];
        const int bytes = snprintf(name, sizeof name, "doc %zu", doc);
        for (size_t t = 0; t < TERMS; t++)
            length += tfs[t][doc];
        REQUIRE_OK(gs_index_writer_document(w, name, (size_t)bytes, length, &st), &st);
    }
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    /* Even terms come before odd ones: "a..." and "abcdefgh...". */
    for (size_t t = 0; t < TERMS; t += 2)
        write_list(part, t, begin, end, &st);
    for (size_t t = 1; t < TERMS; t += 2)
        write_list(part, t, begin, end, &st);
    REQUIRE_OK(gs_index_part_finish(part, &st), &st);
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_part_free(part);
    gs_index_writer_free(w);
}

static void path_of(char *path, const char *name, size_t number)
{
    (void)snprintf(path, PATH_BYTES, "%s/%s%zu", scratch, name, number);
}

static bool run(const char *command, const char *a, const char *b)
{
    char text[4 * PATH_BYTES];
    (void)snprintf(text, sizeof text, "%s %s %s", command, a, b);
    return system(text) == 0;
}

typedef struct inputs {
    char paths[INPUTS_MAX][PATH_BYTES];
    const char *names[INPUTS_MAX];
    size_t count;
} inputs;

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Indexes of stretches of the documents. */
static void write_inputs(inputs *in, size_t count, size_t step, bool has_positions)
{
    size_t cuts[INPUTS_MAX + 1];
    for (size_t i = 1; i < count; i++)
        cuts[i] = below(DOCS / step) * step;
    cuts[0] = 0;
    cuts[count] = DOCS;
    qsort(cuts + 1, count - 1, sizeof *cuts, by_number);
    for (size_t i = 0; i < count; i++) {
        path_of(in->paths[i], "in", i);
        in->names[i] = in->paths[i];
        write_index(in->paths[i], cuts[i], cuts[i + 1], has_positions);
    }
    in->count = count;
}

static void remove_inputs(const inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        CHECK(run("rm -r", in->paths[i], ""));
}

static gs_index_merge_options options_of(const inputs *in, const char *folder)
{
    return (gs_index_merge_options){.folder = folder,
                                    .inputs = in->names,
                                    .input_count = in->count,
                                    .memory_bytes = below(2) ? 1 : 1 << 28,
                                    .threads = (unsigned)(1 + below(4))};
}

static void merged_is_whole(size_t count, size_t step, bool has_positions)
{
    static inputs in;
    gs_status st = {.code = GS_OK};
    char whole[PATH_BYTES], merged[PATH_BYTES];
    path_of(whole, "whole", 0);
    path_of(merged, "merged", 0);
    write_index(whole, 0, DOCS, has_positions);
    write_inputs(&in, count, step, has_positions);
    const gs_index_merge_options options = options_of(&in, merged);
    REQUIRE_OK(gs_index_merge(&options, &st), &st);
    CHECK(run("diff -r", whole, merged));
    CHECK(run("rm -r", whole, merged));
    remove_inputs(&in);
}

/* --- a list with more skip entries than are kept in memory -------------------------- */

enum { LONG_LIST = 2500 * 1000 };

static void write_long(const char *folder, gs_status *st)
{
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    const gs_index_writer_options options = {
        .folder = folder, .memory_bytes = 1 << 20, .part_count = 1};
    REQUIRE_OK(gs_index_writer_new(&w, &options, st), st);
    REQUIRE_OK(gs_index_writer_set_document_count(w, LONG_LIST, st), st);
    REQUIRE_OK(gs_index_part_new(&part, w, 0, st), st);
    const char *const terms[] = {"long", "short"};
    for (size_t t = 0; t < 2; t++) {
        REQUIRE_OK(gs_index_part_term(part, terms[t], strlen(terms[t]), st), st);
        for (uint64_t doc = 0; doc < (t == 0 ? LONG_LIST : 1000); doc++) {
            const uint32_t tf = doc % 1000 == 0 ? 2 : 1;
            REQUIRE_OK(gs_index_part_postings(part, &doc, &tf, 1, NULL, st), st);
        }
    }
    REQUIRE_OK(gs_index_part_finish(part, st), st);
    REQUIRE_OK(gs_index_writer_commit(w, st), st);
    gs_index_part_free(part);
    gs_index_writer_free(w);
}

static void check_long(const char *folder, uint64_t postings, uint64_t tokens)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE_OK(gs_index_verify(index, NULL, &st), &st);
    CHECK(gs_index_header_of(index)->postings == postings);
    CHECK(gs_index_header_of(index)->tokens == tokens);
    gs_index_close(index);
}

static void long_lists_are_streams(void)
{
    static inputs in;
    const uint64_t tokens = LONG_LIST + LONG_LIST / 1000 + 1001;
    gs_status st = {.code = GS_OK};
    char merged[PATH_BYTES];
    path_of(merged, "merged", 3);
    path_of(in.paths[0], "in", 0);
    in.names[0] = in.names[1] = in.paths[0];
    in.count = 2;
    write_long(in.paths[0], &st);
    check_long(in.paths[0], LONG_LIST + 1000, tokens);
    gs_index_merge_options options = options_of(&in, merged);
    options.memory_bytes = 1;
    REQUIRE_OK(gs_index_merge(&options, &st), &st); /* docIDs are kept */
    check_long(merged, LONG_LIST + 1000, 2 * tokens);
    CHECK(run("rm -r", merged, ""));
    options.ids = GS_MERGE_IDS_SHIFT;
    REQUIRE_OK(gs_index_merge(&options, &st), &st);
    check_long(merged, 2 * (LONG_LIST + 1000), 2 * tokens);
    CHECK(run("rm -r", merged, in.paths[0]));
}

/* --- memory that cannot be had ------------------------------------------------------ */

typedef gs_code job_fn(void *context, gs_status *st);

/* The job with its first, second, ... request for memory failing, until all are granted:
 * each time it fails cleanly, and leaves nothing. */
static void fails_cleanly(job_fn *job, void *context, const char *folder)
{
    const size_t held = gs_mem_held_bytes();
    for (uint64_t nth = 1;; nth += check_is_short() ? 1 + nth / 8 : 1) {
        gs_status st = {.code = GS_OK};
        gs_mem_fail_nth(nth);
        const gs_code code = job(context, &st);
        gs_mem_fail_nth(0);
        CHECK(gs_mem_held_bytes() == held);
        if (code == GS_OK) {
            CHECK(nth > 10 && run("test -d", folder, ""));
            return;
        }
        CHECK(code == GS_ERR_NOMEM);
        CHECK(!run("ls -d", folder, "* >/dev/null 2>&1"));
        REQUIRE(nth < 10000);
    }
}

static gs_code merge_job(void *context, gs_status *st)
{
    return gs_index_merge(context, st);
}

static void merge_without_memory(void)
{
    static inputs in;
    char merged[PATH_BYTES];
    path_of(merged, "merged", 1);
    write_inputs(&in, 3, 1, true);
    gs_index_merge_options options = options_of(&in, merged);
    options.threads = 1;
    fails_cleanly(merge_job, &options, merged);
    CHECK(run("rm -r", merged, ""));
    remove_inputs(&in);
}

typedef struct import_job {
    gs_ciff_import_options options;
    uint8_t *data; /* the file, and how much is left of it */
    size_t bytes, left;
} import_job;

static gs_code add_bytes(void *context, const void *data, size_t bytes, gs_status *st)
{
    import_job *const job = context;
    job->data = realloc(job->data, job->bytes + bytes);
    REQUIRE(job->data != NULL && st->code == GS_OK);
    memcpy(job->data + job->bytes, data, bytes);
    job->bytes += bytes;
    return GS_OK;
}

/* The file in pieces of any length. */
static gs_code next_piece(void *context, const uint8_t **data, size_t *bytes,
                          gs_status *st)
{
    import_job *const job = context;
    const size_t most = (size_t)(1 + below(below(2) ? 40 : 100000));
    *data = job->data + (job->bytes - job->left);
    *bytes = job->left < most ? job->left : most;
    job->left -= *bytes;
    return st->code;
}

static gs_code import_it(void *context, gs_status *st)
{
    import_job *const job = context;
    const gs_byte_source source = {next_piece, job};
    job->left = job->bytes;
    return gs_ciff_import_source(&job->options, &source, st);
}

static void export_to(import_job *job, const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_text_out out;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE_OK(gs_text_out_open(&out, add_bytes, job, &st), &st);
    REQUIRE_OK(gs_ciff_write(index, &out, NULL, &st), &st);
    gs_text_out_release(&out);
    gs_index_close(index);
}

/* An index comes back from the format as the same bytes; or not at all. */
static void imported_is_same(void)
{
    char whole[PATH_BYTES], imported[PATH_BYTES];
    path_of(whole, "whole", 2);
    path_of(imported, "imported", 2);
    write_index(whole, 0, DOCS, false);
    import_job job = {.options = {.folder = imported, .input = "it"}};
    export_to(&job, whole);
    fails_cleanly(import_it, &job, imported);
    CHECK(run("diff -r", whole, imported));
    CHECK(run("rm -r", whole, imported));
    free(job.data);
}

int main(void)
{
    state = check_seed(31);
    REQUIRE(mkdtemp(scratch) != NULL);
    make_corpus();
    merged_is_whole(1, 1, true);
    merged_is_whole(INPUTS_MAX, 1, true);
    for (unsigned i = 0; i < (check_is_short() ? 3 : 8); i++)
        merged_is_whole(2 + below(4), i % 2 ? 1 : 128, i % 3 != 0);
    long_lists_are_streams();
    merge_without_memory();
    imported_is_same();
    CHECK(run("rmdir", scratch, ""));
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
