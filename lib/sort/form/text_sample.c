/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/text_sample.h"

enum {
    LINE_MAX_BYTES = 4096, /* how far a sample looks for the end of a line */
    LOOK_BYTES = 512,      /* where most find it */
    DENSITY_BYTES = 64,    /* in which ends of lines are counted */
};

/* Bytes of a file, read from where somebody wants to look. */
typedef struct text_look {
    const gs_mapped_file *file;
    size_t at, bytes; /* of the file */
    uint8_t text[LINE_MAX_BYTES + GS_KEY_READ_SLACK];
} text_look;

/* Reads from `at` on, but nothing that was added to the file since it was mapped. */
static void look_at(text_look *look, size_t at, size_t bytes)
{
    const size_t left = look->file->bytes - at;
    look->at = at;
    look->bytes =
        gs_file_map_read(look->file, at, look->text, bytes < left ? bytes : left);
}

/* The next line that begins in the look; false if it does not end there. */
static bool find_line(const text_look *look, uint8_t eol, size_t *begin, size_t *bytes)
{
    *begin = gs_line_find(look->text, look->bytes, eol) + 1;
    if (*begin >= look->bytes)
        return false;
    *bytes = gs_line_find(look->text + *begin, look->bytes - *begin, eol);
    return *begin + *bytes < look->bytes;
}

/* A record at or behind the look, or as much of it as there is room for; NULL if none is
 * near. */
static const uint8_t *sample_record(const gs_text_sample_options *o, text_look *look,
                                    size_t *bytes)
{
    size_t begin = 0;
    if (o->record_size > 0) {
        const size_t most =
            o->record_size < LINE_MAX_BYTES ? o->record_size : LINE_MAX_BYTES;
        *bytes = o->record_size;
        look_at(look, look->at / *bytes * *bytes, most);
        return look->bytes == most ? look->text : NULL;
    }
    if (find_line(look, o->layout->eol, &begin, bytes))
        return look->text + begin;
    if (look->bytes < LOOK_BYTES)
        return NULL; /* the file ends */
    look_at(look, look->at, LINE_MAX_BYTES);
    return find_line(look, o->layout->eol, &begin, bytes) ? look->text + begin : NULL;
}

/* How many lines end among so many bytes, where the look has them. */
static void count_ends(const text_look *look, uint8_t eol, size_t *ends, size_t *of_bytes)
{
    if (look->bytes < DENSITY_BYTES)
        return;
    *ends += (size_t)__builtin_popcountll(gs_line_mask(look->text, eol));
    *of_bytes += DENSITY_BYTES;
}

gs_text_guess gs_text_sample_take(const gs_text_sample_options *o,
                                  gs_string_sample *sample, size_t want,
                                  uint8_t *key_room)
{
    const gs_mapped_file *const files = o->map->files;
    const size_t text = gs_file_map_text_bytes(o->map), part = text / want + 1;
    uint64_t state = 1;
    size_t file = 0, before = 0; /* text in the files before */
    size_t ends = 0, looked_at = 0;
    size_t key_bytes = 0;
    text_look look = {0};
    sample->count = sample->text_bytes = 0;
    for (size_t i = 0; i < want; i++) {
        const size_t at = i * (part - 1) + gs_splitters_place(&state, part);
        while (file < o->map->file_count && at - before >= files[file].bytes)
            before += files[file++].bytes;
        if (file == o->map->file_count)
            break;
        if (at < before)
            continue;
        look.file = &files[file];
        look.at = at - before;
        if (o->record_size == 0) {
            look_at(&look, look.at, LOOK_BYTES);
            count_ends(&look, o->layout->eol, &ends, &looked_at);
        }
        size_t bytes;
        const uint8_t *const record = sample_record(o, &look, &bytes);
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
                                                 (double)(looked_at + DENSITY_BYTES)) +
                                            1,
        .key_bytes = sample->count > 0 ? key_bytes / sample->count : 0,
    };
}
