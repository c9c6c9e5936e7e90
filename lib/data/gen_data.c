/* SPDX-License-Identifier: MIT */
#include "lib/data/gen_data.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/data/gen_record.h"
#include "lib/data/gen_text.h"

enum {
    SLICE_RECORDS_MAX = 65536,
    SLICE_BYTES = 4 << 20, /* records are fewer when they are long */
    FRACTION_DIGITS_MAX = 10,
    WORD_BYTES_MAX = GS_GEN_TERM_BYTES_MAX + 2, /* with a comma and a space */
    WEBLOG_BYTES_MAX = 160,
};

/* How a distribution goes into what is not a number. */
typedef struct shape_use {
    bool is_ordered;        /* its numbers begin lines, and make terms in order */
    bool makes_lines;       /* whole: equal numbers, equal lines */
    bool is_below_distinct; /* numbers that make lines are: each would come once else */
    uint64_t distinct;      /* where nobody says how many; 0: by the kind */
} shape_use;

struct gs_gen_data {
    gs_gen_options options;
    gs_gen_dist dist;
    gs_gen_alphabet alphabet;
    uint64_t count_max;     /* no more records than these */
    uint64_t slice_records; /* in each slice but the last */
    uint64_t record_bytes_max;
    size_t ordered_digits; /* lines in order: as many digits come first */
    shape_use use;
};

static const char *const names[] = {"lines",   "u32",  "u64",   "tuples",
                                    "records", "docs", "weblog"};
_Static_assert(sizeof names / sizeof *names == GS_GEN_KIND_COUNT, "a name each");

const char *gs_gen_kind_name(gs_gen_kind kind)
{
    return names[kind];
}

gs_gen_options gs_gen_options_default(void)
{
    return (gs_gen_options){
        .kind = GS_GEN_LINES,
        .shape = GS_GEN_UNIFORM,
        .seed = 1,
        .record_count = UINT64_MAX,
        .bytes = UINT64_MAX,
        .exponent = 1.0,
        .mean = 1e6,
        .disorder = 0.01,
        .line_bytes_min = 10,
        .line_bytes_max = 50,
        .alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
        .doc_count = 10000000,
        .doc_words = 150,
    };
}

static shape_use use_of(gs_gen_shape shape)
{
    switch (shape) {
    case GS_GEN_UNIFORM: return (shape_use){.distinct = 0};
    case GS_GEN_GAUSSIAN:
        return (shape_use){.makes_lines = true, .is_below_distinct = true};
    case GS_GEN_SORTED:
    case GS_GEN_REVERSED:
    case GS_GEN_ALMOST: return (shape_use){.is_ordered = true};
    case GS_GEN_ZIPF:
    case GS_GEN_POISSON:
    case GS_GEN_EQUAL: return (shape_use){.makes_lines = true};
    case GS_GEN_FEW: return (shape_use){.makes_lines = true, .distinct = 1000};
    case GS_GEN_SHAPE_COUNT: break;
    }
    gs_assert_failed("shape", __FILE__, __LINE__);
}

static uint64_t distinct_default(const gs_gen_options *o)
{
    const uint64_t of_shape = use_of(o->shape).distinct;
    if (of_shape > 0)
        return of_shape;
    switch (o->kind) {
    case GS_GEN_DOCS: return 200000;
    case GS_GEN_WEBLOG: return 20000;
    case GS_GEN_LINES:
    case GS_GEN_U32:
    case GS_GEN_U64:
    case GS_GEN_TUPLES:
    case GS_GEN_RECORDS:
    case GS_GEN_KIND_COUNT: break;
    }
    return 1000000;
}

/* Every record has at least and at most so many bytes. */
static void record_bounds(const gs_gen_options *o, uint64_t *least, uint64_t *most)
{
    *least = *most = 0;
    switch (o->kind) {
    case GS_GEN_LINES:
        *least = o->line_bytes_min + 1;
        *most = o->line_bytes_max + 1;
        return;
    case GS_GEN_U32: *least = *most = 4; return;
    case GS_GEN_U64: *least = *most = 8; return;
    case GS_GEN_TUPLES:
        *least = o->is_binary ? 8 : 5;
        *most = o->is_binary ? 8 : GS_GEN_TERM_BYTES_MAX + GS_GEN_DECIMAL_BYTES_MAX + 2;
        return;
    case GS_GEN_RECORDS: *least = *most = GS_GEN_RECORD_BYTES; return;
    case GS_GEN_DOCS:
        *least = (o->is_tsv ? 12 : 30) + 3 * (o->doc_words / 2);
        *most = 64 + WORD_BYTES_MAX * (o->doc_words * 2 + 2);
        return;
    case GS_GEN_WEBLOG:
        *least = 50;
        *most = WEBLOG_BYTES_MAX;
        return;
    case GS_GEN_KIND_COUNT: break;
    }
    gs_assert_failed("kind", __FILE__, __LINE__);
}

static uint64_t value_range(const gs_gen_options *o)
{
    switch (o->kind) {
    case GS_GEN_LINES: return use_of(o->shape).is_below_distinct ? o->distinct : 0;
    case GS_GEN_U32: return UINT64_C(1) << 32;
    case GS_GEN_TUPLES:
        if (use_of(o->shape).is_ordered)
            return 0;
        return o->distinct;
    case GS_GEN_DOCS:
    case GS_GEN_WEBLOG: return o->distinct;
    case GS_GEN_U64:
    case GS_GEN_RECORDS:
    case GS_GEN_KIND_COUNT: break;
    }
    return 0;
}

static gs_code check_options(const gs_gen_options *o, gs_status *st)
{
    if (o->record_count == UINT64_MAX && o->bytes == UINT64_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "neither a number of records nor one of bytes");
    if (o->line_bytes_min > o->line_bytes_max)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "shortest line of %llu bytes, longest of %llu: nothing between",
                       (unsigned long long)o->line_bytes_min,
                       (unsigned long long)o->line_bytes_max);
    if (o->line_bytes_max > UINT64_C(1) << 40)
        return GS_FAIL(st, GS_ERR_ARG, 0, "lines are at most 2^40 bytes long");
    if (!(o->exponent > 0 && o->exponent <= 20))
        return GS_FAIL(st, GS_ERR_ARG, 0, "the exponent is above 0 and at most 20");
    if (!(o->mean >= 0 && o->mean <= GS_GEN_POISSON_MEAN_MAX))
        return GS_FAIL(st, GS_ERR_ARG, 0, "the mean is from 0 to 1e9");
    if (!(o->disorder >= 0 && o->disorder <= 1))
        return GS_FAIL(st, GS_ERR_ARG, 0, "the disorder is from 0 to 1");
    if (o->distinct > UINT64_C(1) << 62)
        return GS_FAIL(st, GS_ERR_ARG, 0, "at most 2^62 distinct values");
    if (o->doc_count == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "at least one document");
    if (o->doc_words > 10000000)
        return GS_FAIL(st, GS_ERR_ARG, 0, "at most 10000000 words a document");
    if (o->kind == GS_GEN_U32 && o->shape == GS_GEN_ZIPF &&
        o->distinct > UINT64_C(1) << 32)
        return GS_FAIL(st, GS_ERR_ARG, 0, "at most 2^32 distinct values of 32 bits");
    if (o->kind == GS_GEN_TUPLES && o->is_binary &&
        (o->distinct > UINT64_C(1) << 32 || o->doc_count > UINT64_C(1) << 32))
        return GS_FAIL(st, GS_ERR_ARG, 0, "at most 2^32 terms and documents");
    return GS_OK;
}

static gs_code fill(gs_gen_data *data, gs_status *st)
{
    gs_gen_options *const o = &data->options;
    if (!gs_gen_alphabet_init(&data->alphabet, o->alphabet))
        return GS_FAIL(st, GS_ERR_ARG, 0, "an alphabet is 1 to 64 different characters");
    o->alphabet = NULL;
    uint64_t least, most;
    record_bounds(o, &least, &most);
    data->count_max = o->record_count;
    if (o->bytes != UINT64_MAX) {
        const uint64_t enough = o->bytes / least + (o->bytes % least != 0);
        if (data->count_max > enough)
            data->count_max = enough;
    }
    /* Lines in order begin with enough digits to tell nearly all of them apart. */
    data->use = use_of(o->shape);
    if (o->kind == GS_GEN_LINES && data->use.is_ordered) {
        uint64_t apart = 1;
        while (data->ordered_digits < FRACTION_DIGITS_MAX &&
               data->ordered_digits < o->line_bytes_max &&
               apart / data->alphabet.count < data->count_max) {
            apart *= data->alphabet.count;
            data->ordered_digits++;
        }
        if (o->line_bytes_min < data->ordered_digits)
            o->line_bytes_min = data->ordered_digits;
    }
    data->record_bytes_max = most;
    data->slice_records = SLICE_BYTES / most;
    if (data->slice_records > SLICE_RECORDS_MAX)
        data->slice_records = SLICE_RECORDS_MAX;
    if (data->slice_records == 0)
        data->slice_records = 1;
    const gs_gen_dist_options dist = {.shape = o->shape,
                                      .seed = o->seed,
                                      .range = value_range(o),
                                      .count = data->count_max,
                                      .distinct = o->distinct,
                                      .exponent = o->exponent,
                                      .mean = o->mean,
                                      .disorder = o->disorder};
    return gs_gen_dist_init(&data->dist, &dist, st);
}

gs_code gs_gen_data_new(gs_gen_data **out, const gs_gen_options *options, gs_status *st)
{
    *out = NULL;
    gs_gen_options o = *options;
    if (o.distinct == 0)
        o.distinct = distinct_default(&o);
    GS_TRY(check_options(&o, st));
    gs_gen_data *data = NULL;
    GS_TRY(gs_mem_new(&data, sizeof *data, "generator", st));
    data->options = o;
    if (fill(data, st) != GS_OK) {
        gs_gen_data_free(data);
        return st->code;
    }
    *out = data;
    return GS_OK;
}

void gs_gen_data_free(gs_gen_data *data)
{
    if (data)
        gs_gen_dist_release(&data->dist);
    gs_mem_free(data);
}

size_t gs_gen_slice_bytes_max(const gs_gen_data *data)
{
    return (size_t)(data->slice_records * data->record_bytes_max) + GS_GEN_TEXT_SLACK;
}

uint64_t gs_gen_slice_count(const gs_gen_data *data)
{
    const uint64_t n = data->slice_records;
    return data->count_max / n + (data->count_max % n != 0);
}

static uint8_t *put_u32(uint8_t *to, uint64_t x)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(x >> 8 * i);
    return to + 4;
}

static uint8_t *put_u64(uint8_t *to, uint64_t x)
{
    return put_u32(put_u32(to, x), x >> 32);
}

static uint8_t *put_line(const gs_gen_data *data, gs_gen_random *random, uint64_t index,
                         uint8_t *to)
{
    const gs_gen_options *const o = &data->options;
    const uint64_t spread = o->line_bytes_max - o->line_bytes_min + 1;
    if (!data->use.makes_lines) {
        size_t bytes = o->line_bytes_min + gs_gen_below(random, spread);
        if (data->ordered_digits > 0) {
            const uint64_t value = gs_gen_dist_draw(&data->dist, random, index);
            to = gs_gen_put_fraction(to, data->ordered_digits, &data->alphabet, value);
            bytes -= data->ordered_digits;
        }
        to = gs_gen_put_random(to, bytes, &data->alphabet, random);
    } else { /* the value alone makes the line: equal values, equal lines */
        const uint64_t value = gs_gen_dist_draw(&data->dist, random, index);
        gs_gen_random own = gs_gen_random_start(~o->seed, value);
        const size_t bytes = o->line_bytes_min + gs_gen_below(&own, spread);
        to = gs_gen_put_random(to, bytes, &data->alphabet, &own);
    }
    *to++ = '\n';
    return to;
}

static uint8_t *put_tuple(const gs_gen_data *data, gs_gen_random *random, uint64_t index,
                          uint8_t *to)
{
    const gs_gen_options *const o = &data->options;
    uint64_t term = gs_gen_dist_draw(&data->dist, random, index), doc;
    if (o->docs_ascend)
        doc = (uint64_t)((gs_gen_u128)index * o->doc_count / data->count_max);
    else
        doc = gs_gen_below(random, o->doc_count);
    uint64_t within = 0;
    if (data->use.is_ordered) { /* by term and then by document */
        const gs_gen_u128 product = (gs_gen_u128)term * o->distinct;
        term = (uint64_t)(product >> 64);
        within = (uint64_t)product;
        doc = gs_gen_scale(within, o->doc_count);
    } else if (term >= o->distinct)
        term = o->distinct - 1;
    if (o->is_binary)
        return put_u32(put_u32(to, term), doc);
    if (data->use.is_ordered) {
        uint64_t rest = term; /* letters of equal number, so that byte order is theirs */
        for (unsigned i = GS_GEN_TERM_BYTES_MAX; i > 0; i--, rest /= 26)
            to[i - 1] = (uint8_t)('a' + rest % 26);
        to += GS_GEN_TERM_BYTES_MAX;
    } else
        to = gs_gen_put_term(to, term);
    *to++ = '\t';
    to = gs_gen_put_decimal(to, doc);
    *to++ = '\n';
    return to;
}

static uint64_t word_draw(const gs_gen_data *data, gs_gen_random *random, uint64_t index)
{
    const uint64_t rank = gs_gen_dist_draw(&data->dist, random, index);
    return rank < data->options.distinct ? rank : data->options.distinct - 1;
}

static uint8_t *put_doc(const gs_gen_data *data, gs_gen_random *random, uint64_t index,
                        uint8_t *to)
{
    const uint64_t mean = data->options.doc_words;
    const bool is_tsv = data->options.is_tsv;
    to = gs_gen_put_string(to, is_tsv ? "doc" : "{\"id\": \"doc");
    to = gs_gen_put_padded(to, index, index < 100000000 ? 8 : 20);
    to = gs_gen_put_string(to, is_tsv ? "\t" : "\", \"contents\": \"");
    const uint64_t words = mean / 2 + gs_gen_below(random, mean + 1);
    bool starts = true;
    for (uint64_t i = 0; i < words; i++) {
        uint8_t *const word = to;
        to = gs_gen_put_term(to, word_draw(data, random, index));
        if (starts)
            *word = (uint8_t)(*word - 'a' + 'A');
        const uint64_t mark = gs_gen_below(random, 40);
        starts = mark < 3 || i + 1 == words;
        if (starts)
            *to++ = '.';
        else if (mark < 7)
            *to++ = ',';
        if (i + 1 < words)
            *to++ = ' ';
    }
    return gs_gen_put_string(to, is_tsv ? "\n" : "\"}\n");
}

/* A path is made by its rank alone: few sections, more pages, long common prefixes. */
static uint8_t *put_path(const gs_gen_data *data, uint64_t rank, uint8_t *to)
{
    static const char *const sections[] = {
        "/",           "/blog/",       "/docs/reference/", "/docs/guide/",
        "/shop/item/", "/static/img/", "/api/v2/search?q="};
    gs_gen_random own = gs_gen_random_start(~data->options.seed, rank);
    const uint64_t section = gs_gen_below(&own, sizeof sections / sizeof *sections);
    to = gs_gen_put_string(to, sections[section]);
    const uint64_t parts = 1 + gs_gen_below(&own, 3);
    for (uint64_t i = 0; i < parts; i++) {
        to = gs_gen_put_term(to, gs_gen_below(&own, 4000));
        *to++ = section == 6 ? '+' : '-';
    }
    return gs_gen_put_decimal(to, rank);
}

static uint8_t *put_weblog(const gs_gen_data *data, gs_gen_random *random, uint64_t index,
                           uint8_t *to)
{
    static const char *const codes[] = {"200", "200", "200", "200", "200", "200",
                                        "304", "304", "301", "404", "403", "500"};
    uint64_t host = gs_gen_below(random, 1 << 20);
    host = gs_gen_below(random, host + 1); /* some come often */
    to = gs_gen_put_string(to, "10.");
    to = gs_gen_put_decimal(to, host >> 16);
    *to++ = '.';
    to = gs_gen_put_decimal(to, host >> 8 & 255);
    *to++ = '.';
    to = gs_gen_put_decimal(to, host & 255);
    const uint64_t second = index / 7; /* of January, and again from its first */
    to = gs_gen_put_string(to, " [");
    to = gs_gen_put_padded(to, 1 + second / 86400 % 31, 2);
    to = gs_gen_put_string(to, "/Jan/2026:");
    to = gs_gen_put_padded(to, second / 3600 % 24, 2);
    *to++ = ':';
    to = gs_gen_put_padded(to, second / 60 % 60, 2);
    *to++ = ':';
    to = gs_gen_put_padded(to, second % 60, 2);
    to = gs_gen_put_string(to, "] \"GET ");
    to = put_path(data, word_draw(data, random, index), to);
    to = gs_gen_put_string(to, " HTTP/1.1\" ");
    to = gs_gen_put_string(to, codes[gs_gen_below(random, sizeof codes / sizeof *codes)]);
    *to++ = ' ';
    const uint64_t shift = 44 + gs_gen_below(random, 16); /* small sizes are many */
    to = gs_gen_put_decimal(to, gs_gen_next(random) >> shift);
    *to++ = '\n';
    return to;
}

static uint8_t *put_records(const gs_gen_data *data, gs_gen_random *random,
                            uint64_t begin, uint64_t end, uint8_t *to)
{
    const gs_gen_options *const o = &data->options;
    /* Seed 1 is the sequence of the benchmark itself; others start 2^64 steps on. */
    const gs_gen_u128 start =
        ((gs_gen_u128)(o->seed - 1) << 64) + o->first_record + begin;
    gs_gen_u128 x = gs_gen_sequence_at(start);
    for (uint64_t i = begin; i < end; i++) {
        x = gs_gen_sequence_next(x);
        gs_gen_put_record(to, x, o->first_record + i, o->is_text);
        if (o->shape != GS_GEN_UNIFORM)
            gs_gen_put_record_key(to, gs_gen_dist_draw(&data->dist, random, i),
                                  o->is_text);
        to += GS_GEN_RECORD_BYTES;
    }
    return to;
}

size_t gs_gen_slice(const gs_gen_data *data, uint64_t number, uint8_t *to)
{
    uint8_t *const start = to;
    const uint64_t begin = number * data->slice_records;
    gs_assert(begin < data->count_max);
    const uint64_t left = data->count_max - begin;
    const uint64_t end =
        begin + (left < data->slice_records ? left : data->slice_records);
    gs_gen_random random = gs_gen_random_start(data->options.seed, number);
    const gs_gen_dist *const dist = &data->dist;
    switch (data->options.kind) {
    case GS_GEN_LINES:
        for (uint64_t i = begin; i < end; i++)
            to = put_line(data, &random, i, to);
        break;
    case GS_GEN_U32:
        for (uint64_t i = begin; i < end; i++)
            to = put_u32(to, gs_gen_dist_draw(dist, &random, i));
        break;
    case GS_GEN_U64:
        for (uint64_t i = begin; i < end; i++)
            to = put_u64(to, gs_gen_dist_draw(dist, &random, i));
        break;
    case GS_GEN_TUPLES:
        for (uint64_t i = begin; i < end; i++)
            to = put_tuple(data, &random, i, to);
        break;
    case GS_GEN_RECORDS: to = put_records(data, &random, begin, end, to); break;
    case GS_GEN_DOCS:
        for (uint64_t i = begin; i < end; i++)
            to = put_doc(data, &random, i, to);
        break;
    case GS_GEN_WEBLOG:
        for (uint64_t i = begin; i < end; i++)
            to = put_weblog(data, &random, i, to);
        break;
    case GS_GEN_KIND_COUNT: gs_assert_failed("kind", __FILE__, __LINE__);
    }
    gs_assert((size_t)(to - start) + GS_GEN_TEXT_SLACK <= gs_gen_slice_bytes_max(data));
    return (size_t)(to - start);
}

size_t gs_gen_slice_cut(const gs_gen_data *data, const uint8_t *slice, size_t bytes,
                        uint64_t wanted)
{
    if (wanted == 0 || wanted >= bytes)
        return wanted == 0 ? 0 : bytes;
    const gs_gen_options *const o = &data->options;
    uint64_t least, most;
    record_bounds(o, &least, &most);
    const bool is_fixed = o->kind != GS_GEN_LINES && least == most;
    if (is_fixed)
        return (size_t)((wanted + least - 1) / least * least);
    const uint8_t *const end = memchr(slice + wanted - 1, '\n', bytes - wanted + 1);
    gs_assert(end != NULL);
    return (size_t)(end - slice) + 1;
}
