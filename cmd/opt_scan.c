/* SPDX-License-Identifier: MIT */
#include "cmd/opt_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/close_name.h"
#include "cmd/report.h"
#include "lib/base/assertion.h"
#include "lib/base/quote.h"

static _Noreturn void print_usage(void *to, gs_opt_scan *scan)
{
    (void)to;
    (void)fputs(scan->usage, stdout);
    exit(gs_stdout_close(GS_EXIT_GOOD));
}

static _Noreturn void print_version(void *to, gs_opt_scan *scan)
{
    (void)to;
    (void)scan;
    (void)fputs("gpusort " GS_VERSION "\n", stdout);
    exit(gs_stdout_close(GS_EXIT_GOOD));
}

static void refuse_operand(void *to, gs_opt_scan *scan)
{
    (void)to;
    gs_opt_no_operand(scan);
}

/* Of every command but `sort`, which has them among its own. */
static const gs_opt common[] = {
    {0, "help", GS_OPT_NONE, print_usage, NULL, NULL},
    {0, "version", GS_OPT_NONE, print_version, NULL, NULL},
};
static const gs_opt no_operands = {0, NULL, GS_OPT_REQUIRED, refuse_operand, NULL, NULL};

static size_t option_count(const gs_opt_scan *scan)
{
    return scan->option_count + scan->extra_count;
}

static const gs_opt *option_at(const gs_opt_scan *scan, size_t i)
{
    return i < scan->option_count ? &scan->options[i]
                                  : &scan->extras[i - scan->option_count];
}

/* The name of an option that belongs to the group and begins so; NULL if it is none. */
static const char *name_in_group(const gs_opt_scan *scan, size_t i, bool is_extra,
                                 const char *beginning, size_t len)
{
    const char *const known = option_at(scan, i)->name;
    const bool is_own = scan->usage == NULL && i >= scan->option_count;
    return known && is_own == is_extra && strncmp(known, beginning, len) == 0 ? known
                                                                              : NULL;
}

static const gs_opt *find_exact(const gs_opt_scan *scan, const char *name, size_t len)
{
    for (size_t i = 0; i < option_count(scan); i++) {
        const char *known = option_at(scan, i)->name;
        if (known && strlen(known) == len && memcmp(known, name, len) == 0)
            return option_at(scan, i);
    }
    return NULL;
}

/* The row with that letter, or with neither letter nor name; NULL if there is none. */
static const gs_opt *find_letter(const gs_opt_scan *scan, char letter)
{
    for (size_t i = 0; i < option_count(scan); i++) {
        const gs_opt *const option = option_at(scan, i);
        if (option->letter == letter && (letter || !option->name))
            return option;
    }
    return NULL;
}

static _Noreturn void refuse_ambiguous(const gs_opt_scan *scan, const char *element,
                                       size_t len, bool is_extra)
{
    fprintf(stderr,
            "%s: option '%s' is ambiguous; possibilities:", program_invocation_name,
            element);
    for (size_t i = 0; i < option_count(scan); i++) {
        const char *const name = name_in_group(scan, i, is_extra, element + 2, len);
        if (name)
            fprintf(stderr, " '--%s'", name);
    }
    putc('\n', stderr);
    gs_die_try_help(GS_EXIT_TROUBLE);
}

/* The first option of the group that begins so; is it the only one? */
static const gs_opt *find_prefix(const gs_opt_scan *scan, const char *name, size_t len,
                                 bool is_extra, bool *is_only)
{
    const gs_opt *found = NULL;
    *is_only = true;
    for (size_t i = 0; i < option_count(scan); i++) {
        if (!name_in_group(scan, i, is_extra, name, len))
            continue;
        *is_only = found == NULL;
        found = found != NULL ? found : option_at(scan, i);
    }
    return found;
}

/* The option of that name, or of one that begins so. If it is one of several,
 * *is_ambiguous, they are of the group `is_extra`. */
static const gs_opt *find_long(const gs_opt_scan *scan, const char *name, size_t len,
                               bool *is_ambiguous, bool *is_extra)
{
    bool is_only = true;
    const gs_opt *option = find_exact(scan, name, len);
    for (int group = 0; !option && group <= 1; group++) {
        *is_extra = group != 0;
        option = find_prefix(scan, name, len, *is_extra, &is_only);
    }
    *is_ambiguous = !is_only;
    return option;
}

static _Noreturn void refuse_unknown(const gs_opt_scan *scan, const char *element,
                                     size_t len)
{
    gs_close_name search = {.word = element + 2, .bytes = len};
    gs_report_option("unrecognized option '%s'", element);
    for (size_t i = 0; scan->usage != NULL && i < option_count(scan); i++)
        if (option_at(scan, i)->name)
            gs_close_name_offer(&search, option_at(scan, i)->name);
    if (search.best != NULL)
        gs_report(0, "did you mean '--%s'?", search.best);
    gs_die_try_help(GS_EXIT_TROUBLE);
}

static const gs_opt *next_long(gs_opt_scan *scan, char *element)
{
    char *name = element + 2;
    char *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    bool is_ambiguous, is_extra = false;
    const gs_opt *const option = find_long(scan, name, len, &is_ambiguous, &is_extra);
    if (is_ambiguous)
        refuse_ambiguous(scan, element, len, is_extra);
    if (!option)
        refuse_unknown(scan, element, len);
    scan->is_long = true;
    if (equals && option->takes == GS_OPT_NONE) {
        gs_report_option("option '--%s' doesn't allow an argument", option->name);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    if (equals) {
        scan->argument = equals + 1;
    } else if (option->takes == GS_OPT_REQUIRED) {
        if (scan->index >= scan->argc) {
            gs_report_option("option '--%s' requires an argument", option->name);
            gs_die_try_help(GS_EXIT_TROUBLE);
        }
        scan->argument = scan->argv[scan->index++];
    }
    return option;
}

static const gs_opt *next_short(gs_opt_scan *scan)
{
    const bool is_alone = scan->cluster[-1] == '-' && scan->cluster[1] == '\0';
    const char letter = *scan->cluster++;
    const gs_opt *const known = find_letter(scan, letter);
    char *const rest = *scan->cluster ? scan->cluster : NULL;
    const bool takes = known && known->takes == GS_OPT_REQUIRED;
    scan->cluster = takes ? NULL : rest;
    if (takes && !rest && scan->index >= scan->argc) {
        gs_report_option("option requires an argument -- '%c'", letter);
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    if (takes)
        scan->argument = rest ? rest : scan->argv[scan->index++];
    if (known)
        return known;
    if (letter == 'h' && is_alone && scan->usage != NULL)
        return &common[0];
    gs_report_option("invalid option -- '%c'", letter);
    if (!is_alone && scan->usage != NULL)
        gs_report(0, "what begins with a dash and is no option comes behind --");
    gs_die_try_help(GS_EXIT_TROUBLE);
}

static const gs_opt *next_element(gs_opt_scan *scan)
{
    if (scan->cluster)
        return next_short(scan);
    if (scan->index >= scan->argc)
        return NULL;
    char *element = scan->argv[scan->index++];
    if (scan->has_ended || element[0] != '-' || element[1] == '\0') {
        const gs_opt *const operands = find_letter(scan, 0);
        scan->argument = element;
        return operands ? operands : &no_operands;
    }
    if (element[1] != '-') {
        scan->cluster = element + 1;
        return next_short(scan);
    }
    if (element[2] != '\0')
        return next_long(scan, element);
    if (scan->usage == NULL)
        return NULL;
    scan->has_ended = true;
    return next_element(scan);
}

const gs_opt *gs_opt_next(gs_opt_scan *scan)
{
    gs_assert(scan->index >= 1);
    scan->argument = NULL;
    scan->is_long = false;
    if (scan->usage != NULL) {
        scan->extras = common;
        scan->extra_count = sizeof common / sizeof *common;
    }
    return scan->current = next_element(scan);
}

/* Of a group of short options: does the last one want what comes behind the group? One
 * that is unknown ends the walk, or is none: the -2 of an old key. */
static bool cluster_wants_next(const gs_opt_scan *scan, const char *letters)
{
    for (const char *letter = letters; *letter != '\0'; letter++) {
        const gs_opt *const option = find_letter(scan, *letter);
        if (!option || option->takes == GS_OPT_REQUIRED)
            return option && letter[1] == '\0';
    }
    return false;
}

bool gs_opt_is_to_come(const gs_opt_scan *scan, const char *name, bool ends_at_operands)
{
    bool wants_next;
    for (int i = scan->index; i < scan->argc; i += 1 + wants_next) {
        const char *const element = scan->argv[i];
        wants_next = false;
        if (element[0] != '-' || element[1] == '\0') {
            if (ends_at_operands && element[0] != '+')
                return false;
            continue;
        }
        if (element[1] != '-') {
            wants_next = cluster_wants_next(scan, element + 1);
            continue;
        }
        const size_t len = strcspn(element + 2, "=");
        bool is_ambiguous, is_extra;
        const gs_opt *const option =
            len > 0 ? find_long(scan, element + 2, len, &is_ambiguous, &is_extra) : NULL;
        if (!option || is_ambiguous)
            return false;
        if (strcmp(option->name, name) == 0)
            return true;
        wants_next = option->takes == GS_OPT_REQUIRED && element[2 + len] == '\0';
    }
    return false;
}

void gs_opt_parse(int argc, char **argv, const char *usage, const gs_opt *options,
                  size_t option_count)
{
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = option_count,
                        .usage = usage,
                        .index = 1};
    for (const gs_opt *row; (row = gs_opt_next(&scan)) != NULL;)
        row->take(row->to, &scan);
}

void gs_opt_no_operand(const gs_opt_scan *scan)
{
    gs_quoted q;
    gs_die_usage("extra operand %s", gs_quote_argument(&q, scan->argument));
}
