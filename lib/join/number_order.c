/* SPDX-License-Identifier: MIT */
#include "lib/join/number_order.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    /* Of a digit: as many places are written to at once as the first level of address
     * translation knows pages of, more or less. */
    DIGIT_BITS = 11,
    NUMBER_BITS = 64,
};

typedef struct sorting {
    const gs_number_line *from;
    gs_number_line *to;
    size_t count;
    uint64_t least;
    unsigned shift, bits; /* of the digit */
    size_t stretch_count;
    size_t *places; /* of each stretch, for each digit: how many, then where */
    atomic_size_t next_stretch;
} sorting;

static inline size_t digit_of(const sorting *s, const gs_number_line *line)
{
    const uint64_t above = (uint64_t)line->number - s->least;
    return (size_t)(above >> s->shift) & (((size_t)1 << s->bits) - 1);
}

static size_t begin_of(const sorting *s, size_t stretch)
{
    return s->count / s->stretch_count * stretch +
           s->count % s->stretch_count * stretch / s->stretch_count;
}

static size_t *places_of(const sorting *s, size_t stretch)
{
    return s->places + (stretch << s->bits);
}

static gs_code count_digits(void *context, unsigned worker, gs_status *st)
{
    sorting *const s = context;
    size_t stretch;
    (void)worker;
    while ((stretch = atomic_fetch_add(&s->next_stretch, 1)) < s->stretch_count) {
        const size_t end = begin_of(s, stretch + 1);
        size_t *const counts = places_of(s, stretch);
        for (size_t i = begin_of(s, stretch); i < end; i++)
            counts[digit_of(s, &s->from[i])]++;
    }
    return st->code;
}

static gs_code move_lines(void *context, unsigned worker, gs_status *st)
{
    sorting *const s = context;
    size_t stretch;
    (void)worker;
    while ((stretch = atomic_fetch_add(&s->next_stretch, 1)) < s->stretch_count) {
        const size_t end = begin_of(s, stretch + 1);
        size_t *const places = places_of(s, stretch);
        for (size_t i = begin_of(s, stretch); i < end; i++)
            s->to[places[digit_of(s, &s->from[i])]++] = s->from[i];
    }
    return st->code;
}

/* From how many lines of a stretch have a digit to where the first of them goes. */
static void find_places(const sorting *s)
{
    size_t next = 0;
    for (size_t digit = 0; digit < (size_t)1 << s->bits; digit++) {
        for (size_t stretch = 0; stretch < s->stretch_count; stretch++) {
            size_t *const place = places_of(s, stretch) + digit;
            const size_t count = *place;
            *place = next;
            next += count;
        }
    }
    gs_assert(next == s->count);
}

static bool is_in_order(const gs_number_line *lines, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (lines[i].number < lines[i - 1].number)
            return false;
    return true;
}

static unsigned bits_of(uint64_t greatest)
{
    return greatest == 0 ? 0 : NUMBER_BITS - (unsigned)__builtin_clzll(greatest);
}

static gs_code sort_by_digit(sorting *s, gs_team *team, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&s->places, s->stretch_count << s->bits, sizeof *s->places,
                            "digits of numbers", st));
    GS_NOTED(gs_team_run(team, count_digits, s, st));
    if (st->code == GS_OK) {
        find_places(s);
        atomic_store(&s->next_stretch, 0);
        GS_NOTED(gs_team_run(team, move_lines, s, st));
    }
    gs_mem_free(s->places);
    return st->code;
}

gs_code gs_number_order(gs_number_line **lines, gs_number_line **scratch, size_t count,
                        int64_t least, int64_t greatest, gs_team *team, gs_status *st)
{
    if (is_in_order(*lines, count))
        return GS_OK;
    const unsigned all = bits_of((uint64_t)greatest - (uint64_t)least);
    const unsigned digits = (all + DIGIT_BITS - 1) / DIGIT_BITS;
    unsigned shift = 0;
    for (unsigned d = 0; d < digits; d++) {
        sorting s = {
            .from = *lines,
            .to = *scratch,
            .count = count,
            .least = (uint64_t)least,
            .shift = shift,
            .bits = (all - shift) / (digits - d),
            .stretch_count = gs_team_workers(team),
        };
        GS_TRY(sort_by_digit(&s, team, st));
        shift += s.bits;
        *scratch = *lines;
        *lines = s.to;
    }
    return GS_OK;
}
