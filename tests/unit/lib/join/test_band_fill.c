/* SPDX-License-Identifier: MIT */
/*
 * band_fill: whichever worker takes which portion, the right side has all lines in order,
 * each under its number, in memory and in files; places find what they look for.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/band_fill.h"
#include "tests/check.h"

enum { WORKERS = 3, PORTIONS = 12, LINES_MAX = 4000, TEXT_BYTES = 100 };

typedef struct job {
    gs_join_options options;
    gs_join_format format;
    gs_join_store store;
    gs_band_fill *fill;
    gs_band_right right;
    uint64_t lines;
} job;

/* Numbers come in pairs of equal ones: 0 0 3 3 6 6 ... */
static gs_join_number number_of(uint64_t line)
{
    return (gs_join_number)(line / 2 * 3);
}

static size_t write_text(uint64_t line, uint8_t *to)
{
    const int bytes = snprintf((char *)to, TEXT_BYTES, "line %llu %.*s",
                               (unsigned long long)line, (int)(line * 7 % 50),
                               "..................................................");
    return (size_t)bytes;
}

/* Each portion by some worker: their lines come between those of others. */
static void fill_portions(job *j, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    uint64_t next[WORKERS], end[WORKERS];
    bool is_open[WORKERS] = {false};
    size_t portion = 0;
    uint8_t text[TEXT_BYTES];
    for (unsigned open = 0; portion < PORTIONS || open > 0;) {
        const unsigned w = (unsigned)(check_random(state) % WORKERS);
        if (!is_open[w] && portion < PORTIONS) {
            next[w] = j->lines * portion / PORTIONS;
            end[w] = j->lines * (portion + 1) / PORTIONS;
            gs_band_fill_begin(j->fill, w, portion++);
            is_open[w] = true;
            open++;
        }
        for (unsigned n = 0; is_open[w] && n < 50 && next[w] < end[w]; n++, next[w]++)
            REQUIRE_OK(gs_band_fill_add(j->fill, w, number_of(next[w]), text,
                                        write_text(next[w], text), &st),
                       &st);
        if (is_open[w] && next[w] == end[w]) {
            gs_band_fill_end(j->fill, w);
            is_open[w] = false;
            open--;
        }
    }
    REQUIRE_OK(gs_band_fill_join(j->fill, &j->right, &st), &st);
}

static void check_line(const gs_band_place *p, uint64_t line)
{
    uint8_t text[TEXT_BYTES];
    const size_t bytes = write_text(line, text);
    CHECK(p->has_line && p->line == line && p->number == number_of(line));
    CHECK(p->text_bytes == bytes && memcmp(p->text, text, bytes) == 0);
}

static void look_everywhere(const job *j, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_band_place p = {0};
    for (uint64_t line = 0; line < j->lines; line++, gs_band_place_step(&p)) {
        REQUIRE_OK(gs_band_place_load(&p, &j->right, &st), &st);
        check_line(&p, line);
    }
    REQUIRE_OK(gs_band_place_load(&p, &j->right, &st), &st);
    CHECK(!p.has_line);
    const gs_band_place first = {0};
    gs_band_place_go_to(&p, &first);
    p.line = 0;
    for (uint64_t line = 0; line < j->lines; line += 1 + check_random(state) % 300) {
        REQUIRE_OK(gs_band_place_seek(&p, &j->right, number_of(line) - 1, &st), &st);
        check_line(&p, line / 2 * 2);
    }
    gs_band_place_release(&p);
}

static void try_once(uint64_t *state, size_t memory_bytes)
{
    gs_status st = {.code = GS_OK};
    gs_spill *spill;
    const gs_join_fields *const no_lines[GS_JOIN_SIDES] = {NULL, NULL};
    job j = {.lines = check_random(state) % LINES_MAX};
    j.options.sort.order.eol = '\n';
    j.options.shows_unpaired[GS_JOIN_RIGHT] = true;
    REQUIRE_OK(gs_spill_new(&spill, NULL, 0, &st), &st);
    REQUIRE_OK(gs_join_format_init(&j.format, &j.options, no_lines, &st), &st);
    j.store = (gs_join_store){
        .spill = spill, .block_bytes = 4096, .memory_bytes = memory_bytes};
    j.right = (gs_band_right){.format = &j.format, .shelf = {.store = &j.store}};
    REQUIRE_OK(gs_band_fill_new(&j.fill, &j.format, &j.store, WORKERS, PORTIONS, &st),
               &st);
    fill_portions(&j, state);
    CHECK(j.right.shelf.line_count == j.lines);
    CHECK(gs_join_shelf_is_near(&j.right.shelf) == (memory_bytes > 0 || j.lines == 0) ||
          j.lines < LINES_MAX / 4);
    look_everywhere(&j, state);
    gs_band_right_release(&j.right);
    gs_band_fill_free(j.fill);
    CHECK(atomic_load(&j.store.held_bytes) == 0);
    gs_join_format_release(&j.format);
    gs_spill_free(spill);
}

int main(void)
{
    uint64_t state = check_seed(34);
    for (unsigned round = 0; round < 30; round++) {
        static const size_t memory[] = {0, 1 << 30};
        try_once(&state, memory[round % 2]);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures > 0;
}
