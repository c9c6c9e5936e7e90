/* SPDX-License-Identifier: MIT */
#include "lib/index/build/device_try.h"

#include <string.h>
#include <sys/stat.h>

bool gs_device_is_asked_for(const gs_index_build_options *build)
{
    const char *const engine = build->sorter.engine;
    return build->method == GS_INDEX_AUTO && engine != NULL && strcmp(engine, "gpu") == 0;
}

static bool can_read_again(const gs_index_build_options *build)
{
    for (size_t i = 0; i < build->input_count; i++) {
        struct stat info;
        if (strcmp(build->inputs[i], "-") == 0 ||
            (stat(build->inputs[i], &info) == 0 && !S_ISREG(info.st_mode)))
            return false;
    }
    return true;
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
    if (!can_read_again(build))
        return "an input is no regular file, and could not be read again if it failed";
    return NULL;
}

/* --- tries -------------------------------------------------------------------------- */

static void say(void *context, gs_log_level level, const char *text)
{
    gs_try_log *const t = context;
    const bool is_counted = level <= GS_LOG_WARNING;
    if (is_counted && atomic_fetch_add(&t->said, 1) < t->said_before)
        return;
    t->to->fn(t->to->context, level, text);
}

void gs_try_log_init(gs_try_log *t, const gs_log *to)
{
    *t = (gs_try_log){.to = to, .log = {.fn = say, .context = t}};
}

void gs_try_log_keep(gs_try_log *t)
{
    t->said_kept = atomic_load(&t->said);
}

void gs_try_log_again(gs_try_log *t)
{
    const uint64_t said = atomic_load(&t->said) - t->said_kept;
    if (said > t->said_before)
        t->said_before = said;
    atomic_store(&t->said, 0);
    t->said_kept = 0;
}

void gs_try_reset_stats(gs_index_stats *stats)
{
    gs_sort_stats *const s = &stats->sort;
    _Atomic uint64_t *const counters[] = {
        &s->input_bytes,    &s->records,    &s->text_bytes, &s->output_bytes,
        &s->output_records, &s->runs,       &s->passes,     &s->spill_bytes,
        &s->merge_bytes,    &stats->tokens, &stats->terms,  &stats->skipped,
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        atomic_store(counters[i], 0);
}
