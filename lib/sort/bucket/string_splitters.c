/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/string_splitters.h"

#include <limits.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket/string_find.h"
#include "lib/sort/bucket/tie_sort.h"

enum {
    WORD = sizeof(uint64_t),
    SLACK = WORD,
    DEPTH_MAX = GS_STRING_REACH - 2 * WORD, /* a word there, and a byte behind it */
};

/* Strings of the sample whose words at a depth lie in a range, or are one. */
typedef struct gs_string_part {
    uint64_t least; /* word */
    size_t begin, end;
    bool is_word;
} gs_string_part;

typedef struct gs_splitters_maker {
    gs_string_splitters *s;
    const gs_string_sample *sample;
    size_t a_bucket;                             /* strings of the sample */
    gs_string_part parts[GS_STRING_BUCKETS_MAX]; /* of a node, and of those above it */
    size_t part_count;
    size_t promised; /* buckets, those that there are and those of parts to come */
} gs_splitters_maker;

/* --- the sample ------------------------------------------------------------------- */

gs_code gs_string_sample_init(gs_string_sample *sample, size_t capacity, gs_status *st)
{
    *sample = (gs_string_sample){.capacity = capacity};
    const size_t bytes = capacity * sizeof *sample->elements;
    GS_TRY_OR_FAIL(gs_mem_new(&sample->elements, bytes, "sample", st));
    GS_TRY_OR_FAIL(gs_mem_new(&sample->scratch, bytes, "sample", st));
    GS_TRY_OR_FAIL(
        gs_mem_new(&sample->text, capacity * GS_STRING_REACH + SLACK, "sample", st));
    return GS_OK;
fail:
    gs_string_sample_release(sample);
    return st->code;
}

void gs_string_sample_release(gs_string_sample *sample)
{
    gs_mem_free(sample->elements);
    gs_mem_free(sample->scratch);
    gs_mem_free(sample->text);
    *sample = (gs_string_sample){0};
}

void gs_string_sample_add(gs_string_sample_part *part, const uint8_t *string,
                          size_t bytes)
{
    const gs_string_sample *const sample = part->of;
    const size_t number = part->first + part->count++;
    const size_t at = part->first * GS_STRING_REACH + part->text_bytes;
    gs_assert(number < sample->capacity);
    if (bytes > GS_STRING_REACH)
        bytes = GS_STRING_REACH;
    memcpy(sample->text + at, string, bytes);
    sample->elements[number].where = gs_where_pack(at, bytes);
    part->text_bytes += bytes;
}

void gs_string_sample_join(gs_string_sample *sample, const gs_string_sample_part *part)
{
    gs_assert(part->of == sample && part->first >= sample->count);
    memmove(sample->elements + sample->count, sample->elements + part->first,
            part->count * sizeof *sample->elements);
    sample->count += part->count;
}

static const gs_record_layout plain = {.has_eol = false};

static gs_record sampled(const gs_string_sample *sample, size_t i)
{
    return gs_record_at(&plain, sample->text, sample->elements[i].where);
}

static uint64_t word_at(const gs_string_sample *sample, size_t i, size_t depth)
{
    const gs_record r = sampled(sample, i);
    return gs_string_word(r.string, r.string_bytes, depth);
}

static void put_in_order(gs_string_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++)
        gs_tie_load(&plain, sample->text, &sample->elements[i], 0);
    if (sample->count > 0)
        gs_tie_sort(&plain, sample->text, sample->elements, sample->scratch,
                    sample->count, 0, true);
}

/* Bytes that a string of the sample and the next one share. */
static size_t shared_with_next(const gs_string_sample *sample, size_t i)
{
    size_t depth = 0;
    while (depth < GS_STRING_REACH) {
        const uint64_t a = word_at(sample, i, depth), b = word_at(sample, i + 1, depth);
        if (a != b)
            return depth + (size_t)__builtin_clzll(a ^ b) / CHAR_BIT;
        depth += WORD;
    }
    return depth;
}

size_t gs_string_sample_shared(gs_string_sample *sample)
{
    size_t shared = 0;
    if (sample->count < 2)
        return 0;
    put_in_order(sample);
    for (size_t i = 0; i + 1 < sample->count; i++)
        shared += shared_with_next(sample, i);
    return shared / (sample->count - 1);
}

/* --- parts of a node -------------------------------------------------------------- */

/* How many buckets a part may take: one, or those of its ends and of one below. */
static bool promise(gs_splitters_maker *m, size_t buckets)
{
    if (m->promised + buckets > GS_STRING_BUCKETS_MAX)
        return false;
    m->promised += buckets;
    return true;
}

/* Bytes of a word but the zeroes at its end: a string that has it has so many. */
static size_t least_bytes(uint64_t word)
{
    return word == 0 ? 0 : WORD - (size_t)__builtin_ctzll(word) / 8;
}

/* What a part that is a word may take: buckets of strings that end in it, by how many
 * bytes they have there, one below it and one for what follows it. */
static bool promise_word(gs_splitters_maker *m, uint64_t word)
{
    return promise(m, WORD - least_bytes(word) + 1 + 2);
}

static void add_part(gs_splitters_maker *m, gs_string_part part)
{
    m->parts[m->part_count++] = part;
}

/* Cuts the strings [begin, end) by their words at `depth`: a word that fills more than a
 * bucket is a part, words that fill one together are another. The first part is there in
 * any case, and was promised a bucket. */
static void cut_into_parts(gs_splitters_maker *m, size_t begin, size_t end, size_t depth)
{
    gs_string_part open = {.least = 0, .begin = begin};
    bool is_open = true; /* it gets what comes next */
    for (size_t at = begin, next; at < end; at = next) {
        const uint64_t word = word_at(m->sample, at, depth);
        for (next = at + 1; next < end && word_at(m->sample, next, depth) == word;)
            next++;
        const bool is_word =
            next - at > m->a_bucket && depth <= DEPTH_MAX && promise_word(m, word);
        const bool is_full = is_open && at - open.begin >= m->a_bucket;
        if (is_open && (is_word || (is_full && promise(m, 1)))) {
            open.end = at;
            if (!is_word || word > 0) /* nothing comes before the word 0 */
                add_part(m, open);
            is_open = false;
        }
        if (is_word) {
            add_part(m, (gs_string_part){word, at, next, true});
        } else if (!is_open) {
            open = (gs_string_part){.least = word, .begin = at};
            is_open = true;
        }
        /* What follows a word up to the next one of the sample. */
        if (is_word && word < UINT64_MAX) {
            open = (gs_string_part){.least = word + 1, .begin = next};
            is_open = true;
        }
    }
    if (is_open) {
        open.end = end;
        add_part(m, open);
    }
}

/* Plants the first words of parts as a tree, node by node; behind the last, the largest.
 */
static void plant(gs_string_splitters *s, const gs_string_part *parts, size_t count,
                  size_t lo, size_t hi, size_t at)
{
    if (at >= (size_t)1 << s->levels)
        return;
    const size_t middle = (lo + hi) / 2; /* of splitters: the first part needs none */
    s->tree[at] = middle + 1 < count ? parts[middle + 1].least : UINT64_MAX;
    plant(s, parts, count, lo, middle, 2 * at);
    plant(s, parts, count, middle + 1, hi, 2 * at + 1);
}

/* How many bytes all words of a range share, but not those that may stand for none. */
static size_t common_bytes(uint64_t least, uint64_t greatest)
{
    const uint64_t differing = least ^ greatest;
    size_t common = differing == 0 ? WORD : (size_t)__builtin_clzll(differing) / 8;
    for (size_t i = 0; i < common; i++)
        if ((least >> (56 - 8 * i) & 0xff) == 0)
            common = i;
    return common;
}

static uint16_t add_bucket(gs_string_splitters *s, gs_string_bucket bucket)
{
    gs_assert(s->bucket_count < GS_STRING_BUCKETS_MAX);
    s->buckets[s->bucket_count] = bucket;
    return (uint16_t)s->bucket_count++;
}

/* --- nodes ------------------------------------------------------------------------ */

static uint16_t make_word(gs_splitters_maker *m, const gs_string_part *part,
                          size_t depth);

static gs_string_node *add_node(gs_string_splitters *s, size_t depth, uint16_t *way)
{
    gs_assert(s->node_count < GS_STRING_NODES_MAX);
    gs_string_node *const node = &s->nodes[s->node_count];
    *way = (uint16_t)(GS_STRING_NODE + s->node_count++);
    node->depth = (uint32_t)depth;
    if (depth + WORD > s->reach)
        s->reach = depth + WORD;
    return node;
}

/* Where the strings of a part go; `end` is the first word behind it, or 0. */
static uint16_t make_way(gs_splitters_maker *m, const gs_string_part *part, uint64_t end,
                         size_t depth)
{
    if (part->is_word)
        return make_word(m, part, depth);
    return add_bucket(m->s,
                      (gs_string_bucket){
                          .depth = (uint32_t)(depth + common_bytes(part->least, end - 1)),
                          .sampled = (uint32_t)(part->end - part->begin)});
}

/* The first of `count` parts that go the which-th way of GS_STRING_WAYS. */
static size_t first_of_way(size_t count, size_t which)
{
    return count > GS_STRING_WAYS ? count * which / GS_STRING_WAYS
           : which < count        ? which
                                  : count;
}

/* Fills a node with parts, some a way if there are many; `end` as above. */
static void fill_node(gs_splitters_maker *m, gs_string_node *node,
                      const gs_string_part *parts, size_t count, uint64_t end)
{
    const size_t depth = node->depth;
    for (size_t w = 0; w < GS_STRING_WAYS; w++) {
        const size_t first = first_of_way(count, w), behind = first_of_way(count, w + 1);
        if (w > 0)
            node->least[w - 1] = first < count ? parts[first].least : UINT64_MAX;
        if (first == count) {
            node->ways[w] = node->ways[w - 1];
            continue;
        }
        const uint64_t here_end = behind < count ? parts[behind].least : end;
        if (behind - first == 1) {
            node->ways[w] = make_way(m, &parts[first], here_end, depth);
            continue;
        }
        gs_string_node *const below = add_node(m->s, depth, &node->ways[w]);
        fill_node(m, below, parts + first, behind - first, here_end);
    }
}

/* Buckets for the strings that end in the word of a part, by what they have of it, and a
 * node for those that go on. */
static uint16_t make_word(gs_splitters_maker *m, const gs_string_part *part, size_t depth)
{
    gs_string_splitters *const s = m->s;
    const size_t least = least_bytes(part->least), parts_before = m->part_count;
    size_t at = part->begin;
    uint16_t way;
    gs_string_node *const node = add_node(s, depth + WORD, &way);
    node->ended = (int16_t)(s->bucket_count - least);
    node->ended_step = 1;
    for (size_t left = least; left <= WORD; left++) {
        const size_t first = at;
        while (at < part->end && sampled(m->sample, at).string_bytes == depth + left)
            at++;
        (void)add_bucket(s, (gs_string_bucket){.depth = (uint32_t)(depth + left),
                                               .sampled = (uint32_t)(at - first),
                                               .is_one = true});
    }
    cut_into_parts(m, at, part->end, node->depth);
    fill_node(m, node, m->parts + parts_before, m->part_count - parts_before, 0);
    m->part_count = parts_before;
    return way;
}

/* The first words of all. */
static void make_tree(gs_splitters_maker *m)
{
    gs_string_splitters *const s = m->s;
    const gs_string_part *const parts = m->parts;
    cut_into_parts(m, 0, m->sample->count, 0);
    const size_t count = m->part_count;
    while ((size_t)1 << s->levels < count)
        s->levels++;
    const size_t ways = (size_t)1 << s->levels;
    s->reach = WORD;
    plant(s, parts, count, 0, ways - 1, 1);
    for (size_t i = 0; i < ways; i++)
        s->ways[i] =
            i < count ? make_way(m, &parts[i], i + 1 < count ? parts[i + 1].least : 0, 0)
                      : s->ways[count - 1];
}

static void turn_way(uint16_t *way, size_t last)
{
    if (*way < GS_STRING_NODE)
        *way = (uint16_t)(last - *way);
}

/* Numbers the buckets the other way round. */
static void turn_round(gs_string_splitters *s)
{
    const size_t last = s->bucket_count - 1;
    for (size_t i = 0; i < (size_t)1 << s->levels; i++)
        turn_way(&s->ways[i], last);
    for (gs_string_node *node = s->nodes; node < s->nodes + s->node_count; node++) {
        node->ended = (int16_t)((int)last - node->ended);
        node->ended_step = (int16_t)-node->ended_step;
        for (size_t w = 0; w < GS_STRING_WAYS; w++)
            turn_way(&node->ways[w], last);
    }
    for (size_t i = 0; i < s->bucket_count / 2; i++) {
        const gs_string_bucket b = s->buckets[i];
        s->buckets[i] = s->buckets[last - i];
        s->buckets[last - i] = b;
    }
}

gs_code gs_string_splitters_choose(gs_string_splitters *s, gs_string_sample *sample,
                                   size_t buckets, bool is_backwards, gs_status *st)
{
    gs_splitters_maker *m = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "splitters", st));
    m->s = s;
    m->sample = sample;
    m->promised = 1;
    m->a_bucket = sample->count / (buckets > 0 ? buckets : 1) + 1;
    *s = (gs_string_splitters){0};
    put_in_order(sample);
    make_tree(m);
    gs_string_knots_tie(s);
    if (is_backwards)
        turn_round(s);
    gs_mem_free(m);
    return GS_OK;
}
