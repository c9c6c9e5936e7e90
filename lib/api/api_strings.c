/* SPDX-License-Identifier: MIT */
/*
 * Arrays of strings: where each comes in their order, or they themselves in it.
 */
#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/api/string_sort.h"
#include "lib/base/machine.h"

enum { A_THREAD_MIN = 1 << 14, /* strings */ THREADS_MAX = 256 };

static gs_code sort_strings(const gs_strings *strings, unsigned flags,
                            const gs_sorted_strings *sorted, const gs_api_job *job,
                            gs_status *st)
{
    const unsigned asked = job->job->threads;
    unsigned threads = asked > 0 ? asked : gs_machine_cores();
    const size_t most = strings->count / A_THREAD_MIN + 1;
    threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    threads = threads > most ? (unsigned)most : threads;
    gs_team *team = NULL;
    if (gs_team_new(&team, threads, st) == GS_OK)
        GS_NOTED(gs_string_sort(strings, (flags & GPUSORT_REVERSE) != 0, sorted, team,
                                &job->cancel, st));
    gs_team_free(team);
    return st->code;
}

static gpusort_code run(const gs_strings *strings, unsigned flags,
                        const gs_sorted_strings *sorted, const gpusort_job *job,
                        gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if ((flags & ~(unsigned)GPUSORT_REVERSE) != 0)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "strings are sorted by their bytes: flags %u",
                      flags);
    if (st.code == GS_OK && strings->count > 0 &&
        gs_api_job_open(&running, job, &st) == GS_OK) {
        GS_NOTED(sort_strings(strings, flags, sorted, &running, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}

gpusort_code gpusort_sort_strings(const void *text, const uint64_t *offsets, size_t count,
                                  unsigned flags, uint64_t *order, const gpusort_job *job,
                                  gpusort_error *error)
{
    const gs_strings strings = {text, offsets, count};
    const gs_sorted_strings sorted = {.order = order};
    return run(&strings, flags, &sorted, job, error);
}

gpusort_code gpusort_sorted_strings(const void *text, const uint64_t *offsets,
                                    size_t count, unsigned flags, void *sorted_text,
                                    uint64_t *sorted_offsets, const gpusort_job *job,
                                    gpusort_error *error)
{
    const gs_strings strings = {text, offsets, count};
    const gs_sorted_strings sorted = {.text = sorted_text, .offsets = sorted_offsets};
    sorted_offsets[0] = 0;
    return run(&strings, flags, &sorted, job, error);
}
