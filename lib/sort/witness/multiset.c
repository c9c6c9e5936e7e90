/* SPDX-License-Identifier: MIT */
#include "lib/sort/witness/multiset.h"

#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_hash.h"

enum { SLICE_BYTES = 1 << 20, ENDS = 512, ENDS_AT_ONCE = 64 };

/* Lines of a text one after the other. They are noted and added some hundred at a time:
 * how many ends there are in 64 bytes is random, and a loop that hashed lines as it finds
 * them would be guessed wrong every time. */
typedef struct noted_lines {
    gs_multiset *set;
    const uint8_t *text; /* less than 4 GiB */
    size_t begin;        /* of the first line that was not added yet */
    size_t count;
    uint32_t ends[ENDS + ENDS_AT_ONCE];
} noted_lines;

static inline __attribute__((always_inline)) uint64_t
hash_lines_by(gs_hash_fn *hash, const noted_lines *lines)
{
    size_t begin = lines->begin;
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
    uint16_t long_ones[ENDS + ENDS_AT_ONCE];
    size_t long_count = 0, begin = lines->begin;
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
        begin = i == 0 ? lines->begin : (size_t)ends[i - 1] + 1;
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

static void add_noted(noted_lines *lines)
{
    gs_multiset *const m = lines->set;
    const size_t count = lines->count, begin = lines->begin;
    if (count == 0)
        return;
    m->sum += gs_hash_has_aes()    ? hash_lines_aes(lines)
              : gs_hash_has_avx2() ? hash_lines_avx2(lines)
                                   : hash_lines_by(gs_hash_record_plain, lines);
    lines->begin = (size_t)lines->ends[count - 1] + 1;
    m->bytes += lines->begin - begin - count;
    m->records += count;
    lines->count = 0;
}

static void note_lines(noted_lines *lines, size_t bytes, uint8_t eol)
{
    gs_line_iter it = gs_line_iter_begin(lines->text, bytes, eol);
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it))
            lines->ends[lines->count++] = (uint32_t)it.end;
        if (__builtin_expect(lines->count >= ENDS, 0))
            add_noted(lines);
    }
}

#if GS_HASH_HAS_AES
#define BY_COMPRESS __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")))

static int can_compress(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

BY_COMPRESS static inline void store_ends(uint32_t *to, __m128i places, size_t at)
{
    _mm512_storeu_si512(
        to, _mm512_add_epi32(_mm512_cvtepu8_epi32(places), _mm512_set1_epi32((int)at)));
}

/* The same: places of ends are moved together, with no branch on how many there are but
 * whether they are more than 16. */
BY_COMPRESS static void note_lines_by_compress(noted_lines *lines, size_t bytes,
                                               uint8_t eol)
{
    uint8_t numbers[64];
    for (uint8_t i = 0; i < sizeof numbers; i++)
        numbers[i] = i;
    const __m512i each = _mm512_loadu_si512(numbers), want = _mm512_set1_epi8((char)eol);
    for (size_t at = 0; at < bytes; at += 64) {
        const size_t left = bytes - at;
        const uint64_t inside = _bzhi_u64(UINT64_MAX, left < 64 ? (unsigned)left : 64);
        const __m512i some = _mm512_maskz_loadu_epi8(inside, lines->text + at);
        const uint64_t mask = _mm512_mask_cmpeq_epi8_mask(inside, some, want);
        const size_t count = (size_t)_mm_popcnt_u64(mask);
        const __m512i places = _mm512_maskz_compress_epi8(mask, each);
        uint32_t *const to = lines->ends + lines->count;
        store_ends(to, _mm512_castsi512_si128(places), at);
        if (__builtin_expect(count > 16, 0)) {
            store_ends(to + 16, _mm512_extracti32x4_epi32(places, 1), at);
            store_ends(to + 32, _mm512_extracti32x4_epi32(places, 2), at);
            store_ends(to + 48, _mm512_extracti32x4_epi32(places, 3), at);
        }
        lines->count += count;
        if (__builtin_expect(lines->count >= ENDS, 0))
            add_noted(lines);
    }
}
#else
#define can_compress()         0
#define note_lines_by_compress note_lines
#endif

/* The whole lines of a slice; returns how much they are. */
static size_t add_slice(gs_multiset *m, const uint8_t *text, size_t bytes, uint8_t eol)
{
    noted_lines lines;
    lines.set = m;
    lines.text = text;
    lines.begin = lines.count = 0;
    if (can_compress())
        note_lines_by_compress(&lines, bytes, eol);
    else
        note_lines(&lines, bytes, eol);
    add_noted(&lines);
    return lines.begin;
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
