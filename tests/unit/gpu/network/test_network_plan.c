/* SPDX-License-Identifier: MIT */
/* network_plan: a step left out, or made before the one above it, leaves keys unsorted.
 */
#include "gpu/network/network_plan.h"
#include "tests/check.h"

/* Follows the steps of one stage after the other. */
typedef struct walk {
    int stage, done; /* the steps above bit `done` are made */
} walk;

/* The steps of the bits below `high` down to `low`. Those above must have been made. */
static void make(walk *w, int high, int low)
{
    CHECK(low < high && high <= w->stage);
    CHECK(high >= w->done);
    if (low < w->done)
        w->done = low;
}

static void begin(walk *w, int stage)
{
    CHECK(w->done == 0 && stage == w->stage + 1);
    w->stage = stage;
    w->done = stage;
}

/* Returns the number of passes. */
static int follow(int sorted, int all, int tile, int run_min)
{
    gs_network_plan plan;
    const gs_network_shape shape = {tile, run_min, tile == 13 ? 8 : 16};
    gs_network_plan_init(&plan, shape, sorted, all);
    walk w = {sorted, 0};
    gs_network_pass pass;
    int passes = 0;
    for (; gs_network_plan_next(&plan, &pass) && passes < 1000; passes++) {
        const int steps = tile - pass.run_bits;
        if (pass.kind == GS_NETWORK_LAST) {
            make(&w, tile, 0);
            continue;
        }
        CHECK(pass.high > tile && pass.run_bits >= run_min && steps > 0);
        if (pass.kind == GS_NETWORK_CROSS)
            make(&w, pass.run_bits, 0);
        else
            CHECK(pass.run_bits <= run_min + 1);
        if (pass.kind != GS_NETWORK_MIDDLE)
            begin(&w, pass.high);
        make(&w, pass.high, pass.high - steps);
    }
    CHECK(w.stage == all && w.done == 0);
    return passes;
}

static void every_step_in_order(void)
{
    for (int tile = 12; tile <= 13; tile++)
        for (int all = tile; all <= GS_NETWORK_STAGE_MAX; all++)
            for (int sorted = tile; sorted <= all; sorted++)
                (void)follow(sorted, all, tile, tile == 13 ? 3 : 4);
}

/* Fewer than one pass above the tiles and one within them a stage, which is 34 at 2^28.
 */
static void few_passes(void)
{
    CHECK(follow(13, 13, 13, 3) == 0);
    CHECK(follow(13, 14, 13, 3) == 2);
    CHECK(follow(13, 20, 13, 3) <= 10);
    CHECK(follow(13, 28, 13, 3) <= 28);
}

int main(void)
{
    every_step_in_order();
    few_passes();
    return check_result();
}
