/* SPDX-License-Identifier: MIT */
#include "lib/join/join_job.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/spill.h"
#include "lib/base/mem.h"
#include "lib/sort/column_names.h"

enum { SHELF_BLOCK_BYTES = 64 << 10 };

static gs_code copy_options(gs_join_job *job, const gs_join_options *o, gs_status *st)
{
    GS_TRY(gs_mem_new(&job->options, sizeof *job->options, "options", st));
    *job->options = *o;
    if (o->item_count == 0)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&job->items, o->item_count, sizeof *job->items,
                            "output fields", st));
    memcpy(job->items, o->items, o->item_count * sizeof *job->items);
    job->options->items = job->items;
    return GS_OK;
}

gs_code gs_join_job_open(gs_join_job *job, const gs_join_options *o, gs_status *st)
{
    gs_sort_options *const sort = &job->sort;
    GS_TRY(copy_options(job, o, st));
    *sort = o->sort;
    sort->header_lines = o->header;
    sort->header_of_each = o->header;
    GS_TRY(gs_text_output_open(&job->output, sort, st));
    GS_TRY(gs_spill_new(&job->spill, sort->temp_folders, sort->temp_folder_count, st));
    job->plan = gs_memory_plan_sort(sort, true);
    job->store = (gs_join_store){
        .spill = job->spill,
        .block_bytes = SHELF_BLOCK_BYTES,
        .spill_bytes = sort->stats != NULL ? &sort->stats->spill_bytes : NULL,
    };
    if (sort->stats != NULL) {
        atomic_store(&sort->stats->memory_limit_bytes, job->plan.limit_bytes);
        atomic_store(&sort->stats->threads, job->plan.workers);
    }
    GS_TRY(gs_team_new(&job->team, job->plan.workers, st));
    gs_team_set_trace(job->team, sort->trace);
    return GS_OK;
}

void gs_join_job_close(gs_join_job *job)
{
    gs_join_text_release(&job->header);
    gs_join_format_release(&job->format);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        gs_join_fields_release(&job->first[s]);
        gs_join_text_release(&job->header_lines[s]);
    }
    gs_team_free(job->team);
    gs_spill_free(job->spill);
    gs_output_free(job->output);
    gs_mem_free(job->items);
    gs_mem_free(job->options);
    if (job->sort.stats != NULL)
        atomic_store(&job->sort.stats->phase, GS_PHASE_DONE);
}

size_t gs_join_job_sort_bytes(const gs_join_job *job)
{
    const gs_memory_plan *const p = &job->plan;
    return p->chunk_bytes < p->merge_bytes ? p->chunk_bytes : p->merge_bytes;
}

gs_memory_plan gs_join_job_plan_less(const gs_join_job *job, size_t bytes)
{
    gs_memory_plan p = job->plan;
    p.chunk_bytes -= bytes;
    p.merge_bytes -= bytes;
    if (p.chunk_soft_bytes > p.chunk_bytes)
        p.chunk_soft_bytes = p.chunk_bytes;
    if (p.first_soft_bytes > p.chunk_bytes)
        p.first_soft_bytes = p.chunk_bytes;
    return p;
}

uint64_t gs_join_job_input_bytes(const gs_join_job *job, gs_join_side side)
{
    const char *const name = job->options->inputs[side];
    struct stat info;
    const int error =
        strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(name, &info);
    return error == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : UINT64_MAX;
}

bool gs_join_job_may_leave_out(const gs_join_job *job, gs_join_side side)
{
    const gs_join_options *const o = job->options;
    return !o->shows_unpaired[side] && (!o->is_auto || o->header);
}

gs_code gs_join_job_see_header(gs_join_job *job, gs_join_side side, const uint8_t *header,
                               size_t bytes, gs_status *st)
{
    gs_join_options *const o = job->options;
    const gs_order *const order = &o->sort.order;
    const char *const file = o->inputs[side];
    const char *const hint = "a field may be given by its number too, counted from 1";
    if (o->key_name[side] != NULL)
        GS_TRY(gs_column_name_find(order, header, bytes, file, o->key_name[side], hint,
                                   &o->key_field[side], st));
    for (size_t i = 0; i < o->item_count; i++) {
        gs_join_item *const item = &job->items[i];
        if (item->name != NULL && item->side == side)
            GS_TRY(gs_column_name_find(order, header, bytes, file, item->name, hint,
                                       &item->field, st));
    }
    return GS_OK;
}

gs_code gs_join_header_seen(void *place, size_t input, const uint8_t *header,
                            size_t bytes, gs_status *st)
{
    const gs_join_header_place *const p = place;
    (void)input;
    return gs_join_job_see_header(p->job, p->side, header, bytes, st);
}

gs_code gs_join_job_take_header(gs_join_job *job, gs_join_side side,
                                const uint8_t *header, size_t bytes, gs_status *st)
{
    const gs_order *const order = &job->options->sort.order;
    gs_join_text *const copy = &job->header_lines[side];
    job->has_first[side] = header != NULL;
    if (header == NULL)
        return GS_OK;
    const size_t mark =
        gs_form_has_quotes(order->form) ? gs_line_mark_bytes(header, bytes) : 0;
    const uint8_t *const line = header + mark;
    bytes -= mark;
    GS_TRY(gs_join_text_room(copy, bytes + 1, st));
    memcpy(copy->data, line, bytes);
    return gs_join_fields_cut(&job->first[side], order, copy->data, bytes, st);
}

gs_code gs_join_job_make_format(gs_join_job *job, gs_status *st)
{
    const gs_join_options *const o = job->options;
    const gs_join_fields *first[GS_JOIN_SIDES] = {NULL};
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        first[s] = job->has_first[s] ? &job->first[s] : NULL;
    gs_join_format_release(&job->format);
    job->header.used = 0;
    GS_TRY(gs_join_format_init(&job->format, o, first, st));
    if (!o->header || (first[GS_JOIN_LEFT] == NULL && first[GS_JOIN_RIGHT] == NULL))
        return GS_OK;
    return gs_join_format_line(&job->format, first[GS_JOIN_LEFT], first[GS_JOIN_RIGHT],
                               &job->header, st);
}

gs_code gs_join_job_write(gs_join_job *job, const gs_memory_plan *plan,
                          size_t piece_bytes, gs_text_output_fn *make, void *context,
                          gs_status *st)
{
    const gs_record_layout layout = gs_join_record_layout(&job->sort);
    const gs_text_output out = {
        .options = &job->sort,
        .plan = plan,
        .layout = &layout,
        .output = job->output,
        .piece_bytes = piece_bytes,
        .header = job->header.data,
        .header_bytes = job->header.used,
        .wrong_code = GS_ERR_FORMAT,
    };
    return gs_text_output_write(&out, make, context, st);
}
