/* SPDX-License-Identifier: MIT */
/*
 * mem: the only caller of malloc and anonymous mmap.
 *
 * Every byte is counted, so that tests can prove that nothing leaks and
 * --stats can report what was held. Tests can make the n-th request fail.
 * Thread-safe. Sizes from input are multiplied with gs_mem_size_mul only.
 */
#ifndef GS_LIB_BASE_MEM_H
#define GS_LIB_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is called `out` or `ptr` here is the address of a pointer to objects of any type;
 * macros at the end of this file see to it that nothing else is given. */

/* Zeroed memory, aligned to 16 bytes. *out is NULL on failure. `what` names the
 * object in the message. A request of 0 bytes gives a valid pointer. */
GS_MUST_CHECK gs_code gs_mem_new(void *out, size_t bytes, const char *what,
                                 gs_status *st);
/* As many items of so many bytes. */
GS_MUST_CHECK gs_code gs_mem_new_array(void *out, size_t count, size_t item_bytes,
                                       const char *what, gs_status *st);
/* As gs_mem_new, but no other object shares its lines of the cache: for what one thread
 * writes often. Of an array of such, an element begins with GS_MEM_APART. */
GS_MUST_CHECK gs_code gs_mem_new_apart(void *out, size_t bytes, const char *what,
                                       gs_status *st);
#define GS_MEM_APART _Alignas(64)
/* Grows or shrinks; new bytes are not zeroed. *ptr stays valid on failure. */
GS_MUST_CHECK gs_code gs_mem_resize(void *ptr, size_t bytes, const char *what,
                                    gs_status *st);
/* What gs_mem_grow does when there is not enough room. */
GS_MUST_CHECK gs_code gs_mem_grow_now(void *array, size_t *capacity, size_t count,
                                      size_t item_bytes, const char *what, gs_status *st);
/* An array that has room for at least `count` items, and for so many more than *capacity
 * if it had to grow that adding one by one is cheap. New items are zeroed. The array and
 * *capacity stay valid on failure. Called as
 *     gs_mem_grow(&array, &capacity, count, what, st) */
GS_MUST_CHECK static inline gs_code gs_mem_grow(void *array, size_t *capacity,
                                                size_t count, size_t item_bytes,
                                                const char *what, gs_status *st)
{
    return count <= *capacity
               ? GS_OK
               : gs_mem_grow_now(array, capacity, count, item_bytes, what, st);
}
void gs_mem_free(void *ptr); /* NULL is fine */

/* A zero-terminated copy. */
GS_MUST_CHECK gs_code gs_mem_copy_string(char **out, const char *text, gs_status *st);

/* Page-aligned zeroed memory for buffers that count: pages are taken when first
 * touched. With `huge`, transparent huge pages are asked for. */
GS_MUST_CHECK gs_code gs_mem_map(void *out, size_t bytes, bool huge, const char *what,
                                 gs_status *st);
void gs_mem_unmap(void *ptr, size_t bytes); /* NULL is fine */
/* Makes a map larger or smaller without a copy; it may move, and new bytes are zero. *ptr
 * stays valid on failure. */
GS_MUST_CHECK gs_code gs_mem_map_resize(void *ptr, size_t bytes, size_t new_bytes,
                                        const char *what, gs_status *st);

/* Maps that are given back in parts are by the largest pages that they come in. */
enum { GS_MEM_LARGE_PAGE = 1 << 21 };
/* Rounded up to whole ones. */
static inline size_t gs_mem_large_pages(size_t bytes)
{
    return (bytes + GS_MEM_LARGE_PAGE - 1) / GS_MEM_LARGE_PAGE * GS_MEM_LARGE_PAGE;
}

/* Pages of a map stay small, even where the system would make all of them huge. */
void gs_mem_keep_small(void *ptr, size_t bytes);
/* Takes that back. */
void gs_mem_allow_huge(void *ptr, size_t bytes);
/* Takes the pages at once that would be taken one by one when first touched; a kernel
 * that cannot is fine. Both ends are page-aligned. */
void gs_mem_populate(void *ptr, size_t bytes);
/* Gives the pages back and keeps the addresses. Both ends are page-aligned. */
void gs_mem_discard(void *ptr, size_t bytes);

/* a * b, or failure when it does not fit. */
GS_MUST_CHECK gs_code gs_mem_size_mul(size_t *out, size_t a, size_t b, gs_status *st);

/* Bytes asked for and not yet given back, heap and maps together. */
size_t gs_mem_held_bytes(void);

/* Tests only: the n-th request from now fails (1 is the next), 0 turns it off. */
void gs_mem_fail_nth(uint64_t nth);
/* How many requests are left until one fails; 0 when it has. */
uint64_t gs_mem_fail_left(void);

/* `address` as it is; a compiler refuses one that is not of a pointer. */
#define GS_MEM_POINTER_AT(address)                                                       \
    ((void)sizeof(*(address) == (void *)0), (void *)(address))
#define gs_mem_new(out, bytes, what, st)                                                 \
    gs_mem_new(GS_MEM_POINTER_AT(out), bytes, what, st)
#define gs_mem_new_array(out, count, item_bytes, what, st)                               \
    gs_mem_new_array(GS_MEM_POINTER_AT(out), count, item_bytes, what, st)
#define gs_mem_new_apart(out, bytes, what, st)                                           \
    gs_mem_new_apart(GS_MEM_POINTER_AT(out), bytes, what, st)
#define gs_mem_resize(ptr, bytes, what, st)                                              \
    gs_mem_resize(GS_MEM_POINTER_AT(ptr), bytes, what, st)
#define gs_mem_grow(array, capacity, count, what, st)                                    \
    gs_mem_grow(GS_MEM_POINTER_AT(array), capacity, count, sizeof **(array), what, st)
#define gs_mem_map(out, bytes, huge, what, st)                                           \
    gs_mem_map(GS_MEM_POINTER_AT(out), bytes, huge, what, st)
#define gs_mem_map_resize(ptr, bytes, new_bytes, what, st)                               \
    gs_mem_map_resize(GS_MEM_POINTER_AT(ptr), bytes, new_bytes, what, st)

#ifdef __cplusplus
}
#endif
#endif
