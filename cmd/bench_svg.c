/* SPDX-License-Identifier: MIT */
#include "cmd/bench_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_table.h"

enum {
    PANEL_WIDTH = 400,
    PANEL_HEIGHT = 290,
    PLOT_LEFT = 62, /* of a panel, for the labels of its axis */
    PLOT_RIGHT = 18,
    PLOT_TOP = 30,
    PLOT_BOTTOM = 52,
    MARGIN = 16,
    TITLE_HEIGHT = 56,
    LEGEND_LINE = 22,
    LETTER_WIDTH = 8, /* of the legend, at most */
    SWATCH_WIDTH = 30,
    PANELS_MAX = GS_BATCH_TYPE_COUNT * GS_DIST_COUNT,
    ENGINES_MAX = BENCH_LIST_MAX,
    SERIES_MAX = 2 * BENCH_LIST_MAX, /* the papers measure some sizes twice */
    X_LABELS_MAX = 7,
    MARK_SIZE = 4,
};

/* From this ratio of the fastest to the slowest on, a linear axis hides the slow ones. */
static const double log_ratio = 25;

typedef struct axis {
    double low, high; /* their logarithms if is_log */
    double step;      /* between labels of a linear axis */
    bool is_log;
} axis;

typedef struct panel {
    gs_batch_type type;
    gs_distribution distribution;
    double left, top; /* of the plot */
} panel;

typedef struct picture {
    FILE *to;
    const bench_points *points;
    const char *engines[ENGINES_MAX];
    size_t engine_count;
    panel panels[PANELS_MAX];
    size_t panel_count, columns, legend_lines;
    axis x, y;
    double unit; /* keys a second */
    const char *unit_name;
} picture;

/* Dark enough on white, and told apart by eyes that do not see all colours; what is alike
 * differs by its mark. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#b8860b", "#56a0d8", "#7a3e9d", "#8b4513",
                                      "#444444", "#6b8e23", "#00868b"};
enum { COLOUR_COUNT = sizeof colours / sizeof *colours, MARK_COUNT = 5 };
_Static_assert(COLOUR_COUNT % MARK_COUNT != 0,
               "no colour comes with its mark again soon");

static double speed(const picture *pic, const bench_point *p)
{
    return (double)p->count / (p->ms * 1e-3) / pic->unit;
}

static double plot_width(void)
{
    return PANEL_WIDTH - PLOT_LEFT - PLOT_RIGHT;
}

static double plot_height(void)
{
    return PANEL_HEIGHT - PLOT_TOP - PLOT_BOTTOM;
}

/* --- what there is to be shown ---------------------------------------------------- */

static size_t engine_index(const picture *pic, const char *label)
{
    size_t e = 0;
    while (e < pic->engine_count && strcmp(pic->engines[e], label) != 0)
        e++;
    return e;
}

static bool is_in_panel(const panel *p, const bench_point *point)
{
    return p->type == point->type && p->distribution == point->distribution;
}

static void collect(picture *pic)
{
    for (size_t i = 0; i < pic->points->count; i++) {
        const bench_point *const point = &pic->points->items[i];
        if (engine_index(pic, point->label) == pic->engine_count &&
            pic->engine_count < ENGINES_MAX)
            pic->engines[pic->engine_count++] = point->label;
        size_t p = 0;
        while (p < pic->panel_count && !is_in_panel(&pic->panels[p], point))
            p++;
        if (p == pic->panel_count)
            pic->panels[pic->panel_count++] =
                (panel){.type = point->type, .distribution = point->distribution};
    }
}

/* 1, 2 or 5 times a power of ten, such that about `labels` of them make `range`. */
static double round_step(double range, double labels)
{
    const double rough = range / labels, power = pow(10, floor(log10(rough)));
    const double digits = rough / power;
    return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

static void set_axes(picture *pic)
{
    double least = INFINITY, most = 0, fewest = INFINITY, largest = 0;
    pic->unit = 1;
    for (size_t i = 0; i < pic->points->count; i++) {
        const bench_point *const p = &pic->points->items[i];
        least = fmin(least, speed(pic, p));
        most = fmax(most, speed(pic, p));
        fewest = fmin(fewest, (double)p->count);
        largest = fmax(largest, (double)p->count);
    }
    const bool is_giga = most >= 1e9;
    pic->unit = is_giga ? 1e9 : 1e6;
    pic->unit_name = is_giga ? "Gkeys/s" : "Mkeys/s";
    least /= pic->unit;
    most /= pic->unit;
    /* A little room on either side, more if all have the same size. */
    const double spare = fewest < largest ? 0.04 * (log2(largest) - log2(fewest)) : 1;
    pic->x = (axis){
        .low = log2(fewest) - spare, .high = log2(largest) + spare, .is_log = true};
    pic->y.is_log = most > log_ratio * least;
    if (pic->y.is_log) {
        pic->y.low = log10(least / 1.4);
        pic->y.high = log10(most * 1.4);
        return;
    }
    pic->y.step = round_step(most, 5);
    pic->y.high = ceil(most * 1.02 / pic->y.step) * pic->y.step;
}

static double place_x(const picture *pic, const panel *p, double count)
{
    return p->left +
           plot_width() * (log2(count) - pic->x.low) / (pic->x.high - pic->x.low);
}

static double place_y(const picture *pic, const panel *p, double keys)
{
    const double at = pic->y.is_log ? log10(keys) : keys;
    const double part = (at - pic->y.low) / (pic->y.high - pic->y.low);
    return p->top + plot_height() * (1 - part);
}

/* --- text ------------------------------------------------------------------------- */

static void put_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '&': fputs("&amp;", to); break;
        default: putc(*text, to);
        }
    }
}

static void put_label(FILE *to, double x, double y, const char *anchor, int size,
                      const char *colour, const char *text)
{
    fprintf(to,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" "
            "fill=\"%s\">",
            x, y, anchor, size, colour);
    put_text(to, text);
    fputs("</text>\n", to);
}

static void put_line(FILE *to, double x1, double y1, double x2, double y2,
                     const char *colour)
{
    fprintf(to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
            x1, y1, x2, y2, colour);
}

/* --- axes ------------------------------------------------------------------------- */

static void put_y_label(const picture *pic, const panel *p, double value, bool has_text)
{
    char text[BENCH_COUNT_BYTES];
    const double y = place_y(pic, p, value);
    if (y < p->top - 0.5 || y > p->top + plot_height() + 0.5)
        return;
    put_line(pic->to, p->left, y, p->left + plot_width(), y,
             has_text ? "#d8d8d8" : "#efefef");
    (void)snprintf(text, sizeof text, "%g", value);
    if (has_text)
        put_label(pic->to, p->left - 7, y + 4, "end", 12, "#333", text);
}

static void put_y_axis(const picture *pic, const panel *p)
{
    const axis *const y = &pic->y;
    if (y->is_log) {
        const bool is_short = y->high - y->low < 3;
        for (double power = floor(y->low); power <= y->high; power++)
            for (int digit = 1; digit < 10; digit++)
                put_y_label(pic, p, digit * pow(10, power),
                            digit == 1 || (is_short && (digit == 2 || digit == 5)));
    } else {
        for (int i = 0; i * y->step <= y->high * 1.001; i++)
            put_y_label(pic, p, i * y->step, true);
    }
    fprintf(pic->to,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" "
            "font-size=\"12\" fill=\"#333\">%s%s</text>\n",
            p->left - 44, p->top + plot_height() / 2, pic->unit_name,
            y->is_log ? " (logarithmic)" : "");
}

static void put_x_label(const picture *pic, const panel *p, double x, int power)
{
    const double bottom = p->top + plot_height();
    put_line(pic->to, x, p->top, x, bottom + 5, "#e4e4e4");
    fprintf(pic->to,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"12\" "
            "fill=\"#333\">2<tspan dy=\"-5\" font-size=\"9\">%d</tspan></text>\n",
            x, bottom + 19, power);
}

static void put_x_axis(const picture *pic, const panel *p)
{
    const int first = (int)ceil(pic->x.low), last = (int)floor(pic->x.high);
    const int step = (last - first) / X_LABELS_MAX + 1;
    for (int power = first; power <= last; power += step)
        put_x_label(pic, p, place_x(pic, p, ldexp(1, power)), power);
    put_label(pic->to, p->left + plot_width() / 2, p->top + plot_height() + 38, "middle",
              12, "#333", "keys");
}

/* --- what was measured ------------------------------------------------------------ */

static void put_mark(FILE *to, size_t engine, double x, double y)
{
    const char *const colour = colours[engine % COLOUR_COUNT];
    const double r = MARK_SIZE;
    switch (engine % MARK_COUNT) {
    case 0: fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, r); break;
    case 1:
        fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
        break;
    case 2:
        fprintf(to, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"", x, y - r * 1.2, r * 1.15,
                r * 2.1, -r * 2.3);
        break;
    case 3:
        fprintf(to, "<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"", x,
                y - r * 1.3, r * 1.3, r * 1.3, -r * 1.3, r * 1.3, -r * 1.3, -r * 1.3);
        break;
    default:
        fprintf(to, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"", x, y + r * 1.2, r * 1.15,
                -r * 2.1, -r * 2.3);
    }
    fprintf(to, " fill=\"%s\" stroke=\"white\"/>\n", colour);
}

static int compare_counts(const void *a, const void *b)
{
    const bench_point *const x = *(const bench_point *const *)a;
    const bench_point *const y = *(const bench_point *const *)b;
    return (x->count > y->count) - (x->count < y->count);
}

/* A polyline and its marks. */
static void put_series(const picture *pic, const panel *p, size_t engine)
{
    const bench_point *series[SERIES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < pic->points->count && n < SERIES_MAX; i++) {
        const bench_point *const point = &pic->points->items[i];
        if (is_in_panel(p, point) && engine_index(pic, point->label) == engine)
            series[n++] = point;
    }
    if (n == 0)
        return;
    qsort(series, n, sizeof *series, compare_counts);
    fprintf(pic->to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
            colours[engine % COLOUR_COUNT]);
    for (size_t i = 0; i < n; i++)
        fprintf(pic->to, "%.1f,%.1f ", place_x(pic, p, (double)series[i]->count),
                place_y(pic, p, speed(pic, series[i])));
    fputs("\"/>\n", pic->to);
    for (size_t i = 0; i < n; i++)
        put_mark(pic->to, engine, place_x(pic, p, (double)series[i]->count),
                 place_y(pic, p, speed(pic, series[i])));
}

static void put_panel(const picture *pic, const panel *p)
{
    char title[BENCH_COUNT_BYTES * 2];
    (void)snprintf(title, sizeof title, "%s, %s", bench_type_name(p->type),
                   gs_distribution_name(p->distribution));
    put_label(pic->to, p->left, p->top - 10, "start", 14, "#111", title);
    put_x_axis(pic, p);
    put_y_axis(pic, p);
    fprintf(pic->to,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#888\"/>\n",
            p->left, p->top, plot_width(), plot_height());
    for (size_t e = 0; e < pic->engine_count; e++)
        put_series(pic, p, e);
}

/* Engines one after the other, as many a line as there is room for. With `to` NULL it
 * only counts the lines. */
static size_t put_legend(const picture *pic, FILE *to)
{
    const double width = (double)pic->columns * PANEL_WIDTH;
    double x = MARGIN, y = TITLE_HEIGHT + LEGEND_LINE / 2.0;
    size_t lines = 1;
    for (size_t e = 0; e < pic->engine_count; e++) {
        const double wanted =
            SWATCH_WIDTH + (double)(strlen(pic->engines[e]) * LETTER_WIDTH) + 20;
        if (x > MARGIN && x + wanted > width) {
            x = MARGIN;
            y += LEGEND_LINE;
            lines++;
        }
        if (to) {
            fprintf(to,
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                    "stroke-width=\"2\"/>\n",
                    x, y, x + SWATCH_WIDTH - 6, y, colours[e % COLOUR_COUNT]);
            put_mark(to, e, x + (SWATCH_WIDTH - 6) / 2.0, y);
            put_label(to, x + SWATCH_WIDTH, y + 4, "start", 13, "#111", pic->engines[e]);
        }
        x += wanted;
    }
    return lines;
}

/* A row for each type if that is not too wide; otherwise near to a square. */
static size_t choose_columns(const picture *pic)
{
    const size_t n = pic->panel_count;
    size_t first = 1; /* panels of the first type */
    while (first < n && pic->panels[first].type == pic->panels[0].type)
        first++;
    if (n % first == 0 && first <= 4 && (first > 1 || n > 4))
        return first;
    return n <= 3 ? n : n == 4 ? 2 : 3;
}

static void lay_out(picture *pic)
{
    const size_t n = pic->panel_count;
    pic->columns = choose_columns(pic);
    pic->legend_lines = put_legend(pic, NULL);
    for (size_t i = 0; i < n; i++) {
        pic->panels[i].left = (double)(i % pic->columns * PANEL_WIDTH + PLOT_LEFT);
        pic->panels[i].top = (double)(TITLE_HEIGHT + pic->legend_lines * LEGEND_LINE +
                                      i / pic->columns * PANEL_HEIGHT + PLOT_TOP);
    }
}

static void put_head(FILE *to, double width, double height)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
}

void bench_svg_write(FILE *to, const char *machine, unsigned runs,
                     const bench_points *points)
{
    picture pic = {.to = to, .points = points};
    char text[BENCH_MACHINE_BYTES + 64];
    collect(&pic);
    if (points->count == 0) {
        put_head(to, PANEL_WIDTH, TITLE_HEIGHT);
        put_label(to, MARGIN, 24, "start", 16, "#111", "Nothing was measured.");
        fputs("</svg>\n", to);
        return;
    }
    set_axes(&pic);
    lay_out(&pic);
    const size_t rows = (pic.panel_count + pic.columns - 1) / pic.columns;
    put_head(
        to, (double)pic.columns * PANEL_WIDTH,
        (double)(TITLE_HEIGHT + pic.legend_lines * LEGEND_LINE + rows * PANEL_HEIGHT));
    put_label(to, MARGIN, 26, "start", 17, "#111", "gpusort bench: speed of the engines");
    (void)snprintf(text, sizeof text, "%s; median of %u run%s", machine, runs,
                   runs == 1 ? "" : "s");
    put_label(to, MARGIN, 45, "start", 12, "#555", text);
    (void)put_legend(&pic, to);
    for (size_t p = 0; p < pic.panel_count; p++)
        put_panel(&pic, &pic.panels[p]);
    fputs("</svg>\n", to);
}
