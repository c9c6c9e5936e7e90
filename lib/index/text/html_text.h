/* SPDX-License-Identifier: MIT */
/*
 * html_text: the text of an HTML page, without its mark-up.
 *
 *      <p>Tea &amp; <b>bis</b>cuits<br>now</p>   ->   Tea & biscuits now
 *
 * Comments, scripts, styles and tags are left out. A tag within a line, such as <b>,
 * separates nothing; any other one separates words. References to characters become what
 * they stand for, if they end with a semicolon. What is malformed is read as browsers do:
 * no input fails.
 *
 * XML is read the same way, but for elements without content: there <script/> is one, and
 * in HTML it is a start tag like <script>.
 */
#ifndef GS_LIB_INDEX_TEXT_HTML_TEXT_H
#define GS_LIB_INDEX_TEXT_HTML_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the page begin as XML does, with <?xml? */
bool gs_html_is_xml(const uint8_t *page, size_t bytes);

/* Puts the text in the place of the page; returns its bytes, which are not more. Takes
 * time in proportion to the page. */
size_t gs_html_to_text(uint8_t *page, size_t bytes, bool is_xml);

#endif
