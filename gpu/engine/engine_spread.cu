/* SPDX-License-Identifier: MIT */
#include "gpu/engine/engine_spread.cuh"

#include <algorithm>
#include <time.h>

#include "gpu/device/device_use.cuh"
#include "gpu/engine/spread.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

namespace
{

enum {
    /* Of each GPU. A share is then off by 0.8 %, one deviation; 6 % too large never. */
    MARKS = 1 << 14,
    /* A share has room for its part of the batch, a sixteenth of it, and a few more. */
    SPARE_PART = 16,
    SPARE_KEYS = 4096,
    DRAWS_MAX = 4,
    BLOCKS_A_PROCESSOR = 16,
    MARK_THREADS = 256
};

/* A part of a GPU's keys, in records. */
struct Piece {
    uint64_t at, count;
};

} // namespace

struct gs_spread {
    gs_share *shares;
    unsigned share_count;
    const gs_engine_ops *ops;
    gs_place place;
    gs_team *team;
    gs_spread_mark *d_marks[GS_GPU_DEVICES_MAX];
    unsigned long long *d_cursors[GS_GPU_DEVICES_MAX];
    gs_spread_mark *h_marks; /* of all GPUs, one after the other */
    double ms;

    /* The batch in work. */
    gs_batch batch;
    void *result_keys;
    uint32_t *result_values;
    uint64_t seed;
    gs_spread_mark splitters[GS_GPU_DEVICES_MAX - 1];
    uint64_t counts[GS_GPU_DEVICES_MAX][GS_GPU_DEVICES_MAX]; /* from, to */
};

/* --- what goes where -------------------------------------------------------------- */

/* The part of the batch that comes to GPU g. */
static Piece input_piece(const gs_spread *s, unsigned g)
{
    const uint64_t n = s->batch.count, even = n / s->share_count,
                   more = n % s->share_count;
    return {even * g + (g < more ? g : more), even + (g < more ? 1u : 0u)};
}

/* What GPU `from` has for GPU `to`, in its parted keys. */
static Piece sent_piece(const gs_spread *s, unsigned from, unsigned to)
{
    Piece p = {0, s->counts[from][to]};
    for (unsigned b = 0; b < to; b++)
        p.at += s->counts[from][b];
    return p;
}

/* Where that goes in the share of `to`. */
static uint64_t arrival(const gs_spread *s, unsigned from, unsigned to)
{
    uint64_t at = 0;
    for (unsigned a = 0; a < from; a++)
        at += s->counts[a][to];
    return at;
}

/* The share of GPU g, in the sorted batch. */
static Piece share_piece(const gs_spread *s, unsigned g)
{
    Piece p = {0, arrival(s, s->share_count, g)};
    for (unsigned b = 0; b < g; b++)
        p.at += arrival(s, s->share_count, b);
    return p;
}

/* --- memory ----------------------------------------------------------------------- */

size_t gs_spread_share_count_max(size_t count, unsigned share_count)
{
    const size_t even = count / share_count + 1;
    return even + even / SPARE_PART + SPARE_KEYS;
}

/* Parted keys, then parted values. */
static size_t parted_keys_bytes(gs_batch_type type, size_t count)
{
    return (count * gs_key_bytes(type) + 255) / 256 * 256;
}

size_t gs_spread_scratch_bytes(gs_batch_type type, size_t share_count_max)
{
    return parted_keys_bytes(type, share_count_max) +
           share_count_max * gs_value_bytes(type);
}

size_t gs_spread_device_bytes(void)
{
    return MARKS * sizeof(gs_spread_mark) +
           GS_GPU_DEVICES_MAX * sizeof(unsigned long long) + 1024;
}

size_t gs_spread_pinned_bytes(unsigned share_count)
{
    return (size_t)share_count * MARKS * sizeof(gs_spread_mark);
}

static gs_code allocate(gs_spread *s, gs_status *st)
{
    void *memory = nullptr;
    GPU_TRY(st, cudaHostAlloc(&memory, gs_spread_pinned_bytes(s->share_count),
                              cudaHostAllocPortable));
    s->h_marks = (gs_spread_mark *)memory;
    for (unsigned g = 0; g < s->share_count; g++) {
        for (unsigned h = 0; h < s->share_count; h++)
            GS_TRY(gs_device_open_way(s->shares[g].device, s->shares[h].device, st));
        GPU_TRY(st, cudaSetDevice(s->shares[g].device));
        GPU_TRY(st, cudaMalloc(&memory, MARKS * sizeof(gs_spread_mark)));
        s->d_marks[g] = (gs_spread_mark *)memory;
        GPU_TRY(st, cudaMalloc(&memory, GS_GPU_DEVICES_MAX * sizeof(unsigned long long)));
        s->d_cursors[g] = (unsigned long long *)memory;
    }
    return GS_OK;
}

gs_code gs_spread_new(gs_spread **out, gs_share *shares, unsigned share_count,
                      const gs_engine_ops *ops, gs_place place, gs_status *st)
{
    void *memory = nullptr;
    *out = nullptr;
    gs_assert(share_count > 1 && share_count <= GS_GPU_DEVICES_MAX);
    GS_TRY(gs_mem_new(&memory, sizeof(gs_spread), "spread of keys", st));
    gs_spread *const s = (gs_spread *)memory;
    s->shares = shares;
    s->share_count = share_count;
    s->ops = ops;
    s->place = place;
    GS_TRY_OR_FAIL(gs_team_new(&s->team, share_count, st));
    GS_TRY_OR_FAIL(allocate(s, st));
    *out = s;
    return GS_OK;
fail:
    gs_spread_free(s);
    return st->code;
}

void gs_spread_free(gs_spread *s)
{
    if (s == nullptr)
        return;
    gs_team_free(s->team);
    for (unsigned g = 0; g < s->share_count; g++) {
        (void)cudaSetDevice(s->shares[g].device);
        (void)cudaFree(s->d_marks[g]);
        (void)cudaFree(s->d_cursors[g]);
    }
    (void)cudaFreeHost(s->h_marks);
    (void)cudaGetLastError();
    gs_mem_free(s);
}

/* --- the steps, each by one thread for one GPU ------------------------------------ */

typedef gs_code step_fn(gs_spread *s, unsigned g, gs_status *st);

/* Both arrays of a part of the batch or of the result. */
static gs_code copy(const gs_spread *s, const gs_share *share, void *to, int to_device,
                    const void *from, int from_device, size_t bytes, gs_status *st)
{
    if (s->place == GS_PLACE_HOST)
        GPU_TRY(st, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, share->stream));
    else
        GPU_TRY(st, cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes,
                                        share->stream));
    return GS_OK;
}

static gs_code bring_keys(gs_spread *s, unsigned g, gs_status *st)
{
    gs_share *const share = &s->shares[g];
    const Piece p = input_piece(s, g);
    const size_t key_bytes = gs_key_bytes(share->run.type);
    const int home = s->shares[0].device;
    gs_assert(p.count <= share->count_max);
    GS_TRY(copy(s, share, share->d_keys, share->device,
                (const char *)s->batch.keys + p.at * key_bytes, home, p.count * key_bytes,
                st));
    if (share->d_values)
        GS_TRY(copy(s, share, share->d_values, share->device, s->batch.values + p.at,
                    home, p.count * sizeof(uint32_t), st));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    return GS_OK;
}

template <typename V>
static gs_code draw_keys(gs_spread *s, unsigned g, V keys, gs_status *st)
{
    const gs_share *const share = &s->shares[g];
    const Piece p = input_piece(s, g);
    if (p.count == 0)
        return GS_OK; /* its marks are left out */
    k_take_marks<<<MARKS / MARK_THREADS, MARK_THREADS, 0, share->stream>>>(
        keys, p.count, p.at, s->seed, (uint32_t)MARKS, s->d_marks[g]);
    GPU_LAUNCHED(st, share->stream, "k_take_marks");
    return GS_OK;
}

static gs_code draw(gs_spread *s, unsigned g, gs_status *st)
{
    const gs_share *const share = &s->shares[g];
    GS_TRY(gs_with_view(share->run.type, share->d_keys, share->d_values,
                        [&](auto keys) { return draw_keys(s, g, keys, st); }));
    GPU_TRY(st, cudaMemcpyAsync(s->h_marks + (size_t)g * MARKS, s->d_marks[g],
                                MARKS * sizeof(gs_spread_mark), cudaMemcpyDeviceToHost,
                                share->stream));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    return GS_OK;
}

template <typename N> static gs_splitters<N> splitters_for(const gs_spread *s)
{
    gs_splitters<N> to = {};
    to.range_count = s->share_count;
    for (unsigned i = 0; i + 1 < s->share_count; i++) {
        to.numbers[i] = gs_num<N>::of_wide(s->splitters[i].number);
        to.indices[i] = s->splitters[i].index;
    }
    return to;
}

static unsigned blocks_for(const gs_share *share, uint64_t count, uint64_t a_block)
{
    const uint64_t blocks = (count + a_block - 1) / a_block,
                   most = (uint64_t)share->run.processor_count * BLOCKS_A_PROCESSOR;
    return (unsigned)(blocks < most ? blocks : most);
}

/* Counts with `parts`, or parts the keys; cursors as the kernels have them. */
template <typename V>
static gs_code cut_keys(gs_spread *s, unsigned g, V keys, const V *parts, gs_status *st)
{
    enum { ITEMS = sizeof(typename V::num) > 8 ? 8 : 16 };
    const gs_share *const share = &s->shares[g];
    const Piece p = input_piece(s, g);
    const gs_splitters<typename V::num> splitters = splitters_for<typename V::num>(s);
    if (p.count == 0)
        return GS_OK;
    if (parts == nullptr) {
        k_count_ranges<<<blocks_for(share, p.count, GS_SPREAD_THREADS), GS_SPREAD_THREADS,
                         0, share->stream>>>(keys, p.count, p.at, splitters,
                                             s->d_cursors[g]);
        GPU_LAUNCHED(st, share->stream, "k_count_ranges");
    } else {
        k_part_ranges<V, ITEMS><<<blocks_for(share, p.count, GS_SPREAD_THREADS * ITEMS),
                                  GS_SPREAD_THREADS, 0, share->stream>>>(
            keys, *parts, p.count, p.at, splitters, s->d_cursors[g]);
        GPU_LAUNCHED(st, share->stream, "k_part_ranges");
    }
    return GS_OK;
}

static gs_code cut(gs_spread *s, unsigned g, bool does_part, gs_status *st)
{
    gs_share *const share = &s->shares[g];
    const gs_batch_type type = share->run.type;
    char *const parted = share->run.d_scratch;
    uint32_t *const parted_values =
        (uint32_t *)(parted + parted_keys_bytes(type, share->count_max));
    return gs_with_view(type, share->d_keys, share->d_values, [&](auto keys) {
        const auto to = keys.over(parted, parted_values);
        return cut_keys(s, g, keys, does_part ? &to : nullptr, st);
    });
}

static gs_code count(gs_spread *s, unsigned g, gs_status *st)
{
    const gs_share *const share = &s->shares[g];
    const size_t bytes = s->share_count * sizeof(unsigned long long);
    static_assert(GS_GPU_DEVICES_MAX * sizeof(unsigned long long) <= GS_ENGINE_MAIL_BYTES,
                  "mail");
    GPU_TRY(st, cudaMemsetAsync(s->d_cursors[g], 0, bytes, share->stream));
    GS_TRY(cut(s, g, false, st));
    GPU_TRY(st, cudaMemcpyAsync(share->run.h_mail, s->d_cursors[g], bytes,
                                cudaMemcpyDeviceToHost, share->stream));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    const unsigned long long *const mail = (const unsigned long long *)share->run.h_mail;
    for (unsigned to = 0; to < s->share_count; to++)
        s->counts[g][to] = mail[to];
    return GS_OK;
}

static gs_code part(gs_spread *s, unsigned g, gs_status *st)
{
    gs_share *const share = &s->shares[g];
    unsigned long long *const mail = (unsigned long long *)share->run.h_mail;
    for (unsigned to = 0; to < s->share_count; to++)
        mail[to] = sent_piece(s, g, to).at;
    GPU_TRY(st, cudaMemcpyAsync(s->d_cursors[g], mail, s->share_count * sizeof *mail,
                                cudaMemcpyHostToDevice, share->stream));
    GS_TRY(cut(s, g, true, st));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    return GS_OK;
}

/* To the next GPU first, so that not all send to the same one. */
static gs_code send(gs_spread *s, unsigned g, gs_status *st)
{
    const gs_share *const from = &s->shares[g];
    const size_t key_bytes = gs_key_bytes(from->run.type);
    const char *const values =
        from->run.d_scratch + parted_keys_bytes(from->run.type, from->count_max);
    for (unsigned i = 1; i <= s->share_count; i++) {
        const unsigned t = (g + i) % s->share_count;
        const gs_share *const to = &s->shares[t];
        const Piece p = sent_piece(s, g, t);
        const uint64_t at = arrival(s, g, t);
        if (p.count == 0)
            continue;
        GPU_TRY(st, cudaMemcpyPeerAsync((char *)to->d_keys + at * key_bytes, to->device,
                                        from->run.d_scratch + p.at * key_bytes,
                                        from->device, p.count * key_bytes, from->stream));
        if (from->d_values)
            GPU_TRY(st,
                    cudaMemcpyPeerAsync(to->d_values + at, to->device,
                                        values + p.at * sizeof(uint32_t), from->device,
                                        p.count * sizeof(uint32_t), from->stream));
    }
    GPU_TRY(st, cudaStreamSynchronize(from->stream));
    return GS_OK;
}

static gs_code sort(gs_spread *s, unsigned g, gs_status *st)
{
    gs_share *const share = &s->shares[g];
    share->run.d_keys = share->d_keys;
    share->run.d_values = share->d_values;
    share->run.count = (size_t)share_piece(s, g).count;
    GS_TRY(gs_share_start(share, s->ops, st));
    return gs_share_end(share, st);
}

static gs_code bring_back(gs_spread *s, unsigned g, gs_status *st)
{
    const gs_share *const share = &s->shares[g];
    const Piece p = share_piece(s, g);
    const size_t key_bytes = gs_key_bytes(share->run.type);
    const int home = s->shares[0].device;
    GS_TRY(copy(s, share, (char *)s->result_keys + p.at * key_bytes, home, share->d_keys,
                share->device, p.count * key_bytes, st));
    if (share->d_values)
        GS_TRY(copy(s, share, s->result_values + p.at, home, share->d_values,
                    share->device, p.count * sizeof(uint32_t), st));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    return GS_OK;
}

/* --- a batch ---------------------------------------------------------------------- */

namespace
{

struct Job {
    gs_spread *spread;
    step_fn *step;
};

gs_code run_step(void *context, unsigned worker, gs_status *st)
{
    const Job *const job = (const Job *)context;
    const gs_share *const share = &job->spread->shares[worker];
    const cudaError_t error = cudaSetDevice(share->device);
    if (error != cudaSuccess)
        return gs_gpu_fail(st, error, __FILE__, __LINE__, "cudaSetDevice");
    if (job->step(job->spread, worker, st) != GS_OK)
        gs_share_drain(share);
    return st->code;
}

bool is_before(const gs_spread_mark &a, const gs_spread_mark &b)
{
    return a.number < b.number || (a.number == b.number && a.index < b.index);
}

} // namespace

static gs_code everywhere(gs_spread *s, step_fn *step, gs_status *st)
{
    Job job = {s, step};
    return gs_team_run(s->team, run_step, &job, st);
}

/* GPUs that got no keys drew none. */
static void choose_splitters(gs_spread *s)
{
    unsigned drawn = s->share_count;
    while (input_piece(s, drawn - 1).count == 0)
        drawn--;
    gs_spread_mark *const marks = s->h_marks, *const end = marks + (size_t)drawn * MARKS;
    gs_spread_mark *from = marks;
    for (unsigned i = 1; i < s->share_count; i++) {
        gs_spread_mark *const nth = marks + (size_t)i * drawn * MARKS / s->share_count;
        std::nth_element(from, nth, end, is_before);
        s->splitters[i - 1] = *nth;
        from = nth;
    }
}

/* Whether every share has room for what would come. */
static bool are_even(const gs_spread *s)
{
    for (unsigned g = 0; g < s->share_count; g++)
        if (share_piece(s, g).count > s->shares[g].count_max)
            return false;
    return true;
}

/* Splitters that make shares for which there is room. A draw that is so far off is one in
 * many billions, so that another one is all that is to be done about it. */
static gs_code find_shares(gs_spread *s, gs_status *st)
{
    for (unsigned draws = 0; draws < DRAWS_MAX; draws++) {
        s->seed = draws + 1;
        GS_TRY(everywhere(s, draw, st));
        choose_splitters(s);
        GS_TRY(everywhere(s, count, st));
        if (are_even(s))
            return GS_OK;
    }
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "GPUs: %u samples found no even shares",
                   (unsigned)DRAWS_MAX);
}

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

gs_code gs_spread_sort(gs_spread *s, const gs_batch *batch, gs_status *st)
{
    gs_assert(batch->count > 0);
    s->batch = *batch;
    const bool is_moved = s->place == GS_PLACE_HOST && batch->sorted_keys != nullptr;
    s->result_keys = is_moved ? batch->sorted_keys : batch->keys;
    s->result_values = is_moved ? batch->sorted_values : batch->values;
    GS_TRY(everywhere(s, bring_keys, st));
    s->ms = 0;
    const double begin_ms = now_ms();
    GS_TRY(find_shares(s, st));
    GS_TRY(everywhere(s, part, st));
    GS_TRY(everywhere(s, send, st));
    GS_TRY(everywhere(s, sort, st));
    s->ms = now_ms() - begin_ms;
    return everywhere(s, bring_back, st);
}

double gs_spread_ms(const gs_spread *s)
{
    return s->ms;
}
