/* SPDX-License-Identifier: MIT */
#include "lib/join/number_side.h"

#include <pthread.h>
#include <string.h>

#include "io/input.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"

/* A line that was left out, among those that were found. */
static const uint64_t nowhere = UINT64_MAX;

typedef struct reading {
    gs_number_side *side;
    const gs_join_job *job;
    int64_t units; /* in one */
    uint8_t eol;
    pthread_mutex_t mutex; /* guards what follows, and what is counted of the side */
    pthread_cond_t turn_changed;
    uint64_t next_ticket; /* may reserve */
    bool has_stopped;     /* for a failure or a finding */
    gs_number_finding finding;
    unsigned decimals; /* that are needed, with GS_NUMBERS_FINER */
} reading;

/* What a batch has. */
typedef struct batch_lines {
    size_t count; /* of lines with a number */
    uint64_t skipped;
    int64_t least, greatest;
    unsigned decimals; /* more than there are; 0: they do */
    bool is_other;
} batch_lines;

static gs_join_number power_of_ten(unsigned exponent)
{
    gs_join_number power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* --- numbers -------------------------------------------------------------------- */

static bool fits(gs_join_number number)
{
    return number < GS_NUMBER_SIDE_FAR && number > -GS_NUMBER_SIDE_FAR;
}

/* A number that is not whole or not the first thing in its line; false if the line is not
 * one of those that are kept, for the reason that is noted. */
static __attribute__((noinline)) bool take_other(const reading *r, const uint8_t *line,
                                                 size_t bytes, batch_lines *found,
                                                 int64_t *out)
{
    gs_join_number number;
    unsigned decimals = r->side->decimals;
    if (!gs_band_key_read(&r->side->key, line, bytes, &number)) {
        found->skipped++;
        found->is_other |= !r->job->options->skips_bad;
        return false;
    }
    gs_join_number unit = gs_number_side_unit(r->side);
    if (number % unit == 0) {
        found->is_other |= !fits(number / unit);
        *out = (int64_t)(number / unit);
        return !found->is_other;
    }
    for (; number % unit != 0; decimals++)
        unit /= 10;
    if (found->decimals < decimals)
        found->decimals = decimals;
    return false;
}

static inline bool take_number(const reading *r, const uint8_t *line, size_t bytes,
                               batch_lines *found, int64_t *out)
{
    int64_t whole;
    if (__builtin_expect(!gs_band_key_take_whole(&r->side->key, line, bytes, &whole) ||
                             __builtin_mul_overflow(whole, r->units, out) || !fits(*out),
                         0))
        return take_other(r, line, bytes, found, out);
    return true;
}

/* A line, which is at `offset` of the text, into room that there is. */
static inline void add_line(const reading *r, const uint8_t *line, size_t bytes,
                            size_t offset, batch_lines *found, gs_number_line *to)
{
    int64_t number;
    if (__builtin_expect(bytes >= GS_WHERE_LENGTH_LONG, 0)) {
        found->is_other = true;
        return;
    }
    if (!take_number(r, line, bytes, found, &number))
        return;
    to[found->count++] = (gs_number_line){number, gs_where_pack(offset, bytes)};
    found->least = number < found->least ? number : found->least;
    found->greatest = number > found->greatest ? number : found->greatest;
}

/* The lines of a batch, which is at `offset` of the text; there are `count`, or the text
 * has changed since they were counted. They are looked at in the batch, also if it was
 * copied: there others may still write right behind. */
static batch_lines add_lines(const reading *r, const gs_line_batch *batch, size_t offset,
                             gs_number_line *to, size_t count)
{
    const uint8_t *const data = batch->data;
    batch_lines found = {.least = INT64_MAX, .greatest = INT64_MIN};
    size_t lines = 0;
    gs_line_iter it = gs_line_iter_begin(data, batch->bytes, r->eol);
    while (!found.is_other && gs_line_iter_load(&it)) {
        while (lines < count && gs_line_iter_next(&it)) {
            add_line(r, data + it.begin, it.end - it.begin, offset + it.begin, &found,
                     to);
            lines++;
        }
        found.is_other |= it.mask != 0; /* more than were counted */
    }
    if (batch->lacks_final_eol && lines < count && it.rest < batch->bytes) {
        add_line(r, data + it.rest, batch->bytes - it.rest, offset + it.rest, &found, to);
        lines++;
        it.rest = batch->bytes;
    }
    found.is_other |= lines != count || it.rest != batch->bytes;
    for (size_t i = found.count; i < count; i++)
        to[i].where = nowhere;
    return found;
}

/* --- batches -------------------------------------------------------------------- */

static void stop_locked(reading *r, gs_number_finding finding, unsigned decimals)
{
    r->has_stopped = true;
    if (finding > r->finding)
        r->finding = finding;
    if (decimals > r->decimals)
        r->decimals = decimals;
    pthread_cond_broadcast(&r->turn_changed);
}

static void stop(reading *r, gs_number_finding finding)
{
    pthread_mutex_lock(&r->mutex);
    stop_locked(r, finding, 0);
    pthread_mutex_unlock(&r->mutex);
}

/* As many lines for as many bytes to the end, and there is no room: known early, it has
 * cost little. */
static bool is_hopeless(const gs_number_side *s)
{
    enum { ENOUGH = 4 << 20 };
    static const double most = 1.1;
    return s->text_bytes > ENOUGH &&
           (double)s->count / (double)s->text_bytes * (double)s->input_bytes >
               most * (double)s->capacity;
}

/* Room for the lines of a batch, and for its text if that is copied, in the order of the
 * input; false if there is none, or nobody needs it any more. */
static bool reserve_in_turn(reading *r, const gs_line_batch *batch, size_t lines,
                            size_t copied, gs_number_line **to, uint8_t **copy)
{
    gs_number_side *const s = r->side;
    pthread_mutex_lock(&r->mutex);
    while (r->next_ticket != batch->ticket && !r->has_stopped)
        pthread_cond_wait(&r->turn_changed, &r->mutex);
    const bool has_room = lines <= s->capacity - s->count &&
                          copied <= s->room_bytes - s->room_used && !is_hopeless(s);
    if (!has_room && !r->has_stopped)
        stop_locked(r, GS_NUMBERS_OTHER, 0);
    const bool is_reserved = !r->has_stopped;
    if (is_reserved) {
        *to = s->lines + s->count;
        *copy = s->room + s->room_used;
        s->count += lines;
        s->room_used += copied;
        s->text_bytes += batch->bytes;
        r->next_ticket++;
        pthread_cond_broadcast(&r->turn_changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return is_reserved;
}

static void note_found(reading *r, const batch_lines *found)
{
    gs_number_side *const s = r->side;
    pthread_mutex_lock(&r->mutex);
    if (found->is_other)
        stop_locked(r, GS_NUMBERS_OTHER, 0);
    else if (found->decimals > 0)
        stop_locked(r, GS_NUMBERS_FINER, found->decimals);
    s->skipped += found->skipped;
    s->least = found->least < s->least ? found->least : s->least;
    s->greatest = found->greatest > s->greatest ? found->greatest : s->greatest;
    pthread_mutex_unlock(&r->mutex);
}

static void take_batch(reading *r, const gs_line_batch *batch)
{
    gs_number_line *to;
    uint8_t *copy;
    const bool is_in_map = batch->is_in_map;
    if (is_in_map)
        gs_file_map_bring(batch->data, batch->bytes);
    const size_t lines =
        gs_line_count(batch->data, batch->bytes, r->eol) + batch->lacks_final_eol;
    const size_t bytes = batch->bytes + batch->lacks_final_eol;
    if (!reserve_in_turn(r, batch, lines, is_in_map ? 0 : bytes, &to, &copy))
        return;
    if (!is_in_map) {
        memcpy(copy, batch->data, batch->bytes);
        if (batch->lacks_final_eol)
            copy[batch->bytes] = r->eol;
    }
    const uint8_t *const place = is_in_map ? batch->data : copy;
    const batch_lines found =
        add_lines(r, batch, (size_t)(place - r->side->text), to, lines);
    note_found(r, &found);
}

static bool has_stopped(reading *r)
{
    pthread_mutex_lock(&r->mutex);
    const bool stopped = r->has_stopped;
    pthread_mutex_unlock(&r->mutex);
    return stopped;
}

static gs_code read_worker(void *context, unsigned worker, gs_status *st)
{
    reading *const r = context;
    gs_trace *const trace = gs_team_trace(r->job->team);
    for (bool goes_on = true; goes_on && !has_stopped(r);) {
        gs_line_batch batch = {0};
        if (gs_cancel_check(r->job->sort.cancel_signal, st) == GS_OK)
            GS_NOTED(gs_line_feed_next(r->side->in.feed, &batch, &goes_on, st));
        if (st->code == GS_OK && goes_on) {
            const uint64_t begin_ns = gs_trace_begin(trace);
            take_batch(r, &batch);
            gs_trace_end(trace, GS_LANE_WORKER, worker, "parse", begin_ns, batch.bytes);
        }
        gs_line_batch_release(&batch);
        if (st->code != GS_OK) {
            stop(r, GS_NUMBERS_OTHER);
            return st->code;
        }
    }
    return GS_OK;
}

/* --- a side --------------------------------------------------------------------- */

/* Maps the file, or makes room for a copy of it. */
static gs_code place_text(gs_number_side *s, const gs_join_job *job, gs_status *st)
{
    enum { SLACK = GS_BLOCK_SLACK };
    /* The last line of a mapped file is copied if it has no end. */
    const size_t line_max = GS_WHERE_LENGTH_LONG + 1 + SLACK;
    s->input_bytes = gs_input_size_hint(s->in.input);
    if (!job->sort.no_map &&
        gs_input_map(s->in.input, gs_output_fd(job->output), line_max, &s->in.map)) {
        gs_line_feed_map(s->in.feed, &s->in.map, 0);
        s->text = s->in.map.base;
        s->room = s->in.map.base + s->in.map.copies_begin;
        s->room_bytes = line_max - SLACK;
        return GS_OK;
    }
    s->room_bytes = (size_t)s->input_bytes + 1;
    GS_TRY(gs_mem_map(&s->own, s->room_bytes + SLACK, true, "text of a join", st));
    s->text = s->room = s->own;
    return GS_OK;
}

static gs_code read_all(reading *r, gs_status *st)
{
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->turn_changed, NULL);
    GS_NOTED(gs_team_run(r->job->team, read_worker, r, st));
    pthread_cond_destroy(&r->turn_changed);
    pthread_mutex_destroy(&r->mutex);
    return st->code;
}

/* Those that were left out leave no gaps. */
static void close_gaps(gs_number_side *s)
{
    size_t kept = 0;
    if (s->skipped == 0)
        return;
    for (size_t i = 0; i < s->count; i++) {
        s->lines[kept] = s->lines[i];
        kept += s->lines[i].where != nowhere;
    }
    s->count = kept;
}

static gs_code open_side(gs_number_side *s, gs_join_job *job, gs_join_header_place *place,
                         gs_status *st)
{
    gs_sort_options *const o = &job->sort;
    o->inputs = &job->options->inputs[place->side];
    o->input_count = 1;
    s->in.see_header = gs_join_header_seen;
    s->in.header_context = place;
    GS_TRY(gs_band_key_init(&s->key, job->options, place->side, NULL, st));
    const gs_record_layout layout = gs_join_record_layout(o);
    GS_TRY(gs_sort_input_open(&s->in, o, &job->plan, &layout, st));
    GS_TRY(gs_input_begin(s->in.input, st));
    return place_text(s, job, st);
}

gs_code gs_number_side_read(gs_number_side *s, gs_join_job *job, gs_join_side side,
                            gs_number_finding *finding, gs_status *st)
{
    gs_join_header_place place = {job, side};
    s->least = INT64_MAX;
    s->greatest = INT64_MIN;
    GS_TRY(open_side(s, job, &place, st));
    reading r = {
        .side = s,
        .job = job,
        .units = (int64_t)power_of_ten(s->decimals),
        .eol = job->options->sort.order.eol,
        .next_ticket = gs_line_feed_next_ticket(s->in.feed),
    };
    GS_TRY(read_all(&r, st));
    s->line_count = s->count;
    close_gaps(s);
    *finding = r.finding;
    if (r.finding == GS_NUMBERS_FINER)
        s->decimals = r.decimals;
    return GS_OK;
}

gs_code gs_number_side_split(gs_number_side *s, gs_number_line **scratch, gs_team *team,
                             gs_status *st)
{
    return gs_number_split(&s->cells, &s->lines, scratch, s->count, s->least, s->greatest,
                           team, st);
}

bool gs_number_side_refine(gs_number_side *s, unsigned decimals)
{
    gs_assert(decimals >= s->decimals);
    const gs_join_number factor = power_of_ten(decimals - s->decimals);
    s->decimals = decimals;
    if (factor == 1 || s->count == 0)
        return true;
    if (!fits(s->least * factor) || !fits(s->greatest * factor))
        return false;
    for (size_t i = 0; i < s->count; i++)
        s->lines[i].number *= (int64_t)factor;
    s->least *= (int64_t)factor;
    s->greatest *= (int64_t)factor;
    return true;
}

void gs_number_side_release(gs_number_side *s)
{
    gs_sort_input_release(&s->in);
    gs_band_key_release(&s->key);
    gs_number_cells_release(&s->cells);
    gs_mem_unmap(s->own, s->room_bytes + GS_BLOCK_SLACK);
    s->own = NULL;
}

gs_join_number gs_number_side_unit(const gs_number_side *s)
{
    return power_of_ten(GS_NUMBER_DECIMALS_MAX - s->decimals);
}

size_t gs_number_side_seek(const gs_number_side *s, int64_t number)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->lines[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
