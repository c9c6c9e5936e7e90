/* SPDX-License-Identifier: MIT */
#include "cmd/index_build_args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/input_names.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/assertion.h"
#include "lib/base/quote.h"
#include "lib/base/mem.h"

static const gs_word method_words[] = {
    {"auto", GPUSORT_AUTO},
    {"bsbi", GPUSORT_BSBI},
    {"spimi", GPUSORT_SPIMI},
};

/* Longer than the 4095 characters that every compiler must take; gcc and clang do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char usage_text[] =
    "Usage: gpusort index build -o DIR [OPTION]... [FILE]...\n"
    "Build an inverted index of the documents in the FILEs, and in those of folders.\n"
    "Without a FILE, or where it is -, read standard input. zstd and gzip are unpacked.\n"
    "\n"
    "What is read:\n"
    "      --format=NAME            jsonl (an object a line), json (objects over "
    "several\n"
    "                                 lines, or an array), vectors (objects with "
    "weights\n"
    "                                 of terms, one a line), tsv (name TAB text), csv "
    "(with\n"
    "                                 a header), trec (<DOC><DOCNO>...), warc (a web\n"
    "                                 archive), text (a file a document), html (the "
    "same\n"
    "                                 without mark-up), tuples (term TAB docID [TAB "
    "tf]),\n"
    "                                 tuples-bin (pairs of u32, termID and docID);\n"
    "                                 otherwise each file is looked at (-v tells)\n"
    "      --id-field=NAME          jsonl, json, vectors, csv, tsv: the field or column "
    "with\n"
    "                                 the name (id, _id, docid or docno)\n"
    "      --text-field=NAME        the same with text (contents; else title, text, "
    "body\n"
    "                                 ...), may be given several times\n"
    "      --weight-scale=N         vectors: every weight times N, rounded; without it "
    "whole\n"
    "                                 numbers are taken as they are, others times 100\n"
    "      --files0-from=F          read what the zero-terminated names in file F are "
    "of\n"
    "      --skip-bad               leave malformed documents out and tell how many\n"
    "      --unique-ids             two documents with the same name are an error\n"
    "      --doc-base=N             docIDs from N on, for one of several indexes\n"
    "      --no-decompress          take zstd and gzip inputs as they are\n"
    "\n"
    "How text becomes terms:\n"
    "      --tokenizer=NAME         bigrams (words, and each two characters where "
    "scripts\n"
    "                                 have no spaces; the default), words, whitespace\n"
    "                                 (what stands between), raw (a text, whole)\n"
    "      --no-fold                keep case and form; otherwise text is put into NFKC\n"
    "                                 and its case folded (--fold)\n"
    "      --stopwords=FILE         leave out the words of FILE, one a line\n"
    "      --min-len=N              leave out words of fewer characters\n"
    "      --max-len=N              leave out longer words\n"
    "      --stem=LANG              stem words, as in --stem=english\n"
    "      --positions              keep where in a document a term comes\n"
    "\n"
    "What comes out:\n"
    "  -o, --output=DIR             the index, a new folder\n"
    "      --replace                an index of that name may be there, and is replaced\n"
    "      --store                  keep texts, for `search --snippets', `index show'\n"
    "      --docnames               keep the names of documents (the default)\n"
    "      --reorder                documents that share terms side by side: smaller\n"
    "                                 and faster (see `index reorder')\n"
    "\n"
    "With what:\n"
    "      --method=NAME            spimi (growing lists), bsbi (sorted tuples), or "
    "auto\n"
    "  -S, --buffer-size=SIZE       memory of the whole process, in K or with a unit:\n"
    "                                 b % M G T P E\n"
    "  -T, --temporary-directory=DIR  where to spill, may be given several times;\n"
    "                                 otherwise $TMPDIR or /tmp\n"
    "      --checkpoint=DIR         keep what is done in DIR until all is; the same\n"
    "                                 command goes on from there if it was stopped\n"
    "      --parallel=N             this many threads\n"
    "      --batch-size=N           merge at most N runs at once\n"
    "      --engine=NAME            what finds and sorts words or tuples: auto, cpu,\n"
    "                                 gpu; or what sorts those of bsbi, one that\n"
    "                                 `gpusort bench' names\n"
    "      --gpu=LIST               use these GPUs, by number, as in 0,1\n"
    "      --gpu-mem=SIZE           use at most so much memory of each\n"
    "      --no-uring               read and write without io_uring\n"
    "      --progress[=WHEN]        how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]           figures of the run, as JSON\n"
    "      --trace=FILE             a timeline in the Chrome trace format\n"
    "  -v, --verbose                say what was chosen and why\n"
    "  -h, --help                   show this help and stop\n"
    "      --version                show the version and stop\n"
    "\n"
    "The index is the same bytes with any of these.\n"
    "Exit codes: 0 good, 2 trouble.\n";

static const char append_usage[] =
    "Usage: gpusort index append DIR [OPTION]... [FILE]...\n"
    "Add the documents in the FILEs, and in those of folders, to the index in DIR, "
    "behind\n"
    "those that are there, without writing it anew. Without a FILE, or where it is -, "
    "read\n"
    "standard input. Words become terms as they did when the index was built.\n"
    "\n"
    "What is read:\n"
    "      --format=NAME            as of `gpusort index build', but no tuples\n"
    "      --id-field=NAME          jsonl, json, csv, tsv: the field or column with the "
    "name\n"
    "      --text-field=NAME        the same with text, may be given several times\n"
    "      --files0-from=F          read what the zero-terminated names in file F are "
    "of\n"
    "      --skip-bad               leave malformed documents out and tell how many\n"
    "      --no-decompress          take zstd and gzip inputs as they are\n"
    "\n"
    "What the index knows already; another value than its own is an error:\n"
    "      --tokenizer=NAME, --fold, --no-fold, --stopwords=FILE, --min-len=N,\n"
    "      --max-len=N, --stem=LANG, --positions, --store\n"
    "\n"
    "What comes out:\n"
    "      --reorder                the new documents that share terms side by side\n"
    "      --update                 documents that have the name of a new one go\n"
    "      --no-merge               only add: leave merging segments to later\n"
    "\n"
    "With what:\n"
    "      --method=NAME            spimi (growing lists), bsbi (sorted tuples), or "
    "auto\n"
    "  -S, --buffer-size=SIZE       memory of the whole process, in K or with a unit:\n"
    "                                 b % M G T P E\n"
    "  -T, --temporary-directory=DIR  where to spill, may be given several times;\n"
    "                                 otherwise $TMPDIR or /tmp\n"
    "      --parallel=N             this many threads\n"
    "      --batch-size=N           merge at most N runs at once\n"
    "      --engine=NAME            what makes and sorts words: auto, cpu, gpu; or what\n"
    "                                 sorts tuples, one that `gpusort bench' names\n"
    "      --gpu=LIST               use these GPUs, by number, as in 0,1\n"
    "      --gpu-mem=SIZE           use at most so much memory of each\n"
    "      --no-uring               read and write without io_uring\n"
    "      --progress[=WHEN]        how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]           figures of the run, as JSON, at the end\n"
    "      --trace=FILE             a timeline in the Chrome trace format\n"
    "  -v, --verbose                say what was chosen and why\n"
    "  -h, --help                   show this help and stop\n"
    "      --version                show the version and stop\n"
    "\n"
    "Exit codes: 0 good, 2 trouble; then the index is what it was.\n";

/* The name that was meant, of those that there are. */
static const char *take_name(gs_opt_scan *scan, const char *(*name)(size_t i))
{
    enum { NAMES_MAX = 32 };
    gs_word words[NAMES_MAX];
    size_t count = 0;
    for (; name(count) != NULL; count++) {
        gs_assert(count < NAMES_MAX);
        words[count] = (gs_word){name(count), (int)count};
    }
    return name((size_t)gs_word_arg(scan, words, count));
}

static void take_format(void *to, gs_opt_scan *scan)
{
    *(const char **)to = take_name(scan, gpusort_format_name);
}

static void take_tokenizer(void *to, gs_opt_scan *scan)
{
    *(const char **)to = take_name(scan, gpusort_tokenizer_name);
}

static bool is_format(const gpusort_build_options *o, const char *name)
{
    return o->format != NULL && strcmp(o->format, name) == 0;
}

static bool has_tuples(const gpusort_build_options *o)
{
    return is_format(o, "tuples") || is_format(o, "tuples-bin");
}

static void take_text_field(void *to, gs_opt_scan *scan)
{
    if (*(const size_t *)scan->current->more == GPUSORT_TEXT_FIELDS_MAX)
        gs_die(0, "more than %d fields with text", GPUSORT_TEXT_FIELDS_MAX);
    gs_opt_list(to, scan);
}

static void take_scale(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    const double scale = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !isfinite(scale))
        gs_number_die(scan, GS_NUMBER_INVALID);
    if (!(scale >= 1e-9 && scale <= 1e9))
        gs_die(0, "invalid --weight-scale argument '%s': it is from 1e-9 to 1e9",
               scan->argument);
    *(double *)to = scale;
}

static void take_fold(void *to, gs_opt_scan *scan)
{
    gpusort_build_options *const o = to;
    o->folds_case = strcmp(scan->current->name, "fold") == 0;
    o->keeps_case = !o->folds_case;
}

static void take_doc_base(void *to, gs_opt_scan *scan)
{
    const uint64_t base = gs_own_number("--doc-base", scan->argument, 0);
    if (base >> 40 != 0)
        gs_die(0, "--doc-base=%s: docIDs are below 2^40", scan->argument);
    *(uint64_t *)to = base;
}

/* The names of documents are kept anyway. */
static void take_nothing(void *to, gs_opt_scan *scan)
{
    (void)to;
    (void)scan;
}

static void add_word(const char ***array, size_t *count, const char *word)
{
    *array = gs_args_grow(*array, *count, sizeof **array);
    (*array)[(*count)++] = word;
}

/* The files of folders instead of those, and what was left out of them. */
static void walk_folders(gs_index_build_args *args)
{
    gpusort_build_options *const o = &args->options;
    gs_folder_walk *const walk = &args->walk;
    gs_folder_walk_inputs(walk, &args->inputs, &o->input_count, o->folder,
                          &args->inputs_found);
    o->inputs_found = args->inputs_found;
    const size_t left_out = walk->hidden + walk->links + walk->odd;
    if (left_out > 0 || (args->job.verbose && walk->folders > 0))
        gs_report(0,
                  "%zu files found in %zu folders; left out: %zu hidden, %zu symbolic "
                  "links, %zu that are no files",
                  walk->count, walk->folders, walk->hidden, walk->links, walk->odd);
}

static void take_inputs(gs_index_build_args *args)
{
    gpusort_build_options *const o = &args->options;
    if (args->files_from != NULL)
        gs_input_names_read(args->files_from, &args->inputs, &o->input_count,
                            &args->input_text);
    if (o->input_count == 0)
        add_word(&args->inputs, &o->input_count, "-");
    walk_folders(args);
}

/* Terms that come as such are taken as they are. */
static void refuse_word_rules(const gpusort_build_options *o)
{
    const bool is_tuples = has_tuples(o);
    const bool is_usual =
        o->tokenizer == NULL || strcmp(o->tokenizer, gpusort_tokenizer_name(0)) == 0;
    const char *const wrong = o->has_positions                    ? "--positions"
                              : is_tuples && o->has_texts         ? "--store"
                              : is_tuples && o->reorders          ? "--reorder"
                              : o->stem_language                  ? "--stem"
                              : o->stop_words                     ? "--stopwords"
                              : o->min_len                        ? "--min-len"
                              : o->max_len                        ? "--max-len"
                              : !is_usual                         ? "--tokenizer"
                              : is_tuples && o->weight_scale != 0 ? "--weight-scale"
                                                                  : NULL;
    if ((!is_tuples && !is_format(o, "vectors")) || wrong == NULL)
        return;
    char other[32];
    (void)snprintf(other, sizeof other, "--format=%s", o->format);
    gs_die_incompatible(wrong, other,
                        is_tuples ? "terms of tuples are taken as they are"
                                  : "terms of vectors are taken as they are");
}

/* Stop words would be all there is in it. */
static void refuse_stdin_twice(const gs_index_build_args *args)
{
    const gpusort_build_options *const o = &args->options;
    const bool has_names = args->files_from != NULL && strcmp(args->files_from, "-") == 0;
    const bool has_documents = (args->files_from == NULL && o->input_count == 0) ||
                               gs_args_have_stdin(args->inputs, o->input_count);
    if (o->stop_words == NULL || strcmp(o->stop_words, "-") != 0)
        return;
    if (has_names || has_documents)
        gs_die(0, "standard input cannot be both stop words and %s",
               has_names ? "names of files" : "documents");
}

/* What was left out, and what does not go together. */
static void resolve(gs_index_build_args *args)
{
    gpusort_build_options *const o = &args->options;
    refuse_stdin_twice(args);
    take_inputs(args);
    const bool is_tuples = has_tuples(o);
    refuse_word_rules(o);
    if (o->weight_scale != 0 && o->format != NULL && !is_format(o, "vectors"))
        gs_die_incompatible("--weight-scale", "--format", "only vectors have weights");
    if (is_tuples && o->unique_names)
        gs_die_incompatible("--unique-ids", "--format=tuples",
                            "documents of tuples have numbers, not names");
    if (is_tuples && o->doc_base > 0)
        gs_die_incompatible("--doc-base", "--format=tuples",
                            "tuples have docIDs of their own");
    if (o->has_texts && o->checkpoint != NULL)
        gs_die_incompatible("--store", "--checkpoint", "stored texts are not kept there");
    if (o->reorders && o->checkpoint != NULL)
        gs_die_incompatible("--reorder", "--checkpoint",
                            "a reordering is not kept: reorder the index afterwards");
    if (o->max_len != 0 && o->min_len > o->max_len)
        gs_die(0, "--min-len is greater than --max-len");
    o->inputs = args->inputs;
    o->text_fields = args->text_fields;
    o->job.temp_folders = args->temp_folders;
    o->job.gpus = args->gpus;
    o->job.gpu_count = (unsigned)args->gpu_count;
}

/* What only makes sense of a new index. */
static bool is_of_new(const gs_opt *option)
{
    static const char *const names[] = {"output",      "replace",    "unique-ids",
                                        "docnames",    "checkpoint", "doc-base",
                                        "weight-scale"};
    for (size_t i = 0; option->name != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(option->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* With those of the options that are left for `append`, and its own. */
static void scan_for_append(gs_index_build_args *args, const gs_opt *options,
                            size_t count, int argc, char **argv)
{
    enum { OPTIONS_MAX = 64, OWN = 2 };
    gs_opt left[OPTIONS_MAX];
    size_t kept = OWN;
    left[0] = (gs_opt){0, "update", GS_OPT_FLAG(&args->updates)};
    left[1] = (gs_opt){0, "no-merge", GS_OPT_FLAG(&args->no_merge)};
    gs_assert(count + OWN <= OPTIONS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!is_of_new(&options[i]))
            left[kept++] = options[i];
    }
    gs_opt_parse(argc, argv, append_usage, left, kept);
}

static void parse(gs_index_build_args *args, bool is_append, int argc, char **argv)
{
    gpusort_build_options *const o = &args->options;
    gpusort_job *const job = &o->job;
    const gs_opt options[] = {
        {'o', "output", GS_OPT_TEXT(&o->folder)},
        {0, "format", GS_OPT_CALL(take_format, &o->format)},
        {0, "method", GS_OPT_WORD(&o->method, method_words)},
        {0, "id-field", GS_OPT_TEXT(&o->id_field)},
        {0, "text-field", GS_OPT_REQUIRED, take_text_field, &args->text_fields,
         &o->text_field_count},
        {0, "weight-scale", GS_OPT_CALL(take_scale, &o->weight_scale)},
        {0, "positions", GS_OPT_SWITCH(&o->has_positions)},
        {0, "store", GS_OPT_SWITCH(&o->has_texts)},
        {0, "reorder", GS_OPT_SWITCH(&o->reorders)},
        {0, "tokenizer", GS_OPT_CALL(take_tokenizer, &o->tokenizer)},
        {0, "fold", GS_OPT_CALL_BARE(take_fold, o)},
        {0, "no-fold", GS_OPT_CALL_BARE(take_fold, o)},
        {0, "stem", GS_OPT_TEXT(&o->stem_language)},
        {0, "stopwords", GS_OPT_TEXT(&o->stop_words)},
        {0, "min-len", GS_OPT_COUNT(&o->min_len)},
        {0, "max-len", GS_OPT_COUNT(&o->max_len)},
        {0, "files0-from", GS_OPT_TEXT(&args->files_from)},
        {0, "docnames", GS_OPT_CALL_BARE(take_nothing, NULL)},
        {0, "skip-bad", GS_OPT_SWITCH(&o->skips_bad)},
        {0, "unique-ids", GS_OPT_SWITCH(&o->unique_names)},
        {0, "doc-base", GS_OPT_CALL(take_doc_base, &o->doc_base)},
        {0, "replace", GS_OPT_SWITCH(&o->replaces)},
        {'S', "buffer-size", GS_OPT_MEMORY(&job->memory_bytes)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&args->temp_folders, &job->temp_folder_count)},
        {0, "batch-size", GS_OPT_BATCH(&o->batch_size)},
        {0, "parallel", GS_OPT_THREADS(&job->threads)},
        GS_WATCH_OPTIONS(&args->job.watch),
        {0, "engine", GS_OPT_ENGINE(&job->engine)},
        {0, "gpu-mem", GS_OPT_GPU_MEMORY(&job->gpu_memory_bytes)},
        {0, "gpu", GS_OPT_GPUS(&args->gpus, &args->gpu_count)},
        {'v', "verbose", GS_OPT_FLAG(&args->job.verbose)},
        {0, "no-uring", GS_OPT_NO_URING(job)},
        {0, "no-decompress", GS_OPT_SWITCH(&o->keeps_packed)},
        {0, "checkpoint", GS_OPT_TEXT(&o->checkpoint)},
        {0, NULL, GS_OPT_OPERANDS(&args->inputs, &o->input_count)},
    };
    *args = (gs_index_build_args){
        .options = GPUSORT_BUILD_OPTIONS,
        .job.watch.progress = GS_PROGRESS_AUTO,
    };
    if (is_append)
        scan_for_append(args, options, sizeof options / sizeof *options, argc, argv);
    else
        gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
}

void gs_index_build_args_parse(gs_index_build_args *args, int argc, char **argv)
{
    parse(args, false, argc, argv);
    gs_job_check_folder(args->options.folder);
    resolve(args);
}

/* Asked for or not is what counts there of rules. */
void gs_index_append_args_parse(gs_index_build_args *args, int argc, char **argv)
{
    gpusort_build_options *const o = &args->options;
    parse(args, true, argc, argv);
    if (o->input_count == 0)
        gs_die_usage("which index?");
    o->folder = args->inputs[0];
    memmove(args->inputs, args->inputs + 1, --o->input_count * sizeof *args->inputs);
    if (has_tuples(o)) {
        gs_report(0, "tuples cannot be appended: they have docIDs of their own");
        gs_die(0, "build another index of them, and merge both");
    }
    resolve(args);
}

void gs_index_build_args_release(gs_index_build_args *args)
{
    gs_mem_free(args->inputs);
    gs_mem_free(args->inputs_found);
    gs_mem_free(args->input_text);
    gs_folder_walk_release(&args->walk);
    gs_mem_free(args->text_fields);
    gs_mem_free(args->temp_folders);
    gs_mem_free(args->gpus);
}
