/* SPDX-License-Identifier: MIT */
/*
 * posting_codec: the postings of an index, written and read in several codes.
 *
 *      posting_codec INDEX [POSTINGS]
 *
 * Takes a portion of postings at a time out of the index, as an index holds them: for
 * every term blocks of 128 and a tail, of differences of docIDs and of frequencies. Each
 * code writes and reads the same numbers several times, the codes in turn; the smallest
 * time of a code for a portion counts, and the portions add up. What is read is compared
 * with what was there.
 *
 *      patched      blocks as an index holds them, but for those that are bits
 *      interpolated tails as an index holds them, those of one posting apart
 *      packed       blocks in the width of their largest number, read in every way
 *      varint       tails in whole bytes
 *      StreamVByte  both as libstreamvbyte writes them
 *
 * The last if the program is built with it: numbers of 1 to 4 bytes, or ("0124") of 0, 1,
 * 2 or 4. A distribution may build that library without vector code, so they are also
 * read here with SSSE3, as the library would.
 *
 * Prints bytes a posting (document and frequency), and thousands of millions of numbers
 * (two a posting) written and read in a second on one core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && __has_include(<streamvbyte.h>)
#define GS_HAVE_STREAMVBYTE 1
#include <streamvbyte.h>
#include <tmmintrin.h>
#else
#define GS_HAVE_STREAMVBYTE 0
#endif

#include "lib/base/machine.h"
#include "lib/index/read/posting_list.h"
#include "lib/index/format/number_block.h"
#include "lib/index/format/posting_tail.h"
#include "lib/index/read/term_cursor.h"
#include "lib/index/format/varint.h"

/* All that a block of this layout has is written by some code below. */
_Static_assert(GS_INDEX_LAYOUT == 4, "write what is new in a block here, too");

enum {
    PORTION = 1 << 18, /* postings: what they are coded to fits the second-level cache */
    NUMBERS_MAX = 2 * (PORTION + GS_INDEX_BLOCK),
    TURNS = 5,
};

/* A block or a tail: `count` differences from number `first` on, then as many
 * frequencies; documents are in [least_doc, doc_bound). */
typedef struct stretch {
    size_t first, count;
    uint64_t least_doc, doc_bound;
} stretch;

typedef struct stretches {
    stretch at[PORTION];
    size_t count, postings;
} stretches;

typedef struct portion {
    uint64_t wide[NUMBERS_MAX];   /* the numbers as gpusort has them in memory */
    uint32_t narrow[NUMBERS_MAX]; /* the same as streamvbyte wants them */
    size_t used;                  /* of both */
    stretches blocks, tails;
} portion;

typedef uint8_t *write_fn(uint8_t *to, const portion *p, const stretch *s);
/* Reads a stretch's numbers to `out`, of the code's width. */
typedef const uint8_t *read_fn(const uint8_t *from, const stretch *s, void *out);

typedef struct code {
    const char *name;
    write_fn *write;
    read_fn *read;
    bool is_of_tails, is_narrow;
    uint64_t bytes, postings, write_ns, read_ns;
} code;

static uint8_t coded[NUMBERS_MAX * GS_VARINT_BYTES_MAX + GS_PACK_SLACK];
static uint64_t decoded[NUMBERS_MAX];
static portion numbers;

static void require(gs_code result, const gs_status *st)
{
    if (result == GS_OK)
        return;
    fprintf(stderr, "posting_codec: %s\n", st->msg);
    exit(2);
}

/* --- the codes ---------------------------------------------------------------------- */

/* The bits that the largest of a block needs; 0 if all are 0. */
static unsigned width_of(const uint64_t *from)
{
    uint64_t all = 0;
    for (size_t i = 0; i < GS_PACK_COUNT; i++)
        all |= from[i];
    return all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
}

static uint8_t *write_packed(uint8_t *to, const portion *p, const stretch *s)
{
    for (size_t half = 0; half < 2; half++) {
        const uint64_t *const from = p->wide + s->first + half * s->count;
        const unsigned bits = width_of(from);
        *to++ = (uint8_t)bits;
        to = gs_pack_put_some(to, from, GS_PACK_COUNT, bits);
    }
    return to;
}

static inline const uint8_t *read_packed(gs_pack_way way, const uint8_t *from, void *out)
{
    uint64_t *const to = out;
    for (size_t half = 0; half < 2; half++) {
        const unsigned bits = *from++;
        gs_pack_get_by(way, from, bits, to + half * GS_PACK_COUNT);
        from += gs_pack_bytes(bits);
    }
    return from;
}

static const uint8_t *read_plain(const uint8_t *from, const stretch *s, void *out)
{
    (void)s;
    return read_packed(GS_PACK_PLAIN, from, out);
}

static const uint8_t *read_avx2(const uint8_t *from, const stretch *s, void *out)
{
    (void)s;
    return read_packed(GS_PACK_AVX2, from, out);
}

static const uint8_t *read_avx512(const uint8_t *from, const stretch *s, void *out)
{
    (void)s;
    return read_packed(GS_PACK_AVX512, from, out);
}

static uint8_t *write_patched(uint8_t *to, const portion *p, const stretch *s)
{
    to = gs_numbers_put(to, p->wide + s->first, s->count);
    return gs_numbers_put(to, p->wide + s->first + s->count, s->count);
}

static const uint8_t *read_patched(const uint8_t *from, const stretch *s, void *out)
{
    uint64_t *const to = out;
    const uint8_t *const end = coded + sizeof coded;
    if (!gs_numbers_get(&from, end, s->count, to) ||
        !gs_numbers_get(&from, end, s->count, to + s->count))
        return end; /* which is found out: it is none of the numbers */
    return from;
}

/* Where a tail ends is known to who reads it: two bytes, which do not count. */
enum { TAIL_HEAD_BYTES = 2 };

static gs_tail_frame frame_of(const stretch *s)
{
    return (gs_tail_frame){
        .count = s->count, .first = s->least_doc, .below = s->doc_bound};
}

static uint8_t *write_interpolated(uint8_t *to, const portion *p, const stretch *s)
{
    const uint64_t *const numbers_of = p->wide + s->first;
    const gs_tail_frame frame = frame_of(s);
    uint64_t docs[GS_TAIL_MAX], next = s->least_doc;
    for (size_t i = 0; i < s->count; i++) {
        docs[i] = next + numbers_of[i];
        next = docs[i] + 1;
    }
    uint8_t *const end =
        gs_tail_put(to + TAIL_HEAD_BYTES, &frame, docs, numbers_of + s->count);
    const uint16_t bytes = (uint16_t)(end - to - TAIL_HEAD_BYTES);
    memcpy(to, &bytes, sizeof bytes);
    return end;
}

static const uint8_t *read_interpolated(const uint8_t *from, const stretch *s, void *out)
{
    uint64_t *const docs = out, *const tfs = docs + s->count;
    uint64_t next = s->least_doc;
    const gs_tail_frame frame = frame_of(s);
    uint16_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    from += TAIL_HEAD_BYTES;
    if (!gs_tail_get(from, from + bytes, &frame, docs, tfs))
        return from + bytes; /* which is found out, too */
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t doc = docs[i];
        docs[i] = doc - next;
        next = doc + 1;
        tfs[i]--;
    }
    return from + bytes;
}

static uint8_t *write_varints(uint8_t *to, const portion *p, const stretch *s)
{
    const uint64_t *const docs = p->wide + s->first, *const tfs = docs + s->count;
    for (size_t i = 0; i < s->count; i++) {
        to = gs_varint_put(to, docs[i] << 1 | (tfs[i] == 0));
        if (tfs[i] != 0)
            to = gs_varint_put(to, tfs[i] - 1);
    }
    return to;
}

static const uint8_t *read_varints(const uint8_t *from, const stretch *s, void *out)
{
    uint64_t *const docs = out, *const tfs = docs + s->count;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t number, tf = 0;
        from = gs_varint_get(from, &number);
        docs[i] = number >> 1;
        if ((number & 1) == 0) {
            from = gs_varint_get(from, &tf);
            tf++;
        }
        tfs[i] = tf;
    }
    return from;
}

#if GS_HAVE_STREAMVBYTE
/* Four numbers at a time: the byte that has their four sizes says how the next bytes are
 * to be shuffled, and how many they are. */
typedef struct stream_table {
    uint8_t shuffle[256][16], bytes[256];
} stream_table;

static stream_table table_1234, table_0124;

static void fill_table(stream_table *table, const uint8_t sizes[4])
{
    for (unsigned four = 0; four < 256; four++) {
        uint8_t at = 0;
        for (unsigned byte = 0; byte < 16; byte++) {
            const unsigned size = sizes[four >> byte / 4 * 2 & 3];
            table->shuffle[four][byte] = byte % 4 < size ? at++ : 0xff; /* 0xff: a zero */
        }
        table->bytes[four] = at;
    }
}

static uint8_t *write_stream(uint8_t *to, const portion *p, const stretch *s)
{
    return to + streamvbyte_encode(p->narrow + s->first, (uint32_t)s->count * 2, to);
}

static const uint8_t *read_stream(const uint8_t *from, const stretch *s, void *out)
{
    return from + streamvbyte_decode(from, out, (uint32_t)s->count * 2);
}

static uint8_t *write_stream_0124(uint8_t *to, const portion *p, const stretch *s)
{
    return to + streamvbyte_encode_0124(p->narrow + s->first, (uint32_t)s->count * 2, to);
}

static const uint8_t *read_stream_0124(const uint8_t *from, const stretch *s, void *out)
{
    return from + streamvbyte_decode_0124(from, out, (uint32_t)s->count * 2);
}

#define SSSE3 __attribute__((target("ssse3")))

SSSE3 static inline __m128i load_16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Reads up to 16 bytes beyond the end. */
SSSE3 static inline const uint8_t *read_fours(const uint8_t *from, const stretch *s,
                                              void *out, const stream_table *table,
                                              const uint8_t sizes[4])
{
    const size_t count = 2 * s->count, fours = count / 4;
    const uint8_t *sizes_at = from, *bytes = from + (count + 3) / 4;
    uint32_t *to = out;
    for (size_t i = 0; i < fours; i++, to += 4) {
        const unsigned four = *sizes_at++;
        const __m128i shuffle = load_16(table->shuffle[four]);
        _mm_storeu_si128((__m128i *)(void *)to,
                         _mm_shuffle_epi8(load_16(bytes), shuffle));
        bytes += table->bytes[four];
    }
    for (size_t i = 0; i < count % 4; i++) {
        const unsigned size = sizes[*sizes_at >> 2 * i & 3];
        to[i] = 0;
        memcpy(&to[i], bytes, size);
        bytes += size;
    }
    return bytes;
}

static const uint8_t sizes_1234[] = {1, 2, 3, 4}, sizes_0124[] = {0, 1, 2, 4};

SSSE3 static const uint8_t *read_fours_1234(const uint8_t *from, const stretch *s,
                                            void *out)
{
    return read_fours(from, s, out, &table_1234, sizes_1234);
}

SSSE3 static const uint8_t *read_fours_0124(const uint8_t *from, const stretch *s,
                                            void *out)
{
    return read_fours(from, s, out, &table_0124, sizes_0124);
}
#endif

#define STREAM_CODES(tails)                                                              \
    CODE("StreamVByte, library", write_stream, read_stream, tails, true),                \
        CODE("StreamVByte, SSSE3", write_stream, read_fours_1234, tails, true),          \
        CODE("StreamVByte 0124, library", write_stream_0124, read_stream_0124, tails,    \
             true),                                                                      \
        CODE("StreamVByte 0124, SSSE3", write_stream_0124, read_fours_0124, tails, true)
#define CODE(name_, write_, read_, tails_, narrow_)                                      \
    {                                                                                    \
        .name = name_, .write = write_, .read = read_, .is_of_tails = tails_,            \
        .is_narrow = narrow_                                                             \
    }

static code codes[] = {
    CODE("patched", write_patched, read_patched, false, false),
    CODE("packed, plain", write_packed, read_plain, false, false),
    CODE("packed, AVX2", write_packed, read_avx2, false, false),
    CODE("packed, AVX-512", write_packed, read_avx512, false, false),
#if GS_HAVE_STREAMVBYTE
    STREAM_CODES(false),
#endif
    CODE("interpolated", write_interpolated, read_interpolated, true, false),
    CODE("varint", write_varints, read_varints, true, false),
#if GS_HAVE_STREAMVBYTE
    STREAM_CODES(true),
#endif
};
enum { CODES = sizeof codes / sizeof codes[0] };

static bool is_here(const code *c)
{
    return (c->read != read_avx2 || gs_pack_has_way(GS_PACK_AVX2)) &&
           (c->read != read_avx512 || gs_pack_has_way(GS_PACK_AVX512));
}

/* --- measuring ---------------------------------------------------------------------- */

static void compare(const code *c, const stretches *all)
{
    const uint32_t *const narrow = (const uint32_t *)(const void *)decoded;
    const uint8_t *from = coded;
    for (size_t k = 0; k < all->count; k++) {
        const stretch *const s = &all->at[k];
        from = c->read(from, s, decoded);
        for (size_t i = 0; i < 2 * s->count; i++) {
            if ((c->is_narrow ? narrow[i] : decoded[i]) == numbers.wide[s->first + i])
                continue;
            fprintf(stderr, "posting_codec: %s does not give back what it got\n",
                    c->name);
            exit(1);
        }
    }
}

/* One turn of a code; improves the portion's times so far. */
static void take_turn(code *c, const stretches *all, uint64_t *write_ns,
                      uint64_t *read_ns, uint64_t *bytes)
{
    const uint64_t begin = gs_machine_now_ns();
    uint8_t *to = coded;
    for (size_t k = 0; k < all->count; k++)
        to = c->write(to, &numbers, &all->at[k]);
    const uint64_t written = gs_machine_now_ns();
    const uint8_t *from = coded;
    for (size_t k = 0; k < all->count; k++)
        from = c->read(from, &all->at[k], decoded); /* to one place, as a cursor does */
    const uint64_t end = gs_machine_now_ns();
    *write_ns = written - begin < *write_ns ? written - begin : *write_ns;
    *read_ns = end - written < *read_ns ? end - written : *read_ns;
    *bytes = (uint64_t)(to - coded) -
             (c->write == write_interpolated ? TAIL_HEAD_BYTES * all->count : 0);
}

static void measure(void)
{
    uint64_t write_ns[CODES], read_ns[CODES], bytes[CODES] = {0};
    memset(write_ns, 0xff, sizeof write_ns);
    memset(read_ns, 0xff, sizeof read_ns);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < CODES; i++) {
            code *const c = &codes[i];
            const stretches *const all =
                c->is_of_tails ? &numbers.tails : &numbers.blocks;
            if (!is_here(c))
                continue;
            take_turn(c, all, &write_ns[i], &read_ns[i], &bytes[i]);
            if (turn == 0)
                compare(c, all);
        }
    }
    for (size_t i = 0; i < CODES; i++) {
        if (!is_here(&codes[i]))
            continue;
        codes[i].write_ns += write_ns[i];
        codes[i].read_ns += read_ns[i];
        codes[i].bytes += bytes[i];
        codes[i].postings +=
            codes[i].is_of_tails ? numbers.tails.postings : numbers.blocks.postings;
    }
    numbers.used = 0;
    numbers.blocks.count = numbers.blocks.postings = 0;
    numbers.tails.count = numbers.tails.postings = 0;
}

/* --- the index ---------------------------------------------------------------------- */

static void add_block(const gs_posting_list *c, uint64_t *next_doc)
{
    const uint64_t least_doc = *next_doc;
    stretches *const all = c->count == GS_INDEX_BLOCK ? &numbers.blocks : &numbers.tails;
    uint64_t *const docs = numbers.wide + numbers.used;
    for (size_t i = 0; i < c->count; i++) {
        docs[i] = c->docs[i] - *next_doc;
        docs[c->count + i] = c->tfs[i] - 1;
        *next_doc = c->docs[i] + 1;
    }
    for (size_t i = 0; i < 2 * c->count; i++) {
        if (docs[i] > UINT32_MAX) {
            fprintf(stderr, "posting_codec: a number has more than 32 bits\n");
            exit(2);
        }
        numbers.narrow[numbers.used + i] = (uint32_t)docs[i];
    }
    all->at[all->count++] = (stretch){numbers.used, c->count, least_doc,
                                      gs_index_header_of(c->index)->doc_bound};
    all->postings += c->count;
    numbers.used += 2 * c->count;
    if (numbers.used >= 2 * (size_t)PORTION)
        measure();
}

static void measure_index(const gs_index *index, uint64_t postings_max)
{
    gs_status st = {.code = GS_OK};
    gs_term_cursor *term = NULL;
    gs_posting_list c = {0};
    require(gs_term_cursor_new(&term, index, &st), &st);
    require(gs_term_cursor_first(term, &st), &st);
    uint64_t seen = 0;
    while (term->has_term && seen < postings_max) {
        uint64_t next_doc = 0;
        require(gs_posting_list_start(&c, index, &term->info, &st), &st);
        require(gs_posting_list_block(&c, &st), &st);
        for (; c.count > 0 && term->info.df > 1;
             require(gs_posting_list_block(&c, &st), &st))
            add_block(&c, &next_doc);
        seen += term->info.df;
        require(gs_term_cursor_next(term, &st), &st);
    }
    measure();
    gs_posting_list_release(&c);
    gs_term_cursor_free(term);
}

static double a_second(const code *c, uint64_t ns)
{
    return ns == 0 ? 0 : 2 * (double)c->postings / (double)ns;
}

int main(int argc, char **argv)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: posting_codec INDEX [POSTINGS]\n");
        return 2;
    }
#if GS_HAVE_STREAMVBYTE
    fill_table(&table_1234, sizes_1234);
    fill_table(&table_0124, sizes_0124);
#endif
    require(gs_index_open(&index, argv[1], &st), &st);
    measure_index(index, argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX);
    gs_index_close(index);
    printf("| of | code | postings | bytes a posting | written, G/s | read, G/s |\n"
           "|---|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < CODES; i++) {
        const code *const c = &codes[i];
        if (c->postings > 0)
            printf("| %s | %s | %llu | %.3f | %.2f | %.2f |\n",
                   c->is_of_tails ? "tails" : "blocks", c->name,
                   (unsigned long long)c->postings,
                   (double)c->bytes / (double)c->postings, a_second(c, c->write_ns),
                   a_second(c, c->read_ns));
    }
    return 0;
}
