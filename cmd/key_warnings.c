/* SPDX-License-Identifier: MIT */
/*
 * The texts and their conditions are those of GNU sort in the C locale, whose decimal
 * point is '.' and which has no thousands separator.
 */
#include "cmd/key_warnings.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/report.h"

static void warn_traditional(const gs_key_spec *spec)
{
    enum { NUMBER_BYTES = 24 };
    char old_end[NUMBER_BYTES] = "";
    char new_end[NUMBER_BYTES] = "";
    if (spec->end_field != SIZE_MAX) {
        snprintf(old_end, sizeof old_end, " -%zu", spec->end_field + 1);
        snprintf(new_end, sizeof new_end, ",%zu",
                 spec->end_field + 1 + (spec->end_char == SIZE_MAX));
    }
    gs_report(0, "obsolescent key '+%zu%s' used; consider '-k %zu%s' instead",
              spec->start_field, old_end, spec->start_field + 1, new_end);
}

static bool is_zero_width(const gs_key_spec *spec)
{
    return spec->end_field < spec->start_field;
}

static bool is_number(const gs_key_spec *spec)
{
    return (spec->letters & gs_letters_of_kinds(GS_LETTER_COUNTS_NUMBER)) != 0;
}

/* Blanks in front of a field belong to it; that surprises people. */
static bool has_leading_blanks(const gs_key_spec *spec)
{
    const bool skips_by_itself =
        is_number(spec) ||
        (spec->letters & gs_letters_of_kinds(GS_LETTER_COUNTS_NAME)) != 0;
    const bool skips_start = (spec->letters & GS_LETTER_START_BLANKS) != 0;
    const bool skips_end = (spec->letters & GS_LETTER_END_BLANKS) != 0;
    const bool is_part_of_first_field = spec->end_field == 0 && spec->end_char != 0;
    if (is_part_of_first_field)
        return false;
    return (!skips_start && (!skips_by_itself || spec->start_char > 0)) ||
           (!skips_end && spec->end_char > 0);
}

static bool spans_fields(const gs_key_spec *spec)
{
    return is_number(spec) &&
           (spec->end_field == SIZE_MAX || spec->start_field < spec->end_field);
}

static void warn_about_key(const gs_sort_args *args, size_t index)
{
    const gs_key_spec *spec = &args->specs[index];
    const bool has_delimiter = args->delimiter != GS_NO_DELIMITER;
    if (spec->is_traditional)
        warn_traditional(spec);
    if (is_zero_width(spec))
        gs_report(0, "key %zu has zero width and will be ignored", index + 1);
    else if (!args->spec_is_global && !has_delimiter && has_leading_blanks(spec))
        gs_report(0,
                  "leading blanks are significant in key %zu; "
                  "consider also specifying 'b'",
                  index + 1);
    if (!args->spec_is_global && spans_fields(spec))
        gs_report(0, "key %zu is numeric and spans multiple fields", index + 1);
}

/* A number that spans fields may swallow their delimiter. */
static void warn_about_numbers(const gs_sort_args *args)
{
    bool has_number = false;
    bool spans = false;
    bool general_spans = false;
    for (size_t i = 0; i < args->spec_count; i++) {
        const gs_key_spec *spec = &args->specs[i];
        const bool spec_spans = !args->spec_is_global && spans_fields(spec);
        has_number |= is_number(spec);
        spans |= spec_spans;
        general_spans |= spec_spans && (spec->letters & GS_LETTER_GENERAL) != 0;
    }
    const int delimiter = args->delimiter;
    if (spans && delimiter == '.') {
        gs_report(0, "field separator '.' is treated as a decimal point in numbers");
        return;
    }
    if (spans && delimiter == '-')
        gs_report(0, "field separator '-' is treated as a minus sign in numbers");
    else if (general_spans && delimiter == '+')
        gs_report(0, "field separator '+' is treated as a plus sign in numbers");
    if (has_number)
        gs_report(0, "numbers use '.' as a decimal point in this locale");
}

/* Global letters that no key took over do nothing. */
static void warn_about_ignored(const gs_sort_args *args)
{
    const gpusort_order *order = &args->options.order;
    unsigned unused = args->global_letters;
    for (size_t i = 0; i < args->spec_count; i++)
        unused &= ~args->specs[i].letters;
    const bool has_last_resort = !order->is_stable && !order->is_unique;
    const bool reverse_is_unused =
        (unused & GS_LETTER_REVERSE) != 0 && args->spec_count > 0;
    if (gs_letters_change_compare(unused) || (reverse_is_unused && !has_last_resort)) {
        char text[GS_LETTERS_TEXT_BYTES];
        const unsigned shown =
            has_last_resort ? unused & ~(unsigned)GS_LETTER_REVERSE : unused;
        gs_letters_text(shown, text);
        gs_report(0, text[1] ? "options '-%s' are ignored" : "option '-%s' is ignored",
                  text);
    }
    if (reverse_is_unused && has_last_resort)
        gs_report(0, "option '-r' only applies to last-resort comparison");
}

void gs_key_warnings_print(const gs_sort_args *args)
{
    /* The locale is not used, but a missing one is worth a word, as GNU finds. */
    if (!setlocale(LC_ALL, ""))
        gs_report(0, "failed to set locale");
    setlocale(LC_ALL, "C");
    gs_report(0, "text ordering performed using simple byte comparison");
    for (size_t i = 0; i < args->spec_count; i++)
        warn_about_key(args, i);
    warn_about_numbers(args);
    warn_about_ignored(args);
}
