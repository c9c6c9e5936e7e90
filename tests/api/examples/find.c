/* SPDX-License-Identifier: MIT */
/*
 * find DOCUMENTS.jsonl FOLDER QUERY: makes an index if there is none yet, and prints the
 * best ten documents.
 *
 *     cc find.c $(pkg-config --cflags --libs gpusort) -o find
 */
#include <gpusort.h>
#include <stdio.h>
#include <string.h>

static int fail(const gpusort_error *error)
{
    fprintf(stderr, "find: %s\n", error->message);
    return 2;
}

static gpusort_code build(const char *documents, const char *folder, gpusort_error *error)
{
    gpusort_build_options options = GPUSORT_BUILD_OPTIONS;
    options.folder = folder;
    options.inputs = &documents;
    options.input_count = 1;
    options.has_positions = 1;
    return gpusort_index_build(&options, error);
}

int main(int argc, char **argv)
{
    gpusort_error error = GPUSORT_NO_ERROR, none = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_searcher *searcher = NULL;
    gpusort_hit hits[10];
    size_t count;
    if (argc != 4) {
        fprintf(stderr, "usage: find DOCUMENTS.jsonl FOLDER QUERY\n");
        return 2;
    }
    if (gpusort_index_open(&index, argv[2], &none) != GPUSORT_OK &&
        (build(argv[1], argv[2], &error) != GPUSORT_OK ||
         gpusort_index_open(&index, argv[2], &error) != GPUSORT_OK))
        return fail(&error);
    if (gpusort_searcher_new(&searcher, index, NULL, &error) != GPUSORT_OK ||
        gpusort_search(searcher, argv[3], strlen(argv[3]), hits, 10, &count, &error) !=
            GPUSORT_OK)
        return fail(&error);
    for (size_t i = 0; i < count; i++) {
        char name[1000];
        size_t bytes;
        if (gpusort_index_name(index, hits[i].document, name, sizeof name, &bytes,
                               &error) != GPUSORT_OK)
            return fail(&error);
        printf("%.4f\t%.*s\n", hits[i].score,
               (int)(bytes < sizeof name ? bytes : sizeof name), name);
    }
    gpusort_searcher_free(searcher);
    gpusort_index_close(index);
    return 0;
}
