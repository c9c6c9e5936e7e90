/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/head_device.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

_Static_assert((int)GS_LIST_BLOCK == (int)GS_INDEX_BLOCK &&
                   (int)GS_LIST_TERMS == (int)GS_INDEX_TERM_BLOCK &&
                   (int)GS_LIST_TERM_MAX == (int)GS_INDEX_TERM_MAX &&
                   (int)GS_LIST_LENGTH_BITS == (int)GS_TERM_LENGTH_BITS &&
                   (int)GS_LIST_LENGTH_MORE == (int)GS_TERM_LENGTH_MORE &&
                   (int)GS_LIST_PLACES == (int)GS_INDEX_PLACE_GROUP &&
                   (int)GS_LIST_PLACES_BYTES == (int)sizeof(gs_index_places) &&
                   (int)GS_LIST_SKIP_COUNT_BITS == (int)GS_SKIP_COUNT_BITS &&
                   (int)GS_LIST_NUMBER_BITS_MAX == (int)GS_PACK_BITS_MAX &&
                   (int)GS_LIST_BLOCK_BYTES_MAX == (int)GS_BLOCK_BYTES_MAX,
               "a device reads what the format has");

/* Lists of a weight have about as many documents: so many bits. */
enum { WEIGHTS = 65 };

const char *gs_head_device_unfit(const gs_segments *segments, uint64_t head)
{
    const gs_index_header *const header = gs_segments_header(segments);
    if (!segments->is_plain)
        return "the index has several segments, or documents are deleted";
    if (head > GS_HEAD_MAX)
        return "so many postings of a term are not read by a GPU";
    if (header->doc_bound > UINT64_C(1) << 32)
        return "the index has more than 2^32 documents";
    return NULL;
}

/* The index as it lies in the host's memory, its pages compared. */
static gs_code look_at(const gs_head_device_options *o, gs_list_view *v, gs_status *st)
{
    const gs_index *const index = o->index;
    const gs_index_header *const header = gs_index_header_of(index);
    const gs_page_checks *const terms = gs_index_pages(index, GS_INDEX_TERMS);
    const gs_page_checks *const postings = gs_index_pages(index, GS_INDEX_POSTINGS);
    *v = (gs_list_view){
        .prefixes = gs_index_term_prefixes(index),
        .block_count = gs_index_dictionary_blocks(index),
        .term_count = header->terms,
        .terms = terms->data,
        .terms_bytes = gs_index_end(index, GS_INDEX_TERMS),
        .places = gs_index_dictionary_places(index),
        .postings = postings->data,
        .postings_end = gs_index_end(index, GS_INDEX_POSTINGS),
        .positions_end = gs_index_end(index, GS_INDEX_POSITIONS),
        .document_count = header->documents,
        .doc_bound = header->doc_bound,
        .head = (uint32_t)o->head,
        .has_positions = header->has_positions,
    };
    return gs_index_compare_pages(index, GS_INDEX_TERMS, v->terms,
                                  v->terms + v->terms_bytes, st);
}

/* --- what is held of lists ---------------------------------------------------------- */

typedef struct choice {
    const gs_head_device_options *options;
    const gs_list_view *view;
    uint8_t *weights; /* of each chunk; 0: no list needs it */
    uint64_t chunks;
} choice;

static unsigned weight_of(uint64_t df)
{
    return 64 - (unsigned)__builtin_clzll(df);
}

/* Several threads look at the lists that share a chunk. */
static void weigh(const choice *c, uint64_t at, uint64_t bytes, unsigned weight)
{
    if (bytes == 0)
        return;
    const uint64_t last = (at + bytes - 1) / GS_LIST_CHUNK_BYTES;
    for (uint64_t i = at / GS_LIST_CHUNK_BYTES; i <= last; i++) {
        uint8_t was = __atomic_load_n(&c->weights[i], __ATOMIC_RELAXED);
        while (was < weight &&
               !__atomic_compare_exchange_n(&c->weights[i], &was, (uint8_t)weight, true,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

static void weigh_list(const choice *c, const gs_term_info *t)
{
    const gs_list_info info = {.at = t->postings,
                               .bytes = t->postings_bytes,
                               .skip_bytes = t->skip_bytes,
                               .cf = t->cf,
                               .df = (uint32_t)t->df};
    uint64_t bytes, skip_bytes;
    if (t->df < 2 || t->df >= GS_LIST_REFUSED)
        return;
    gs_list_needed(c->view, &info, &bytes, &skip_bytes);
    weigh(c, info.at, bytes, weight_of(t->df));
    weigh(c, info.at + info.bytes, skip_bytes, weight_of(t->df));
}

/* All terms of the worker's part of the dictionary. */
static gs_code weigh_part(void *context, unsigned worker, gs_status *st)
{
    const choice *const c = context;
    const gs_index *const index = c->options->index;
    const uint64_t blocks = c->view->block_count;
    const unsigned workers = gs_team_workers(c->options->team);
    const uint64_t first = blocks * worker / workers;
    const uint64_t end = blocks * (worker + UINT64_C(1)) / workers;
    gs_term_cursor *cursor = NULL;
    gs_dictionary_head head;
    if (first == end)
        return GS_OK;
    GS_TRY(gs_dictionary_head_read(index, first, &head, st));
    GS_TRY(gs_term_cursor_new(&cursor, index, st));
    GS_NOTED(gs_term_cursor_seek(cursor, head.term, head.bytes, st));
    while (st->code == GS_OK && cursor->has_term && cursor->block < end) {
        weigh_list(c, &cursor->info);
        GS_NOTED(gs_term_cursor_next(cursor, st));
    }
    gs_term_cursor_free(cursor);
    return st->code;
}

/* Gives slots to the chunks that are held: of the greatest weights, as many as have room,
 * and of the one below these some. */
static uint64_t give_slots(const choice *c, uint64_t room, uint32_t *slots)
{
    uint64_t of_weight[WEIGHTS] = {0}, above = 0, slot = 0;
    unsigned least = WEIGHTS;
    for (uint64_t i = 0; i < c->chunks; i++)
        of_weight[c->weights[i]]++;
    while (least > 1 && above + of_weight[least - 1] <= room)
        above += of_weight[--least];
    uint64_t some = room - above;
    for (uint64_t i = 0; i < c->chunks; i++) {
        const unsigned weight = c->weights[i];
        const bool is_some = weight + 1 == least && weight > 0 && some > 0;
        some -= is_some;
        slots[i] = weight >= least || is_some ? (uint32_t)slot++ : GS_LIST_NO_SLOT;
    }
    return slot;
}

/* Which chunks are held where not all have room. */
static gs_code choose(const gs_head_device_options *o, gs_head_lists_options *lists,
                      uint64_t room, uint32_t **slots, gs_status *st)
{
    choice c = {.options = o,
                .view = &lists->index,
                .chunks = lists->index.postings_end / GS_LIST_CHUNK_BYTES + 1};
    GS_TRY(gs_mem_new(&c.weights, (size_t)c.chunks, "weights of lists", st));
    if (gs_mem_new_array(slots, (size_t)c.chunks, sizeof **slots, "lists held", st) ==
            GS_OK &&
        gs_team_run(o->team, weigh_part, &c, st) == GS_OK) {
        lists->slot_count = give_slots(&c, room / GS_LIST_CHUNK_BYTES, *slots);
        lists->index.slots = *slots;
    }
    gs_mem_free(c.weights);
    return st->code;
}

/* Of chunks that are held the pages are compared, which are as large. */
static gs_code compare_held(const gs_head_device_options *o, const gs_list_view *v,
                            gs_status *st)
{
    _Static_assert((int)GS_LIST_CHUNK_BYTES == (int)GS_SUM_PAGE_BYTES, "one for one");
    const uint8_t *const end = v->postings + v->postings_end;
    if (v->slots == NULL)
        return gs_index_compare_pages(o->index, GS_INDEX_POSTINGS, v->postings, end, st);
    for (uint64_t i = 0; i * GS_LIST_CHUNK_BYTES < v->postings_end; i++) {
        const uint8_t *const from = v->postings + i * GS_LIST_CHUNK_BYTES;
        const size_t left = (size_t)(end - from);
        if (v->slots[i] != GS_LIST_NO_SLOT)
            GS_TRY(gs_index_compare_pages(
                o->index, GS_INDEX_POSTINGS, from,
                from + (left < GS_LIST_CHUNK_BYTES ? left : GS_LIST_CHUNK_BYTES), st));
    }
    return GS_OK;
}

gs_code gs_head_device_new(gs_head_lists **out, const gs_head_device_options *options,
                           gs_status *st)
{
    gs_head_lists_options lists = {.device = options->device,
                                   .lanes = options->lanes,
                                   .memory_bytes = options->memory_bytes};
    uint64_t needed, there;
    uint32_t *slots = NULL;
    *out = NULL;
    gs_assert(options->head <= GS_HEAD_MAX);
    GS_TRY(look_at(options, &lists.index, st));
    GS_TRY(gs_head_lists_room(&lists, &needed, &there, st));
    const uint64_t all = lists.index.postings_end, page = UINT64_C(4) << 20;
    const uint64_t room = there > needed + page ? there - needed - page : 0;
    if (all > room)
        GS_NOTED(choose(options, &lists, room, &slots, st));
    if (st->code == GS_OK && compare_held(options, &lists.index, st) == GS_OK &&
        gs_head_lists_new(out, &lists, st) == GS_OK)
        gs_log_say(options->log, GS_LOG_INFO,
                   "GPU %d holds %llu of %llu KiB of posting lists", options->device,
                   (unsigned long long)((slots == NULL
                                             ? all
                                             : lists.slot_count * GS_LIST_CHUNK_BYTES) >>
                                        10),
                   (unsigned long long)(all >> 10));
    gs_mem_free(slots);
    return st->code;
}
