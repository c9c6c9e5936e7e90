/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/line_feed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "io/late_read.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/record/file_header.h"
#include "lib/sort/record/line_scan.h"
#include "lib/sort/record/open_file.h"
#include "lib/sort/record/record_fail.h"

struct gs_line_feed {
    gs_block_source source;
    gs_line_feed_options options;
    gs_csv_form csv; /* that these point to */

    pthread_mutex_t mutex; /* guards what follows */
    gs_status failure;     /* the first: all that is given from then on */
    uint64_t next_ticket;
    uint64_t header_left; /* lines of it, in this file */
    size_t header_input;
    size_t first_header_bytes;
    gs_file_header file_header; /* in its place, with shares_header */
    gs_line_batch first;        /* read with the header, and not given out yet */
    bool has_first;
    size_t next_input;    /* where what comes next begins: this file */
    uint64_t next_offset; /* and this byte of it */
    gs_open_file files[GS_INPUT_FILES_MAX];
    gs_heap_bytes header;
    gs_replay replay;          /* given out before anything else, */
    gs_line_batch replay_last; /* and then this one */
    const gs_file_map *map;    /* given out instead of blocks, */
    size_t map_file, map_at;   /* from this file and byte on, */
    size_t part_bytes;         /* so much of what lies in memory at a time */
    size_t block_bytes;        /* of the largest block so far */
    gs_block *held;            /* of a long record for which there was no memory */
    atomic_size_t long_bytes;  /* lent; not guarded */
};

enum {
    PART_BYTES = 1 << 20,
    PART_BYTES_MIN = 1 << 16,
    PARTS = 64,      /* that a small map is cut into */
    CUT_FACTOR = 64, /* so many times what a record may have its end is looked for */
};

static gs_code next_of_input(void *context, gs_block **out, gs_status *st)
{
    return gs_input_next(context, out, st);
}

static gs_code read_input_late(void *context, uint8_t eol, size_t record_bytes_max,
                               gs_status *st)
{
    return gs_input_read_late(context, eol, record_bytes_max, st);
}

gs_block_source gs_block_source_input(gs_input *in)
{
    return (gs_block_source){next_of_input, in, read_input_late};
}

gs_code gs_line_feed_new(gs_line_feed **out, const gs_block_source *source,
                         const gs_line_feed_options *options, gs_status *st)
{
    *out = NULL;
    gs_line_feed *feed = NULL;
    GS_TRY(gs_mem_new(&feed, sizeof *feed, "line feed", st));
    feed->source = *source;
    feed->options = *options;
    feed->header_left = options->header_lines;
    gs_file_header_init(&feed->file_header, &feed->options);
    if (options->csv != NULL) {
        feed->csv = *options->csv;
        feed->options.csv = &feed->csv;
    }
    feed->part_bytes = options->part_bytes ? options->part_bytes : PART_BYTES;
    pthread_mutex_init(&feed->mutex, NULL);
    *out = feed;
    return GS_OK;
}

void gs_line_feed_free(gs_line_feed *feed)
{
    if (feed == NULL)
        return;
    pthread_mutex_destroy(&feed->mutex);
    for (size_t i = 0; i < GS_INPUT_FILES_MAX; i++)
        gs_heap_bytes_release(&feed->files[i].carry);
    gs_block_release(feed->held);
    gs_heap_bytes_release(&feed->header);
    gs_file_header_release(&feed->file_header);
    gs_line_feed_drop_first(feed);
    gs_line_batch_release(&feed->replay_last);
    gs_replay_release(&feed->replay);
    gs_mem_free(feed);
}

/* How the records of a file end that was just opened. */
static gs_code look_at_file(gs_line_feed *feed, gs_open_file *file, const gs_block *first,
                            gs_status *st)
{
    const gs_file_front front = {
        .input_index = file->input_index,
        .offset = file->record_offset,
        .data = first->data,
        .bytes = first->len,
        .is_all = first->ends_input,
    };
    file->ends = feed->options.ends;
    if (feed->options.look != NULL)
        GS_TRY(feed->options.look(feed->options.look_context, &front, &file->ends, st));
    file->cut = file->ends.begin;
    return GS_OK;
}

static gs_open_file *file_of(gs_line_feed *feed, size_t input_index, bool *is_new)
{
    *is_new = false;
    gs_open_file *unused = NULL;
    for (size_t i = GS_INPUT_FILES_MAX; i-- > 0;) {
        gs_open_file *const f = &feed->files[i];
        if (f->is_open && f->input_index == input_index)
            return f;
        if (!f->is_open)
            unused = f;
    }
    gs_assert(unused != NULL && unused->carry.bytes == 0);
    unused->is_open = *is_new = true;
    unused->input_index = input_index;
    unused->record_offset = input_index == feed->next_input ? feed->next_offset : 0;
    unused->record_line = unused->record_offset == 0;
    unused->is_in_quotes = false;
    return unused;
}

static gs_code fail_too_long(const gs_line_feed *feed, const gs_open_file *file,
                             gs_status *st)
{
    const gs_line_feed_options *const o = &feed->options;
    gs_quoted quoted;
    if (o->counts_lines && file->record_line > 0) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "%s: line %llu: the record that begins there is longer than the "
                      "memory limit allows (%zu bytes)",
                      gs_quote_name(&quoted, o->names[file->input_index]),
                      (unsigned long long)file->record_line, o->record_bytes_max);
        return gs_status_hint(st, o->too_long_hint);
    }
    return gs_line_feed_fail_too_long(o, o->names[file->input_index],
                                      gs_open_file_has_lines(file) ? "line" : "document",
                                      file->record_offset, st);
}

/* May the batch begin with lines of a header? */
static bool may_have_header(gs_line_feed *feed, const gs_line_batch *batch)
{
    if (feed->options.header_of_each && feed->header_input != batch->input_index) {
        feed->header_input = batch->input_index;
        feed->header_left = feed->options.header_lines;
    }
    return feed->header_left > 0 && batch->input_index == feed->header_input;
}

/* Moves the header's lines from the front of the batch to their own buffer. Only the
 * first input has a header, also if it has fewer lines, if not each has one. */
static gs_code take_header(gs_line_feed *feed, gs_line_batch *batch, gs_status *st)
{
    const gs_line_feed_options *const o = &feed->options;
    const uint8_t *const begin = batch->data;
    while (feed->header_left > 0 && batch->bytes > 0) {
        const uint8_t *const record = batch->data;
        size_t n;
        GS_TRY(gs_file_header_cut(o, batch, &n, st));
        GS_TRY(gs_heap_bytes_append(&feed->header, record, n, st));
        if (o->record_size == 0 && record[n - 1] != o->eol)
            GS_TRY(gs_heap_bytes_append(&feed->header, &o->eol, 1, st));
        feed->header_left--;
    }
    if (batch->input_index == 0)
        feed->first_header_bytes = feed->header.bytes;
    if (o->see_header == NULL || batch->data == begin)
        return GS_OK;
    return o->see_header(o->header_context, batch->input_index, begin,
                         (size_t)(batch->data - begin), st);
}

/* Counts what the batch takes beside blocks. */
static void count_lent(gs_line_feed *feed, gs_line_batch *batch)
{
    if (feed->options.long_bytes_max == 0)
        return;
    batch->lender = feed;
    batch->lent_bytes = batch->bytes;
    atomic_fetch_add(&feed->long_bytes, batch->lent_bytes);
}

static void put_heap(gs_line_batch *batch, const gs_heap_bytes *heap)
{
    batch->data = batch->heap = heap->data;
    batch->heap_mapped = heap->is_map ? heap->capacity : 0;
}

/* Gives what was put together away. */
static gs_code lend(gs_line_feed *feed, gs_heap_bytes *carry, gs_line_batch *batch,
                    gs_status *st)
{
    GS_TRY(gs_heap_bytes_resize(carry, carry->bytes + GS_BLOCK_SLACK, st));
    batch->bytes = carry->bytes;
    put_heap(batch, carry);
    *carry = (gs_heap_bytes){0};
    count_lent(feed, batch);
    return GS_OK;
}

/* Which batches the file becomes is known without a look at what is in them. */
static bool may_read_late(const gs_line_feed *feed, const gs_open_file *file)
{
    const gs_line_feed_options *const o = &feed->options;
    return feed->source.read_late != NULL && gs_open_file_has_lines(file) &&
           o->csv == NULL && o->record_size == 0 && o->record_sizes == NULL &&
           !o->counts_lines && !o->shares_header && o->header_lines == 0;
}

/* Puts the carried bytes in front of the block's first `whole` bytes. Those of a block
 * that has a rest are read later. */
static gs_code join_carry(gs_line_feed *feed, gs_heap_bytes *carry, gs_block *block,
                          size_t whole, gs_line_batch *batch, gs_status *st)
{
    const size_t carried = carry->bytes;
    if (block->late_rest > 0) { /* one record, of which nothing is carried */
        gs_assert(carried == 0);
        batch->bytes = whole + block->late_rest;
        batch->block = block;
        count_lent(feed, batch);
        return GS_OK;
    }
    if (carried <= GS_BLOCK_HEADROOM) {
        if (carried > 0)
            memcpy(block->data - carried, carry->data, carried);
        batch->data = block->data - carried;
        batch->bytes = carried + whole;
        batch->block = block;
        return GS_OK;
    }
    GS_TRY(gs_block_read_late(block, st));
    GS_TRY(gs_heap_bytes_append(carry, block->data, whole, st));
    return lend(feed, carry, batch, st);
}

/* Of all files together, since that is what memory holds. */
static size_t carried_bytes(const gs_line_feed *feed)
{
    size_t sum = 0;
    for (size_t i = 0; i < GS_INPUT_FILES_MAX; i++)
        sum += feed->files[i].carry.bytes;
    return sum;
}

/* A record is too long: gives out its beginning, and how long it is. What follows it is
 * not wanted any more. */
static gs_code cut_off(gs_line_feed *feed, gs_open_file *file, const gs_block *first,
                       gs_line_batch *batch, gs_status *st)
{
    const uint64_t most = (uint64_t)CUT_FACTOR * feed->options.record_bytes_max;
    bool ends = first->ends_input; /* it was looked at, and has no other end */
    uint64_t bytes = file->carry.bytes + first->len;
    GS_TRY(lend(feed, &file->carry, batch, st));
    batch->input_index = file->input_index;
    while (!ends && bytes < most) {
        gs_block *block = NULL;
        GS_TRY(feed->source.next(feed->source.context, &block, st));
        if (block == NULL)
            break;
        if (gs_block_read_late(block, st) == GS_OK)
            bytes += gs_open_file_first_end(&feed->options, file, block, &ends);
        gs_block_release(block);
        GS_TRY(st->code);
    }
    batch->cut_bytes = bytes;
    batch->cut_goes_on = !ends;
    return GS_OK;
}

/* Where the batch begins, and with it what comes after. */
static void place_batch(const gs_line_feed *feed, gs_open_file *file,
                        gs_line_batch *batch)
{
    batch->input_index = file->input_index;
    batch->offset = file->record_offset;
    file->record_offset += batch->bytes;
    if (!feed->options.counts_lines || file->record_line == 0)
        return;
    batch->first_line = file->record_line;
    file->record_line += gs_line_count(batch->data, batch->bytes, GS_LINE_END);
}

/* Takes one block; *is_ready tells whether `batch` came of it. The block goes to the
 * batch or is released. */
static gs_code take_block(gs_line_feed *feed, gs_block *block, gs_line_batch *batch,
                          bool *is_ready, gs_status *st)
{
    *is_ready = false;
    bool is_new;
    gs_open_file *const file = file_of(feed, block->input_index, &is_new);
    gs_heap_bytes *const carry = &file->carry;
    if (is_new)
        GS_TRY_OR_FAIL(look_at_file(feed, file, block, st));
    if (is_new && may_read_late(feed, file))
        GS_TRY_OR_FAIL(feed->source.read_late(feed->source.context, feed->options.eol,
                                              feed->options.record_bytes_max, st));
    if (file->ends.is_left_out) {
        file->record_offset += block->len + block->late_rest;
        goto done;
    }
    size_t whole = block->late != NULL ? block->len
                                       : gs_open_file_whole(&feed->options, file, block);
    if (block->len > feed->block_bytes)
        feed->block_bytes = block->len;
    const size_t over = block->len - whole;
    if (block->ends_input) {
        const size_t last = whole > 0 ? over : carry->bytes + over;
        if (feed->options.record_size > 0 && last > 0) {
            const uint64_t offset =
                file->record_offset + (whole > 0 ? carry->bytes + whole : 0);
            GS_NOTED(gs_line_feed_fail_partial(
                feed->options.names[file->input_index], offset, last,
                gs_line_feed_record_size(&feed->options, file->input_index), st));
            goto done;
        }
        batch->lacks_final_eol = feed->options.record_size == 0 && last > 0;
        whole = block->len;
    } else if (whole == 0) {
        if (carried_bytes(feed) + block->len <= feed->options.record_bytes_max)
            GS_NOTED(gs_heap_bytes_append(carry, block->data, block->len, st));
        else if (feed->options.long_bytes_max == 0)
            (void)fail_too_long(feed, file, st);
        else
            *is_ready = cut_off(feed, file, block, batch, st) == GS_OK;
        goto done;
    }
    if (carry->bytes + whole == 0 && !file->ends.takes_whole_files)
        goto done;
    const uint8_t *const tail = block->data + whole;
    const size_t tail_bytes = block->len - whole;
    GS_TRY_OR_FAIL(join_carry(feed, carry, block, whole, batch, st));
    place_batch(feed, file, batch);
    carry->bytes = 0;
    GS_TRY_OR_FAIL(gs_heap_bytes_append(carry, tail, tail_bytes, st));
    *is_ready = true;
fail:
done:
    feed->next_input = file->input_index + block->ends_input;
    feed->next_offset = block->ends_input ? 0 : file->record_offset;
    if (block->ends_input)
        file->is_open = false;
    if (batch->block != block)
        gs_block_release(block);
    return st->code;
}

void gs_line_feed_replay(gs_line_feed *feed, gs_replay *replay, gs_line_batch *last)
{
    gs_assert(feed->replay.bytes == 0 && feed->replay_last.bytes == 0);
    gs_replay_release(&feed->replay);
    feed->replay = *replay;
    feed->replay_last = *last;
    *replay = (gs_replay){0};
    *last = (gs_line_batch){0};
}

uint64_t gs_line_feed_next_ticket(gs_line_feed *feed)
{
    pthread_mutex_lock(&feed->mutex);
    const uint64_t ticket = feed->has_first ? feed->first.ticket : feed->next_ticket;
    pthread_mutex_unlock(&feed->mutex);
    return ticket;
}

void gs_line_feed_place(gs_line_feed *feed, size_t *input_index, uint64_t *offset)
{
    pthread_mutex_lock(&feed->mutex);
    *input_index = feed->next_input;
    *offset = feed->next_offset;
    pthread_mutex_unlock(&feed->mutex);
}

gs_code gs_line_feed_go_on(gs_line_feed *feed, size_t input_index, uint64_t offset,
                           const uint8_t *header, size_t header_bytes, gs_status *st)
{
    gs_assert(feed->next_ticket == 0);
    feed->next_input = input_index;
    feed->next_offset = offset;
    feed->header_left = 0;
    if (feed->options.shares_header)
        return gs_file_header_set(&feed->file_header, input_index, offset, header,
                                  header_bytes, st);
    return gs_heap_bytes_append(&feed->header, header, header_bytes, st);
}

static gs_part_form part_form(const gs_line_feed *feed)
{
    gs_assert(feed->options.csv == NULL);
    return (gs_part_form){feed->options.record_size, feed->options.eol, feed->part_bytes};
}

/* The next batch of what is to be given out again, if there is one. */
static gs_code next_of_replay(gs_line_feed *feed, gs_line_batch *out, bool *has_batch,
                              gs_status *st)
{
    if (feed->replay.memory != NULL) {
        const gs_part_form form = part_form(feed);
        GS_TRY(gs_replay_next(&feed->replay, &form, out, has_batch, st));
    }
    if (!*has_batch && feed->replay_last.bytes > 0) {
        *out = feed->replay_last;
        feed->replay_last = (gs_line_batch){0};
        *has_batch = true;
    }
    if (*has_batch)
        out->ticket = feed->next_ticket++;
    return GS_OK;
}

void gs_line_feed_map(gs_line_feed *feed, const gs_file_map *map, size_t part_bytes)
{
    feed->map = map;
    feed->part_bytes = part_bytes > 0 ? part_bytes : feed->part_bytes;
    feed->map_file = feed->map_at = 0;
    /* Of a small input there are parts for all workers too. */
    const size_t share = gs_file_map_text_bytes(map) / PARTS;
    if (share < feed->part_bytes)
        feed->part_bytes = share < PART_BYTES_MIN ? PART_BYTES_MIN : share;
}

void gs_line_feed_map_again(gs_line_feed *feed)
{
    feed->map_file = feed->map_at = 0;
    feed->next_input = feed->header_input = 0;
    feed->next_offset = 0;
    feed->header.bytes = 0;
    feed->first_header_bytes = 0;
    feed->header_left = feed->options.header_lines;
}

/* The next part of the mapped file; *is_ready unless all of it was header. */
static gs_code take_mapped(gs_line_feed *feed, const gs_mapped_file *file,
                           gs_line_batch *out, bool *is_ready, gs_status *st)
{
    const size_t left = file->bytes - feed->map_at;
    const uint8_t *const from = feed->map->base + file->begin + feed->map_at;
    const gs_part_form form = part_form(feed);
    const size_t whole = gs_part_cut(&form, from, left);
    const gs_open_file place = {.input_index = file->input_index,
                                .record_offset = file->from + feed->map_at};
    if (whole == 0 && feed->options.record_size > 0)
        return gs_line_feed_fail_partial(feed->options.names[file->input_index],
                                         place.record_offset, left,
                                         feed->options.record_size, st);
    const size_t bytes = whole > 0 ? whole : left;
    if (bytes > feed->part_bytes && bytes > feed->options.record_bytes_max)
        return fail_too_long(feed, &place, st);
    *out = (gs_line_batch){.data = from,
                           .bytes = bytes,
                           .lacks_final_eol = whole == 0,
                           .input_index = file->input_index,
                           .offset = place.record_offset};
    feed->map_at += bytes;
    feed->next_input = file->input_index + (feed->map_at == file->bytes);
    feed->next_offset = feed->map_at == file->bytes ? 0 : file->from + feed->map_at;
    if (feed->map->taken_bytes != NULL)
        atomic_fetch_add(feed->map->taken_bytes, bytes);
    if (may_have_header(feed, out))
        GS_TRY(take_header(feed, out, st));
    out->is_in_map = !out->lacks_final_eol;
    out->map_offset = (size_t)(out->data - feed->map->base);
    *is_ready = out->bytes > 0;
    return GS_OK;
}

static gs_code next_of_map(gs_line_feed *feed, gs_line_batch *out, bool *has_batch,
                           gs_status *st)
{
    while (!*has_batch && feed->map_file < feed->map->file_count) {
        const gs_mapped_file *const file = &feed->map->files[feed->map_file];
        if (feed->map_at < file->bytes) {
            GS_TRY(take_mapped(feed, file, out, has_batch, st));
        } else {
            feed->map_file++;
            feed->map_at = 0;
        }
    }
    if (*has_batch)
        out->ticket = feed->next_ticket++;
    return GS_OK;
}

/* Would a record that is being put together take more than what long ones may, while
 * others are in use, or while the limit may still be raised? */
static bool must_wait(const gs_line_feed *feed)
{
    const size_t most = feed->options.long_bytes_max;
    const size_t carried = most > 0 ? carried_bytes(feed) : 0;
    const gs_block *const held = feed->held;
    const size_t more = held != NULL ? held->len + held->late_rest : feed->block_bytes;
    if (most == 0 || (held == NULL && carried <= GS_BLOCK_HEADROOM))
        return false;
    const size_t lent = atomic_load(&feed->long_bytes);
    return lent + carried + more > most &&
           (lent > 0 || most < feed->options.record_bytes_max);
}

/* The next block, or NULL: is_held says whether it is one that waits for memory. */
static gs_code next_block(gs_line_feed *feed, gs_block **out, bool *is_held,
                          gs_status *st)
{
    *out = NULL;
    *is_held = must_wait(feed);
    if (!*is_held && feed->held == NULL) {
        GS_TRY(feed->source.next(feed->source.context, &feed->held, st));
        *is_held = feed->held != NULL && feed->held->late_rest > 0 && must_wait(feed);
    }
    if (*is_held)
        return GS_OK;
    *out = feed->held;
    feed->held = NULL;
    return GS_OK;
}

size_t gs_line_feed_long_bytes(const gs_line_feed *feed)
{
    return atomic_load(&feed->long_bytes);
}

void gs_line_feed_set_long_max(gs_line_feed *feed, size_t bytes)
{
    pthread_mutex_lock(&feed->mutex);
    feed->options.long_bytes_max = bytes;
    pthread_mutex_unlock(&feed->mutex);
}

static gs_code next_locked(gs_line_feed *feed, gs_line_batch *out, bool *has_batch,
                           gs_status *st)
{
    if (feed->has_first) {
        *out = feed->first;
        feed->has_first = false;
        feed->first = (gs_line_batch){0};
        *has_batch = true;
        return GS_OK;
    }
    GS_TRY(next_of_replay(feed, out, has_batch, st));
    if (*has_batch)
        return GS_OK;
    if (feed->map != NULL)
        return next_of_map(feed, out, has_batch, st);
    for (;;) {
        gs_block *block = NULL;
        GS_TRY(next_block(feed, &block, &out->is_held, st));
        if (block == NULL)
            return GS_OK;
        *out = (gs_line_batch){0};
        GS_TRY(take_block(feed, block, out, has_batch, st));
        if (!*has_batch)
            continue;
        if (feed->options.shares_header)
            GS_TRY(gs_file_header_take(&feed->file_header, out, st));
        else if (may_have_header(feed, out))
            GS_TRY(take_header(feed, out, st));
        /* Without a header what is empty is a file that is a record. */
        const bool has_header =
            feed->options.shares_header || feed->options.header_lines > 0;
        if (out->bytes > 0 || !has_header) {
            out->ticket = feed->next_ticket++;
            return GS_OK;
        }
        gs_line_batch_release(out);
        *has_batch = false;
    }
}

/* Reads a record longer than a block, which is released. */
static gs_code read_long(gs_line_batch *batch, gs_status *st)
{
    gs_heap_bytes heap = {0};
    GS_TRY(gs_heap_bytes_resize(&heap, batch->bytes + GS_BLOCK_SLACK, st));
    put_heap(batch, &heap);
    if (heap.is_map)
        gs_mem_allow_huge(heap.data, heap.capacity); /* all of it is used, once */
    GS_TRY(gs_block_read_whole(batch->block, heap.data, st));
    gs_block_release(batch->block);
    batch->block = NULL;
    return GS_OK;
}

/* While others take batches. */
static gs_code read_late(gs_line_feed *feed, gs_line_batch *batch, gs_status *st)
{
    gs_late_file_look_ahead(batch->block->late);
    if (batch->block->late_rest > 0)
        GS_TRY_OR_FAIL(read_long(batch, st));
    else
        GS_TRY_OR_FAIL(gs_block_read_late(batch->block, st));
    return GS_OK;
fail:
    pthread_mutex_lock(&feed->mutex);
    gs_status_keep_first(&feed->failure, st);
    pthread_mutex_unlock(&feed->mutex);
    return st->code;
}

gs_code gs_line_feed_next(gs_line_feed *feed, gs_line_batch *out, bool *has_batch,
                          gs_status *st)
{
    *out = (gs_line_batch){0};
    *has_batch = false;
    pthread_mutex_lock(&feed->mutex);
    gs_status_keep_first(st, &feed->failure);
    if (st->code == GS_OK)
        GS_NOTED(next_locked(feed, out, has_batch, st));
    gs_status_keep_first(&feed->failure, st);
    pthread_mutex_unlock(&feed->mutex);
    if (*has_batch && out->block != NULL && out->block->late != NULL)
        GS_NOTED(read_late(feed, out, st));
    if (st->code != GS_OK) {
        gs_line_batch_release(out);
        *has_batch = false;
    }
    return st->code;
}

gs_code gs_line_feed_read_header(gs_line_feed *feed, gs_status *st)
{
    gs_assert(!feed->has_first && feed->next_ticket == 0);
    bool has_batch = false;
    GS_TRY(gs_line_feed_next(feed, &feed->first, &has_batch, st));
    feed->has_first = has_batch;
    return GS_OK;
}

void gs_line_feed_drop_first(gs_line_feed *feed)
{
    feed->has_first = false;
    gs_line_batch_release(&feed->first);
}

void gs_line_batch_release(gs_line_batch *batch)
{
    gs_block_release(batch->block);
    if (batch->lender != NULL)
        atomic_fetch_sub(&batch->lender->long_bytes, batch->lent_bytes);
    if (batch->heap_mapped > 0)
        gs_mem_unmap(batch->heap, batch->heap_mapped);
    else
        gs_mem_free(batch->heap);
    *batch = (gs_line_batch){0};
}

void gs_line_feed_header(const gs_line_feed *feed, const uint8_t **bytes, size_t *count)
{
    const bool is_each = feed->options.shares_header;
    *bytes = is_each ? feed->file_header.data : feed->header.data;
    *count = is_each ? feed->file_header.bytes : feed->header.bytes;
}

size_t gs_line_feed_first_header_bytes(const gs_line_feed *feed)
{
    return feed->first_header_bytes;
}
