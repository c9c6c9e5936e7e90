/* SPDX-License-Identifier: MIT */
#include "lib/api/api_order.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "lib/api/api_key.h"
#include "lib/base/mem.h"

static bool is_random(const gpusort_order *asked)
{
    bool is_wanted = false;
    for (size_t i = 0; i < asked->key_count; i++)
        is_wanted |= asked->keys[i].kind == GPUSORT_RANDOM;
    return is_wanted;
}

/* What names a key has: of a column, or down to a value. */
static gs_code take_paths(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    bool is_named = false;
    if (asked->form == GPUSORT_LINES && asked->paths != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "keys of lines have no names");
    if (asked->form == GPUSORT_JSON &&
        (asked->key_count == 0 || asked->key_count > GPUSORT_JSON_KEYS_MAX))
        return GS_FAIL(st, GS_ERR_ARG, 0, "%zu keys of JSON, and not 1 to %d",
                       asked->key_count, GPUSORT_JSON_KEYS_MAX);
    if (asked->form == GPUSORT_LINES)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&s->paths, asked->key_count, sizeof *s->paths, "keys", st));
    GS_TRY(
        gs_mem_new_array(&s->columns, asked->key_count, sizeof *s->columns, "keys", st));
    for (size_t i = 0; i < asked->key_count; i++) {
        GS_TRY(gs_api_take_path(&s->keys[i], &s->paths[i],
                                asked->paths != NULL ? &asked->paths[i] : NULL,
                                asked->form, st));
        s->columns[i] = s->paths[i].names;
        is_named |= s->columns[i] != NULL;
    }
    if (asked->form == GPUSORT_JSON)
        s->options.order.json_paths = s->paths;
    else if (is_named && s->asked.header_lines == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "columns have no names without a header");
    else if (is_named)
        s->options.columns = s->columns;
    return GS_OK;
}

static gs_code take_keys(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    /* One more: what equal keys are compared by in a locale. */
    GS_TRY(gs_mem_new_array(&s->keys, asked->key_count + 1, sizeof *s->keys, "keys", st));
    GS_TRY(gs_mem_new_array(&s->byte_keys, asked->byte_key_count, sizeof *s->byte_keys,
                            "keys", st));
    for (size_t i = 0; i < asked->key_count; i++)
        GS_TRY(gs_api_take_key(&s->keys[i], &asked->keys[i], st));
    for (size_t i = 0; i < asked->byte_key_count; i++)
        GS_TRY(gs_api_take_byte_key(&s->byte_keys[i], &asked->byte_keys[i],
                                    asked->record_bytes, st));
    return take_paths(s, st);
}

/* Lines whose keys are equal are compared as a whole, as a last key, and stay as they
 * came if a locale cannot tell them apart. */
static gs_code take_locale(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    gs_order *const order = &s->options.order;
    if (!asked->follows_locale)
        return GS_OK;
    if (asked->record_bytes > 0 || s->asked.counts || is_random(asked))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "no locale has an order of records of a fixed size, of lines that "
                       "are counted or of what is random");
    GS_TRY(gs_collation_new(&s->collation, st));
    order->collation = s->collation;
    if (s->collation == NULL || asked->form != GPUSORT_LINES ||
        (asked->key_count > 0 && (asked->is_stable || asked->is_unique)))
        return GS_OK;
    s->keys[order->key_count++] =
        (gs_key){.end_field = SIZE_MAX, .reverse = asked->is_reverse != 0};
    order->stable = true;
    return GS_OK;
}

static gs_code take_seed(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    uint8_t *const seed = s->options.order.random_seed;
    if (!is_random(asked))
        return GS_OK;
    if (asked->random_seed != NULL)
        memcpy(seed, asked->random_seed, GPUSORT_SEED_BYTES);
    else if (s->asked.checkpoint != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a random order with a checkpoint needs a seed");
    else if (getrandom(seed, GPUSORT_SEED_BYTES, 0) != GPUSORT_SEED_BYTES)
        return GS_FAIL(st, GS_ERR_IO, errno, "open failed: getrandom");
    return GS_OK;
}

static gs_code take_order(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    const bool is_lines = asked->form == GPUSORT_LINES;
    if ((asked->record_bytes > 0 &&
         (asked->key_count > 0 || asked->ends_with_nul || !is_lines)) ||
        (asked->record_bytes == 0 && asked->byte_key_count > 0))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "keys of lines and of records of a fixed size at once");
    GS_TRY(take_keys(s, st));
    s->options.has_columns = gs_api_is_table(asked);
    gs_order *const order = &s->options.order;
    order->keys = s->keys;
    order->key_count = asked->key_count;
    order->stable = asked->is_stable != 0;
    order->unique = asked->is_unique != 0;
    order->reverse = asked->is_reverse != 0;
    order->record_size = asked->record_bytes;
    order->byte_keys = s->byte_keys;
    order->byte_key_count = asked->byte_key_count;
    GS_TRY(gs_api_take_fields(order, asked, st));
    GS_TRY(take_locale(s, st));
    return take_seed(s, st);
}

static gs_code check(const gpusort_sort_options *asked, gs_status *st)
{
    enum { LEVEL_MAX = 22 };
    GS_TRY(gs_api_check_reserved(
        asked->order.reserved,
        sizeof asked->order.reserved / sizeof *asked->order.reserved, st));
    if (asked->counts && asked->order.record_bytes > 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records of a fixed size are not counted");
    if (asked->header_lines > 0 && asked->order.record_bytes > 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records of a fixed size have no header");
    if (asked->checkpoint != NULL && asked->compress_program != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "what a checkpoint keeps is not packed by a program");
    if (asked->output_level < 0 || asked->output_level > LEVEL_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no level of zstd: %d", asked->output_level);
    return GS_OK;
}

/* Not looked at here (make lint wants whatever else there is of options): inputs,
 * input_count, output_fd, taker, which the calls have; input_record_sizes (of binary
 * joins), has_range, from, to (of parts), header_of_each (of joins). Of an order:
 * reserved. */
gs_code gs_api_sort_init(gs_api_sort *s, const gpusort_sort_options *given, gs_status *st)
{
    *s = (gs_api_sort){0};
    GS_TRY(gs_api_take_options(&s->asked, sizeof s->asked, given, st));
    const gpusort_sort_options *const asked = &s->asked;
    const gpusort_job *const job = &asked->job;
    GS_TRY(check(asked, st));
    s->options = (gs_sort_options){
        .output = asked->output,
        .memory_bytes = job->memory_bytes,
        .threads = job->threads,
        .batch_size = asked->batch_size,
        .compress_program = asked->compress_program,
        .temp_folders = job->temp_folders,
        .temp_folder_count = job->temp_folder_count,
        .checkpoint = asked->checkpoint,
        .header_lines = asked->header_lines,
        .top_count = asked->top_count,
        .has_top = asked->has_top != 0,
        .count = asked->counts != 0,
        .output_zstd = asked->output_zstd != 0,
        .output_zstd_level = asked->output_level,
        .sums_output = asked->sums_output != 0,
        .sync_output = asked->syncs_output != 0,
        .no_uring = (job->flags & GPUSORT_NO_URING) != 0,
        .ends_by_pipe = (job->flags & GPUSORT_ENDS_BY_PIPE) != 0,
        .no_map = !asked->may_map,
        .keep_compressed = asked->keeps_packed != 0,
        .verify = asked->verifies != 0,
        .engine = job->engine,
        .gpu_memory_bytes = job->gpu_memory_bytes,
        .gpus = job->gpus,
        .gpu_count = job->gpu_count,
    };
    GS_TRY(take_order(s, st));
    GS_TRY(gs_api_job_open(&s->job, job, st));
    s->options.stats = &s->job.stats->index.sort;
    s->options.trace = s->job.stats->trace;
    s->options.log = &s->job.log;
    s->options.cancel_signal = &s->job.cancel;
    return GS_OK;
}

void gs_api_sort_release(gs_api_sort *s)
{
    if (s->options.log != NULL)
        gs_api_job_close(&s->job);
    gs_collation_free(s->collation);
    gs_mem_free(s->keys);
    gs_mem_free(s->paths);
    gs_mem_free(s->columns);
    gs_mem_free(s->byte_keys);
}
