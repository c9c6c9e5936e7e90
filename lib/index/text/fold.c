/* SPDX-License-Identifier: MIT */
#include "lib/index/text/fold.h"

#include <utf8proc.h>

#include "lib/base/mem.h"
#include "lib/base/utf8.h"

static const utf8proc_option_t folding = UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                         UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
                                         UTF8PROC_IGNORE;

enum { DECOMPOSED_MAX = 64 };

_Static_assert(UTF8PROC_CATEGORY_LU == 1 && UTF8PROC_CATEGORY_NO == 11,
               "letters, marks and numbers come first");

gs_code gs_fold_new(gs_fold **out, bool is_folding, gs_status *st)
{
    *out = NULL;
    gs_fold *fold = NULL;
    GS_TRY(gs_mem_new(&fold, sizeof *fold, "folding", st));
    fold->is_folding = is_folding;
    *out = fold;
    return GS_OK;
}

void gs_fold_free(gs_fold *fold)
{
    if (fold == NULL)
        return;
    for (size_t i = 0; i < GS_FOLD_PAGES; i++) {
        if (fold->pages[i] != NULL) /* few are */
            gs_mem_free(fold->pages[i]);
    }
    gs_mem_free(fold->points);
    gs_mem_free(fold->marks);
    gs_mem_free(fold);
}

bool gs_fold_is_word(uint32_t point)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)point);
    /* The categories are numbered letters, marks, numbers, then the rest. */
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

bool gs_fold_is_mark(uint32_t point)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)point);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
           category == UTF8PROC_CATEGORY_ME;
}

bool gs_fold_is_space(uint32_t point)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)point);
    return (point >= '\t' && point <= '\r') || point == 0x85 ||
           category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

/* Their blocks, in order. */
static const struct {
    uint32_t first, last;
} dense_blocks[] = {
    {0x0e00, 0x0eff},   /* Thai, Lao */
    {0x1000, 0x109f},   /* Myanmar */
    {0x1780, 0x17ff},   /* Khmer */
    {0x1950, 0x19df},   /* Tai Le, New Tai Lue */
    {0x1a20, 0x1aaf},   /* Tai Tham */
    {0x2e80, 0x2fdf},   /* radicals of Han */
    {0x3005, 0x3007},   /* Han: iterated, closing, zero */
    {0x3021, 0x3029},   /* Hangzhou numerals */
    {0x3031, 0x3035},   /* Kana, iterated */
    {0x3038, 0x303c},   /* Hangzhou numerals, iterated Han */
    {0x3041, 0x312f},   /* Hiragana, Katakana, Bopomofo */
    {0x31a0, 0x31bf},   /* Bopomofo */
    {0x31f0, 0x31ff},   /* Katakana */
    {0x3400, 0x4dbf},   /* Han */
    {0x4e00, 0x9fff},   /* Han */
    {0xa9e0, 0xa9ff},   /* Myanmar */
    {0xaa60, 0xaadf},   /* Myanmar, Tai Viet */
    {0xf900, 0xfaff},   /* Han */
    {0xff66, 0xff9f},   /* Katakana of half width */
    {0x1aff0, 0x1b16f}, /* Kana */
    {0x20000, 0x3ffff}, /* Han */
};

bool gs_fold_is_dense(uint32_t point)
{
    size_t low = 0, high = sizeof dense_blocks / sizeof *dense_blocks;
    if (point < dense_blocks[0].first)
        return false;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(dense_blocks[middle].first <= point ? &low : &high) = middle;
    }
    return point <= dense_blocks[low].last && gs_fold_is_word(point) &&
           !gs_fold_is_mark(point) &&
           utf8proc_category((utf8proc_int32_t)point) != UTF8PROC_CATEGORY_ND;
}

/* What the table says of a plain character of words. */
static uint32_t plain_word(uint32_t point)
{
    return GS_FOLD_PLAIN | GS_FOLD_WORD | point |
           (gs_fold_is_dense(point) ? GS_FOLD_DENSE : 0);
}

/* May it join the character before it? Marks may, and the vowels and final consonants of
 * Hangul. */
static bool joins(uint32_t point)
{
    const bool is_jamo =
        (point >= 0x1100 && point < 0x1200) || (point >= 0xd7b0 && point < 0xd800);
    const utf8proc_property_t *const p = utf8proc_get_property((utf8proc_int32_t)point);
    return is_jamo || p->combining_class != 0 || gs_fold_is_mark(point);
}

static uint32_t look_up(uint32_t point)
{
    utf8proc_int32_t points[DECOMPOSED_MAX];
    int bound_class = 0;
    const utf8proc_ssize_t n = utf8proc_decompose_char(
        (utf8proc_int32_t)point, points, DECOMPOSED_MAX, folding, &bound_class);
    if (joins(point) || n <= 0 || n > DECOMPOSED_MAX || joins((uint32_t)points[0]))
        return 0;
    /* Composing may put a mark into a symbol: looked at only afterwards. */
    const utf8proc_ssize_t composed = utf8proc_normalize_utf32(points, n, folding);
    bool has_word = false;
    for (utf8proc_ssize_t i = 0; i < composed; i++)
        has_word |= gs_fold_is_word((uint32_t)points[i]);
    if (!has_word) /* whatever it is, it makes no word */
        return GS_FOLD_PLAIN | ' ';
    if (joins((uint32_t)points[0]))
        return 0;
    return composed == 1 ? plain_word((uint32_t)points[0]) : GS_FOLD_APART;
}

gs_code gs_fold_fill_page(gs_fold *fold, uint32_t point, gs_status *st)
{
    uint32_t *page = NULL;
    GS_TRY(gs_mem_new(&page, GS_FOLD_PAGE_POINTS * sizeof(uint32_t), "folding", st));
    const uint32_t first = point / GS_FOLD_PAGE_POINTS * GS_FOLD_PAGE_POINTS;
    for (uint32_t i = 0; i < GS_FOLD_PAGE_POINTS; i++) {
        if (fold->is_folding)
            page[i] = look_up(first + i);
        else
            page[i] = gs_fold_is_word(first + i) ? plain_word(first + i)
                                                 : GS_FOLD_PLAIN | (first + i);
    }
    fold->pages[point / GS_FOLD_PAGE_POINTS] = page;
    return GS_OK;
}

/* --- stretches --------------------------------------------------------------------- */

/* utf8proc would decompose a text as a whole, but puts the marks behind a letter in order
 * by exchanging neighbours, which takes the square of their number, and junk has many. So
 * it decomposes one character at a time here, and composes what is in order. */

enum {
    FIRST_MARK = 0x300,   /* characters before it have no combining class */
    SHORT_RUN_POINTS = 16 /* what words of any language have at most, and more */
};

static unsigned combining_class(int32_t point)
{
    if (point < FIRST_MARK)
        return 0;
    return (unsigned)utf8proc_get_property(point)->combining_class;
}

/* Room for one more character, whatever becomes of it. */
static gs_code make_room(gs_fold *fold, size_t count, gs_status *st)
{
    if (fold->point_capacity - count >= DECOMPOSED_MAX)
        return GS_OK;
    const size_t capacity = 2 * fold->point_capacity + 1024;
    GS_TRY(
        gs_mem_resize(&fold->points, capacity * sizeof *fold->points, "folded text", st));
    fold->point_capacity = capacity;
    return GS_OK;
}

static gs_code decompose(gs_fold *fold, const uint8_t *text, size_t bytes,
                         size_t *point_count, gs_status *st)
{
    const uint8_t *const end = text + bytes;
    size_t count = 0;
    uint32_t point;
    unsigned n;
    for (const uint8_t *p = text; (n = gs_utf8_decode(p, end, &point)) > 0; p += n) {
        int bound_class = 0;
        GS_TRY(make_room(fold, count, st));
        const utf8proc_ssize_t added =
            utf8proc_decompose_char((utf8proc_int32_t)point, fold->points + count,
                                    DECOMPOSED_MAX, folding, &bound_class);
        if (added < 0 || added > DECOMPOSED_MAX)
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "cannot fold text: %s",
                           utf8proc_errmsg(added));
        count += (size_t)added;
    }
    *point_count = count;
    return GS_OK;
}

static void order_short_run(int32_t *run, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t point = run[i];
        const unsigned class = combining_class(point);
        size_t to = i;
        for (; to > 0 && combining_class(run[to - 1]) > class; to--)
            run[to] = run[to - 1];
        run[to] = point;
    }
}

/* By counting how many there are of each class. */
static gs_code order_long_run(gs_fold *fold, int32_t *run, size_t count, gs_status *st)
{
    size_t next[UINT8_MAX + 1] = {0}, before = 0;
    GS_TRY(gs_mem_grow(&fold->marks, &fold->mark_capacity, count, "folded text", st));
    memcpy(fold->marks, run, count * sizeof *run);
    for (size_t i = 0; i < count; i++)
        next[combining_class(run[i])]++;
    for (size_t class = 0; class <= UINT8_MAX; class ++) {
        const size_t of_class = next[class];
        next[class] = before;
        before += of_class;
    }
    for (size_t i = 0; i < count; i++)
        run[next[combining_class(fold->marks[i])]++] = fold->marks[i];
    return GS_OK;
}

/* Puts each run of marks in the order of their classes; those of one class stay in
 * theirs. */
static gs_code order_marks(gs_fold *fold, size_t point_count, gs_status *st)
{
    int32_t *const points = fold->points;
    for (size_t i = 0, end; i < point_count; i = end + 1) {
        for (end = i; end < point_count && combining_class(points[end]) != 0;)
            end++;
        if (end - i > SHORT_RUN_POINTS)
            GS_TRY(order_long_run(fold, points + i, end - i, st));
        else
            order_short_run(points + i, end - i);
    }
    return GS_OK;
}

gs_code gs_fold_stretch(gs_fold *fold, const uint8_t *text, size_t bytes,
                        const int32_t **points, size_t *point_count, gs_status *st)
{
    size_t count = 0;
    GS_TRY(decompose(fold, text, bytes, &count, st));
    GS_TRY(order_marks(fold, count, st));
    *points = fold->points;
    *point_count =
        (size_t)utf8proc_normalize_utf32(fold->points, (utf8proc_ssize_t)count, folding);
    return GS_OK;
}
