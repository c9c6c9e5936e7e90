/* SPDX-License-Identifier: MIT */
#include "lib/base/mem.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GROWTH_BYTES = 1024 }; /* of an array, besides half of what it needs */

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

/* A pointer of any type, at `place`, becomes `memory`. */
static void set_pointer(void *place, void *memory)
{
    memcpy(place, &memory, sizeof memory);
}

/* Gives `memory`, which was just allocated or could not be, to the pointer at `out`. */
static gs_code hand_out(void *out, void *memory, size_t bytes, const char *what,
                        gs_status *st)
{
    set_pointer(out, memory);
    if (memory == NULL)
        return fail_nomem(st, bytes, what);
    atomic_fetch_add(&held_bytes, malloc_usable_size(memory));
    return GS_OK;
}

gs_code(gs_mem_new)(void *out, size_t bytes, const char *what, gs_status *st)
{
    void *const memory = is_failure_due() ? NULL : calloc(1, bytes ? bytes : 1);
    return hand_out(out, memory, bytes, what, st);
}

gs_code(gs_mem_new_array)(void *out, size_t count, size_t item_bytes, const char *what,
                          gs_status *st)
{
    size_t bytes = 0;
    set_pointer(out, NULL);
    GS_TRY(gs_mem_size_mul(&bytes, count, item_bytes, st));
    return (gs_mem_new)(out, bytes, what, st);
}

gs_code(gs_mem_new_apart)(void *out, size_t bytes, const char *what, gs_status *st)
{
    const size_t line = 64, whole = (bytes + line - 1) / line * line;
    void *const memory =
        is_failure_due() ? NULL : aligned_alloc(line, whole ? whole : line);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return hand_out(out, memory, bytes, what, st);
}

gs_code(gs_mem_resize)(void *ptr, size_t bytes, const char *what, gs_status *st)
{
    void *old = NULL;
    memcpy(&old, ptr, sizeof old);
    const size_t old_bytes = old ? malloc_usable_size(old) : 0;
    void *const grown = is_failure_due() ? NULL : realloc(old, bytes ? bytes : 1);
    if (grown == NULL)
        return fail_nomem(st, bytes, what);
    atomic_fetch_sub(&held_bytes, old_bytes);
    return hand_out(ptr, grown, bytes, what, st);
}

gs_code gs_mem_grow_now(void *array, size_t *capacity, size_t count, size_t item_bytes,
                        const char *what, gs_status *st)
{
    const size_t larger = count + count / 2 + GROWTH_BYTES / item_bytes;
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, larger, item_bytes, st));
    GS_TRY((gs_mem_resize)(array, bytes, what, st));
    char *items = NULL;
    memcpy(&items, array, sizeof items);
    const size_t old_bytes = *capacity * item_bytes;
    memset(items + old_bytes, 0, bytes - old_bytes);
    *capacity = larger;
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
    char *copy = NULL;
    GS_TRY(gs_mem_new(&copy, bytes, "string", st));
    memcpy(copy, text, bytes);
    *out = copy;
    return GS_OK;
}

gs_code(gs_mem_map)(void *out, size_t bytes, bool huge, const char *what, gs_status *st)
{
    set_pointer(out, NULL);
    if (is_failure_due())
        return fail_nomem(st, bytes, what);
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return fail_nomem(st, bytes, what);
    if (huge)
        (void)madvise(map, bytes, MADV_HUGEPAGE); /* a kernel without them is fine */
    atomic_fetch_add(&held_bytes, bytes);
    set_pointer(out, map);
    return GS_OK;
}

void gs_mem_unmap(void *ptr, size_t bytes)
{
    if (ptr == NULL)
        return;
    (void)munmap(ptr, bytes);
    atomic_fetch_sub(&held_bytes, bytes);
}

gs_code(gs_mem_map_resize)(void *ptr, size_t bytes, size_t new_bytes, const char *what,
                           gs_status *st)
{
    void *old = NULL;
    memcpy(&old, ptr, sizeof old);
    void *const map =
        is_failure_due() ? MAP_FAILED : mremap(old, bytes, new_bytes, MREMAP_MAYMOVE);
    if (map == MAP_FAILED)
        return fail_nomem(st, new_bytes, what);
    atomic_fetch_add(&held_bytes, new_bytes);
    atomic_fetch_sub(&held_bytes, bytes);
    set_pointer(ptr, map);
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
