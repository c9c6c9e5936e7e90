/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/bucket_emit.h"

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

enum { PREFETCH_AHEAD = 16 };

/* What a worker holds from the first bucket to the last. */
typedef struct gs_emit_worker {
    gs_sink_piece *piece;
    gs_bucket_copy room;
    gs_bucket_scratch scratch;
    gs_element *elements; /* of a bucket that was brought without */
    gs_twin_search twins;
    gs_witness_piece seen; /* of text without a piece, and of what is left out */
} gs_emit_worker;

typedef struct gs_emit_job {
    const gs_buckets *buckets;
    const gs_emit_options *options;
    gs_trace *trace;
    gs_sink *sink;
    gs_emit_worker *workers;
    size_t worker_count;
    atomic_size_t next_bucket;
    size_t group_begin, group_end; /* of the buckets that are worked on */
    gs_near_bucket *group;         /* these, if they are brought together */
    uint64_t kept;                 /* of has_top with is_unique: one worker only */
    uint64_t last_kept; /* `where` of record top_count - 1, written by one worker */
} gs_emit_job;

/* How many records an element stands for: with is_unique, once its bucket is in order and
 * its equals were dropped. It is where the prefix was, which nobody compares any more. */
static inline uint64_t *equals_of(gs_element *e)
{
    return &e->prefix;
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

/* Elements in order, each of which stands for one record or several. */
typedef struct gs_ordered {
    const uint8_t *arena;
    gs_element *elements;
    size_t count;
    uint64_t records; /* that all stand for: if there is one element, any number */
    bool has_twins;   /* the heads of records say how many there are of each */
} gs_ordered;

static inline uint64_t times_of(const gs_ordered *o, size_t i)
{
    if (o->has_twins)
        return gs_twins_count(o->arena, &o->elements[i]);
    return o->count == 1 ? o->records : 1;
}

/* A bucket whose twins are not found yet. */
static gs_ordered all_of(const gs_near_bucket *bucket)
{
    return (gs_ordered){.arena = bucket->arena,
                        .elements = bucket->elements,
                        .count = bucket->count,
                        .records =
                            bucket->same_count > 0 ? bucket->same_count : bucket->count};
}

/* Drops all but the first of equal neighbours, which counts them: o->count are left, and
 * each is shown once. */
static void drop_equals(const gs_record_layout *layout, gs_ordered *o,
                        gs_witness_piece *seen)
{
    gs_element *const e = o->elements;
    const size_t n = o->count;
    size_t kept = 0;
    gs_record last = {0};
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            __builtin_prefetch(o->arena + gs_where_offset(e[i + PREFETCH_AHEAD].where));
        const gs_record r = gs_record_at(layout, o->arena, e[i].where);
        const uint64_t times = times_of(o, i);
        if (kept > 0 && r.string_bytes == last.string_bytes &&
            memcmp(r.string, last.string, r.string_bytes) == 0) {
            *equals_of(&e[kept - 1]) += times;
            gs_witness_drop(seen, r.line, r.line_bytes, times);
            continue;
        }
        if (times > 1)
            gs_witness_drop(seen, r.line, r.line_bytes, times - 1);
        e[kept].where = e[i].where;
        *equals_of(&e[kept++]) = times;
        last = r;
    }
    o->count = kept;
    o->records = kept;
    o->has_twins = false;
}

/* How much text the bucket is, whose twins are not found yet. It follows from its
 * elements if all lines are plain and not long. */
static uint64_t text_bytes(const gs_record_layout *layout, const gs_ordered *o)
{
    const uint8_t *const arena = o->arena;
    const gs_element *const e = o->elements;
    const size_t n = o->count;
    uint64_t sum = 0, longest = 0;
    if (n == 1)
        return o->records * text_of(layout, arena, e->where).length;
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

/* Shows a witness the record at e, whose text is at `text`. */
static inline gs_code show(gs_witness_piece *seen, const gs_record_layout *layout,
                           const uint8_t *arena, const gs_element *e, const uint8_t *text,
                           gs_status *st)
{
    const gs_record r = gs_record_at(layout, arena, e->where);
    const gs_seen_string line = {text, r.line_bytes};
    const gs_seen_string string = {r.string, r.string_bytes};
    return gs_witness_note(seen, line, string) ? gs_witness_look(seen, st) : GS_OK;
}

/* Writes the text of records, which lie apart in the arena, into the stream at `offset`,
 * where `bytes` are reserved for it. Compiled for plain and for keyed records, and for
 * both with a witness. */
static inline __attribute__((always_inline)) gs_code
gather_as(const gs_emit_job *job, bool is_keyed, gs_witness_piece *seen,
          const gs_ordered *all, uint64_t offset, uint64_t bytes, gs_status *st)
{
    const gs_ordered o = *all;
    const size_t n = o.count;
    gs_stream *const stream = job->sink->stream;
    gs_record_layout layout = job->buckets->layout;
    layout.is_keyed = is_keyed;
    size_t i = 0;
    uint64_t times = n > 0 ? times_of(&o, 0) : 0; /* that element i is still to come */
    while (bytes > 0) {
        uint8_t *to;
        size_t room;
        GS_TRY(gs_stream_map(stream, offset, (size_t)bytes, &to, &room, st));
        size_t at = 0;
        gs_text_view text = {0};
        /* Whole records while short copies cannot leave the block. */
        while (i < n) {
            if (i + PREFETCH_AHEAD < n)
                gs_record_prefetch(o.arena, o.elements[i + PREFETCH_AHEAD].where);
            text = text_of(&layout, o.arena, o.elements[i].where);
            if (at + text.length + GS_SHORT_COPY_BYTES > room)
                break;
            gs_copy_short(to + at, text.bytes, text.length);
            if (seen != NULL)
                GS_TRY(show(seen, &layout, o.arena, &o.elements[i], to + at, st));
            at += text.length;
            if (--times == 0 && ++i < n)
                times = times_of(&o, i);
        }
        if (seen != NULL)
            GS_TRY(gs_witness_look(seen, st));
        gs_stream_filled(stream, offset, at);
        offset += at;
        bytes -= at;
        if (i < n) {
            /* The record at the block's end, perhaps over it, exactly. */
            GS_TRY(gs_stream_put(stream, offset, text.bytes, text.length, st));
            if (seen != NULL)
                GS_TRY(show(seen, &layout, o.arena, &o.elements[i], text.bytes, st));
            offset += text.length;
            bytes -= text.length;
            if (--times == 0 && ++i < n)
                times = times_of(&o, i);
        }
    }
    return GS_OK;
}

static gs_code gather_text(const gs_emit_job *job, gs_emit_worker *worker,
                           const gs_ordered *o, uint64_t ticket, uint64_t offset,
                           uint64_t bytes, gs_status *st)
{
    const bool is_keyed = job->buckets->layout.is_keyed;
    gs_witness_piece *const seen = &worker->seen;
    gs_witness_begin(seen, job->sink->witness, ticket, is_keyed);
    if (!gs_witness_is_full(job->sink->witness))
        GS_NOTED(is_keyed ? gather_as(job, true, NULL, o, offset, bytes, st)
                          : gather_as(job, false, NULL, o, offset, bytes, st));
    else
        GS_NOTED(is_keyed ? gather_as(job, true, seen, o, offset, bytes, st)
                          : gather_as(job, false, seen, o, offset, bytes, st));
    GS_TRY(st->code);
    return gs_witness_end(seen, st);
}

static gs_code fail_disorder(gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "records that were sorted are not in order");
    return gs_status_hint(st, "memory or a processor that fails can do this");
}

/* One record after the other through a piece of the sink. */
static gs_code emit_records(const gs_emit_job *job, gs_sink_piece *piece,
                            const gs_ordered *o, uint64_t ticket, gs_status *st)
{
    const uint8_t *const arena = o->arena;
    const size_t n = o->count;
    const gs_record_layout *const layout = &job->buckets->layout;
    const bool is_run = job->sink->run != NULL, is_unique = job->options->is_unique;
    gs_record last = {0};
    gs_sink_begin(piece, ticket);
    for (size_t i = 0; i < n; i++) {
        if (i + PREFETCH_AHEAD < n)
            gs_record_prefetch(arena, o->elements[i + PREFETCH_AHEAD].where);
        gs_element *const e = &o->elements[i];
        const gs_record r = gs_record_at(layout, arena, e->where);
        const size_t key_bytes = (size_t)(r.line - r.string);
        gs_sink_record out = {.data = r.string,
                              .length = key_bytes + r.line_bytes,
                              .key_bytes = key_bytes,
                              .count = is_unique ? *equals_of(e) : 1};
        if (is_run && i > 0) {
            int order;
            const size_t index = gs_ovc_first_difference(
                last.string, last.string_bytes, r.string, r.string_bytes, 0, &order);
            /* Records of mapped files may be others by now; that is found out later. */
            if (__builtin_expect(layout->is_backwards ? order < 0 : order > 0, 0) &&
                !job->buckets->may_change)
                return fail_disorder(st);
            out.shared = order == 0 ? 0 : index + 1;
        }
        for (uint64_t times = is_unique ? 1 : times_of(o, i); times > 0; times--) {
            GS_TRY(gs_sink_add(piece, &out, st));
            out.shared = 0; /* with itself nothing is different */
        }
        last = r;
    }
    return gs_sink_end(piece, st);
}

/* Leaves the first so many of records that were put in order. */
static void keep_first(gs_ordered *o, uint64_t records)
{
    gs_assert(!o->has_twins && records > 0);
    o->records = records;
    if (o->count > 1)
        o->count = (size_t)records;
}

/* Puts the bucket in order and drops what is not to be shown. */
static gs_code order_bucket(gs_emit_job *job, const gs_near_bucket *found,
                            gs_emit_worker *worker, gs_ordered *o, gs_status *st)
{
    const gs_emit_options *const options = job->options;
    const gs_record_layout *const layout = &job->buckets->layout;
    const bool counts_kept = options->has_top && options->is_unique;
    const uint64_t before = counts_kept ? job->kept : found->begin;
    gs_near_bucket bucket = *found;
    *o = all_of(found);
    if (options->has_top && before >= options->top_count) {
        o->count = 0;
        o->records = 0;
        return GS_OK;
    }
    if (!options->has_top)
        GS_TRY(gs_twins_find(&worker->twins, &bucket, st));
    o->count = bucket.count;
    o->has_twins = bucket.has_twins;
    gs_near_bucket_sort(&bucket, layout, &worker->scratch);
    if (options->is_unique) {
        gs_witness_begin(&worker->seen, options->witness, 0, false);
        drop_equals(layout, o, &worker->seen);
        gs_witness_settle(&worker->seen);
    }
    if (options->has_top && o->records > 0 && o->records >= options->top_count - before) {
        keep_first(o, options->top_count - before);
        job->last_kept = o->elements[o->count - 1].where;
    }
    if (counts_kept)
        job->kept += o->records;
    return GS_OK;
}

/* Sorts a bucket that is close and sends it to the sink. */
static gs_code emit_near(gs_emit_job *job, unsigned number_of_worker, size_t number,
                         const gs_near_bucket *bucket, gs_status *st)
{
    const gs_emit_options *const options = job->options;
    const gs_record_layout *const layout = &job->buckets->layout;
    gs_emit_worker *const worker = &job->workers[number_of_worker];
    gs_stream *const stream = job->sink->stream;
    const uint64_t ticket = options->first_ticket + number;
    const bool is_text = gs_emit_is_text(job->sink);
    /* All of it goes out: who comes next need not wait until it is sorted. */
    const bool reserves_first = is_text && !options->has_top && !options->is_unique;
    uint64_t offset = 0, bytes = 0;
    gs_ordered o;

    uint64_t begin_ns = gs_trace_begin(job->trace);
    if (reserves_first) {
        const gs_ordered all = all_of(bucket);
        bytes = bucket->line_bytes > 0 ? bucket->line_bytes : text_bytes(layout, &all);
        GS_TRY(gs_stream_reserve(stream, ticket, bytes, true, &offset, st));
    }
    GS_TRY(order_bucket(job, bucket, worker, &o, st));
    gs_trace_end(job->trace, GS_LANE_WORKER, number_of_worker, "sort bucket", begin_ns,
                 0);

    begin_ns = gs_trace_begin(job->trace);
    if (!is_text) {
        GS_TRY(emit_records(job, worker->piece, &o, ticket, st));
    } else {
        if (!reserves_first) {
            bytes = text_bytes(layout, &o);
            GS_TRY(gs_stream_reserve(stream, ticket, bytes, true, &offset, st));
        }
        GS_TRY(gather_text(job, worker, &o, ticket, offset, bytes, st));
        atomic_fetch_add(&job->sink->record_count, o.records);
    }
    gs_trace_end(job->trace, GS_LANE_WORKER, number_of_worker, "gather", begin_ns, bytes);
    return GS_OK;
}

static gs_code emit_bucket(gs_emit_job *job, unsigned worker, size_t number,
                           gs_status *st)
{
    const gs_buckets *const b = job->buckets;
    gs_near_bucket alone = {0};
    gs_near_bucket *const bucket =
        job->group != NULL ? &job->group[number - job->group_begin] : &alone;
    if (bucket == &alone)
        GS_NOTED(b->bring(b, &job->workers[worker].room, number, 1, bucket, st));
    if (st->code == GS_OK && bucket->elements == NULL && b->put_elements != NULL)
        b->put_elements(b, job->workers[worker].elements, bucket);
    if (st->code == GS_OK)
        GS_NOTED(emit_near(job, worker, number, bucket, st));
    b->drop(b, bucket);
    return st->code;
}

/* A worker's share of the group, brought before any of the group is sorted. */
static gs_code bring_share(void *context, unsigned worker, gs_status *st)
{
    gs_emit_job *const job = context;
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    const gs_buckets *const b = job->buckets;
    const size_t count = job->group_end - job->group_begin, share = b->together;
    const size_t begin = share * worker < count ? share * worker : count;
    const size_t end = count - begin > share ? begin + share : count;
    GS_NOTED(b->bring(b, &job->workers[worker].room, job->group_begin + begin,
                      end - begin, job->group + begin, st));
    gs_trace_end(job->trace, GS_LANE_WORKER, worker, "copy buckets", begin_ns, 0);
    return st->code;
}

/* The buckets of the group, one after the other. */
static gs_code emit_group(void *context, unsigned worker, gs_status *st)
{
    gs_emit_job *const job = context;
    const gs_emit_options *const options = job->options;
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

static gs_code new_elements(gs_element **elements, size_t count, gs_status *st)
{
    return gs_mem_new(elements, count * sizeof **elements, "elements of a bucket", st);
}

static gs_code open_worker(const gs_emit_job *job, gs_emit_worker *worker, gs_status *st)
{
    const gs_buckets *const b = job->buckets;
    GS_TRY(gs_sink_piece_new(&worker->piece, job->sink, st));
    if (b->room_bytes > 0)
        GS_TRY(gs_bucket_copy_init(&worker->room, b->room_bytes, st));
    worker->scratch.capacity = b->scratch_elements;
    if (b->scratch_elements == 0)
        return GS_OK;
    if (b->put_elements != NULL)
        GS_TRY(new_elements(&worker->elements, b->scratch_elements, st));
    return new_elements(&worker->scratch.elements, b->scratch_elements, st);
}

static gs_code open_workers(gs_emit_job *job, gs_status *st)
{
    const size_t most = job->worker_count * job->buckets->together;
    GS_TRY(gs_mem_new(&job->workers, job->worker_count * sizeof *job->workers, "workers",
                      st));
    for (size_t w = 0; w < job->worker_count; w++)
        GS_TRY(open_worker(job, &job->workers[w], st));
    if (most > 0)
        GS_TRY(gs_mem_new(&job->group, most * sizeof *job->group, "buckets to copy", st));
    return GS_OK;
}

static void close_workers(gs_emit_job *job)
{
    const gs_buckets *const b = job->buckets;
    const size_t most = job->group != NULL ? job->worker_count * b->together : 0;
    for (size_t i = 0; i < most; i++)
        b->drop(b, &job->group[i]); /* after a failure: those that were not sorted */
    for (size_t w = 0; job->workers != NULL && w < job->worker_count; w++) {
        gs_mem_free(job->workers[w].elements);
        gs_mem_free(job->workers[w].scratch.elements);
        gs_bucket_copy_release(&job->workers[w].room);
        gs_twin_search_release(&job->workers[w].twins);
        gs_witness_release(&job->workers[w].seen);
        gs_sink_piece_free(job->workers[w].piece);
    }
    gs_mem_free(job->workers);
    gs_mem_free(job->group);
}

static gs_code run(gs_emit_job *job, gs_team *team, gs_team_fn *step, gs_status *st)
{
    return job->worker_count == 1 ? step(job, 0, st) : gs_team_run(team, step, job, st);
}

/* All buckets, by groups if they are brought together. */
static gs_code emit_buckets(gs_emit_job *job, gs_team *team, gs_status *st)
{
    const size_t count = job->buckets->count;
    job->worker_count = count < 2 ? 1 : gs_team_workers(team); /* one needs no others */
    GS_TRY(open_workers(job, st));
    const size_t most = job->buckets->together * job->worker_count;
    while (job->group_end < count) {
        job->group_begin = job->group_end;
        job->group_end =
            most > 0 && count - job->group_begin > most ? job->group_begin + most : count;
        atomic_store(&job->next_bucket, job->group_begin);
        if (most > 0)
            GS_TRY(run(job, team, bring_share, st));
        GS_TRY(run(job, team, emit_group, st));
    }
    return GS_OK;
}

gs_code gs_bucket_emit(const gs_buckets *buckets, gs_team *team, gs_sink *sink,
                       const gs_emit_options *options, uint64_t *last_kept, gs_status *st)
{
    gs_emit_job job = {
        .buckets = buckets,
        .options = options,
        .trace = gs_team_trace(team),
        .sink = sink,
    };
    if (emit_buckets(&job, team, st) != GS_OK)
        gs_stream_abort(sink->stream, st);
    close_workers(&job);
    *last_kept = job.last_kept;
    return st->code;
}
