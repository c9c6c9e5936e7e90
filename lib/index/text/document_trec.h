/* SPDX-License-Identifier: MIT */
/*
 * document_trec: documents as the TREC collections have them.
 *
 *      <DOC>
 *      <DOCNO> FT911-1 </DOCNO>
 *      <TEXT> ... </TEXT>
 *      </DOC>
 *
 * This is SGML without a grammar, so little is asked of it: a document goes from <DOC> to
 * the next </DOC>; <DOCNO> holds its name, blanks at both ends removed; all other text is
 * its content, tags left out, whatever their names. A tag is '<', perhaps '/', a letter,
 * and what follows up to '>'; a '<' that begins none is text. <!-- comments --> are left
 * out with all that is in them, tags too, before, in and behind documents. One that does
 * not end before the next <DOC> that a line begins with, blanks aside, or that follows a
 * </DOC>, is text. Tag names are told without regard to case, and <DOC> and <DOCNO> may
 * have attributes. Entities stay as they are: their names become words.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_TREC_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_TREC_H

#include "lib/index/text/document.h"

/* The bytes up to the end of the last </DOC> that is certainly in no comment. */
size_t gs_trec_whole_bytes(const uint8_t *data, size_t bytes);

GS_MUST_CHECK gs_code gs_trec_parse(gs_document_list *list, const gs_line_batch *batch,
                                    gs_status *st);

/* The <DOCNO> of the document that begins in these bytes, if it comes in them, and how
 * many lines are before its <DOC>. */
bool gs_trec_find_name(const uint8_t *data, size_t bytes, gs_text_span *name,
                       uint64_t *line);

#endif
