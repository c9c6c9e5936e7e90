/* SPDX-License-Identifier: MIT */
/*
 * key_search_stub: gpu/search/key_search.h for builds without CUDA: there is none.
 */
#include "gpu/search/key_search.h"
#include "lib/base/assertion.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of all functions here */

static gs_code refuse(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_GPU, 0, "this build has no GPU engines (CUDA=0)");
}

const char *gs_key_way_name(gs_key_way way)
{
    return "none";
}

gs_code gs_key_search_new(gs_key_search **out, const gs_key_search_options *options,
                          gs_status *st)
{
    *out = NULL;
    return refuse(st);
}

void gs_key_search_free(gs_key_search *s)
{
    gs_assert(s == NULL);
}

uint64_t *gs_key_search_queries(gs_key_search *s)
{
    return NULL;
}

const uint32_t *gs_key_search_ranks(const gs_key_search *s)
{
    return NULL;
}

size_t gs_key_search_device_bytes(const gs_key_search *s)
{
    return 0;
}

gs_code gs_key_search_submit(gs_key_search *s, size_t query_count,
                             gs_key_transport transport, unsigned flags, gs_status *st)
{
    return refuse(st);
}

gs_code gs_key_search_wait(gs_key_search *s, gs_status *st)
{
    return refuse(st);
}

double gs_key_search_device_ms(const gs_key_search *s)
{
    return 0;
}
