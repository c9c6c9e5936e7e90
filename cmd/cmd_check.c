/* SPDX-License-Identifier: MIT */
/*
 * gpusort check: is a file in order, and what is in it?
 *
 * The options of its own are taken out of the arguments; what is left is parsed as the
 * command line of `gpusort sort`, so that keys mean the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/json_text.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "cmd/sort_args.h"
#include "lib/gpusort.h"

typedef struct check_request {
    const char *expected; /* checksum */
    const char *same;     /* file with the same records */
    bool no_order, as_json;
} check_request;

enum { SUM_DIGITS = 32, SUM_BYTES = SUM_DIGITS + 1 };

static const char usage_text[] =
    "Usage: gpusort check [OPTION]... [FILE]...\n"
    "Tells of each FILE, or of standard input, whether it is in order, how many "
    "records,\n"
    "duplicates and bytes it has, and a checksum that does not depend on the order.\n\n"
    "      --same=FILE         each has the same records as FILE, in any order\n"
    "      --expect=CHECKSUM   each has this checksum\n"
    "      --no-order          only count and sum up\n"
    "      --json              one JSON object a line\n"
    "      --help              this text\n"
    "      --version           show the version and stop\n\n"
    "What order means is said with the options of `gpusort sort': -b -d -f -g -i -h -M\n"
    "-n -R -r -V -k -t -s -u -z --sort --random-source --record-size --key-bytes --csv\n"
    "--tsv --no-quotes --jsonl-key --locale-order --header --no-header, as are -S,\n"
    "--parallel, --no-decompress and --no-uring. Without -s and -u, records with equal\n"
    "keys are to be in byte order.\n"
    "Exit codes: 0 good, 1 not in order or not the same records, 2 trouble.\n";

static void sum_text(const gpusort_tally *r, char *text)
{
    (void)snprintf(text, SUM_BYTES, "%016" PRIx64 "%016" PRIx64, r->sum_high, r->sum_low);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_result(const check_request *request, const char *name,
                         const gpusort_tally *r, bool is_same)
{
    char sum[SUM_BYTES];
    sum_text(r, sum);
    const bool is_compared = request->expected || request->same;
    if (request->as_json) {
        printf("{\"file\": ");
        gs_json_text(stdout, name, strlen(name));
        printf(", \"records\": %" PRIu64 ", \"bytes\": %" PRIu64, r->records, r->bytes);
        if (!request->no_order)
            printf(", \"in_order\": %s, \"disorders\": %" PRIu64
                   ", \"first_disorder\": %" PRIu64 ", \"duplicates\": %" PRIu64,
                   r->disorders ? "false" : "true", r->disorders, r->first_disorder,
                   r->duplicates);
        if (is_compared)
            printf(", \"same_records\": %s", is_same ? "true" : "false");
        printf(", \"checksum\": \"%s\"}\n", sum);
        return;
    }
    printf("%s: %" PRIu64 " record%s, %" PRIu64 " byte%s", name, r->records,
           plural(r->records), r->bytes, plural(r->bytes));
    if (!request->no_order) {
        if (r->disorders == 0)
            printf(", in order");
        else
            printf(", out of order at record %" PRIu64, r->first_disorder);
        if (r->disorders > 1)
            printf(" and %" PRIu64 " more", r->disorders - 1);
        printf(", %" PRIu64 " duplicate%s", r->duplicates, plural(r->duplicates));
    }
    printf(", checksum %s", sum);
    if (is_compared)
        printf(is_same ? ", same records" : ", not the same records");
    (void)putchar('\n');
}

/* What is in one of the files. */
static gpusort_code survey(const gpusort_sort_options *options, const char *file,
                           unsigned flags, gpusort_tally *tally, gpusort_error *error)
{
    gpusort_sort_options one = *options;
    one.inputs = &file;
    one.input_count = 1;
    *tally = (gpusort_tally){.size = sizeof *tally};
    return gpusort_survey(&one, flags, tally, error);
}

static gpusort_code check_files(const check_request *request,
                                const gpusort_sort_options *options, int *exit_code,
                                gpusort_error *error)
{
    char expected[SUM_BYTES] = "", sum[SUM_BYTES];
    const unsigned flags = request->no_order ? GPUSORT_NO_ORDER : 0;
    gpusort_tally wanted = {0}, tally;
    if (request->same) {
        if (survey(options, request->same, GPUSORT_NO_ORDER, &wanted, error) !=
            GPUSORT_OK)
            return error->code;
        sum_text(&wanted, expected);
    } else if (request->expected) {
        (void)snprintf(expected, sizeof expected, "%s", request->expected);
    }
    for (size_t i = 0; i < options->input_count; i++) {
        if (survey(options, options->inputs[i], flags, &tally, error) != GPUSORT_OK)
            return error->code;
        sum_text(&tally, sum);
        const bool is_same = expected[0] == '\0' ||
                             (strcmp(sum, expected) == 0 &&
                              (request->same == NULL || tally.records == wanted.records));
        print_result(request, options->inputs[i], &tally, is_same);
        if (!is_same || tally.disorders > 0)
            *exit_code = GS_EXIT_DISORDER;
    }
    return GPUSORT_OK;
}

static void check_request_or_die(const check_request *r)
{
    if (r->expected && r->same)
        gs_die_incompatible("--expect", "--same", NULL);
    if (r->expected && (strlen(r->expected) != SUM_DIGITS ||
                        strspn(r->expected, "0123456789abcdef") != SUM_DIGITS))
        gs_die(0, "invalid checksum '%s': it is 32 digits of 0-9 and a-f", r->expected);
}

int cmd_check(int argc, char **argv)
{
    static const char *const allowed[] = {NULL};
    check_request request = {.expected = NULL};
    const gs_own_option own[] = {
        {"--expect", &request.expected, NULL},
        {"--same", &request.same, NULL},
        {"--no-order", NULL, &request.no_order},
        {"--json", NULL, &request.as_json},
    };
    argc = gs_own_options_take(own, sizeof own / sizeof *own, argc, argv);
    check_request_or_die(&request);
    gs_sort_args args;
    if (!gs_own_options_parse_rest(&args, usage_text, allowed, argc, argv))
        return gs_stdout_close(GS_EXIT_GOOD);
    int exit_code = GS_EXIT_GOOD;
    gpusort_error error = GPUSORT_NO_ERROR;
    if (check_files(&request, &args.options, &exit_code, &error) != GPUSORT_OK)
        exit_code = gs_report_error(&error);
    gs_sort_args_release(&args);
    return gs_stdout_close(exit_code);
}
