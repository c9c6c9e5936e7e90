/* SPDX-License-Identifier: MIT */
/*
 * sort_file INPUT OUTPUT: sorts a file of any size, shows how far it is, and can be
 * stopped.
 *
 *     cc sort_file.c $(pkg-config --cflags --libs gpusort) -o sort_file
 */
#include <gpusort.h>
#include <signal.h>
#include <stdio.h>

static volatile int is_wanted_to_stop;

static void stop(int signal_number)
{
    is_wanted_to_stop = signal_number;
}

static int show(void *context, const gpusort_progress *p)
{
    (void)context;
    if (p->input_bytes_total > 0)
        fprintf(stderr, "\r%3.0f %% read",
                100.0 * (double)p->input_bytes / (double)p->input_bytes_total);
    return 0; /* go on */
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: sort_file INPUT OUTPUT\n");
        return 2;
    }
    const char *const inputs[] = {argv[1]};
    gpusort_sort_options options = GPUSORT_SORT_OPTIONS;
    gpusort_error error = GPUSORT_NO_ERROR;
    options.inputs = inputs;
    options.input_count = 1;
    options.output = argv[2];
    options.job.progress = show;
    options.job.cancel = &is_wanted_to_stop;
    signal(SIGINT, stop);
    const gpusort_code code = gpusort_sort(&options, &error);
    fputc('\n', stderr);
    if (code != GPUSORT_OK) {
        fprintf(stderr, "sort_file: %s\n", error.message);
        if (error.hint != NULL)
            fprintf(stderr, "sort_file: %s\n", error.hint);
    }
    return code == GPUSORT_OK ? 0 : 2;
}
