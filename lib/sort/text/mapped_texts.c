/* SPDX-License-Identifier: MIT */
/*
 * The texts of a mapped merge: are they for this way, where are they, and what of them is
 * asked for ahead of the merge.
 */
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/sort/text/mapped_state.h"
#include "lib/sort/text/stretches.h"

enum {
    ASK_BYTES = 64 << 20,    /* ahead of what is merged, of all texts together, */
    ASK_BYTES_MIN = 1 << 20, /* and at least, of each */
    TEXT_BYTES = 2 << 20,    /* ours of each, where the kernel maps large folios whole, */
    LARGE_TEXT_BYTES = 6 << 20, /* or where it maps them by large pages; */
    SPARE_BYTES = 40 << 20,     /* which may take this, of the 64 MiB beyond S */
};

/* Whether all texts can have so much resident at a time. */
static bool do_fit(const gs_file_merge *merge, const gs_memory_plan *plan, size_t each)
{
    const size_t most = merge->is_sort ? GS_STRETCHES_MAX : merge->options->input_count;
    return most <= (plan->limit_bytes + SPARE_BYTES) / each;
}

static bool is_for_this_way(const gs_file_merge *merge, const gs_memory_plan *plan)
{
    const gs_sort_options *const o = merge->options;
    /* A user who names a program, and how many files at a time, expects the program to
     * be used. */
    const bool has_passes = o->compress_program != NULL && o->input_count > merge->fan_in;
    return o->header_lines == 0 && !o->has_top && !plan->is_space_limited &&
           !has_passes && do_fit(merge, plan, TEXT_BYTES);
}

static bool map_files(gs_mapped_merge *m, int output_fd, gs_status *st)
{
    const gs_sort_options *const o = m->merge->options;
    gs_input *input = NULL;
    const gs_input_options options = {.blocks_in_flight = 1,
                                      .keep_compressed = o->keep_compressed,
                                      .has_range = o->has_range,
                                      .from = o->from,
                                      .to = o->to,
                                      .maps_uncached = true,
                                      .maps_small_pages =
                                          !do_fit(m->merge, &m->plan, LARGE_TEXT_BYTES),
                                      .log = o->log};
    if (gs_input_new(&input, o->inputs, o->input_count, &options, st) != GS_OK)
        return false;
    const bool is_mapped = gs_input_map(input, output_fd, 0, &m->map);
    m->map.taken_bytes = NULL;
    gs_input_free(input);
    return is_mapped;
}

/* The bytes of the last line if it lacks its eol, else 0. */
static size_t open_line_bytes(const gs_mapped_merge *m, const gs_text *text)
{
    const uint8_t eol = m->form.layout->eol;
    const size_t bytes = (size_t)(text->end - text->begin);
    return m->form.record_size > 0 ? 0
                                   : bytes - gs_line_find_last(text->begin, bytes, eol);
}

static gs_code describe_texts(gs_mapped_merge *m, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&m->texts, m->map.file_count, sizeof *m->texts,
                            "sources of a merge", st));
    m->text_count = m->map.file_count;
    for (size_t i = 0; i < m->text_count; i++) {
        gs_text *const text = &m->texts[i];
        text->file = i;
        text->begin = m->map.base + m->map.files[i].begin;
        text->end = text->begin + m->map.files[i].bytes;
        const size_t bytes = open_line_bytes(m, text);
        if (bytes == 0)
            continue;
        uint8_t *line = NULL;
        GS_TRY(gs_mem_new(&line, bytes + 1 + GS_MAPPED_LINE_SLACK, "last line", st));
        memcpy(line, text->end - bytes, bytes);
        line[bytes] = m->form.layout->eol;
        text->last_line = line;
        text->last_line_bytes = bytes;
    }
    return GS_OK;
}

void gs_mapped_ask_ahead(gs_mapped_merge *m, size_t i, const uint8_t *from)
{
    const uint8_t *asked = atomic_load(&m->asked[i].to), *const end = m->texts[i].end;
    const size_t left = (size_t)(end - from);
    const uint8_t *const to = from + (left < m->ask_bytes ? left : m->ask_bytes);
    if (asked == NULL || asked >= to)
        return;
    if ((to == end || (size_t)(to - asked) >= m->ask_bytes / 4) &&
        atomic_compare_exchange_strong(&m->asked[i].to, &asked, to))
        gs_file_map_ask(asked, (size_t)(to - asked));
}

static gs_code begin_asking(gs_mapped_merge *m, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&m->asked, m->text_count, sizeof *m->asked,
                            "sources of a merge", st));
    m->ask_bytes = ASK_BYTES / m->text_count;
    if (m->ask_bytes < ASK_BYTES_MIN)
        m->ask_bytes = ASK_BYTES_MIN;
    for (size_t i = 0; i < m->text_count; i++) {
        const gs_text *const text = &m->texts[i];
        const uint8_t *const begin = text->begin;
        const bool is_there =
            m->are_runs ? text->own_end >= text->end : m->map.files[text->file].is_cached;
        atomic_init(&m->asked[i].to, is_there ? NULL : begin);
        gs_mapped_ask_ahead(m, i, begin);
    }
    return GS_OK;
}

static gs_code check_whole_records(const gs_mapped_merge *m, gs_status *st)
{
    const size_t size = m->form.record_size;
    for (size_t i = 0; i < m->map.file_count && size > 0; i++) {
        const size_t bytes = m->map.files[i].bytes, more = bytes % size;
        if (more != 0)
            return gs_line_feed_fail_partial(m->merge->options->inputs[i], bytes - more,
                                             more, size, st);
    }
    return GS_OK;
}

/* Equal lines are the same bytes, all of them go out, and what a witness asks for of them
 * is in the lines. */
static bool may_be_reversed(const gs_mapped_merge *m)
{
    return !m->form.layout->is_key_only && !m->merge->merge.is_unique &&
           (m->form.encoder == NULL || !m->merge->options->verify);
}

/* Can the output be a copy of the input, if that is in order? A file that takes much of
 * the memory goes past the page cache instead, as the stream writes it, which also sums
 * up what it writes. */
static bool may_be_copied(const gs_mapped_merge *m, const gs_output *output)
{
    const gs_sort_options *const o = m->merge->options;
    return m->map.file_count == 1 && m->map.files[0].is_cached &&
           m->map.files[0].from == 0 && m->form.encoder == NULL &&
           m->form.record_size == 0 && !m->merge->merge.is_unique && !o->output_zstd &&
           !o->sums_output && !gs_witness_is_full(m->merge->source.witness) &&
           o->taker == NULL && gs_output_is_own_file(output) &&
           m->map.files[0].bytes <= gs_machine_memory_available() / 2;
}

/* Copies it while that is looked at. */
static gs_code copy_in_order(gs_mapped_merge *m, const gs_output *output, gs_team *team,
                             gs_status *st)
{
    const gs_sort_options *const o = m->merge->options;
    const gs_mapped_file *const file = &m->map.files[0];
    gs_sort_stats *const stats = o->stats;
    const gs_ordered_copy_options options = {
        .from = file->fd,
        .bytes = file->bytes,
        .to = gs_output_fd(output),
        .eol = m->form.layout->eol,
        .is_backwards = m->form.layout->is_backwards,
        .may_be_reversed = may_be_reversed(m),
        .fills_pages = gs_memory_plan_fills_pages(&m->plan),
        .way = gs_mapped_wished_way(),
        .space = gs_output_space(output),
        .part_bytes = GS_MERGE_PIECE_MAX,
        .team = team,
        .cancel = o->cancel_signal,
        .copied_bytes = stats != NULL ? &stats->merge_bytes : NULL,
    };
    if (stats != NULL)
        atomic_store(&stats->merge_bytes_total, file->bytes);
    GS_TRY(gs_ordered_copy_run(&m->copied, &options, st));
    if (m->copied.is_done && !gs_file_stamp_is_same(&file->stamp, file->fd))
        m->copied.is_done = false; /* an error that the merge has words for */
    if (m->copied.is_done)
        gs_log_say(o->log, GS_LOG_INFO,
                   "sorted stretches of the input: 1%s, copied as it was looked at",
                   m->copied.is_reversed ? ", the other way round" : "");
    else if (stats != NULL)
        atomic_store(&stats->merge_bytes, 0);
    return GS_OK;
}

/* Is it enough to guess where stretches begin? If that was wrong the output is written
 * anew. What copying has begun is more likely in order but for a few lines. */
static bool may_be_guessed(const gs_mapped_merge *m, const gs_output *output)
{
    const gs_sort_options *const o = m->merge->options;
    return m->form.encoder == NULL && m->form.record_size == 0 &&
           !m->merge->merge.is_unique && !m->merge->has_guessed_wrong &&
           !m->copied.was_begun && !o->output_zstd && !o->sums_output &&
           o->taker == NULL && !gs_witness_is_full(m->merge->source.witness) &&
           gs_output_is_own_file(output);
}

/* Instead of files that need not be sorted: their sorted stretches, if there are few. */
static gs_code take_stretches(gs_mapped_merge *m, const gs_output *output, gs_team *team,
                              bool *are_few, gs_status *st)
{
    const gs_sort_options *const o = m->merge->options;
    gs_text *stretches = NULL;
    gs_stretches_options options = {
        .form = m->form,
        .texts = m->texts,
        .text_count = m->text_count,
        .line_bytes_max = m->merge->source.record_bytes_max,
        .may_be_reversed = may_be_reversed(m),
        .is_guess = may_be_guessed(m, output) ? &m->is_guess : NULL,
        .team = team,
        .cancel = o->cancel_signal,
    };
    size_t count = 0;
    *are_few = false;
    for (size_t i = 0; i < m->map.file_count && m->form.record_size > 0; i++)
        if (m->map.files[i].bytes % m->form.record_size != 0)
            return GS_OK; /* who sorts it has an error for that */
    if (m->text_count > GS_STRETCHES_MAX)
        return GS_OK;
    if (gs_mem_new_array(&stretches, GS_STRETCHES_MAX, sizeof *stretches,
                         "sources of a merge", st) == GS_OK)
        GS_NOTED(gs_stretches_find(&options, stretches, &count, st));
    *are_few = st->code == GS_OK && count > 0;
    if (*are_few) {
        gs_mem_free(m->texts);
        m->texts = stretches;
        m->text_count = count;
        if (!m->is_guess)
            gs_log_say(o->log, GS_LOG_INFO, "sorted stretches of the input: %zu%s", count,
                       stretches[0].is_reversed ? ", the other way round" : "");
    } else {
        gs_mem_free(stretches);
    }
    return st->code;
}

/* What is known of the order of inputs that need not be sorted: false if that is nothing
 * to begin with. */
static gs_code look_at_order(gs_mapped_merge *m, const gs_output *output, bool *is_known,
                             gs_status *st)
{
    gs_team *team = NULL;
    *is_known = false;
    GS_TRY(gs_team_new(&team, m->plan.workers, st));
    if (may_be_copied(m, output))
        GS_NOTED(copy_in_order(m, output, team, st));
    *is_known = m->copied.is_done;
    if (st->code == GS_OK && !*is_known)
        GS_NOTED(take_stretches(m, output, team, is_known, st));
    gs_team_free(team);
    return st->code;
}

static gs_code new_merge(gs_mapped_merge **out, gs_file_merge *merge,
                         const gs_memory_plan *plan, gs_status *st)
{
    gs_mapped_merge *m = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "merge", st));
    m->merge = merge;
    m->plan = *plan;
    m->form = (gs_text_form){merge->source.layout, merge->source.encoder,
                             merge->source.order->record_size};
    m->end = UINT64_MAX;
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->turn, NULL);
    *out = m;
    return GS_OK;
}

/* The texts are there. */
static gs_code begin_cutting(gs_mapped_merge *m, gs_status *st)
{
    const size_t most = m->plan.merge_piece_bytes / 4 * 3;
    m->piece_bytes = most < GS_MERGE_PIECE_MAX ? most : GS_MERGE_PIECE_MAX;
    m->reversed_end = m->texts[0].end;
    const gs_text_cut_options options = {
        .form = m->form,
        .texts = m->texts,
        .text_count = m->text_count,
        .piece_bytes = m->piece_bytes,
        .keeps_equals_together = m->merge->merge.is_unique,
        .are_mapped = true,
    };
    GS_TRY(gs_text_cut_new(&m->cut, &options, st));
    GS_TRY(gs_mem_new_array(&m->brought, 2 * m->text_count, sizeof *m->brought,
                            "sources of a merge", st));
    m->kept = m->brought + m->text_count;
    for (size_t i = 0; i < m->text_count; i++)
        m->brought[i] = m->kept[i] = m->texts[i].begin;
    return gs_mem_new_array(&m->rest, m->text_count, sizeof *m->rest,
                            "sources of a merge", st);
}

gs_code gs_mapped_merge_new(gs_mapped_merge **out, gs_file_merge *merge,
                            const gs_output *output, gs_status *st)
{
    const gs_sort_options *const o = merge->options;
    const gs_memory_plan plan = gs_memory_plan_make(o->memory_bytes, o->threads, false);
    bool are_sorted = true;
    *out = NULL;
    if (!is_for_this_way(merge, &plan))
        return GS_OK;
    gs_mapped_merge *m = NULL;
    GS_TRY(new_merge(&m, merge, &plan, st));
    if (!map_files(m, gs_output_fd(output), st))
        goto fail;
    if (!merge->is_sort)
        GS_TRY_OR_FAIL(check_whole_records(m, st));
    GS_TRY_OR_FAIL(describe_texts(m, st));
    if (merge->is_sort)
        GS_TRY_OR_FAIL(look_at_order(m, output, &are_sorted, st));
    if (!are_sorted)
        goto fail;
    if (m->copied.is_done) {
        *out = m;
        return GS_OK;
    }
    GS_TRY_OR_FAIL(begin_asking(m, st));
    GS_TRY_OR_FAIL(begin_cutting(m, st));
    gs_log_say(o->log, GS_LOG_INFO, "the inputs are mapped and merged where they are");
    *out = m;
    return GS_OK;
fail:
    gs_mapped_merge_free(m);
    return st->code;
}

gs_code gs_mapped_merge_new_runs(gs_mapped_merge **out, gs_file_merge *merge,
                                 const gs_text *texts, size_t text_count, gs_status *st)
{
    gs_mapped_merge *m = NULL;
    *out = NULL;
    gs_assert(!merge->is_sort && text_count > 0);
    GS_TRY(new_merge(&m, merge, merge->plan, st));
    m->are_runs = true;
    GS_TRY_OR_FAIL(gs_mem_new_array(&m->texts, text_count, sizeof *m->texts,
                                    "sources of a merge", st));
    memcpy(m->texts, texts, text_count * sizeof *texts);
    m->text_count = text_count;
    GS_TRY_OR_FAIL(begin_asking(m, st));
    GS_TRY_OR_FAIL(begin_cutting(m, st));
    *out = m;
    return GS_OK;
fail:
    gs_mapped_merge_free(m);
    return st->code;
}

void gs_mapped_merge_free(gs_mapped_merge *m)
{
    if (m == NULL)
        return;
    gs_text_cut_free(m->cut);
    for (size_t i = 0; i < m->text_count; i++)
        gs_mem_free((void *)(uintptr_t)m->texts[i].last_line);
    gs_mem_free(m->texts);
    gs_mem_free(m->asked);
    gs_mem_free(m->rest);
    gs_mem_free(m->brought);
    gs_file_map_close(&m->map);
    pthread_mutex_destroy(&m->mutex);
    pthread_cond_destroy(&m->turn);
    gs_mem_free(m);
}

const gs_ordered_copy *gs_mapped_merge_copied(const gs_mapped_merge *m)
{
    return m->copied.is_done ? &m->copied : NULL;
}

const gs_memory_plan *gs_mapped_merge_plan(const gs_mapped_merge *m)
{
    return &m->plan;
}
