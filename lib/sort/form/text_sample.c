/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/text_sample.h"

#include "lib/base/mem.h"

enum {
    LINE_MAX_BYTES = 4096, /* how far a sample looks for the end of a line */
    LOOK_BYTES = 512,      /* where most find it */
    DENSITY_BYTES = 64,    /* in which ends of lines are counted */
    TOGETHER_MIN = 1024,   /* fewer are sooner read than other threads are there */
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

/* What one thread found. */
typedef struct text_share {
    GS_MEM_APART gs_string_sample_part strings;
    size_t ends, looked_at; /* of lines, among so many bytes */
    size_t key_bytes;       /* that strings have more than their records */
} text_share;

typedef struct text_sampling {
    const gs_text_sample_options *options;
    gs_string_sample *sample;
    size_t want;
    bool is_alone; /* the calling thread looks everywhere */
    text_share *shares;
} text_sampling;

static unsigned shares_of(const text_sampling *s)
{
    return s->is_alone ? 1 : gs_team_workers(s->options->team);
}

/* Which of the places to look at are those of a share. */
static size_t first_place(const text_sampling *s, unsigned share)
{
    return s->want * share / shares_of(s);
}

/* The record at the look goes into the share. */
static void add_record(const gs_text_sample_options *o, text_look *look,
                       text_share *share, uint8_t *key_room)
{
    if (o->record_size == 0) {
        look_at(look, look->at, LOOK_BYTES);
        count_ends(look, o->layout->eol, &share->ends, &share->looked_at);
    }
    size_t bytes;
    const uint8_t *const record = sample_record(o, look, &bytes);
    if (record == NULL)
        return;
    if (o->encoder == NULL) {
        gs_string_sample_add(&share->strings, record, bytes);
        return;
    }
    const size_t string_bytes =
        gs_line_string_put(o->layout, o->encoder, record, bytes, key_room);
    gs_string_sample_add(&share->strings, key_room, string_bytes);
    share->key_bytes += string_bytes - bytes;
}

/* One record of each part of the text. */
static gs_code take_share(void *context, unsigned worker, gs_status *st)
{
    const text_sampling *const s = context;
    const gs_text_sample_options *const o = s->options;
    const gs_mapped_file *const files = o->map->files;
    const size_t part = gs_file_map_text_bytes(o->map) / s->want + 1;
    const size_t end = first_place(s, worker + 1);
    text_share *const share = &s->shares[worker];
    uint8_t *key_room = NULL;
    size_t file = 0, before = 0; /* text in the files before */
    text_look look = {0};
    if (o->encoder != NULL)
        GS_TRY(gs_mem_new(&key_room, o->key_room, "a key", st));
    share->strings =
        (gs_string_sample_part){.of = s->sample, .first = first_place(s, worker)};
    uint64_t state = gs_splitters_behind(1, share->strings.first);
    for (size_t i = share->strings.first; i < end; i++) {
        const size_t at = i * (part - 1) + gs_splitters_place(&state, part);
        while (file < o->map->file_count && at - before >= files[file].bytes)
            before += files[file++].bytes;
        if (file == o->map->file_count)
            break;
        look.file = &files[file];
        look.at = at - before;
        add_record(o, &look, share, key_room);
    }
    gs_mem_free(key_room);
    return GS_OK;
}

/* What all shares say together. */
static gs_text_guess join_shares(const text_sampling *s)
{
    const gs_text_sample_options *const o = s->options;
    const size_t text = gs_file_map_text_bytes(o->map);
    size_t ends = 0, looked_at = 0, key_bytes = 0;
    for (unsigned i = 0; i < shares_of(s); i++) {
        const text_share *const share = &s->shares[i];
        gs_string_sample_join(s->sample, &share->strings);
        ends += share->ends;
        looked_at += share->looked_at;
        key_bytes += share->key_bytes;
    }
    return (gs_text_guess){
        .records = o->record_size > 0 ? text / o->record_size + 1
                                      : (size_t)((double)text * (double)(ends + 1) /
                                                 (double)(looked_at + DENSITY_BYTES)) +
                                            1,
        .key_bytes = s->sample->count > 0 ? key_bytes / s->sample->count : 0,
    };
}

gs_code gs_text_sample_take(const gs_text_sample_options *o, gs_string_sample *sample,
                            size_t want, gs_text_guess *guess, gs_status *st)
{
    text_sampling s = {
        .options = o, .sample = sample, .want = want, .is_alone = want < TOGETHER_MIN};
    sample->count = 0;
    GS_TRY(gs_mem_new_apart(&s.shares, shares_of(&s) * sizeof *s.shares, "a sample", st));
    GS_NOTED(s.is_alone ? take_share(&s, 0, st)
                        : gs_team_run(o->team, take_share, &s, st));
    if (st->code == GS_OK)
        *guess = join_shares(&s);
    gs_mem_free(s.shares);
    return st->code;
}
