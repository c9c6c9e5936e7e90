/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/stretches.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "io/file_map.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"

enum {
    SAMPLED = 512,
    LINE_MAX = 1 << 20,   /* a longer line is looked for no further */
    PART_BYTES = 4 << 20, /* looked at by one thread at a time */
    ASK_AHEAD = 4,        /* parts */
};

/* The beginning of a stretch. */
typedef struct gs_stretch_begin {
    size_t text;
    const uint8_t *at;
} gs_stretch_begin;

/* Lines to be looked at: those that begin in it. */
typedef struct gs_stretch_part {
    size_t text;
    const uint8_t *begin, *end;
} gs_stretch_part;

typedef struct gs_stretch_search {
    const gs_stretches_options *options;
    size_t line_bytes_max;
    size_t part_count; /* of all texts, or */
    bool is_guess;     /* these: two lines may be out of order in each, or they are the
                          last of a text */
    gs_stretch_part guessed[2 * GS_STRETCHES_MAX];
    size_t guessed_count;
    bool is_reversed; /* a line that belongs behind the one before it is out of place */
    atomic_size_t next_part;
    atomic_bool is_over;

    pthread_mutex_t mutex; /* guards what follows */
    gs_stretch_begin begins[GS_STRETCHES_MAX];
    size_t count;
} gs_stretch_search;

/* --- before all is read ----------------------------------------------------------- */

/* The line that begins behind `at`; NULL if there is none that is short. */
static const uint8_t *line_behind(const gs_stretch_search *s, const gs_text *text,
                                  const uint8_t *at)
{
    const gs_text_form *const form = &s->options->form;
    if (form->record_size == 0) {
        const size_t left = (size_t)(text->end - at);
        const size_t most = left < s->line_bytes_max ? left : s->line_bytes_max;
        if (gs_line_find(at, most, form->layout->eol) == most && most < left)
            return NULL;
    }
    return gs_text_next_line(form, text, at);
}

static int compare(const gs_text_form *form, const gs_merge_head *a,
                   const gs_merge_head *b)
{
    const int d =
        gs_string_compare(a->string, a->string_bytes, b->string, b->string_bytes, 0);
    return form->layout->is_backwards ? -d : d;
}

static void guess_part(gs_stretch_search *s, const gs_text *text, const uint8_t *begin,
                       const uint8_t *end)
{
    if (s->guessed_count < 2 * GS_STRETCHES_MAX)
        s->guessed[s->guessed_count++] =
            (gs_stretch_part){(size_t)(text - s->options->texts), begin, end};
}

/* Do some lines of the text allow for so few stretches? And for one that is reversed, in
 * which none of them goes up? */
static gs_code sample_text(gs_stretch_search *s, const gs_text *text, size_t *stretches,
                           bool *may_be_reversed, gs_status *st)
{
    const gs_text_form *const form = &s->options->form;
    const size_t bytes = (size_t)(text->end - text->begin), step = bytes / SAMPLED;
    gs_text_cursor lines[2] = {{0}};
    gs_merge_head heads[2];
    const uint8_t *last = text->begin;
    bool has_last = false;
    *stretches += 1;
    for (size_t i = 0;
         i < SAMPLED && (*stretches <= GS_STRETCHES_MAX || *may_be_reversed); i++) {
        const unsigned now = i % 2;
        const uint8_t *const at = text->begin + step * i;
        const uint8_t *const line = line_behind(s, text, at);
        const uint8_t *const next =
            line != NULL && line < text->end ? line_behind(s, text, line) : line;
        if (next == NULL) {
            *stretches = SIZE_MAX;
            *may_be_reversed = false;
            break;
        }
        if (line == text->end)
            break;
        GS_TRY_OR_FAIL(gs_text_cursor_start(&lines[now], form, text, line, text->end,
                                            &heads[now], st));
        const int d = has_last ? compare(form, &heads[!now], &heads[now]) : 0;
        *stretches += d > 0;
        if (d > 0)
            guess_part(s, text, last, line);
        last = line;
        *may_be_reversed = *may_be_reversed && d >= 0;
        has_last = true;
        if (i >= 2)
            gs_file_map_leave_part(at - 2 * step, step);
    }
    guess_part(s, text, last, text->end);
fail:
    gs_file_map_leave_part(text->begin, bytes);
    gs_text_cursor_release(&lines[0]);
    gs_text_cursor_release(&lines[1]);
    return st->code;
}

/* --- all lines -------------------------------------------------------------------- */

static size_t parts_of(const gs_text *text)
{
    return ((size_t)(text->end - text->begin) + PART_BYTES - 1) / PART_BYTES;
}

static void note(gs_stretch_search *s, size_t text, const uint8_t *at)
{
    pthread_mutex_lock(&s->mutex);
    if (s->count < (s->is_reversed ? 1 : GS_STRETCHES_MAX))
        s->begins[s->count++] = (gs_stretch_begin){text, at};
    else
        atomic_store(&s->is_over, true);
    pthread_mutex_unlock(&s->mutex);
}

/* Most lines differ in their first 64 bytes. `next` comes later in the text. */
static inline int compare_neighbours(const uint8_t *line, size_t bytes,
                                     const uint8_t *next, size_t next_bytes)
{
    const size_t common = bytes < next_bytes ? bytes : next_bytes;
    const uint64_t others = ~gs_same_mask(line, next);
    const size_t differ = others != 0 ? (size_t)__builtin_ctzll(others) : SIZE_MAX;
    return differ < common ? line[differ] - next[differ]
                           : gs_string_compare(line, bytes, next, next_bytes, 0);
}

/* Two lines, one behind the other, of lines that are their own strings. */
static inline void look_at_two(gs_stretch_search *s, size_t number, const uint8_t *line,
                               size_t bytes, const uint8_t *next, size_t next_bytes)
{
    const int d = compare_neighbours(line, bytes, next, next_bytes);
    const bool is_backwards = s->options->form.layout->is_backwards;
    if (is_backwards != s->is_reversed ? d < 0 : d > 0)
        note(s, number, next);
}

/* The same as below of such lines, which is most of the time. */
static void look_at_lines(gs_stretch_search *s, size_t number, const uint8_t *at,
                          const uint8_t *end)
{
    const gs_text *const text = &s->options->texts[number];
    const size_t bytes = (size_t)(text->end - at), inside = (size_t)(end - at);
    gs_line_iter it = gs_line_iter_begin(at, bytes, s->options->form.layout->eol);
    size_t last = 0, last_bytes = 0;
    bool has_last = false;
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it)) {
            const size_t now_bytes = it.end - it.begin;
            if (has_last)
                look_at_two(s, number, at + last, last_bytes, at + it.begin, now_bytes);
            if (it.begin >= inside)
                return;
            if (now_bytes > s->line_bytes_max)
                atomic_store(&s->is_over, true);
            last = it.begin;
            last_bytes = now_bytes;
            has_last = true;
        }
        if (atomic_load_explicit(&s->is_over, memory_order_relaxed))
            return;
    }
    const size_t rest_bytes = bytes - it.rest; /* of a line without its end */
    if (has_last && rest_bytes > 0)
        look_at_two(s, number, at + last, last_bytes, at + it.rest, rest_bytes);
    if (it.rest < inside && rest_bytes > s->line_bytes_max)
        atomic_store(&s->is_over, true);
}

/* Looks at the lines that begin in a part, and at each that follows one of them. */
static gs_code look_at_part(gs_stretch_search *s, gs_text_cursor *c, size_t number,
                            const uint8_t *begin, const uint8_t *end, gs_status *st)
{
    const gs_text *const text = &s->options->texts[number];
    const uint8_t *const first =
        begin == text->begin ? begin : line_behind(s, text, begin - 1);
    gs_merge_head head;
    if (first == NULL)
        atomic_store(&s->is_over, true);
    if (first == NULL || first >= end)
        return GS_OK;
    if (s->options->form.encoder == NULL && s->options->form.record_size == 0) {
        look_at_lines(s, number, first, end);
        return GS_OK;
    }
    GS_TRY(gs_text_cursor_start(c, &s->options->form, text, first, text->end, &head, st));
    while (c->begin < end && !atomic_load_explicit(&s->is_over, memory_order_relaxed)) {
        bool is_in_order;
        if (c->line_bytes > s->line_bytes_max)
            atomic_store(&s->is_over, true);
        GS_TRY(gs_text_cursor_advance(c, &is_in_order, st));
        if (s->is_reversed)
            is_in_order = !is_in_order || head.code == GS_OVC_EQUAL ||
                          head.code == GS_OVC_EXHAUSTED;
        if (!is_in_order)
            note(s, number, c->begin);
    }
    return GS_OK;
}

/* Which part of which text a number means. */
static gs_stretch_part find_part(const gs_stretch_search *s, size_t part)
{
    const gs_text *text = s->options->texts;
    if (s->is_guess)
        return s->guessed[part];
    while (part >= parts_of(text))
        part -= parts_of(text++);
    const uint8_t *const begin = text->begin + part * PART_BYTES;
    const size_t left = (size_t)(text->end - begin);
    return (gs_stretch_part){(size_t)(text - s->options->texts), begin,
                             begin + (left < PART_BYTES ? left : PART_BYTES)};
}

static gs_code look_at_parts(void *context, unsigned worker, gs_status *st)
{
    gs_stretch_search *const s = context;
    gs_text_cursor cursor = {0};
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&s->next_part, 1)) < s->part_count;) {
        const gs_stretch_part part = find_part(s, i);
        const size_t bytes = (size_t)(part.end - part.begin);
        if (atomic_load(&s->is_over))
            break;
        if (i + ASK_AHEAD < s->part_count) {
            const gs_stretch_part later = find_part(s, i + ASK_AHEAD);
            gs_file_map_ask(later.begin, (size_t)(later.end - later.begin));
        }
        gs_file_map_bring(part.begin, bytes);
        GS_TRY_OR_FAIL(gs_cancel_check(s->options->cancel, st));
        GS_TRY_OR_FAIL(look_at_part(s, &cursor, part.text, part.begin, part.end, st));
        gs_file_map_leave_part(part.begin, bytes);
    }
fail:
    if (st->code != GS_OK)
        atomic_store(&s->is_over, true);
    gs_text_cursor_release(&cursor);
    return st->code;
}

/* --- the result ------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const gs_stretch_begin *const x = a, *const y = b;
    if (x->text != y->text)
        return x->text < y->text ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The last one of a text has its end, and the line without an end that may be there. */
static void describe(gs_stretch_search *s, gs_text *stretches)
{
    qsort(s->begins, s->count, sizeof s->begins[0], by_place);
    for (size_t i = 0; i < s->count; i++) {
        const gs_stretch_begin *const b = &s->begins[i];
        const bool is_last = i + 1 == s->count || s->begins[i + 1].text != b->text;
        stretches[i] = s->options->texts[b->text];
        stretches[i].begin = b->at;
        if (is_last)
            continue;
        stretches[i].end = s->begins[i + 1].at;
        stretches[i].last_line = NULL;
        stretches[i].last_line_bytes = 0;
    }
}

gs_code gs_stretches_find(const gs_stretches_options *options, gs_text *stretches,
                          size_t *count, gs_status *st)
{
    gs_stretch_search s = {.options = options, .line_bytes_max = LINE_MAX};
    size_t sampled = 0;
    bool may_be_reversed = options->may_be_reversed && options->text_count == 1;
    *count = 0;
    gs_assert(options->text_count <= GS_STRETCHES_MAX);
    if (options->line_bytes_max < LINE_MAX)
        s.line_bytes_max = options->line_bytes_max;
    for (size_t i = 0; i < options->text_count; i++) {
        const gs_text *const text = &options->texts[i];
        GS_TRY(sample_text(&s, text, &sampled, &may_be_reversed, st));
        if (sampled > GS_STRETCHES_MAX && !may_be_reversed)
            return GS_OK;
        s.part_count += parts_of(text);
        s.begins[s.count++] = (gs_stretch_begin){i, text->begin};
    }
    s.is_reversed = sampled > GS_STRETCHES_MAX;
    s.is_guess = options->is_guess != NULL && !s.is_reversed;
    if (s.is_guess)
        s.part_count = s.guessed_count;
    if (options->is_guess != NULL)
        *options->is_guess = s.is_guess;
    pthread_mutex_init(&s.mutex, NULL);
    GS_NOTED(gs_team_run(options->team, look_at_parts, &s, st));
    pthread_mutex_destroy(&s.mutex);
    if (st->code != GS_OK || atomic_load(&s.is_over))
        return st->code;
    describe(&s, stretches);
    stretches[0].is_reversed = s.is_reversed;
    *count = s.count;
    return GS_OK;
}
