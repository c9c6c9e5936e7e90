/* SPDX-License-Identifier: MIT */
#include "lib/join/band_keys.h"

#include "lib/join/join_fields.h"

/* The key's field, without the quotes that CSV may have around it. */
static gs_join_field number_of(const gs_join_options *o, const uint8_t *line,
                               size_t line_bytes, size_t field)
{
    gs_join_field found = gs_join_field_find(&o->sort.order, line, line_bytes, field);
    const bool has_quotes = o->sort.order.form == GS_FORM_CSV && found.bytes > 1 &&
                            *found.data == GS_CSV_QUOTE;
    found.data += has_quotes;
    found.bytes -= 2 * has_quotes;
    return found;
}

static size_t make(const void *context, const uint8_t *line, size_t line_bytes,
                   uint8_t *to)
{
    const gs_band_key *const k = context;
    const gs_join_options *const o = k->options;
    const gs_join_field field = number_of(o, line, line_bytes, o->key_field[k->side]);
    gs_join_number number;
    const size_t string_bytes =
        gs_join_number_encode_text(field.data, field.bytes, to, &number);
    if (string_bytes == 0)
        return o->skips_bad ? GS_KEY_LEFT_OUT : GS_KEY_BAD;
    if (k->sieve == NULL)
        return string_bytes;
    if (k->side == GS_JOIN_LEFT && !gs_band_sieve_may_have(k->sieve, number))
        return GS_KEY_UNWANTED;
    if (k->side == GS_JOIN_RIGHT)
        gs_band_sieve_note(k->sieve, number);
    return string_bytes;
}

gs_code gs_band_key_init(gs_band_key *k, const gs_join_options *o, gs_join_side side,
                         gs_band_sieve *sieve, _Atomic uint64_t *skipped, gs_status *st)
{
    *k = (gs_band_key){.options = o, .side = side, .sieve = sieve};
    const gs_key_maker maker = {
        .make = make,
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
