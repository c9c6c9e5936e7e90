/* SPDX-License-Identifier: MIT */
#include "cmd/index_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "io/write_all.h"
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
    if (context != NULL)
        GS_TRY(gs_segments_check_unchanged((const gs_segments *)context, st));
    const int error = gs_write_all(STDOUT_FILENO, data, bytes);
    return error == 0 ? GS_OK
                      : GS_FAIL(st, GS_ERR_IO, error, "write failed: 'standard output'");
}

gs_code gs_index_open_first(gs_segments **out, const char *folder, char **operands,
                            int count, bool verifies, gs_status *st)
{
    if (gs_segments_open(out, folder, st) == GS_OK)
        return verifies ? gs_segments_check_sums(*out, st) : GS_OK;
    for (int i = 0; i < count; i++) {
        gs_status ignored = {.code = GS_OK};
        gs_segments *other = NULL;
        if (gs_segments_open(&other, operands[i], &ignored) == GS_OK)
            st->hint = "the index comes first, before what is looked for";
        gs_segments_close(other);
    }
    return st->code;
}

gs_code gs_index_need_texts(const gs_segments *index, gs_status *st)
{
    gs_quoted q;
    if (gs_segments_header(index)->has_texts)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has no stored texts",
                  gs_quote_name(&q, index->folder));
    return gs_status_hint(st, "build it with --store to keep the text of documents");
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

static int finish(const gs_status *st)
{
    return st->code == GS_OK ? gs_stdout_close(GS_EXIT_GOOD) : gs_report_failure(st);
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

/* What an index has in all. */
typedef struct info_sums {
    gs_index_header header; /* of all that is left; borrows the rules */
    size_t segments;
    uint64_t deleted; /* documents that lie there still */
} info_sums;

/* Of the files, what there is on the disk; of the rest, what is left. */
static gs_code sum_up(const gs_segments *s, info_sums *sums, gs_status *st)
{
    gs_segments_counts counts;
    gs_index_header *const h = &sums->header;
    GS_TRY(gs_segments_count(s, &counts, st));
    *sums = (info_sums){.header = *gs_segments_header(s), .segments = s->count};
    h->documents = s->documents;
    h->length_sum = s->length_sum;
    h->terms = counts.terms;
    h->postings = counts.postings;
    h->tokens = counts.tokens;
    for (size_t i = 0; i < s->count; i++) {
        const gs_index_header *const one = gs_index_header_of(s->items[i].index);
        sums->deleted += s->items[i].deleted.head.deleted;
        for (int file = 0; i > 0 && file < GS_INDEX_FILE_COUNT; file++)
            h->file_bytes[file] += one->file_bytes[file];
    }
    return gs_segments_check_unchanged(s, st);
}

static void list_counts(const gs_index_header *h, info_count counts[INFO_COUNTS])
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

static void print_info(const char *folder, const info_sums *sums)
{
    const gs_index_header *const h = &sums->header;
    uint64_t bytes = 0;
    gs_quoted q;
    info_count counts[INFO_COUNTS];
    list_counts(h, counts);
    printf("index         %s\n", gs_quote_name(&q, folder));
    if (sums->segments > 1 || sums->deleted > 0)
        printf("segments      %zu, with %" PRIu64 " deleted documents\n", sums->segments,
               sums->deleted);
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
    print_rules(h->tokenizer ? h->tokenizer : "{}");
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        if (h->file_bytes[i] == 0)
            continue;
        printf("%-13s %" PRIu64 " bytes\n", gs_index_file_names[i], h->file_bytes[i]);
        bytes += h->file_bytes[i];
    }
    printf("in all        %" PRIu64 " bytes", bytes);
    if (h->postings > 0)
        printf(", %.2f a posting", (double)bytes / (double)h->postings);
    printf("\n");
}

static void print_info_json(const info_sums *sums)
{
    const gs_index_header *const h = &sums->header;
    info_count counts[INFO_COUNTS];
    list_counts(h, counts);
    for (int i = 0; i < INFO_COUNTS; i++)
        printf("%s\"%s\": %" PRIu64, i ? ", " : "{", counts[i].name, counts[i].value);
    printf(", \"has_positions\": %s, \"has_names\": %s, \"has_texts\": %s, "
           "\"has_impacts\": %s, \"tokenizer\": %s, \"bytes\": {",
           h->has_positions ? "true" : "false", h->has_names ? "true" : "false",
           h->has_texts ? "true" : "false", h->has_impacts ? "true" : "false",
           h->tokenizer ? h->tokenizer : "{}");
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        printf("%s\"%s\": %" PRIu64, i ? ", " : "", gs_index_file_names[i],
               h->file_bytes[i]);
    printf("}, \"segments\": %zu, \"deleted\": %" PRIu64 "}\n", sums->segments,
           sums->deleted);
}

int gs_index_info_command(int argc, char **argv)
{
    bool as_json = false;
    const char *const folder = parse(argc, argv, info_usage, "json", &as_json);
    gs_status st = {.code = GS_OK};
    gs_segments *index = NULL;
    info_sums sums;
    if (gs_segments_open(&index, folder, &st) == GS_OK &&
        sum_up(index, &sums, &st) == GS_OK) {
        if (as_json)
            print_info_json(&sums);
        else
            print_info(folder, &sums);
    }
    gs_segments_close(index);
    return finish(&st);
}

/* --- dump -------------------------------------------------------------------------- */

int gs_index_dump_command(int argc, char **argv)
{
    bool positions = false;
    const char *const folder = parse(argc, argv, dump_usage, "positions", &positions);
    gs_status st = {.code = GS_OK};
    gs_segments *index = NULL;
    gs_text_out out = {0};
    if (gs_segments_open(&index, folder, &st) == GS_OK &&
        gs_segments_check_sums(index, &st) == GS_OK &&
        gs_text_out_open(&out, gs_index_print, index, &st) == GS_OK &&
        gs_segments_dump(index, positions, &out, NULL, &st) == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(index, &st));
    gs_text_out_release(&out);
    gs_segments_close(index);
    return finish(&st);
}

/* --- verify ------------------------------------------------------------------------ */

/* Every segment; deletions were looked at when it was opened. */
static gs_code verify(const gs_segments *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++)
        GS_TRY(gs_index_verify(s->items[i].index, NULL, st));
    return GS_OK;
}

int gs_index_verify_command(int argc, char **argv)
{
    const char *const folder = parse(argc, argv, verify_usage, NULL, NULL);
    gs_status st = {.code = GS_OK};
    gs_segments *index = NULL;
    info_sums sums;
    if (gs_segments_open(&index, folder, &st) == GS_OK && verify(index, &st) == GS_OK &&
        sum_up(index, &sums, &st) == GS_OK) {
        const gs_index_header *const h = &sums.header;
        gs_quoted q;
        printf("%s: good, %" PRIu64 " terms, %" PRIu64 " postings, %" PRIu64
               " documents\n",
               gs_quote_name(&q, folder), h->terms, h->postings, h->documents);
    }
    gs_segments_close(index);
    const int code = finish(&st);
    return st.code == GS_ERR_FORMAT ? GS_EXIT_DISORDER : code;
}
