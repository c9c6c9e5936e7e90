/* SPDX-License-Identifier: MIT */
#include "lib/stream/time_text.h"

#include <math.h>
#include <string.h>

#include "lib/stream/number_text.h"

typedef struct time_cursor {
    const uint8_t *at, *end;
} time_cursor;

static bool take(time_cursor *c, char wanted)
{
    const bool is_there = c->at < c->end && *c->at == (uint8_t)wanted;
    c->at += is_there;
    return is_there;
}

/* Just so many digits. */
static bool take_digits(time_cursor *c, size_t digits, int *value)
{
    *value = 0;
    for (size_t i = 0; i < digits; i++, c->at++) {
        if (c->at >= c->end || *c->at < '0' || *c->at > '9')
            return false;
        *value = *value * 10 + (*c->at - '0');
    }
    return true;
}

/* Days from 1970-01-01, in the calendar of today; a year begins in March here, so that
 * the day that not each has is its last. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1 - 719468;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && is_leap);
}

/* 22:13:20.25, and perhaps a zone behind it. */
static bool take_clock(time_cursor *c, double *seconds)
{
    int hours, minutes, whole, digit;
    if (!take_digits(c, 2, &hours) || !take(c, ':') || !take_digits(c, 2, &minutes) ||
        !take(c, ':') || !take_digits(c, 2, &whole) || hours > 23 || minutes > 59 ||
        whole > 60)
        return false;
    *seconds = 3600.0 * hours + 60.0 * minutes + whole;
    if (take(c, '.') || take(c, ',')) {
        double share = 0.1;
        for (; take_digits(c, 1, &digit); share /= 10)
            *seconds += digit * share;
    }
    if (c->at == c->end || take(c, 'Z'))
        return true;
    const double sign = *c->at == '-' ? -1 : 1;
    if (!(take(c, '+') || take(c, '-')) || !take_digits(c, 2, &hours))
        return false;
    (void)take(c, ':');
    if (!take_digits(c, 2, &minutes) || minutes > 59)
        return false;
    *seconds -= sign * (3600.0 * hours + 60.0 * minutes);
    return true;
}

static bool take_month(time_cursor *c, int *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12 && c->end - c->at >= 3; i++) {
        if (memcmp(c->at, names + 3 * i, 3) != 0)
            continue;
        *month = i + 1;
        c->at += 3;
        return true;
    }
    return false;
}

static bool parse_iso(time_cursor c, double *seconds)
{
    int year, month, day;
    double clock = 0;
    if (!take_digits(&c, 4, &year) || !take(&c, '-') || !take_digits(&c, 2, &month) ||
        !take(&c, '-') || !take_digits(&c, 2, &day) || !is_day(year, month, day))
        return false;
    if (c.at < c.end && (!(take(&c, 'T') || take(&c, ' ')) || !take_clock(&c, &clock)))
        return false;
    *seconds = 86400.0 * (double)days_of(year, month, day) + clock;
    return c.at == c.end;
}

static bool parse_server(time_cursor c, double *seconds)
{
    int year, month, day;
    double clock = 0;
    if (take(&c, '[') && c.end > c.at && c.end[-1] == ']')
        c.end--;
    if (!take_digits(&c, 2, &day) || !take(&c, '/') || !take_month(&c, &month) ||
        !take(&c, '/') || !take_digits(&c, 4, &year) || !take(&c, ':') ||
        !take_clock(&c, &clock) || !is_day(year, month, day))
        return false;
    *seconds = 86400.0 * (double)days_of(year, month, day) + clock;
    return c.at == c.end;
}

bool gs_time_parse(const uint8_t *text, size_t bytes, double *seconds)
{
    time_cursor c = {text, text + bytes};
    uint64_t key;
    if (gs_number_parse_text(GS_NUMBER_F64, text, bytes, &key)) {
        *seconds = gs_number_as_double(GS_NUMBER_F64, key);
        return isfinite(*seconds);
    }
    while (c.at < c.end && (*c.at == ' ' || *c.at == '\t'))
        c.at++;
    while (c.at < c.end && (c.end[-1] == ' ' || c.end[-1] == '\t' || c.end[-1] == '\r'))
        c.end--;
    return parse_iso(c, seconds) || parse_server(c, seconds);
}
