/* SPDX-License-Identifier: MIT */
/*
 * Two texts of any bytes, joined in any way: the output is the same with one thread and
 * much memory and with three threads and little, or both refuse; where lines are no CSV
 * it has as many lines as two nested loops find.
 *
 *      shape u8 | what u8 | fields u8 | split u8 | both texts, one behind the other
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/join/join_fields.h"
#include "lib/join/joins.h"

enum { HEAD_BYTES = 4, NAME_BYTES = 32, TEXT_MAX = 2000, LINES_MAX = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

typedef struct side_text {
    const uint8_t *data;
    size_t bytes;
    int fd;
    char name[NAME_BYTES];
} side_text;

static void cut_sides(const uint8_t *data, size_t size, side_text sides[])
{
    const size_t both = size - HEAD_BYTES, first = both * data[3] / 255;
    sides[GS_JOIN_LEFT] = (side_text){.data = data + HEAD_BYTES, .bytes = first};
    sides[GS_JOIN_RIGHT] =
        (side_text){.data = data + HEAD_BYTES + first, .bytes = both - first};
}

static void make_file(side_text *t)
{
    t->fd = memfd_create("join", 0);
    require(t->fd >= 0);
    require(write(t->fd, t->data, t->bytes) == (ssize_t)t->bytes);
    (void)snprintf(t->name, sizeof t->name, "/proc/self/fd/%d", t->fd);
}

/* How lines are partners: one bit of the shape, of more ways also the lowest one of the
 * split. And what belongs to each way, which the build asks for: also what another has,
 * where it must make no difference. */
static void choose_match(gs_join_options *o, const uint8_t *data)
{
    const uint8_t what = data[1];
    _Static_assert(GS_JOIN_PARTNERS_COUNT <= 4, "two bits choose one");
    o->match = (gs_join_partners)(((data[0] >> 6 & 1) | (data[3] & 1) << 1) %
                                  GS_JOIN_PARTNERS_COUNT);
    switch (o->match) {
    case GS_JOIN_EQUAL:
    case GS_JOIN_BAND:
        o->low = -(gs_join_number)(what % 4) * 500000000000000000;
        o->high = what & 128 ? GS_JOIN_NUMBER_FAR : o->low + 1000000000000000000;
        break;
    case GS_JOIN_PARTNERS_COUNT: abort();
    }
}

static void choose(gs_join_options *o, const uint8_t *data, gs_join_item *items)
{
    static const int delimiters[] = {GS_ORDER_BLANK_FIELDS, ',', '\n', ';'};
    const uint8_t shape = data[0], what = data[1], fields = data[2];
    gs_order *const order = &o->sort.order;
    order->delimiter = delimiters[shape % 4];
    order->eol = shape & 4 ? 0 : '\n';
    if ((shape & 8) != 0 && order->delimiter != '\n') {
        order->form = GS_FORM_CSV;
        order->delimiter = shape & 1 ? ',' : '\t';
    }
    o->header = shape & 16;
    o->fold = shape & 32;
    choose_match(o, data);
    o->skips_bad = shape & 128;
    o->shows_unpaired[GS_JOIN_LEFT] = what & 1;
    o->shows_unpaired[GS_JOIN_RIGHT] = what & 2;
    o->is_semi = (what & 3) == 0 && what & 4;
    o->shows_pairs = !o->is_semi && !(what & 8);
    o->is_auto = what & 16;
    o->filler = what & 32 ? "no,\"ne" : NULL;
    o->key_field[GS_JOIN_LEFT] = fields % 4;
    o->key_field[GS_JOIN_RIGHT] = fields / 4 % 4;
    items[0] = (gs_join_item){.is_key = fields & 16, .field = fields / 32 % 2};
    items[1] = (gs_join_item){.side = GS_JOIN_RIGHT, .field = fields / 64};
    o->items = items;
    o->item_count = what & 64 ? 2 : 0;
    if (o->header && (fields & 32) != 0)
        o->key_name[GS_JOIN_RIGHT] = "k";
}

/* Joins, and reads what was written, which the caller frees. */
static uint8_t *join(const gs_join_options *options, unsigned threads, size_t memory,
                     size_t *bytes, gs_code *code)
{
    gs_status st = {.code = GS_OK};
    gs_join_options o = *options;
    const int out = memfd_create("out", 0);
    require(out >= 0);
    o.sort.output_fd = out;
    o.sort.threads = threads;
    o.sort.memory_bytes = memory;
    *code = gs_join_run(&o, &st);
    const off_t end = lseek(out, 0, SEEK_END);
    *bytes = (size_t)end;
    uint8_t *const text = malloc(*bytes + 1);
    require(text != NULL && pread(out, text, *bytes, 0) == (ssize_t)*bytes);
    (void)close(out);
    return text;
}

/* --- the loops ------------------------------------------------------------------ */

typedef struct line {
    gs_join_field key;
    bool has_number;
    gs_join_number number;
} line;

static size_t cut_lines(const side_text *t, const gs_join_options *o, gs_join_side side,
                        line *lines)
{
    const gs_order *const order = &o->sort.order;
    size_t count = 0;
    bool is_header = o->header;
    for (size_t at = 0; at < t->bytes;) {
        const uint8_t *const from = t->data + at;
        const uint8_t *const end = memchr(from, order->eol, t->bytes - at);
        const size_t bytes = end != NULL ? (size_t)(end - from) : t->bytes - at;
        at += bytes + 1;
        line l = {.key = gs_join_field_find(order, from, bytes, o->key_field[side])};
        l.has_number = gs_join_number_parse(l.key.data, l.key.bytes, &l.number);
        require(is_header || count < LINES_MAX);
        if (!is_header && (!gs_join_is_by_number(o) || l.has_number))
            lines[count++] = l;
        is_header = false;
    }
    return count;
}

static uint8_t as_capital(uint8_t c)
{
    return c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
}

static bool are_equal(const gs_join_options *o, const line *a, const line *b)
{
    bool are_same = a->key.bytes == b->key.bytes;
    for (size_t i = 0; are_same && i < a->key.bytes; i++)
        are_same = o->fold ? as_capital(a->key.data[i]) == as_capital(b->key.data[i])
                           : a->key.data[i] == b->key.data[i];
    return are_same;
}

static bool are_partners(const gs_join_options *o, const line *a, const line *b)
{
    switch (o->match) {
    case GS_JOIN_EQUAL: return are_equal(o, a, b);
    case GS_JOIN_BAND:
        return b->number - a->number >= o->low && b->number - a->number <= o->high;
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    abort();
}

static uint64_t count_lines(const gs_join_options *o, const side_text sides[])
{
    static line lines[GS_JOIN_SIDES][LINES_MAX];
    static bool is_paired[LINES_MAX];
    size_t counts[GS_JOIN_SIDES];
    uint64_t sum = o->header && (sides[0].bytes > 0 || sides[1].bytes > 0);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        counts[s] = cut_lines(&sides[s], o, (gs_join_side)s, lines[s]);
    memset(is_paired, 0, sizeof is_paired);
    for (size_t i = 0; i < counts[GS_JOIN_LEFT]; i++) {
        uint64_t partners = 0;
        for (size_t k = 0; k < counts[GS_JOIN_RIGHT]; k++) {
            const bool pair =
                are_partners(o, &lines[GS_JOIN_LEFT][i], &lines[GS_JOIN_RIGHT][k]);
            partners += pair;
            is_paired[k] |= pair;
        }
        sum += o->shows_pairs ? partners : 0;
        sum += partners > 0 ? o->is_semi : o->shows_unpaired[GS_JOIN_LEFT];
    }
    for (size_t k = 0; k < counts[GS_JOIN_RIGHT]; k++)
        sum += !is_paired[k] && o->shows_unpaired[GS_JOIN_RIGHT];
    return sum;
}

static uint64_t count_ends(const uint8_t *data, size_t bytes, uint8_t eol)
{
    uint64_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += data[i] == eol;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MUCH = 64 << 20, LITTLE = 1 << 20 };
    if (size < HEAD_BYTES || size > TEXT_MAX)
        return 0;
    side_text sides[GS_JOIN_SIDES];
    cut_sides(data, size, sides);
    gs_join_item items[2];
    gs_join_options o = {0};
    choose(&o, data, items);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        make_file(&sides[s]);
        o.inputs[s] = sides[s].name;
    }
    size_t one_bytes, other_bytes;
    gs_code one_code, other_code;
    uint8_t *const one = join(&o, 1, MUCH, &one_bytes, &one_code);
    uint8_t *const other = join(&o, 3, LITTLE, &other_bytes, &other_code);
    require(one_code == other_code);
    if (one_code == GS_OK) {
        require(one_bytes == other_bytes && memcmp(one, other, one_bytes) == 0);
        /* A '\n' that separates fields ends lines too. */
        if (o.sort.order.form != GS_FORM_CSV && o.sort.order.delimiter != '\n' &&
            o.key_name[GS_JOIN_RIGHT] == NULL)
            require(count_ends(one, one_bytes, o.sort.order.eol) ==
                    count_lines(&o, sides));
    }
    free(one);
    free(other);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        (void)close(sides[s].fd);
    return 0;
}
