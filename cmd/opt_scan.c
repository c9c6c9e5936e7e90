/* SPDX-License-Identifier: MIT */
#include "cmd/opt_scan.h"

#include <stdio.h>
#include <errno.h>
#include <string.h>

#include "cmd/report.h"
#include "lib/base/assertion.h"

static const gs_opt *find_exact(const gs_opt_scan *scan, const char *name, size_t len)
{
    for (size_t i = 0; i < scan->option_count; i++) {
        const char *known = scan->options[i].name;
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return &scan->options[i];
    }
    return NULL;
}

/* The first option of the group that begins so; how many do in *count. */
static const gs_opt *find_prefix(const gs_opt_scan *scan, const char *name, size_t len,
                                 bool is_extra, size_t *count)
{
    const gs_opt *first = NULL;
    *count = 0;
    for (size_t i = 0; i < scan->option_count; i++) {
        const gs_opt *option = &scan->options[i];
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
    for (size_t i = 0; i < scan->option_count; i++) {
        const gs_opt *option = &scan->options[i];
        if (option->is_extra == is_extra && strncmp(option->name, element + 2, len) == 0)
            fprintf(stderr, " '--%s'", option->name);
    }
    putc('\n', stderr);
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
        gs_report(0, "unrecognized option '%s'", element);
        return GS_OPT_BAD;
    }
    if (equals && option->takes == GS_OPT_NONE) {
        gs_report(0, "option '--%s' doesn't allow an argument", option->name);
        return GS_OPT_BAD;
    }
    scan->current = option;
    if (equals) {
        scan->argument = equals + 1;
    } else if (option->takes == GS_OPT_REQUIRED) {
        if (scan->index >= scan->argc) {
            gs_report(0, "option '--%s' requires an argument", option->name);
            return GS_OPT_BAD;
        }
        scan->argument = scan->argv[scan->index++];
    }
    return option->code;
}

static int next_short(gs_opt_scan *scan)
{
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
            gs_report(0, "option requires an argument -- '%c'", letter);
            return GS_OPT_BAD;
        }
        scan->cluster = NULL;
        return letter;
    }
    if (is_last)
        scan->cluster = NULL;
    if (known)
        return letter;
    gs_report(0, "invalid option -- '%c'", letter);
    return GS_OPT_BAD;
}

int gs_opt_next(gs_opt_scan *scan)
{
    gs_assert(scan->index >= 1);
    scan->argument = NULL;
    scan->current = NULL;
    if (scan->cluster)
        return next_short(scan);
    if (scan->index >= scan->argc)
        return GS_OPT_END;
    char *element = scan->argv[scan->index++];
    if (element[0] != '-' || element[1] == '\0') {
        scan->argument = element;
        return GS_OPT_OPERAND;
    }
    if (element[1] != '-') {
        scan->cluster = element + 1;
        return next_short(scan);
    }
    if (element[2] == '\0')
        return GS_OPT_END;
    return next_long(scan, element);
}
