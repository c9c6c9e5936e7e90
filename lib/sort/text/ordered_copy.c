/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/ordered_copy.h"

#include <stdatomic.h>
#include <string.h>

#include "io/file_pages.h"
#include "io/quick_write.h"
#include "io/write_all.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

enum {
    SAMPLED = 64,
    SAMPLE_BYTES = 4096,     /* in which a line is looked for */
    BEFORE_BYTES = 16 << 10, /* that hold the line before a part and the end of another */
    SLACK = 64,              /* behind a text, to be read */
};

typedef struct gs_copy_job {
    const gs_ordered_copy_options *options;
    uint64_t total_bytes; /* of the output */
    size_t part_count, before_bytes;
    bool is_reversed;
    gs_file_pages *pages; /* of the output; NULL: it is written */
    atomic_size_t next_part;
    atomic_bool is_over; /* it is not for this */
    _Atomic uint64_t records;
} gs_copy_job;

/* The text of a part, with what is read before it, and the same line by line from the
 * end. */
typedef struct gs_copy_worker {
    uint8_t *text, *turned;
    size_t turned_at; /* where it begins: it is filled from its end */
    gs_quick_writer writer;
} gs_copy_worker;

typedef struct gs_some_line {
    const uint8_t *bytes;
    size_t length;
} gs_some_line;

/* < 0 if the first line goes before the second. */
static int compare(const gs_ordered_copy_options *o, gs_some_line a, gs_some_line b)
{
    const int d = gs_string_compare(a.bytes, a.length, b.bytes, b.length, 0);
    return o->is_backwards ? -d : d;
}

/* --- before all is read ----------------------------------------------------------- */

/* A whole line at or behind `offset`; false if none is near. */
static bool sample_line(const gs_ordered_copy_options *o, uint64_t offset, uint8_t *room,
                        gs_some_line *line)
{
    size_t n;
    if (gs_pread_all(o->from, room, SAMPLE_BYTES, offset, &n) != 0)
        return false;
    const size_t begin = offset > 0 ? gs_line_find(room, n, o->eol) + 1 : 0;
    if (begin >= n)
        return false;
    *line = (gs_some_line){room + begin, gs_line_find(room + begin, n - begin, o->eol)};
    return line->length < n - begin;
}

/* Do some lines stand in one order, and in which? */
static bool is_ordered_sample(const gs_ordered_copy_options *o, bool *is_reversed)
{
    uint8_t room[2][SAMPLE_BYTES];
    gs_some_line last = {0};
    bool has_way = false;
    *is_reversed = false;
    for (unsigned i = 0; i < SAMPLED; i++) {
        gs_some_line line;
        if (!sample_line(o, o->bytes / SAMPLED * i, room[i % 2], &line))
            return false;
        const int d = i > 0 ? compare(o, last, line) : 0;
        if (d != 0 && has_way && *is_reversed != (d > 0))
            return false;
        if (d != 0) {
            has_way = true;
            *is_reversed = d > 0;
        }
        last = line;
    }
    return o->may_be_reversed || !*is_reversed;
}

/* --- a part ----------------------------------------------------------------------- */

/* What one looks at: the line before the first that ends in the part, which may be none,
 * and those that do. */
typedef struct gs_copy_part {
    uint64_t begin; /* in the file */
    size_t bytes;   /* of it, behind `before` others in the text */
    size_t before;
    size_t look_from;   /* in the text, where a line begins */
    size_t first_begin; /* where the first line begins that ends in the part */
    bool is_open;       /* the last line of the file is in it and had no end */
} gs_copy_part;

/* Reads a part; false if it cannot be told where its first line begins. */
static bool read_part(const gs_copy_job *job, const gs_copy_worker *w, size_t number,
                      gs_copy_part *part)
{
    const gs_ordered_copy_options *const o = job->options;
    const uint64_t begin = (uint64_t)number * o->part_bytes, left = o->bytes - begin;
    *part = (gs_copy_part){.begin = begin,
                           .bytes = left < o->part_bytes ? (size_t)left : o->part_bytes,
                           .before = number > 0 ? job->before_bytes : 0};
    const size_t want = part->before + part->bytes;
    size_t n;
    if (gs_pread_all(o->from, w->text, want, begin - part->before, &n) != 0 || n < want)
        return false;
    part->is_open = begin + part->bytes == o->bytes && w->text[want - 1] != o->eol;
    if (part->is_open)
        w->text[want] = o->eol;
    if (number == 0)
        return true;
    const bool is_all = begin == part->before;
    part->first_begin = gs_line_find_last(w->text, part->before, o->eol);
    if (part->first_begin > 0)
        part->look_from = gs_line_find_last(w->text, part->first_begin - 1, o->eol);
    return is_all || part->look_from > 0;
}

/* Compares the lines of a part, each with the one before it, and turns them round if that
 * is what they need. False if one is out of place. */
static bool look_at_part(gs_copy_job *job, gs_copy_worker *w, const gs_copy_part *part,
                         uint64_t *records)
{
    const gs_ordered_copy_options *const o = job->options;
    const uint8_t *const text = w->text + part->look_from;
    const size_t bytes = part->before + part->bytes + part->is_open - part->look_from;
    const size_t first = part->first_begin - part->look_from;
    const bool is_reversed = job->is_reversed, goes_down = o->is_backwards != is_reversed;
    gs_line_iter it = gs_line_iter_begin(text, bytes, o->eol);
    size_t last = 0, last_bytes = 0, at = w->turned_at;
    bool has_last = false, is_good = true;
    uint64_t count = 0;
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it)) {
            const size_t length = it.end - it.begin;
            const int d = has_last ? gs_string_compare(text + last, last_bytes,
                                                       text + it.begin, length, 0)
                                   : 0;
            is_good = is_good && (goes_down ? d >= 0 : d <= 0);
            last = it.begin;
            last_bytes = length;
            has_last = true;
            count += it.begin >= first;
            if (is_reversed && it.begin >= first) {
                at -= length + 1;
                memcpy(w->turned + at, text + it.begin, length + 1);
            }
        }
        if (!is_good)
            return false;
    }
    w->turned_at = at;
    *records += count;
    return true;
}

/* To pages that nobody else fills; what goes beyond them is a byte of the last part. */
static bool fill_part(const gs_copy_job *job, const gs_copy_worker *w,
                      const gs_copy_part *part)
{
    uint8_t *to;
    if (gs_file_pages_get(job->pages, part->begin, part->bytes, job->total_bytes, &to) !=
        0)
        return false;
    memcpy(to, w->text + part->before, part->bytes);
    gs_file_pages_drop(job->pages, part->begin);
    return !part->is_open || gs_pwrite_all(job->options->to, &job->options->eol, 1,
                                           part->begin + part->bytes) == 0;
}

/* Where they belong. */
static bool write_part(const gs_copy_job *job, gs_copy_worker *w,
                       const gs_copy_part *part, size_t turned_bytes)
{
    if (job->pages != NULL)
        return fill_part(job, w, part);
    if (!job->is_reversed)
        return gs_quick_write(&w->writer, w->text + part->before,
                              part->bytes + part->is_open, part->begin) == 0;
    const uint64_t begin = part->begin - part->before + part->first_begin;
    return gs_quick_write(&w->writer, w->turned + w->turned_at, turned_bytes,
                          job->total_bytes - begin - turned_bytes) == 0;
}

static gs_code copy_part(gs_copy_job *job, gs_copy_worker *w, size_t number,
                         uint64_t *records, gs_status *st)
{
    const gs_ordered_copy_options *const o = job->options;
    const size_t room = job->before_bytes + o->part_bytes + 1;
    gs_copy_part part;
    GS_TRY(gs_cancel_check(o->cancel, st));
    w->turned_at = room;
    if (!read_part(job, w, number, &part) || !look_at_part(job, w, &part, records) ||
        !write_part(job, w, &part, room - w->turned_at))
        atomic_store(&job->is_over, true);
    else if (o->copied_bytes != NULL)
        atomic_fetch_add(o->copied_bytes, part.bytes);
    return GS_OK;
}

/* --- all -------------------------------------------------------------------------- */

/* The last part comes first: what was appended is there. */
static gs_code copy_parts(gs_copy_job *job, gs_copy_worker *w, gs_status *st)
{
    uint64_t records = 0;
    for (size_t i; (i = atomic_fetch_add(&job->next_part, 1)) < job->part_count;) {
        if (atomic_load(&job->is_over))
            return GS_OK;
        const size_t number = i == 0 ? job->part_count - 1 : i - 1;
        GS_TRY(copy_part(job, w, number, &records, st));
    }
    atomic_fetch_add(&job->records, records);
    return GS_OK;
}

static gs_code copy_worker(void *context, unsigned number, gs_status *st)
{
    gs_copy_job *const job = context;
    const size_t room = job->before_bytes + job->options->part_bytes + 1 + SLACK;
    gs_copy_worker w = {0};
    (void)number;
    gs_quick_writer_begin(&w.writer, job->options->to, job->options->way);
    if (gs_mem_map(&w.text, room, false, "a part of the input", st) == GS_OK &&
        (!job->is_reversed ||
         gs_mem_new(&w.turned, room, "a part of the input", st) == GS_OK))
        GS_NOTED(copy_parts(job, &w, st));
    if (st->code != GS_OK)
        atomic_store(&job->is_over, true);
    gs_quick_writer_end(&w.writer);
    gs_mem_unmap(w.text, room);
    gs_mem_free(w.turned);
    return st->code;
}

/* Of lines in order the parts are stretches of the file; who is refused writes. */
static void open_pages(gs_copy_job *job)
{
    const gs_ordered_copy_options *const o = job->options;
    gs_status refusal = {.code = GS_OK};
    if (!o->fills_pages || job->is_reversed || !gs_file_pages_fit(o->to))
        return;
    if (gs_file_pages_new(&job->pages, o->to, 0, o->part_bytes, o->space, &refusal) !=
        GS_OK)
        job->pages = NULL;
}

gs_code gs_ordered_copy_run(gs_ordered_copy *out, const gs_ordered_copy_options *options,
                            gs_status *st)
{
    gs_copy_job job = {.options = options};
    const size_t part = options->part_bytes;
    uint8_t last = options->eol;
    size_t n;
    *out = (gs_ordered_copy){0};
    if (!is_ordered_sample(options, &job.is_reversed) ||
        gs_pread_all(options->from, &last, 1, options->bytes - 1, &n) != 0)
        return GS_OK;
    job.total_bytes = options->bytes + (last != options->eol);
    job.part_count = (size_t)((options->bytes + part - 1) / part);
    job.before_bytes = part < BEFORE_BYTES ? part : BEFORE_BYTES;
    open_pages(&job);
    GS_NOTED(gs_team_run(options->team, copy_worker, &job, st));
    gs_file_pages_free(job.pages);
    GS_TRY(st->code);
    *out = (gs_ordered_copy){.is_done = !atomic_load(&job.is_over),
                             .was_begun = true,
                             .is_reversed = job.is_reversed,
                             .records = atomic_load(&job.records),
                             .bytes = job.total_bytes};
    return GS_OK;
}
