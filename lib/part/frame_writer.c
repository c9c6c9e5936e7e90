/* SPDX-License-Identifier: MIT */
#include "lib/part/frame_writer.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "io/output.h"
#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/part/frame_packer.h"

struct gs_frame_writer {
    const gs_sort_options *options;
    gs_part_tally *tallies;
    size_t part_count;
    gs_output *output;
    uint64_t written;
    uint64_t last_sum;       /* of the head before */
    size_t part;             /* whose frames are written */
    gs_frame_packer *packer; /* NULL: text stays as it is */
};

static gs_code put_frame(void *context, gs_part_frame_head *head, const uint8_t *payload,
                         gs_status *st);

gs_code gs_frame_writer_new(gs_frame_writer **out, const gs_sort_options *options,
                            size_t part_count, bool compresses, gs_part_tally *tallies,
                            gs_status *st)
{
    const char *const folder =
        options->temp_folder_count > 0 ? options->temp_folders[0] : NULL;
    gs_frame_writer *w = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "parts", st));
    w->options = options;
    w->tallies = tallies;
    w->part_count = part_count;
    const unsigned threads = options->threads > 0 ? options->threads : gs_machine_cores();
    if (compresses)
        GS_TRY_OR_FAIL(gs_frame_packer_new(&w->packer, threads, put_frame, w, st));
    GS_TRY_OR_FAIL(gs_output_open(&w->output, options->output, folder, st));
    GS_TRY_OR_FAIL(
        gs_output_keep_apart(w->output, options->inputs, options->input_count, st));
    *out = w;
    return GS_OK;
fail:
    gs_frame_writer_free(w);
    return st->code;
}

void gs_frame_writer_free(gs_frame_writer *w)
{
    if (w == NULL)
        return;
    gs_frame_packer_free(w->packer);
    gs_output_free(w->output);
    gs_mem_free(w);
}

static gs_code write_bytes(gs_frame_writer *w, const void *data, size_t bytes,
                           gs_status *st)
{
    return gs_output_write(w->output, data, bytes, &w->written, st);
}

/* Completes the head and writes it, with its payload. */
static gs_code put_frame(void *context, gs_part_frame_head *head, const uint8_t *payload,
                         gs_status *st)
{
    gs_frame_writer *const w = context;
    memcpy(head->magic, GS_PART_FRAME_MAGIC, sizeof head->magic);
    head->payload_sum = gs_checksum(payload, head->stored_bytes, 0);
    head->head_sum = XXH3_64bits_withSeed(head, GS_PART_FRAME_HEAD_SUMMED, w->last_sum);
    w->last_sum = head->head_sum;
    GS_TRY(write_bytes(w, head, sizeof *head, st));
    return head->stored_bytes > 0 ? write_bytes(w, payload, head->stored_bytes, st)
                                  : GS_OK;
}

/* The next frame, whose text is as it is. */
static gs_code add_frame(gs_frame_writer *w, gs_part_frame_head *head,
                         const uint8_t *text, gs_status *st)
{
    return w->packer != NULL ? gs_frame_packer_add(w->packer, head, text, st)
                             : put_frame(w, head, text, st);
}

static gs_code end_part(gs_frame_writer *w, gs_status *st)
{
    const gs_part_tally *const t = &w->tallies[w->part];
    gs_part_frame_head head = {.kind = GS_PART_FRAME_PART_END,
                               .part = (uint32_t)w->part,
                               .bytes = t->bytes,
                               .records = t->records};
    w->part++;
    return add_frame(w, &head, NULL, st);
}

gs_code gs_frame_writer_begin(gs_frame_writer *w, const uint8_t *header,
                              size_t header_bytes, gs_status *st)
{
    if (w->written > 0 && !gs_output_is_seekable(w->output))
        return GS_FAIL(st, GS_ERR_IO, 0, "%s: what was written cannot be taken back",
                       gs_output_name(w->output));
    if (header_bytes > UINT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a header of %zu bytes does not fit a frame",
                       header_bytes);
    gs_part_frame_head start = {.kind = GS_PART_FRAME_START,
                                .part = (uint32_t)w->part_count,
                                .records = GS_PART_FRAMES_VERSION};
    gs_part_frame_head top = {.kind = GS_PART_FRAME_HEADER,
                              .stored_bytes = (uint32_t)header_bytes,
                              .bytes = header_bytes};
    w->written = w->last_sum = w->part = 0;
    if (w->packer != NULL)
        gs_frame_packer_drop(w->packer);
    memset(w->tallies, 0, w->part_count * sizeof *w->tallies);
    GS_TRY(put_frame(w, &start, NULL, st));
    return header_bytes > 0 ? put_frame(w, &top, header, st) : GS_OK;
}

static gs_code put_block(gs_frame_writer *w, const uint8_t *text, size_t bytes,
                         gs_status *st)
{
    gs_part_frame_head head = {.kind = GS_PART_FRAME_BLOCK,
                               .part = (uint32_t)w->part,
                               .stored_bytes = (uint32_t)bytes,
                               .bytes = bytes};
    return add_frame(w, &head, text, st);
}

gs_code gs_frame_writer_put(gs_frame_writer *w, size_t part, const uint8_t *text,
                            size_t bytes, uint64_t records, gs_status *st)
{
    gs_assert(part >= w->part && part < w->part_count);
    while (w->part < part)
        GS_TRY(end_part(w, st));
    w->tallies[part].records += records;
    w->tallies[part].bytes += bytes;
    while (bytes > 0) {
        const size_t n = bytes < GS_PART_FRAME_TEXT_MAX ? bytes : GS_PART_FRAME_TEXT_MAX;
        GS_TRY(put_block(w, text, n, st));
        text += n;
        bytes -= n;
    }
    return GS_OK;
}

gs_code gs_frame_writer_commit(gs_frame_writer *w, gs_status *st)
{
    gs_part_frame_head end = {.kind = GS_PART_FRAME_END};
    while (w->part < w->part_count)
        GS_TRY(end_part(w, st));
    for (size_t i = 0; i < w->part_count; i++) {
        end.bytes += w->tallies[i].bytes;
        end.records += w->tallies[i].records;
    }
    if (w->packer != NULL)
        GS_TRY(gs_frame_packer_flush(w->packer, st));
    GS_TRY(put_frame(w, &end, NULL, st));
    return gs_output_commit(w->output, w->written, w->options->sync_output, st);
}
