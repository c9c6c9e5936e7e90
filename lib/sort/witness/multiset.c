/* SPDX-License-Identifier: MIT */
#include "lib/sort/witness/multiset.h"

#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_hash.h"

enum { SLICE_BYTES = 1 << 30, ENDS = 512 };

/* Lines of a text one after the other. */
typedef struct noted_lines {
    const uint8_t *text;
    size_t count;
    uint32_t ends[ENDS + GS_LINE_ENDS_LEAST];
} noted_lines;

static inline __attribute__((always_inline)) uint64_t
hash_lines_by(gs_hash_fn *hash, const noted_lines *lines)
{
    size_t begin = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < lines->count; i++) {
        sum += hash(lines->text + begin, lines->ends[i] - begin);
        begin = (size_t)lines->ends[i] + 1;
    }
    return sum;
}

GS_HASH_AVX2 static uint64_t hash_lines_avx2(const noted_lines *lines)
{
    return hash_lines_by(gs_hash_record_avx2, lines);
}

#if GS_HASH_HAS_AES
GS_HASH_AES static uint64_t hash_lines_aes(const noted_lines *lines)
{
    __m256i sums = _mm256_setzero_si256();
    const uint8_t *const text = lines->text;
    const uint32_t *const ends = lines->ends;
    uint16_t long_ones[ENDS + GS_LINE_ENDS_LEAST];
    size_t long_count = 0, begin = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const size_t bytes = ends[i] - begin;
        const __m512i block = gs_hash_load_512(text + begin, bytes);
        sums = _mm256_add_epi64(sums, gs_hash_first_aes(block, bytes));
        long_ones[long_count] = (uint16_t)i;
        long_count += bytes > GS_HASH_BLOCK;
        begin = (size_t)ends[i] + 1;
    }
    for (size_t k = 0; k < long_count; k++) {
        const size_t i = long_ones[k];
        begin = i == 0 ? 0 : (size_t)ends[i - 1] + 1;
        sums = _mm256_add_epi64(sums, gs_hash_rest_aes(text + begin, ends[i] - begin));
    }
    return gs_hash_sum_aes(sums);
}

GS_HASH_AES static uint64_t hash_one_aes(const uint8_t *record, size_t bytes)
{
    return gs_hash_sum_aes(gs_hash_record_aes(record, bytes));
}
#else
#define hash_one_aes          gs_hash_record_plain
#define hash_lines_aes(lines) hash_lines_by(gs_hash_record_plain, lines)
#endif

/* Who makes the hash of a record by itself. */
static gs_hash_fn *hash_one(void)
{
    return gs_hash_has_aes() ? hash_one_aes : gs_hash_record_fn();
}

void gs_multiset_add(gs_multiset *m, const uint8_t *record, size_t bytes, uint64_t times)
{
    m->records += times;
    m->bytes += times * bytes;
    m->sum += times * hash_one()(record, bytes);
}

static uint64_t hash_lines(const noted_lines *lines)
{
    return gs_hash_has_aes()    ? hash_lines_aes(lines)
           : gs_hash_has_avx2() ? hash_lines_avx2(lines)
                                : hash_lines_by(gs_hash_record_plain, lines);
}

/* The whole lines of a slice; returns how much they are. */
static size_t add_slice(gs_multiset *m, const uint8_t *text, size_t bytes, uint8_t eol)
{
    noted_lines lines;
    const size_t room = sizeof lines.ends / sizeof lines.ends[0];
    size_t taken = 0;
    for (;;) {
        lines.text = text + taken;
        lines.count = gs_line_ends(lines.text, bytes - taken, eol, lines.ends, room);
        if (lines.count == 0)
            return taken;
        const size_t all = (size_t)lines.ends[lines.count - 1] + 1;
        m->sum += hash_lines(&lines);
        m->bytes += all - lines.count;
        m->records += lines.count;
        taken += all;
    }
}

/* Records of a text with quotes. */
static void add_csv(gs_multiset *m, const gs_record_form *form, const uint8_t *text,
                    size_t bytes)
{
    gs_hash_fn *const hash = hash_one();
    const gs_csv_form csv = {.separator = form->separator, .eol = form->eol};
    gs_csv_iter it = gs_csv_iter_begin(text, bytes, csv);
    while (gs_csv_iter_load(&it)) {
        while (gs_csv_iter_next(&it)) {
            m->sum += hash(text + it.begin, it.end - it.begin);
            m->bytes += it.end - it.begin;
            m->records++;
        }
    }
    if (it.rest < bytes)
        gs_multiset_add(m, text + it.rest, bytes - it.rest, 1);
}

void gs_multiset_add_text(gs_multiset *m, const gs_record_form *form, const uint8_t *text,
                          size_t bytes)
{
    if (form->record_size > 0) {
        const size_t size = form->record_size;
        gs_hash_fn *const hash = hash_one();
        for (size_t at = 0; at + size <= bytes; at += size)
            m->sum += hash(text + at, size);
        m->bytes += bytes / size * size;
        m->records += bytes / size;
        return;
    }
    if (form->is_csv) {
        add_csv(m, form, text, bytes);
        return;
    }
    while (bytes > 0) {
        const size_t slice = bytes < SLICE_BYTES ? bytes : SLICE_BYTES;
        size_t taken = add_slice(m, text, slice, form->eol);
        if (taken == 0) { /* a long line, or the last one without its eol */
            const size_t line_bytes = gs_line_find(text, bytes, form->eol);
            gs_multiset_add(m, text, line_bytes, 1);
            taken = line_bytes + (line_bytes < bytes);
        }
        text += taken;
        bytes -= taken;
    }
}

void gs_multiset_join(gs_multiset *to, const gs_multiset *from)
{
    to->records += from->records;
    to->bytes += from->bytes;
    to->sum += from->sum;
}
