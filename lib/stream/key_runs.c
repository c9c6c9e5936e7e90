/* SPDX-License-Identifier: MIT */
#include "lib/stream/key_runs.h"

#include <string.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/stream/nth_count.h"

enum { PAGE_BYTES = GS_KEY_PAGE * sizeof(uint64_t), GATHER_MIN = 1 << 12 };

/* Of the memory a quarter is for what finds keys in the file, and the rest holds runs. */
gs_code gs_key_runs_init(gs_key_runs *r, size_t run_keys, size_t memory_bytes,
                         const char *const *temp_folders, size_t temp_folder_count,
                         gs_status *st)
{
    gs_assert(run_keys > 0 && run_keys % GS_KEY_PAGE == 0 && run_keys <= UINT32_MAX);
    const size_t run_bytes = run_keys * sizeof *r->near;
    *r = (gs_key_runs){.run_keys = run_keys,
                       .temp_folders = temp_folders,
                       .temp_folder_count = temp_folder_count,
                       .near_runs = memory_bytes / 4 * 3 / run_bytes,
                       .mark_pages = 1,
                       .mark_bytes_max = memory_bytes / 16,
                       .gather_max = memory_bytes / 16 / sizeof(uint64_t),
                       .fd = -1};
    if (r->gather_max < GATHER_MIN)
        r->gather_max = GATHER_MIN;
    pthread_mutex_init(&r->mutex, NULL);
    r->near_bytes = r->near_runs * run_bytes;
    return r->near_bytes > 0 ? gs_mem_map(&r->near, r->near_bytes, true, "runs", st)
                             : GS_OK;
}

void gs_key_runs_release(gs_key_runs *r)
{
    if (r->run_keys == 0)
        return;
    gs_mem_unmap(r->near, r->near_bytes);
    gs_mem_free(r->marks);
    gs_mem_free(r->parts);
    gs_mem_unmap(r->room, r->room_bytes);
    if (r->fd >= 0)
        (void)close(r->fd);
    gs_spill_free(r->spill);
    pthread_mutex_destroy(&r->mutex);
    *r = (gs_key_runs){.run_keys = 0};
}

static uint64_t far_runs(const gs_key_runs *r)
{
    return r->run_count > r->near_runs ? r->run_count - r->near_runs : 0;
}

uint64_t gs_key_runs_spilled_bytes(const gs_key_runs *r)
{
    return far_runs(r) * r->run_keys * sizeof(uint64_t);
}

size_t gs_key_runs_held_bytes(const gs_key_runs *r)
{
    return (r->run_count - far_runs(r)) * r->run_keys * sizeof(uint64_t);
}

/* --- putting ------------------------------------------------------------------------ */

static gs_code open_file(gs_key_runs *r, gs_status *st)
{
    pthread_mutex_lock(&r->mutex);
    if (r->fd < 0 &&
        (r->spill != NULL ||
         gs_spill_new(&r->spill, r->temp_folders, r->temp_folder_count, st) == GS_OK))
        GS_NOTED(gs_spill_file_new(r->spill, &r->fd, &r->folder, st));
    pthread_mutex_unlock(&r->mutex);
    return st->code;
}

static gs_code fail_file(const gs_key_runs *r, const char *what, int error, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_IO, error, "%s of runs in a temporary file of '%s'", what,
                   r->folder);
}

gs_code gs_key_runs_put(gs_key_runs *r, uint64_t number, const uint64_t *keys,
                        gs_key_mark *marks, gs_status *st)
{
    const size_t run_bytes = r->run_keys * sizeof *keys;
    if (gs_key_runs_is_near(r, number)) {
        memcpy(r->near + number * r->run_keys, keys, run_bytes);
        return GS_OK;
    }
    for (size_t i = 0; i < r->run_keys; i += GS_KEY_PAGE)
        marks[i / GS_KEY_PAGE] =
            (gs_key_mark){keys[i], gs_checksum(keys + i, PAGE_BYTES, 0)};
    GS_TRY(open_file(r, st));
    const int error =
        gs_pwrite_all(r->fd, keys, run_bytes, (number - r->near_runs) * run_bytes);
    return error == 0 ? GS_OK : fail_file(r, "write", error, st);
}

/* --- marks -------------------------------------------------------------------------- */

static size_t marks_a_run(const gs_key_runs *r)
{
    return (r->run_keys / GS_KEY_PAGE + r->mark_pages - 1) / r->mark_pages;
}

/* `count` marks of a run to half as many; returns how many. `to` may be `from`. */
static size_t halve(gs_key_mark *to, const gs_key_mark *from, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i += 2, n++)
        to[n] = (gs_key_mark){from[i].first,
                              from[i].sum + (i + 1 < count ? from[i + 1].sum : 0)};
    return n;
}

static gs_code thin_out(gs_key_runs *r, gs_status *st)
{
    const size_t before = marks_a_run(r);
    if (before == 1) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "%zu runs of %zu values take more memory",
                      r->mark_count, r->run_keys);
        return gs_status_hint(st, "give more memory with -S");
    }
    size_t n = 0;
    for (size_t i = 0; i < r->mark_count; i += before)
        n += halve(r->marks + n, r->marks + i, before);
    r->mark_count = n;
    r->mark_pages *= 2;
    return GS_OK;
}

gs_code gs_key_runs_mark(gs_key_runs *r, const gs_key_mark *marks, gs_status *st)
{
    r->run_count++;
    if (far_runs(r) == 0)
        return GS_OK;
    while ((r->mark_count + marks_a_run(r)) * sizeof *marks > r->mark_bytes_max / 2)
        GS_TRY(thin_out(r, st));
    GS_TRY(gs_mem_grow(&r->marks, &r->mark_capacity, r->mark_count + marks_a_run(r),
                       "marks of runs", st));
    for (size_t i = 0; i < r->run_keys / GS_KEY_PAGE; i += r->mark_pages) {
        gs_key_mark sum = {marks[i].first, 0};
        for (size_t k = i; k < i + r->mark_pages && k < r->run_keys / GS_KEY_PAGE; k++)
            sum.sum += marks[k].sum;
        r->marks[r->mark_count++] = sum;
    }
    return GS_OK;
}

/* --- looking ------------------------------------------------------------------------ */

typedef struct key_search {
    gs_key_runs *runs;
    const uint64_t *last;
    size_t last_count;
    gs_run_part *looked; /* of each run: what the last look found */
} key_search;

/* The keys of a run in memory, or NULL; the last one has the number run_count. */
static const uint64_t *near_keys(const key_search *s, uint64_t run)
{
    const gs_key_runs *const r = s->runs;
    return run == r->run_count           ? s->last
           : gs_key_runs_is_near(r, run) ? r->near + run * r->run_keys
                                         : NULL;
}

/* How many of them are not greater, of which at least `low` are and at most `high`. */
static size_t count_up_to(const uint64_t *keys, size_t low, size_t high, uint64_t key)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keys[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const gs_key_mark *marks_of(const gs_key_runs *r, uint64_t run)
{
    return r->marks + (run - r->near_runs) * marks_a_run(r);
}

/* The part of a run in the file in which, by its marks, the number lies. */
static gs_run_part mark_part(const gs_key_runs *r, uint64_t run, gs_run_part part,
                             uint64_t key)
{
    const gs_key_mark *const marks = marks_of(r, run);
    const size_t mark_keys = r->mark_pages * GS_KEY_PAGE;
    size_t low = part.low / mark_keys, high = (part.high + mark_keys - 1) / mark_keys;
    while (low < high) { /* to the first mark that is greater */
        const size_t middle = low + (high - low) / 2;
        if (marks[middle].first <= key)
            low = middle + 1;
        else
            high = middle;
    }
    const size_t least = low > 0 ? (low - 1) * mark_keys + 1 : 0;
    const size_t most = low * mark_keys;
    return (gs_run_part){(uint32_t)(least > part.low ? least : part.low),
                         (uint32_t)(most < part.high ? most : part.high)};
}

/* The pages of a mark to the room. */
static gs_code read_mark(gs_key_runs *r, uint64_t run, size_t mark, gs_status *st)
{
    const size_t mark_keys = r->mark_pages * GS_KEY_PAGE, at = mark * mark_keys;
    const size_t n = r->run_keys - at < mark_keys ? r->run_keys - at : mark_keys;
    const uint64_t begin = (run - r->near_runs) * r->run_keys + at;
    size_t taken = 0;
    const int error = gs_pread_all(r->fd, r->room, n * sizeof *r->room,
                                   begin * sizeof *r->room, &taken);
    if (error != 0 || taken < n * sizeof *r->room)
        return fail_file(r, "read", error, st);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i += GS_KEY_PAGE)
        sum += gs_checksum(r->room + i, PAGE_BYTES, 0);
    return sum == marks_of(r, run)[mark].sum
               ? GS_OK
               : GS_FAIL(st, GS_ERR_FORMAT, 0,
                         "runs in a temporary file of '%s' are not as they were written",
                         r->folder);
}

/* How many keys of the run are not greater: just that, or between which numbers. */
static gs_code look(const key_search *s, uint64_t run, uint64_t key, bool is_just,
                    gs_run_part *part, gs_status *st)
{
    gs_key_runs *const r = s->runs;
    const uint64_t *const keys = near_keys(s, run);
    if (part->low == part->high)
        return GS_OK;
    if (keys != NULL) {
        part->low = part->high = (uint32_t)count_up_to(keys, part->low, part->high, key);
        return GS_OK;
    }
    *part = mark_part(r, run, *part, key);
    if (!is_just || part->low == part->high)
        return GS_OK;
    const size_t mark_keys = r->mark_pages * GS_KEY_PAGE;
    const size_t mark = (part->high - 1) / mark_keys, at = mark * mark_keys;
    GS_TRY(read_mark(r, run, mark, st));
    part->low = part->high =
        (uint32_t)(at + count_up_to(r->room, part->low - at, part->high - at, key));
    return GS_OK;
}

typedef struct key_counts {
    uint64_t least, most; /* keys are not greater, in all runs */
} key_counts;

static gs_code count_all(const key_search *s, uint64_t key, bool is_just, key_counts *out,
                         gs_status *st)
{
    *out = (key_counts){0, 0};
    for (uint64_t run = 0; run <= s->runs->run_count; run++) {
        gs_run_part *const to = &s->looked[run];
        *to = s->runs->parts[run];
        GS_TRY(look(s, run, key, is_just, to, st));
        out->least += to->low;
        out->most += to->high;
    }
    return GS_OK;
}

/* The key is at most, or greater than, the one looked at: parts end, or begin, there. */
static void narrow(const key_search *s, bool is_at_most)
{
    for (uint64_t run = 0; run <= s->runs->run_count; run++) {
        gs_run_part *const part = &s->runs->parts[run];
        if (is_at_most)
            part->high = s->looked[run].high;
        else
            part->low = s->looked[run].low;
    }
}

static key_counts in_question(const gs_key_runs *r)
{
    key_counts c = {0, 0};
    for (uint64_t run = 0; run <= r->run_count; run++) {
        c.least += r->parts[run].low;
        c.most += r->parts[run].high;
    }
    return c;
}

/* Few are left: all of them, and the one among them. */
static gs_code gather(const key_search *s, uint64_t rank, uint64_t *key, gs_status *st)
{
    gs_key_runs *const r = s->runs;
    uint64_t *const all = r->room + r->mark_pages * GS_KEY_PAGE;
    const size_t mark_keys = r->mark_pages * GS_KEY_PAGE;
    uint64_t before = 0;
    size_t n = 0;
    for (uint64_t run = 0; run <= r->run_count; run++) {
        const gs_run_part part = r->parts[run];
        const uint64_t *const keys = near_keys(s, run);
        before += part.low;
        for (size_t at = part.low, end; at < part.high; n += end - at, at = end) {
            const size_t mark = at / mark_keys;
            end = keys != NULL || (mark + 1) * mark_keys > part.high
                      ? part.high
                      : (mark + 1) * mark_keys;
            if (keys == NULL)
                GS_TRY(read_mark(r, run, mark, st));
            memcpy(all + n, keys != NULL ? keys + at : r->room + (at - mark * mark_keys),
                   (end - at) * sizeof *all);
        }
    }
    gs_assert(rank > before && rank - before <= n);
    *key = gs_nth_largest(all, n, n - (rank - before));
    return GS_OK;
}

/* It begins where a page does, as what is read there does in the file: the kernel takes
 * three times as long to copy to 16 bytes behind one, where malloc puts what is large. */
static gs_code need_room(gs_key_runs *r, gs_status *st)
{
    const size_t bytes = (r->mark_pages * GS_KEY_PAGE + r->gather_max) * sizeof *r->room;
    if (r->room == NULL)
        GS_TRY(gs_mem_map(&r->room, bytes, false, "keys in question", st));
    else
        GS_TRY(gs_mem_map_resize(&r->room, r->room_bytes, bytes, "keys in question", st));
    r->room_bytes = bytes;
    return GS_OK;
}

static gs_code prepare(key_search *s, gs_status *st)
{
    gs_key_runs *const r = s->runs;
    GS_TRY(gs_mem_grow(&r->parts, &r->part_capacity, 2 * (r->run_count + 1),
                       "parts of runs", st));
    s->looked = r->parts + r->run_count + 1;
    for (uint64_t run = 0; run < r->run_count; run++)
        r->parts[run] = (gs_run_part){0, (uint32_t)r->run_keys};
    r->parts[r->run_count] = (gs_run_part){0, (uint32_t)s->last_count};
    return need_room(r, st);
}

gs_code gs_key_runs_select(gs_key_runs *r, const uint64_t *last, size_t last_count,
                           uint64_t rank, uint64_t *key, gs_status *st)
{
    key_search s = {.runs = r, .last = last, .last_count = last_count};
    uint64_t low = 0, high = UINT64_MAX; /* the key is one of these */
    GS_TRY(prepare(&s, st));
    const uint64_t all = in_question(r).most;
    gs_assert(rank > 0 && rank <= all);
    while (low < high) {
        const key_counts left = in_question(r);
        if (left.most - left.least <= r->gather_max)
            return gather(&s, rank, key, st);
        const uint64_t middle = low + (high - low) / 2;
        key_counts count;
        GS_TRY(count_all(&s, middle, false, &count, st));
        if (count.least < rank && count.most >= rank)
            GS_TRY(count_all(&s, middle, true, &count, st));
        const bool is_at_most = count.least >= rank;
        narrow(&s, is_at_most);
        if (is_at_most)
            high = middle;
        else
            low = middle + 1;
    }
    *key = low;
    return GS_OK;
}
