/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/bucket_split.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket/splitters.h"
#include "lib/sort/bucket/tie_sort.h"
#include "lib/sort/bucket/whole_splitters.h"

enum {
    TOO_LARGE = 8, /* times what a bucket should hold: is cut again */
    ENDED_CLASSES = GS_TIE_ENDED_MAX + 1, /* buckets of strings that end, by length */
    IDS_MAX = GS_SPLITTERS_BUCKETS_MAX + ENDED_CLASSES,
    PREFETCH_AHEAD = 12,
    SHARED_SAMPLE = 16,
    SHARED_LIMIT = 1 << 20,
    IDLE_MAX = 4, /* cuts by words in a row that leave nearly all together */
    SMALL_PAGE = 4096,
    POPULATE = 1024, /* elements: 6 such pages */
};

/* One cut of one bucket, shared by the team. */
typedef struct gs_cut {
    const gs_bucket_split *split;
    gs_trace *trace;
    gs_element *from, *to; /* at the bucket's beginning, */
    size_t begin;          /* which is here in its array */
    uint16_t *ids;
    size_t count;
    size_t slices;
    atomic_size_t next_slice;

    gs_splitters splitters;
    uint64_t sample[GS_SPLITTERS_SAMPLE_MAX];

    bool is_whole; /* go by whole strings, and these: */
    gs_whole_splitters whole;
    bool is_deeper;    /* the prefixes all agreed: go by what follows them */
    bool has_next;     /* and that stands in the next words */
    size_t old_depth;  /* where the prefixes stand now */
    size_t next_depth; /* where they will be taken from */

    size_t *counts; /* [slice][id], then positions */
    size_t ids_used;
} gs_cut;

static void slice_bounds(const gs_cut *cut, size_t slice, size_t *begin, size_t *end)
{
    *begin = cut->count * slice / cut->slices;
    *end = cut->count * (slice + 1) / cut->slices;
}

/* Element i's prefix as the cut sees it. */
static uint64_t sampled_prefix(const gs_cut *cut, size_t i)
{
    const gs_bucket_split *const s = cut->split;
    gs_element e = cut->from[i];
    if (cut->is_deeper && cut->has_next)
        return e.next;
    if (cut->is_deeper)
        gs_tie_load(s->layout, s->arena, &e, cut->next_depth);
    return e.prefix;
}

/* Chooses as many splitters as the bucket is worth. */
static void choose_splitters(gs_cut *cut)
{
    const unsigned levels = gs_splitters_levels(cut->count, cut->split->bucket_elements);
    size_t n = ((size_t)1 << levels) * GS_SPLITTERS_OVERSAMPLING;
    if (n > cut->count)
        n = cut->count;
    uint64_t state = cut->count;
    for (size_t i = 0; i < n; i++) {
        const size_t part = cut->count / n;
        cut->sample[i] = sampled_prefix(cut, i * part + gs_splitters_place(&state, part));
    }
    gs_splitters_choose(&cut->splitters, levels, cut->sample, n);
}

/* The same of whole strings. */
static gs_code choose_whole_splitters(gs_cut *cut, const gs_bucket *bucket, gs_status *st)
{
    const gs_bucket_split *const s = cut->split;
    size_t buckets = (size_t)1 << gs_splitters_levels(cut->count, s->bucket_elements);
    if (buckets > GS_WHOLE_SPLITTERS_MAX + 1)
        buckets = GS_WHOLE_SPLITTERS_MAX + 1;
    const size_t most = buckets * GS_WHOLE_SPLITTERS_OVERSAMPLING;
    const size_t n = most < cut->count ? most : cut->count, part = cut->count / n;
    gs_element *sample = NULL; /* and as many behind it, to sort them */
    GS_TRY(gs_mem_new_array(&sample, 2 * n, sizeof *sample, "sample", st));
    uint64_t state = cut->count;
    for (size_t i = 0; i < n; i++)
        sample[i] = cut->from[i * part + gs_splitters_place(&state, part)];
    cut->whole.layout = s->layout;
    cut->whole.arena = s->arena;
    cut->whole.depth = bucket->depth;
    gs_whole_splitters_choose(&cut->whole, buckets, sample, sample + n, n,
                              bucket->has_next);
    gs_mem_free(sample);
    return GS_OK;
}

static void classify_by_whole(gs_cut *cut, size_t begin, size_t end, size_t *counts)
{
    for (size_t i = begin; i < end; i++) {
        if (i + PREFETCH_AHEAD < end)
            __builtin_prefetch(cut->split->arena +
                               gs_where_offset(cut->from[i + PREFETCH_AHEAD].where));
        const size_t id = gs_whole_splitters_find(&cut->whole, &cut->from[i]);
        cut->ids[i] = (uint16_t)id;
        counts[id]++;
    }
}

/* The ids of a deeper cut: strings that ended by length, then (backwards: before them)
 * those that go on, by splitter. */
static size_t deeper_id(const gs_cut *cut, size_t left, uint64_t prefix)
{
    const size_t last = ENDED_CLASSES + cut->splitters.bucket_count - 1;
    if (left < ENDED_CLASSES)
        return cut->split->layout->is_backwards ? last - left : left;
    const size_t bucket = gs_splitters_find(&cut->splitters, prefix);
    return cut->split->layout->is_backwards ? bucket : ENDED_CLASSES + bucket;
}

static void classify_slice(gs_cut *cut, size_t slice)
{
    size_t begin, end;
    slice_bounds(cut, slice, &begin, &end);
    size_t *const counts = cut->counts + slice * cut->ids_used;
    memset(counts, 0, cut->ids_used * sizeof *counts);
    const gs_record_layout *const layout = cut->split->layout;
    const uint8_t *const arena = cut->split->arena;
    if (cut->is_whole) {
        classify_by_whole(cut, begin, end, counts);
        return;
    }
    if (!cut->is_deeper) {
        for (size_t i = begin; i < end; i++) {
            const size_t id = gs_splitters_find(&cut->splitters, cut->from[i].prefix);
            cut->ids[i] = (uint16_t)id;
            counts[id]++;
        }
        return;
    }
    for (size_t i = begin; i < end; i++) {
        gs_element *const e = &cut->from[i];
        if (!cut->has_next && i + PREFETCH_AHEAD < end)
            __builtin_prefetch(arena + gs_where_offset(e[PREFETCH_AHEAD].where));
        const size_t left = gs_tie_left(layout, arena, e->where, cut->old_depth);
        if (cut->has_next)
            e->prefix = e->next;
        else if (left == ENDED_CLASSES)
            gs_tie_load(layout, arena, e, cut->next_depth);
        const size_t id = deeper_id(cut, left, e->prefix);
        cut->ids[i] = (uint16_t)id;
        counts[id]++;
    }
}

/* The whole pages between the two, from `from` on, go back; returns where the rest
 * begins.
 */
static uintptr_t give_back(uintptr_t from, uintptr_t to, uintptr_t page)
{
    const uintptr_t begin = (from + page - 1) / page * page, end = to / page * page;
    if (begin >= end)
        return from;
    gs_mem_discard((void *)begin, end - begin);
    return end;
}

/* Moves a part of a slice, and takes the pages it goes to a few at a time. */
static void scatter_to_new_pages(const gs_cut *cut, size_t *next, size_t begin,
                                 size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const size_t at = next[cut->ids[i]]++;
        if ((cut->begin + at) % POPULATE == 0)
            gs_mem_populate(cut->to + at, POPULATE * sizeof *cut->to);
        cut->to[at] = cut->from[i];
    }
}

/* Pages of the scratch are small; of those of the elements only whole ones go. */
static uintptr_t page_of(const gs_bucket_split *split, const gs_element *e)
{
    const bool is_in_scratch =
        e >= split->scratch && e < split->scratch + split->element_count;
    return is_in_scratch ? SMALL_PAGE : GS_BUCKET_GIVE_BACK_PAGE;
}

static void scatter_slice(gs_cut *cut, size_t slice)
{
    const uintptr_t page = page_of(cut->split, cut->from);
    enum { PART = 4 * GS_BUCKET_GIVE_BACK_PAGE / sizeof(gs_element) };
    size_t begin, end;
    slice_bounds(cut, slice, &begin, &end);
    size_t *const next = cut->counts + slice * cut->ids_used;
    uintptr_t moved = (uintptr_t)(cut->from + begin);
    for (size_t part = begin, part_end; part < end; part = part_end) {
        part_end = end - part > PART ? part + PART : end;
        if (cut->split->gives_back) {
            scatter_to_new_pages(cut, next, part, part_end);
            moved = give_back(moved, (uintptr_t)(cut->from + part_end), page);
            continue;
        }
        for (size_t i = part; i < part_end; i++)
            cut->to[next[cut->ids[i]]++] = cut->from[i];
    }
}

static gs_code classify_worker(void *context, unsigned worker, gs_status *st)
{
    gs_cut *const cut = context;
    const uint64_t begin_ns = gs_trace_begin(cut->trace);
    for (size_t s; (s = atomic_fetch_add(&cut->next_slice, 1)) < cut->slices;)
        classify_slice(cut, s);
    gs_trace_end(cut->trace, GS_LANE_WORKER, worker, "classify", begin_ns, 0);
    return st->code;
}

static gs_code scatter_worker(void *context, unsigned worker, gs_status *st)
{
    gs_cut *const cut = context;
    const uint64_t begin_ns = gs_trace_begin(cut->trace);
    for (size_t s; (s = atomic_fetch_add(&cut->next_slice, 1)) < cut->slices;)
        scatter_slice(cut, s);
    gs_trace_end(cut->trace, GS_LANE_WORKER, worker, "scatter", begin_ns, 0);
    return st->code;
}

static gs_code push(gs_bucket_list *list, gs_bucket bucket, gs_status *st)
{
    GS_TRY(gs_mem_grow(&list->buckets, &list->capacity, list->count + 1,
                       "list of buckets", st));
    list->buckets[list->count++] = bucket;
    return GS_OK;
}

/* Turns counts into write positions, slice by slice inside each id, and fills `totals`.
 */
static void sum_positions(gs_cut *cut, size_t *totals)
{
    size_t position = 0;
    for (size_t id = 0; id < cut->ids_used; id++) {
        const size_t first = position;
        for (size_t s = 0; s < cut->slices; s++) {
            size_t *const c = &cut->counts[s * cut->ids_used + id];
            const size_t n = *c;
            *c = position;
            position += n;
        }
        totals[id] = position - first;
    }
    gs_assert(position == cut->count);
}

/* Is this id of a deeper cut one of strings that ended? All such are equal. */
static bool is_ended_id(const gs_cut *cut, size_t id)
{
    if (!cut->is_deeper)
        return false;
    return cut->split->layout->is_backwards ? id >= cut->splitters.bucket_count
                                            : id < ENDED_CLASSES;
}

/* If all prefixes agree, sets the cut up to go by what follows them. */
static void prepare_deeper(gs_cut *cut, size_t depth, bool has_next)
{
    const uint64_t first = cut->from[0].prefix;
    for (size_t i = 1; i < cut->count; i++) {
        if (cut->from[i].prefix != first)
            return;
    }
    const gs_bucket_split *const s = cut->split;
    cut->is_deeper = true;
    cut->old_depth = depth;
    cut->next_depth = depth + 8;
    cut->has_next = has_next;
    if (has_next)
        return;
    /* What all that go on share is skipped; one that ended says nothing about that. A
     * sample only proposes: input that comes in order begins with neighbours, which share
     * more than the rest does. */
    for (size_t i = 0; i < cut->count; i++) {
        if (gs_tie_left(s->layout, s->arena, cut->from[i].where, depth) < ENDED_CLASSES)
            return;
    }
    const size_t next = cut->next_depth;
    const size_t sample = cut->count < SHARED_SAMPLE ? cut->count : SHARED_SAMPLE;
    size_t shared =
        gs_tie_common_bytes(s->layout, s->arena, cut->from, sample, next, SHARED_LIMIT);
    if (shared < 8)
        return; /* less than a prefix: not worth another look at every string */
    cut->next_depth = next + gs_tie_common_bytes(s->layout, s->arena, cut->from,
                                                 cut->count, next, shared);
}

/* Decides what the bucket is cut by, and how many parts there may be. */
static gs_code prepare(gs_cut *cut, const gs_bucket *bucket, gs_status *st)
{
    cut->is_deeper = false;
    cut->is_whole = bucket->idle_cuts >= IDLE_MAX;
    if (cut->is_whole) {
        GS_TRY(choose_whole_splitters(cut, bucket, st));
        cut->ids_used = cut->whole.count + 1;
        return GS_OK;
    }
    prepare_deeper(cut, bucket->depth, bucket->has_next);
    choose_splitters(cut);
    cut->ids_used = cut->splitters.bucket_count + (cut->is_deeper ? ENDED_CLASSES : 0);
    return GS_OK;
}

/* What is said of a part of so many elements, beside where it lies. */
static gs_bucket describe(const gs_cut *cut, const gs_bucket *bucket, size_t id,
                          size_t count)
{
    const bool is_most = count > bucket->count - bucket->count / 16;
    const bool is_idle =
        cut->is_deeper && is_most && cut->next_depth == cut->old_depth + 8;
    return (gs_bucket){
        .count = count,
        .depth = cut->is_deeper ? cut->next_depth : bucket->depth,
        .has_next = cut->is_deeper ? !cut->has_next : bucket->has_next,
        .is_in_scratch = !bucket->is_in_scratch,
        .is_settled = is_ended_id(cut, id) || count == 1,
        .idle_cuts = is_idle ? bucket->idle_cuts + 1 : 0,
        .is_last = cut->is_whole && is_most,
    };
}

/* Cuts one bucket into `out`, or keeps it whole (settled by one thread later). */
static gs_code cut_bucket(const gs_bucket_split *split, gs_team *team, gs_cut *cut,
                          const gs_bucket *bucket, gs_bucket_list *out, gs_status *st)
{
    /* Of the elements' own, pages were huge until the first cut gave them back. */
    if (split->is_tight && bucket->is_in_scratch)
        gs_mem_keep_small(split->elements, split->element_count * sizeof(gs_element) /
                                               SMALL_PAGE * SMALL_PAGE);
    cut->split = split;
    cut->from = gs_bucket_here(split, bucket);
    cut->to = gs_bucket_there(split, bucket);
    cut->begin = bucket->begin;
    cut->ids = split->bucket_ids + bucket->begin;
    cut->count = bucket->count;
    GS_TRY(prepare(cut, bucket, st));

    atomic_store(&cut->next_slice, 0);
    GS_TRY(gs_team_run(team, classify_worker, cut, st));
    size_t totals[IDS_MAX];
    sum_positions(cut, totals);
    atomic_store(&cut->next_slice, 0);
    GS_TRY(gs_team_run(team, scatter_worker, cut, st));

    size_t begin = bucket->begin;
    for (size_t id = 0; id < cut->ids_used; id++) {
        if (totals[id] == 0)
            continue;
        gs_bucket part = describe(cut, bucket, id, totals[id]);
        part.begin = begin;
        GS_TRY(push(out, part, st));
        begin += part.count;
    }
    return GS_OK;
}

gs_code gs_bucket_split_run(const gs_bucket_split *split, gs_team *team,
                            gs_bucket_list *out, gs_status *st)
{
    const gs_bucket whole = {.begin = 0, .count = split->element_count, .has_next = true};
    if (whole.count <= 2 * split->bucket_elements)
        return whole.count == 0 ? GS_OK : push(out, whole, st);

    gs_cut *cut = NULL;
    gs_bucket_list work = {0};
    GS_TRY_OR_FAIL(gs_mem_new(&cut, sizeof *cut, "splitters", st));
    cut->slices = gs_team_workers(team);
    cut->trace = gs_team_trace(team);
    GS_TRY_OR_FAIL(gs_mem_new(&cut->counts, cut->slices * IDS_MAX * sizeof *cut->counts,
                              "bucket counts", st));

    /* Rounds: whatever is still too large is cut again, the rest is carried over. */
    GS_TRY_OR_FAIL(push(&work, whole, st));
    size_t fitting = 0; /* the whole is cut in any case */
    for (bool is_done = false; !is_done; fitting = TOO_LARGE * split->bucket_elements) {
        is_done = true;
        gs_bucket_list next = {0};
        for (size_t i = 0; i < work.count; i++) {
            const gs_bucket *const b = &work.buckets[i];
            if (b->is_settled || b->is_last || b->count <= fitting) {
                (void)push(&next, *b, st);
                continue;
            }
            const size_t before = next.count;
            if (cut_bucket(split, team, cut, b, &next, st) != GS_OK)
                break;
            /* One part of the same kind back means that no cut was found. */
            if (next.count - before > 1 || next.buckets[before].depth > b->depth)
                is_done = false;
        }
        gs_bucket_list_release(&work);
        work = next;
        if (st->code != GS_OK)
            goto fail;
    }
    *out = work;
    work = (gs_bucket_list){0};
fail:
    gs_bucket_list_release(&work);
    if (cut != NULL)
        gs_mem_free(cut->counts);
    gs_mem_free(cut);
    return st->code;
}

void gs_bucket_list_release(gs_bucket_list *list)
{
    gs_mem_free(list->buckets);
    *list = (gs_bucket_list){0};
}

size_t gs_bucket_scratch_capacity(const gs_bucket_split *split)
{
    return TOO_LARGE * split->bucket_elements;
}

gs_near_bucket gs_bucket_near(const gs_bucket_split *split, const gs_bucket *bucket)
{
    return (gs_near_bucket){
        .elements = gs_bucket_here(split, bucket),
        .scratch = gs_bucket_there(split, bucket),
        .count = bucket->count,
        .begin = bucket->begin,
        .arena = split->arena,
        .depth = bucket->depth,
        .has_next = bucket->has_next,
        .is_settled = bucket->is_settled,
    };
}

void gs_bucket_drop(const gs_bucket_split *split, const gs_near_bucket *bucket)
{
    const gs_element *const e = bucket->elements;
    if (split->gives_back && bucket->count > 0)
        (void)give_back((uintptr_t)e, (uintptr_t)(e + bucket->count), page_of(split, e));
}

void gs_near_bucket_sort(const gs_near_bucket *bucket, const gs_record_layout *layout,
                         const gs_bucket_scratch *scratch)
{
    if (bucket->is_settled)
        return;
    gs_element *const free_elements =
        bucket->count <= scratch->capacity ? scratch->elements : bucket->scratch;
    gs_tie_sort(layout, bucket->arena, bucket->elements, free_elements, bucket->count,
                bucket->depth, bucket->has_next);
}
