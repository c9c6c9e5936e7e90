/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/bisection.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/reorder/move_gain.h"
#include "lib/index/reorder/place_sort.h"

enum {
    LEAF_DOCS = 16,       /* are not halved */
    ROUNDS_MAX = 20,      /* of exchanges */
    TOGETHER_DOCS = 2048, /* fewer are not worth all threads */
    PIECES = 4,           /* of the work of a step, a thread */
    GAIN_BITS_LOST = 6,
};

/* In how many documents of either half a term is. */
typedef struct degrees {
    _Atomic uint32_t of[2];
} degrees;

_Static_assert(sizeof(degrees) == GS_BISECTION_BYTES_A_TERM, "as promised");

/* A document and what it gains, the greatest first when sorted as numbers. */
typedef uint64_t move;

_Static_assert(2 * sizeof(move) == GS_BISECTION_BYTES_A_DOC, "as promised");

typedef struct bisection {
    const gs_doc_terms *terms;
    uint32_t *order;
    const volatile int *cancel;
    move *moves, *spare; /* of each document */
    degrees **degrees;   /* of each thread, all 0 between halves */
    gs_gain_table gains;
    unsigned name_bits; /* that a document is worth which stays beside its neighbour */
    gs_team *team;
    size_t workers; /* of the team, which may have become fewer since */
    atomic_size_t next_task;
    size_t task_count; /* ranges of documents that one thread each goes on with */
} bisection;

/* Documents in two halves, by place. */
typedef struct node {
    bisection *b;
    degrees *degrees;
    size_t begin, middle, end;
    bool is_shared; /* all threads are at it */
    size_t swaps;
    atomic_size_t next_piece;
} node;

/* --- a piece of a step ----------------------------------------------------------- */

typedef void step_fn(node *n, size_t from, size_t to);

static void add_degree(node *n, uint32_t doc, unsigned half, uint32_t added)
{
    const gs_doc_terms *const t = n->b->terms;
    for (uint64_t i = t->begins[doc]; i < t->begins[doc + 1]; i++) {
        _Atomic uint32_t *const d = &n->degrees[t->terms[i]].of[half];
        if (n->is_shared)
            atomic_fetch_add_explicit(d, added, memory_order_relaxed);
        else
            atomic_store_explicit(d,
                                  atomic_load_explicit(d, memory_order_relaxed) + added,
                                  memory_order_relaxed);
    }
}

static void count_degrees(node *n, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        add_degree(n, n->b->order[i], i >= n->middle, 1);
}

static void forget_degrees(node *n, size_t from, size_t to)
{
    const gs_doc_terms *const t = n->b->terms;
    for (size_t i = from; i < to; i++) {
        const uint32_t doc = n->b->order[i];
        for (uint64_t k = t->begins[doc]; k < t->begins[doc + 1]; k++) {
            degrees *const d = &n->degrees[t->terms[k]];
            atomic_store_explicit(&d->of[0], 0, memory_order_relaxed);
            atomic_store_explicit(&d->of[1], 0, memory_order_relaxed);
        }
    }
}

static int64_t gain_of(const node *n, uint32_t doc, unsigned half)
{
    const gs_doc_terms *const t = n->b->terms;
    int64_t gain = 0;
    for (uint64_t i = t->begins[doc]; i < t->begins[doc + 1]; i++) {
        const degrees *const d = &n->degrees[t->terms[i]];
        gain += gs_gain_of_move(
            &n->b->gains, atomic_load_explicit(&d->of[half], memory_order_relaxed),
            atomic_load_explicit(&d->of[!half], memory_order_relaxed));
    }
    return gain;
}

/* Of a gain its last bits do not count, and millions of bits are as good as more. */
static move make_move(int64_t gain, uint32_t doc)
{
    const int64_t part = gain / (1 << GAIN_BITS_LOST);
    const int64_t kept = part < INT32_MIN   ? INT32_MIN
                         : part > INT32_MAX ? INT32_MAX
                                            : part;
    return (move)(uint32_t) ~(uint32_t)(kept - INT32_MIN) << 32 | doc;
}

static int64_t gain_in(move m)
{
    return (int64_t)(uint32_t) ~(uint32_t)(m >> 32) + INT32_MIN;
}

static void weigh_moves(node *n, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const uint32_t doc = n->b->order[i];
        n->b->moves[i] = make_move(gain_of(n, doc, i >= n->middle), doc);
    }
}

/* Places of the sorted halves that are equally far from their beginnings. */
static void swap_places(node *n, size_t from, size_t to)
{
    bisection *const b = n->b;
    for (size_t i = from; i < to; i++) {
        const size_t left = n->begin + i, right = n->middle + i;
        const uint32_t goes_right = (uint32_t)b->moves[left];
        const uint32_t goes_left = (uint32_t)b->moves[right];
        add_degree(n, goes_right, 0, UINT32_MAX);
        add_degree(n, goes_right, 1, 1);
        add_degree(n, goes_left, 1, UINT32_MAX);
        add_degree(n, goes_left, 0, 1);
        b->order[left] = goes_left;
        b->order[right] = goes_right;
    }
}

/* --- a step, by one thread or all ------------------------------------------------ */

static void sort_half(bisection *b, size_t begin, size_t end)
{
    gs_place_sort(b->moves + begin, b->spare + begin, end - begin, 32);
}

/* A piece is a half. */
static void sort_halves(node *n, size_t from, size_t to)
{
    for (size_t half = from; half < to; half++)
        sort_half(n->b, half == 0 ? n->begin : n->middle, half == 0 ? n->middle : n->end);
}

typedef struct step_job {
    node *n;
    step_fn *step;
    size_t begin, end, piece;
} step_job;

static gs_code do_pieces(void *context, unsigned worker, gs_status *st)
{
    const step_job *const job = context;
    (void)worker;
    for (;;) {
        const size_t from =
            job->begin + atomic_fetch_add(&job->n->next_piece, 1) * job->piece;
        if (from >= job->end)
            return st->code;
        job->step(job->n, from,
                  job->end - from < job->piece ? job->end : from + job->piece);
    }
}

static gs_code do_step(node *n, step_fn *step, size_t begin, size_t end, gs_status *st)
{
    if (!n->is_shared || begin == end) {
        step(n, begin, end);
        return GS_OK;
    }
    const size_t pieces = (size_t)PIECES * gs_team_workers(n->b->team);
    step_job job = {n, step, begin, end, (end - begin + pieces - 1) / pieces};
    atomic_store(&n->next_piece, 0);
    return gs_team_run(n->b->team, do_pieces, &job, st);
}

/* As long as both together gain. */
static size_t count_swaps(const node *n)
{
    const size_t left = n->middle - n->begin, right = n->end - n->middle;
    const size_t most = left < right ? left : right;
    size_t count = 0;
    while (count < most && gain_in(n->b->moves[n->begin + count]) +
                                   gain_in(n->b->moves[n->middle + count]) >
                               0)
        count++;
    return count;
}

static gs_code make_halves(node *n, gs_status *st)
{
    GS_TRY(do_step(n, count_degrees, n->begin, n->end, st));
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        GS_TRY(gs_cancel_check(n->b->cancel, st));
        GS_TRY(do_step(n, weigh_moves, n->begin, n->end, st));
        GS_TRY(do_step(n, sort_halves, 0, 2, st));
        n->swaps = count_swaps(n);
        /* Sorted, documents have other places than weighed: those that stay take theirs.
         */
        for (size_t i = n->begin; i < n->end; i++)
            n->b->order[i] = (uint32_t)n->b->moves[i];
        GS_TRY(do_step(n, swap_places, 0, n->swaps, st));
        if (n->swaps * 1000 < n->end - n->begin)
            break;
    }
    return do_step(n, forget_degrees, n->begin, n->end, st);
}

/* --- the recursion --------------------------------------------------------------- */

static gs_code bisect(bisection *b, degrees *of, size_t begin, size_t end, bool is_shared,
                      gs_status *st)
{
    node n = {.b = b, .degrees = of, .begin = begin, .end = end, .is_shared = is_shared};
    n.middle = begin + (end - begin) / 2;
    return make_halves(&n, st);
}

/* Few documents are in the order that they had. */
static void sort_leaf(uint32_t *docs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t doc = docs[i];
        size_t at = i;
        for (; at > 0 && docs[at - 1] > doc; at--)
            docs[at] = docs[at - 1];
        docs[at] = doc;
    }
}

/* What the differences of places take in which each term comes. */
static uint64_t gap_bits(bisection *b, degrees *last, size_t begin, size_t end)
{
    const gs_doc_terms *const t = b->terms;
    node n = {.b = b, .degrees = last, .begin = begin, .end = end};
    uint64_t bits = 0;
    for (size_t i = begin; i < end; i++) {
        const uint32_t place = (uint32_t)(i - begin) + 1, doc = b->order[i];
        for (uint64_t k = t->begins[doc]; k < t->begins[doc + 1]; k++) {
            _Atomic uint32_t *const at = &last[t->terms[k]].of[0];
            bits += b->gains.gap[place - atomic_load_explicit(at, memory_order_relaxed)];
            atomic_store_explicit(at, place, memory_order_relaxed);
        }
    }
    forget_degrees(&n, begin, end);
    return bits;
}

/* Some documents take the order that they had, unless the one that was found saves more
 * than their names cost in it: those that came side by side have much in common. */
static void sort_some(bisection *b, degrees *of, size_t begin, size_t end)
{
    move *const sorted = b->moves + begin, *const found = b->spare + begin;
    const size_t count = end - begin;
    const uint64_t bits = gap_bits(b, of, begin, end);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (move)b->order[begin + i] << 32;
    gs_place_sort(sorted, found, count, 32);
    for (size_t i = 0; i < count; i++) {
        found[i] = b->order[begin + i];
        b->order[begin + i] = (uint32_t)(sorted[i] >> 32);
    }
    if (gap_bits(b, of, begin, end) <=
        bits + (uint64_t)count * b->name_bits * GS_GAIN_ONE)
        return;
    for (size_t i = 0; i < count; i++)
        b->order[begin + i] = (uint32_t)found[i];
}

/* All below a range that one thread has. */
static gs_code bisect_all(bisection *b, degrees *of, size_t begin, size_t end,
                          gs_status *st)
{
    if (end - begin <= LEAF_DOCS) {
        sort_leaf(b->order + begin, end - begin);
        return GS_OK;
    }
    const size_t middle = begin + (end - begin) / 2;
    GS_TRY(bisect(b, of, begin, end, false, st));
    GS_TRY(bisect_all(b, of, begin, middle, st));
    GS_TRY(bisect_all(b, of, middle, end, st));
    if (end - begin <= GS_GAP_TABLE)
        sort_some(b, of, begin, end);
    return GS_OK;
}

/* Where part `i` of 2^levels begins, as halving gives it. */
static size_t part_begin(const bisection *b, unsigned levels, size_t i)
{
    size_t begin = 0, end = b->terms->doc_count;
    for (unsigned level = levels; level-- > 0;) {
        const size_t middle = begin + (end - begin) / 2;
        if ((i >> level & 1) != 0)
            begin = middle;
        else
            end = middle;
    }
    return i >> levels != 0 ? b->terms->doc_count : begin;
}

static unsigned levels_of(size_t parts)
{
    unsigned levels = 0;
    while ((size_t)1 << levels < parts)
        levels++;
    return levels;
}

static gs_code work(void *context, unsigned worker, gs_status *st)
{
    bisection *const b = context;
    const unsigned levels = levels_of(b->task_count);
    for (;;) {
        const size_t task = atomic_fetch_add(&b->next_task, 1);
        if (task >= b->task_count)
            return GS_OK;
        GS_TRY(bisect_all(b, b->degrees[worker], part_begin(b, levels, task),
                          part_begin(b, levels, task + 1), st));
    }
}

/* The first halves by all threads, until there are some ranges for each. */
static gs_code run(bisection *b, gs_status *st)
{
    const size_t wanted = (size_t)PIECES * gs_team_workers(b->team);
    unsigned levels = 0;
    for (; (size_t)1 << levels < wanted; levels++) {
        if (b->terms->doc_count >> levels < TOGETHER_DOCS)
            break;
        for (size_t i = 0; i < (size_t)1 << levels; i++)
            GS_TRY(bisect(b, b->degrees[0], part_begin(b, levels, i),
                          part_begin(b, levels, i + 1), true, st));
    }
    b->task_count = (size_t)1 << levels;
    return gs_team_run(b->team, work, b, st);
}

static gs_code make_room(bisection *b, gs_status *st)
{
    const size_t docs = b->terms->doc_count;
    const size_t bytes = (size_t)b->terms->term_count * sizeof(degrees);
    GS_TRY(gs_mem_map(&b->moves, (docs + 1) * sizeof *b->moves, false, "bisection", st));
    GS_TRY(gs_mem_map(&b->spare, (docs + 1) * sizeof *b->spare, false, "bisection", st));
    GS_TRY(
        gs_mem_new_array(&b->degrees, b->workers, sizeof *b->degrees, "bisection", st));
    for (size_t i = 0; i < b->workers; i++)
        GS_TRY(gs_mem_map(&b->degrees[i], bytes + 1, true, "bisection", st));
    return GS_OK;
}

static void release(bisection *b)
{
    const size_t docs = b->terms->doc_count;
    const size_t bytes = (size_t)b->terms->term_count * sizeof(degrees);
    for (size_t i = 0; b->degrees != NULL && i < b->workers; i++)
        gs_mem_unmap(b->degrees[i], bytes + 1);
    gs_mem_free(b->degrees);
    gs_mem_unmap(b->moves, (docs + 1) * sizeof *b->moves);
    gs_mem_unmap(b->spare, (docs + 1) * sizeof *b->spare);
}

gs_code gs_bisect(uint32_t *order, const gs_doc_terms *terms, unsigned name_bits,
                  gs_team *team, const volatile int *cancel, gs_status *st)
{
    bisection *b = NULL;
    for (uint32_t i = 0; i < terms->doc_count; i++)
        order[i] = i;
    GS_TRY(gs_mem_new(&b, sizeof *b, "bisection", st));
    b->terms = terms;
    b->order = order;
    b->name_bits = name_bits;
    b->cancel = cancel;
    b->team = team;
    b->workers = gs_team_workers(team);
    gs_gain_table_fill(&b->gains);
    if (make_room(b, st) == GS_OK)
        GS_NOTED(run(b, st));
    release(b);
    gs_mem_free(b);
    return st->code;
}
