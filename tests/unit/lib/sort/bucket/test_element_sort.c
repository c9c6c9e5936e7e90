/* SPDX-License-Identifier: MIT */
/* element_sort: a wrong window or an unstable pass would misplace or reorder records. */
#include "lib/sort/bucket/element.h"

#include "tests/check.h"

enum { COUNT_MAX = 70000 };

static gs_element elements[COUNT_MAX], scratch[COUNT_MAX], expected[COUNT_MAX];

static int compare(const void *a, const void *b)
{
    const gs_element *const x = a, *const y = b;
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    return (x->where > y->where) - (x->where < y->where);
}

/* Shapes of keys that the windows treat differently. */
static uint64_t make_prefix(unsigned shape, uint64_t r, size_t i, size_t n)
{
    switch (shape) {
    case 0: return r;                                           /* random */
    case 1: return r % 7;                                       /* few, low bits only */
    case 2: return UINT64_C(0x6162636400000000) | (r & 0xffff); /* shared beginning */
    case 3: return i;                                           /* sorted */
    case 4: return n - i;                                       /* reversed */
    case 5: return 42;                                          /* all equal */
    case 6: return (r % 3) << 61 | (r >> 60);                   /* both ends vary */
    case 7: return r % 100 < 90 ? UINT64_C(1) << 40 : r;        /* one heavy value */
    default: return (r % 1000) * UINT64_C(0x0001000100010001);
    }
}

static void agrees_with_qsort(unsigned shape, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        elements[i] = (gs_element){
            .prefix = make_prefix(shape, check_random(state), i, n), .where = i};
        expected[i] = elements[i];
    }
    qsort(expected, n, sizeof *expected, compare);
    gs_element_sort(elements, scratch, n);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += elements[i].prefix != expected[i].prefix ||
                 elements[i].where != expected[i].where;
    if (wrong != 0)
        fprintf(stderr, "shape %u, n %zu: %zu wrong\n", shape, n, wrong);
    CHECK(wrong == 0);
}

int main(void)
{
    static const size_t counts[] = {0,   1,   2,   3,    6,    7,     8,        24,
                                    25,  63,  64,  100,  127,  128,   129,      200,
                                    255, 256, 257, 1000, 4096, 32768, COUNT_MAX};
    uint64_t state = check_seed(20260101);
    for (unsigned shape = 0; shape <= 8; shape++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            agrees_with_qsort(shape, counts[c], &state);
    }
    return check_result();
}
