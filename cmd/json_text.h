/* SPDX-License-Identifier: MIT */
/*
 * json_text: any bytes as a string of JSON.
 */
#ifndef GS_CMD_JSON_TEXT_H
#define GS_CMD_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* With its quotes. JSON holds only UTF-8: what is none becomes U+FFFD. */
void gs_json_text(FILE *to, const void *text, size_t bytes);

#endif
