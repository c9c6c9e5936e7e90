/* SPDX-License-Identifier: MIT */
/*
 * batch_records: with a sieve the records are those of the lines that it lets through, in
 * their order and whole, be they lines, records of a table or of fixed size; it sees each
 * line once; of lines without a key the first that stays is the bad one, by its number
 * and place.
 */
#include "lib/sort/form/batch_records.h"

#include <string.h>

#include "tests/check.h"
#include "lib/sort/record/records.h"

enum { TEXT_MAX = 8 << 10, LINES_MAX = 400, SIZE = 3, PLACE = 'a' };

typedef struct text {
    uint8_t data[TEXT_MAX + GS_BLOCK_SLACK];
    size_t bytes, line_count;
    size_t begins[LINES_MAX], lengths[LINES_MAX];
    bool lacks_eol;
} text;

/* Lines of small letters, the first of which says all: whether they stay, and whether
 * they have a key. */
static void draw_text(text *t, gs_order_form form, size_t record_size, uint64_t *state)
{
    const size_t lines = check_random(state) % LINES_MAX;
    *t = (text){0};
    t->lacks_eol = record_size == 0 && lines > 0 && check_random(state) % 4 == 0;
    for (size_t i = 0; i < lines; i++) {
        const size_t more = record_size > 0 ? record_size - 1 : check_random(state) % 9;
        const bool is_quoted = form == GS_FORM_CSV && more > 3;
        t->begins[i] = t->bytes;
        for (size_t b = 0; b <= more; b++)
            t->data[t->bytes++] = (uint8_t)(PLACE + check_random(state) % 26);
        if (is_quoted) {
            static const char field[] = {',', '"', '\n', '"'};
            memcpy(t->data + t->bytes, field, sizeof field);
            t->bytes += sizeof field;
        }
        t->lengths[i] = t->bytes - t->begins[i];
        if (record_size == 0)
            t->data[t->bytes++] = '\n';
    }
    t->bytes -= t->lacks_eol;
    t->line_count = lines;
}

typedef struct rule {
    bool stays[26], has_key[26];
    size_t seen;
} rule;

static void pick(void *context, size_t input, const gs_sieve_line *lines, size_t count,
                 bool *stays)
{
    rule *const r = context;
    CHECK(input == 0 && count > 0 && count <= GS_SIEVE_LINES);
    for (size_t i = 0; i < count; i++)
        stays[i] = r->stays[lines[i].data[0] - PLACE];
    r->seen += count;
}

static size_t make_key(const void *context, const uint8_t *line, size_t bytes,
                       uint8_t *to)
{
    const rule *const r = context;
    if (!r->has_key[*line - PLACE])
        return GS_KEY_BAD;
    memcpy(to, line, bytes);
    to[bytes] = 0;
    return bytes + 1;
}

static bool is_line(const gs_record_layout *layout, const gs_batch_records *b, size_t at,
                    const text *t, size_t line)
{
    const gs_record r = gs_record_at(layout, b->records, b->elements[at].where);
    const size_t bytes = t->lengths[line];
    return r.line_bytes == bytes && r.string_bytes == bytes + 1 &&
           memcmp(r.line, t->data + t->begins[line], bytes) == 0;
}

static void check_made(const gs_record_maker *maker, const gs_batch_records *b,
                       const text *t, const rule *r, bool has_failed)
{
    const bool is_sifted = maker->forming->line_sieve != NULL;
    size_t made = 0;
    bool has_bad = false;
    for (size_t i = 0; i < t->line_count && !has_bad; i++) {
        const unsigned first = t->data[t->begins[i]] - PLACE;
        if (is_sifted && !r->stays[first])
            continue;
        has_bad = !r->has_key[first];
        if (has_bad) {
            CHECK(b->bad_line == i + 1 && b->bad_at == t->begins[i]);
            continue;
        }
        CHECK(made < b->element_count && is_line(&maker->layout, b, made, t, i));
        made++;
    }
    CHECK(b->element_count == made && b->has_bad == has_bad);
    CHECK(has_failed == (has_bad && maker->forming->options->order.form == GS_FORM_CSV));
    CHECK(has_bad ||
          (b->line_count == t->line_count && (!is_sifted || r->seen == t->line_count)));
}

static void try_form(gs_order_form form, size_t record_size, uint64_t *state)
{
    static text t;
    static const char *const names[] = {"input"};
    gs_batch_records b = {0};
    for (unsigned round = 0; round < 400; round++) {
        gs_status st = {.code = GS_OK};
        rule r = {0};
        const bool has_bad = check_random(state) % 3 == 0;
        for (unsigned i = 0; i < 26; i++) {
            r.stays[i] = check_random(state) % 3 > 0;
            r.has_key[i] = !has_bad || check_random(state) % 16 > 0;
        }
        draw_text(&t, form, record_size, state);
        const gs_key_maker key = {.make = make_key,
                                  .context = &r,
                                  .bound_factor = 1,
                                  .bound_extra = 1,
                                  .complaint = "no key",
                                  .hint = "none"};
        const gs_line_sieve sieve = {.pick = pick, .context = &r};
        const gs_sort_options options = {
            .inputs = names,
            .input_count = 1,
            .order = {.form = form,
                      .record_size = record_size,
                      .delimiter = ',',
                      .eol = '\n'},
        };
        gs_key_encoder *encoder;
        REQUIRE_OK(gs_key_encoder_new_made(&encoder, &key, &st), &st);
        const gs_forming forming = {.options = &options,
                                    .encoder = encoder,
                                    .line_sieve = round % 4 > 0 ? &sieve : NULL};
        const gs_record_maker maker = {
            .forming = &forming,
            .layout = {.is_keyed = true,
                       .is_key_only = true,
                       .has_eol = record_size == 0,
                       .eol = '\n'},
        };
        const gs_line_batch batch = {.data = t.data,
                                     .bytes = t.bytes,
                                     .first_line = 1,
                                     .lacks_final_eol = t.lacks_eol};
        GS_NOTED(gs_batch_records_make(&maker, &b, &batch, &st));
        check_made(&maker, &b, &t, &r, st.code != GS_OK);
        gs_key_encoder_free(encoder);
    }
    gs_batch_records_release(&b);
}

int main(void)
{
    uint64_t state = check_seed(41);
    try_form(GS_FORM_LINES, 0, &state);
    try_form(GS_FORM_LINES, SIZE, &state);
    try_form(GS_FORM_CSV, 0, &state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
