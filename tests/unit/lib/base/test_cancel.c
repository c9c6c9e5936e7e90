/* SPDX-License-Identifier: MIT */
/* cancel: a signal that is not looked at, or is told wrongly, and nobody can stop a sort.
 */
#include "lib/base/cancel.h"

#include <signal.h>
#include <string.h>

#include "tests/check.h"

int main(void)
{
    volatile int cancel = 0;
    gs_status st = {.code = GS_OK};
    CHECK(gs_cancel_check(NULL, &st) == GS_OK);
    CHECK(gs_cancel_check(&cancel, &st) == GS_OK && st.code == GS_OK);
    cancel = SIGTERM;
    CHECK(gs_cancel_check(&cancel, &st) == GS_ERR_CANCELLED);
    CHECK(strcmp(st.msg, "stopped by signal 15") == 0);
    return check_result();
}
