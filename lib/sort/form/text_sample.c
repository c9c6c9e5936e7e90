/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/text_sample.h"

enum { SAMPLE_LINE_MAX = 4096 }; /* how far a sample looks for the end of a line */

/* A record at or behind `at`; NULL if none is near. */
static const uint8_t *sample_record(const gs_text_sample_options *o,
                                    const gs_mapped_file *file, size_t at, size_t *bytes)
{
    const uint8_t *const text = o->map->base + file->begin;
    if (o->record_size > 0) {
        *bytes = o->record_size;
        return text + at / *bytes * *bytes;
    }
    const size_t left = file->bytes - at;
    const size_t most = left < SAMPLE_LINE_MAX ? left : SAMPLE_LINE_MAX;
    const size_t line = gs_line_find(text + at, most, o->layout->eol) + 1;
    if (line >= most)
        return NULL;
    *bytes = gs_line_find(text + at + line, most - line, o->layout->eol);
    return *bytes < most - line ? text + at + line : NULL;
}

gs_text_guess gs_text_sample_take(const gs_text_sample_options *o,
                                  gs_string_sample *sample, size_t want,
                                  uint8_t *key_room)
{
    enum { LOOK = 64, KEPT = 256 }; /* a look brings 16 pages */
    const size_t text = gs_file_map_text_bytes(o->map), part = text / want + 1;
    uint64_t state = 1;
    size_t file = 0, before = 0;    /* text in the files before */
    size_t ends = 0, looked_at = 0; /* in the 64 bytes behind each place */
    size_t key_bytes = 0;
    sample->count = sample->text_bytes = 0;
    for (size_t i = 0; i < want; i++) {
        if (o->leaves && i % KEPT == 0)
            gs_file_map_leave(o->map, 0, 1);
        const size_t at = i * (part - 1) + gs_splitters_place(&state, part);
        const gs_mapped_file *const files = o->map->files;
        while (file < o->map->file_count && at - before >= files[file].bytes)
            before += files[file++].bytes;
        if (file == o->map->file_count)
            break;
        if (at >= before && files[file].bytes - (at - before) >= LOOK) {
            const uint8_t *const here = o->map->base + files[file].begin + (at - before);
            ends += (size_t)__builtin_popcountll(gs_line_mask(here, o->layout->eol));
            looked_at += LOOK;
        }
        size_t bytes;
        const uint8_t *const record =
            at >= before ? sample_record(o, &files[file], at - before, &bytes) : NULL;
        if (record == NULL)
            continue;
        const uint8_t *const string = o->encoder ? key_room : record;
        size_t string_bytes = bytes;
        if (o->encoder != NULL)
            string_bytes =
                gs_line_string_put(o->layout, o->encoder, record, bytes, key_room);
        gs_string_sample_add(sample, string, string_bytes);
        key_bytes += string_bytes - bytes;
    }
    return (gs_text_guess){
        .records = o->record_size > 0 ? text / o->record_size + 1
                                      : (size_t)((double)text * (double)(ends + 1) /
                                                 (double)(looked_at + LOOK)) +
                                            1,
        .key_bytes = sample->count > 0 ? key_bytes / sample->count : 0,
    };
}
