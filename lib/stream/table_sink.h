/* SPDX-License-Identifier: MIT */
/*
 * table_sink: a stream's windows of whole records to facts of every column.
 *
 * The first record says how many columns there are, and with a header their names. A
 * record that has fewer fields counts as missing those; fields beyond are counted, and
 * not looked at. A window is cut into fields first, and then looked at column by column,
 * so that one table at a time is in the cache.
 */
#ifndef GS_LIB_STREAM_TABLE_SINK_H
#define GS_LIB_STREAM_TABLE_SINK_H

#include "lib/stream/column_facts.h"
#include "lib/stream/rank_histogram.h"
#include "lib/stream/value_stream.h"

typedef struct gs_table_facts {
    uint64_t records, with_more; /* those that have fields beyond the columns */
    double eps;                  /* that quantiles have */
    size_t column_count;
    const gs_slice *names;    /* NULL: there is no header */
    gs_column_facts *columns; /* their counts ranked */
} gs_table_facts;

typedef gs_code gs_table_report_fn(void *context, const gs_table_facts *all, bool is_end,
                                   gs_status *st);

typedef struct gs_table_sink {
    gs_column_format format;
    bool is_split; /* else the record is the only column */
    bool has_header;
    double eps; /* of quantiles; becomes larger where many columns have little memory */
    size_t memory_bytes;
    gs_tuple_sorter *sorter;
    gs_table_report_fn *report;
    void *report_context;

    size_t column_count, counters; /* of each column */
    uint64_t with_more;
    gs_column_facts *columns, *reported;
    gs_rank_histogram *ranks;
    gs_slice *names;
    uint8_t *name_texts;
} gs_table_sink;

enum { GS_TABLE_COLUMNS_MAX = 4096 };

void gs_table_sink_release(gs_table_sink *s);
gs_value_sink gs_table_sink_as_sink(gs_table_sink *s);

#endif
