/* SPDX-License-Identifier: MIT */
/*
 * join_fields, join_format: lines are cut as join(1) cuts them, by a reference that goes
 * byte by byte; and the parts of a pair, one after the other, are the line that is made
 * at once.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_format.h"
#include "lib/sort/key/keys.h"
#include "tests/check.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Fields as "<a><b>". */
static size_t cut_slowly(int delimiter, const uint8_t *line, size_t bytes, char *out)
{
    size_t n = 0, i = 0;
    const bool is_blanks = delimiter == GS_ORDER_BLANK_FIELDS;
    while (is_blanks && i < bytes && is_blank(line[i]))
        i++;
    if (i == bytes)
        return 0;
    out[n++] = '<';
    for (; i < bytes; i++) {
        const bool ends =
            is_blanks ? is_blank(line[i]) : delimiter != '\n' && line[i] == delimiter;
        if (!ends) {
            out[n++] = (char)line[i];
            continue;
        }
        while (is_blanks && i + 1 < bytes && is_blank(line[i + 1]))
            i++;
        out[n++] = '>';
        out[n++] = '<';
    }
    out[n++] = '>';
    return n;
}

static void cut_like_the_reference(uint64_t *state)
{
    static const int delimiters[] = {GS_ORDER_BLANK_FIELDS, ',', '\n', 0, ' '};
    enum { BYTES = 40 };
    uint8_t line[BYTES];
    char want[3 * BYTES + 8], got[3 * BYTES + 8];
    gs_status st = {.code = GS_OK};
    gs_join_fields fields = {0};
    for (unsigned round = 0; round < 20000; round++) {
        const int delimiter = delimiters[check_random(state) % 5];
        const size_t bytes = check_random(state) % BYTES;
        for (size_t i = 0; i < bytes; i++)
            line[i] = (uint8_t) "ab, \t\n\0c"[check_random(state) % 8];
        const size_t want_bytes = cut_slowly(delimiter, line, bytes, want);
        const gs_order order = {.delimiter = delimiter};
        REQUIRE_OK(gs_join_fields_cut(&fields, &order, line, bytes, &st), &st);
        size_t n = 0;
        for (size_t i = 0; i < fields.count; i++) {
            got[n++] = '<';
            memcpy(got + n, fields.at[i].data, fields.at[i].bytes);
            n += fields.at[i].bytes;
            got[n++] = '>';
        }
        CHECK(n == want_bytes && memcmp(got, want, n) == 0);
        for (size_t i = 0; i <= fields.count; i++) {
            const gs_join_field one = gs_join_field_find(&order, line, bytes, i);
            const size_t there = i < fields.count ? fields.at[i].bytes : 0;
            CHECK(one.bytes == there && (there == 0 || one.data == fields.at[i].data));
        }
    }
    gs_join_fields_release(&fields);
}

/* Fields of CSV are where the room of keys finds their values. */
static void cut_csv_like_keys(uint64_t *state)
{
    enum { BYTES = 90, FIELDS = 6 };
    static const char *const pieces[] = {
        "a", "bc", "\"\"", "\"x,\"\"y\"\"\"", "\"\n\"", "\"a\"\",\"", "1\r2"};
    const gs_order order = {.form = GS_FORM_CSV, .delimiter = ',', .eol = '\n'};
    uint8_t line[BYTES + GS_CSV_SLACK] = {0}, room[BYTES];
    gs_status st = {.code = GS_OK};
    gs_join_fields fields = {0};
    for (unsigned round = 0; round < 20000; round++) {
        const size_t count = 1 + check_random(state) % FIELDS;
        size_t bytes = 0;
        for (size_t i = 0; i < count; i++) {
            const char *const piece = pieces[check_random(state) % 7];
            const bool is_empty = check_random(state) % 5 == 0;
            line[bytes] = ',';
            bytes += i > 0;
            memcpy(line + bytes, piece, is_empty ? 0 : strlen(piece));
            bytes += is_empty ? 0 : strlen(piece);
        }
        if (bytes == 0)
            continue;
        line[bytes] = '\r';
        bytes += check_random(state) % 2;
        REQUIRE_OK(gs_join_fields_cut(&fields, &order, line, bytes, &st), &st);
        CHECK(fields.count == count);
        gs_csv_walk walk = gs_csv_walk_begin(line, bytes, ',');
        for (size_t i = 0; i < count; i++) {
            const gs_csv_value value = gs_csv_walk_value(&walk, i, room);
            const gs_join_field field = fields.at[i];
            const gs_join_field one = gs_join_field_find(&order, line, bytes, i);
            CHECK(one.data == field.data && one.bytes == field.bytes);
            gs_csv_walk alone = gs_csv_walk_begin(field.data, field.bytes, ',');
            uint8_t other[BYTES];
            const gs_csv_value same = gs_csv_walk_value(&alone, 0, other);
            CHECK(same.end - same.from == value.end - value.from &&
                  memcmp(same.from, value.from, (size_t)(same.end - same.from)) == 0);
        }
        CHECK(gs_join_field_find(&order, line, bytes, count).bytes == 0);
    }
    gs_join_fields_release(&fields);
}

static void draw_options(uint64_t *state, gs_join_options *o, gs_join_item *items)
{
    *o = (gs_join_options){
        .filler = check_random(state) % 2 ? "none" : NULL,
        .match = (gs_join_partners)(check_random(state) % GS_JOIN_PARTNERS_COUNT),
        .is_auto = check_random(state) % 3 == 0,
        .sort.order = {.eol = '\n',
                       .delimiter =
                           check_random(state) % 2 ? ',' : GS_ORDER_BLANK_FIELDS},
        .items = items,
        .item_count = check_random(state) % 7,
    };
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        o->key_field[s] = check_random(state) % 4;
    for (size_t i = 0; i < o->item_count; i++)
        items[i] =
            (gs_join_item){.is_key = check_random(state) % 3 == 0,
                           .side = check_random(state) % 2 ? GS_JOIN_LEFT : GS_JOIN_RIGHT,
                           .field = check_random(state) % 4};
}

static void parts_are_the_line(uint64_t *state)
{
    static const char *const lines[] = {"",   "a",         "a,b",  "x y z",
                                        ",,", "p,q,r,s,t", "1 2,3"};
    gs_status st = {.code = GS_OK};
    gs_join_fields sides[GS_JOIN_SIDES] = {{0}}, first = {0};
    gs_join_text whole = {0}, parts = {0};
    for (unsigned round = 0; round < 5000; round++) {
        gs_join_item items[7];
        gs_join_options o;
        gs_join_format f;
        draw_options(state, &o, items);
        for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
            const char *const line = lines[check_random(state) % 7];
            REQUIRE_OK(gs_join_fields_cut(&sides[s], &o.sort.order, (const uint8_t *)line,
                                          strlen(line), &st),
                       &st);
        }
        const gs_order commas = {.delimiter = ','};
        REQUIRE_OK(gs_join_fields_cut(&first, &commas, (const uint8_t *)"a,b,c", 5, &st),
                   &st);
        const gs_join_fields *const firsts[] = {&first, round % 2 ? &first : NULL};
        REQUIRE_OK(gs_join_format_init(&f, &o, firsts, &st), &st);
        whole.used = parts.used = 0;
        REQUIRE_OK(gs_join_format_line(&f, &sides[0], &sides[1], &whole, &st), &st);
        for (size_t p = 0; p < f.part_count; p++)
            REQUIRE_OK(gs_join_format_part(&f, &f.parts[p], &sides[f.parts[p].side],
                                           &parts, &st),
                       &st);
        CHECK(whole.used == parts.used + 1 && whole.data[whole.used - 1] == '\n');
        CHECK(parts.used == 0 || memcmp(whole.data, parts.data, parts.used) == 0);
        gs_join_format_release(&f);
    }
    gs_join_fields_release(&sides[0]);
    gs_join_fields_release(&sides[1]);
    gs_join_fields_release(&first);
    gs_join_text_release(&whole);
    gs_join_text_release(&parts);
}

int main(void)
{
    uint64_t state = check_seed(20);
    cut_like_the_reference(&state);
    cut_csv_like_keys(&state);
    parts_are_the_line(&state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures != 0;
}
