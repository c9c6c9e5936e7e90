/* SPDX-License-Identifier: MIT */
/*
 * document_json: one JSON object a line, of which two kinds of fields matter.
 *
 * The whole line is checked by the rules of RFC 8259: syntax, numbers, escapes,
 * surrogates in pairs, UTF-8; anything else is no document. The name is a string or a
 * number (kept as it is written) and must be there once; so must at least one of the text
 * fields, each a string or null. Other fields may hold anything. Blank lines are skipped.
 * Unless its field was chosen, the name may also be in another of the usual ones; and of
 * the usual fields with text all are taken that are there, or the first alone.
 *
 * Where options have weights there must be a field "vector" (document_vector.h) as well,
 * and none with text need be.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_JSON_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_JSON_H

#include "lib/index/text/document.h"

/* The line, without its newline, lies in a batch: readable beyond its end. Strings with
 * escapes are unescaped where they are, since they never grow. */
GS_MUST_CHECK gs_code gs_json_parse_line(gs_document_list *list,
                                         const gs_document_options *options,
                                         const uint8_t *line, size_t bytes,
                                         gs_status *st);

/* What an object has, as far as it could be read. */
typedef struct gs_json_finding {
    bool is_sound;
    const char *id_field; /* NULL: none */
    const char *text_fields[GS_TEXT_FIELDS_MAX];
    size_t text_field_count;
    bool has_vector; /* and in it a term, or else there is no field with text */
} gs_json_finding;

/* Looks at an object, or the beginning of one, without changing it. */
void gs_json_look(const gs_document_options *options, const uint8_t *line, size_t bytes,
                  gs_json_finding *out);

/* Why a line is no document that may be one with other fields chosen, */
extern const char gs_document_no_name[], gs_document_no_text[];
/* and the names of the fields that it has, as many as there is room for. */
void gs_json_list_fields(const uint8_t *line, size_t bytes, char *to, size_t capacity);

/* The name of the document of which the line begins with these bytes; false if it does
 * not come in them. */
bool gs_json_find_name(const gs_document_options *options, const uint8_t *line,
                       size_t bytes, gs_text_span *name);

#endif
