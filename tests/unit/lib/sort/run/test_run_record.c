/* SPDX-License-Identifier: MIT */
/*
 * run_record, run_cursor: records of which a part is left out come back whole, in the
 * order of all, from several runs and with a second merge between: with much and nothing
 * in common, equal ones, ones too long to share, keys with and without the line in the
 * string, both directions, with and without an end-of-line byte.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/run/run_record.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/sort/run/range_merge.h"
#include "lib/sort/run/run_list.h"
#include "tests/check.h"

enum {
    RECORDS = 1000,
    RUNS = 4,
    KINDS = 4,
    BYTES_MAX = GS_RUN_SHARING_MAX + 300,
    SLACK = 2 * GS_SHORT_COPY_BYTES,
};

typedef struct test_record {
    uint8_t *data; /* key and line, and eol */
    size_t length, key_bytes, string_bytes;
    size_t number;
} test_record;

static test_record records[RECORDS];
static uint8_t bytes_of[RECORDS][BYTES_MAX + SLACK];
static gs_record_layout layout;
static const char *const folders[] = {"."};
static const gs_sort_options sort_options = {
    .temp_folders = folders, .temp_folder_count = 1, .no_uring = true};
static const gs_memory_plan plan = {.workers = 1,
                                    .stream_block_bytes = 4096,
                                    .stream_blocks = 4,
                                    .run_block_bytes = 4096};

/* Lengths around that of a symbol and of what is shared at most. */
static size_t make_string(uint8_t *to, unsigned kind, uint64_t *state)
{
    const uint64_t r = check_random(state);
    size_t bytes = 0;
    if (kind == 0)
        for (; bytes < r % 30; bytes++)
            to[bytes] = (uint8_t)check_random(state);
    for (unsigned i = 0; kind == 1 && i < r % 20; i++, bytes += 3)
        memcpy(to + bytes, check_random(state) % 8 ? "abc" : "abd", 3);
    if (kind == 2) { /* about as long as a record that is whole */
        bytes = GS_RUN_SHARING_MAX - 20 + r % 60;
        memset(to, 'x', bytes);
        to[check_random(state) % bytes] = (uint8_t)('v' + r % 5);
    }
    if (kind == 3) {
        memset(to, 'y', 24);
        bytes = r % 25;
    }
    return bytes;
}

static void make_record(test_record *r, size_t i, unsigned kind, uint64_t *state)
{
    uint8_t *const data = bytes_of[i];
    *r = (test_record){.data = data, .number = i};
    r->length = make_string(data, kind, state);
    if (layout.is_keyed) {
        r->key_bytes = r->length;
        r->length += check_random(state) % 200; /* and a line, of what lies there */
    }
    r->string_bytes = gs_run_string_bytes(&layout, r->length, r->key_bytes);
    data[r->length] = '\n';
}

static int compare(const void *a, const void *b)
{
    const test_record *const x = a, *const y = b;
    const int d =
        gs_string_compare(x->data, x->string_bytes, y->data, y->string_bytes, 0);
    if (d != 0)
        return layout.is_backwards ? -d : d;
    return (x->number > y->number) - (x->number < y->number);
}

/* Those records of the order whose number says that they are of this run. */
static void write_run(gs_run_list *list, unsigned run)
{
    gs_status st = {.code = GS_OK};
    gs_run_writer writer;
    gs_sink_piece *piece = NULL;
    const test_record *last = NULL;
    REQUIRE_OK(gs_run_writer_open(&writer, list, 65536, &st), &st);
    REQUIRE_OK(gs_sink_piece_new(&piece, &writer.sink, &st), &st);
    gs_sink_begin(piece, 0);
    for (const test_record *r = records; r < records + RECORDS; r++) {
        gs_sink_record out = {
            .data = r->data, .length = r->length, .key_bytes = r->key_bytes, .count = 1};
        int order = 0;
        if (r->number / (RECORDS / RUNS) != run)
            continue;
        if (last != NULL)
            out.shared = gs_ovc_first_difference(last->data, last->string_bytes, r->data,
                                                 r->string_bytes, 0, &order) +
                         1;
        if (order == 0)
            out.shared = 0;
        REQUIRE_OK(gs_sink_add(piece, &out, &st), &st);
        last = r;
    }
    REQUIRE_OK(gs_sink_end(piece, &st), &st);
    gs_sink_piece_free(piece);
    REQUIRE_OK(gs_run_writer_close(&writer, &st), &st);
    REQUIRE_OK(gs_run_list_add(list, &writer.run, &st), &st);
}

/* Two runs become one, which takes the place of the second. */
static void merge_two(gs_run_list *list, gs_team *team)
{
    gs_status st = {.code = GS_OK};
    gs_run_writer writer;
    uint64_t ticket;
    const gs_range_merge_options options = {.layout = &layout,
                                            .memory_bytes = 1 << 20,
                                            .no_uring = true,
                                            .spill = list->spill};
    REQUIRE_OK(gs_run_writer_open(&writer, list, 65536, &st), &st);
    REQUIRE_OK(
        gs_range_merge_run(list->runs, 2, team, &writer.sink, &options, &ticket, &st),
        &st);
    REQUIRE_OK(gs_run_writer_close(&writer, &st), &st);
    gs_run_release(&list->runs[0]);
    gs_run_release(&list->runs[1]);
    list->runs[1] = writer.run;
}

typedef struct reader {
    size_t seen, wrong;
} reader;

static size_t kept_together(const uint8_t *key, size_t bytes)
{
    (void)key;
    return bytes;
}

static gs_code begin(void *context, unsigned worker, size_t portion, gs_status *st)
{
    (void)context, (void)worker, (void)portion;
    return st->code;
}

static gs_code add(void *context, unsigned worker, const gs_run_cursor *c, gs_status *st)
{
    reader *const all = context;
    const test_record *const r = &records[all->seen++];
    (void)worker;
    REQUIRE(all->seen <= RECORDS);
    all->wrong += c->length != r->length || c->key_bytes != r->key_bytes ||
                  memcmp(c->data, r->data, r->length + layout.has_eol) != 0;
    return st->code;
}

static gs_code end(void *context, unsigned worker, gs_status *st)
{
    (void)context, (void)worker;
    return st->code;
}

static void abandon(void *context, unsigned worker, const gs_status *why)
{
    (void)context, (void)worker, (void)why;
}

static void come_back_whole(unsigned kind, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_team *team = NULL;
    reader all = {0};
    gs_run_list list = {.options = &sort_options, .plan = &plan, .layout = &layout};
    const gs_range_consumer consumer = {.portion_max = 1,
                                        .kept_together = kept_together,
                                        .begin = begin,
                                        .add = add,
                                        .end = end,
                                        .abandon = abandon,
                                        .context = &all};
    for (size_t i = 0; i < RECORDS; i++)
        make_record(&records[i], i, kind, state);
    qsort(records, RECORDS, sizeof *records, compare);
    REQUIRE_OK(gs_team_new(&team, 1, &st), &st);
    for (unsigned run = 0; run < RUNS; run++)
        write_run(&list, run);
    merge_two(&list, team);
    const gs_range_merge_options options = {.layout = &layout,
                                            .memory_bytes = 1 << 20,
                                            .no_uring = true,
                                            .spill = list.spill};
    REQUIRE_OK(
        gs_range_merge_consume(list.runs + 1, RUNS - 1, team, &consumer, &options, &st),
        &st);
    CHECK(all.seen == RECORDS && all.wrong == 0);
    /* What is shared is not stored: of 24 bytes that are all one letter, say. */
    uint64_t raw = 0, whole = 0;
    for (size_t e = 0; e < list.runs[1].entry_count; e++) {
        raw += list.runs[1].entries[e].raw_bytes;
        whole += list.runs[1].entries[e].record_bytes;
    }
    CHECK(raw <= whole && (kind == 0 || layout.is_keyed || raw < whole));
    CHECK(kind != 3 || layout.is_keyed || raw < whole / 2);
    gs_run_list_release(&list);
    gs_team_free(team);
}

int main(void)
{
    uint64_t state = check_seed(20260103);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (unsigned l = 0; l < 6; l++) {
            layout = (gs_record_layout){.has_eol = l % 2 == 0,
                                        .eol = '\n',
                                        .is_backwards = l % 3 == 0,
                                        .is_keyed = l >= 2,
                                        .is_key_only = l >= 4};
            come_back_whole(kind, &state);
        }
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
