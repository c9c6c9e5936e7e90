/* SPDX-License-Identifier: MIT */
/*
 * assertion: checks of our own logic. gs_assert stays on in release builds;
 * gs_dassert is for inner loops and exists only with GS_DEBUG. Input, files
 * and devices get errors, never assertions.
 */
#ifndef GS_LIB_BASE_ASSERTION_H
#define GS_LIB_BASE_ASSERTION_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((noreturn, cold)) void gs_assert_failed(const char *expr, const char *file,
                                                      int line);

#define gs_assert(cond)                                                                  \
    (__builtin_expect(!(cond), 0) ? gs_assert_failed(#cond, __FILE__, __LINE__) : (void)0)

#ifdef GS_DEBUG
#define gs_dassert(cond) gs_assert(cond)
#else
#define gs_dassert(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

#ifdef __cplusplus
}
#endif
#endif
