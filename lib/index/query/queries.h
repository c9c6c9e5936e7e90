/* SPDX-License-Identifier: MIT */
/*
 * queries: what others see of the room of queries: text to a query, and that to the
 * best documents.
 */
#ifndef GS_LIB_INDEX_QUERY_QUERIES_H
#define GS_LIB_INDEX_QUERY_QUERIES_H

#include "lib/index/query/collection_stats.h"
#include "lib/index/query/query_parser.h"
#include "lib/index/query/searcher.h"
#include "lib/index/query/snippet.h"

#endif
