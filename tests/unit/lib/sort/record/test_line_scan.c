/* SPDX-License-Identifier: MIT */
/*
 * line_scan, line_ends: masks, counts, lines and ends are those of a loop over the bytes,
 * for any length, place and number of ends of lines, above all where all bytes are ends.
 */
#include "lib/sort/record/line_scan.h"
#include "lib/sort/record/line_ends.h"

#include <sys/mman.h>

#include "tests/check.h"

enum { BYTES = 64 * 200, SLACK = 64 };

static uint8_t text[BYTES + SLACK];

static size_t count_slowly(const uint8_t *p, size_t bytes, uint8_t eol)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += p[i] == eol;
    return count;
}

static void last_is_found(size_t at, size_t bytes, uint8_t eol)
{
    const uint8_t *const p = text + at;
    size_t want = bytes;
    while (want > 0 && p[want - 1] != eol)
        want--;
    CHECK(gs_line_find_last(p, bytes, eol) == want);
}

/* A text whose length is a little more than a multiple of 4 GiB: where a function counts
 * in 32 bits, its beginning looks like its end. Pages that nobody touches take no memory.
 */
static void last_is_found_beyond_32_bits(void)
{
    enum { HEAD = 4096 };
    static const uint8_t empty[HEAD];
    CHECK(gs_line_find_last(NULL, 0, '\n') == 0);
    CHECK(gs_line_find_last(empty, HEAD, '\n') == 0);
    for (unsigned i = 0; i < 60; i++) {
        const size_t more = i / 3 * 10 + 5, tail = (size_t)(i % 3) * 21;
        const size_t bytes = (UINT64_C(5) << 32) + more;
        uint8_t *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            return; /* a limit on addresses */
        memset(p, '\n', HEAD);
        p[bytes - 1 - tail] = '\n';
        CHECK(gs_line_find_last(p, bytes, '\n') == bytes - tail);
        munmap(p, bytes);
    }
}

/* The lines of text[at, at + bytes), each where the last one ended. */
static void lines_are_cut(size_t at, size_t bytes, uint8_t eol)
{
    const uint8_t *const p = text + at;
    size_t want = 0, count = 0;
    gs_line_iter it = gs_line_iter_begin(p, bytes, eol);
    while (gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it)) {
            CHECK(it.begin == want && it.end >= want && it.end < bytes);
            CHECK(count_slowly(p + it.begin, it.end - it.begin, eol) == 0);
            CHECK(p[it.end] == eol);
            want = it.end + 1;
            count++;
        }
    }
    CHECK(it.rest == want && count == count_slowly(p, bytes, eol));
}

/* Where they end, some at a time, of which there are as many as there was room for. */
static void ends_are_found(size_t at, size_t bytes, uint8_t eol, size_t room)
{
    static uint32_t ends[300 + 1];
    const uint8_t *p = text + at;
    size_t left = bytes, all = 0, count;
    ends[room] = 0x5eed;
    while ((count = gs_line_ends(p, left, eol, ends, room)) > 0) {
        CHECK(count <= room && ends[count - 1] < left);
        for (size_t i = 0, begin = 0; i < count; begin = (size_t)ends[i++] + 1) {
            CHECK(begin <= ends[i] && p[ends[i]] == eol);
            CHECK(count_slowly(p + begin, ends[i] - begin, eol) == 0);
        }
        p += (size_t)ends[count - 1] + 1;
        left -= (size_t)ends[count - 1] + 1;
        all += count;
    }
    CHECK(ends[room] == 0x5eed);
    CHECK(all == count_slowly(text + at, bytes, eol));
}

static void masks_and_counts_agree(uint64_t *state, uint8_t eol, unsigned one_in)
{
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = check_random(state) % one_in == 0 ? eol : (uint8_t)check_random(state);
    for (unsigned i = 0; i < 400; i++) {
        const size_t at = check_random(state) % (BYTES + 1);
        const size_t left = BYTES - at;
        const size_t bytes = i < 130 && i <= left ? i : check_random(state) % (left + 1);
        CHECK(gs_line_count(text + at, bytes, eol) ==
              count_slowly(text + at, bytes, eol));
        last_is_found(at, bytes, eol);
        lines_are_cut(at, bytes, eol);
        ends_are_found(at, bytes, eol, 64 + check_random(state) % 237);
        if (at == BYTES)
            continue;
        const uint64_t mask = gs_line_mask(text + at, eol);
        for (unsigned b = 0; b < 64; b++)
            CHECK((mask >> b & 1) == (text[at + b] == eol));
        const size_t other = check_random(state) % BYTES;
        const uint64_t same = gs_same_mask(text + at, text + other);
        for (unsigned b = 0; b < 64; b++)
            CHECK((same >> b & 1) == (text[at + b] == text[other + b]));
    }
    CHECK(gs_line_count(text, BYTES, eol) == count_slowly(text, BYTES, eol));
}

int main(void)
{
    uint64_t state = check_seed(7);
    masks_and_counts_agree(&state, '\n', 1);
    masks_and_counts_agree(&state, '\n', 2);
    masks_and_counts_agree(&state, '\n', 40);
    masks_and_counts_agree(&state, 0, 3);
    masks_and_counts_agree(&state, 0xff, 100000);
    last_is_found_beyond_32_bits();
    return check_result();
}
