/* SPDX-License-Identifier: MIT */
/*
 * part_cutter: records in the wrong part, parted where blocks meet, or lost; equals that
 * are shared out unevenly, or that are but must not be. Random texts, cut at random
 * splitters from blocks of random length, against one look at each record.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/part/part_cutter.h"
#include "tests/check.h"

enum { RECORDS_MAX = 600, RECORD_BYTES = 400, PARTS_MAX = 20 };

typedef struct one_record {
    uint8_t text[RECORD_BYTES]; /* with its end */
    size_t bytes;
} one_record;

/* A part, as it comes and as it should be. */
typedef struct one_part {
    uint8_t *text;
    size_t bytes, capacity;
    uint64_t records;
} one_part;

typedef struct all_parts {
    one_part parts[PARTS_MAX];
    size_t last; /* that came: they come in order */
} all_parts;

static void add(one_part *p, const void *text, size_t bytes, uint64_t records)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_grow(&p->text, &p->capacity, p->bytes + bytes + 1, "part", &st),
               &st);
    memcpy(p->text + p->bytes, text, bytes);
    p->bytes += bytes;
    p->records += records;
}

static gs_code put(void *context, size_t part, const uint8_t *text, size_t bytes,
                   uint64_t records, gs_status *st)
{
    all_parts *const all = context;
    (void)st;
    REQUIRE(part < PARTS_MAX && part >= all->last);
    all->last = part;
    CHECK(bytes > 0 && records > 0);
    add(&all->parts[part], text, bytes, records);
    return GS_OK;
}

static const gs_order *the_order; /* of qsort, which takes no context */
static gs_key_encoder *the_encoder;

static int compare(const void *a, const void *b)
{
    const gs_record_layout layout = gs_order_layout(the_order, false);
    gs_line_string strings[2] = {{0}, {0}};
    gs_status st = {.code = GS_OK};
    const one_record *const r[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(gs_line_string_make(&strings[i], &layout, the_encoder, r[i]->text,
                                       r[i]->bytes - layout.has_eol, &st),
                   &st);
    }
    const int d = gs_string_compare(strings[0].data, strings[0].bytes, strings[1].data,
                                    strings[1].bytes, 0);
    gs_line_string_release(&strings[0]);
    gs_line_string_release(&strings[1]);
    return layout.is_backwards ? -d : d;
}

static void make_record(one_record *r, const gs_order *order, unsigned alphabet,
                        uint64_t *state)
{
    const bool is_csv = order->form == GS_FORM_CSV;
    memset(r, 0, sizeof *r);
    size_t n = order->record_size;
    if (n == 0)
        n = check_random(state) % (check_random(state) % 50 == 0 ? RECORD_BYTES / 4 : 6);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned c = (unsigned)(check_random(state) % alphabet);
        if (is_csv && c == 1 && (at == 0 || r->text[at - 1] == ',')) {
            memcpy(r->text + at, "\"\n\"\"b\",", 7);
            at += 7;
        } else {
            r->text[at++] = (uint8_t)(is_csv && c == 2 ? ',' : '0' + (int)c);
        }
    }
    if (order->record_size == 0)
        r->text[at++] = order->eol;
    r->bytes = at;
}

/* What part_cutter.h says of each record, of splitters by their places in all records. */
static void cut_slowly(all_parts *all, const one_record *records, size_t count,
                       const one_record *splitters, size_t splitter_count, bool shares)
{
    for (size_t i = 0; i < count;) {
        size_t less = 0, equal = 0, same = 1;
        for (size_t s = 0; s < splitter_count; s++) {
            const int d = compare(&splitters[s], &records[i]);
            less += d < 0;
            equal += d == 0;
        }
        while (i + same < count && compare(&records[i], &records[i + same]) == 0)
            same++;
        for (size_t j = 0; j < same; j++, i++) {
            size_t part = less + equal;
            if (shares && equal > 1) { /* the first parts have one more */
                const size_t parts = equal + 1, each = same / parts, more = same % parts;
                part = less + (j < more * (each + 1)
                                   ? j / (each + 1)
                                   : more + (j - more * (each + 1)) / each);
            }
            add(&all->parts[part], records[i].text, records[i].bytes, 1);
        }
    }
}

static void cut_fast(all_parts *all, const gs_part_splitters *s, const gs_order *order,
                     const one_part *text, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_part_cutter *cutter;
    const size_t most = 1 + (size_t)(check_random(state) % 700);
    REQUIRE_OK(gs_part_cutter_new(&cutter, s, order, put, all, &st), &st);
    for (size_t at = 0, n; at < text->bytes; at += n) {
        n = (size_t)(check_random(state) % most) + 1;
        n = n < text->bytes - at ? n : text->bytes - at;
        /* Nothing may be read behind the block, which a sanitizer sees. */
        uint8_t *block = NULL;
        REQUIRE_OK(gs_mem_new(&block, n, "block", &st), &st);
        memcpy(block, text->text + at, n);
        REQUIRE_OK(gs_part_cutter_take(cutter, block, n, &st), &st);
        gs_mem_free(block);
    }
    REQUIRE_OK(gs_part_cutter_end(cutter, &st), &st);
    gs_part_cutter_free(cutter);
}

/* As a file has them. */
static void read_splitters(gs_part_splitters *out, const one_record *splitters,
                           size_t count, const gs_order *order)
{
    gs_status st = {.code = GS_OK};
    char name[32];
    FILE *const file = tmpfile();
    REQUIRE(file != NULL);
    for (size_t i = 0; i < count; i++)
        REQUIRE(fwrite(splitters[i].text, 1, splitters[i].bytes, file) ==
                splitters[i].bytes);
    REQUIRE(fflush(file) == 0);
    (void)snprintf(name, sizeof name, "/dev/fd/%d", fileno(file));
    REQUIRE_OK(gs_part_splitters_read(out, name, order, SIZE_MAX, &st), &st);
    CHECK(out->count == count);
    REQUIRE_OK(gs_part_splitters_arrange(out, order, &st), &st);
    out->name = "splitters";
    (void)fclose(file);
}

static void compare_parts(all_parts *fast, all_parts *slow)
{
    for (size_t i = 0; i < PARTS_MAX; i++) {
        one_part *const a = &fast->parts[i], *const b = &slow->parts[i];
        CHECK(a->bytes == b->bytes && a->records == b->records);
        CHECK(a->bytes == 0 || memcmp(a->text, b->text, a->bytes) == 0);
        gs_mem_free(a->text);
        gs_mem_free(b->text);
    }
}

static void cut_once(const gs_order *order, bool shares, uint64_t *state)
{
    static one_record records[RECORDS_MAX], splitters[PARTS_MAX];
    all_parts fast = {0}, slow = {0};
    one_part text = {0};
    gs_part_splitters s = {0};
    gs_status st = {.code = GS_OK};
    const unsigned alphabet = 1 + (unsigned)(check_random(state) % 5);
    const size_t count = check_random(state) % RECORDS_MAX;
    const size_t splitter_count = check_random(state) % PARTS_MAX;
    the_order = order;
    if (gs_order_layout(order, false).is_keyed)
        REQUIRE_OK(gs_key_encoder_new(&the_encoder, order,
                                      gs_order_layout(order, false).is_backwards, &st),
                   &st);
    for (size_t i = 0; i < count; i++)
        make_record(&records[i], order, alphabet, state);
    for (size_t i = 0; i < splitter_count; i++)
        make_record(&splitters[i], order, alphabet, state);
    qsort(records, count, sizeof *records, compare);
    qsort(splitters, splitter_count, sizeof *splitters, compare);
    for (size_t i = 0; i < count; i++)
        add(&text, records[i].text, records[i].bytes, 1);
    read_splitters(&s, splitters, splitter_count, order);
    cut_fast(&fast, &s, order, &text, state);
    cut_slowly(&slow, records, count, splitters, splitter_count, shares);
    compare_parts(&fast, &slow);
    gs_part_splitters_release(&s);
    gs_mem_free(text.text);
    gs_key_encoder_free(the_encoder);
    the_encoder = NULL;
}

static void cuts_as_one_look_would(void)
{
    uint64_t state = check_seed(1);
    gs_key number = {.end_field = SIZE_MAX, .type = GS_KEY_NUMERIC};
    gs_byte_key second = {.offset = 1, .length = 1};
    const struct {
        gs_order order;
        bool shares;
    } kinds[] = {
        {{.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'}, true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS, .eol = 0, .reverse = true}, true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n', .unique = true}, false},
        {{.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n', .stable = true}, true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS,
          .eol = '\n',
          .keys = &number,
          .key_count = 1},
         true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS,
          .eol = '\n',
          .keys = &number,
          .key_count = 1,
          .stable = true},
         false},
        {{.delimiter = ',', .eol = '\n', .form = GS_FORM_CSV}, true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n', .record_size = 3}, true},
        {{.delimiter = GS_ORDER_BLANK_FIELDS,
          .eol = '\n',
          .record_size = 70,
          .byte_keys = &second,
          .byte_key_count = 1,
          .stable = true},
         false},
    };
    const size_t kind_count = sizeof kinds / sizeof *kinds;
    for (unsigned round = 0; round < 60; round++) {
        for (size_t i = 0; i < kind_count; i++)
            cut_once(&kinds[i].order, kinds[i].shares, &state);
    }
    CHECK(gs_mem_held_bytes() == 0);
}

/* A text that does not end with a record is no text of a sort. */
static void refuses_a_torn_end(void)
{
    const gs_order order = {.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'};
    const gs_part_splitters none = {.name = "none"};
    gs_status st = {.code = GS_OK};
    all_parts all = {0};
    gs_part_cutter *cutter;
    REQUIRE_OK(gs_part_cutter_new(&cutter, &none, &order, put, &all, &st), &st);
    REQUIRE_OK(gs_part_cutter_take(cutter, (const uint8_t *)"a\nb", 3, &st), &st);
    CHECK(gs_part_cutter_end(cutter, &st) == GS_ERR_FORMAT);
    gs_part_cutter_free(cutter);
    gs_mem_free(all.parts[0].text);
    CHECK(gs_mem_held_bytes() == 0);
}

int main(void)
{
    cuts_as_one_look_would();
    refuses_a_torn_end();
    return check_result();
}
