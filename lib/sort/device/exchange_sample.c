/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/exchange_sample.h"

#include <string.h>

#include "lib/base/mem.h"

enum { FIRST_STRIDE = 1024 };

gs_code gs_exchange_sample_new(gs_exchange_sample *s, const gs_text_order *order,
                               size_t fetch_bytes_max, gs_status *st)
{
    const size_t less = GS_TEXT_SAMPLE_SLACK;
    const size_t starts = fetch_bytes_max / sizeof(uint64_t) - 1;
    *s = (gs_exchange_sample){
        .room = fetch_bytes_max > less ? fetch_bytes_max - less : 0,
        .count_max = starts < GS_EXCHANGE_SAMPLE_MAX ? (uint32_t)starts
                                                     : (uint32_t)GS_EXCHANGE_SAMPLE_MAX,
        .record_size = order->record_size,
        .eol = order->eol,
        .stride = FIRST_STRIDE,
        .passed = FIRST_STRIDE,
    };
    return gs_mem_new(&s->text, s->room + 1, "sample for GPUs", st);
}

void gs_exchange_sample_release(gs_exchange_sample *s)
{
    gs_mem_free(s->text);
    *s = (gs_exchange_sample){0};
}

/* How long the record at `from` is; 0 if its end is not there. */
static size_t record_bytes(const gs_exchange_sample *s, const uint8_t *from,
                           const uint8_t *end)
{
    const size_t left = (size_t)(end - from);
    if (s->record_size > 0)
        return s->record_size <= left ? s->record_size : 0;
    const uint8_t *const eol = memchr(from, s->eol, left);
    return eol != NULL ? (size_t)(eol - from) + 1 : 0;
}

static void thin_out(gs_exchange_sample *s)
{
    const uint8_t *from = s->text, *const end = s->text + s->bytes;
    uint8_t *to = s->text;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const size_t n = record_bytes(s, from, end);
        if (i % 2 == 0) {
            memmove(to, from, n);
            to += n;
            kept++;
        }
        from += n;
    }
    s->bytes = (size_t)(to - s->text);
    s->count = kept;
    s->stride *= 2;
}

/* A record that is longer than half of the room is none that is taken. */
static void take(gs_exchange_sample *s, const uint8_t *from, size_t bytes)
{
    if (bytes > s->room / 2)
        return;
    while (s->count > 0 && (s->count == s->count_max || s->bytes + bytes > s->room))
        thin_out(s);
    if (s->count == s->count_max || s->bytes + bytes > s->room)
        return;
    memcpy(s->text + s->bytes, from, bytes);
    s->bytes += bytes;
    s->count++;
}

/* The first record that begins at `at` or behind it, or NULL. */
static const uint8_t *find_record(const gs_exchange_sample *s, const uint8_t *text,
                                  size_t at, const uint8_t *end)
{
    if (s->record_size > 0)
        return text + at / s->record_size * s->record_size;
    if (at == 0)
        return text;
    const uint8_t *const before =
        memchr(text + at - 1, s->eol, (size_t)(end - text) - at + 1);
    return before != NULL && before + 1 < end ? before + 1 : NULL;
}

void gs_exchange_sample_add(gs_exchange_sample *s, const uint8_t *text, size_t bytes)
{
    const uint8_t *const end = text + bytes;
    size_t at = 0; /* up to here nothing more is taken */
    while (s->passed + (bytes - at) > s->stride) {
        at += s->passed < s->stride ? (size_t)(s->stride - s->passed) : 0;
        s->passed = 0;
        const uint8_t *const from = find_record(s, text, at, end);
        const size_t n = from != NULL ? record_bytes(s, from, end) : 0;
        if (n > 0)
            take(s, from, n);
        if (from == NULL || n == 0)
            break;
        const size_t behind = (size_t)(from - text) + n;
        at = behind > at ? behind : at;
    }
    s->passed += bytes - at;
}
