/* SPDX-License-Identifier: MIT */
#include "lib/base/mem.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_size_t held_bytes;
static _Atomic uint64_t fail_countdown;

/* True when this request is the one that a test wants to fail. */
static bool is_failure_due(void)
{
    uint64_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    while (left != 0) {
        if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
            return left == 1;
    }
    return false;
}

static gs_code fail_nomem(gs_status *st, size_t bytes, const char *what)
{
    (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "%s: %zu bytes", what, bytes);
    return gs_status_hint(st, "lower -S or --parallel, or free some memory");
}

gs_code gs_mem_new(void **out, size_t bytes, const char *what, gs_status *st)
{
    *out = is_failure_due() ? NULL : calloc(1, bytes ? bytes : 1);
    if (*out == NULL)
        return fail_nomem(st, bytes, what);
    atomic_fetch_add(&held_bytes, malloc_usable_size(*out));
    return GS_OK;
}

gs_code gs_mem_new_array(void **out, size_t count, size_t item_bytes, const char *what,
                         gs_status *st)
{
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, count, item_bytes, st));
    return gs_mem_new(out, bytes, what, st);
}

gs_code gs_mem_new_apart(void **out, size_t bytes, const char *what, gs_status *st)
{
    const size_t line = 64, whole = (bytes + line - 1) / line * line;
    *out = is_failure_due() ? NULL : aligned_alloc(line, whole ? whole : line);
    if (*out == NULL)
        return fail_nomem(st, bytes, what);
    memset(*out, 0, bytes);
    atomic_fetch_add(&held_bytes, malloc_usable_size(*out));
    return GS_OK;
}

gs_code gs_mem_resize(void **ptr, size_t bytes, const char *what, gs_status *st)
{
    const size_t old_bytes = *ptr ? malloc_usable_size(*ptr) : 0;
    void *grown = is_failure_due() ? NULL : realloc(*ptr, bytes ? bytes : 1);
    if (grown == NULL)
        return fail_nomem(st, bytes, what);
    *ptr = grown;
    atomic_fetch_add(&held_bytes, malloc_usable_size(grown));
    atomic_fetch_sub(&held_bytes, old_bytes);
    return GS_OK;
}

void gs_mem_free(void *ptr)
{
    if (ptr == NULL)
        return;
    atomic_fetch_sub(&held_bytes, malloc_usable_size(ptr));
    free(ptr);
}

gs_code gs_mem_copy_string(char **out, const char *text, gs_status *st)
{
    const size_t bytes = strlen(text) + 1;
    void *copy = NULL;
    GS_TRY(gs_mem_new(&copy, bytes, "string", st));
    memcpy(copy, text, bytes);
    *out = copy;
    return GS_OK;
}

gs_code gs_mem_map(void **out, size_t bytes, bool huge, const char *what, gs_status *st)
{
    *out = NULL;
    if (is_failure_due())
        return fail_nomem(st, bytes, what);
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return fail_nomem(st, bytes, what);
    if (huge)
        (void)madvise(map, bytes, MADV_HUGEPAGE); /* a kernel without them is fine */
    atomic_fetch_add(&held_bytes, bytes);
    *out = map;
    return GS_OK;
}

void gs_mem_unmap(void *ptr, size_t bytes)
{
    if (ptr == NULL)
        return;
    (void)munmap(ptr, bytes);
    atomic_fetch_sub(&held_bytes, bytes);
}

gs_code gs_mem_map_resize(void **ptr, size_t bytes, size_t new_bytes, const char *what,
                          gs_status *st)
{
    void *const map =
        is_failure_due() ? MAP_FAILED : mremap(*ptr, bytes, new_bytes, MREMAP_MAYMOVE);
    if (map == MAP_FAILED)
        return fail_nomem(st, new_bytes, what);
    atomic_fetch_add(&held_bytes, new_bytes);
    atomic_fetch_sub(&held_bytes, bytes);
    *ptr = map;
    return GS_OK;
}

void gs_mem_keep_small(void *ptr, size_t bytes)
{
    (void)madvise(ptr, bytes, MADV_NOHUGEPAGE);
}

void gs_mem_allow_huge(void *ptr, size_t bytes)
{
    (void)madvise(ptr, bytes, MADV_HUGEPAGE);
}

void gs_mem_populate(void *ptr, size_t bytes)
{
    const int populate_write = 23; /* MADV_POPULATE_WRITE, since Linux 5.14 */
    (void)madvise(ptr, bytes, populate_write);
}

void gs_mem_discard(void *ptr, size_t bytes)
{
    if (bytes != 0)
        (void)madvise(ptr, bytes, MADV_DONTNEED);
}

gs_code gs_mem_size_mul(size_t *out, size_t a, size_t b, gs_status *st)
{
    if (__builtin_mul_overflow(a, b, out))
        return GS_FAIL(st, GS_ERR_LIMIT, EOVERFLOW, "size %zu x %zu", a, b);
    return GS_OK;
}

size_t gs_mem_held_bytes(void)
{
    return atomic_load(&held_bytes);
}

void gs_mem_fail_nth(uint64_t nth)
{
    atomic_store(&fail_countdown, nth);
}

uint64_t gs_mem_fail_left(void)
{
    return atomic_load(&fail_countdown);
}
