/* SPDX-License-Identifier: MIT */
#include "lib/index/block/form_union.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/index/block/term_block.h"

enum { PARTS_A_WORKER = 4, SLACK = 16 };

/* A range of the terms of all lists. */
typedef struct union_part {
    size_t *begins; /* in each list; the next part's are the ends */
    size_t terms, bytes;
    size_t first_term, first_byte; /* in the list of all */
} union_part;

typedef struct union_job {
    const gs_form_list *const *lists;
    size_t list_count, part_count;
    const gs_form_list *longest; /* of the lists */
    union_part *parts;           /* and one behind them */
    size_t *begins;
    size_t *cursors; /* of each worker, one a list */
    gs_form_union *out;
    atomic_size_t next; /* part */
} union_job;

static gs_term_view term_of(const gs_form_list *list, size_t index)
{
    const uint8_t *const bytes = list->bytes + gs_form_place(list, index);
    const size_t count = gs_form_length(list, index);
    return (gs_term_view){gs_string_word(bytes, count, 0), bytes, count};
}

/* --- parts -------------------------------------------------------------------------- */

/* The first term that is not before `bound`. */
static size_t find_start(const gs_form_list *list, const gs_term_view *bound)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const gs_term_view term = term_of(list, middle);
        if (gs_term_view_compare(&term, bound) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Parts begin at terms of the longest list, as far from each other. */
static void cut_parts(union_job *job)
{
    const gs_form_list *const list = job->longest;
    for (size_t p = 0; p <= job->part_count; p++) {
        size_t *const begins = job->begins + p * job->list_count;
        const size_t at = list->count / job->part_count * p;
        job->parts[p].begins = begins;
        for (size_t i = 0; i < job->list_count; i++) {
            begins[i] = p == 0 ? 0 : job->lists[i]->count;
            if (p > 0 && p < job->part_count) {
                const gs_term_view bound = term_of(list, at);
                begins[i] = find_start(job->lists[i], &bound);
            }
        }
    }
}

static gs_code new_parts(union_job *job, unsigned workers, gs_status *st)
{
    job->longest = job->lists[0];
    for (size_t i = 1; i < job->list_count; i++) {
        if (job->lists[i]->count > job->longest->count)
            job->longest = job->lists[i];
    }
    job->part_count = gs_clamp(job->longest->count, 1, (size_t)workers * PARTS_A_WORKER);
    GS_TRY(gs_mem_new_array(&job->parts, job->part_count + 1, sizeof *job->parts,
                            "terms of blocks", st));
    GS_TRY(gs_mem_new_array(&job->begins, (job->part_count + 1) * job->list_count,
                            sizeof *job->begins, "terms of blocks", st));
    GS_TRY(gs_mem_new_array(&job->cursors, workers * job->list_count,
                            sizeof *job->cursors, "terms of blocks", st));
    cut_parts(job);
    return GS_OK;
}

/* --- ranks -------------------------------------------------------------------------- */

/* The list whose next term is the smallest; list_count: all are at their end. */
static size_t find_smallest(const union_job *job, const union_part *part,
                            const size_t *cursors, gs_term_view *term)
{
    size_t smallest = job->list_count;
    for (size_t i = 0; i < job->list_count; i++) {
        if (cursors[i] == part[1].begins[i])
            continue;
        const gs_term_view next = term_of(job->lists[i], cursors[i]);
        if (smallest < job->list_count && gs_term_view_compare(&next, term) >= 0)
            continue;
        *term = next;
        smallest = i;
    }
    return smallest;
}

/* Ranks are counted from the first of the part. */
static void rank_part(const union_job *job, union_part *part, size_t *cursors)
{
    gs_term_view term = {0, NULL, 0};
    memcpy(cursors, part->begins, job->list_count * sizeof *cursors);
    while (find_smallest(job, part, cursors, &term) < job->list_count) {
        for (size_t i = 0; i < job->list_count; i++) {
            if (cursors[i] == part[1].begins[i])
                continue;
            const gs_term_view next = term_of(job->lists[i], cursors[i]);
            if (gs_term_view_compare(&next, &term) == 0)
                job->out->ranks[i][cursors[i]++] = (uint32_t)part->terms;
        }
        part->terms++;
        part->bytes += gs_form_padded(term.count);
    }
}

static gs_code rank_worker(void *context, unsigned worker, gs_status *st)
{
    union_job *const job = context;
    (void)st;
    for (size_t p; (p = atomic_fetch_add(&job->next, 1)) < job->part_count;)
        rank_part(job, &job->parts[p], job->cursors + worker * job->list_count);
    return GS_OK;
}

/* --- the list of all ---------------------------------------------------------------- */

/* Each term comes from the first list that has it. */
static void copy_part(const union_job *job, const union_part *part, size_t *cursors)
{
    const gs_form_list *const to = &job->out->list;
    size_t used = part->first_byte;
    memcpy(cursors, part->begins, job->list_count * sizeof *cursors);
    for (size_t rank = 0; rank < part->terms; rank++) {
        bool is_copied = false;
        for (size_t i = 0; i < job->list_count; i++) {
            uint32_t *const ranks = job->out->ranks[i];
            const size_t at = cursors[i];
            if (at == part[1].begins[i] || ranks[at] != rank)
                continue;
            const gs_term_view term = term_of(job->lists[i], at);
            ranks[at] = (uint32_t)(part->first_term + rank);
            cursors[i]++;
            if (is_copied)
                continue;
            memcpy(to->bytes + used, term.bytes, term.count);
            to->terms[part->first_term + rank] =
                (uint64_t)used << GS_WORD_TERM_BITS | term.count;
            used += gs_form_padded(term.count);
            is_copied = true;
        }
        gs_assert(is_copied);
    }
}

static gs_code copy_worker(void *context, unsigned worker, gs_status *st)
{
    union_job *const job = context;
    (void)st;
    for (size_t p; (p = atomic_fetch_add(&job->next, 1)) < job->part_count;)
        copy_part(job, &job->parts[p], job->cursors + worker * job->list_count);
    return GS_OK;
}

static gs_code new_list(union_job *job, gs_status *st)
{
    gs_form_union *const out = job->out;
    size_t terms = 0, bytes = 0;
    for (size_t p = 0; p < job->part_count; p++) {
        job->parts[p].first_term = terms;
        job->parts[p].first_byte = bytes;
        terms += job->parts[p].terms;
        bytes += job->parts[p].bytes;
    }
    out->memory_bytes = terms * sizeof(uint64_t) + bytes + SLACK;
    GS_TRY(gs_mem_map(&out->memory, out->memory_bytes, true, "terms of all blocks", st));
    uint64_t *const list = (uint64_t *)(void *)out->memory;
    out->list = (gs_form_list){terms, (uint8_t *)(list + terms), list};
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

size_t gs_form_union_bytes(uint64_t terms, uint64_t term_bytes)
{
    return (size_t)(terms * (sizeof(uint64_t) + sizeof(uint32_t)) + term_bytes) + 4096;
}

static gs_code new_ranks(union_job *job, gs_status *st)
{
    gs_form_union *const out = job->out;
    size_t terms = 0;
    for (size_t i = 0; i < job->list_count; i++)
        terms += job->lists[i]->count;
    gs_assert(terms < UINT32_MAX);
    const size_t lists_bytes = job->list_count * sizeof *out->ranks;
    out->rank_bytes = lists_bytes + terms * sizeof(uint32_t);
    GS_TRY(
        gs_mem_map(&out->rank_memory, out->rank_bytes, true, "terms of all blocks", st));
    out->ranks = (uint32_t **)(void *)out->rank_memory;
    uint32_t *ranks = (uint32_t *)(void *)(out->rank_memory + lists_bytes);
    for (size_t i = 0; i < job->list_count; i++) {
        out->ranks[i] = ranks;
        ranks += job->lists[i]->count;
    }
    return GS_OK;
}

gs_code gs_form_union_make(gs_form_union *out, const gs_form_list *const *lists,
                           size_t count, gs_team *team, gs_status *st)
{
    union_job job = {.lists = lists, .list_count = count, .out = out};
    GS_TRY_OR_FAIL(new_parts(&job, gs_team_workers(team), st));
    GS_TRY_OR_FAIL(new_ranks(&job, st));
    GS_TRY_OR_FAIL(gs_team_run(team, rank_worker, &job, st));
    GS_TRY_OR_FAIL(new_list(&job, st));
    atomic_store(&job.next, 0);
    GS_NOTED(gs_team_run(team, copy_worker, &job, st));
fail:
    gs_mem_free(job.parts);
    gs_mem_free(job.begins);
    gs_mem_free(job.cursors);
    if (st->code != GS_OK)
        gs_form_union_release(out);
    return st->code;
}

void gs_form_union_forget_ranks(gs_form_union *u)
{
    gs_mem_unmap(u->rank_memory, u->rank_bytes);
    u->rank_memory = NULL;
    u->ranks = NULL;
    u->rank_bytes = 0;
}

void gs_form_union_release(gs_form_union *u)
{
    gs_form_union_forget_ranks(u);
    gs_mem_unmap(u->memory, u->memory_bytes);
    *u = (gs_form_union){.memory = NULL};
}
