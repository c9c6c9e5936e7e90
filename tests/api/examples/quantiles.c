/* SPDX-License-Identifier: MIT */
/*
 * Quantiles and the most frequent of the numbers that a program has, here one on each
 * line of standard input, as `gpusort stats quantile' and `gpusort stats freq' print
 * them; those of a file that the first argument names, if there is one, together with
 * them.
 *
 *     cc quantiles.c $(pkg-config --cflags --libs gpusort) -o quantiles
 */
#include <gpusort.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const gpusort_error *error)
{
    fprintf(stderr, "quantiles: %s\n", error->message);
    return 2;
}

static void print(const char *before, const gpusort_value *value, const char *behind)
{
    char text[GPUSORT_NUMBER_BYTES];
    (void)gpusort_number_text(value, text);
    printf("%s%s%s", before, text, behind);
}

static gpusort_code print_quantiles(const gpusort_summary *summary, gpusort_error *error)
{
    static const double phis[] = {0.5, 0.9, 0.99};
    gpusort_value value;
    for (size_t i = 0; i < sizeof phis / sizeof *phis; i++) {
        if (gpusort_summary_quantile(summary, 0, phis[i], &value, error) != GPUSORT_OK)
            return error->code;
        printf("%g", phis[i]);
        print("\t", &value, "\n");
    }
    return GPUSORT_OK;
}

static gpusort_code put_all(gpusort_stream *quantiles, gpusort_stream *frequent,
                            gpusort_error *error)
{
    double numbers[512];
    size_t count;
    do {
        for (count = 0; count < 512 && scanf("%lf", &numbers[count]) == 1;)
            count++;
        if (gpusort_stream_put_numbers(quantiles, numbers, count, error) != GPUSORT_OK ||
            gpusort_stream_put_numbers(frequent, numbers, count, error) != GPUSORT_OK)
            return error->code;
    } while (count > 0);
    return GPUSORT_OK;
}

int main(int argc, char **argv)
{
    gpusort_stream_options options = GPUSORT_STREAM_OPTIONS;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream *quantiles, *frequent;
    gpusort_summary *summary, *saved = NULL;
    gpusort_count one;
    options.is_binary = 1;
    if (gpusort_stream_new(&quantiles, &options, &error) != GPUSORT_OK)
        return fail(&error);
    options.statistic = GPUSORT_FREQUENT;
    if (gpusort_stream_new(&frequent, &options, &error) != GPUSORT_OK ||
        put_all(quantiles, frequent, &error) != GPUSORT_OK ||
        gpusort_stream_end(quantiles, &summary, NULL, &error) != GPUSORT_OK)
        return fail(&error);

    if (argc > 1 && (gpusort_summary_load(&saved, argv[1], 0, &error) != GPUSORT_OK ||
                     gpusort_summary_merge(saved, summary, &error) != GPUSORT_OK))
        return fail(&error);
    if (print_quantiles(saved != NULL ? saved : summary, &error) != GPUSORT_OK ||
        gpusort_stream_end(frequent, &summary, NULL, &error) != GPUSORT_OK)
        return fail(&error);
    for (size_t i = 0; gpusort_summary_frequent(summary, 0, 0.01, i, &one); i++) {
        print("", &one.value, "");
        printf("\t%" PRIu64 "\n", one.count);
    }
    gpusort_summary_free(saved);
    gpusort_stream_free(quantiles);
    gpusort_stream_free(frequent);
    return 0;
}
