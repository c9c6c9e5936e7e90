/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/chunk_emit.h"

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/run/runs.h"
#include "lib/sort/record/records.h"

enum {
    PREFETCH_AHEAD = 16,
    BUCKETS_A_WORKER = 4,
    SHARE_MIN = 4096, /* elements of one that is worth it */
    /* Buckets that a worker copies together: fewer are not worth it. */
    GROUP_SHARE_MIN = 8,
    GROUP_SHARE_MAX = 48, /* more of them do not gain anything */
    GROUP_BYTES_MAX = 256 << 20,
    GROUP_RECORD_MAX = 1024, /* bytes, on average: longer ones have pages of their own */
};

/* What a worker holds from the first bucket to the last. */
typedef struct gs_emit_worker {
    gs_sink_piece *piece;
    gs_bucket_copy copy;
    gs_bucket_scratch scratch;
    gs_witness_piece seen; /* of text without a piece, and of what is left out */
} gs_emit_worker;

typedef struct gs_emit_job {
    const gs_chunk_emit_options *options;
    gs_trace *trace;
    gs_chunk *chunk;
    gs_sink *sink;
    gs_bucket_split split;
    gs_bucket_list buckets;
    size_t bucket_count;
    gs_emit_worker *workers;
    size_t worker_count;
    atomic_size_t next_bucket;
    size_t group_begin, group_end; /* of the buckets that are worked on */
    size_t group_share;            /* that each worker copies before; 0: none */
    gs_copied_bucket *group;       /* one of these two */
    gs_early_bucket *early_group;
    uint64_t kept;      /* of has_top with is_unique: one worker only */
    uint64_t last_kept; /* `where` of record top_count - 1, written by one worker */
} gs_emit_job;

/* Drops all but the first of equal neighbours; their number goes to the first's prefix,
 * which is not needed any more. Returns how many are left. */
static size_t drop_equals(const gs_record_layout *layout, const uint8_t *arena,
                          gs_element *e, size_t n, gs_witness_piece *seen)
{
    size_t kept = 0;
    gs_record last = {0};
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            __builtin_prefetch(arena + gs_where_offset(e[i + PREFETCH_AHEAD].where));
        const gs_record r = gs_record_at(layout, arena, e[i].where);
        if (kept > 0 && r.string_bytes == last.string_bytes &&
            memcmp(r.string, last.string, r.string_bytes) == 0) {
            e[kept - 1].prefix++;
            gs_witness_drop(seen, r.line, r.line_bytes, 1);
            continue;
        }
        e[kept++] = (gs_element){.prefix = 1, .where = e[i].where};
        last = r;
    }
    return kept;
}

/* What of a record is text: its line, and the end of it. */
typedef struct gs_text_view {
    const uint8_t *bytes;
    size_t length;
} gs_text_view;

static inline gs_text_view text_of(const gs_record_layout *layout, const uint8_t *arena,
                                   uint64_t where)
{
    const gs_record r = gs_record_at(layout, arena, where);
    return (gs_text_view){r.line, r.line_bytes + layout->has_eol};
}

/* How much text the bucket is, which follows from its elements if all lines are plain and
 * not long. */
static uint64_t text_bytes(const gs_record_layout *layout, const uint8_t *arena,
                           const gs_element *e, size_t n)
{
    uint64_t sum = 0, longest = 0;
    for (size_t i = 0; i < n && !layout->is_keyed; i++) {
        const uint64_t length = e[i].where & GS_WHERE_LENGTH_LONG;
        sum += length;
        longest |= (uint64_t)(length == GS_WHERE_LENGTH_LONG);
    }
    if (!layout->is_keyed && longest == 0)
        return sum + (layout->has_eol ? n : 0);
    sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            gs_record_prefetch(arena, e[i + PREFETCH_AHEAD].where);
        sum += text_of(layout, arena, e[i].where).length;
    }
    return sum;
}

/* Records whose text was written one behind the other, from `text` on, and which a
 * witness has not looked at yet. */
typedef struct gs_shown_row {
    const uint8_t *text;
    size_t count;
} gs_shown_row;

/* Notes in the row the record at e, whose text was put at `text`. */
static inline gs_code show(gs_witness_piece *seen, gs_shown_row *row,
                           const gs_record_layout *layout, const uint8_t *arena,
                           const gs_element *e, gs_text_view text, gs_status *st)
{
    if (row->count == 0)
        row->text = text.bytes;
    seen->ends[row->count] =
        (uint32_t)((size_t)(text.bytes - row->text) + text.length - layout->has_eol);
    row->count++;
    if (layout->is_keyed) {
        const gs_record r = gs_record_at(layout, arena, e->where);
        seen->strings[row->count] = (gs_seen_string){r.string, r.string_bytes};
    }
    if (row->count < GS_WITNESS_BATCH)
        return GS_OK;
    row->count = 0;
    return gs_witness_look_at_row(seen, row->text, GS_WITNESS_BATCH, st);
}

static inline __attribute__((always_inline)) gs_code
end_row(gs_witness_piece *seen, gs_shown_row *row, gs_status *st)
{
    const size_t count = row->count;
    row->count = 0;
    return gs_witness_look_at_row(seen, row->text, count, st);
}

/* Writes the text of records, which lie apart in the arena, into the stream at `offset`,
 * where `bytes` are reserved for it. Compiled for plain and for keyed records, and for
 * both with a witness. */
static inline __attribute__((always_inline)) gs_code
gather_as(const gs_emit_job *job, bool is_keyed, gs_witness_piece *seen,
          const uint8_t *arena, const gs_element *e, size_t n, uint64_t offset,
          uint64_t bytes, gs_status *st)
{
    gs_stream *const stream = job->sink->stream;
    gs_record_layout layout = job->chunk->layout;
    layout.is_keyed = is_keyed;
    gs_shown_row row = {0};
    size_t i = 0;
    while (bytes > 0) {
        uint8_t *to;
        size_t room;
        GS_TRY(gs_stream_map(stream, offset, &to, &room, st));
        if (room > bytes)
            room = (size_t)bytes;
        size_t at = 0;
        gs_text_view text = {0};
        /* Whole records while short copies cannot leave the block. */
        for (; i < n; i++) {
            if (i + PREFETCH_AHEAD < n)
                gs_record_prefetch(arena, e[i + PREFETCH_AHEAD].where);
            text = text_of(&layout, arena, e[i].where);
            if (at + text.length + GS_SHORT_COPY_BYTES > room)
                break;
            gs_copy_short(to + at, text.bytes, text.length);
            if (seen != NULL)
                GS_TRY(show(seen, &row, &layout, arena, &e[i],
                            (gs_text_view){to + at, text.length}, st));
            at += text.length;
        }
        if (seen != NULL)
            GS_TRY(end_row(seen, &row, st));
        gs_stream_filled(stream, offset, at);
        offset += at;
        bytes -= at;
        if (i < n) {
            /* The record at the block's end, perhaps over it, exactly. */
            GS_TRY(gs_stream_put(stream, offset, text.bytes, text.length, st));
            if (seen != NULL) {
                GS_TRY(show(seen, &row, &layout, arena, &e[i], text, st));
                GS_TRY(end_row(seen, &row, st));
            }
            offset += text.length;
            bytes -= text.length;
            i++;
        }
    }
    return GS_OK;
}

static gs_code gather_text(const gs_emit_job *job, gs_emit_worker *worker,
                           const uint8_t *arena, const gs_element *e, size_t n,
                           uint64_t ticket, uint64_t offset, uint64_t bytes,
                           gs_status *st)
{
    const bool is_keyed = job->chunk->layout.is_keyed;
    gs_witness_piece *const seen = &worker->seen;
    gs_witness_begin(seen, job->sink->witness, ticket, is_keyed);
    if (!gs_witness_is_full(job->sink->witness))
        GS_NOTED(is_keyed ? gather_as(job, true, NULL, arena, e, n, offset, bytes, st)
                          : gather_as(job, false, NULL, arena, e, n, offset, bytes, st));
    else
        GS_NOTED(is_keyed ? gather_as(job, true, seen, arena, e, n, offset, bytes, st)
                          : gather_as(job, false, seen, arena, e, n, offset, bytes, st));
    GS_TRY(st->code);
    return gs_witness_end(seen, st);
}

/* Text as it is goes into the stream without a detour, at a place that is known as soon
 * as the records are, before they are in order. */
static bool is_text_alone(const gs_sink *sink)
{
    return sink->run == NULL && !sink->is_zstd && !sink->has_counts;
}

static gs_code fail_disorder(gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "records that were sorted are not in order");
    return gs_status_hint(st, "memory or a processor that fails can do this");
}

/* One record after the other through a piece of the sink. */
static gs_code emit_records(const gs_emit_job *job, gs_sink_piece *piece,
                            const uint8_t *arena, const gs_element *e, size_t n,
                            uint64_t ticket, gs_status *st)
{
    const gs_record_layout *const layout = &job->chunk->layout;
    const bool is_run = job->sink->run != NULL;
    gs_record last = {0};
    gs_sink_begin(piece, ticket);
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            gs_record_prefetch(arena, e[i + PREFETCH_AHEAD].where);
        const gs_record r = gs_record_at(layout, arena, e[i].where);
        const size_t key_bytes = (size_t)(r.line - r.string);
        gs_sink_record out = {.data = r.string,
                              .length = key_bytes + r.line_bytes,
                              .key_bytes = key_bytes,
                              .count = e[i].prefix};
        if (is_run && i > 0) {
            int order;
            const size_t index = gs_ovc_first_difference(
                last.string, last.string_bytes, r.string, r.string_bytes, 0, &order);
            /* Records of mapped files may be others by now; that is found out later. */
            if (__builtin_expect(layout->is_backwards ? order < 0 : order > 0, 0) &&
                job->chunk->mapped_bytes == 0)
                return fail_disorder(st);
            out.shared = order == 0 ? 0 : index + 1;
        }
        GS_TRY(gs_sink_add(piece, &out, st));
        last = r;
    }
    return gs_sink_end(piece, st);
}

static void copy_buckets(gs_emit_job *job, unsigned worker, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const gs_bucket *const bucket = &job->buckets.buckets[job->group_begin + i];
        job->group[i] = (gs_copied_bucket){
            .elements = gs_bucket_here(&job->split, bucket),
            .element_count = bucket->is_settled ? 0 : bucket->count,
        };
    }
    gs_bucket_copy_take(&job->workers[worker].copy, &job->chunk->layout,
                        job->chunk->arena, job->group + begin, end - begin);
}

/* A worker's share of the group, copied before any of the group is sorted. */
static gs_code copy_share(void *context, unsigned worker, gs_status *st)
{
    gs_emit_job *const job = context;
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    const size_t count = job->group_end - job->group_begin, share = job->group_share;
    const size_t begin = share * worker < count ? share * worker : count;
    const size_t end = count - begin > share ? begin + share : count;
    if (job->early_group != NULL)
        GS_NOTED(gs_early_split_take(job->options->early, job->chunk->arena,
                                     &job->workers[worker].copy, job->group_begin + begin,
                                     end - begin, job->early_group + begin, st));
    else
        copy_buckets(job, worker, begin, end);
    gs_trace_end(job->trace, GS_LANE_WORKER, worker, "copy buckets", begin_ns, 0);
    return st->code;
}

static void release_early_group(gs_emit_job *job)
{
    const size_t most = job->worker_count * job->group_share;
    for (size_t i = 0; job->early_group != NULL && i < most; i++)
        gs_early_bucket_release(&job->early_group[i]);
}

/* What the bucket's elements point into from now on. */
static const uint8_t *bring_close(const gs_emit_job *job, gs_emit_worker *worker,
                                  size_t number)
{
    const gs_chunk *const chunk = job->chunk;
    const gs_bucket *const bucket = &job->buckets.buckets[number];
    if (bucket->is_settled)
        return chunk->arena;
    if (job->group_share > 0)
        return job->group[number - job->group_begin].data;
    const bool is_keyed_text = chunk->layout.is_keyed && is_text_alone(job->sink);
    const size_t copied_from =
        is_keyed_text ? GS_BUCKET_COPY_KEYED_MIN : GS_BUCKET_COPY_ARENA_MIN;
    const bool is_worth_it = worker->copy.capacity > 0 && !job->options->has_top &&
                             gs_chunk_record_bytes(chunk) >= copied_from;
    if (!is_worth_it)
        return chunk->arena;
    gs_copied_bucket alone = {.elements = gs_bucket_here(&job->split, bucket),
                              .element_count = bucket->count};
    gs_bucket_copy_take(&worker->copy, &chunk->layout, chunk->arena, &alone, 1);
    return alone.data;
}

/* Puts the bucket in order and drops what is not to be shown; returns how many are left
 * of the elements. */
static size_t order_bucket(gs_emit_job *job, const gs_bucket_split *split,
                           const gs_bucket *bucket, gs_element *e, gs_emit_worker *worker)
{
    const gs_chunk_emit_options *const options = job->options;
    const bool counts_kept = options->has_top && options->is_unique;
    const uint64_t before = counts_kept ? job->kept : bucket->begin;
    if (options->has_top && before >= options->top_count)
        return 0;
    gs_bucket_sort(split, bucket, &worker->scratch);
    size_t n = bucket->count;
    if (options->is_unique) {
        gs_witness_begin(&worker->seen, options->witness, 0, false);
        n = drop_equals(split->layout, split->arena, e, n, &worker->seen);
        gs_witness_settle(&worker->seen);
    }
    if (options->has_top && n > 0 && n >= options->top_count - before) {
        n = (size_t)(options->top_count - before);
        job->last_kept = e[n - 1].where;
    }
    if (counts_kept)
        job->kept += n;
    return n;
}

/* A bucket, and where its elements are: in a pair of arrays and, through them, an arena.
 */
static gs_bucket bring_bucket(const gs_emit_job *job, gs_emit_worker *worker,
                              size_t number, gs_bucket_split *split)
{
    *split = job->split;
    if (job->early_group == NULL) {
        split->arena = bring_close(job, worker, number);
        return job->buckets.buckets[number];
    }
    const gs_early_bucket *const early = &job->early_group[number - job->group_begin];
    split->arena = early->data;
    split->elements = early->elements;
    split->scratch = early->scratch;
    return (gs_bucket){
        .count = early->element_count, .depth = early->depth, .has_next = true};
}

static gs_code emit_bucket(gs_emit_job *job, unsigned number_of_worker, size_t number,
                           gs_status *st)
{
    const gs_chunk_emit_options *const options = job->options;
    gs_emit_worker *const worker = &job->workers[number_of_worker];
    const uint64_t ticket = options->first_ticket + number;
    const bool is_text = is_text_alone(job->sink);
    const bool is_early = is_text && !options->has_top && !options->is_unique;
    const gs_record_layout *const layout = &job->chunk->layout;
    gs_stream *const stream = job->sink->stream;
    uint64_t offset = 0, bytes = 0;

    uint64_t begin_ns = gs_trace_begin(job->trace);
    gs_bucket_split split;
    const gs_bucket bucket = bring_bucket(job, worker, number, &split);
    gs_element *const e = gs_bucket_here(&split, &bucket);
    if (is_early) {
        bytes = text_bytes(layout, split.arena, e, bucket.count);
        GS_TRY(gs_stream_reserve(stream, ticket, bytes, true, &offset, st));
    }
    const size_t n = order_bucket(job, &split, &bucket, e, worker);
    gs_trace_end(job->trace, GS_LANE_WORKER, number_of_worker, "sort bucket", begin_ns,
                 0);

    begin_ns = gs_trace_begin(job->trace);
    if (!is_text) {
        GS_TRY(emit_records(job, worker->piece, split.arena, e, n, ticket, st));
    } else {
        if (!is_early) {
            bytes = text_bytes(layout, split.arena, e, n);
            GS_TRY(gs_stream_reserve(stream, ticket, bytes, true, &offset, st));
        }
        GS_TRY(gather_text(job, worker, split.arena, e, n, ticket, offset, bytes, st));
        atomic_fetch_add(&job->sink->record_count, n);
    }
    gs_trace_end(job->trace, GS_LANE_WORKER, number_of_worker, "gather", begin_ns, bytes);
    gs_bucket_drop(&split, &bucket);
    return GS_OK;
}

/* The buckets of the group, one after the other. */
static gs_code emit_group(void *context, unsigned worker, gs_status *st)
{
    gs_emit_job *const job = context;
    const gs_chunk_emit_options *const options = job->options;
    if (worker > 0 && options->has_top && options->is_unique)
        return GS_OK; /* the number kept so far must be known: one after the other */
    for (;;) {
        const size_t number = atomic_fetch_add(&job->next_bucket, 1);
        if (number >= job->group_end)
            break;
        if (gs_cancel_check(options->cancel, st) == GS_OK)
            (void)emit_bucket(job, worker, number, st);
        if (st->code != GS_OK) {
            gs_stream_abort(job->sink->stream, st);
            break;
        }
    }
    return st->code;
}

/* A bucket should fit the cache, and what it gives the piece of the sink; and there
 * should be some for every worker. */
static size_t choose_bucket_elements(const gs_chunk *chunk, const gs_sink *sink,
                                     unsigned workers)
{
    const size_t record_bytes =
        gs_chunk_record_bytes(chunk) / (chunk->element_count + 1) + 1;
    size_t fitting = sink->buffer_bytes / 4 * 3 / record_bytes;
    size_t share = chunk->element_count / (BUCKETS_A_WORKER * workers);
    share = share < SHARE_MIN ? SHARE_MIN : share;
    if (workers > 1 && share < fitting)
        fitting = share;
    return fitting < GS_BUCKET_ELEMENTS_MIN ? GS_BUCKET_ELEMENTS_MIN
           : fitting > GS_BUCKET_ELEMENTS   ? GS_BUCKET_ELEMENTS
                                            : fitting;
}

/* Records lie so far apart that their buckets are to be copied. With has_top few buckets
 * are looked at, and where the last record lies in the chunk must be known. */
static bool is_arena_large(const gs_emit_job *job)
{
    const gs_chunk *const chunk = job->chunk;
    const size_t copied_from =
        chunk->mapped_bytes > 0 ? GS_BUCKET_COPY_ARENA_MIN / 2 : GS_BUCKET_COPY_ARENA_MIN;
    return gs_chunk_record_bytes(chunk) >= copied_from && !job->options->has_top &&
           gs_chunk_record_bytes(chunk) / (chunk->element_count + 1) < GROUP_RECORD_MAX;
}

/* How many buckets a worker copies at a time, together; 0: none. */
static size_t choose_group_share(size_t copy_bytes, size_t bucket_bytes, size_t least)
{
    const size_t share = copy_bytes / (bucket_bytes / 4 * 5 + 1); /* some are larger */
    return share < least ? 0 : share > GROUP_SHARE_MAX ? GROUP_SHARE_MAX : share;
}

/* What every worker has for its buckets. */
typedef struct gs_emit_room {
    size_t copy_bytes, scratch_elements;
} gs_emit_room;

/* Buckets of lists are always copied, as many together as the room takes. */
static gs_emit_room plan_early(gs_emit_job *job)
{
    const gs_early_split *const early = job->options->early;
    const size_t spare = gs_chunk_spare_bytes(job->chunk);
    const size_t scratch = gs_early_split_largest(early);
    const size_t taken = gs_early_split_list_bytes(early) +
                         job->worker_count * scratch * sizeof(gs_element);
    const size_t more = spare > taken ? (spare - taken) / job->worker_count : 0;
    const size_t copy_bytes = job->options->copy_bytes +
                              (more < 2 * GROUP_BYTES_MAX ? more : 2 * GROUP_BYTES_MAX);
    const size_t bucket_bytes =
        gs_early_split_bucket_bytes(early, gs_chunk_record_bytes(job->chunk));
    job->group_share = choose_group_share(copy_bytes, bucket_bytes, 1);
    if (job->group_share == 0)
        job->group_share = 1; /* which then has memory of its own */
    return (gs_emit_room){copy_bytes, scratch};
}

static gs_emit_room plan_elements(gs_emit_job *job)
{
    const size_t scratch =
        job->split.gives_back ? gs_bucket_scratch_capacity(&job->split) : 0;
    size_t copy_bytes = job->options->copy_bytes;
    if (is_arena_large(job)) {
        const size_t more = gs_chunk_spare_bytes(job->chunk) / job->worker_count;
        copy_bytes += more < GROUP_BYTES_MAX ? more : GROUP_BYTES_MAX;
        job->group_share = choose_group_share(
            copy_bytes, gs_chunk_record_bytes(job->chunk) / (job->bucket_count + 1),
            GROUP_SHARE_MIN);
    }
    return (gs_emit_room){copy_bytes, scratch};
}

static gs_code open_worker(const gs_emit_job *job, gs_emit_worker *worker,
                           gs_emit_room room, gs_status *st)
{
    GS_TRY(gs_sink_piece_new(&worker->piece, job->sink, st));
    if (room.copy_bytes > 0)
        GS_TRY(gs_bucket_copy_init(&worker->copy, room.copy_bytes, st));
    if (room.scratch_elements > 0)
        GS_TRY(gs_bucket_scratch_init(&worker->scratch, room.scratch_elements, st));
    return GS_OK;
}

static gs_code open_workers(gs_emit_job *job, gs_status *st)
{
    const bool is_early = job->options->early != NULL;
    const gs_emit_room room = is_early ? plan_early(job) : plan_elements(job);
    GS_TRY(gs_mem_new(&job->workers, job->worker_count * sizeof *job->workers, "workers",
                      st));
    for (size_t w = 0; w < job->worker_count; w++)
        GS_TRY(open_worker(job, &job->workers[w], room, st));
    const size_t most = job->worker_count * job->group_share;
    if (most == 0)
        return GS_OK;
    return is_early ? gs_mem_new(&job->early_group, most * sizeof *job->early_group,
                                 "buckets to copy", st)
                    : gs_mem_new(&job->group, most * sizeof *job->group,
                                 "buckets to copy", st);
}

static void close_workers(gs_emit_job *job)
{
    for (size_t w = 0; job->workers != NULL && w < job->worker_count; w++) {
        gs_bucket_scratch_release(&job->workers[w].scratch);
        gs_bucket_copy_release(&job->workers[w].copy);
        gs_witness_release(&job->workers[w].seen);
        gs_sink_piece_free(job->workers[w].piece);
    }
    release_early_group(job);
    gs_mem_free(job->early_group);
    gs_mem_free(job->workers);
    gs_mem_free(job->group);
}

static gs_code run(gs_emit_job *job, gs_team *team, gs_team_fn *step, gs_status *st)
{
    return job->worker_count == 1 ? step(job, 0, st) : gs_team_run(team, step, job, st);
}

/* All buckets, by groups if they are copied before. */
static gs_code emit_buckets(gs_emit_job *job, gs_team *team, gs_status *st)
{
    const size_t count = job->bucket_count;
    job->worker_count = count < 2 ? 1 : gs_team_workers(team); /* one needs no others */
    GS_TRY(open_workers(job, st));
    while (job->group_end < count) {
        const size_t most = job->group_share * job->worker_count;
        job->group_begin = job->group_end;
        job->group_end =
            most > 0 && count - job->group_begin > most ? job->group_begin + most : count;
        atomic_store(&job->next_bucket, job->group_begin);
        if (most > 0)
            GS_TRY(run(job, team, copy_share, st));
        GS_TRY(run(job, team, emit_group, st));
        release_early_group(job);
    }
    return GS_OK;
}

gs_code gs_chunk_emit(gs_chunk *chunk, gs_team *team, gs_sink *sink,
                      const gs_chunk_emit_options *options, uint64_t *next_ticket,
                      uint64_t *last_kept, gs_status *st)
{
    gs_emit_job job = {
        .options = options,
        .trace = gs_team_trace(team),
        .chunk = chunk,
        .sink = sink,
        .split = {.layout = &chunk->layout,
                  .arena = chunk->arena,
                  .elements = chunk->elements,
                  .scratch = chunk->scratch,
                  .bucket_ids = chunk->bucket_ids,
                  .element_count = chunk->element_count,
                  .bucket_elements =
                      choose_bucket_elements(chunk, sink, gs_team_workers(team))},
    };
    job.split.gives_back =
        chunk->is_stretched ||
        (options->is_last_use &&
         chunk->element_count * sizeof(gs_element) >= GS_BUCKET_GIVE_BACK_MIN);
    job.split.is_tight = chunk->is_stretched;
    if (options->early == NULL)
        GS_TRY(gs_bucket_split_run(&job.split, team, &job.buckets, st));
    job.bucket_count =
        options->early ? gs_early_split_finish(options->early) : job.buckets.count;
    if (emit_buckets(&job, team, st) != GS_OK)
        gs_stream_abort(sink->stream, st);
    close_workers(&job);
    *next_ticket = options->first_ticket + job.bucket_count;
    *last_kept = job.last_kept;
    gs_bucket_list_release(&job.buckets);
    return st->code;
}
