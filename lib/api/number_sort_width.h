/* SPDX-License-Identifier: MIT */
/*
 * number_sort_width: the sort of number_sort.c for numbers of one width, which includes
 * this once for each. KEY is their type. There is no guard, since it is included twice.
 */

#include "lib/api/number_part.h"

typedef struct OF_WIDTH(job) {
    KEY *numbers, *scratch;
    size_t count;
    unsigned workers, shift;
    KEY least;
    KEY *leasts, *mosts; /* of each slice */
    size_t *places;      /* PARTS of each slice: how many, then where the next goes */
    size_t *begins;      /* of the parts, and their end */
    uint32_t *cells;     /* 2^CELL_BITS of each worker */
    atomic_size_t next_part;
    const volatile int *cancel;
} OF_WIDTH(job);

static size_t OF_WIDTH(slice)(const OF_WIDTH(job) * j, unsigned worker)
{
    return j->count / j->workers * worker +
           (worker == j->workers ? j->count % j->workers : 0);
}

static gs_code OF_WIDTH(find_range)(void *context, unsigned worker, gs_status *st)
{
    OF_WIDTH(job) *const j = context;
    const size_t begin = OF_WIDTH(slice)(j, worker), end = OF_WIDTH(slice)(j, worker + 1);
    KEY least = j->numbers[begin], most = least;
    (void)st;
    for (size_t i = begin; i < end; i++) {
        least = j->numbers[i] < least ? j->numbers[i] : least;
        most = j->numbers[i] > most ? j->numbers[i] : most;
    }
    j->leasts[worker] = least;
    j->mosts[worker] = most;
    return GS_OK;
}

static gs_code OF_WIDTH(count_parts)(void *context, unsigned worker, gs_status *st)
{
    OF_WIDTH(job) *const j = context;
    size_t *const counts = j->places + (size_t)worker * PARTS;
    const size_t end = OF_WIDTH(slice)(j, worker + 1);
    (void)st;
    for (size_t i = OF_WIDTH(slice)(j, worker); i < end; i++)
        counts[(KEY)(j->numbers[i] - j->least) >> j->shift]++;
    return GS_OK;
}

/* Counts become places: part by part, in a part slice by slice. */
static void OF_WIDTH(place_parts)(OF_WIDTH(job) * j)
{
    size_t at = 0;
    for (size_t part = 0; part < PARTS; part++) {
        j->begins[part] = at;
        for (unsigned w = 0; w < j->workers; w++) {
            size_t *const place = &j->places[(size_t)w * PARTS + part];
            const size_t count = *place;
            *place = at;
            at += count;
        }
    }
    j->begins[PARTS] = at;
}

static gs_code OF_WIDTH(move_to_parts)(void *context, unsigned worker, gs_status *st)
{
    OF_WIDTH(job) *const j = context;
    size_t *const places = j->places + (size_t)worker * PARTS;
    const size_t end = OF_WIDTH(slice)(j, worker + 1);
    for (size_t i = OF_WIDTH(slice)(j, worker); i < end; i++) {
        const KEY x = j->numbers[i];
        j->scratch[places[(KEY)(x - j->least) >> j->shift]++] = x;
    }
    return gs_cancel_check(j->cancel, st);
}

/* A part that is large is left, since all threads are to cut it again. */
static gs_code OF_WIDTH(sort_parts)(void *context, unsigned worker, gs_status *st)
{
    OF_WIDTH(job) *const j = context;
    uint32_t *const cells = j->cells + ((size_t)worker << CELL_BITS);
    for (size_t part; (part = atomic_fetch_add(&j->next_part, 1)) < PARTS;) {
        const size_t begin = j->begins[part], n = j->begins[part + 1] - begin;
        /* Who has cancelled gets all numbers back as well, if not in order. */
        if (st->code == GS_OK)
            GS_NOTED(gs_cancel_check(j->cancel, st));
        if (st->code == GS_OK && n > 1 && j->shift > 0 && n <= j->count / LARGE_SHARE) {
            const KEY base = (KEY)(j->least + ((KEY)part << j->shift));
            OF_WIDTH(sort_part)
            (j->scratch + begin, j->numbers + begin, n, base, j->shift, cells);
        } else if (n > 0) {
            memcpy(j->numbers + begin, j->scratch + begin, n * sizeof(KEY));
        }
    }
    return st->code;
}

/* One cut of the array by all threads; the job has room for what they count. */
static gs_code OF_WIDTH(cut)(OF_WIDTH(job) * j, gs_team *team, gs_status *st)
{
    GS_TRY(gs_team_run(team, OF_WIDTH(find_range), j, st));
    KEY most = j->mosts[0];
    j->least = j->leasts[0];
    for (unsigned w = 1; w < j->workers; w++) {
        j->least = j->leasts[w] < j->least ? j->leasts[w] : j->least;
        most = j->mosts[w] > most ? j->mosts[w] : most;
    }
    const unsigned bits = gs_bit_length((KEY)(most - j->least));
    j->shift = bits > PART_BITS ? bits - PART_BITS : 0;
    memset(j->places, 0, (size_t)j->workers * PARTS * sizeof *j->places);
    atomic_store(&j->next_part, 0);
    GS_TRY(gs_team_run(team, OF_WIDTH(count_parts), j, st));
    OF_WIDTH(place_parts)(j);
    GS_TRY(gs_team_run(team, OF_WIDTH(move_to_parts), j, st));
    return gs_team_run(team, OF_WIDTH(sort_parts), j, st);
}

/* At most LARGE_SHARE parts are large, and each cut takes bits off them: it ends. */
static gs_code OF_WIDTH(sort_cut)(OF_WIDTH(job) * j, gs_team *team, gs_status *st)
{
    size_t large[LARGE_SHARE][2], large_count = 0;
    KEY *const numbers = j->numbers, *const scratch = j->scratch;
    if (j->count <= SERIAL_MAX) {
        OF_WIDTH(gs_key_sort)(numbers, scratch, j->count, 0);
        return GS_OK;
    }
    GS_TRY(OF_WIDTH(cut)(j, team, st));
    for (size_t part = 0; j->shift > 0 && part < PARTS; part++) {
        const size_t n = j->begins[part + 1] - j->begins[part];
        if (n > j->count / LARGE_SHARE) {
            large[large_count][0] = j->begins[part];
            large[large_count++][1] = n;
        }
    }
    for (size_t i = 0; i < large_count; i++) {
        j->numbers = numbers + large[i][0];
        j->scratch = scratch + large[i][0];
        j->count = large[i][1];
        GS_TRY(OF_WIDTH(sort_cut)(j, team, st));
    }
    return GS_OK;
}

gs_code OF_WIDTH(gs_number_sort)(KEY *numbers, KEY *scratch, size_t count, gs_team *team,
                                 const volatile int *cancel, gs_status *st)
{
    const unsigned workers = gs_team_workers(team);
    OF_WIDTH(job)
    j = {.numbers = numbers,
         .scratch = scratch,
         .count = count,
         .workers = workers,
         .cancel = cancel};
    if (gs_mem_new_array(&j.places, (size_t)workers * PARTS, sizeof *j.places,
                         "places of numbers", st) == GS_OK &&
        gs_mem_new_array(&j.begins, PARTS + 1, sizeof *j.begins, "places of numbers",
                         st) == GS_OK &&
        gs_mem_new_array(&j.cells, (size_t)workers << CELL_BITS, sizeof *j.cells,
                         "cells of numbers", st) == GS_OK &&
        gs_mem_new_array(&j.leasts, workers, sizeof *j.leasts, "ranges", st) == GS_OK &&
        gs_mem_new_array(&j.mosts, workers, sizeof *j.mosts, "ranges", st) == GS_OK)
        GS_NOTED(OF_WIDTH(sort_cut)(&j, team, st));
    gs_mem_free(j.places);
    gs_mem_free(j.begins);
    gs_mem_free(j.cells);
    gs_mem_free(j.leasts);
    gs_mem_free(j.mosts);
    return st->code;
}
