/* SPDX-License-Identifier: MIT */
/*
 * word_arg: an option's argument that is one of a few words, or the beginning of one.
 */
#ifndef GS_CMD_WORD_ARG_H
#define GS_CMD_WORD_ARG_H

#include "cmd/opt_scan.h"

typedef struct gs_word {
    const char *name;
    int value; /* neighbours with one value are synonyms */
} gs_word;

typedef struct gs_word_list {
    const gs_word *words;
    size_t count;
} gs_word_list;

/* The value of the word that the long option just found was given. Ends the program with
 * the list of words if there is none or more than one; with exit code 1 if it is `sort`,
 * as GNU's does. */
int gs_word_arg(const gs_opt_scan *scan, const gs_word *words, size_t word_count);

#endif
