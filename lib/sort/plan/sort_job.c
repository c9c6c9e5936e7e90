/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/sort_job.h"

#include <stdio.h>
#include <string.h>

#include "io/run_block.h"
#include "lib/sort/plan/job_text.h"

static void put_key(FILE *to, size_t number, const gs_key *k)
{
    static const char types[] = {[GS_KEY_BYTES] = '-',
#define LETTER(name, letter, counts) [GS_KEY_##name] = letter,
                                 GS_KEY_TYPES(LETTER)
#undef LETTER
    };
    (void)fprintf(to, "key %zu: %zu.%zu", number, k->start_field, k->start_char);
    if (k->end_field != SIZE_MAX)
        (void)fprintf(to, ",%zu.%zu", k->end_field, k->end_char);
    (void)fprintf(to, " %c", types[k->type]);
#define PUT_MARK(name, mark, ...) (void)fputs(k->name ? mark : "", to);
    GS_KEY_SWITCHES(PUT_MARK)
#undef PUT_MARK
    (void)fputs(k->reverse ? "r\n" : "\n", to);
}

static void put_byte_key(FILE *to, size_t number, const gs_byte_key *k)
{
#define TEXT(name, text) text,
    static const char *const types[] = {GS_FIELD_TYPES(TEXT)};
#undef TEXT
    (void)fprintf(to, "key %zu: %zu:%zu:%s%s%s\n", number, k->offset, k->length,
                  types[k->type], k->is_little_endian ? "le" : "",
                  k->reverse ? ":r" : "");
}

static void put_path(FILE *to, const gs_json_path *path)
{
    const char *name = path->names;
    (void)fputs("of value:", to);
    for (size_t i = 0; i < path->depth; i++, name += strlen(name) + 1)
        (void)fprintf(to, " %zu %s", strlen(name), name);
    (void)fputc('\n', to);
}

/* Of each run another one, unless it is told what to draw it from. */
static void put_seed(FILE *to, const gs_order *order)
{
    bool is_wanted = false;
    for (size_t i = 0; i < order->key_count; i++)
        is_wanted |= order->keys[i].type == GS_KEY_RANDOM;
    if (!is_wanted)
        return;
    (void)fputs("random order: ", to);
    for (size_t i = 0; i < GS_ORDER_SEED_BYTES; i++)
        (void)fprintf(to, "%02x", order->random_seed[i]);
    (void)fputc('\n', to);
}

/* Not in the text, since the result is the same whatever they are, or since there is no
 * checkpoint with them (make lint wants every other field of the options in it): inputs,
 * input_count (the checkpoint has them and their stamps itself), input_record_sizes,
 * header_of_each (of joins), has_range, from, to (of parts), output, output_fd, taker,
 * memory_bytes, threads, batch_size, temp_folders, temp_folder_count, compress_program,
 * checkpoint, output_zstd, output_zstd_level, sums_output, sync_output, no_uring,
 * ends_by_pipe, no_map, verify, engine, gpu_memory_bytes, gpus, gpu_count, log, stats,
 * trace, cancel_signal. */
static void put_all(FILE *to, const void *context)
{
    const gs_sort_options *const o = context;
    const gs_order *const order = &o->order;
    (void)fprintf(to, "version: gpusort %s, runs %d\n", GS_VERSION, GS_RUN_BLOCK_VERSION);
    if (order->record_size > 0)
        (void)fprintf(to, "records: of %zu bytes\n", order->record_size);
    else
        (void)fprintf(to, "records: lines that end with byte %d\n", order->eol);
    if (order->delimiter == GS_ORDER_BLANK_FIELDS)
        (void)fputs("fields: apart by blanks\n", to);
    else
        (void)fprintf(to, "fields: apart by byte %d\n", order->delimiter);
    if (order->collation != NULL)
        (void)fprintf(to, "order of locale: %s\n", gs_collation_name(order->collation));
    if (gs_form_has_quotes(order->form))
        (void)fputs("fields: as in CSV\n", to);
    if (gs_form_is_objects(order->form))
        (void)fputs("fields: as in JSON\n", to);
    for (size_t i = 0; i < order->key_count; i++) {
        put_key(to, i + 1, &order->keys[i]);
        if (o->columns != NULL && o->columns[i] != NULL)
            (void)fprintf(to, "of column: %s\n", o->columns[i]);
        if (gs_form_is_objects(order->form))
            put_path(to, &order->json_paths[i]);
    }
    for (size_t i = 0; i < order->byte_key_count; i++)
        put_byte_key(to, i + 1, &order->byte_keys[i]);
    (void)fprintf(to, "reverse: %s\n", order->reverse ? "yes" : "no");
    (void)fprintf(to, "stable: %s\n", order->stable ? "yes" : "no");
    (void)fprintf(to, "unique: %s\n", order->unique ? "yes" : "no");
    (void)fprintf(to, "count: %s\n", o->count ? "yes" : "no");
    (void)fprintf(to, "header: %llu%s\n", (unsigned long long)o->header_lines,
                  o->has_columns ? " of each" : "");
    if (o->has_top)
        (void)fprintf(to, "top: %llu\n", (unsigned long long)o->top_count);
    (void)fprintf(to, "compressed inputs: %s\n",
                  o->keep_compressed ? "as they are" : "unpacked");
    put_seed(to, order);
}

gs_code gs_sort_job_text(char **out, const gs_sort_options *options, gs_status *st)
{
    return gs_job_text(out, put_all, options, st);
}
