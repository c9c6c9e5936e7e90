/* SPDX-License-Identifier: MIT */
#include "lib/stream/report_times.h"

#include "lib/base/machine.h"

static uint64_t later(uint64_t time, uint64_t by)
{
    return time + (by < UINT64_MAX - time ? by : UINT64_MAX - time);
}

bool gs_report_times_is_due(gs_report_times *t)
{
    bool is_due = false;
    if (t->asked != NULL && *t->asked != t->answered) {
        t->answered = *t->asked;
        is_due = true;
    }
    if (t->every_ns > 0) {
        const uint64_t now = gs_machine_now_ns();
        if (t->next_ns == 0)
            t->next_ns = later(now, t->every_ns);
        if (t->next_ns <= now) {
            t->next_ns += (now - t->next_ns) / t->every_ns * t->every_ns;
            t->next_ns = later(t->next_ns, t->every_ns);
            is_due = true;
        }
    }
    return is_due;
}
