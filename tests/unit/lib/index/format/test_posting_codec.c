/* SPDX-License-Identifier: MIT */
/*
 * posting_codec: what blocks and tails of postings hold must come back whatever it was,
 * in the bytes of the format on every machine, and bytes of others must never be read or
 * written beyond what is theirs: numbers of every width, count and kind of exceptions,
 * blocks as bits and not, tails of every count between close and far bounds.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/index/format/formats.h"
#include "tests/check.h"

enum { ROUNDS = 4000, GUARD = 32, AREA = 1 << 16, MARKED_MAX = 1 << 14 };

static uint64_t state;
static uint8_t *area_end; /* behind it no byte can be read or written */

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static void make_area(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *const area = mmap(NULL, AREA + page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(area != MAP_FAILED);
    REQUIRE(mprotect(area + AREA, page, PROT_NONE) == 0);
    area_end = area + AREA;
}

/* A place for so many bytes that end where only `slack` bytes more may be touched. */
static uint8_t *place_for(size_t bytes, size_t slack)
{
    memset(area_end - AREA, 0xff, AREA);
    return area_end - slack - bytes;
}

static uint64_t number_of(unsigned bits)
{
    return check_random(&state) & ((UINT64_C(1) << bits) - 1);
}

/* Most of some width, some of more. */
static void make_numbers(uint64_t *numbers, size_t count)
{
    const unsigned bits = (unsigned)below(GS_PACK_BITS_MAX + 1);
    const unsigned more = bits + (unsigned)below(GS_PACK_BITS_MAX - bits + 1);
    const uint64_t often = 1 + below(60);
    for (size_t i = 0; i < count; i++)
        numbers[i] = number_of(below(often) == 0 ? more : bits);
}

/* By the words of the format: the shortest that any width gives. */
static size_t shortest(const uint64_t *numbers, size_t count)
{
    size_t best = SIZE_MAX;
    for (size_t bits = 0; bits <= GS_PACK_BITS_MAX; bits++) {
        size_t larger = 0, widest = 0;
        for (size_t i = 0; i < count; i++) {
            size_t width = 0;
            while (numbers[i] >> width != 0)
                width++;
            larger += width > bits;
            widest = width > widest ? width : widest;
        }
        size_t bytes = 1 + (count * bits + 7) / 8;
        if (larger > 0)
            bytes += 2 + larger + (larger * (widest - bits) + 7) / 8;
        best = bytes < best ? bytes : best;
    }
    return best;
}

/* Numbers whose shape says so come back as 32 bits each; none that are spoiled do. */
static bool come_back_narrow(const gs_number_shape *shape, const uint64_t *numbers,
                             uint8_t *places)
{
    uint32_t got[GS_NUMBERS_MAX + 1];
    if (!gs_pack_has_way(GS_PACK_AVX2) || !gs_numbers_are_narrow(shape))
        return false;
    got[GS_NUMBERS_MAX] = 77;
    CHECK(gs_numbers_read_narrow(shape, got));
    for (size_t i = 0; i < GS_NUMBERS_MAX; i++)
        CHECK(got[i] == numbers[i]);
    if (shape->exceptions > 0) {
        uint8_t *const place = &places[below(shape->exceptions)];
        *place ^= 0x80; /* there is none */
        CHECK(!gs_numbers_read_narrow(shape, got));
        *place ^= 0x80;
    }
    CHECK(got[GS_NUMBERS_MAX] == 77);
    return true;
}

static void numbers_come_back(void)
{
    unsigned narrow = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t count = round % 2 ? GS_NUMBERS_MAX : below(GS_NUMBERS_MAX + 1);
        uint64_t numbers[GS_NUMBERS_MAX], got[GS_NUMBERS_MAX];
        uint8_t packed[GS_NUMBERS_BYTES_MAX + GS_PACK_SLACK + GUARD];
        make_numbers(numbers, count);
        const uint8_t *const end = gs_numbers_put(packed, numbers, count);
        const size_t bytes = (size_t)(end - packed);
        CHECK(bytes == gs_numbers_bytes(numbers, count));
        if (count >= GS_NUMBERS_FEW)
            CHECK(bytes == shortest(numbers, count) && bytes <= GS_NUMBERS_BYTES_MAX);
        uint8_t *const from = place_for(bytes, GS_PACK_SLACK);
        memcpy(from, packed, bytes);
        const uint8_t *p = from, *passed = from;
        CHECK(gs_numbers_get(&p, from + bytes, count, got) && p == from + bytes);
        CHECK(memcmp(numbers, got, count * sizeof *numbers) == 0);
        CHECK(gs_numbers_pass(&passed, from + bytes, count) && passed == p);
        p = from;
        gs_number_shape shape;
        if (count >= GS_NUMBERS_FEW) {
            CHECK(gs_numbers_shape(&shape, &p, from + bytes, count));
            for (size_t i = 0; i < count; i++)
                CHECK(gs_numbers_read_one(&shape, i) == numbers[i]);
            uint8_t *const places =
                shape.exceptions > 0 ? from + (shape.places - from) : from;
            narrow +=
                count == GS_NUMBERS_MAX && come_back_narrow(&shape, numbers, places);
            p = from;
        }
        CHECK(bytes == 0 || !gs_numbers_get(&p, from + bytes - 1, count, got));
    }
    CHECK(narrow > ROUNDS / 10 || !gs_pack_has_way(GS_PACK_AVX2));
}

/* Whatever the processor has, blocks are of the same widths. */
static void every_way_plans_the_same(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t count =
            round % 2 ? GS_NUMBERS_MAX
                      : GS_NUMBERS_FEW + below(GS_NUMBERS_MAX + 1 - GS_NUMBERS_FEW);
        uint64_t numbers[GS_NUMBERS_MAX];
        gs_number_plan plain, other;
        make_numbers(numbers, count);
        gs_number_plan_make_by(GS_PACK_PLAIN, &plain, numbers, count);
        for (unsigned way = 0; way < GS_PACK_WAY_COUNT; way++) {
            gs_number_plan_make_by((gs_pack_way)way, &other, numbers, count);
            CHECK(other.width.bits == plain.width.bits &&
                  other.width.exceptions == plain.width.exceptions &&
                  other.width.more_bits == plain.width.more_bits &&
                  other.width.bytes == plain.width.bytes);
            CHECK(memcmp(other.large, plain.large, sizeof plain.large) == 0);
        }
    }
}

/* The drawing of the format, byte for byte. */
static void numbers_are_those_of_the_format(void)
{
    static const uint8_t want[] = {0x41, 0xff, 0x00, 0x02, 0x04, 9, 15, 0x5a};
    uint64_t numbers[16] = {1, 1, 1, 1, 1, 1, 1, 1};
    uint8_t packed[GS_NUMBERS_BYTES_MAX + GS_PACK_SLACK];
    numbers[9] = 0xa << 1;
    numbers[15] = 0x5 << 1;
    const uint8_t *const end = gs_numbers_put(packed, numbers, 16);
    CHECK(end == packed + sizeof want && memcmp(packed, want, sizeof want) == 0);
    uint64_t got[GS_NUMBERS_MAX];
    const uint8_t *p = packed;
    CHECK(gs_numbers_get(&p, end, 16, got) && p == end);
    packed[6] = 16; /* the place of an exception: there is none */
    p = packed;
    CHECK(!gs_numbers_get(&p, end, 16, got));
}

/* Documents of a block, dense or not, as docIDs and as numbers. */
static uint64_t make_docs(uint64_t first, size_t count, uint64_t *docs, uint64_t *numbers)
{
    const uint64_t gap = UINT64_C(1) << below(below(3) == 0 ? 14 : 3);
    const bool is_drawn = below(2) == 0; /* each document or not: then bits are shorter */
    uint64_t next = first;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = below(gap);
        if (is_drawn)
            for (numbers[i] = 0; below(gap + 1) > 1; numbers[i]++)
                ;
        docs[i] = next + numbers[i];
        next = docs[i] + 1;
    }
    return next;
}

/* The bits of the documents, and no others, beside those that were there. Returns whether
 * they could be looked at. */
static bool marks_are_documents(const uint8_t *from, size_t bytes, uint64_t first,
                                const uint64_t *docs)
{
    uint64_t bits[MARKED_MAX / 64 + 2] = {0};
    const uint64_t last = docs[GS_INDEX_BLOCK - 1], other = below(MARKED_MAX);
    const uint8_t *p = from;
    uint64_t ignored[GS_BLOCK_DOCS_ROOM];
    if (last >= MARKED_MAX)
        return false;
    bits[other / 64] |= UINT64_C(1) << other % 64;
    CHECK(gs_block_mark_docs(&p, from + bytes, first, last, bits));
    CHECK(gs_numbers_get(&p, from + bytes, GS_INDEX_BLOCK, ignored) && p == from + bytes);
    for (uint64_t doc = 0, at = 0; doc < MARKED_MAX + 128; doc++) {
        const bool is_in = at < GS_INDEX_BLOCK && docs[at] == doc;
        CHECK((bits[doc / 64] >> doc % 64 & 1) == (is_in || doc == other));
        at += is_in;
    }
    return true;
}

/* One block of docIDs in every way that the processor has. */
static void documents_come_back(const uint8_t *from, size_t bytes, uint64_t first,
                                const uint64_t *docs)
{
    const uint64_t last = docs[GS_INDEX_BLOCK - 1];
    uint64_t got[GS_BLOCK_DOCS_ROOM];
    for (gs_pack_way way = 0; way <= gs_pack_best_way(); way++) {
        const uint8_t *p = from;
        CHECK(gs_block_get_docs_by(way, &p, from + bytes, first, last, got));
        CHECK(memcmp(docs, got, GS_INDEX_BLOCK * sizeof *docs) == 0);
    }
}

/* Whether a block is one is the same in every way, and what it says then. */
static void ways_agree(const uint8_t *from, size_t bytes, uint64_t first, uint64_t last)
{
    uint64_t want[GS_BLOCK_DOCS_ROOM], got[GS_BLOCK_DOCS_ROOM];
    const uint8_t *p = from;
    if (gs_block_get_docs_by(GS_PACK_PLAIN, &p, from + bytes, first, last, want)) {
        documents_come_back(from, bytes, first, want);
        return;
    }
    for (gs_pack_way way = 0; way <= gs_pack_best_way(); way++) {
        p = from;
        CHECK(!gs_block_get_docs_by(way, &p, from + bytes, first, last, got));
    }
}

/* Every gap of a block is this, and every frequency, less 1, so large. Returns its bytes.
 */
static size_t even_block_comes_back(uint64_t first, uint64_t gap, uint64_t more)
{
    uint64_t docs[GS_INDEX_BLOCK], numbers[GS_INDEX_BLOCK], tfs[GS_INDEX_BLOCK];
    uint64_t got[GS_BLOCK_DOCS_ROOM];
    uint8_t packed[GS_BLOCK_BYTES_MAX + GS_PACK_SLACK];
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        numbers[i] = gap;
        docs[i] = first + i + (i + 1) * gap;
        tfs[i] = more;
    }
    const size_t bytes =
        (size_t)(gs_block_put(packed, first, docs, numbers, tfs) - packed);
    CHECK(bytes >= GS_BLOCK_BYTES_MIN && bytes <= GS_BLOCK_BYTES_MAX);
    uint8_t *const from = place_for(bytes, GS_PACK_SLACK);
    memcpy(from, packed, bytes);
    documents_come_back(from, bytes, first, docs);
    const uint8_t *p = from;
    CHECK(gs_block_get_docs(&p, from + bytes, first, docs[GS_INDEX_BLOCK - 1], got));
    CHECK(gs_numbers_get(&p, from + bytes, GS_INDEX_BLOCK, got) && p == from + bytes);
    CHECK(memcmp(tfs, got, sizeof tfs) == 0);
    return bytes;
}

/* Blocks at the bounds of what a way can do: gaps of all widths that are all alike, most
 * of all the least and the largest, which are not narrow any more from 25 bits on; and
 * the shortest and the longest one, which are what the bounds say. */
static void even_blocks_come_back(void)
{
    const uint64_t most = (UINT64_C(1) << GS_PACK_BITS_MAX) - 1;
    for (unsigned bits = 0; bits <= GS_PACK_BITS_MAX - 7; bits++) {
        even_block_comes_back(0, UINT64_C(1) << bits, 0);
        even_block_comes_back(number_of(39), (UINT64_C(1) << bits) - 1, 0);
        even_block_comes_back(0, 0, (UINT64_C(1) << bits) - 1);
    }
    CHECK(even_block_comes_back(0, 0, 0) == GS_BLOCK_BYTES_MIN);
    CHECK(even_block_comes_back(0, most, most) == GS_BLOCK_BYTES_MAX);
}

static void blocks_come_back(void)
{
    unsigned as_bits = 0, marked = 0, marked_as_bits = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t docs[GS_INDEX_BLOCK], numbers[GS_INDEX_BLOCK], tfs[GS_INDEX_BLOCK];
        uint64_t got[GS_BLOCK_DOCS_ROOM];
        uint8_t packed[GS_BLOCK_BYTES_MAX + GS_PACK_SLACK];
        const uint64_t first = below(3) == 0 ? 0 : number_of(39);
        const uint64_t last = make_docs(first, GS_INDEX_BLOCK, docs, numbers) - 1;
        make_numbers(tfs, GS_INDEX_BLOCK);
        const uint8_t *const end = gs_block_put(packed, first, docs, numbers, tfs);
        const size_t bytes = (size_t)(end - packed);
        CHECK(bytes >= GS_BLOCK_BYTES_MIN && bytes <= GS_BLOCK_BYTES_MAX);
        as_bits += packed[0] == 0x80;
        uint8_t *const from = place_for(bytes, GS_PACK_SLACK);
        memcpy(from, packed, bytes);
        const uint8_t *p = from;
        CHECK(gs_block_get_docs(&p, from + bytes, first, last, got));
        documents_come_back(from, bytes, first, docs);
        CHECK(gs_numbers_get(&p, from + bytes, GS_INDEX_BLOCK, got) && p == from + bytes);
        CHECK(memcmp(tfs, got, sizeof tfs) == 0);
        const bool is_marked = marks_are_documents(from, bytes, first, docs);
        marked += is_marked;
        marked_as_bits += is_marked && packed[0] == 0x80;
        p = from; /* of bits, the last docID is what the skip entry says */
        if (packed[0] != 0x80)
            CHECK(!gs_block_get_docs(&p, from + bytes, first, last + 1 + below(9), got));
        from[below(bytes)] ^= (uint8_t)(1U << below(8));
        ways_agree(from, bytes, first, last);
    }
    CHECK(as_bits > ROUNDS / 10 && as_bits < ROUNDS * 9 / 10);
    CHECK(marked_as_bits > ROUNDS / 100 && marked - marked_as_bits > ROUNDS / 100);
}

static void tails_come_back(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t docs[GS_TAIL_MAX], numbers[GS_TAIL_MAX], tfs[GS_TAIL_MAX], more = 0;
        uint64_t got[GS_TAIL_MAX], got_tfs[GS_TAIL_MAX];
        uint8_t packed[GS_TAIL_BYTES_MAX + GUARD];
        const size_t count = below(GS_TAIL_MAX + 1);
        const uint64_t first = below(3) == 0 ? 0 : number_of(38);
        const uint64_t behind = make_docs(first, count, docs, numbers);
        const unsigned bits = below(2) == 0 ? 0 : (unsigned)below(32);
        for (size_t i = 0; i < count; i++) {
            tfs[i] = below(4) == 0 ? number_of(bits) : 0;
            more += tfs[i];
        }
        const gs_tail_frame frame = {.count = count,
                                     .first = first,
                                     .below = behind + (below(2) ? 0 : number_of(30)),
                                     .has_more = below(2) == 0,
                                     .more = more};
        const size_t bytes = (size_t)(gs_tail_put(packed, &frame, docs, tfs) - packed);
        CHECK(bytes <= GS_TAIL_BYTES_MAX);
        uint8_t *const from = place_for(bytes, sizeof(uint64_t));
        memcpy(from, packed, bytes);
        CHECK(gs_tail_get(from, from + bytes, &frame, got, got_tfs));
        CHECK(memcmp(docs, got, count * sizeof *docs) == 0);
        for (size_t i = 0; i < count; i++)
            CHECK(got_tfs[i] == tfs[i] + 1);
        CHECK(!gs_tail_get(from, from + bytes + 1, &frame, got, got_tfs));
    }
}

/* Interpolated numbers take no more bits than what tells them apart from all others. */
static void close_numbers_take_no_bits(void)
{
    uint64_t docs[GS_TAIL_MAX], tfs[GS_TAIL_MAX] = {0};
    uint8_t packed[GS_TAIL_BYTES_MAX + GUARD];
    gs_tail_frame frame = {.count = 100, .first = 50, .below = 150, .has_more = true};
    for (size_t i = 0; i < 100; i++)
        docs[i] = 50 + i;
    CHECK(gs_tail_put(packed, &frame, docs, tfs) == packed);
    frame.below = 151; /* one of them is left out: 101 ways, at most 8 bits */
    for (size_t i = 60; i < 100; i++)
        docs[i]++;
    CHECK(gs_tail_put(packed, &frame, docs, tfs) == packed + 1);
}

/* Whatever the bytes are: an answer or none, and docIDs between their bounds. */
static void other_bytes_do_no_harm(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t docs[GS_BLOCK_DOCS_ROOM], tfs[GS_NUMBERS_MAX];
        const size_t bytes = below(200);
        uint8_t *const from = place_for(bytes, GS_PACK_SLACK);
        for (size_t i = 0; i < bytes; i++)
            from[i] = (uint8_t)(below(3) ? check_random(&state) : below(2) ? 0x80 : 0x42);
        const uint8_t *p = from;
        (void)gs_numbers_get(&p, from + bytes, 1 + below(GS_NUMBERS_MAX), docs);
        CHECK(p >= from && p <= from + bytes);
        p = from;
        const uint64_t first = below(1000), last = below(2000);
        const gs_pack_way way = (gs_pack_way)below(gs_pack_best_way() + 1);
        if (gs_block_get_docs_by(way, &p, from + bytes, first, last, docs)) {
            CHECK(docs[GS_INDEX_BLOCK - 1] == last && docs[0] >= first);
            for (size_t i = 1; i < GS_INDEX_BLOCK; i++)
                CHECK(docs[i] > docs[i - 1]);
        }
        uint64_t bits[2000 / 64 + 2] = {0};
        p = from;
        if (gs_block_mark_docs(&p, from + bytes, first, last, bits))
            CHECK((bits[last / 64] >> last % 64 & 1) != 0 && p <= from + bytes);
        for (uint64_t doc = 0; doc < sizeof bits * 8; doc++)
            CHECK((bits[doc / 64] >> doc % 64 & 1) == 0 || (doc >= first && doc <= last));
        const gs_tail_frame frame = {.count = 1 + below(GS_TAIL_MAX),
                                     .first = first,
                                     .below = number_of(40),
                                     .has_more = below(2) == 0,
                                     .more = number_of(42)};
        if (gs_tail_get(from, from + bytes, &frame, docs, tfs))
            CHECK(docs[0] >= first && docs[frame.count - 1] < frame.below);
    }
}

int main(void)
{
    state = check_seed(43);
    make_area();
    numbers_come_back();
    every_way_plans_the_same();
    numbers_are_those_of_the_format();
    blocks_come_back();
    even_blocks_come_back();
    tails_come_back();
    close_numbers_take_no_bits();
    other_bytes_do_no_harm();
    return check_result();
}
