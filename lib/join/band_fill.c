/* SPDX-License-Identifier: MIT */
#include "lib/join/band_fill.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/join/join_pair.h"

/* Lines that are longer, or add more, are cut again for each partner. */
enum { MADE_OF_MAX = 1 << 20, MADE_MAX = 1 << 22 };

/* What one worker has of the right side; apart from those of others. */
typedef struct filler {
    GS_MEM_APART gs_join_shelf shelf;
    gs_band_entry *index; /* of its blocks; lines count from its first one */
    size_t index_count, index_capacity;
    gs_join_fields fields; /* of the line that is added, and what is kept of it */
    gs_join_text kept;
    size_t portion;
} filler;

/* Where the lines of a portion are. */
typedef struct portion {
    unsigned worker;
    size_t first, end; /* blocks of its shelf; none: nobody came that far */
} portion;

struct gs_band_fill {
    const gs_join_format *format;
    filler *fillers;
    unsigned workers;
    portion *portions;
    size_t portion_max;
};

gs_code gs_band_fill_new(gs_band_fill **out, const gs_join_format *format,
                         gs_join_store *store, unsigned workers, size_t portion_max,
                         gs_status *st)
{
    gs_band_fill *f = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&f, sizeof *f, "right side of a band", st));
    f->format = format;
    f->portion_max = portion_max;
    if (gs_mem_new_array(&f->portions, portion_max, sizeof *f->portions, "portions",
                         st) != GS_OK ||
        gs_mem_new_apart(&f->fillers, workers * sizeof *f->fillers, "workers", st) !=
            GS_OK) {
        gs_band_fill_free(f);
        return st->code;
    }
    f->workers = workers;
    for (unsigned w = 0; w < workers; w++)
        f->fillers[w].shelf.store = store;
    *out = f;
    return GS_OK;
}

/* What only who adds needs. */
static void release_adding(filler *f)
{
    gs_mem_free(f->index);
    f->index = NULL;
    gs_join_fields_release(&f->fields);
    gs_join_text_release(&f->kept);
}

void gs_band_fill_free(gs_band_fill *f)
{
    if (f == NULL)
        return;
    for (unsigned w = 0; w < f->workers; w++) {
        release_adding(&f->fillers[w]);
        gs_join_shelf_release(&f->fillers[w].shelf);
    }
    gs_mem_free(f->fillers);
    gs_mem_free(f->portions);
    gs_mem_free(f);
}

void gs_band_fill_begin(gs_band_fill *fill, unsigned worker, size_t number)
{
    filler *const f = &fill->fillers[worker];
    gs_assert(worker < fill->workers && number < fill->portion_max);
    f->portion = number;
    fill->portions[number] = (portion){.worker = worker, .first = f->index_count};
    gs_join_shelf_seal(&f->shelf);
}

void gs_band_fill_end(gs_band_fill *fill, unsigned worker)
{
    const filler *const f = &fill->fillers[worker];
    fill->portions[f->portion].end = f->index_count;
}

/* What the line adds to pairs, if it is not too much; *is_made says so. */
static gs_code make_parts(const gs_join_format *format, filler *f, const uint8_t *line,
                          size_t bytes, bool *is_made, gs_status *st)
{
    *is_made = false;
    if (bytes > MADE_OF_MAX)
        return GS_OK;
    GS_TRY(gs_join_fields_cut(&f->fields, gs_join_order(format->options, GS_JOIN_RIGHT),
                              line, bytes, st));
    GS_TRY(gs_join_pair_make_right(format, &f->fields, &f->kept, st));
    *is_made = f->kept.used <= MADE_MAX;
    if (!*is_made)
        gs_join_text_release(&f->kept);
    return GS_OK;
}

/* On the shelf, and a block that it begins in the index. */
static gs_code put_on_shelf(filler *f, gs_join_number number, uint64_t made_bytes,
                            gs_status *st)
{
    gs_band_kept_head head = {.made_bytes = made_bytes};
    memcpy(head.number, &number, sizeof head.number);
    const gs_join_kept both = {.key = (const uint8_t *)&head,
                               .key_bytes = sizeof head,
                               .line = f->kept.data,
                               .line_bytes = f->kept.used};
    const uint64_t before = f->shelf.line_count;
    GS_TRY(gs_join_shelf_add(&f->shelf, &both, st));
    if (f->shelf.block_count == f->index_count)
        return GS_OK;
    GS_TRY(gs_mem_grow(&f->index, &f->index_capacity, f->index_count + 1,
                       "index of kept lines", st));
    f->index[f->index_count++] = (gs_band_entry){number, before};
    return GS_OK;
}

gs_code gs_band_fill_add(gs_band_fill *fill, unsigned worker, gs_join_number number,
                         const uint8_t *line, size_t bytes, gs_status *st)
{
    const gs_join_options *const o = fill->format->options;
    filler *const f = &fill->fillers[worker];
    gs_join_text *const kept = &f->kept;
    bool is_made = false;
    kept->used = 0;
    if (o->shows_pairs)
        GS_TRY(make_parts(fill->format, f, line, bytes, &is_made, st));
    const size_t made_bytes = kept->used;
    if (o->shows_unpaired[GS_JOIN_RIGHT] || (o->shows_pairs && !is_made)) {
        GS_TRY(gs_join_text_room(kept, bytes, st));
        if (bytes > 0)
            memcpy(kept->data + kept->used, line, bytes);
        kept->used += bytes;
    }
    return put_on_shelf(f, number, is_made ? made_bytes : GS_BAND_NOT_MADE, st);
}

/* How many lines are in a block. */
static uint64_t lines_of(const filler *f, size_t block)
{
    const uint64_t end =
        block + 1 < f->index_count ? f->index[block + 1].line : f->shelf.line_count;
    return end - f->index[block].line;
}

static gs_code take_portion(gs_band_fill *fill, const portion *p, gs_band_right *right,
                            gs_status *st)
{
    filler *const f = &fill->fillers[p->worker];
    uint64_t line = right->shelf.line_count;
    const size_t blocks = p->end - p->first;
    GS_TRY(gs_mem_grow(&right->index, &right->index_capacity, right->index_count + blocks,
                       "index of kept lines", st));
    for (size_t b = p->first; b < p->end; b++) {
        right->index[right->index_count++] = (gs_band_entry){f->index[b].number, line};
        line += lines_of(f, b);
    }
    return gs_join_shelf_take(&right->shelf, &f->shelf, p->first, blocks,
                              line - right->shelf.line_count, st);
}

gs_code gs_band_fill_join(gs_band_fill *fill, gs_band_right *right, gs_status *st)
{
    for (size_t p = 0; p < fill->portion_max; p++) {
        if (fill->portions[p].end > fill->portions[p].first)
            GS_TRY(take_portion(fill, &fill->portions[p], right, st));
    }
    for (unsigned w = 0; w < fill->workers; w++)
        release_adding(&fill->fillers[w]);
    return GS_OK;
}
