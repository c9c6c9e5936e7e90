/* SPDX-License-Identifier: MIT */
/*
 * witness: what would break is trust in every answer. A witness that does not notice a
 * record that was lost, doubled, changed or out of place is worse than none, and one that
 * objects to a good answer stops good sorts. Every fault is made in texts of all kinds of
 * lengths, cut into pieces anywhere; hashes of every variant must be the same; and what
 * is seen in parts must be what is seen whole.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/witness/part_witness.h"
#include "lib/sort/record/record.h"
#include "lib/sort/witness/record_hash.h"
#include "lib/sort/witness/witness.h"
#include "tests/check.h"

enum { LINES_MAX = 700, LINE_MAX = 200, SLACK = 128 };

typedef struct text {
    uint8_t bytes[LINES_MAX * (LINE_MAX + 1) + SLACK];
    size_t used, count;
    size_t begin[LINES_MAX + 1];
} text;

static uint64_t state;

static int compare_lines(const void *a, const void *b)
{
    const gs_seen_string *const x = a, *const y = b;
    return gs_string_compare(x->data, x->bytes, y->data, y->bytes, 0);
}

static void put_lines(text *to, const gs_seen_string *lines, size_t count)
{
    to->used = 0;
    to->count = count;
    for (size_t i = 0; i < count; i++) {
        to->begin[i] = to->used;
        memcpy(to->bytes + to->used, lines[i].data, lines[i].bytes);
        to->used += lines[i].bytes;
        to->bytes[to->used++] = '\n';
    }
    to->begin[count] = to->used;
}

static gs_seen_string line_of(const text *t, size_t i)
{
    return (gs_seen_string){t->bytes + t->begin[i], t->begin[i + 1] - t->begin[i] - 1};
}

/* Sorted lines; of few letters, so that many are alike at their beginnings. */
static void make_sorted(text *out, size_t count, size_t length_max, bool is_backwards)
{
    static uint8_t bytes[LINES_MAX * LINE_MAX];
    static gs_seen_string lines[LINES_MAX];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = check_random(&state) % (length_max + 1);
        lines[i] = (gs_seen_string){bytes + used, length};
        for (size_t k = 0; k < length; k++)
            bytes[used++] = (uint8_t)("ab\x80z"[check_random(&state) % 4]);
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; is_backwards && i < count / 2; i++) {
        const gs_seen_string other = lines[i];
        lines[i] = lines[count - 1 - i];
        lines[count - 1 - i] = other;
    }
    put_lines(out, lines, count);
}

/* --- hashes ------------------------------------------------------------------ */

static void hashes_agree(void)
{
    uint8_t bytes[400 + SLACK];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)check_random(&state);
    for (size_t length = 0; length < 400; length++) {
        const uint64_t plain = gs_hash_record_plain(bytes, length);
        CHECK(gs_hash_record_fn()(bytes, length) == plain);
        uint8_t copy[400 + SLACK];
        memcpy(copy, bytes, length);
        memset(copy + length, 0xee, SLACK); /* what lies behind does not matter */
        gs_multiset a = {0}, b = {0}, c = {0};
        gs_multiset_add(&a, bytes, length, 1);
        gs_multiset_add(&b, copy, length, 1);
        CHECK(gs_multiset_is_equal(&a, &b));
        CHECK(gs_hash_record_fn()(copy, length) == plain);
        for (size_t bit = 0; bit < 8 * length; bit += 1 + length / 16) {
            copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
            c = (gs_multiset){0};
            gs_multiset_add(&c, copy, length, 1);
            CHECK(c.sum != a.sum);
            CHECK(gs_hash_record_plain(copy, length) != plain);
            copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

/* Pieces of two records that change places: each piece is still there. */
static void pieces_do_not_change_places(void)
{
    uint8_t a[256] = {0}, b[256] = {0};
    for (unsigned round = 0; round < 3000; round++) {
        const size_t length = 2 + check_random(&state) % 190;
        for (size_t i = 0; i < length; i++) {
            a[i] = b[i] = (uint8_t)check_random(&state);
            if (check_random(&state) % 3 == 0)
                b[i] = (uint8_t)check_random(&state);
        }
        size_t from = check_random(&state) % length;
        size_t to = from + 1 + check_random(&state) % (length - from);
        if (round % 2 == 0) {
            from = from / 16 * 16;
            to = from + 16 < length ? from + 16 : length;
        }
        gs_multiset before = {0}, after = {0};
        gs_multiset_add(&before, a, length, 1);
        gs_multiset_add(&before, b, length, 1);
        const uint64_t plain =
            gs_hash_record_plain(a, length) + gs_hash_record_plain(b, length);
        const bool is_same =
            memcmp(a + from, b + from, to - from) == 0 ||
            (memcmp(a, b, from) == 0 && memcmp(a + to, b + to, length - to) == 0);
        for (size_t i = from; i < to; i++) {
            const uint8_t other = a[i];
            a[i] = b[i];
            b[i] = other;
        }
        gs_multiset_add(&after, a, length, 1);
        gs_multiset_add(&after, b, length, 1);
        CHECK((before.sum == after.sum) == is_same);
        CHECK((plain == gs_hash_record_plain(a, length) +
                            gs_hash_record_plain(b, length)) == is_same);
    }
}

static void texts_are_their_lines(void)
{
    static text t;
    const gs_record_form form = {.eol = '\n'};
    for (unsigned round = 0; round < 60; round++) {
        make_sorted(&t, check_random(&state) % LINES_MAX, round % 3 ? 9 : LINE_MAX,
                    false);
        gs_multiset whole = {0}, each = {0}, open = {0};
        gs_multiset_add_text(&whole, &form, t.bytes, t.used);
        for (size_t i = 0; i < t.count; i++)
            gs_multiset_add(&each, line_of(&t, i).data, line_of(&t, i).bytes, 1);
        CHECK(gs_multiset_is_equal(&whole, &each));
        if (t.count > 0 && line_of(&t, t.count - 1).bytes > 0) {
            gs_multiset_add_text(&open, &form, t.bytes, t.used - 1); /* lacks its eol */
            CHECK(gs_multiset_is_equal(&open, &each));
        }
    }
}

/* Lines as they stand in a text are looked at as those of a list are, whatever they have
 * in common and however long they are: zeros that a line ends with are no end of it. */
static void look_at_both(const gs_look_order order, size_t length_max)
{
    uint8_t bytes[GS_LOOK_MAX * 72 + SLACK];
    gs_seen_string lines[GS_LOOK_MAX];
    uint32_t ends[GS_LOOK_MAX];
    const size_t count = 1 + check_random(&state) % (check_random(&state) % 2 ? 3 : 200);
    const unsigned letters = 1 + (unsigned)(check_random(&state) % 3);
    size_t used = 0;
    for (size_t i = 0; i <= count; i++) {
        const size_t length = check_random(&state) % (length_max + 1);
        const size_t same =
            i > 0 && check_random(&state) % 8 > 0 ? lines[i - 1].bytes : 0;
        lines[i] = (gs_seen_string){bytes + used, same < length ? length : same};
        for (size_t k = 0; k < lines[i].bytes; k++)
            bytes[used++] = k < same
                                ? lines[i - 1].data[k]
                                : (uint8_t)("\0b\xff"[check_random(&state) % letters]);
        if (i > 0)
            ends[i - 1] = (uint32_t)(used - (size_t)(lines[1].data - bytes));
        bytes[used++] = '\n';
    }
    gs_look a = {.has_before = check_random(&state) % 2 == 0,
                 .before = lines[0],
                 .order = order},
            b = a;
    gs_look_at(&a, lines + 1, NULL, count, '\n');
    gs_look_at_text(&b, lines[1].data, ends, count);
    CHECK(a.disorder == b.disorder && a.sum == b.sum && a.bytes == b.bytes);
    CHECK(!a.lacks_eol && !b.lacks_eol);
}

static void texts_are_looked_at_as_lists(void)
{
    static const size_t lengths[] = {1, 4, 13, 31, 32, 33, 70};
    for (unsigned round = 0; round < 2800; round++)
        look_at_both((gs_look_order){round % 2 > 0, round / 2 % 2 > 0},
                     lengths[round / 4 % 7]);
}

/* --- the witness ------------------------------------------------------------- */

/* Shows `out` in pieces that end in any order. */
static void show(gs_witness *w, const text *out, gs_status *st)
{
    enum { PIECES = 5 };
    gs_witness_piece pieces[PIECES] = {0};
    size_t cuts[PIECES + 1] = {0};
    for (size_t i = 1; i < PIECES; i++)
        cuts[i] = cuts[i - 1] + check_random(&state) % (out->count - cuts[i - 1] + 1);
    cuts[PIECES] = out->count;
    for (size_t k = 0; k < PIECES; k++) {
        const size_t i = (k * 2 + 1) % PIECES; /* 1 3 0 2 4 */
        gs_witness_begin(&pieces[i], w, i + 1, false);
        for (size_t n = cuts[i]; n < cuts[i + 1]; n++)
            if (gs_witness_note(&pieces[i], line_of(out, n), line_of(out, n)))
                REQUIRE_OK(gs_witness_look(&pieces[i], st), st);
        REQUIRE_OK(gs_witness_end(&pieces[i], st), st);
        gs_witness_release(&pieces[i]);
    }
}

/* Shows it as a device's text, in parts, of which every other one is copied before it is
 * looked at; with `spoil_at` a bit of such a copy, at about that byte, is flipped. */
static gs_code show_copied_parts(gs_witness *w, const text *out, size_t spoil_at,
                                 gs_status *st)
{
    static uint8_t copy[3000 + SLACK];
    const gs_record_layout layout = {.has_eol = true, .eol = '\n'};
    gs_part_witness *parts = NULL;
    REQUIRE_OK(gs_part_witness_new(&parts, w, &layout, NULL, 0, 1, 2, st), st);
    const size_t most = 1 + check_random(&state) % 3000;
    unsigned worker = 0;
    for (size_t at = 0; at < out->used && st->code == GS_OK; worker ^= 1) {
        const size_t n = out->used - at < most ? out->used - at : most;
        REQUIRE_OK(gs_part_witness_take(parts, worker, out->bytes + at, n, st), st);
        if (worker == 0) {
            memcpy(copy, out->bytes + at, n);
            if (at <= spoil_at && spoil_at < at + n)
                copy[spoil_at - at] ^= 4;
            gs_part_witness_moved(parts, worker, out->bytes + at, copy);
        }
        GS_NOTED(gs_part_witness_look(parts, worker, GS_ERR_GPU, st));
        at += n;
    }
    if (st->code == GS_OK)
        GS_NOTED(gs_part_witness_finish(parts, GS_ERR_GPU, st));
    gs_part_witness_free(parts);
    return st->code;
}

static gs_code show_parts(gs_witness *w, const text *out, gs_status *st)
{
    return show_copied_parts(w, out, SIZE_MAX, st);
}

/* The copy counts: it is what is in the file. */
static void copies_are_looked_at(void)
{
    static text in;
    const gs_witness_options options = {.form = {.eol = '\n'}, .is_full = true};
    unsigned noticed = 0;
    for (unsigned round = 0; round < 50; round++) {
        gs_status st = {.code = GS_OK};
        gs_witness *w = NULL;
        make_sorted(&in, LINES_MAX, 70, false);
        REQUIRE_OK(gs_witness_new(&w, &options, &st), &st);
        gs_witness_read_text(w, in.bytes, in.used);
        GS_NOTED(show_copied_parts(w, &in, in.used / 2, &st));
        GS_NOTED(gs_witness_judge(w, in.count, in.used, GS_ERR_FORMAT, &st));
        noticed += st.code != GS_OK;
        gs_witness_free(w);
        gs_status_clear(&st);
    }
    CHECK(noticed > 10 && noticed < 50); /* about half are in a part that is copied */
}

/* What a witness says of `out` as the answer for `in`. */
static bool is_believed(const text *in, const text *out, const gs_look_order order,
                        bool in_parts)
{
    gs_status st = {.code = GS_OK};
    gs_witness *w = NULL;
    const gs_witness_options options = {.form = {.eol = '\n'},
                                        .order = order,
                                        .is_full = true,
                                        .drops_equals = order.is_strict};
    REQUIRE_OK(gs_witness_new(&w, &options, &st), &st);
    gs_witness_read_text(w, in->bytes, in->used);
    if (in_parts)
        GS_NOTED(show_parts(w, out, &st));
    else
        show(w, out, &st);
    GS_NOTED(gs_witness_judge(w, out->count, out->used, GS_ERR_FORMAT, &st));
    CHECK((st.code != GS_OK) == (strstr(st.msg, "verify: ") != NULL));
    gs_witness_free(w);
    return st.code == GS_OK;
}

static bool are_same(const text *a, const text *b)
{
    return a->used == b->used && memcmp(a->bytes, b->bytes, a->used) == 0;
}

/* Lines of `in`, with a fault in the middle of them. */
static void spoil(const text *in, text *out, unsigned how)
{
    static gs_seen_string lines[LINES_MAX];
    static uint8_t changed[LINE_MAX + SLACK];
    size_t count = in->count;
    const size_t at = check_random(&state) % (count - 1);
    for (size_t i = 0; i < count; i++)
        lines[i] = line_of(in, i);
    const gs_seen_string first = lines[at];
    switch (how) {
    case 0: /* swap with any other */
        lines[at] = lines[count - 1 - at];
        lines[count - 1 - at] = first;
        break;
    case 1: /* drop */
        memmove(lines + at, lines + at + 1, (--count - at) * sizeof *lines);
        break;
    case 2: lines[at] = lines[at + 1]; break; /* double one, drop another */
    case 3:                                   /* one bit */
        memcpy(changed, first.data, first.bytes);
        if (first.bytes > 0)
            changed[check_random(&state) % first.bytes] ^=
                (uint8_t)(1 << check_random(&state) % 8);
        lines[at].data = changed;
        break;
    case 4: /* a byte is lost */ lines[at].bytes -= first.bytes > 0; break;
    default: /* neighbours fuse their ends: abc, de -> abe, dc is still as long */
        memcpy(changed, first.data, first.bytes);
        if (first.bytes > 0 && lines[at + 1].bytes > 0)
            changed[first.bytes - 1] = lines[at + 1].data[lines[at + 1].bytes - 1];
        lines[at].data = changed;
        break;
    }
    put_lines(out, lines, count);
}

static void faults_are_noticed(void)
{
    static text in, out;
    unsigned noticed = 0;
    const unsigned rounds = check_is_long() ? 4000 : CHECK_HAS_SANITIZER ? 200 : 700;
    for (unsigned round = 0; round < rounds; round++) {
        const gs_look_order order = {.is_backwards = round % 2 == 1};
        const size_t length = round % 3 == 0 ? 12 : round % 3 == 1 ? 70 : LINE_MAX;
        make_sorted(&in, 2 + check_random(&state) % (LINES_MAX - 2), length,
                    order.is_backwards);
        const bool in_parts = round / 2 % 2 == 1;
        CHECK(is_believed(&in, &in, order, in_parts));
        spoil(&in, &out, round / 4 % 6);
        const bool is_good = are_same(&in, &out);
        CHECK(is_believed(&in, &out, order, in_parts) == is_good);
        noticed += !is_good;
    }
    CHECK(noticed > rounds / 2);
}

/* With equals left out: none may be neighbours, and those left out count. */
static void equals_are_counted(void)
{
    static text in, out;
    static gs_seen_string lines[LINES_MAX];
    for (unsigned round = 0; round < 100; round++) {
        gs_status st = {.code = GS_OK};
        gs_witness *w = NULL;
        gs_witness_piece piece = {0};
        const unsigned fault = round % 3;
        size_t count = 0;
        bool has_dropped = false;
        make_sorted(&in, LINES_MAX, 4, false);
        const gs_witness_options options = {.form = {.eol = '\n'},
                                            .order = {.is_strict = true},
                                            .is_full = true,
                                            .drops_equals = true};
        REQUIRE_OK(gs_witness_new(&w, &options, &st), &st);
        gs_witness_read_text(w, in.bytes, in.used);
        gs_witness_begin(&piece, w, 0, false);
        for (size_t i = 0; i < in.count; i++) {
            const gs_seen_string line = line_of(&in, i);
            const bool is_equal =
                count > 0 && compare_lines(&lines[count - 1], &line) == 0;
            if (is_equal && fault == 1 && !has_dropped) {
                has_dropped = true; /* and nobody heard of it */
                continue;
            }
            if (is_equal && !(fault == 2 && i > LINES_MAX / 2))
                gs_witness_drop(&piece, line.data, line.bytes, 1);
            else
                lines[count++] = line;
        }
        gs_witness_settle(&piece);
        gs_witness_release(&piece);
        put_lines(&out, lines, count);
        show(w, &out, &st);
        CHECK((gs_witness_judge(w, count, out.used, GS_ERR_FORMAT, &st) == GS_OK) ==
              (fault == 0));
        gs_witness_free(w);
    }
}

/* Records longer than what is kept where pieces meet. */
static void long_records_meet(void)
{
    enum { BYTES = GS_WITNESS_EDGE_MAX + 1000 };
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, 2 * (BYTES + SLACK), "lines", &st), &st);
    uint8_t *const a = memory, *const b = a + BYTES + SLACK;
    memset(a, 'x', BYTES);
    memset(b, 'x', BYTES);
    a[BYTES] = b[BYTES] = '\n';
    for (unsigned is_backwards = 0; is_backwards < 2; is_backwards++) {
        /* They differ early, where it is known who is first, or late, where it is not. */
        for (unsigned is_early = 0; is_early < 2; is_early++) {
            const size_t at = is_early ? 100 : BYTES - 100;
            b[at] = 'y';
            gs_witness *w = NULL;
            gs_witness_piece piece = {0};
            const gs_witness_options options = {.form = {.eol = '\n'},
                                                .order = {.is_backwards = is_backwards},
                                                .is_full = true};
            REQUIRE_OK(gs_witness_new(&w, &options, &st), &st);
            gs_multiset both = {0};
            gs_multiset_add(&both, a, BYTES, 1);
            gs_multiset_add(&both, b, BYTES, 1);
            gs_witness_read(w, &both);
            for (unsigned i = 0; i < 2; i++) {
                gs_witness_begin(&piece, w, i + 1, false);
                (void)gs_witness_note(&piece, (gs_seen_string){i ? b : a, BYTES},
                                      (gs_seen_string){0});
                REQUIRE_OK(gs_witness_end(&piece, &st), &st);
            }
            const gs_code code =
                gs_witness_judge(w, 2, 2 * (BYTES + 1), GS_ERR_FORMAT, &st);
            CHECK((code == GS_OK) == !(is_early && is_backwards));
            gs_status_clear(&st);
            gs_witness_release(&piece);
            gs_witness_free(w);
            b[at] = 'x';
        }
    }
    gs_mem_free(memory);
}

/* One that only counts says whether the numbers are right, and no more. */
static void counting_is_all_it_does(void)
{
    gs_status st = {.code = GS_OK};
    gs_witness *w = NULL;
    const gs_witness_options options = {.form = {.eol = '\n'}};
    REQUIRE_OK(gs_witness_new(&w, &options, &st), &st);
    gs_witness_read(w, &(gs_multiset){10, 300, 0});
    CHECK(gs_witness_judge(w, 10, 310, GS_ERR_FORMAT, &st) == GS_OK);
    CHECK(gs_witness_judge(w, 10, UINT64_MAX, GS_ERR_FORMAT, &st) == GS_OK);
    CHECK(gs_witness_judge(w, 9, 309, GS_ERR_FORMAT, &st) != GS_OK);
    gs_status_clear(&st);
    CHECK(gs_witness_judge(w, 10, 309, GS_ERR_FORMAT, &st) != GS_OK);
    gs_witness_free(w);
}

int main(void)
{
    state = check_seed(11);
    hashes_agree();
    pieces_do_not_change_places();
    texts_are_their_lines();
    texts_are_looked_at_as_lists();
    faults_are_noticed();
    copies_are_looked_at();
    equals_are_counted();
    long_records_meet();
    counting_is_all_it_does();
    return check_failures != 0;
}
