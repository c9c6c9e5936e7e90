/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * word_exchange: the tokens of several blocks, each to the block that has its term.
 *
 *      weigh      how many tokens there are of each range of ranks, from which the host
 *                 chooses what each block is to have
 *      part       each device makes sort keys of its tokens, below the number of the block
 *                 that has them, and one pass of a radix sort puts those of each block
 *                 together, in the order in which they were, in its other array of keys
 *      send       and copies them to the first array of that block, with their numbers
 *      adopt      what came are the tokens of the block
 *
 *                  block 0              block 1            block 1 has ranks from 2 on
 *      tokens     | 2 0 3 1 |          | 0 3 3 |
 *      parted     | 0 1 . 2 3 |        | 0 . 3 3 |
 *      after      | 0 1 0 |            | 0 1 1 1 |          ranks counted from the first
 *
 * Nothing more of memory is taken: both arrays are there for the sort that follows. Every
 * step is a job of a team with a thread for each device, so that nobody sends before all
 * have parted theirs. With direct access between devices nothing of this goes through the
 * host. All tokens of a document are on one device, so that their positions still ascend.
 */
/* clang-format on */
#include "gpu/device/cub_launch.cuh"

#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "gpu/device/device_use.cuh"
#include "gpu/words/word_memory.cuh"
#include "lib/base/assertion.h"
#include "lib/base/bits.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

namespace
{

enum { WEIGH_BLOCKS = 1056, LISTS = GS_WORD_BLOCKS_MAX + 1 };

/* How keys are made: the number of a block, then a rank in it, then a document. Tokens of
 * words that are left out are behind all blocks. */
struct key_plan {
    uint32_t ends[GS_WORD_BLOCKS_MAX]; /* ranks of each block */
    unsigned count, document_bits, key_bits;
    uint32_t first_document;
};

struct exchange {
    gs_word_block *const *blocks;
    unsigned count;
    const gs_word_share *shares;
    key_plan plan;
    unsigned owner_bits;
    bool moves_numbers;
    /* Where what each block sends to each begins among its keys, and the end of all. */
    uint64_t begins[GS_WORD_BLOCKS_MAX][LISTS];
};

typedef gs_code step_fn(exchange *x, unsigned self, gs_status *st);

struct step_job {
    exchange *x;
    step_fn *step;
};

} // namespace

/* --- weigh -------------------------------------------------------------------------- */

/* A thread goes through tokens that are a grid apart; a block of threads adds up in
 * shared memory, since few terms have most tokens. */
static __global__ void __launch_bounds__(GS_WORD_THREADS)
    k_weigh_ranges(const uint64_t *keys, uint64_t count, const uint32_t *ranks,
                   unsigned shift, const uint32_t *frequencies, gs_word_weight *out)
{
    __shared__ unsigned tokens[GS_WORD_RANGES];
    __shared__ unsigned long long sums[GS_WORD_RANGES];
    for (unsigned i = threadIdx.x; i < GS_WORD_RANGES; i += GS_WORD_THREADS) {
        tokens[i] = 0;
        sums[i] = 0;
    }
    __syncthreads();
    const uint64_t threads = (uint64_t)gridDim.x * GS_WORD_THREADS;
    for (uint64_t i = gs_word_thread(); i < count; i += threads) {
        const uint32_t term = (uint32_t)(keys[i] >> 32);
        if (term == GS_WORD_NO_TERM)
            continue;
        const uint32_t range = ranks[term] >> shift;
        atomicAdd(&tokens[range], 1U);
        if (frequencies != nullptr)
            atomicAdd(&sums[range], (unsigned long long)frequencies[i]);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < GS_WORD_RANGES; i += GS_WORD_THREADS) {
        const unsigned long long n = tokens[i];
        if (n == 0)
            continue;
        atomicAdd((unsigned long long *)&out[i].tokens, n);
        atomicAdd((unsigned long long *)&out[i].frequencies,
                  frequencies != nullptr ? sums[i] : n);
    }
}

gs_code gs_word_block_weigh(gs_word_block *w, gs_word_weight *ranges, gs_status *st)
{
    const uint64_t count = w->h_state->tokens;
    const size_t bytes = GS_WORD_RANGES * sizeof *ranges;
    const bool has_frequencies = !w->options.has_positions && gs_word_moves_numbers(w);
    gs_word_weight *const d_ranges = (gs_word_weight *)w->d_temp;
    const unsigned all = gs_word_grid(count), most = WEIGH_BLOCKS,
                   blocks = all < most ? all : most;
    gs_assert(w->sums.terms > 0);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemsetAsync(d_ranges, 0, bytes, w->stream));
    k_weigh_ranges<<<blocks, GS_WORD_THREADS, 0, w->stream>>>(
        w->d_keys[0], count, w->d_ranks, gs_word_range_shift((uint32_t)w->sums.terms),
        has_frequencies ? w->d_positions[0] : nullptr, d_ranges);
    GPU_LAUNCHED(st, w->stream, "k_weigh_ranges");
    GPU_TRY(st,
            cudaMemcpyAsync(ranges, d_ranges, bytes, cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

/* --- part --------------------------------------------------------------------------- */

/* A thread a token. */
static __global__ void k_make_owned_keys(uint64_t *keys, uint64_t count,
                                         const uint32_t *ranks, key_plan plan)
{
    const uint64_t i = gs_word_thread();
    if (i >= count)
        return;
    const uint32_t term = (uint32_t)(keys[i] >> 32);
    uint64_t owner = plan.count, key = 0;
    if (term != GS_WORD_NO_TERM) {
        const uint32_t rank = ranks[term];
        for (owner = 0; owner + 1 < plan.count && rank >= plan.ends[owner];)
            owner++;
        const uint32_t first = owner > 0 ? plan.ends[owner - 1] : 0;
        key = (uint64_t)(rank - first) << plan.document_bits |
              ((uint32_t)keys[i] - plan.first_document);
    }
    keys[i] = owner << plan.key_bits | key;
}

/* Where the keys of each block begin, and those of none: a thread a block. */
static __global__ void k_find_parts(const uint64_t *keys, uint64_t count, key_plan plan,
                                    unsigned long long *begins)
{
    const uint64_t owner = gs_word_thread();
    if (owner > plan.count)
        return;
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (keys[middle] >> plan.key_bits < owner)
            low = middle + 1;
        else
            high = middle;
    }
    begins[owner] = low;
}

/* A thread a key: the number of the block goes. */
static __global__ void k_cut_owners(uint64_t *keys, uint64_t count, unsigned key_bits)
{
    const uint64_t i = gs_word_thread();
    if (i < count)
        keys[i] &= ((uint64_t)1 << key_bits) - 1;
}

/* Into the second array, that of the parts; the first is for what comes. */
static gs_code put_together(const exchange *x, gs_word_block *w, gs_status *st)
{
    const int64_t count = (int64_t)w->h_state->tokens;
    const int begin = (int)x->plan.key_bits, end = begin + (int)x->owner_bits;
    size_t temp_bytes = w->temp_bytes;
    cub::DoubleBuffer<uint64_t> k(w->d_keys[0], w->d_keys[1]);
    cub::DoubleBuffer<uint32_t> p(w->d_positions[0], w->d_positions[1]);
    if (x->moves_numbers)
        GPU_TRY(st, cub::DeviceRadixSort::SortPairs(w->d_temp, temp_bytes, k, p, count,
                                                    begin, end, w->stream));
    else
        GPU_TRY(st, cub::DeviceRadixSort::SortKeys(w->d_temp, temp_bytes, k, count, begin,
                                                   end, w->stream));
    if (k.Current() == w->d_keys[0])
        std::swap(w->d_keys[0], w->d_keys[1]);
    if (x->moves_numbers && p.Current() == w->d_positions[0])
        std::swap(w->d_positions[0], w->d_positions[1]);
    return GS_OK;
}

static gs_code part(exchange *x, unsigned self, gs_status *st)
{
    gs_word_block *const w = x->blocks[self];
    const uint64_t count = w->h_state->tokens;
    unsigned long long *const begins = (unsigned long long *)w->d_temp;
    for (unsigned i = 0; i < x->count; i++)
        GS_TRY(gs_device_open_way(w->options.device, x->blocks[i]->options.device, st));
    k_make_owned_keys<<<gs_word_grid(count), GS_WORD_THREADS, 0, w->stream>>>(
        w->d_keys[0], count, w->d_ranks, x->plan);
    GPU_LAUNCHED(st, w->stream, "k_make_owned_keys");
    GS_TRY(put_together(x, w, st));
    k_find_parts<<<1, GS_WORD_THREADS, 0, w->stream>>>(w->d_keys[1], count, x->plan,
                                                       begins);
    GPU_LAUNCHED(st, w->stream, "k_find_parts");
    GPU_TRY(st, cudaMemcpyAsync(x->begins[self], begins, (x->count + 1) * sizeof *begins,
                                cudaMemcpyDeviceToHost, w->stream));
    k_cut_owners<<<gs_word_grid(count), GS_WORD_THREADS, 0, w->stream>>>(
        w->d_keys[1], count, x->plan.key_bits);
    GPU_LAUNCHED(st, w->stream, "k_cut_owners");
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

/* --- send --------------------------------------------------------------------------- */

static uint64_t sent(const exchange *x, unsigned from, unsigned to)
{
    return x->begins[from][to + 1] - x->begins[from][to];
}

/* Do all get what was said that they would, and is it all that there is? */
static bool is_whole(const exchange *x)
{
    for (unsigned from = 0; from < x->count; from++) {
        const gs_word_state *const s = x->blocks[from]->h_state;
        if (x->begins[from][0] != 0 ||
            x->begins[from][x->count] != s->tokens - s->left_out)
            return false;
    }
    for (unsigned to = 0; to < x->count; to++) {
        uint64_t got = 0;
        for (unsigned from = 0; from < x->count; from++)
            got += sent(x, from, to);
        if (got != x->shares[to].weight.tokens || got > x->blocks[to]->room.tokens)
            return false;
    }
    return true;
}

static gs_code copy_to(const gs_word_block *from, const void *source, gs_word_block *to,
                       void *target, size_t bytes, gs_status *st)
{
    if (to->options.device == from->options.device)
        GPU_TRY(st, cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice,
                                    from->stream));
    else
        GPU_TRY(st, cudaMemcpyPeerAsync(target, to->options.device, source,
                                        from->options.device, bytes, from->stream));
    return GS_OK;
}

static gs_code send_to(const exchange *x, unsigned self, unsigned to, gs_status *st)
{
    const gs_word_block *const w = x->blocks[self];
    gs_word_block *const other = x->blocks[to];
    const uint64_t begin = x->begins[self][to], count = sent(x, self, to);
    uint64_t at = 0;
    for (unsigned i = 0; i < self; i++)
        at += sent(x, i, to);
    if (count == 0)
        return GS_OK;
    GS_TRY(copy_to(w, w->d_keys[1] + begin, other, other->d_keys[0] + at,
                   count * sizeof *w->d_keys[0], st));
    return x->moves_numbers
               ? copy_to(w, w->d_positions[1] + begin, other, other->d_positions[0] + at,
                         count * sizeof *w->d_positions[0], st)
               : GS_OK;
}

/* Each begins with another one, so that none is sent to by all at once. */
static gs_code send(exchange *x, unsigned self, gs_status *st)
{
    for (unsigned i = 1; i <= x->count; i++)
        GS_TRY(send_to(x, self, (self + i) % x->count, st));
    GPU_TRY(st, cudaStreamSynchronize(x->blocks[self]->stream));
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

static void adopt(const exchange *x, unsigned self)
{
    gs_word_block *const w = x->blocks[self];
    const gs_word_share *const share = &x->shares[self];
    const bool are_texts = w->options.source == GS_WORD_TEXTS;
    w->h_state->tokens = share->weight.tokens;
    w->h_state->left_out = 0;
    w->h_state->tuple_tokens = are_texts ? 0 : share->weight.frequencies;
    w->sums = {share->end - share->first, 0, 0, share->weight.frequencies};
    w->is_exchanged = true;
    w->exchanged_first = x->plan.first_document;
    w->exchanged_bits = x->plan.document_bits;
}

/* After a failure nothing may be on its way to another device. */
static gs_code run_step(void *context, unsigned worker, gs_status *st)
{
    const step_job *const job = (const step_job *)context;
    const gs_word_block *const w = job->x->blocks[worker];
    const cudaError_t error = cudaSetDevice(w->options.device);
    if (error != cudaSuccess)
        return gs_gpu_fail(st, error, __FILE__, __LINE__, "cudaSetDevice");
    if (job->step(job->x, worker, st) != GS_OK) {
        (void)cudaStreamSynchronize(w->stream);
        (void)cudaGetLastError();
    }
    return st->code;
}

static gs_code everywhere(exchange *x, gs_team *team, step_fn *step, gs_status *st)
{
    step_job job = {x, step};
    GS_TRY(gs_team_run(team, run_step, &job, st));
    return gs_team_workers(team) == x->count
               ? GS_OK
               : GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU: no thread for each of %u", x->count);
}

static gs_code run_all(exchange *x, gs_team *team, gs_status *st)
{
    GS_TRY(everywhere(x, team, part, st));
    if (!is_whole(x))
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: an exchange has lost words");
    GS_TRY(everywhere(x, team, send, st));
    for (unsigned i = 0; i < x->count; i++)
        adopt(x, i);
    return GS_OK;
}

/* False: keys are too long. */
static bool plan_keys(exchange *x, uint32_t first, uint32_t last)
{
    key_plan *const plan = &x->plan;
    uint32_t most = 0;
    plan->count = x->count;
    plan->first_document = first;
    for (unsigned i = 0; i < x->count; i++) {
        const gs_word_share *const share = &x->shares[i];
        gs_assert(share->first == (i > 0 ? x->shares[i - 1].end : 0));
        gs_assert(share->first <= share->end);
        plan->ends[i] = share->end;
        most = share->end - share->first > most ? share->end - share->first : most;
        x->moves_numbers |= gs_word_moves_numbers(x->blocks[i]);
    }
    plan->document_bits = gs_bit_length(last - first);
    plan->key_bits = plan->document_bits + gs_bit_length(most);
    x->owner_bits = gs_bit_length(x->count);
    return plan->key_bits + x->owner_bits <= 64;
}

gs_code gs_word_blocks_exchange(gs_word_block *const *blocks, unsigned count,
                                const gs_word_share *shares, uint32_t first,
                                uint32_t last, bool *is_done, gs_status *st)
{
    void *memory = nullptr;
    gs_team *team = nullptr;
    *is_done = false;
    gs_assert(count > 0 && count <= GS_WORD_BLOCKS_MAX && first <= last);
    GS_TRY(gs_mem_new(&memory, sizeof(exchange), "exchange of GPUs", st));
    exchange *const x = (exchange *)memory;
    x->blocks = blocks;
    x->count = count;
    x->shares = shares;
    if (plan_keys(x, first, last) && gs_team_new(&team, count, st) == GS_OK)
        *is_done = run_all(x, team, st) == GS_OK;
    gs_team_free(team);
    gs_mem_free(x);
    return st->code;
}
