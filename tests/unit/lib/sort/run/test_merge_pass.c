/* SPDX-License-Identifier: MIT */
/* merge_pass: a pass too many reads and writes everything once more; a group that is too
 * large does not fit the memory; runs out of order would reorder equal records. */
#include "lib/sort/run/merge_pass.h"

#include <stdint.h>
#include <string.h>

#include "tests/check.h"

enum { RUNS_MAX = 200 };

/* The runs as they are: each holds the numbers [begin, end) of those at the start. */
typedef struct span {
    size_t begin, end;
    unsigned merged_in; /* the pass that made it; 0: none */
} span;

typedef struct walk {
    span runs[RUNS_MAX];
    size_t count;
    unsigned passes;
} walk;

static walk begin_walk(size_t count)
{
    walk w = {.count = count};
    for (size_t i = 0; i < count; i++)
        w.runs[i] = (span){i, i + 1, 0};
    return w;
}

static void merge(walk *w, const gs_merge_group *g, size_t fan_in)
{
    REQUIRE(g->count >= 2 && g->count <= fan_in && g->first + g->count <= w->count);
    CHECK(g->begins_pass == (g->first == 0));
    w->passes += g->begins_pass;
    for (size_t i = g->first; i < g->first + g->count; i++)
        CHECK(w->runs[i].merged_in < w->passes); /* none twice in a pass */
    w->runs[g->first].end = w->runs[g->first + g->count - 1].end;
    w->runs[g->first].merged_in = w->passes;
    memmove(&w->runs[g->first + 1], &w->runs[g->first + g->count],
            (w->count - g->first - g->count) * sizeof w->runs[0]);
    w->count -= g->count - 1;
}

static void check_order(const walk *w, size_t count)
{
    for (size_t i = 0; i < w->count; i++)
        CHECK(w->runs[i].begin == (i == 0 ? 0 : w->runs[i - 1].end));
    CHECK(w->runs[w->count - 1].end == count);
}

/* With the last merge, `passes` + 1 of them reach fan_in ^ (passes + 1) runs. */
static unsigned fewest_passes(size_t count, size_t fan_in)
{
    unsigned passes = 0;
    for (size_t reached = fan_in; reached < count; reached *= fan_in)
        passes++;
    return passes;
}

static void few_passes_of_full_groups(void)
{
    for (size_t fan_in = 2; fan_in <= 40; fan_in++)
        for (size_t count = 1; count <= RUNS_MAX; count++) {
            walk w = begin_walk(count);
            gs_merge_passes p = {.fan_in = fan_in};
            gs_merge_group g;
            size_t last = fan_in;
            while (gs_merge_passes_next(&p, w.count, &g)) {
                CHECK(g.begins_pass || last == fan_in); /* the last alone is not full */
                last = g.count;
                merge(&w, &g, fan_in);
            }
            CHECK(w.passes == fewest_passes(count, fan_in));
            CHECK(w.count == (count < fan_in ? count : fan_in)); /* no more than needed */
            check_order(&w, count);
        }
}

/* One run in three is so large that five of them are all that fits. */
static size_t fitting(const void *context, size_t first, size_t count)
{
    const walk *const w = context;
    size_t large = 0;
    for (size_t i = first; i < first + count; i++) {
        large += w->runs[i].begin % 3 == 0;
        if (large > 5)
            return i - first;
    }
    return count;
}

static void groups_fit_the_memory(void)
{
    for (size_t count = 1; count <= RUNS_MAX; count++) {
        walk w = begin_walk(count);
        gs_merge_passes p = {.fan_in = 50, .fitting = fitting, .context = &w};
        gs_merge_group g;
        while (gs_merge_passes_next(&p, w.count, &g)) {
            CHECK(fitting(&w, g.first, g.count) == g.count);
            merge(&w, &g, p.fan_in);
        }
        CHECK(w.count <= 50 && fitting(&w, 0, w.count) == w.count);
        check_order(&w, count);
    }
}

/* Descriptors ran out: from then on fewer are merged at once, and of that group fewer
 * than were asked for. */
static void the_fan_in_may_shrink(void)
{
    for (size_t count = 1; count <= RUNS_MAX; count++) {
        walk w = begin_walk(count);
        gs_merge_passes p = {.fan_in = 20};
        gs_merge_group g;
        for (unsigned n = 0; gs_merge_passes_next(&p, w.count, &g); n++) {
            if (n == 2)
                p.fan_in = 3;
            if (g.count > p.fan_in)
                g.count = p.fan_in;
            merge(&w, &g, p.fan_in);
        }
        CHECK(w.count <= p.fan_in);
        check_order(&w, count);
    }
}

int main(void)
{
    few_passes_of_full_groups();
    groups_fit_the_memory();
    the_fan_in_may_shrink();
    return check_result();
}
