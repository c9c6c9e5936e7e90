/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/open_file.h"

#include <string.h>

#include "lib/base/assertion.h"

enum { SEAM_BYTES = 64 }; /* of an end of a record that lies in two blocks */

/* How many of the first `bytes` are whole records, given how many are carried. */
static size_t whole_bytes(const gs_line_feed_options *o, gs_open_file *file,
                          const uint8_t *data, size_t bytes)
{
    gs_assert(o->csv == NULL);
    if (o->record_size > 0) {
        const size_t size = gs_line_feed_record_size(o, file->input_index);
        const size_t over = (file->carry.bytes % size + bytes % size) % size;
        return over <= bytes ? bytes - over : 0;
    }
    if (file->ends.takes_whole_files)
        return 0;
    if (file->ends.cut != NULL)
        return file->ends.cut(&file->cut, data, bytes);
    if (file->ends.whole_bytes != NULL)
        return file->ends.whole_bytes(data, bytes);
    const uint8_t *const last = bytes ? memrchr(data, o->eol, bytes) : NULL;
    return last ? (size_t)(last - data) + 1 : 0;
}

/* The end of a record of which the beginning is carried and the end in the block: how
 * many bytes of the block. */
static size_t end_at_seam(const gs_open_file *file, const gs_block *block)
{
    uint8_t seam[2 * SEAM_BYTES];
    const gs_heap_bytes *const carry = &file->carry;
    const size_t before = carry->bytes < SEAM_BYTES ? carry->bytes : SEAM_BYTES;
    const size_t behind = block->len < SEAM_BYTES ? block->len : SEAM_BYTES;
    if (before == 0 || behind == 0)
        return 0;
    memcpy(seam, carry->data + carry->bytes - before, before);
    memcpy(seam + before, block->data, behind);
    const size_t whole = file->ends.whole_bytes(seam, before + behind);
    return whole > before ? whole - before : 0;
}

/* Where the record ends that begins before the block, found by halves; the state is then
 * behind the block, unless there is such an end. */
static size_t cut_first(gs_open_file *file, const gs_block *block, bool *ends)
{
    const gs_cut_state begin = file->cut;
    size_t first = file->ends.cut(&file->cut, block->data, block->len);
    *ends = first > 0;
    if (first == 0)
        return block->len;
    for (size_t low = 0, high = block->len; high - low > 1;) {
        const size_t middle = low + (high - low) / 2;
        gs_cut_state state = begin;
        const size_t whole = file->ends.cut(&state, block->data, middle);
        first = whole > 0 ? whole : first;
        *(whole > 0 ? &high : &low) = middle;
    }
    return first;
}

/* How many of the bytes belong to the record that begins before them; all of them if it
 * does not end here. */
size_t gs_open_file_first_end(const gs_line_feed_options *o, gs_open_file *file,
                              const gs_block *block, bool *ends)
{
    size_t n = block->len;
    if (file->ends.cut != NULL) {
        n = cut_first(file, block, ends);
        *ends |= block->ends_input;
        return n;
    }
    size_t end = whole_bytes(o, file, block->data, n);
    *ends = end > 0 || block->ends_input;
    for (; end > 0; end = whole_bytes(o, file, block->data, n - 1))
        n = end;
    return n;
}

/* How many bytes of the block are whole records, with what is carried before them. */
size_t gs_open_file_whole(const gs_line_feed_options *o, gs_open_file *file,
                          const gs_block *block)
{
    if (o->csv != NULL)
        return gs_csv_last_end(block->data, block->len, *o->csv, &file->is_in_quotes);
    const size_t whole = whole_bytes(o, file, block->data, block->len);
    return whole == 0 && file->ends.whole_bytes != NULL ? end_at_seam(file, block)
                                                        : whole;
}
