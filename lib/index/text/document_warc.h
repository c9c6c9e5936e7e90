/* SPDX-License-Identifier: MIT */
/*
 * document_warc: the pages of a web archive (WARC, ISO 28500), and of one of texts (WET).
 *
 *      WARC/1.0
 *      WARC-Type: response
 *      WARC-Target-URI: http://example.org/
 *      Content-Length: 123
 *                                                a blank line, then 123 bytes:
 *      HTTP/1.1 200 OK
 *      Content-Type: text/html
 *
 *      <html>...                                 two line ends, and the next record
 *
 * A document is a record of type response with an answer of 2xx, or of type resource or
 * conversion, whose content is text. A line of a header that begins with a blank goes on
 * with the one before. Of HTML and XML the mark-up is left out
 * (lib/index/text/html_text.h). Its name is the address. All other records are counted:
 * requests, images, what was answered in a packed form. Chunks of an answer are put
 * together, unless the crawler has done so. Texts in other encodings than UTF-8 lose what
 * is not ASCII.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_WARC_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_WARC_H

#include "lib/index/text/document.h"

/* Cuts an archive into records: see gs_record_ends. It begins with a zeroed state. */
size_t gs_warc_cut(gs_cut_state *state, const uint8_t *data, size_t bytes);

GS_MUST_CHECK gs_code gs_warc_parse(gs_document_list *list, const gs_line_batch *batch,
                                    gs_status *st);

/* The address of the record of which these bytes are the beginning, if it comes in them;
 * lines before it are added to *line. */
bool gs_warc_find_name(const uint8_t *data, size_t bytes, gs_text_span *name,
                       uint64_t *line);

#endif
