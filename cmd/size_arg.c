/* SPDX-License-Identifier: MIT */
#include "cmd/size_arg.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/quote.h"
#include "cmd/report.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"

static const char all_units[] = "EgGkKmMPQRtTYZ";

/* How many times 1024 the letter stands for. */
static unsigned unit_power(char unit)
{
    static const char units[] = "KMGTPEZYRQ";
    const char *place = strchr(units, toupper((unsigned char)unit));
    gs_assert(place && *place);
    return (unsigned)(place - units) + 1;
}

int gs_number_parse(const char *text, const char *suffixes, uint64_t *value,
                    const char **rest)
{
    const char *p = text;
    while (isspace((unsigned char)*p))
        p++;
    if (*p == '+')
        p++;
    int fault = 0;
    uint64_t n = 0;
    if (isdigit((unsigned char)*p)) {
        for (; isdigit((unsigned char)*p); p++) {
            if (__builtin_mul_overflow(n, 10, &n) ||
                __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
                fault = GS_NUMBER_TOO_LARGE;
        }
    } else if (*text && strchr(suffixes, *text)) {
        p = text; /* a unit alone is one of it */
        n = 1;
    } else {
        *value = 0;
        *rest = text;
        return GS_NUMBER_INVALID;
    }
    if (*p && strchr(suffixes, *p)) {
        for (unsigned power = unit_power(*p); power > 0; power--) {
            if (__builtin_mul_overflow(n, 1024, &n))
                fault = GS_NUMBER_TOO_LARGE;
        }
        p++;
    }
    if (*p)
        fault |= GS_NUMBER_BAD_SUFFIX;
    *value = fault & GS_NUMBER_TOO_LARGE ? UINT64_MAX : n;
    *rest = p;
    return fault;
}

void gs_number_die(const gs_opt_scan *scan, int fault)
{
    const char short_name[] = {scan->current->letter, '\0'};
    const char *dashes = scan->is_long ? "--" : "-";
    const char *name = scan->is_long ? scan->current->name : short_name;
    gs_quoted q;
    const char *text = gs_quote_argument(&q, scan->argument);
    if (fault & GS_NUMBER_INVALID)
        gs_die(0, "invalid %s%s argument %s", dashes, name, text);
    if (fault & GS_NUMBER_BAD_SUFFIX) {
        gs_report(0, "invalid suffix in %s%s argument %s", dashes, name, text);
        if (scan->usage != NULL)
            gs_report(0, "numbers are whole, with a unit behind them at most, as in 64M");
        exit(GS_EXIT_TROUBLE);
    }
    gs_die(0, "%s%s argument %s too large", dashes, name, text);
}

uint64_t gs_size_arg_buffer(const gs_opt_scan *scan)
{
    const char *text = scan->argument;
    uint64_t bytes = 0;
    const char *rest = NULL;
    int fault = gs_number_parse(text, all_units, &bytes, &rest);
    const bool ends_with_digit = rest > text && isdigit((unsigned char)rest[-1]);
    if (fault == 0 && ends_with_digit) {
        if (__builtin_mul_overflow(bytes, 1024, &bytes))
            fault = GS_NUMBER_TOO_LARGE;
    } else if (fault == GS_NUMBER_BAD_SUFFIX && ends_with_digit && rest[1] == '\0') {
        if (*rest == 'b') {
            fault = 0;
        } else if (*rest == '%') {
            const double share =
                (double)gs_machine_memory_total() * (double)bytes / 100.0;
            fault = share < 18446744073709551615.0 ? 0 : GS_NUMBER_TOO_LARGE;
            bytes = fault ? 0 : (uint64_t)share;
        }
    }
    if (fault)
        gs_number_die(scan, fault);
    return bytes;
}

/* A whole number without a unit; one that is too large is the largest there is. */
static uint64_t plain_number(const gs_opt_scan *scan)
{
    uint64_t number = 0;
    const char *rest = NULL;
    const int fault = gs_number_parse(scan->argument, "", &number, &rest);
    if (fault && fault != GS_NUMBER_TOO_LARGE)
        gs_number_die(scan, fault);
    return number;
}

/* "invalid --NAME argument 'x'", of a number that is too small. */
static _Noreturn void die_too_small(const gs_opt_scan *scan, uint64_t least)
{
    gs_quoted q;
    gs_report(0, "invalid --%s argument %s", scan->current->name,
              gs_quote_argument(&q, scan->argument));
    gs_die(0, "minimum --%s argument is '%llu'", scan->current->name,
           (unsigned long long)least);
}

unsigned gs_size_arg_threads(const gs_opt_scan *scan)
{
    const uint64_t threads = plain_number(scan);
    if (threads == 0)
        gs_die(0, "number in parallel must be nonzero");
    return threads > UINT_MAX ? UINT_MAX : (unsigned)threads;
}

unsigned gs_size_arg_batch(const gs_opt_scan *scan)
{
    enum { BATCH_LEAST = 2 };
    const uint64_t batch = plain_number(scan);
    struct rlimit files = {.rlim_cur = 256};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        files.rlim_cur = 256;
    /* Besides the merged files there are the three standard ones. */
    const unsigned batch_max = (unsigned)files.rlim_cur - 3;
    gs_quoted q;
    if (batch > batch_max) {
        gs_report(0, "--%s argument %s too large", scan->current->name,
                  gs_quote_argument(&q, scan->argument));
        gs_die(0, "maximum --%s argument with current rlimit is %u", scan->current->name,
               batch_max);
    }
    if (batch < BATCH_LEAST)
        die_too_small(scan, BATCH_LEAST);
    return (unsigned)batch;
}

uint64_t gs_size_arg_count(const gs_opt_scan *scan, uint64_t least)
{
    uint64_t count = 0;
    const char *rest = NULL;
    const int fault = gs_number_parse(scan->argument, all_units, &count, &rest);
    if (fault)
        gs_number_die(scan, fault);
    if (count < least)
        die_too_small(scan, least);
    return count;
}
