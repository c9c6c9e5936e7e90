/* SPDX-License-Identifier: MIT */
#include "cmd/index_build_args.h"

#include <stdio.h>
#include <string.h>

#include "cmd/engine_arg.h"
#include "cmd/gpu_arg.h"
#include "cmd/opt_scan.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/sort_args.h"
#include "cmd/word_arg.h"
#include "lib/base/quote.h"
#include "lib/base/mem.h"

enum {
    OPT_FORMAT = 256,
    OPT_METHOD,
    OPT_ID_FIELD,
    OPT_TEXT_FIELD,
    OPT_POSITIONS,
    OPT_FOLD,
    OPT_NO_FOLD,
    OPT_STEM,
    OPT_STOPWORDS,
    OPT_MIN_LEN,
    OPT_MAX_LEN,
    OPT_DOCNAMES,
    OPT_SKIP_BAD,
    OPT_REPLACE,
    OPT_BATCH_SIZE,
    OPT_PARALLEL,
    OPT_ENGINE,
    OPT_GPU_MEM,
    OPT_GPU,
    OPT_NO_URING,
    OPT_NO_DECOMPRESS,
    OPT_CHECKPOINT,
};

static const char letters[] = "o:S:T:v";

static const gs_opt options[] = {
    {"output", GS_OPT_REQUIRED, 'o', false},
    {"format", GS_OPT_REQUIRED, OPT_FORMAT, false},
    {"method", GS_OPT_REQUIRED, OPT_METHOD, false},
    {"id-field", GS_OPT_REQUIRED, OPT_ID_FIELD, false},
    {"text-field", GS_OPT_REQUIRED, OPT_TEXT_FIELD, false},
    {"positions", GS_OPT_NONE, OPT_POSITIONS, false},
    {"fold", GS_OPT_NONE, OPT_FOLD, false},
    {"no-fold", GS_OPT_NONE, OPT_NO_FOLD, false},
    {"stem", GS_OPT_REQUIRED, OPT_STEM, false},
    {"stopwords", GS_OPT_REQUIRED, OPT_STOPWORDS, false},
    {"min-len", GS_OPT_REQUIRED, OPT_MIN_LEN, false},
    {"max-len", GS_OPT_REQUIRED, OPT_MAX_LEN, false},
    {"docnames", GS_OPT_NONE, OPT_DOCNAMES, false},
    {"skip-bad", GS_OPT_NONE, OPT_SKIP_BAD, false},
    {"replace", GS_OPT_NONE, OPT_REPLACE, false},
    {"buffer-size", GS_OPT_REQUIRED, 'S', false},
    {"temporary-directory", GS_OPT_REQUIRED, 'T', false},
    {"batch-size", GS_OPT_REQUIRED, OPT_BATCH_SIZE, false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
    {"progress", GS_OPT_OPTIONAL, GS_JOB_PROGRESS, false},
    {"stats", GS_OPT_OPTIONAL, GS_JOB_STATS, false},
    {"trace", GS_OPT_REQUIRED, GS_JOB_TRACE, false},
    {"engine", GS_OPT_REQUIRED, OPT_ENGINE, false},
    {"gpu-mem", GS_OPT_REQUIRED, OPT_GPU_MEM, false},
    {"gpu", GS_OPT_REQUIRED, OPT_GPU, false},
    {"verbose", GS_OPT_NONE, 'v', false},
    {"no-uring", GS_OPT_NONE, OPT_NO_URING, false},
    {"no-decompress", GS_OPT_NONE, OPT_NO_DECOMPRESS, false},
    {"checkpoint", GS_OPT_REQUIRED, OPT_CHECKPOINT, false},
};

static const gs_word method_words[] = {
    {"auto", GS_INDEX_AUTO},
    {"bsbi", GS_INDEX_BSBI},
    {"spimi", GS_INDEX_SPIMI},
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char usage_text[] =
    "Usage: gpusort index build -o DIR [OPTION]... [FILE]...\n"
    "Build an inverted index of the documents in the FILEs. Without a FILE, or where it\n"
    "is -, read standard input. Inputs that are zstd or gzip files are unpacked.\n"
    "\n"
    "What is read:\n"
    "      --format=NAME            jsonl (an object a line), tsv (name TAB text), trec\n"
    "                                 (<DOC><DOCNO>...), text (a file a document), "
    "tuples\n"
    "                                 (term TAB docID [TAB tf]), tuples-bin (pairs of "
    "u32,\n"
    "                                 termID and docID); otherwise told from the names\n"
    "                                 of the files, else jsonl\n"
    "      --id-field=NAME          jsonl: the field with the document's name (id, or "
    "_id\n"
    "                                 where that is missing)\n"
    "      --text-field=NAME        jsonl: a field with text (contents), may be given\n"
    "                                 several times\n"
    "      --skip-bad               leave malformed documents out and tell how many\n"
    "      --no-decompress          take zstd and gzip inputs as they are\n"
    "\n"
    "How text becomes terms:\n"
    "      --no-fold                keep case and form; otherwise text is put into NFKC\n"
    "                                 and its case folded (--fold)\n"
    "      --stopwords=FILE         leave out the words of FILE, one a line\n"
    "      --min-len=N              leave out shorter words, counted in characters\n"
    "      --max-len=N              leave out longer words\n"
    "      --stem=LANG              stem words, as in --stem=english\n"
    "      --positions              keep where in a document a term comes\n"
    "\n"
    "What comes out:\n"
    "  -o, --output=DIR             the index, a new folder\n"
    "      --replace                an index of that name may be there, and is replaced\n"
    "      --docnames               keep the names of documents (the default)\n"
    "\n"
    "With what:\n"
    "      --method=NAME            spimi (growing lists), bsbi (sorted tuples), or "
    "auto\n"
    "  -S, --buffer-size=SIZE       memory of the whole process, in K (1024 bytes) or\n"
    "                                 with a unit: b % M G T P E\n"
    "  -T, --temporary-directory=DIR  where to spill, may be given several times;\n"
    "                                 otherwise $TMPDIR or /tmp\n"
    "      --checkpoint=DIR         keep what is done in DIR until all is; the same\n"
    "                                 command goes on from there if it was stopped\n"
    "      --parallel=N             this many threads\n"
    "      --batch-size=N           merge at most N runs at once\n"
    "      --engine=NAME            what sorts tuples: auto, cpu, gpu, or one that\n"
    "                                 `gpusort bench' names\n"
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
    "The index is the same bytes for any method, memory, number of threads and engine.\n"
    "Exit codes: 0 good, 2 trouble.\n";

static void parse_format(gs_index_build_args *args, const gs_opt_scan *scan)
{
    gs_word words[GS_FORMAT_COUNT];
    for (int i = 0; i < GS_FORMAT_COUNT; i++)
        words[i] = (gs_word){gs_document_format_name((gs_document_format)i), i};
    args->options.document.format =
        (gs_document_format)gs_word_arg(scan, words, LENGTH(words));
    args->has_format = true;
}

static void add_text_field(gs_index_build_args *args, const char *name)
{
    gs_document_options *const d = &args->options.document;
    if (d->text_field_count == GS_TEXT_FIELDS_MAX)
        gs_die(0, "more than %d fields with text", GS_TEXT_FIELDS_MAX);
    gs_job_add_word(&args->text_fields, &d->text_field_count, name);
}

static bool parse_text_option(gs_index_build_args *args, const gs_opt_scan *scan,
                              int code)
{
    gs_index_build_options *const o = &args->options;
    const char *const text = scan->argument;
    switch (code) {
    case 'o': o->folder = text; break;
    case OPT_FORMAT: parse_format(args, scan); break;
    case OPT_METHOD:
        o->method =
            (gs_index_method)gs_word_arg(scan, method_words, LENGTH(method_words));
        break;
    case OPT_ID_FIELD: o->document.id_field = text; break;
    case OPT_TEXT_FIELD: add_text_field(args, text); break;
    case OPT_POSITIONS: o->has_positions = true; break;
    case OPT_FOLD: o->words.is_folding = true; break;
    case OPT_NO_FOLD: o->words.is_folding = false; break;
    case OPT_STEM: o->words.stem_language = text; break;
    case OPT_STOPWORDS: o->words.stop_file = text; break;
    case OPT_MIN_LEN: o->words.chars_min = gs_size_arg_count(scan, 1); break;
    case OPT_MAX_LEN: o->words.chars_max = gs_size_arg_count(scan, 1); break;
    case OPT_DOCNAMES: break;
    case OPT_SKIP_BAD: o->skip_bad = true; break;
    case OPT_REPLACE: o->replace = true; break;
    default: return false;
    }
    return true;
}

static bool parse_working_option(gs_index_build_args *args, const gs_opt_scan *scan,
                                 int code)
{
    gs_index_build_options *const o = &args->options;
    const char *const text = scan->argument;
    switch (code) {
    case 'S': o->memory_bytes = gs_job_memory(scan, code); break;
    case 'T': gs_job_add_word(&args->temp_folders, &o->temp_folder_count, text); break;
    case OPT_BATCH_SIZE: o->batch_size = gs_size_arg_batch(scan); break;
    case OPT_PARALLEL: o->threads = gs_size_arg_threads(scan); break;
    case OPT_ENGINE:
        gs_engine_arg_check(text);
        o->engine = text;
        break;
    case OPT_GPU_MEM:
        if (strchr(text, '%')) /* of the machine's memory: not what is meant */
            gs_number_die(scan, 0, GS_NUMBER_BAD_SUFFIX);
        o->gpu_memory_bytes = gs_job_memory(scan, 0);
        break;
    case OPT_GPU: gs_gpu_arg(text, &args->gpus, &args->options.gpu_count); break;
    case OPT_NO_URING: o->no_uring = true; break;
    case OPT_NO_DECOMPRESS: o->keep_compressed = true; break;
    case OPT_CHECKPOINT: o->checkpoint = text; break;
    default: return gs_index_job_option(&args->job, scan, code);
    }
    return true;
}

/* The format that the names of files suggest, of which they must not suggest two. */
static void guess_format(gs_index_build_args *args)
{
    gs_document_options *const d = &args->options.document;
    const char *first = NULL;
    for (size_t i = 0; i < args->options.input_count; i++) {
        const char *const name = args->inputs[i];
        gs_document_format format;
        gs_quoted q, other;
        if (!gs_document_format_guess(name, &format) ||
            (first != NULL && format == d->format))
            continue;
        if (first != NULL) {
            gs_report(0, "inputs of two formats: %s is %s, %s is %s",
                      gs_quote_name(&q, first), gs_document_format_name(d->format),
                      gs_quote_name(&other, name), gs_document_format_name(format));
            gs_die(0, "build an index of each, and one of both with `gpusort index "
                      "merge', or say --format=NAME for all");
        }
        first = name;
        d->format = format;
        d->is_guess = true;
    }
}

/* What was left out, and what does not go together. */
static void resolve(gs_index_build_args *args)
{
    gs_index_build_options *const o = &args->options;
    gs_job_check_folder(o->folder);
    if (o->input_count == 0)
        gs_job_add_word(&args->inputs, &o->input_count, "-");
    if (o->document.text_field_count == 0)
        add_text_field(args, "contents");
    if (!args->has_format)
        guess_format(args);
    const char *const format = gs_document_format_name(o->document.format);
    const bool is_tuples = gs_document_format_is_tuples(o->document.format);
    const gs_word_rules_options *const w = &o->words;
    const char *const wrong = !is_tuples         ? NULL
                              : o->has_positions ? "--positions"
                              : w->stem_language ? "--stem"
                              : w->stop_file     ? "--stopwords"
                              : w->chars_min     ? "--min-len"
                              : w->chars_max     ? "--max-len"
                                                 : NULL;
    if (wrong != NULL) {
        char other[32];
        (void)snprintf(other, sizeof other, "--format=%s", format);
        gs_die_incompatible(wrong, other, "terms of tuples are taken as they are");
    }
    if (w->chars_max != 0 && w->chars_min > w->chars_max)
        gs_die(0, "--min-len is greater than --max-len");
    o->inputs = args->inputs;
    o->document.text_fields = args->text_fields;
    o->temp_folders = args->temp_folders;
    o->gpus = args->gpus;
}

void gs_index_build_args_parse(gs_index_build_args *args, int argc, char **argv)
{
    *args = (gs_index_build_args){
        .options = {.document =
                        {
                            .format = GS_FORMAT_JSONL,
                        },
                    .words = {.is_folding = true}},
        .job = {.progress = GS_PROGRESS_AUTO},
    };
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = LENGTH(options),
                        .letters = letters,
                        .usage = usage_text,
                        .index = 1};
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;) {
        if (code == GS_OPT_OPERAND)
            gs_job_add_word(&args->inputs, &args->options.input_count, scan.argument);
        else if (!parse_text_option(args, &scan, code) &&
                 !parse_working_option(args, &scan, code))
            gs_die_try_help(GS_EXIT_TROUBLE);
    }
    resolve(args);
}

void gs_index_build_args_release(gs_index_build_args *args)
{
    gs_mem_free(args->inputs);
    gs_mem_free(args->text_fields);
    gs_mem_free(args->temp_folders);
    gs_mem_free(args->gpus);
}
