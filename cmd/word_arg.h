/* SPDX-License-Identifier: MIT */
/*
 * word_arg: an option's argument that is one of a few words, or the beginning of one.
 */
#ifndef GS_CMD_WORD_ARG_H
#define GS_CMD_WORD_ARG_H

#include <stddef.h>

typedef struct gs_word {
    const char *name;
    int value; /* neighbours with one value are synonyms */
} gs_word;

/* The value of the word meant. Ends the program with the list of words, and exit code 1
 * as GNU sort does, if there is none or more than one. */
int gs_word_arg(const char *option, const char *text, const gs_word *words,
                size_t word_count);

#endif
