/* SPDX-License-Identifier: MIT */
#include "lib/api/api_call.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"

/* Errors of ours, which are theirs by the same numbers: the command believes that too. */
#define CODES(_) _(IO) _(NOMEM) _(FORMAT) _(ARG) _(LIMIT) _(GPU) _(CANCELLED)
#define IS_THE_SAME(code)                                                                \
    _Static_assert((int)GPUSORT_##code == (int)GS_ERR_##code, "theirs are ours");
CODES(IS_THE_SAME)

const char *gpusort_version(void)
{
    return GS_VERSION;
}

gs_code gs_api_take_options(void *to, size_t bytes, const void *options, gs_status *st)
{
    size_t given;
    if (options == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no options");
    memcpy(&given, options, sizeof given);
    if (given < sizeof given || given > UINT16_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "options without their size");
    const uint8_t *const beyond = options;
    for (size_t i = bytes; i < given; i++) {
        if (beyond[i] != 0)
            return GS_FAIL(st, GS_ERR_ARG, 0,
                           "options of a newer library than " GS_VERSION);
    }
    memcpy(to, options, given < bytes ? given : bytes);
    return GS_OK;
}

void gs_api_give(void *to, size_t given, const void *from, size_t bytes)
{
    memcpy(to, from, given < bytes ? given : bytes);
}

gs_code gs_api_check_reserved(const void *const *members, size_t count, gs_status *st)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i] != NULL)
            return GS_FAIL(st, GS_ERR_ARG, 0, "a reserved member is not NULL");
    }
    return GS_OK;
}

gs_code gs_api_check_flags(unsigned flags, unsigned known, gs_status *st)
{
    return (flags & ~known) == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "flags %u mean nothing here", flags & ~known);
}

#define RETURN_THEIRS(code)                                                              \
    case GS_ERR_##code: return GPUSORT_##code;

gpusort_code gs_api_code(gs_code code)
{
    switch (code) {
        CODES(RETURN_THEIRS)
    case GS_OK: return GPUSORT_OK;
    }
    gs_assert_failed("code", __FILE__, __LINE__);
}

gpusort_code gs_api_result(const gs_status *st, gpusort_error *error)
{
    if (st->code == GS_OK || error == NULL || error->code != GPUSORT_OK)
        return gs_api_code(st->code);
    error->code = gs_api_code(st->code);
    error->system_error = st->sys;
    error->hint = st->hint;
    if (st->code == GS_ERR_CANCELLED)
        (void)snprintf(error->message, sizeof error->message, "cancelled");
    else if (gs_status_errno(st) != 0)
        (void)snprintf(error->message, sizeof error->message, "%s: %s", st->msg,
                       strerrordesc_np(st->sys) != NULL ? strerrordesc_np(st->sys)
                                                        : "unknown error");
    else
        (void)snprintf(error->message, sizeof error->message, "%s", st->msg);
    return error->code;
}
