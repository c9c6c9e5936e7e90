/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/input_batches.h"

#include <string.h>

#include "io/write_all.h"
#include "lib/base/mem.h"

enum {
    SLICE_BYTES = 256 << 10, /* read and counted at a time: still in a core's own cache */
    LEAVE_BYTES = 4 << 20,   /* of the map, at a time */
};

bool gs_input_batches_map(const gs_forming *f, int output_fd, gs_file_map *map)
{
    const gs_sort_options *const o = f->options;
    /* Of a table with a header the beginning has been read. */
    const bool is_begun = o->has_columns && o->header_lines > 0;
    if (is_begun || !gs_form_is_plain(o->order.form) || f->plan->is_space_limited ||
        f->has_runs || !gs_input_map(f->input, output_fd, 0, map))
        return false;
    gs_line_feed_map(f->feed, map, f->plan->feed_block_bytes);
    gs_log_say(o->log, GS_LOG_INFO,
               "the input is in the page cache and read by %u threads",
               gs_team_workers(f->team));
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- the next one --------------------------------------------------------------- */

/* The pages that the feed has looked at to find ends of batches count as ours no more: of
 * some batches at a time, as it is a call that all cores hear of. A look brings pages on
 * both sides, up to a large one. Nobody else looks at them. */
static void leave_pages(gs_input_batches *b, const gs_line_batch *batch)
{
    const gs_file_map *const map = b->forming->map;
    const gs_mapped_file *const file = &map->files[batch->input_index];
    const uint8_t *const text = map->base + file->begin;
    const size_t end = (size_t)(batch->data - text) + batch->bytes;
    if (end < file->bytes && end - b->left_to < LEAVE_BYTES)
        return;
    const size_t from = b->left_to - least(b->left_to, GS_MEM_LARGE_PAGE),
                 to = least(file->bytes, end + GS_MEM_LARGE_PAGE);
    gs_file_map_leave_part(text + from, to - from);
    b->left_to = end < file->bytes ? end : 0;
}

static gs_code next_batch(void *context, gs_line_batch *batch, bool *has_batch,
                          gs_status *st)
{
    gs_input_batches *const b = context;
    GS_TRY(gs_line_feed_next(b->forming->feed, batch, has_batch, st));
    if (*has_batch)
        leave_pages(b, batch);
    return GS_OK;
}

/* --- read and counted ----------------------------------------------------------- */

/* The end of the last whole record of what was read just now, data[at, end), from data
 * on; 0 if there is none. */
static size_t whole_records(const gs_record_form *form, const uint8_t *data, size_t at,
                            size_t end)
{
    if (form->record_size > 0)
        return end / form->record_size * form->record_size;
    const uint8_t *const last = memrchr(data + at, form->eol, end - at);
    return last != NULL ? (size_t)(last - data) + 1 : 0;
}

static gs_code read_batch(void *context, const gs_line_batch *from, uint8_t *to,
                          gs_ring_batch *out, gs_status *st)
{
    const gs_forming *const f = ((const gs_input_batches *)context)->forming;
    const int fd = f->map->files[from->input_index].fd;
    const gs_record_form *const form = &f->watched->form;
    size_t counted = 0;
    for (size_t at = 0; at < from->bytes;) {
        const size_t n = least(from->bytes - at, SLICE_BYTES);
        size_t taken = 0;
        const int error = gs_pread_all(fd, to + at, n, from->offset + at, &taken);
        if (error != 0 || taken < n)
            return gs_map_name_fail(from->data, error, st);
        const size_t begin = at > counted ? at - counted : 0;
        at += n;
        const size_t whole = at < from->bytes
                                 ? whole_records(form, to + counted, begin, at - counted)
                                 : from->bytes - counted;
        gs_multiset_add_text(&out->records, form, to + counted, whole);
        counted += whole;
    }
    /* It was cut here; a device puts batches one behind the other. */
    const bool has_eol = form->record_size > 0 || from->lacks_final_eol ||
                         to[from->bytes - 1] == form->eol;
    return has_eol ? GS_OK : gs_map_name_fail_changed(from->data, st);
}

static gs_code check_files(void *context, gs_status *st)
{
    return gs_file_map_check(((const gs_input_batches *)context)->forming->map, st);
}

gs_batch_source gs_input_batches_source(gs_input_batches *b)
{
    return (gs_batch_source){
        .context = b, .next = next_batch, .read = read_batch, .end = check_files};
}
