/* SPDX-License-Identifier: MIT */
#include "lib/join/join_filter.h"

#include <stdatomic.h>
#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    SAMPLE_MASK = 63,  /* of the hash: one line in so many is always looked at */
    SAMPLE_LEAST = 64, /* of them, before they say anything */
    /* Looking costs a quarter of what sorting a line does. */
    WORTH_OF = 4,
};

struct gs_join_filter {
    _Atomic uint64_t *words;
    uint64_t word_count;
    /* Of what was looked at in any case. */
    GS_MEM_APART atomic_uint asked;
    atomic_uint passed;
    atomic_bool is_idle;
};

gs_code gs_join_filter_new(gs_join_filter **out, size_t bytes, gs_status *st)
{
    gs_join_filter *f = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new_apart(&f, sizeof *f, "filter", st));
    f->word_count = bytes / sizeof *f->words + 1;
    if (gs_mem_map(&f->words, f->word_count * sizeof *f->words, true, "filter of keys",
                   st) != GS_OK) {
        gs_mem_free(f);
        return st->code;
    }
    *out = f;
    return GS_OK;
}

void gs_join_filter_free(gs_join_filter *f)
{
    if (f == NULL)
        return;
    gs_mem_unmap((void *)(uintptr_t)f->words, f->word_count * sizeof *f->words);
    gs_mem_free(f);
}

/* The word is told by the upper half of the hash, the bits by the lower one. */
static _Atomic uint64_t *word_of(const gs_join_filter *f, uint64_t hash)
{
    enum { HALF = 32 };
    return &f->words[(hash >> HALF) * f->word_count >> HALF];
}

static uint64_t bits_of(uint64_t hash)
{
    enum { BIT_MASK = 63, A_BIT = 6 };
    return (uint64_t)1 << (hash & BIT_MASK) | (uint64_t)1 << (hash >> A_BIT & BIT_MASK) |
           (uint64_t)1 << (hash >> 2 * A_BIT & BIT_MASK);
}

static void add(gs_join_filter *f, uint64_t hash)
{
    const uint64_t bits = bits_of(hash);
    _Atomic uint64_t *const word = word_of(f, hash);
    /* Most keys of many come again, and their line of the cache stays clean. */
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

static bool has(const gs_join_filter *f, uint64_t hash)
{
    const uint64_t bits = bits_of(hash);
    return (atomic_load_explicit(word_of(f, hash), memory_order_relaxed) & bits) == bits;
}

/* One of the lines that tell whether looking is worth it. */
static void note(gs_join_filter *f, bool passed)
{
    const unsigned asked = atomic_fetch_add(&f->asked, 1) + 1;
    const unsigned passes = atomic_fetch_add(&f->passed, passed) + passed;
    if (asked < SAMPLE_LEAST)
        return;
    atomic_store(&f->is_idle, passes > asked - asked / WORTH_OF);
    if (asked >= 2 * SAMPLE_LEAST) { /* what was long ago counts half */
        atomic_store(&f->asked, asked / 2);
        atomic_store(&f->passed, passes / 2);
    }
}

static bool is_sample(uint64_t hash)
{
    enum { SAMPLE_SHIFT = 20 };
    return (hash >> SAMPLE_SHIFT & SAMPLE_MASK) == 0;
}

/* Hashes of the keys, without the byte that says of which side they are; what they need
 * is on its way. */
static void hash_keys(const gs_join_filter *f, const gs_sieve_string *strings,
                      size_t count, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i] = XXH3_64bits(strings[i].data, strings[i].bytes - 1);
        __builtin_prefetch((const void *)(uintptr_t)word_of(f, hashes[i]), 1);
    }
}

void gs_join_filter_sift(void *context, size_t input, const gs_sieve_string *strings,
                         size_t count, bool *stays)
{
    gs_join_filter *const f = context;
    uint64_t hashes[GS_SIEVE_STRINGS];
    const bool is_idle = input > 0 && atomic_load(&f->is_idle);
    gs_assert(count <= GS_SIEVE_STRINGS);
    hash_keys(f, strings, count, hashes);
    for (size_t i = 0; i < count; i++) {
        const bool looks = input > 0 && (!is_idle || is_sample(hashes[i]));
        stays[i] = !looks || has(f, hashes[i]);
        if (input == 0)
            add(f, hashes[i]);
        else if (is_sample(hashes[i]))
            note(f, stays[i]);
    }
}
