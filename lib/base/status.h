/* SPDX-License-Identifier: MIT */
/*
 * status: how every fallible call reports.
 *
 * A function that can fail returns gs_code and takes `gs_status *st` last. The
 * caller owns `st`, zeroed. The first failure fills it, later ones leave it
 * alone, so the report names the cause and not its echo. A status belongs to
 * one thread; workers have one each and the joiner keeps the first.
 */
#ifndef GS_LIB_BASE_STATUS_H
#define GS_LIB_BASE_STATUS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GS_MUST_CHECK        __attribute__((warn_unused_result))
#define GS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef enum gs_code {
    GS_OK = 0,
    GS_ERR_IO,        /* a system call on a file failed; `sys` is errno */
    GS_ERR_NOMEM,     /* memory could not be had */
    GS_ERR_FORMAT,    /* the input or a run file is not what it should be */
    GS_ERR_ARG,       /* the caller asked for something impossible */
    GS_ERR_LIMIT,     /* a documented limit was reached */
    GS_ERR_GPU,       /* a CUDA call failed; `sys` is the cudaError_t */
    GS_ERR_CANCELLED, /* a signal or another worker's failure stopped this */
} gs_code;

enum { GS_STATUS_MSG_BYTES = 4608 }; /* one PATH_MAX name and a sentence */

typedef struct gs_status {
    gs_code code;
    int sys;          /* errno or cudaError_t, 0 if none */
    int line;         /* where it was raised */
    const char *file; /* static string */
    const char *hint; /* static string: what the user can do; may be NULL */
    char msg[GS_STATUS_MSG_BYTES];
} gs_status;

/* Fills `st` unless it already holds a failure. Returns the code `st` ends with. */
gs_code gs_status_fail(gs_status *st, gs_code code, int sys, const char *file, int line,
                       const char *fmt, ...) GS_PRINTF(6, 7);

/* Copies `from` into `to` if `to` is still good and `from` is not. */
void gs_status_keep_first(gs_status *to, const gs_status *from);

/* What the system said of it, for strerror; 0: nothing, or the message has it. */
static inline int gs_status_errno(const gs_status *st)
{
    switch (st->code) {
    case GS_ERR_IO:
    case GS_ERR_NOMEM: return st->sys;
    case GS_ERR_GPU: /* a CUDA error is spelt out */
    case GS_ERR_FORMAT:
    case GS_ERR_ARG:
    case GS_ERR_LIMIT:
    case GS_ERR_CANCELLED:
    case GS_OK: break;
    }
    return 0;
}

/* Is a disk full, for everybody or for this user? */
static inline bool gs_is_full_disk(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

/* Sets the advice of a failed status that has none yet; returns its code. */
gs_code gs_status_hint(gs_status *st, const char *hint);

/* The same of one that failed because a disk is full; others get none. */
static inline gs_code gs_status_hint_full_disk(gs_status *st, const char *hint)
{
    return gs_is_full_disk(gs_status_errno(st)) ? gs_status_hint(st, hint) : st->code;
}

/* Makes `st` good again, for callers that recover. */
void gs_status_clear(gs_status *st);

#define GS_FAIL(st, code, sys, ...)                                                      \
    gs_status_fail((st), (code), (sys), __FILE__, __LINE__, __VA_ARGS__)

#define GS_TRY(expr)                                                                     \
    do {                                                                                 \
        const gs_code gs_try_code_ = (expr);                                             \
        if (gs_try_code_ != GS_OK)                                                       \
            return gs_try_code_;                                                         \
    } while (0)

/* The same for functions with one `fail:` label. */
#define GS_TRY_OR_FAIL(expr)                                                             \
    do {                                                                                 \
        if ((expr) != GS_OK)                                                             \
            goto fail;                                                                   \
    } while (0)

/* For calls whose failure stands in a status that is looked at later. */
#define GS_NOTED(expr)                                                                   \
    do {                                                                                 \
        if ((expr) != GS_OK) { /* noted */                                               \
        }                                                                                \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
