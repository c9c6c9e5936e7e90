/* SPDX-License-Identifier: MIT */
/*
 * join_sorted: what is in memory comes to a consumer in order, each record once, however
 * few records a portion is to have; records with equal keys come in one portion, in the
 * order of the input; and there are no more portions than the consumer takes.
 */
#define CHECK_STARTS_THREADS
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/join/band_keys.h"
#include "lib/join/join_sorted.h"
#include "tests/check.h"

enum { WORKERS = 3, LINES = 20000, PORTIONS = 4096 };

typedef struct seen_line {
    uint64_t number, line;
} seen_line;

/* What came, portion by portion; a worker has one at a time. */
typedef struct portions {
    seen_line *lines[PORTIONS];
    size_t count[PORTIONS], capacity[PORTIONS];
    size_t of_worker[WORKERS];
    atomic_size_t begun, ended;
} portions;

static size_t all_of_key(const uint8_t *key, size_t bytes)
{
    (void)key;
    return bytes;
}

static gs_code begin(void *context, unsigned worker, size_t portion, gs_status *st)
{
    portions *const p = context;
    REQUIRE(worker < WORKERS && portion < PORTIONS);
    p->of_worker[worker] = portion;
    atomic_fetch_add(&p->begun, 1);
    return st->code;
}

static gs_code add(void *context, unsigned worker, const gs_run_cursor *record,
                   gs_status *st)
{
    portions *const p = context;
    const size_t portion = p->of_worker[worker], count = p->count[portion];
    char text[64] = "";
    seen_line line;
    const size_t bytes = record->length - record->key_bytes;
    REQUIRE(bytes < sizeof text);
    memcpy(text, record->data + record->key_bytes, bytes);
    unsigned long long number, which;
    REQUIRE(sscanf(text, "%llu,%llu", &number, &which) == 2);
    line = (seen_line){number, which};
    GS_TRY(
        gs_mem_grow(&p->lines[portion], &p->capacity[portion], count + 1, "lines", st));
    p->lines[portion][count] = line;
    p->count[portion]++;
    return GS_OK;
}

static gs_code end(void *context, unsigned worker, gs_status *st)
{
    portions *const p = context;
    (void)worker;
    atomic_fetch_add(&p->ended, 1);
    return st->code;
}

static void abandon(void *context, unsigned worker, const gs_status *why)
{
    (void)context, (void)worker, (void)why;
    CHECK(false);
}

/* How often each number comes is up to `spread`: of 1 all numbers are one. */
static void write_lines(char *path, uint64_t spread, uint64_t *state)
{
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    FILE *const f = fdopen(fd, "w");
    REQUIRE(f != NULL);
    for (unsigned i = 0; i < LINES; i++) {
        const uint64_t r = check_random(state);
        const uint64_t number = r % 3 == 0 ? 7 : (r >> 8) % spread;
        REQUIRE(fprintf(f, "%llu,%u\n", (unsigned long long)number, i) > 0);
    }
    REQUIRE(fclose(f) == 0);
}

static void check_order(portions *p, size_t records_max)
{
    const seen_line *last = NULL;
    size_t sum = 0;
    for (size_t n = 0; n < PORTIONS; n++) {
        size_t distinct = 0;
        for (size_t i = 0; i < p->count[n]; i++) {
            const seen_line *const line = &p->lines[n][i];
            const bool is_new = last == NULL || last->number < line->number;
            CHECK(is_new || (last->number == line->number && last->line < line->line));
            CHECK(is_new || i > 0); /* no portion begins amid equal keys */
            distinct += is_new;
            last = line;
        }
        CHECK(records_max == 0 || distinct <= records_max);
        sum += p->count[n];
    }
    CHECK(sum == LINES);
    CHECK(atomic_load(&p->begun) == atomic_load(&p->ended));
}

static void check_portions(uint64_t spread, size_t portion_max, size_t portion_records,
                           uint64_t *state)
{
    static portions p;
    gs_status st = {.code = GS_OK};
    char path[] = "/tmp/test_join_sorted.XXXXXX";
    const char *const inputs[] = {path};
    write_lines(path, spread, state);
    gs_join_options options = {.match = GS_JOIN_BAND, .shows_pairs = true};
    options.sort = (gs_sort_options){.inputs = inputs,
                                     .input_count = 1,
                                     .memory_bytes = 64 << 20,
                                     .threads = WORKERS,
                                     .order = {.delimiter = ',', .eol = '\n'}};
    const gs_memory_plan plan = gs_memory_plan_sort(&options.sort, true);
    gs_team *team;
    gs_band_key key;
    gs_join_sorted *sorted;
    REQUIRE_OK(gs_team_new(&team, WORKERS, &st), &st);
    REQUIRE_OK(gs_band_key_init(&key, &options, GS_JOIN_LEFT, NULL, &st), &st);
    const gs_join_sorting sorting = {
        .options = &options.sort, .encoders = &key.encoder, .team = team, .plan = &plan};
    REQUIRE_OK(gs_join_sorted_new(&sorted, &sorting, &st), &st);
    const gs_range_consumer consumer = {.portion_max = portion_max,
                                        .portion_records = portion_records,
                                        .kept_together = all_of_key,
                                        .begin = begin,
                                        .add = add,
                                        .end = end,
                                        .abandon = abandon,
                                        .context = &p};
    memset(p.count, 0, sizeof p.count);
    p.begun = p.ended = 0;
    REQUIRE_OK(gs_join_sorted_consume(sorted, &consumer, true, &st), &st);
    CHECK(atomic_load(&p.begun) <= portion_max);
    const bool is_cut = portion_records > 0 && portion_max == PORTIONS;
    check_order(&p, is_cut ? portion_records : 0);
    if (is_cut && spread > LINES)
        CHECK(atomic_load(&p.begun) >= LINES / portion_records);
    for (size_t n = 0; n < PORTIONS; n++) {
        gs_mem_free(p.lines[n]);
        p.lines[n] = NULL;
        p.capacity[n] = 0;
    }
    gs_join_sorted_free(sorted);
    gs_band_key_release(&key);
    gs_team_free(team);
    REQUIRE(unlink(path) == 0);
}

int main(void)
{
    static const uint64_t spreads[] = {1, 3, 1000, 1000000000};
    const uint64_t seed = check_seed(20);
    uint64_t state = seed;
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
        check_portions(spreads[s], PORTIONS, 0, &state);
        check_portions(spreads[s], PORTIONS, 16, &state);
        check_portions(spreads[s], PORTIONS, 1000, &state);
        check_portions(spreads[s], 5, 16, &state);
        check_portions(spreads[s], 1, 16, &state);
    }
    return check_result();
}
