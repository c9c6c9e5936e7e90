/* SPDX-License-Identifier: MIT */
#include "lib/index/build/device_try.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/engine/engine.h"
#include "lib/base/share.h"

static bool is_stdin(const char *name)
{
    return strcmp(name, "-") == 0;
}

bool gs_device_is_asked_for(const gs_index_build_options *build)
{
    const char *const engine = build->sorter.engine;
    return build->method == GS_INDEX_AUTO && engine != NULL && strcmp(engine, "gpu") == 0;
}

/*
 * The start and end of a GPU are 0.5 s that the cores do not have, and for each GiB it
 * saves 0.6 s of 32 cores with documents and 1.6 with tuples (gpu/NOTES.md). Both ways
 * are bound by the cores, so that where they meet goes with their number: 28 MiB a core
 * of documents, 12 of tuples; with 16 cores too. The bounds are above it, since near it a
 * GPU gains little, and its start may take longer on another machine.
 */
uint64_t gs_device_bytes_min(bool is_tuples, unsigned cores)
{
    enum { DOCUMENT_MIB = 32, TUPLE_MIB = 16 };
    return gs_share_device_bytes_min(is_tuples ? TUPLE_MIB : DOCUMENT_MIB, cores);
}

bool gs_device_is_worth(const gs_index_build_options *build)
{
    const char *const engine = build->sorter.engine;
    uint64_t bytes = 0;
    if (build->method != GS_INDEX_AUTO || !gs_engine_is_auto(engine))
        return false;
    for (size_t i = 0; i < build->input_count; i++) {
        struct stat info;
        const int error = is_stdin(build->inputs[i]) ? fstat(STDIN_FILENO, &info)
                                                     : stat(build->inputs[i], &info);
        if (error != 0 || !S_ISREG(info.st_mode))
            return false;
        bytes += (uint64_t)info.st_size;
    }
    return bytes >=
           gs_device_bytes_min(gs_document_format_is_tuples(build->document.format),
                               gs_share_workers(build->threads));
}

const char *gs_device_refusal(const gs_index_build_options *build,
                              const gs_word_rules *rules)
{
    if (build->document.format == GS_FORMAT_VECTORS)
        return "vectors have no words to be found";
    const gs_word_kind kind =
        rules != NULL ? gs_word_rules_kind(rules) : GS_WORDS_LETTERS;
    if (kind != GS_WORDS_BIGRAMS && kind != GS_WORDS_LETTERS)
        return "text that is cut at white space or not at all is for the CPU";
    return NULL;
}

/* --- tries -------------------------------------------------------------------------- */

static void say(void *context, gs_log_level level, const char *text)
{
    gs_device_tries *const t = context;
    const bool is_counted = level <= GS_LOG_WARNING;
    if (is_counted && atomic_fetch_add(&t->said, 1) < t->said_before)
        return;
    gs_log_say(t->to, level, "%s", text);
}

/* Of a regular file; -1 of any other, and if it is no input. */
static int64_t place_of_stdin(const gs_index_build_options *build)
{
    struct stat info;
    bool is_read = false;
    for (size_t i = 0; i < build->input_count; i++)
        is_read |= is_stdin(build->inputs[i]);
    return is_read && fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)
               ? lseek(STDIN_FILENO, 0, SEEK_CUR)
               : -1;
}

void gs_device_tries_init(gs_device_tries *t, const gs_index_build_options *build)
{
    *t = (gs_device_tries){.to = build->log,
                           .log = {.fn = say, .context = t},
                           .stdin_at = place_of_stdin(build)};
}

void gs_device_tries_release(gs_device_tries *t)
{
    gs_input_copy_free(t->copy);
}

gs_code gs_device_tries_keep_pipes(gs_device_tries *t,
                                   const gs_index_build_options *build, gs_status *st)
{
    bool has_pipes = false;
    for (size_t i = 0; i < build->input_count; i++) {
        struct stat info;
        has_pipes |= is_stdin(build->inputs[i])
                         ? t->stdin_at < 0
                         : stat(build->inputs[i], &info) == 0 && !S_ISREG(info.st_mode);
    }
    return has_pipes ? gs_input_copy_new(&t->copy, build->temp_folders,
                                         build->temp_folder_count, st)
                     : GS_OK;
}

void gs_device_tries_keep(gs_device_tries *t)
{
    t->said_kept = atomic_load(&t->said);
}

/* A sort does not take back what it has merged and written; here all is made anew. */
static void reset_stats(gs_index_stats *stats)
{
    gs_sort_stats *const s = &stats->sort;
    _Atomic uint64_t *const others[] = {
        &s->output_bytes, &s->output_records, &s->merge_bytes,
        &stats->tokens,   &stats->terms,      &stats->skipped,
    };
    gs_sort_stats_reset(s);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        atomic_store(others[i], 0);
}

bool gs_device_tries_again(gs_device_tries *t, const gs_index_build_options *build,
                           bool is_told, gs_status *st)
{
    if (t->copy != NULL && !gs_input_copy_is_whole(t->copy)) {
        GS_NOTED(gs_status_hint(st,
                                "what came through a pipe could not be kept in a "
                                "temporary file, so that the CPU cannot begin again"));
        return false;
    }
    if (t->copy != NULL)
        gs_input_copy_stop(t->copy);
    if (t->stdin_at >= 0)
        (void)lseek(STDIN_FILENO, t->stdin_at, SEEK_SET);
    gs_log_say(t->to, is_told ? GS_LOG_WARNING : GS_LOG_INFO,
               "%s; the CPU builds instead", st->msg);
    gs_status_clear(st);
    const uint64_t said = atomic_load(&t->said) - t->said_kept;
    if (said > t->said_before)
        t->said_before = said;
    atomic_store(&t->said, 0);
    t->said_kept = 0;
    reset_stats(build->stats);
    return true;
}
