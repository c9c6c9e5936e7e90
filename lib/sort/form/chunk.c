/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/chunk.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    ARENA_SLACK = 4096, /* readable beyond the last record */
    ELEMENT_COST = 2 * sizeof(gs_element) + sizeof(uint16_t),
    STRETCHED_ELEMENT_COST = sizeof(gs_element) + sizeof(uint16_t),
};

static size_t most_copies(const gs_chunk_limits *limits)
{
    const size_t most =
        gs_arena_bytes_max - GS_MEM_LARGE_PAGE; /* of which is the slack */
    const size_t bytes = limits->first_copies_max > limits->budget_bytes
                             ? limits->first_copies_max
                             : limits->budget_bytes;
    return bytes < most ? bytes : most;
}

size_t gs_chunk_copy_bytes(const gs_chunk_limits *limits)
{
    return gs_mem_large_pages(most_copies(limits) + ARENA_SLACK);
}

gs_code gs_chunk_init(gs_chunk *chunk, const gs_record_layout *layout,
                      const gs_chunk_limits *limits, const gs_file_map *map,
                      gs_status *st)
{
    *chunk = (gs_chunk){.layout = *layout,
                        .budget_bytes = limits->budget_bytes,
                        .soft_bytes = limits->soft_bytes,
                        .input_bytes = limits->input_bytes,
                        .copies_max = most_copies(limits),
                        .workers = limits->workers,
                        .stretched_cost = limits->workers * GS_BUCKET_GIVE_BACK_COST};
    const size_t arena_bytes = gs_chunk_copy_bytes(limits);
    const size_t cost = limits->input_bytes > 0 ? STRETCHED_ELEMENT_COST : ELEMENT_COST;
    const size_t count = limits->budget_bytes / cost + 1;
    const size_t element_bytes = gs_mem_large_pages(count * sizeof(gs_element));
    chunk->element_capacity = element_bytes / sizeof(gs_element);
    if (map != NULL) {
        gs_assert(map->map_bytes - map->copies_begin >= arena_bytes);
        gs_assert(map->map_bytes <= gs_arena_bytes_max);
        chunk->arena = map->base;
        chunk->copies_begin = map->copies_begin;
    } else {
        GS_TRY_OR_FAIL(
            gs_mem_map(&chunk->arena, arena_bytes, !limits->is_small, "records", st));
        chunk->arena_map_bytes = arena_bytes;
    }
    GS_TRY_OR_FAIL(
        gs_mem_map(&chunk->elements, element_bytes, !limits->is_small, "elements", st));
    GS_TRY_OR_FAIL(
        gs_mem_map(&chunk->scratch, element_bytes, false, "scratch elements", st));
    gs_mem_keep_small(chunk->scratch, element_bytes);
    GS_TRY_OR_FAIL(gs_mem_map(&chunk->bucket_ids,
                              chunk->element_capacity * sizeof(uint16_t),
                              !limits->is_small, "bucket ids", st));
    return GS_OK;
fail:
    gs_chunk_release(chunk);
    return st->code;
}

void gs_chunk_release(gs_chunk *chunk)
{
    const size_t element_bytes =
        gs_mem_large_pages(chunk->element_capacity * sizeof(gs_element));
    if (chunk->arena_map_bytes > 0)
        gs_mem_unmap(chunk->arena, chunk->arena_map_bytes);
    gs_mem_unmap(chunk->elements, element_bytes);
    gs_mem_unmap(chunk->scratch, element_bytes);
    gs_mem_unmap(chunk->bucket_ids, chunk->element_capacity * sizeof(uint16_t));
    *chunk = (gs_chunk){0};
}

void gs_chunk_reset(gs_chunk *chunk)
{
    if (chunk->element_count > 0)
        chunk->input_bytes = 0;
    if (chunk->is_stretched) /* bucket_split may have kept them small */
        gs_mem_allow_huge(chunk->elements, gs_mem_large_pages(chunk->element_capacity *
                                                              sizeof(gs_element)));
    chunk->copied_bytes = chunk->mapped_bytes = 0;
    chunk->text_bytes = 0;
    chunk->element_count = 0;
    chunk->is_stretched = false;
}

/* Gives back [used, touched) of a map, in whole pages. */
static void discard_beyond(void *map, size_t used_bytes, size_t touched_bytes)
{
    const size_t begin = gs_mem_large_pages(used_bytes),
                 end = gs_mem_large_pages(touched_bytes);
    if (begin < end)
        gs_mem_discard((uint8_t *)map + begin, end - begin);
}

/* Touching more than the budget in sum: give back what the run before left behind. */
static void keep_to_budget(gs_chunk *chunk)
{
    if (chunk->is_stretched || chunk->copied_touched_bytes + chunk->mapped_bytes +
                                       chunk->elements_touched * ELEMENT_COST <=
                                   chunk->budget_bytes)
        return;
    const size_t used = chunk->element_count, touched = chunk->elements_touched;
    discard_beyond(chunk->arena + chunk->copies_begin, chunk->copied_bytes,
                   chunk->copied_touched_bytes);
    discard_beyond(chunk->elements, used * sizeof(gs_element),
                   touched * sizeof(gs_element));
    discard_beyond(chunk->scratch, used * sizeof(gs_element),
                   touched * sizeof(gs_element));
    discard_beyond(chunk->bucket_ids, used * sizeof(uint16_t),
                   touched * sizeof(uint16_t));
    chunk->copied_touched_bytes = chunk->copied_bytes;
    chunk->elements_touched = chunk->element_count;
}

/* Is there room for these, and for the whole input if the rest of it is like them? */
static bool can_stretch(const gs_chunk *chunk, size_t bytes, size_t elements,
                        uint64_t text_bytes)
{
    const double now = (double)bytes + (double)elements * STRETCHED_ELEMENT_COST;
    const double all = now * (double)chunk->input_bytes / (double)(text_bytes + 1);
    return text_bytes <= chunk->input_bytes &&
           all + (double)chunk->stretched_cost <= (double)chunk->budget_bytes;
}

/* To make or to write a very long record takes a few copies of it beside the chunk. */
static size_t usual_limit(gs_chunk *chunk, size_t text_bytes)
{
    enum { COPIES = 4 };
    const size_t beside = text_bytes > GS_CHUNK_USUAL_BYTES ? COPIES * text_bytes : 0;
    if (beside * chunk->workers > chunk->beside_bytes)
        chunk->beside_bytes = beside * chunk->workers;
    return chunk->soft_bytes > 2 * chunk->beside_bytes
               ? chunk->soft_bytes - chunk->beside_bytes
               : chunk->soft_bytes / 2;
}

bool gs_chunk_reserve(gs_chunk *chunk, const gs_chunk_want *want, size_t *arena_offset,
                      size_t *element_index)
{
    const size_t copied_bytes = chunk->copied_bytes + want->copied_bytes;
    const size_t mapped_bytes = chunk->mapped_bytes + want->mapped_bytes;
    const size_t bytes = copied_bytes + mapped_bytes;
    const size_t elements = chunk->element_count + want->count;
    const uint64_t text_bytes = chunk->text_bytes + want->text_bytes;
    const bool is_first = gs_chunk_record_bytes(chunk) == 0;
    const size_t usual = usual_limit(chunk, want->text_bytes);
    const size_t limit = chunk->element_count == 0 ? chunk->budget_bytes : usual;
    if (copied_bytes > chunk->copies_max || elements > chunk->element_capacity)
        return false;
    if (bytes > limit || elements > (limit - bytes) / ELEMENT_COST) {
        const bool is_stretched = can_stretch(chunk, bytes, elements, text_bytes);
        if (!is_stretched && !is_first)
            return false;
        chunk->is_stretched = is_stretched;
    }
    chunk->text_bytes = text_bytes;
    gs_assert(chunk->copies_begin + copied_bytes <= gs_arena_bytes_max);
    *arena_offset = chunk->copies_begin + chunk->copied_bytes;
    *element_index = chunk->element_count;
    chunk->copied_bytes = copied_bytes;
    chunk->mapped_bytes = mapped_bytes;
    chunk->element_count = elements;
    if (copied_bytes > chunk->copied_touched_bytes)
        chunk->copied_touched_bytes = copied_bytes;
    if (elements > chunk->elements_touched)
        chunk->elements_touched = elements;
    keep_to_budget(chunk);
    return true;
}

size_t gs_chunk_spare_bytes(const gs_chunk *chunk)
{
    const size_t records = chunk->copied_touched_bytes + chunk->mapped_bytes;
    const size_t used = chunk->is_stretched
                            ? records + chunk->stretched_cost +
                                  chunk->elements_touched * STRETCHED_ELEMENT_COST
                            : records + chunk->elements_touched * ELEMENT_COST;
    return used < chunk->budget_bytes ? chunk->budget_bytes - used : 0;
}
