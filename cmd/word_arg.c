/* SPDX-License-Identifier: MIT */
#include "cmd/word_arg.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/quote.h"
#include "cmd/report.h"

enum { EXIT_BAD_WORD = 1 };

static _Noreturn void refuse(const gs_opt_scan *scan, bool is_ambiguous,
                             const gs_word *words, size_t word_count)
{
    gs_quoted q;
    gs_report(0, "%s argument %s for '--%s'", is_ambiguous ? "ambiguous" : "invalid",
              gs_quote_argument(&q, scan->argument), scan->current->name);
    fputs("Valid arguments are:", stderr);
    for (size_t i = 0; i < word_count; i++) {
        const bool is_synonym = i > 0 && words[i].value == words[i - 1].value;
        fprintf(stderr, is_synonym ? ", '%s'" : "\n  - '%s'", words[i].name);
    }
    putc('\n', stderr);
    gs_die_try_help(scan->usage != NULL ? GS_EXIT_TROUBLE : EXIT_BAD_WORD);
}

int gs_word_arg(const gs_opt_scan *scan, const gs_word *words, size_t word_count)
{
    const char *const text = scan->argument;
    const size_t len = strlen(text);
    const gs_word *found = NULL;
    bool is_ambiguous = false;
    for (size_t i = 0; i < word_count; i++) {
        if (strncmp(words[i].name, text, len) != 0)
            continue;
        if (words[i].name[len] == '\0')
            return words[i].value;
        is_ambiguous |= found && found->value != words[i].value;
        if (!found)
            found = &words[i];
    }
    if (!found || is_ambiguous)
        refuse(scan, is_ambiguous, words, word_count);
    return found->value;
}
