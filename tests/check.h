/* SPDX-License-Identifier: MIT */
/*
 * check: the few macros that every unit test uses. A failed CHECK prints where
 * and why and the program exits 1 at the end; 77 means skipped.
 *
 * A test that starts threads says #define CHECK_STARTS_THREADS before it includes
 * anything: it is one for the thread sanitizer, which has nothing to look at in the
 * others.
 */
#ifndef GS_TESTS_CHECK_H
#define GS_TESTS_CHECK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/status.h"

static int check_failures;

#define CHECK(cond)                                                                      \
    do {                                                                                 \
        if (!(cond)) {                                                                   \
            fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #cond);            \
            check_failures++;                                                            \
        }                                                                                \
    } while (0)

/* Stops the program: what follows would make no sense. */
#define REQUIRE(cond)                                                                    \
    do {                                                                                 \
        if (!(cond)) {                                                                   \
            fprintf(stderr, "%s:%d: REQUIRE(%s)\n", __FILE__, __LINE__, #cond);          \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

#define REQUIRE_OK(expr, st)                                                             \
    do {                                                                                 \
        if ((expr) != GS_OK) {                                                           \
            fprintf(stderr, "%s:%d: %s: %s (%d)\n", __FILE__, __LINE__, #expr,           \
                    (st)->msg, (st)->sys);                                               \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

/* splitmix64: small, seeded, the same on every machine. */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The seed of a randomised test: from the environment, or the one given. */
static inline uint64_t check_seed(uint64_t otherwise)
{
    const char *text = getenv("GS_TEST_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 0) : otherwise;
    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* Which sanitizer looks on? gcc says it by macros, clang by features. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { CHECK_HAS_TSAN = 1, CHECK_HAS_ASAN = 0 };
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { CHECK_HAS_TSAN = 0, CHECK_HAS_ASAN = 1 };
#else
enum { CHECK_HAS_TSAN = 0, CHECK_HAS_ASAN = 0 };
#ifndef CHECK_STARTS_THREADS
/* Found before the one of the C library, by all of the program. */
__attribute__((weak)) int pthread_create(pthread_t *thread,
                                         const pthread_attr_t *attributes,
                                         void *(*start)(void *), void *context);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *context)
{
    (void)thread, (void)attributes, (void)start, (void)context;
    fputs("a thread is started: say so by CHECK_STARTS_THREADS\n", stderr);
    exit(1);
}
#endif
#endif
enum { CHECK_HAS_SANITIZER = CHECK_HAS_TSAN || CHECK_HAS_ASAN };

/* Is this a long run, of `make test-long`? */
static inline bool check_is_long(void)
{
    return getenv("GS_TEST_LONG") != NULL;
}

/* A short run under a sanitizer, which finds with half of the cases what it finds with
 * all: the build without one asks whether the answers are right. */
static inline bool check_is_short(void)
{
    return CHECK_HAS_SANITIZER && !check_is_long();
}

/* How often to do what a long run does `most` times: a quarter of that, and less under a
 * sanitizer, which looks at how and not at what and takes several times as long. */
static inline unsigned check_often(unsigned most)
{
    const unsigned share = CHECK_HAS_TSAN ? 40 : CHECK_HAS_ASAN ? 10 : 4;
    return check_is_long() ? most : most / share + 1;
}

static inline int check_result(void)
{
    if (check_failures)
        fprintf(stderr, "%d checks failed\n", check_failures);
    return check_failures ? 1 : 0;
}

#endif
