/* SPDX-License-Identifier: MIT */
#include "cmd/own_options.h"

#include <stdio.h>
#include <string.h>

#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/sort_resolve.h"
#include "lib/base/quote.h"

static _Noreturn void die_without_argument(const char *name)
{
    gs_report(0,
              name[1] == '-' ? "option '%s' requires an argument"
                             : "option requires an argument -- '%s'",
              name + (name[1] == '-' ? 0 : 1));
    gs_die_try_help(GS_EXIT_TROUBLE);
}

/* Is argv[*at] this option? Then *at is the last argument that it takes. */
static bool take(const gs_own_option *o, int argc, char **argv, int *at)
{
    const size_t length = strlen(o->name);
    const char *const text = argv[*at];
    const bool is_long = o->name[1] == '-';
    if (strncmp(text, o->name, length) != 0)
        return false;
    const char *const rest = text + length;
    if (o->flag != NULL) {
        *o->flag |= *rest == '\0';
        return *rest == '\0';
    }
    if (*rest == '\0') {
        if (*at + 1 >= argc)
            die_without_argument(o->name);
        *o->value = argv[++*at];
        return true;
    }
    if (is_long && *rest != '=')
        return false;
    *o->value = rest + is_long;
    return true;
}

int gs_own_options_take(const gs_own_option *options, size_t count, int argc, char **argv)
{
    int kept = 1, at = 1;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
        bool is_own = false;
        for (size_t i = 0; i < count && !is_own; i++)
            is_own = take(&options[i], argc, argv, &at);
        if (!is_own)
            argv[kept++] = argv[at];
    }
    for (; at < argc; at++)
        argv[kept++] = argv[at];
    argv[kept] = NULL;
    return kept;
}

uint64_t gs_own_number(const char *name, const char *text, uint64_t least)
{
    gs_quoted q;
    uint64_t value = 0;
    const char *rest = NULL;
    if (gs_number_parse(text, "KMGTPE", &value, &rest) != 0 || *text < '0' || *text > '9')
        gs_die(0, "invalid %s argument %s", name, gs_quote_argument(&q, text));
    if (value < least)
        gs_die(0, "%s is at least %llu", name, (unsigned long long)least);
    return value;
}

bool gs_own_range(const gs_sort_args *args, const char *text, uint64_t *from,
                  uint64_t *to)
{
    if (text == NULL)
        return false;
    const char *const colon = strchr(text, ':');
    const char *rest = text;
    gs_quoted q;
    int wrong = colon == NULL;
    *from = 0;
    *to = UINT64_MAX;
    if (colon != NULL && colon > text)
        wrong |= gs_number_parse(text, "", from, &rest) & ~GS_NUMBER_BAD_SUFFIX;
    wrong |= rest != colon;
    if (colon != NULL && colon[1] != '\0')
        wrong |= gs_number_parse(colon + 1, "", to, &rest);
    if (wrong != 0)
        gs_die(0, "invalid --range argument %s: FROM:TO, in bytes",
               gs_quote_argument(&q, text));
    if (*from > *to)
        gs_die(0, "--range=%s ends before it begins", text);
    if (args->options.input_count != 1)
        gs_die(0, "--range is of one file");
    return true;
}

static void refuse_others(const gs_sort_args *args, const char *const *allowed)
{
    const gpusort_sort_options *const o = &args->options;
    const struct {
        const char *name;
        bool is_there;
    } others[] = {
        {"-c", args->check != 0},
        {"-m", args->merge},
        {"--debug", args->debug},
        {"-o", o->output != NULL},
        {"--count", o->counts != 0},
        {"--top", o->has_top != 0},
        {"--output-compress", o->output_zstd != 0},
        {"--checkpoint", o->checkpoint != NULL},
        {"--stats", args->watch.has_stats},
        {"--trace", args->watch.trace_path != NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *const *a = allowed;
        while (*a != NULL && strcmp(*a, others[i].name) != 0)
            a++;
        if (!others[i].is_there || *a != NULL)
            continue;
        gs_report(0, "option '%s' has no meaning here", others[i].name);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
}

bool gs_own_options_parse_rest(gs_sort_args *args, const char *usage,
                               const char *const *allowed, int argc, char **argv)
{
    gs_sort_args_parse(args, argc, argv);
    if (args->wish != GS_WISH_SORT) {
        (void)fputs(args->wish == GS_WISH_HELP ? usage : "gpusort " GS_VERSION "\n",
                    stdout);
        gs_sort_args_release(args);
        return false;
    }
    refuse_others(args, allowed);
    gs_sort_resolve(args);
    return true;
}
