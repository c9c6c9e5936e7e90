/* SPDX-License-Identifier: MIT */
#include "cmd/opt_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/nearest.h"
#include "cmd/report.h"
#include "lib/base/assertion.h"
#include "lib/base/quote.h"

enum { OPT_COMMON_HELP = 4096, OPT_COMMON_VERSION };

/* Of every command but `sort`, which has them among its own. */
static const gs_opt common[] = {
    {"help", GS_OPT_NONE, OPT_COMMON_HELP, false},
    {"version", GS_OPT_NONE, OPT_COMMON_VERSION, false},
};
enum { COMMON_COUNT = sizeof common / sizeof *common };

static size_t option_count(const gs_opt_scan *scan)
{
    return scan->option_count + (scan->usage != NULL ? COMMON_COUNT : 0);
}

static const gs_opt *option_at(const gs_opt_scan *scan, size_t i)
{
    return i < scan->option_count ? &scan->options[i] : &common[i - scan->option_count];
}

static const gs_opt *find_exact(const gs_opt_scan *scan, const char *name, size_t len)
{
    for (size_t i = 0; i < option_count(scan); i++) {
        const char *known = option_at(scan, i)->name;
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return option_at(scan, i);
    }
    return NULL;
}

/* The first option of the group that begins so; how many do in *count. */
static const gs_opt *find_prefix(const gs_opt_scan *scan, const char *name, size_t len,
                                 bool is_extra, size_t *count)
{
    const gs_opt *first = NULL;
    *count = 0;
    for (size_t i = 0; i < option_count(scan); i++) {
        const gs_opt *option = option_at(scan, i);
        if (option->is_extra != is_extra || strncmp(option->name, name, len) != 0)
            continue;
        if (!first)
            first = option;
        (*count)++;
    }
    return first;
}

static void report_ambiguous(const gs_opt_scan *scan, const char *element, size_t len,
                             bool is_extra)
{
    fprintf(stderr,
            "%s: option '%s' is ambiguous; possibilities:", program_invocation_name,
            element);
    for (size_t i = 0; i < option_count(scan); i++) {
        const gs_opt *option = option_at(scan, i);
        if (option->is_extra == is_extra && strncmp(option->name, element + 2, len) == 0)
            fprintf(stderr, " '--%s'", option->name);
    }
    putc('\n', stderr);
}

static void report_unknown(const gs_opt_scan *scan, const char *element, size_t len)
{
    gs_nearest search = {.word = element + 2, .bytes = len};
    gs_report_option("unrecognized option '%s'", element);
    for (size_t i = 0; scan->usage != NULL && i < option_count(scan); i++)
        gs_nearest_offer(&search, option_at(scan, i)->name);
    if (search.best != NULL)
        gs_report(0, "did you mean '--%s'?", search.best);
}

static int next_long(gs_opt_scan *scan, char *element)
{
    char *name = element + 2;
    char *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const gs_opt *option = find_exact(scan, name, len);
    for (int is_extra = 0; !option && is_extra <= 1; is_extra++) {
        size_t count = 0;
        option = find_prefix(scan, name, len, is_extra != 0, &count);
        if (count > 1) {
            report_ambiguous(scan, element, len, is_extra != 0);
            return GS_OPT_BAD;
        }
    }
    if (!option) {
        report_unknown(scan, element, len);
        return GS_OPT_BAD;
    }
    if (equals && option->takes == GS_OPT_NONE) {
        gs_report_option("option '--%s' doesn't allow an argument", option->name);
        return GS_OPT_BAD;
    }
    scan->current = option;
    if (equals) {
        scan->argument = equals + 1;
    } else if (option->takes == GS_OPT_REQUIRED) {
        if (scan->index >= scan->argc) {
            gs_report_option("option '--%s' requires an argument", option->name);
            return GS_OPT_BAD;
        }
        scan->argument = scan->argv[scan->index++];
    }
    return option->code;
}

static int next_short(gs_opt_scan *scan)
{
    const bool is_alone = scan->cluster[-1] == '-' && scan->cluster[1] == '\0';
    const char letter = *scan->cluster++;
    const char *known = letter == ':' ? NULL : strchr(scan->letters, letter);
    const bool is_last = *scan->cluster == '\0';
    if (known && known[1] == ':') {
        if (!is_last) {
            scan->argument = scan->cluster;
        } else if (scan->index < scan->argc) {
            scan->argument = scan->argv[scan->index++];
        } else {
            scan->cluster = NULL;
            gs_report_option("option requires an argument -- '%c'", letter);
            return GS_OPT_BAD;
        }
        scan->cluster = NULL;
        return letter;
    }
    if (is_last)
        scan->cluster = NULL;
    if (known)
        return letter;
    if (letter == 'h' && is_alone && scan->usage != NULL)
        return OPT_COMMON_HELP;
    gs_report_option("invalid option -- '%c'", letter);
    if (!is_alone && scan->usage != NULL)
        gs_report(0, "what begins with a dash and is no option comes behind --");
    return GS_OPT_BAD;
}

/* What comes next, with nothing answered yet. */
static int next_element(gs_opt_scan *scan)
{
    if (scan->cluster)
        return next_short(scan);
    if (scan->index >= scan->argc)
        return GS_OPT_END;
    char *element = scan->argv[scan->index++];
    if (scan->has_ended || element[0] != '-' || element[1] == '\0') {
        scan->argument = element;
        return GS_OPT_OPERAND;
    }
    if (element[1] != '-') {
        scan->cluster = element + 1;
        return next_short(scan);
    }
    if (element[2] != '\0')
        return next_long(scan, element);
    if (scan->usage == NULL)
        return GS_OPT_END;
    scan->has_ended = true;
    return next_element(scan);
}

int gs_opt_next(gs_opt_scan *scan)
{
    gs_assert(scan->index >= 1);
    scan->argument = NULL;
    scan->current = NULL;
    const int code = next_element(scan);
    if (scan->usage == NULL)
        return code;
    if (code == GS_OPT_BAD)
        gs_die_try_help(GS_EXIT_TROUBLE);
    if (code == OPT_COMMON_HELP)
        (void)fputs(scan->usage, stdout);
    else if (code == OPT_COMMON_VERSION)
        (void)fputs("gpusort " GS_VERSION "\n", stdout);
    else
        return code;
    exit(gs_stdout_close(GS_EXIT_GOOD));
}

void gs_opt_no_operand(const gs_opt_scan *scan)
{
    gs_quoted q;
    gs_die_usage("extra operand %s", gs_quote_argument(&q, scan->argument));
}

void gs_opt_only_operand(const gs_opt_scan *scan, const char **operand)
{
    if (*operand != NULL)
        gs_opt_no_operand(scan);
    *operand = scan->argument;
}
