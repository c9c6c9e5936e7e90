/* SPDX-License-Identifier: MIT */
/*
 * document_table: documents as rows under a header that names the columns.
 *
 *      csv      id,title,body          tsv     id TAB title TAB body
 *               1,"a ""b"", c",d               1 TAB a "b", c TAB d
 *
 * A value of csv that begins with a quotation mark goes on to the next lone one, whatever
 * stands between, line ends too; two of them are one. What follows the closing one
 * belongs to the value. The separator is the most frequent of , ; TAB | in the header. In
 * tsv nothing is quoted. Rows may have fewer values than the header has names, as long as
 * name and some text are there, and not more. Blank lines are skipped.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_TABLE_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_TABLE_H

#include "lib/index/text/document.h"

/* Which columns are what, as the header of a file says. */
struct gs_columns {
    uint8_t separator;
    bool has_quotes;
    size_t count, id;
    size_t texts[GS_TEXT_FIELDS_MAX], text_count;
};

/* What is missing in a header. */
typedef enum gs_header_lack {
    GS_HEADER_IS_GOOD,
    GS_HEADER_NO_NAME, /* no column with names of documents */
    GS_HEADER_NO_TEXT,
    GS_HEADER_NO_END, /* it is longer than what is there of it */
} gs_header_lack;

/* Reads the header at the front of a file, of csv or tsv, whose bytes it may change.
 * Where something is missing, `names` gets those of the columns, as many as there is room
 * for. */
gs_header_lack gs_columns_read(gs_columns *columns, const gs_document_options *options,
                               bool is_csv, const gs_file_front *front, char *names,
                               size_t capacity);

/* How csv is cut into rows: see gs_record_ends. `separator` is that of its columns. */
gs_cut_state gs_csv_cut_begin(uint8_t separator);
size_t gs_csv_cut(gs_cut_state *state, const uint8_t *data, size_t bytes);

/* The rows of a batch; the first row of a file is the header. */
GS_MUST_CHECK gs_code gs_table_parse(gs_document_list *list, const gs_columns *columns,
                                     const gs_line_batch *batch, gs_status *st);

/* The name of the document of which the batch is the beginning, if it comes in it. */
bool gs_table_find_name(const gs_columns *columns, const gs_line_batch *batch,
                        gs_text_span *name);

#endif
