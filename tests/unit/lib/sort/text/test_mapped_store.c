/* SPDX-License-Identifier: MIT */
/*
 * mapped_store: runs are the texts that were put into them, whether in memory, in a file
 * or both, and stay so when the memory is given back; no more memory is taken than may
 * be; any part can be read in pieces of any size, at whatever place it begins; cutting
 * and leaving pages loses nothing; the merge of all is every line in order, equal ones
 * by their runs, and of parts one after the other the same. Each request for memory may
 * fail.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/text/texts.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { RUNS_MAX = 7, RUN_BYTES_MAX = 3 << 20, BLOCK_BYTES = 64 << 10 };

typedef struct job {
    gs_sort_options options;
    gs_memory_plan plan;
    gs_record_layout layout;
    gs_run_store *runs;
    gs_mapped_store *store;
    const char *folder[1];
    uint8_t *texts[RUNS_MAX]; /* what was put into the runs */
    size_t bytes[RUNS_MAX], count;
} job;

static int output_fd = -1;

static gs_code begin(job *j, const char *folder, unsigned threads, gs_status *st)
{
    *j = (job){.folder = {folder}};
    j->options =
        (gs_sort_options){.order = {.eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS},
                          .memory_bytes = 64 << 20,
                          .threads = threads,
                          .temp_folders = j->folder,
                          .temp_folder_count = 1};
    j->plan = gs_memory_plan_sort(&j->options, false);
    j->plan.stream_block_bytes = BLOCK_BYTES;
    j->plan.workers = threads;
    j->layout = gs_order_layout(&j->options.order, false);
    const gs_run_store_options options = {
        .options = &j->options, .plan = &j->plan, .layout = &j->layout};
    GS_TRY(gs_mapped_store_new(&j->runs, &options, st));
    j->store = gs_mapped_store_of(j->runs);
    return GS_OK;
}

/* Its runs are in the page cache, in as many files as there are workers. */
static void stay_cached(job *j)
{
    j->runs->options.input_bytes = 1;
}

static void end(job *j)
{
    gs_run_store_free(j->runs);
    for (size_t i = 0; i < j->count; i++)
        free(j->texts[i]);
    CHECK(gs_mem_held_bytes() == 0);
}

/* Lines of one letter and a number, in order. */
static void make_text(job *j, size_t bytes, uint64_t *state)
{
    const size_t run = j->count++;
    size_t used = 0;
    unsigned number = 0;
    j->texts[run] = malloc(bytes + 64);
    REQUIRE(j->texts[run] != NULL);
    while (used < bytes) {
        number += (unsigned)(check_random(state) % 3);
        used += (size_t)sprintf((char *)j->texts[run] + used, "line %08u\n", number);
    }
    j->bytes[run] = used;
}

/* By who knows its length, or by pieces as cores write them. */
static gs_code put_run(job *j, bool is_placed, gs_status *st)
{
    const size_t run = j->count - 1, bytes = j->bytes[run];
    const uint8_t *const text = j->texts[run];
    gs_sink *sink = NULL;
    uint64_t placed = 0, offset;
    uint8_t *memory = NULL;
    GS_TRY(gs_run_store_open(j->runs, &sink, st));
    if (is_placed)
        placed = sink->place(sink->place_context, bytes, &memory);
    CHECK(placed <= bytes && (placed == bytes || placed % BLOCK_BYTES == 0));
    if (placed > 0)
        memcpy(memory, text, (size_t)placed);
    if (gs_stream_reserve(sink->stream, 0, bytes - placed, true, &offset, st) == GS_OK)
        GS_NOTED(gs_stream_put(sink->stream, offset, text + placed,
                               bytes - (size_t)placed, st));
    return gs_run_store_close(j->runs, st);
}

static gs_code fill(job *j, size_t memory_bytes, size_t run_bytes_max, uint64_t *state,
                    gs_status *st)
{
    const size_t count = 2 + check_random(state) % (RUNS_MAX - 1);
    gs_mapped_store_may_take(j->store, memory_bytes);
    for (size_t i = 0; i < count; i++) {
        /* An empty one too. */
        make_text(j, i == 1 ? 0 : 1 + check_random(state) % run_bytes_max, state);
        GS_TRY(put_run(j, check_random(state) % 4 > 0, st));
    }
    CHECK(j->runs->run_count == count);
    return GS_OK;
}

/* Part by part, in blocks of some size, and nothing but by read. */
static void check_reads(job *j, const gs_text *texts, uint64_t *state)
{
    enum { MOST = 32 << 10 };
    gs_status st = {.code = GS_OK};
    uint8_t *room = NULL;
    REQUIRE_OK(gs_mem_map(&room, MOST + GS_SPILL_ALIGN, false, "room", &st), &st);
    for (size_t i = 0; i < j->count; i++) {
        const uint8_t *at = texts[i].begin;
        while (at < texts[i].end) {
            const size_t left = (size_t)(texts[i].end - at);
            const size_t part = 1 + check_random(state) % left;
            const size_t most = (size_t)GS_SPILL_ALIGN << check_random(state) % 4;
            const size_t n = gs_mapped_store_readable(j->store, i, at, at + part, most);
            const uint8_t *data = NULL;
            REQUIRE(n > 0 && n <= part && n <= most);
            REQUIRE_OK(gs_mapped_store_read(j->store, i, at, n, room, &data, &st), &st);
            CHECK(memcmp(data, j->texts[i] + (at - texts[i].begin), n) == 0);
            at += n;
        }
    }
    gs_mem_unmap(room, MOST + GS_SPILL_ALIGN);
}

static void check_texts(job *j, size_t memory_bytes, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    const gs_text *texts = NULL;
    size_t count, own = 0;
    REQUIRE_OK(gs_mapped_store_texts(j->store, &texts, &count, &st), &st);
    REQUIRE(count == j->count);
    for (size_t i = 0; i < count; i++) {
        const gs_text *const t = &texts[i];
        CHECK((size_t)(t->end - t->begin) == j->bytes[i]);
        CHECK(memcmp(t->begin, j->texts[i], j->bytes[i]) == 0);
        own += t->own_end != NULL ? (size_t)(t->own_end - t->begin) : 0;
        gs_text_leave(t, t->begin, j->bytes[i]);
        gs_text_leave_around(t, t->begin + j->bytes[i] / 2, j->bytes[i] / 3);
        CHECK(memcmp(t->begin, j->texts[i], j->bytes[i]) == 0);
        for (size_t k = 0; k < GS_KEY_READ_SLACK; k++) /* there is something to read */
            CHECK(((const volatile uint8_t *)t->end)[k] <= 0xff);
    }
    CHECK(own <= memory_bytes);
    check_reads(j, texts, state);
}

/* --- merging ------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
    return memcmp(*(const char *const *)a, *(const char *const *)b,
                  sizeof "line 12345678");
}

static void check_output(const job *j)
{
    size_t all = 0, lines = 0;
    for (size_t i = 0; i < j->count; i++)
        all += j->bytes[i];
    const size_t line = sizeof "line 12345678";
    const char **const sorted = malloc((all / line + 1) * sizeof *sorted);
    char *const got = malloc(all + 1);
    REQUIRE(sorted != NULL && got != NULL);
    for (size_t i = 0; i < j->count; i++)
        for (size_t at = 0; at < j->bytes[i]; at += line)
            sorted[lines++] = (const char *)j->texts[i] + at;
    qsort(sorted, lines, sizeof *sorted, compare_lines);
    REQUIRE(pread(output_fd, got, all + 1, 0) == (ssize_t)all);
    bool is_same = true;
    for (size_t i = 0; i < lines; i++)
        is_same = is_same && memcmp(got + i * line, sorted[i], line) == 0;
    CHECK(is_same);
    free(sorted);
    free(got);
}

/* All at once, or cut in the middle of the first run's lines. */
static gs_code merge(job *j, bool in_parts, gs_status *st)
{
    gs_stream_target target = {.fd = output_fd, .is_seekable = true, .failure = "output"};
    gs_sink sink = {.layout = j->layout, .buffer_bytes = j->plan.merge_piece_bytes};
    uint64_t total = 0, ticket = 1, unused;
    REQUIRE(ftruncate(output_fd, 0) == 0);
    GS_TRY(gs_run_store_reduce(j->runs, st));
    GS_TRY(gs_stream_new(&sink.stream, &target, BLOCK_BYTES, j->plan.stream_blocks, st));
    gs_sink_init(&sink);
    GS_NOTED(gs_stream_reserve(sink.stream, 0, 0, true, &unused, st));
    if (st->code == GS_OK && !in_parts) {
        GS_NOTED(gs_run_store_merge_last(j->runs, &sink, ticket, st));
    } else if (st->code == GS_OK) {
        const gs_text *texts = NULL;
        size_t count;
        const uint8_t *bounds[3][RUNS_MAX];
        GS_NOTED(gs_mapped_store_texts(j->store, &texts, &count, st));
        gs_text_form form = {.layout = &j->layout};
        gs_merge_head head = {.string = (const uint8_t *)"line 00002000",
                              .string_bytes = strlen("line 00002000")};
        for (size_t i = 0; i < count && st->code == GS_OK; i++) {
            bounds[0][i] = texts[i].begin;
            bounds[2][i] = texts[i].end;
            GS_NOTED(gs_text_find(&form, &texts[i], texts[i].begin, texts[i].end, &head,
                                  false, &bounds[1][i], st));
        }
        for (unsigned p = 0; p < 2 && st->code == GS_OK; p++)
            GS_NOTED(gs_mapped_store_merge_part(j->store, bounds[p], bounds[p + 1], &sink,
                                                &ticket, st));
    }
    if (st->code != GS_OK)
        gs_stream_abort(sink.stream, st);
    GS_NOTED(gs_stream_finish(sink.stream, &total, st));
    gs_stream_free(sink.stream);
    gs_sink_release(&sink);
    return st->code;
}

/* --- cases --------------------------------------------------------------------- */

static void fill_and_merge(const char *folder, unsigned threads, uint64_t *state)
{
    for (unsigned i = 0; i < check_often(40); i++) {
        job j;
        gs_status st = {.code = GS_OK};
        const size_t memory = i % 3 == 0 ? 0 : check_random(state) % (4 << 20);
        REQUIRE_OK(begin(&j, folder, threads, &st), &st);
        if (i % 4 < 2)
            stay_cached(&j);
        REQUIRE_OK(fill(&j, memory, RUN_BYTES_MAX / 4, state, &st), &st);
        const bool gives = check_random(state) % 3 == 0;
        if (gives)
            REQUIRE_OK(gs_run_store_give_memory(j.runs, &st), &st);
        check_texts(&j, gives ? 0 : memory, state);
        for (unsigned turn = 0; turn < 2; turn++) { /* and again */
            REQUIRE_OK(merge(&j, turn == i % 2, &st), &st);
            check_output(&j);
        }
        end(&j);
    }
}

/* In whatever is done; what can be merged is right. */
static void short_of_memory(const char *folder, uint64_t *state)
{
    unsigned failed = 0;
    for (uint64_t nth = 1;; nth++) {
        job j;
        gs_status st = {.code = GS_OK};
        gs_mem_fail_nth(nth);
        bool is_good = begin(&j, folder, 2, &st) == GS_OK;
        if (is_good && nth % 3 == 0)
            stay_cached(&j);
        is_good = is_good && fill(&j, 300000, 200000, state, &st) == GS_OK;
        if (is_good && nth % 2 == 0)
            is_good = gs_run_store_give_memory(j.runs, &st) == GS_OK;
        is_good = is_good && merge(&j, nth % 4 < 2, &st) == GS_OK;
        const bool has_failed = gs_mem_fail_left() == 0;
        gs_mem_fail_nth(0);
        CHECK(is_good || (has_failed && st.code == GS_ERR_NOMEM));
        if (is_good)
            check_output(&j);
        failed += !is_good;
        end(&j);
        if (!has_failed)
            break;
    }
    CHECK(failed > 20);
}

/* A run that is given up is none, and its memory is free for the next one. */
static void given_up(const char *folder, uint64_t *state)
{
    job j;
    gs_status st = {.code = GS_OK};
    gs_sink *sink = NULL;
    uint8_t *memory = NULL;
    REQUIRE_OK(begin(&j, folder, 2, &st), &st);
    gs_mapped_store_may_take(j.store, 1 << 20);
    REQUIRE_OK(gs_run_store_open(j.runs, &sink, &st), &st);
    CHECK(sink->place(sink->place_context, 1 << 20, &memory) == 1 << 20);
    CHECK(GS_FAIL(&st, GS_ERR_GPU, 0, "told so") == GS_ERR_GPU);
    CHECK(gs_run_store_close(j.runs, &st) == GS_ERR_GPU && j.runs->run_count == 0);
    gs_status_clear(&st);
    make_text(&j, 1 << 19, state);
    REQUIRE_OK(put_run(&j, true, &st), &st);
    check_texts(&j, 1 << 20, state);
    REQUIRE_OK(merge(&j, false, &st), &st);
    check_output(&j);
    end(&j);
}

static void test_in(const char *folder, uint64_t *state)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s/gpusort-test-store-XXXXXX", folder);
    output_fd = mkstemp(name);
    REQUIRE(output_fd >= 0 && unlink(name) == 0);
    fill_and_merge(folder, 3, state);
    fill_and_merge(folder, 8, state); /* files in memory are filled page by page */
    short_of_memory(folder, state);
    given_up(folder, state);
    REQUIRE(close(output_fd) == 0);
}

static void hear_cached(void *context, gs_log_level level, const char *text)
{
    (void)level;
    if (strstr(text, "page cache") != NULL)
        ++*(unsigned *)context;
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *const folder = opendir("/proc/self/fd");
    REQUIRE(folder != NULL);
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

/* Runs of an input that the page cache holds go through it, each worker's part to a file
 * of its own unless there would be too many parts, and no others. */
static void runs_of_little_stay_cached(uint64_t *state)
{
    for (unsigned i = 0; i < 5; i++) {
        job j;
        gs_status st = {.code = GS_OK};
        unsigned heard = 0;
        const unsigned before = count_descriptors();
        const gs_log log = {.fn = hear_cached, .context = &heard};
        REQUIRE_OK(begin(&j, "/tmp", 2, &st), &st);
        const uint64_t parts = (uint64_t)BLOCK_BYTES << 14;
        if (j.plan.cached_bytes <= 2 * parts)
            j.plan.cached_bytes = 2 * parts;
        const uint64_t sizes[] = {0, 1, parts, j.plan.cached_bytes,
                                  j.plan.cached_bytes + 1};
        j.options.log = &log;
        j.runs->options.input_bytes = sizes[i];
        make_text(&j, 1 << 20, state);
        REQUIRE_OK(put_run(&j, false, &st), &st);
        CHECK(heard == (i > 0 && i < 4));
        CHECK(count_descriptors() - before == (i == 1 || i == 2 ? 2 : 1));
        check_texts(&j, 0, state);
        end(&j);
    }
}

int main(void)
{
    uint64_t state = check_seed(23);
    runs_of_little_stay_cached(&state);
    test_in("/tmp", &state);
    if (access("/dev/shm", W_OK) == 0)
        test_in("/dev/shm", &state);
    return check_result();
}
