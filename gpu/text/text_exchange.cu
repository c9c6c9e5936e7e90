/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * text_exchange: chunks on several devices, each with any of the records, become chunks
 * that have stretches of their order.
 *
 *      look       every device sorts the same sample and takes the same splitters; it
 *                 finds the bucket of each of its records, and how long its buckets are
 *      share      the host gives neighbouring buckets, a stretch, to one chunk or another
 *      make room  each device takes memory for what it will have
 *      send       for each chunk: a device picks its records, puts them one behind the
 *                 other, slot by slot, and copies them to where they belong
 *      adopt      what came is the text of the chunk
 *
 *                  chunk 0        chunk 1            splitters: c, e
 *      before    | d a f c |    | b e a g |
 *      after     | a b a . f e g |   | d c |         stretches: 0 1 0
 *
 * Every step is a job of a team with a thread for each device; nobody sends before all
 * have room. With direct access between devices nothing of this goes through the host.
 */
/* clang-format on */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "gpu/device/device_use.cuh"
#include "gpu/text/text_chunk.cuh"
#include "gpu/text/text_gather.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

enum {
    THREADS = GS_TIE_THREADS,
    COUNT_BLOCKS = 1056,
    STRETCHES_LEAST = 16, /* of a chunk, so that all have about the same */
    BUCKETS = GS_BUCKETS_MAX + 1,
};

namespace
{

/* A chunk and what becomes of it. */
struct Side {
    bool fits;
    uint64_t count;
    uint32_t sample_max; /* records that may be sorted at once */
    gs_text_ranges ranges;
    gs_text_bucket buckets[BUCKETS];         /* records and bytes of text */
    gs_text_bucket sent[GS_TEXT_CHUNKS_MAX]; /* the same, to each chunk */
    gs_text_bucket got;                      /* by all */
    uint8_t *memory;                         /* for them; NULL: adopted */
    size_t capacity;
};

struct Exchange {
    gs_text_sort *const *chunks;
    unsigned count;
    const gs_text_exchange_options *options;
    uint32_t sampled;
    uint8_t owners[BUCKETS];
    Side sides[GS_TEXT_CHUNKS_MAX];
};

typedef gs_code step_fn(Exchange *x, unsigned self, gs_status *st);

struct Job {
    Exchange *exchange;
    step_fn *step;
};

} // namespace

/* --- look ------------------------------------------------------------------------- */

/* buckets[id].key_bytes = the text of its records, with end-of-line bytes. */
static __global__ void __launch_bounds__(GS_TIE_THREADS)
    k_bucket_text(gs_text_view view, uint64_t count, const uint16_t *ids,
                  gs_text_bucket *buckets)
{
    __shared__ unsigned long long bytes[BUCKETS];
    for (unsigned i = threadIdx.x; i < BUCKETS; i += GS_TIE_THREADS)
        bytes[i] = 0;
    __syncthreads();
    const uint64_t threads = (uint64_t)gridDim.x * GS_TIE_THREADS;
    for (uint64_t i = gs_tie_index(); i < count; i += threads)
        atomicAdd(&bytes[ids[i]],
                  (unsigned long long)(gs_text_at(view, i).line_bytes + view.has_eol));
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BUCKETS; i += GS_TIE_THREADS)
        if (bytes[i] != 0)
            atomicAdd(&buckets[i].key_bytes, bytes[i]);
}

static gs_code prepare(Exchange *x, unsigned self, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    Side *const side = &x->sides[self];
    const size_t record_size = t->options.order.record_size;
    GS_TRY(gs_text_take_counts(t, t->upload_count, st));
    t->step_ns = gs_trace_begin(t->options.trace);
    side->count = record_size > 0 ? t->text_bytes / record_size : t->lines_counted;
    gs_text_plan plan;
    GS_TRY(gs_text_plan_cut(t, side->count, t->text_bytes, t->costly_counted,
                            gs_text_available(t), &plan, &side->fits, st));
    side->fits = side->fits && side->count < UINT32_MAX;
    if (!side->fits)
        return GS_OK;
    side->sample_max = plan.unit_count < GS_SAMPLE_MAX ? (uint32_t)plan.unit_count
                                                       : (uint32_t)GS_SAMPLE_MAX;
    GS_TRY(gs_text_prepare(t, &plan, st));
    GS_TRY(gs_text_view_lines(t, st));
    return gs_text_end_step(t, "find lines", st);
}

/* The sample as records of a view, in the memory of two fetches. */
static gs_code view_sample(const Exchange *x, gs_text_sort *t, gs_text_view *out,
                           gs_status *st)
{
    const gs_text_exchange_options *const o = x->options;
    uint64_t *const starts = (uint64_t *)t->d_fetch[1];
    *out = t->lines;
    out->text = t->d_fetch[0];
    GPU_TRY(st, cudaMemcpyAsync(t->d_fetch[0], o->sample, o->sample_bytes,
                                cudaMemcpyHostToDevice, t->work_stream));
    if (t->options.order.record_size > 0)
        return GS_OK;
    out->starts = starts;
    return gs_text_find_lines(t, t->d_fetch[0], o->sample_bytes, starts, st);
}

static gs_code look(Exchange *x, unsigned self, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    Side *const side = &x->sides[self];
    const size_t bytes = BUCKETS * sizeof *t->h_buckets;
    gs_text_view sample;
    size_t key_bytes = 0;
    GS_TRY(view_sample(x, t, &sample, st));
    k_sample_rows<<<gs_text_grid(x->sampled, THREADS), THREADS, 0, t->work_stream>>>(
        x->options->sample_count, x->sampled, t->parts.rows);
    GPU_LAUNCHED(st, t->work_stream, "k_sample_rows");
    t->view = sample;
    t->view.rows = t->parts.rows;
    GS_TRY(gs_text_make_keys(t, x->sampled, 0, &key_bytes, st));
    side->fits = key_bytes <= gs_text_keys_left(t, 0);
    if (!side->fits)
        return GS_OK;
    side->ranges = {};
    side->ranges.count = side->count;
    GS_TRY(gs_text_take_splitters(t, &side->ranges, sample, x->sampled, st));
    GS_TRY(gs_text_end_step(t, "sample", st));
    GS_TRY(gs_text_classify(t, &side->ranges, st));
    for (unsigned i = 0; i < BUCKETS; i++)
        side->buckets[i].records = t->h_buckets[i].records;
    GPU_TRY(st, cudaMemsetAsync(t->parts.buckets, 0, bytes, t->work_stream));
    const unsigned all = gs_text_grid(side->count, THREADS);
    const unsigned most = COUNT_BLOCKS, blocks = all < most ? all : most;
    k_bucket_text<<<blocks, THREADS, 0, t->work_stream>>>(
        t->lines, side->count, t->parts.bucket_ids, t->parts.buckets);
    GPU_LAUNCHED(st, t->work_stream, "k_bucket_text");
    GPU_TRY(st, cudaMemcpyAsync(t->h_buckets, t->parts.buckets, bytes,
                                cudaMemcpyDeviceToHost, t->work_stream));
    GPU_TRY(st, cudaStreamSynchronize(t->work_stream));
    for (unsigned i = 0; i < BUCKETS; i++)
        side->buckets[i].key_bytes = t->h_buckets[i].key_bytes;
    return gs_text_end_step(t, "classify", st);
}

/* --- share ------------------------------------------------------------------------ */

static uint64_t bucket_bytes(const Exchange *x, unsigned bucket)
{
    uint64_t bytes = 0;
    for (unsigned s = 0; s < x->count; s++)
        bytes += x->sides[s].buckets[bucket].key_bytes;
    return bytes;
}

/* Who has least, of those with few bytes the first. */
static unsigned least_loaded(const Exchange *x)
{
    unsigned least = 0;
    for (unsigned s = 1; s < x->count; s++)
        if (x->sides[s].got.key_bytes < x->sides[least].got.key_bytes)
            least = s;
    return least;
}

static void give_bucket(Exchange *x, unsigned bucket, unsigned owner)
{
    Side *const to = &x->sides[owner];
    x->owners[bucket] = (uint8_t)owner;
    for (unsigned s = 0; s < x->count; s++) {
        const gs_text_bucket *const b = &x->sides[s].buckets[bucket];
        x->sides[s].sent[owner].records += b->records;
        x->sides[s].sent[owner].key_bytes += b->key_bytes;
        to->got.records += b->records;
        to->got.key_bytes += b->key_bytes;
    }
}

/* A stretch of so many bytes is long enough: there are many, so that all chunks have
 * about the same and what comes down comes from one and another; or as many as chunks. */
static uint64_t stretch_bytes(const Exchange *x, uint64_t total)
{
    const uint64_t fetch = x->chunks[0]->options.fetch_bytes_max,
                   few = total / (STRETCHES_LEAST * x->count);
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return few < fetch ? few : fetch;
    case GS_SHARE_ONE_EACH: return total / x->count;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

/* No more stretches than these. */
static size_t stretches_max(const Exchange *x)
{
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return GS_TEXT_STRETCHES_MAX;
    case GS_SHARE_ONE_EACH: return x->count;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

static unsigned owner_of(const Exchange *x, size_t stretch)
{
    switch (x->options->sharing) {
    case GS_SHARE_BALANCED: return least_loaded(x);
    case GS_SHARE_ONE_EACH: return (unsigned)stretch;
    case GS_SHARE_COUNT: break;
    }
    gs_assert_failed("a way to share out", __FILE__, __LINE__);
}

/* A stretch goes on to the bucket with which it is long enough. */
static void share_out(Exchange *x, gs_text_stretches *out)
{
    const unsigned buckets = 2 * x->sides[0].ranges.splitter_count + 1;
    uint64_t total = 0;
    for (unsigned i = 0; i < buckets; i++)
        total += bucket_bytes(x, i);
    static_assert((int)GS_BUCKETS_MAX <= (int)GS_TEXT_STRETCHES_MAX, "each may be one");
    const uint64_t enough = stretch_bytes(x, total);
    const size_t count_max = stretches_max(x);
    out->count = 0;
    unsigned owner = 0;
    for (unsigned i = 0; i < buckets; i++) {
        gs_text_stretch *last = out->count > 0 ? &out->all[out->count - 1] : nullptr;
        if (last == nullptr || (last->bytes >= enough && out->count < count_max)) {
            owner = owner_of(x, out->count);
            last = &out->all[out->count++];
            *last = {owner, 0};
        }
        last->bytes += bucket_bytes(x, i);
        give_bucket(x, i, owner);
    }
}

/* Whether there is memory for what a chunk gets, and then for its sort. */
static gs_code check_room(Exchange *x, unsigned self, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    Side *const side = &x->sides[self];
    const uint64_t records = side->got.records, bytes = side->got.key_bytes;
    const size_t before = t->text_capacity,
                 taken = gs_device_taken(before + GS_TEXT_SLACK);
    side->capacity = 0;
    const size_t capacity = gs_device_taken((size_t)bytes + GS_TEXT_SLACK);
    const size_t beside = t->fixed_bytes - taken + capacity;
    uint64_t costly = 0;
    for (unsigned s = 0; s < x->count; s++)
        costly += x->chunks[s]->costly_counted;
    side->fits = records < UINT32_MAX && t->memory_bytes > t->held_bytes &&
                 capacity <= t->memory_bytes - t->held_bytes && beside < t->memory_bytes;
    if (!side->fits || records == 0)
        return GS_OK;
    gs_text_plan plan;
    const size_t available = gs_text_available(t);
    if (available + taken <= capacity) {
        side->fits = false;
        return GS_OK;
    }
    t->text_capacity = (size_t)bytes; /* as it will be */
    const gs_code code = gs_text_plan_make(t, records, bytes, costly,
                                           available + taken - capacity, &plan, st);
    t->text_capacity = before;
    side->fits = code == GS_OK;
    if (code == GS_ERR_NOMEM)
        gs_status_clear(st);
    return st->code;
}

/* --- send ------------------------------------------------------------------------- */

static gs_code open_ways(const Exchange *x, unsigned self, gs_status *st)
{
    const int device = x->chunks[self]->options.device;
    for (unsigned s = 0; s < x->count; s++)
        GS_TRY(gs_device_open_way(device, x->chunks[s]->options.device, st));
    return GS_OK;
}

static gs_code make_room(Exchange *x, unsigned self, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    Side *const side = &x->sides[self];
    GS_TRY(open_ways(x, self, st));
    return gs_text_grow(t, &side->memory, &side->capacity,
                        gs_device_taken((size_t)side->got.key_bytes + GS_TEXT_SLACK), st);
}

/* The rows that go to a chunk, in their order, and where groups of them begin. */
static gs_code pick(Exchange *x, unsigned self, unsigned to, gs_text_view *out,
                    gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    gs_text_parts *const p = &t->parts;
    const gs_text_bucket *const sent = &x->sides[self].sent[to];
    size_t bytes = p->temp_bytes;
    const gs_in_buckets is_in = {p->bucket_ids, to, to,
                                 (const uint8_t *)p->splitter_rows};
    GPU_TRY(st,
            cub::DeviceSelect::If(p->temp, bytes, thrust::counting_iterator<uint32_t>(0),
                                  p->result, p->tile_counts,
                                  (int64_t)x->sides[self].count, is_in, t->work_stream));
    GS_TRY(gs_text_read_mail(t, p->tile_counts, 1, st));
    uint64_t length = 0;
    const bool is_whole = t->h_mail[0] == sent->records;
    *out = t->lines;
    out->rows = p->result;
    if (is_whole) {
        GS_TRY(gs_text_group_bytes(t, *out, false, sent->records, p->sums, st));
        GS_TRY(gs_text_read_mail(t, p->sums + gs_groups(sent->records), 1, st));
        length = t->h_mail[0];
    }
    if (!is_whole || length != sent->key_bytes)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: an exchange has lost records");
    return GS_OK;
}

static gs_code send_part(gs_text_sort *t, const gs_text_view &view, uint64_t records,
                         uint64_t at, size_t bytes, unsigned slot, uint8_t *to,
                         int to_device, gs_status *st)
{
    const cudaStream_t stream = t->fetch_streams[slot];
    k_gather<<<gs_text_grid(bytes, GS_GATHER_TILE), GS_GATHER_THREADS, 0, stream>>>(
        view, t->parts.sums, records, false, at, at + bytes, t->d_fetch[slot]);
    GPU_LAUNCHED(st, stream, "k_gather");
    if (to_device == t->options.device)
        GPU_TRY(st, cudaMemcpyAsync(to + at, t->d_fetch[slot], bytes,
                                    cudaMemcpyDeviceToDevice, stream));
    else
        GPU_TRY(st, cudaMemcpyPeerAsync(to + at, to_device, t->d_fetch[slot],
                                        t->options.device, bytes, stream));
    return GS_OK;
}

static gs_code send_to(Exchange *x, unsigned self, unsigned to, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    const gs_text_bucket *const sent = &x->sides[self].sent[to];
    const size_t most = t->options.fetch_bytes_max;
    uint8_t *begin = x->sides[to].memory;
    gs_text_view view;
    for (unsigned s = 0; s < self; s++)
        begin += x->sides[s].sent[to].key_bytes;
    if (sent->records == 0)
        return GS_OK;
    GS_TRY(pick(x, self, to, &view, st));
    unsigned slot = 0;
    for (uint64_t at = 0; at < sent->key_bytes; at += most) {
        const uint64_t left = sent->key_bytes - at;
        GS_TRY(send_part(t, view, sent->records, at, left < most ? (size_t)left : most,
                         slot, begin, x->chunks[to]->options.device, st));
        slot = (slot + 1) % GS_TEXT_FETCHES_MAX;
    }
    for (slot = 0; slot < GS_TEXT_FETCHES_MAX; slot++)
        GPU_TRY(st, cudaStreamSynchronize(t->fetch_streams[slot]));
    return GS_OK;
}

/* Each begins with another one, so that none is sent to by all at once. */
static gs_code send(Exchange *x, unsigned self, gs_status *st)
{
    gs_text_sort *const t = x->chunks[self];
    /* The splitters are not needed any more. */
    static_assert(GS_BUCKETS_MAX <= GS_SPLITTERS_MAX * sizeof *t->parts.splitter_rows,
                  "a byte a bucket");
    GPU_TRY(st, cudaMemcpyAsync(t->parts.splitter_rows, x->owners, GS_BUCKETS_MAX,
                                cudaMemcpyHostToDevice, t->work_stream));
    for (unsigned i = 1; i <= x->count; i++)
        GS_TRY(send_to(x, self, (self + i) % x->count, st));
    return gs_text_end_step(t, "exchange", st);
}

static gs_code adopt(Exchange *x, unsigned self, gs_status *st)
{
    Side *const side = &x->sides[self];
    GS_TRY(gs_text_adopt(x->chunks[self], side->memory, side->capacity,
                         side->got.key_bytes, st));
    side->memory = nullptr;
    return GS_OK;
}

/* --- all -------------------------------------------------------------------------- */

/* After a failure nothing may be on its way to another device. */
static gs_code run_step(void *context, unsigned worker, gs_status *st)
{
    const Job *const job = (const Job *)context;
    gs_text_sort *const t = job->exchange->chunks[worker];
    const cudaError_t error = cudaSetDevice(t->options.device);
    if (error != cudaSuccess)
        return gs_gpu_fail(st, error, __FILE__, __LINE__, "cudaSetDevice");
    if (job->step(job->exchange, worker, st) != GS_OK) {
        for (unsigned i = 0; i < GS_TEXT_FETCHES_MAX; i++)
            (void)cudaStreamSynchronize(t->fetch_streams[i]);
        (void)cudaGetLastError();
    }
    return st->code;
}

static gs_code everywhere(Exchange *x, gs_team *team, step_fn *step, bool *fits,
                          gs_status *st)
{
    Job job = {x, step};
    GS_TRY(gs_team_run(team, run_step, &job, st));
    if (gs_team_workers(team) < x->count)
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: no thread for each of %u", x->count);
    for (unsigned s = 0; s < x->count; s++)
        *fits = *fits && x->sides[s].fits;
    return GS_OK;
}

/* How much of the sample every device can sort at once; 0: too little. */
static uint32_t choose_sample(const Exchange *x)
{
    const gs_text_exchange_options *const o = x->options;
    uint32_t count = o->sample_count;
    for (unsigned s = 0; s < x->count; s++) {
        const gs_text_sort *const t = x->chunks[s];
        const size_t room = t->options.fetch_bytes_max;
        gs_assert(t->options.is_of_several);
        static_assert((size_t)GS_TEXT_SAMPLE_SLACK >= GS_TEXT_SLACK, "may be read");
        gs_assert(o->sample_bytes + GS_TEXT_SAMPLE_SLACK <= room);
        gs_assert(((size_t)o->sample_count + 1) * sizeof(uint64_t) <= room);
        if (o->sample_bytes > t->text_capacity)
            return 0;
        count = x->sides[s].sample_max < count ? x->sides[s].sample_max : count;
    }
    return count >= GS_SAMPLE_LEAST ? count : 0;
}

static gs_code run_all(Exchange *x, gs_team *team, gs_text_stretches *out, bool *fits,
                       gs_status *st)
{
    *fits = true;
    GS_TRY(everywhere(x, team, prepare, fits, st));
    x->sampled = *fits ? choose_sample(x) : 0;
    *fits = x->sampled > 0;
    if (!*fits)
        return GS_OK;
    GS_TRY(everywhere(x, team, look, fits, st));
    if (!*fits)
        return GS_OK;
    share_out(x, out);
    GS_TRY(everywhere(x, team, check_room, fits, st));
    if (!*fits)
        return GS_OK;
    GS_TRY(everywhere(x, team, make_room, fits, st));
    GS_TRY(everywhere(x, team, send, fits, st));
    return everywhere(x, team, adopt, fits, st);
}

gs_code gs_text_exchange(gs_text_sort *const *chunks, unsigned count,
                         const gs_text_exchange_options *options, gs_text_stretches *out,
                         bool *fits, gs_status *st)
{
    void *memory = nullptr;
    gs_team *team = nullptr;
    *fits = false;
    out->count = 0;
    gs_assert(count > 0 && count <= GS_TEXT_CHUNKS_MAX);
    GS_TRY(gs_mem_new(&memory, sizeof(Exchange), "exchange of GPUs", st));
    Exchange *const x = (Exchange *)memory;
    x->chunks = chunks;
    x->count = count;
    x->options = options;
    if (gs_team_new(&team, count, st) == GS_OK)
        GS_NOTED(run_all(x, team, out, fits, st));
    for (unsigned s = 0; s < count; s++) {
        gs_status ignored = {};
        (void)cudaSetDevice(chunks[s]->options.device);
        if (x->sides[s].memory != nullptr)
            GS_NOTED(gs_text_drop(chunks[s], &x->sides[s].memory, &x->sides[s].capacity,
                                  &ignored));
    }
    gs_team_free(team);
    gs_mem_free(x);
    return st->code;
}
