/* SPDX-License-Identifier: MIT */
/* status: the first failure must survive later ones, or reports mislead. */
#include <errno.h>
#include <string.h>

#include "tests/check.h"

static void first_failure_wins(void)
{
    gs_status st = {.code = GS_OK};
    CHECK(GS_FAIL(&st, GS_ERR_IO, ENOSPC, "spill %d full", 3) == GS_ERR_IO);
    CHECK(GS_FAIL(&st, GS_ERR_NOMEM, 0, "later") == GS_ERR_IO);
    CHECK(st.sys == ENOSPC);
    CHECK(strcmp(st.msg, "spill 3 full") == 0);
}

static void joiner_keeps_the_first(void)
{
    gs_status mine = {.code = GS_OK}, worker = {.code = GS_OK};
    gs_status_keep_first(&mine, &worker);
    CHECK(mine.code == GS_OK);
    (void)GS_FAIL(&worker, GS_ERR_FORMAT, 0, "block 7");
    gs_status_keep_first(&mine, &worker);
    CHECK(mine.code == GS_ERR_FORMAT);
    CHECK(strcmp(mine.msg, "block 7") == 0);
}

static void long_messages_are_cut_not_overrun(void)
{
    gs_status st = {.code = GS_OK};
    (void)GS_FAIL(&st, GS_ERR_ARG, 0, "%*s", 2 * GS_STATUS_MSG_BYTES, "x");
    CHECK(strlen(st.msg) == GS_STATUS_MSG_BYTES - 1);
}

static void hint_is_set_once_and_only_on_failure(void)
{
    gs_status st = {.code = GS_OK};
    CHECK(gs_status_hint(&st, "nothing failed") == GS_OK);
    CHECK(st.hint == NULL);
    (void)GS_FAIL(&st, GS_ERR_IO, EIO, "read");
    (void)gs_status_hint(&st, "first");
    (void)gs_status_hint(&st, "second");
    CHECK(strcmp(st.hint, "first") == 0);
}

int main(void)
{
    first_failure_wins();
    joiner_keeps_the_first();
    long_messages_are_cut_not_overrun();
    hint_is_set_once_and_only_on_failure();
    return check_result();
}
