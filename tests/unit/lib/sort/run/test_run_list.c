/* SPDX-License-Identifier: MIT */
/* run_list, text_run: a run that cannot be begun or is given up leaves its folder free
 * for the next: a temporary folder holds one open run at a time. */
#include "lib/sort/run/run_list.h"

#include "lib/base/mem.h"
#include "lib/sort/text/text_run.h"
#include "tests/check.h"

/* Fails each request for memory in turn until a run could be begun. */
static void a_run_that_cannot_begin(void)
{
    const char *const folders[] = {"."};
    const gs_sort_options options = {
        .temp_folders = folders, .temp_folder_count = 1, .no_uring = true};
    const gs_memory_plan plan = {
        .workers = 1, .stream_block_bytes = 4096, .stream_blocks = 2};
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    gs_run_list list = {.options = &options, .plan = &plan, .layout = &layout};
    gs_status st = {.code = GS_OK};
    gs_run_writer writer;
    REQUIRE_OK(gs_run_list_need_spill(&list, &st), &st);
    unsigned failed = 0;
    for (uint64_t nth = 1;; nth++, failed++) {
        gs_mem_fail_nth(nth);
        const gs_code code = gs_run_writer_open(&writer, &list, 4096, &st);
        gs_mem_fail_nth(0);
        if (code == GS_OK)
            break;
        REQUIRE(code == GS_ERR_NOMEM); /* and not that the folder has an open run */
        gs_status_clear(&st);
    }
    CHECK(failed >= 3);
    REQUIRE_OK(gs_run_writer_close(&writer, &st), &st);
    gs_run_release(&writer.run);
    gs_run_list_release(&list);
}

static void a_text_run_that_is_given_up(void)
{
    const char *const folders[] = {"."};
    gs_spill *spill = NULL;
    gs_status st = {.code = GS_OK};
    gs_text_filter none = {0};
    gs_text_run run;
    gs_stream_target target;
    REQUIRE_OK(gs_spill_new(&spill, folders, 1, &st), &st);
    REQUIRE_OK(gs_text_run_create(&run, spill, &none, &target, &st), &st);
    gs_text_run_release(&run);
    REQUIRE_OK(gs_text_run_create(&run, spill, &none, &target, &st), &st);
    REQUIRE_OK(gs_text_run_finish(&run, 0, &st), &st);
    gs_text_run_release(&run);
    gs_spill_free(spill);
}

int main(void)
{
    a_run_that_cannot_begin();
    a_text_run_that_is_given_up();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
