/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/group_former.h"

#include <stdatomic.h>

#include "gpu/device/device.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/device/device_former.h"
#include "lib/sort/device/device_records.h"
#include "lib/sort/device/device_text.h"
#include "lib/sort/device/group_feed.h"

typedef struct group_former {
    gs_former former; /* first */
    unsigned count;   /* of GPUs */
    gs_text_sort *sorts[GS_TEXT_CHUNKS_MAX];
    gs_team *team; /* a thread for each */
    gs_group_feed *feed;
    gs_text_head head;
    gs_exchange_sample sample;
    gs_landing landing;
    void *pinned;
    bool is_started;
    bool is_given_up;        /* the input is for somebody else */
    gs_text_sharing sharing; /* one stretch each: that comes down after those before */
    gs_multiset read;
    gs_text_stretches stretches;
    gs_text_result results[GS_TEXT_CHUNKS_MAX];
} group_former;

/* --- start ---------------------------------------------------------------------- */

/* How many chunks are on the GPU: more than one if it is named more than once. */
static unsigned chunks_there(const gs_device_choice *choice, unsigned count, int device)
{
    unsigned there = 0;
    for (unsigned i = 0; i < count; i++)
        there += choice->devices[i] == device;
    return there;
}

static gs_code new_sort(group_former *g, unsigned i, gs_status *st)
{
    const gs_forming *const f = g->former.forming;
    const gs_device_choice *const choice = f->device;
    const gs_text_sort_options options = {
        .device = choice->devices[i],
        .order = choice->order,
        .engine = choice->engine,
        .input_bytes = choice->input_bytes / g->count + 1,
        .is_exact = true,
        .batch_bytes_max = f->plan->feed_block_bytes + 1,
        .fetch_bytes_max = f->plan->stream_block_bytes,
        .memory_bytes_max = f->options->gpu_memory_bytes,
        .may_drop_equals = f->options->order.unique || f->options->count,
        .is_of_several = true,
        .chunks_there = chunks_there(choice, g->count, choice->devices[i]),
        .log = f->options->log,
        .trace = f->options->trace,
        .number = i,
    };
    return gs_text_sort_new(&g->sorts[i], &options, st);
}

/* Each GPU by a thread of its own, while the first blocks are read; what is locked in
 * place is for all of them. */
static gs_code start_one(void *context, unsigned worker, gs_status *st)
{
    group_former *const g = context;
    gs_trace *const trace = g->former.forming->options->trace;
    const uint64_t begin_ns = gs_trace_begin(trace);
    GS_TRY(new_sort(g, worker, st));
    if (worker == 0) {
        size_t bytes = 0;
        gs_group_feed_area(g->feed, &g->pinned, &bytes);
        gs_text_pin(g->pinned, bytes);
    } else if (worker == 1) {
        gs_landing_pin(&g->landing);
    }
    gs_trace_end(trace, GS_LANE_GPU, worker, "start", begin_ns, 0);
    return GS_OK;
}

static gs_code start(group_former *g, gs_status *st)
{
    GS_TRY(gs_team_run(g->team, start_one, g, st));
    if (gs_team_workers(g->team) < g->count)
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: no thread for each of %u", g->count);
    g->is_started = true;
    return GS_OK;
}

/* --- the former ----------------------------------------------------------------- */

static gs_code give_up(group_former *g, const char *why, gs_filled *filled)
{
    gs_log_say(g->former.forming->options->log, GS_LOG_INFO,
               "%u GPUs take chunks in turn: %s", g->count, why);
    g->is_given_up = true;
    *filled = GS_FILLED_NOTHING;
    return GS_OK;
}

/* Equal strings are copies, unless the string is a key: then their order counts. */
static gs_code upload(group_former *g, bool *is_all, gs_status *st)
{
    const gs_device_choice *const choice = g->former.forming->device;
    const gs_group_targets targets = {
        .sorts = g->sorts,
        .count = g->count,
        .share_bytes = choice->input_bytes / g->count + 1,
        .is_filled_in_order = choice->order.is_key_only,
        .head = &g->head,
        .sample = &g->sample,
    };
    return gs_group_feed_fill(g->feed, g->team, &targets, &g->read, is_all, st);
}

/* Its share goes up, and as much comes from the others, before that can go. */
static bool may_hold(const group_former *g)
{
    _Static_assert(GS_SHARE_COUNT == 2, "of each a chunk ends with about its share");
    const uint64_t share = g->former.forming->device->input_bytes / g->count;
    for (unsigned i = 0; i < g->count; i++)
        if (gs_text_sort_memory_bytes(g->sorts[i]) < 2 * share)
            return false;
    return true;
}

/* What it is called in the log. */
static const char *sharing_name(gs_text_sharing sharing)
{
    switch (sharing) {
    case GS_SHARE_BALANCED: return "balanced";
    case GS_SHARE_ONE_EACH: return "one each";
    case GS_SHARE_COUNT: break;
    }
    return "?";
}

static gs_code exchange(group_former *g, bool *fits, gs_status *st)
{
    const gs_text_exchange_options options = {
        .sample = g->sample.text,
        .sample_bytes = g->sample.bytes,
        .sample_count = g->sample.count,
        .sharing = g->sharing,
    };
    GS_TRY(gs_text_exchange(g->sorts, g->count, &options, &g->stretches, fits, st));
    if (*fits)
        gs_log_say(g->former.forming->options->log, GS_LOG_INFO,
                   "%u GPUs share all records out: %s, %zu stretches", g->count,
                   sharing_name(g->sharing), g->stretches.count);
    return GS_OK;
}

/* One of them may do alone what all cannot, if there is no memory, or one did not start.
 */
static bool can_take_turns(const group_former *g, const gs_status *st)
{
    switch (st->code) {
    case GS_ERR_NOMEM: return true;
    case GS_ERR_LIMIT:
    case GS_ERR_GPU: return !g->is_started;
    case GS_OK:
    case GS_ERR_IO:
    case GS_ERR_FORMAT:
    case GS_ERR_ARG:
    case GS_ERR_CANCELLED: break;
    }
    return false;
}

static gs_code fill(gs_former *former, gs_filled *filled, gs_status *st)
{
    group_former *const g = (group_former *)former;
    bool is_all = false, fits = false;
    *filled = GS_FILLED_LAST;
    GS_NOTED(start(g, st));
    if (st->code == GS_OK && may_hold(g))
        GS_NOTED(upload(g, &is_all, st));
    if (st->code == GS_OK && is_all)
        GS_NOTED(exchange(g, &fits, st));
    if (st->code != GS_OK && can_take_turns(g, st)) {
        (void)give_up(g, st->msg, filled);
        gs_status_clear(st);
    } else if (st->code == GS_OK && !is_all) {
        return give_up(g, "the input is more than they hold together", filled);
    } else if (st->code == GS_OK && !fits) {
        return give_up(g, "too few records, or no room to exchange them", filled);
    }
    return st->code;
}

static bool is_empty(const gs_former *former)
{
    return ((const group_former *)former)->stretches.count == 0;
}

static void sample(const gs_former *former, const uint8_t **data, size_t *bytes)
{
    const group_former *const g = (const group_former *)former;
    *data = g->head.text;
    *bytes = g->head.bytes;
}

/* --- out again ------------------------------------------------------------------ */

typedef struct run_job {
    group_former *group;
    gs_text_shape shape;
    bool drops_equals;
    uint64_t keep;
} run_job;

static gs_code run_one(void *context, unsigned worker, gs_status *st)
{
    const run_job *const job = context;
    group_former *const g = job->group;
    return gs_text_sort_run(g->sorts[worker], job->shape, job->drops_equals, job->keep,
                            &g->results[worker], st);
}

static gs_code run_all(run_job *job, gs_status *st)
{
    const group_former *const g = job->group;
    const gs_forming *const f = g->former.forming;
    GS_TRY(gs_team_run(g->team, run_one, job, st));
    for (unsigned i = 0; i < g->count; i++)
        gs_log_say(f->options->log, GS_LOG_INFO,
                   "GPU %d: %llu records sorted in %u rounds, %.1f GiB of its memory",
                   f->device->devices[i], (unsigned long long)g->results[i].input_count,
                   g->results[i].rounds,
                   (double)gs_text_sort_device_bytes(g->sorts[i]) / (1 << 30));
    return GS_OK;
}

/* Is what each GPU has as long as its stretches? */
static gs_code check_results(const group_former *g, gs_status *st)
{
    for (unsigned i = 0; i < g->count; i++) {
        uint64_t bytes = 0;
        for (size_t k = 0; k < g->stretches.count; k++)
            bytes += g->stretches.all[k].chunk == i ? g->stretches.all[k].bytes : 0;
        if (bytes != g->results[i].bytes)
            return GS_FAIL(st, GS_ERR_GPU, 0,
                           "verify: of %llu bytes of a GPU's stretches there are %llu",
                           (unsigned long long)bytes,
                           (unsigned long long)g->results[i].bytes);
    }
    return GS_OK;
}

/* All stretches side by side. */
static gs_code emit_together(const group_former *g, gs_sink *sink, uint64_t ticket,
                             gs_status *st)
{
    const gs_sorted_text text = {g->sorts, g->count, g->stretches.all,
                                 g->stretches.count};
    GS_TRY(check_results(g, st));
    GS_TRY(gs_device_text_emit(g->former.forming, &text, &g->landing, sink->stream,
                               &ticket, st));
    for (unsigned i = 0; i < g->count; i++)
        atomic_fetch_add(&sink->record_count, g->results[i].record_count);
    return GS_OK;
}

/* Each GPU's stretch behind the one before, until there are as many as are wanted. */
static gs_code emit_in_turn(run_job *job, gs_sink *sink, const gs_emit_options *options,
                            gs_status *st)
{
    group_former *const g = job->group;
    const gs_forming *const f = g->former.forming;
    uint64_t ticket = options->first_ticket;
    for (unsigned i = 0; i < g->stretches.count && job->keep > 0; i++) {
        gs_text_result *const r = &g->results[i];
        gs_assert(g->stretches.all[i].chunk == i);
        if (r->record_count > job->keep)
            GS_TRY(run_one(job, i, st));
        job->keep -= options->has_top ? r->record_count : 0;
        if (job->shape == GS_TEXT_OUTPUT) {
            const gs_text_stretch all = {0, r->bytes};
            const gs_sorted_text text = {&g->sorts[i], 1, &all, 1};
            GS_TRY(gs_device_text_emit(f, &text, &g->landing, sink->stream, &ticket, st));
            atomic_fetch_add(&sink->record_count, r->record_count);
        } else {
            GS_TRY(gs_device_records_emit(f, g->sorts[i], r->record_count, &g->read,
                                          &g->landing, sink, options, &ticket, st));
        }
    }
    return GS_OK;
}

static gs_code emit(gs_former *former, gs_sink *sink, const gs_emit_options *options,
                    gs_status *st)
{
    group_former *const g = (group_former *)former;
    const gs_forming *const f = former->forming;
    gs_sort_stats *const stats = f->options->stats;
    /* What is left out as equal is only known of records. */
    const bool is_text = gs_emit_is_text(sink) && !options->is_unique;
    run_job job = {.group = g,
                   .shape = is_text ? GS_TEXT_OUTPUT : GS_TEXT_RECORDS,
                   .drops_equals = options->is_unique,
                   .keep = options->has_top ? options->top_count : UINT64_MAX};
    gs_assert(sink->run == NULL && !sink->is_passing);
    GS_TRY(run_all(&job, st));
    switch (g->sharing) {
    case GS_SHARE_BALANCED:
        gs_assert(is_text && !options->has_top);
        GS_TRY(emit_together(g, sink, options->first_ticket, st));
        break;
    case GS_SHARE_ONE_EACH: GS_TRY(emit_in_turn(&job, sink, options, st)); break;
    case GS_SHARE_COUNT: gs_assert(false);
    }
    gs_witness_read(f->witness, &g->read);
    for (unsigned i = 0; i < g->count && stats != NULL; i++)
        atomic_fetch_add(&stats->records, g->results[i].input_count);
    return GS_OK;
}

static uint8_t *stream_memory(const gs_former *former)
{
    return ((const group_former *)former)->landing.memory;
}

/* All of the input is one chunk, which is never in a run. */
static void clear(gs_former *former)
{
    (void)former;
    gs_assert(false);
}

/* Devices first: they may still read what the feed has. */
static void stop(group_former *g)
{
    for (unsigned i = 0; i < g->count; i++) {
        gs_text_sort_free(g->sorts[i]);
        g->sorts[i] = NULL;
    }
    if (g->pinned != NULL)
        gs_text_unpin(g->pinned);
    g->pinned = NULL;
    gs_group_feed_free(g->feed);
    g->feed = NULL;
}

static bool give_back(gs_former *former)
{
    group_former *const g = (group_former *)former;
    const gs_forming *const f = former->forming;
    if (!g->is_given_up)
        return false;
    stop(g);
    gs_line_feed_map_again(f->feed);
    gs_witness_forget(f->witness);
    gs_sort_stats_reset(f->options->stats);
    return true;
}

static bool is_to_blame(const gs_former *former, const gs_status *st, bool *is_news)
{
    const group_former *const g = (const group_former *)former;
    *is_news = former->forming->device->is_forced || g->is_started;
    return gs_device_is_to_blame(st->code) && !gs_group_feed_has_failed(g->feed);
}

static void free_former(gs_former *former)
{
    group_former *const g = (group_former *)former;
    stop(g);
    gs_exchange_sample_release(&g->sample);
    gs_landing_release(&g->landing);
    gs_mem_free(g->head.text);
    gs_team_free(g->team);
    gs_mem_free(g);
}

static const gs_former_kind kind = {
    .fault_code = GS_ERR_GPU,
    .fill = fill,
    .is_empty = is_empty,
    .sample = sample,
    .emit = emit,
    .stream_memory = stream_memory,
    .clear = clear,
    .give_back = give_back,
    .is_to_blame = is_to_blame,
    .free = free_former,
};

static gs_code new_parts(group_former *g, gs_status *st)
{
    const gs_forming *const f = g->former.forming;
    const size_t block_bytes = f->plan->stream_block_bytes;
    gs_device_former_begin(f);
    GS_TRY(gs_text_head_new(&g->head, st));
    GS_TRY(gs_exchange_sample_new(&g->sample, &f->device->order, block_bytes, st));
    GS_TRY(gs_team_new(&g->team, g->count, st));
    GS_TRY(gs_landing_init(&g->landing, f->plan->stream_blocks * block_bytes, st));
    return gs_group_feed_new(&g->feed, f, g->count, st);
}

/* Files that are read by all cores. */
static bool is_for(const gs_forming *f)
{
    return f->device != NULL && f->device->device_count > 1 && f->map != NULL &&
           f->device->input_bytes > 0;
}

/* Is the output anything but all the text of the input? */
static bool is_other_output(const gs_sort_options *o)
{
    return o->order.unique || o->count || o->has_top || o->output_zstd;
}

static gs_text_sharing choose_sharing(const gs_sort_options *o)
{
    _Static_assert(GS_SHARE_COUNT == 2, "when a new sharing is chosen");
    return is_other_output(o) ? GS_SHARE_ONE_EACH : GS_SHARE_BALANCED;
}

gs_code gs_group_former_new(gs_former **out, const gs_forming *forming, gs_status *st)
{
    group_former *g = NULL;
    *out = NULL;
    if (!is_for(forming))
        return GS_OK;
    GS_TRY(gs_mem_new(&g, sizeof *g, "GPU chunks", st));
    g->former = (gs_former){&kind, forming};
    g->count = (unsigned)forming->device->device_count;
    g->sharing = choose_sharing(forming->options);
    gs_assert(g->count <= GS_TEXT_CHUNKS_MAX);
    if (new_parts(g, st) == GS_OK)
        *out = &g->former;
    else
        free_former(&g->former);
    return st->code;
}
