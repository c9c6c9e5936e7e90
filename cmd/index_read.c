/* SPDX-License-Identifier: MIT */
#include "cmd/index_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/quote.h"

static const char info_usage[] =
    "Usage: gpusort index info [--json] DIR\n"
    "Prints what the index in DIR holds: counts and sizes.\n\n"
    "      --json     the same as a JSON object\n"
    "  -h, --help     this text\n"
    "      --version  show the version and stop\n";

static const char dump_usage[] =
    "Usage: gpusort index dump [--positions] DIR\n"
    "Prints every posting: term TAB docID TAB tf, by the bytes of the term, then "
    "docID.\n\n"
    "      --positions   and TAB its positions, with commas between\n"
    "  -h, --help        this text\n"
    "      --version     show the version and stop\n";

static const char verify_usage[] =
    "Usage: gpusort index verify DIR\n"
    "Checks every checksum, the order of terms and postings, and all counts.\n"
    "Exit codes: 0 good, 1 damaged or not whole, 2 trouble: it could not be read.\n\n"
    "  -h, --help     this text\n"
    "      --version  show the version and stop\n";

gs_code gs_index_print(void *context, const void *data, size_t bytes, gs_status *st)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    if (gpusort_index_unchanged(context, &error) != GPUSORT_OK)
        return gs_status_of_error(st, &error);
    return gs_stdout_write(data, bytes, st);
}

gs_code gs_index_called(gpusort_code code, const gpusort_error *error,
                        const gs_status *of_ours, gs_status *st)
{
    if (of_ours != NULL)
        gs_status_keep_first(st, of_ours);
    return code == GPUSORT_OK || st->code != GS_OK ? st->code
                                                   : gs_status_of_error(st, error);
}

gs_code gs_index_open_first(gpusort_index **out, const char *folder, char **operands,
                            int count, bool verifies, gs_status *st)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    if (gpusort_index_open(out, folder, &error) == GPUSORT_OK)
        return !verifies || gpusort_index_verify(*out, GPUSORT_SUMS_ONLY, NULL, &error) ==
                                GPUSORT_OK
                   ? GS_OK
                   : gs_status_of_error(st, &error);
    (void)gs_status_of_error(st, &error);
    for (int i = 0; i < count; i++) {
        gpusort_index *other = NULL;
        if (gpusort_index_open(&other, operands[i], NULL) == GPUSORT_OK)
            st->hint = "the index comes first, before what is looked for";
        gpusort_index_close(other);
    }
    return st->code;
}

/* The folder that the arguments name; the one option, if there is one, sets `flag`. */
static const char *parse(int argc, char **argv, const char *usage, const char *option,
                         bool *flag)
{
    const char *folder = NULL;
    const gs_opt options[] = {
        {0, NULL, GS_OPT_OPERAND(&folder)},
        {0, option, GS_OPT_FLAG(flag)},
    };
    gs_opt_parse(argc, argv, usage, options, option ? 2 : 1);
    if (folder == NULL)
        gs_die_usage("which index?");
    return folder;
}

static int finish(gpusort_index *index, const gpusort_error *error)
{
    gpusort_index_close(index);
    return error->code == GPUSORT_OK ? gs_stdout_close(GS_EXIT_GOOD)
                                     : gs_report_error(error);
}

/* --- info -------------------------------------------------------------------------- */

/* A list of stop words is shown by its beginning. */
static void print_rules(const char *json)
{
    enum { LIST_BYTES = 60 };
    const char *const list = strstr(json, "\"stopwords\": [");
    const char *cut = NULL;
    if (list != NULL && strlen(list) > LIST_BYTES)
        cut = strstr(list + LIST_BYTES, "\", ");
    if (cut == NULL) {
        printf("tokenizer     %s\n", json);
        return;
    }
    size_t more = 0;
    for (const char *p = cut; (p = strstr(p, "\", ")) != NULL; p++)
        more++;
    printf("tokenizer     %.*s\", and %zu more]}\n", (int)(cut - json), json, more);
}

/* What is counted of an index; `note` stands behind it in the text, NULL: it is shown
 * only in JSON. */
typedef struct info_count {
    const char *name;
    uint64_t value;
    const char *note;
} info_count;

enum { INFO_COUNTS = 6 };

static void list_counts(const gpusort_index_info *h, info_count counts[INFO_COUNTS])
{
    const info_count all[INFO_COUNTS] = {
        {"documents", h->documents, h->has_names ? "" : ", no names"},
        {"terms", h->terms, ""},
        {"postings", h->postings, ""},
        {"tokens", h->tokens,
         h->has_impacts     ? ", the sum of impacts"
         : h->has_positions ? ", with positions"
                            : ", no positions"},
        {"length_sum", h->length_sum, NULL},
        {"doc_base", h->doc_base, h->doc_base > 0 ? ", the first docID" : NULL},
    };
    memcpy(counts, all, sizeof all);
}

static void print_files(const gpusort_index *index, uint64_t postings)
{
    uint64_t all = 0, bytes;
    const char *name;
    for (size_t i = 0; (name = gpusort_index_file(index, i, &bytes)) != NULL; i++) {
        if (bytes > 0)
            printf("%-13s %" PRIu64 " bytes\n", name, bytes);
        all += bytes;
    }
    printf("in all        %" PRIu64 " bytes", all);
    if (postings > 0)
        printf(", %.2f a posting", (double)all / (double)postings);
    printf("\n");
}

static void print_info(const char *folder, const gpusort_index *index,
                       const gpusort_index_info *h)
{
    gs_quoted q;
    info_count counts[INFO_COUNTS];
    list_counts(h, counts);
    printf("index         %s\n", gs_quote_name(&q, folder));
    if (h->segments > 1 || h->deleted > 0)
        printf("segments      %" PRIu64 ", with %" PRIu64 " deleted documents\n",
               h->segments, h->deleted);
    for (int i = 0; i < INFO_COUNTS; i++) {
        if (counts[i].note != NULL)
            printf("%-13s %" PRIu64 "%s\n", counts[i].name, counts[i].value,
                   counts[i].note);
    }
    if (h->has_impacts)
        printf("scores        sums of impacts\n");
    if (h->documents > 0)
        printf("length        %.1f tokens a document\n",
               (double)h->length_sum / (double)h->documents);
    print_rules(h->word_rules ? h->word_rules : "{}");
    print_files(index, h->postings);
}

static void print_info_json(const gpusort_index *index, const gpusort_index_info *h)
{
    info_count counts[INFO_COUNTS];
    uint64_t bytes;
    const char *name;
    list_counts(h, counts);
    for (int i = 0; i < INFO_COUNTS; i++)
        printf("%s\"%s\": %" PRIu64, i ? ", " : "{", counts[i].name, counts[i].value);
    printf(", \"has_positions\": %s, \"has_names\": %s, \"has_texts\": %s, "
           "\"has_impacts\": %s, \"tokenizer\": %s, \"bytes\": {",
           h->has_positions ? "true" : "false", h->has_names ? "true" : "false",
           h->has_texts ? "true" : "false", h->has_impacts ? "true" : "false",
           h->word_rules ? h->word_rules : "{}");
    for (size_t i = 0; (name = gpusort_index_file(index, i, &bytes)) != NULL; i++)
        printf("%s\"%s\": %" PRIu64, i ? ", " : "", name, bytes);
    printf("}, \"segments\": %" PRIu64 ", \"deleted\": %" PRIu64 "}\n", h->segments,
           h->deleted);
}

int gs_index_info_command(int argc, char **argv)
{
    bool as_json = false;
    const char *const folder = parse(argc, argv, info_usage, "json", &as_json);
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_index_info info = {.size = sizeof info};
    if (gpusort_index_open(&index, folder, &error) == GPUSORT_OK &&
        gpusort_index_count(index, &info, &error) == GPUSORT_OK) {
        if (as_json)
            print_info_json(index, &info);
        else
            print_info(folder, index, &info);
    }
    return finish(index, &error);
}

/* --- dump -------------------------------------------------------------------------- */

/* The context is the status of what failed here. */
static int print(void *context, const void *text, size_t bytes)
{
    return gs_stdout_write(text, bytes, context) == GS_OK ? 0 : -1;
}

int gs_index_dump_command(int argc, char **argv)
{
    bool positions = false;
    const char *const folder = parse(argc, argv, dump_usage, "positions", &positions);
    gs_status st = {.code = GS_OK};
    gpusort_error error = GPUSORT_NO_ERROR, ours = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    if (gpusort_index_open(&index, folder, &error) == GPUSORT_OK &&
        gpusort_index_dump(index, positions ? GPUSORT_POSITIONS : 0, print, &st, NULL,
                           &error) != GPUSORT_OK &&
        st.code != GS_OK) /* it is ours, and comes first */
        gs_error_of_status(&ours, &st);
    return finish(index, ours.code != GPUSORT_OK ? &ours : &error);
}

/* --- verify ------------------------------------------------------------------------ */

int gs_index_verify_command(int argc, char **argv)
{
    const char *const folder = parse(argc, argv, verify_usage, NULL, NULL);
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_index_info info = {.size = sizeof info};
    if (gpusort_index_open(&index, folder, &error) == GPUSORT_OK &&
        gpusort_index_verify(index, 0, NULL, &error) == GPUSORT_OK &&
        gpusort_index_count(index, &info, &error) == GPUSORT_OK) {
        gs_quoted q;
        printf("%s: good, %" PRIu64 " terms, %" PRIu64 " postings, %" PRIu64
               " documents\n",
               gs_quote_name(&q, folder), info.terms, info.postings, info.documents);
    }
    const int code = finish(index, &error);
    return error.code == GPUSORT_FORMAT ? GS_EXIT_DISORDER : code;
}
