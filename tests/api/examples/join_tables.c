/* SPDX-License-Identifier: MIT */
/*
 * Rows of two comma-separated files with the same key, in one, on standard output; and
 * rows of the first file that have no partner.
 *
 *     cc join_tables.c $(pkg-config --cflags --libs gpusort) -o join_tables
 *     ./join_tables orders.csv person people.csv id
 */
#include <gpusort.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: join_tables LEFT COLUMN RIGHT COLUMN\n");
        return 2;
    }
    gpusort_sort_options sort = GPUSORT_SORT_OPTIONS; /* what is read and written */
    gpusort_join_options options = GPUSORT_JOIN_OPTIONS;
    gpusort_error error = GPUSORT_NO_ERROR;
    const char *const inputs[] = {argv[1], argv[3]};
    sort.inputs = inputs;
    sort.input_count = 2;
    sort.order.form = GPUSORT_CSV;
    sort.header_lines = 1;
    sort.job.memory_bytes = 64 << 20;
    options.sort = &sort;
    options.key_names[GPUSORT_LEFT] = argv[2];
    options.key_names[GPUSORT_RIGHT] = argv[4];
    options.shows_unpaired[GPUSORT_LEFT] = 1;
    if (gpusort_join(&options, &error) != GPUSORT_OK) {
        fprintf(stderr, "join_tables: %s\n", error.message);
        return 2;
    }
    return 0;
}
