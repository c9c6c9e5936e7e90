/* SPDX-License-Identifier: MIT */
/* range_merge: runs whose records are not in order, as those of an input that was changed
 * while it was sorted: the merge gives every record or says that it did not. */
#define CHECK_STARTS_THREADS

#include "lib/sort/run/range_merge.h"

#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/sort/run/run_list.h"
#include "tests/check.h"

enum { RECORDS = 20000, RUNS = 3, WORKERS = 2 };

static const char *const folders[] = {"."};
static const gs_sort_options sort_options = {
    .temp_folders = folders, .temp_folder_count = 1, .no_uring = true};
static const gs_memory_plan plan = {.workers = WORKERS,
                                    .stream_block_bytes = 4096,
                                    .stream_blocks = 4,
                                    .run_block_bytes = 4096};
static const gs_record_layout layout = {.has_eol = true, .eol = '\n'};

/* Numbers that ascend; with `disorder` every so many of them is one that descends. */
static void write_run(gs_run_list *list, unsigned run, unsigned disorder)
{
    gs_status st = {.code = GS_OK};
    gs_run_writer writer;
    gs_sink_piece *piece = NULL;
    REQUIRE_OK(gs_run_writer_open(&writer, list, 65536, &st), &st);
    REQUIRE_OK(gs_sink_piece_new(&piece, &writer.sink, &st), &st);
    gs_sink_begin(piece, 0);
    for (unsigned i = 0; i < RECORDS; i++) {
        char line[256] = {0}; /* a sink reads a little more than it takes */
        const unsigned number = disorder > 0 && i % disorder == 0 ? RECORDS - i : i;
        const int bytes = snprintf(line, sizeof line, "%08u %u\n", number, run);
        const gs_sink_record r = {
            .data = (const uint8_t *)line, .length = (size_t)bytes - 1, .shared = 1};
        REQUIRE_OK(gs_sink_add(piece, &r, &st), &st);
    }
    REQUIRE_OK(gs_sink_end(piece, &st), &st);
    gs_sink_piece_free(piece);
    REQUIRE_OK(gs_run_writer_close(&writer, &st), &st);
    CHECK(writer.run.record_count == RECORDS && writer.run.entry_count > 10);
    REQUIRE_OK(gs_run_list_add(list, &writer.run, &st), &st);
}

/* Into another run; returns its records. */
static gs_code merge(gs_run_list *list, bool is_unique, uint64_t *records, gs_status *st)
{
    gs_run_writer writer;
    gs_team *team = NULL;
    uint64_t ticket;
    gs_status opened = {.code = GS_OK};
    REQUIRE_OK(gs_team_new(&team, WORKERS, &opened), &opened);
    REQUIRE_OK(gs_run_writer_open(&writer, list, 65536, &opened), &opened);
    const gs_range_merge_options options = {
        .layout = &layout,
        .is_unique = is_unique,
        .memory_bytes = 4 << 20,
        .no_uring = true,
        .spill = list->spill,
    };
    GS_NOTED(gs_range_merge_run(list->runs, list->count, team, &writer.sink, &options,
                                &ticket, st));
    const gs_code code = st->code;
    GS_NOTED(gs_run_writer_close(&writer, st));
    *records = code == GS_OK ? writer.run.record_count : 0;
    if (code == GS_OK)
        gs_run_release(&writer.run);
    gs_team_free(team);
    return code;
}

static void runs_merge(unsigned disorder, bool is_unique, bool is_good)
{
    gs_status st = {.code = GS_OK};
    gs_run_list list = {.options = &sort_options, .plan = &plan, .layout = &layout};
    uint64_t records;
    for (unsigned run = 0; run < RUNS; run++)
        write_run(&list, run, run == 1 ? disorder : 0);
    const gs_code code = merge(&list, is_unique, &records, &st);
    CHECK(code == (is_good ? GS_OK : GS_ERR_FORMAT));
    CHECK(!is_good || records == (uint64_t)RUNS * RECORDS);
    CHECK(is_good || strstr(st.msg, "the runs were not in order: of 60000") != NULL);
    gs_run_list_release(&list);
}

int main(void)
{
    runs_merge(0, false, true);
    runs_merge(0, true, true);
    runs_merge(7, false, false);
    runs_merge(7, true, false);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
