/* SPDX-License-Identifier: MIT */
#include "lib/join/band_keys.h"

#include "lib/join/join_fields.h"
#include "lib/join/join_tuple.h"

/* The key's field, without the quotes that CSV may have around it. */
static gs_join_field number_of(const gs_band_key *k, const uint8_t *line,
                               size_t line_bytes)
{
    const gs_join_options *const o = k->options;
    gs_join_field found =
        gs_join_field_find(&o->sort.order, line, line_bytes, o->key_field[k->side]);
    const bool has_quotes = gs_form_has_quotes(o->sort.order.form) && found.bytes > 1 &&
                            *found.data == GS_CSV_QUOTE;
    found.data += has_quotes;
    found.bytes -= 2 * has_quotes;
    return found;
}

static const gs_byte_key *field_of(const gs_band_key *k)
{
    return &k->options->tuples[k->side].byte_keys[k->options->key_field[k->side]];
}

static size_t make_of_tuple(const void *context, const uint8_t *tuple, size_t bytes,
                            uint8_t *to)
{
    const gs_band_key *const k = context;
    const gs_byte_key *const field = field_of(k);
    gs_join_number number;
    (void)bytes;
    if (gs_join_tuple_number(field, tuple + field->offset, &number))
        return gs_join_number_encode(number, to);
    return k->options->skips_bad ? GS_KEY_LEFT_OUT : GS_KEY_BAD;
}

static size_t make(const void *context, const uint8_t *line, size_t line_bytes,
                   uint8_t *to)
{
    const gs_band_key *const k = context;
    int64_t whole;
    if (gs_band_key_take_whole(k, line, line_bytes, &whole))
        return gs_join_number_encode_whole(whole, to);
    const gs_join_field field = number_of(k, line, line_bytes);
    const size_t bytes = gs_join_number_encode_text(field.data, field.bytes, to);
    if (bytes > 0)
        return bytes;
    return k->options->skips_bad ? GS_KEY_LEFT_OUT : GS_KEY_BAD;
}

bool gs_band_key_read(const gs_band_key *k, const uint8_t *line, size_t bytes,
                      gs_join_number *number)
{
    int64_t whole;
    if (!gs_band_key_take_whole(k, line, bytes, &whole)) {
        const gs_join_field field = number_of(k, line, bytes);
        return gs_join_number_parse(field.data, field.bytes, number);
    }
    *number = gs_join_number_of_whole(whole);
    return true;
}

/* False: the line has none. */
static inline bool read_number(const gs_band_key *k, const uint8_t *line, size_t bytes,
                               gs_join_number *number)
{
    return gs_join_reads_tuples(k->options)
               ? gs_join_tuple_number(field_of(k), line + field_of(k)->offset, number)
               : gs_band_key_read(k, line, bytes, number);
}

/* Lines without a number stay: they are complained about, or counted, as others are. */
static void sift(void *context, size_t input, const gs_sieve_line *lines, size_t count,
                 bool *stays)
{
    const gs_band_key *const k = context;
    gs_join_number numbers[GS_SIEVE_LINES];
    uint8_t line_of[GS_SIEVE_LINES];
    bool passes[GS_SIEVE_LINES];
    size_t n = 0, kept = 0;
    (void)input;
    for (size_t i = 0; i < count; i++) {
        stays[i] = !read_number(k, lines[i].data, lines[i].bytes, &numbers[n]);
        line_of[n] = (uint8_t)i;
        n += !stays[i];
    }
    if (n == 0)
        return;
    if (k->asked != NULL)
        gs_band_sieve_ask(k->asked, numbers, n, passes);
    for (size_t i = 0; i < n; i++) {
        const bool is_kept = k->asked == NULL || passes[i];
        stays[line_of[i]] = is_kept && !k->is_look;
        numbers[kept] = numbers[i];
        kept += is_kept;
    }
    if (k->marked != NULL)
        gs_band_sieve_mark(k->marked, numbers, kept);
}

gs_code gs_band_key_init(gs_band_key *k, const gs_join_options *o, gs_join_side side,
                         _Atomic uint64_t *skipped, gs_status *st)
{
    const int delimiter = o->sort.order.delimiter;
    *k = (gs_band_key){
        .options = o,
        .side = side,
        .has_plain_end = !(delimiter >= '0' && delimiter <= '9'),
        .delimiter = delimiter == GS_ORDER_BLANK_FIELDS ? ' '
                     : delimiter == '\n'                ? o->sort.order.eol
                                                        : (uint8_t)delimiter,
        .line_sieve = {.pick = sift},
    };
    k->line_sieve.context = k;
    const gs_key_maker maker = {
        .make = gs_join_reads_tuples(o) ? make_of_tuple : make,
        .context = k,
        .bound_extra = GS_JOIN_NUMBER_BYTES,
        .complaint = "the key is no number from -2^63 up to 2^63",
        .left_out = skipped,
        .hint = "leave such lines out with --skip-bad",
    };
    return gs_key_encoder_new_made(&k->encoder, &maker, st);
}

void gs_band_key_release(gs_band_key *k)
{
    gs_key_encoder_free(k->encoder);
    *k = (gs_band_key){0};
}
