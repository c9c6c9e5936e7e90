/* SPDX-License-Identifier: MIT */
/*
 * Lines of standard input, sorted by a number in their second field, on standard output:
 * a program that has its records in its own hands puts them one by one and gets them
 * back.
 *
 *     cc sort_lines.c $(pkg-config --cflags --libs gpusort) -o sort_lines
 */
#include <gpusort.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const gpusort_error *error)
{
    fprintf(stderr, "sort_lines: %s\n", error->message);
    return 2;
}

int main(void)
{
    const gpusort_key key = {.start_field = 2, .end_field = 2, .kind = GPUSORT_NUMERIC};
    gpusort_sort_options options = GPUSORT_SORT_OPTIONS;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sorter *sorter = NULL;
    options.job.memory_bytes = 64 << 20; /* what does not fit goes to temporary files */
    options.order.keys = &key;
    options.order.key_count = 1;
    if (gpusort_sorter_new(&sorter, &options, &error) != GPUSORT_OK)
        return fail(&error);

    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) >= 0;) {
        const size_t bytes = (size_t)n - (line[n - 1] == '\n');
        if (gpusort_sorter_put(sorter, line, bytes, &error) != GPUSORT_OK)
            return fail(&error);
    }
    free(line);
    if (gpusort_sorter_sorted(sorter, &error) != GPUSORT_OK)
        return fail(&error);

    for (;;) {
        const void *record;
        size_t bytes;
        if (gpusort_sorter_get(sorter, &record, &bytes, &error) != GPUSORT_OK)
            return fail(&error);
        if (record == NULL)
            break;
        fwrite(record, 1, bytes, stdout);
        putchar('\n');
    }
    gpusort_sorter_free(sorter);
    return fclose(stdout) == 0 ? 0 : 2;
}
