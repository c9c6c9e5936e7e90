/* SPDX-License-Identifier: MIT */
/*
 * document_objects: JSON objects over as many lines as they like, in an array or one
 * after the other.
 *
 *      [ {"id": 1, "contents": "x"},          {
 *        {"id": 2, "contents": "y"} ]           "id": 1, "contents": "x"
 *                                             } {"id": 2, "contents": "y"}
 *
 * Each object is what document_json.h says of a line. An array is cut in front of its
 * commas, so that what ends a file is always in its last batch: an array that does not
 * end is told.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_OBJECTS_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_OBJECTS_H

#include "lib/index/text/document.h"

/* How such a file is cut into objects: see gs_record_ends. With `goes_on` what comes
 * first is behind an object. */
gs_cut_state gs_objects_cut_begin(bool is_array, bool goes_on);
size_t gs_objects_cut(gs_cut_state *state, const uint8_t *data, size_t bytes);

/* Where the first object of `data`, the front of a file, begins and ends; false if it
 * does not end there. */
bool gs_objects_find_first(const uint8_t *data, size_t bytes, bool is_array,
                           gs_text_span *out);

GS_MUST_CHECK gs_code gs_objects_parse(gs_document_list *list,
                                       const gs_document_options *options,
                                       const gs_line_batch *batch, gs_status *st);

/* The name of the document of which the batch is the beginning, if it comes in it; lines
 * before it are added to *line. */
bool gs_objects_find_name(const gs_document_options *options, const gs_line_batch *batch,
                          gs_text_span *name, uint64_t *line);

#endif
