/* SPDX-License-Identifier: MIT */
#include "lib/join/number_order.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    /* Of a digit that lines are moved by: as many places are written to at once as the
     * first level of address translation knows pages of, more or less. */
    DIGIT_BITS = 11,
    CELL_DIGIT_BITS = 10, /* inside a cell, where what is counted is in the cache too */
    NUMBER_BITS = 64,
    CELL_LINES = 1 << 10, /* about; with the scratch 32 KiB */
    FEW_LINES = 24,       /* are sorted by comparisons */
    /* One cell that has more than such a part of the lines for each thread, and more than
     * so many, would keep one thread busy when all others are done. */
    LARGE_SHARE = 4,
    LARGE_LINES = 64 << 10,
};

static unsigned bits_of(uint64_t greatest)
{
    return greatest == 0 ? 0 : NUMBER_BITS - (unsigned)__builtin_clzll(greatest);
}

/* --- by one digit, all threads together ----------------------------------------- */

typedef struct moving {
    const gs_number_line *from;
    gs_number_line *to;
    size_t count;
    uint64_t least;
    unsigned shift, bits; /* of the digit */
    size_t stretch_count;
    size_t *places; /* of each stretch, for each digit: how many, then where */
    atomic_size_t next_stretch;
} moving;

static inline size_t digit_of(int64_t number, uint64_t least, unsigned shift,
                              unsigned bits)
{
    return (size_t)(((uint64_t)number - least) >> shift) & (((size_t)1 << bits) - 1);
}

static size_t begin_of(const moving *m, size_t stretch)
{
    return m->count / m->stretch_count * stretch +
           m->count % m->stretch_count * stretch / m->stretch_count;
}

static size_t *places_of(const moving *m, size_t stretch)
{
    return m->places + (stretch << m->bits);
}

static gs_code count_digits(void *context, unsigned worker, gs_status *st)
{
    moving *const m = context;
    size_t stretch;
    (void)worker;
    while ((stretch = atomic_fetch_add(&m->next_stretch, 1)) < m->stretch_count) {
        const size_t end = begin_of(m, stretch + 1);
        size_t *const counts = places_of(m, stretch);
        for (size_t i = begin_of(m, stretch); i < end; i++)
            counts[digit_of(m->from[i].number, m->least, m->shift, m->bits)]++;
    }
    return st->code;
}

static gs_code move_lines(void *context, unsigned worker, gs_status *st)
{
    moving *const m = context;
    size_t stretch;
    (void)worker;
    while ((stretch = atomic_fetch_add(&m->next_stretch, 1)) < m->stretch_count) {
        const size_t end = begin_of(m, stretch + 1);
        size_t *const places = places_of(m, stretch);
        for (size_t i = begin_of(m, stretch); i < end; i++) {
            const size_t digit = digit_of(m->from[i].number, m->least, m->shift, m->bits);
            m->to[places[digit]++] = m->from[i];
        }
    }
    return st->code;
}

/* From how many lines of a stretch have a digit to where the first of them goes. */
static void find_places(const moving *m)
{
    size_t next = 0;
    for (size_t digit = 0; digit < (size_t)1 << m->bits; digit++) {
        for (size_t stretch = 0; stretch < m->stretch_count; stretch++) {
            size_t *const place = places_of(m, stretch) + digit;
            const size_t count = *place;
            *place = next;
            next += count;
        }
    }
    gs_assert(next == m->count);
}

/* Counts and moves. `begins`, of one more than there are digits, may be NULL. */
static gs_code move_all(moving *m, size_t *begins, gs_team *team, gs_status *st)
{
    const size_t digits = (size_t)1 << m->bits;
    m->stretch_count = gs_team_workers(team);
    GS_TRY(gs_mem_new_array(&m->places, m->stretch_count * digits, sizeof *m->places,
                            "digits of numbers", st));
    GS_NOTED(gs_team_run(team, count_digits, m, st));
    if (st->code == GS_OK) {
        find_places(m);
        if (begins != NULL)
            memcpy(begins, m->places, digits * sizeof *begins);
        atomic_store(&m->next_stretch, 0);
        GS_NOTED(gs_team_run(team, move_lines, m, st));
    }
    gs_mem_free(m->places);
    return st->code;
}

/* --- a split -------------------------------------------------------------------- */

static bool is_in_order(const gs_number_line *lines, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (lines[i].number < lines[i - 1].number)
            return false;
    return true;
}

static void swap(gs_number_line **a, gs_number_line **b)
{
    gs_number_line *const other = *a;
    *a = *b;
    *b = other;
}

/* All lower digits, and the highest once more: equal numbers are in one cell, as they
 * were, so that nothing is lost by the split. */
static gs_code order_by_all(gs_number_cells *c, size_t count, unsigned all, gs_team *team,
                            gs_status *st)
{
    const unsigned digits = (all + DIGIT_BITS - 1) / DIGIT_BITS;
    unsigned shift = 0;
    for (unsigned d = 0; d < digits; d++) {
        moving m = {
            .from = c->lines,
            .to = c->scratch,
            .count = count,
            .least = c->least,
            .shift = shift,
            .bits = (all - shift) / (digits - d),
        };
        GS_TRY(move_all(&m, NULL, team, st));
        swap(&c->lines, &c->scratch);
        shift += m.bits;
    }
    c->is_ordered = true;
    return GS_OK;
}

static size_t largest_cell(const gs_number_cells *c)
{
    size_t largest = 0;
    for (size_t i = 0; i < c->count; i++) {
        const size_t lines = c->begins[i + 1] - c->begins[i];
        largest = lines > largest ? lines : largest;
    }
    return largest;
}

static unsigned choose_bits(size_t count, unsigned all)
{
    const unsigned wanted = bits_of(count / CELL_LINES);
    const unsigned most = wanted < DIGIT_BITS ? wanted : DIGIT_BITS;
    return all < most ? all : most;
}

static gs_code split(gs_number_cells *c, size_t count, unsigned all, gs_team *team,
                     gs_status *st)
{
    const unsigned bits = choose_bits(count, all);
    c->count = (size_t)1 << bits;
    c->shift = all - bits;
    GS_TRY(gs_mem_new_array(&c->begins, c->count + 1, sizeof *c->begins, "cells", st));
    c->begins[c->count] = count;
    if (bits == 0)
        return GS_OK;
    moving m = {
        .from = c->lines,
        .to = c->scratch,
        .count = count,
        .least = c->least,
        .shift = c->shift,
        .bits = bits,
    };
    GS_TRY(move_all(&m, c->begins, team, st));
    swap(&c->lines, &c->scratch);
    const size_t share = count / (LARGE_SHARE * gs_team_workers(team));
    const size_t largest = largest_cell(c);
    return largest > LARGE_LINES && largest > share
               ? order_by_all(c, count, all, team, st)
               : GS_OK;
}

gs_code gs_number_split(gs_number_cells *c, gs_number_line **lines,
                        gs_number_line **scratch, size_t count, int64_t least,
                        int64_t greatest, gs_team *team, gs_status *st)
{
    *c = (gs_number_cells){
        .lines = *lines,
        .scratch = *scratch,
        .least = (uint64_t)least,
        .is_ordered = is_in_order(*lines, count),
    };
    if (!c->is_ordered)
        GS_NOTED(
            split(c, count, bits_of((uint64_t)greatest - (uint64_t)least), team, st));
    *lines = c->lines;
    *scratch = c->scratch;
    return st->code;
}

void gs_number_cells_release(gs_number_cells *c)
{
    gs_mem_free(c->begins);
    *c = (gs_number_cells){0};
}

/* --- a cell --------------------------------------------------------------------- */

static void sort_few(gs_number_line *lines, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const gs_number_line line = lines[i];
        size_t at = i;
        for (; at > 0 && lines[at - 1].number > line.number; at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
}

/* True: all have the same digit, and nothing was moved. */
static bool move_by_digit(const gs_number_line *from, gs_number_line *to, size_t count,
                          uint64_t least, unsigned shift, unsigned bits)
{
    size_t places[1 << CELL_DIGIT_BITS];
    const size_t digits = (size_t)1 << bits;
    memset(places, 0, digits * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[digit_of(from[i].number, least, shift, bits)]++;
    if (places[digit_of(from[0].number, least, shift, bits)] == count)
        return true;
    size_t next = 0;
    for (size_t digit = 0; digit < digits; digit++) {
        const size_t lines = places[digit];
        places[digit] = next;
        next += lines;
    }
    for (size_t i = 0; i < count; i++)
        to[places[digit_of(from[i].number, least, shift, bits)]++] = from[i];
    return false;
}

void gs_number_cells_sort(const gs_number_cells *c, size_t cell)
{
    const size_t begin = c->begins[cell], count = c->begins[cell + 1] - begin;
    gs_number_line *const lines = c->lines + begin;
    gs_number_line *from = lines, *to = c->scratch + begin;
    const unsigned digits = (c->shift + CELL_DIGIT_BITS - 1) / CELL_DIGIT_BITS;
    unsigned shift = 0;
    if (count <= FEW_LINES) {
        sort_few(lines, count);
        return;
    }
    for (unsigned d = 0; d < digits; d++) {
        const unsigned bits = (c->shift - shift) / (digits - d);
        if (!move_by_digit(from, to, count, c->least, shift, bits))
            swap(&from, &to);
        shift += bits;
    }
    if (from != lines)
        memcpy(lines, from, count * sizeof *lines);
}

typedef struct cell_job {
    const gs_number_cells *cells;
    atomic_size_t next;
} cell_job;

static gs_code sort_cells(void *context, unsigned worker, gs_status *st)
{
    cell_job *const job = context;
    size_t cell;
    (void)worker;
    while ((cell = atomic_fetch_add(&job->next, 1)) < job->cells->count)
        gs_number_cells_sort(job->cells, cell);
    return st->code;
}

gs_code gs_number_cells_sort_all(gs_number_cells *c, gs_team *team, gs_status *st)
{
    cell_job job = {.cells = c};
    if (c->is_ordered)
        return GS_OK;
    GS_TRY(gs_team_run(team, sort_cells, &job, st));
    c->is_ordered = true;
    return GS_OK;
}
