/* SPDX-License-Identifier: MIT */
/* check_api: for tests of lib/gpusort.h. */
#ifndef GS_TESTS_CHECK_API_H
#define GS_TESTS_CHECK_API_H

#include <string.h>

#include "lib/gpusort.h"
#include "tests/check.h"

/* Ends the test with what `error`, which the call has got, says. */
#define GOOD(call)                                                                       \
    do {                                                                                 \
        if ((call) != GPUSORT_OK) {                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                \
                    error.message);                                                      \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

static inline void write_text_file(const char *name, const char *text)
{
    FILE *const f = fopen(name, "w");
    REQUIRE(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* --- indexes ----------------------------------------------------------------------- */

static inline gpusort_build_options build_options_of(const char *folder,
                                                     const char *const *input)
{
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    o.folder = folder;
    o.replaces = 1;
    o.inputs = input;
    o.input_count = 1;
    return o;
}

static inline void build_index(const gpusort_build_options *o)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    GOOD(gpusort_index_build(o, &error));
}

static inline gpusort_index *open_index(const char *folder)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    GOOD(gpusort_index_open(&index, folder, &error));
    return index;
}

/* How many documents have the term. */
static inline size_t documents_with(const char *folder, const char *term)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_postings postings;
    gpusort_index *const index = open_index(folder);
    GOOD(gpusort_index_lookup(index, term, strlen(term), &postings, &error));
    const size_t count = postings.count;
    gpusort_postings_free(&postings);
    gpusort_index_close(index);
    return count;
}

#endif
