/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_shape.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/text/document_json.h"
#include "lib/index/text/document_kind.h"
#include "lib/index/text/document_objects.h"
#include "lib/index/text/document_table.h"
#include "lib/base/utf8.h"

enum {
    LOOK_BYTES_MAX = 65536,
    LOOK_LINES_MAX = 10,
    HEADER_BYTES_MAX = 4096, /* of what looks like prose otherwise */
    NAMES_BYTES = 300,       /* of fields, shown */
};

typedef struct file_shape {
    gs_columns *columns; /* NULL: none */
    uint8_t format;
    bool is_array, has_weights;
} file_shape;

struct gs_document_shapes {
    gs_document_shapes_options options;
    file_shape *files;
    uint64_t found[GS_FORMAT_COUNT]; /* in folders, of each format */
    uint64_t binary;                 /* of those, left out */
    uint64_t unclear;                /* tables and objects of other fields: plain text */
    size_t first_unclear;
    bool is_decided, has_weights; /* by the first file that holds something */
    size_t decided_by;
};

/* A look at one file. */
typedef struct look {
    gs_document_shapes *shapes;
    gs_file_front front; /* of it, the same part however it is read */
    const char *name;
    bool is_found;
    gs_document_kind kind;
    gs_document_format ending; /* GS_FORMAT_COUNT: its name says nothing */
    file_shape shape;          /* what comes of it */
    char fields[NAMES_BYTES];  /* where names and texts are, or the columns there are */
} look;

gs_code gs_document_shapes_new(gs_document_shapes **out,
                               const gs_document_shapes_options *options, gs_status *st)
{
    *out = NULL;
    gs_document_shapes *shapes = NULL;
    GS_TRY(gs_mem_new(&shapes, sizeof *shapes, "shapes of files", st));
    shapes->options = *options;
    GS_TRY_OR_FAIL(gs_mem_new(&shapes->files, options->count * sizeof *shapes->files,
                              "shapes of files", st));
    *out = shapes;
    return GS_OK;
fail:
    gs_document_shapes_free(shapes);
    return st->code;
}

void gs_document_shapes_free(gs_document_shapes *shapes)
{
    if (shapes == NULL)
        return;
    for (size_t i = 0; shapes->files != NULL && i < shapes->options.count; i++)
        gs_mem_free(shapes->files[i].columns);
    gs_mem_free(shapes->files);
    gs_mem_free(shapes);
}

static const gs_document_options *asked(const look *l)
{
    return &l->shapes->options.document;
}

/* --- objects ----------------------------------------------------------------------- */

static void put(look *l, size_t *used, const char *before, const char *name)
{
    const int n =
        snprintf(l->fields + *used, sizeof l->fields - *used, "%s\"%s\"", before, name);
    *used = n < 0 || (size_t)n >= sizeof l->fields - *used ? sizeof l->fields - 1
                                                           : *used + (size_t)n;
}

static void tell_fields(look *l, const char *id, const char *const *texts, size_t count)
{
    size_t used = 0;
    put(l, &used, ", names from ", id);
    for (size_t i = 0; i < count; i++)
        put(l, &used,
            i == 0           ? ", text from "
            : i + 1 == count ? " and "
                             : ", ",
            texts[i]);
}

/* Does a sound object go on over several lines, or another one follow it in its line? */
static bool is_object_line(const gs_file_front *f, gs_text_span object)
{
    const uint8_t *p = object.data + object.bytes;
    const uint8_t *const end = f->data + f->bytes;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return memchr(object.data, '\n', object.bytes) == NULL && (p == end || *p == '\n');
}

/* Is the first object a document? Of one that is longer than what is looked at, that part
 * decides. *has_weights: it has a vector of them. */
static bool has_documents(look *l, bool *is_sound, bool *has_weights)
{
    gs_text_span object;
    gs_json_finding finding;
    const gs_file_front *const f = &l->front;
    const bool is_array = l->kind == GS_LOOKS_ARRAY;
    const bool is_whole = gs_objects_find_first(f->data, f->bytes, is_array, &object);
    gs_json_look(asked(l), object.data, object.bytes, &finding);
    *is_sound = finding.is_sound || (!is_whole && !f->is_all);
    if (*is_sound && l->kind == GS_LOOKS_OBJECT_LINES && !is_object_line(f, object))
        l->kind = GS_LOOKS_OBJECTS;
    *has_weights = *is_sound && finding.id_field != NULL && finding.has_vector &&
                   asked(l)->takes_usual_texts;
    if (*has_weights) {
        size_t used = 0;
        put(l, &used, ", names from ", finding.id_field);
        put(l, &used, ", weights of terms from ", GS_VECTOR_FIELD);
        return true;
    }
    const bool is = *is_sound && finding.id_field != NULL && finding.text_field_count > 0;
    if (is)
        tell_fields(l, finding.id_field, finding.text_fields, finding.text_field_count);
    return is;
}

/* --- tables ------------------------------------------------------------------------ */

/* Reads the header, of a copy, since quoted values are put together where they are. */
static gs_code read_header(look *l, bool is_csv, gs_header_lack *lack, gs_status *st)
{
    uint8_t *copy = NULL;
    gs_file_front front = l->front;
    GS_TRY(gs_mem_new(&copy, front.bytes + GS_BLOCK_SLACK, "header of a table", st));
    if (front.bytes > 0)
        memcpy(copy, front.data, front.bytes);
    front.data = copy;
    *lack = gs_columns_read(l->shape.columns, asked(l), is_csv, &front, l->fields,
                            sizeof l->fields);
    gs_mem_free(copy);
    return GS_OK;
}

static bool has_chosen_fields(const gs_document_options *o)
{
    return o->id_field != NULL || !o->takes_usual_texts;
}

static gs_code fail_header(const look *l, gs_header_lack lack, gs_status *st)
{
    const gs_document_options *const o = asked(l);
    const bool is_name = lack == GS_HEADER_NO_NAME;
    gs_quoted q;
    char wanted[160] = "";
    if (lack == GS_HEADER_NO_END)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%s:1: the header has more than %d bytes",
                       gs_quote_name(&q, l->name), LOOK_BYTES_MAX);
    if (is_name && o->id_field != NULL)
        (void)snprintf(wanted, sizeof wanted, " \"%.100s\"", o->id_field);
    if (!is_name && !o->takes_usual_texts)
        (void)snprintf(wanted, sizeof wanted, " \"%.100s\"", o->text_fields[0]);
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:1: no column%s for %s; there are: %s",
                  gs_quote_name(&q, l->name), wanted, is_name ? "the name" : "text",
                  l->fields);
    return gs_status_hint(
        st, is_name
                ? "the first line names the columns; --id-field=NAME chooses the one "
                  "with the name"
                : "the first line names the columns; --text-field=NAME chooses one with "
                  "text");
}

static void drop_header(look *l)
{
    gs_mem_free(l->shape.columns);
    l->shape.columns = NULL;
    l->fields[0] = '\0';
}

/* Takes the columns of csv, or of tsv where the first line is a header. *is_good tells;
 * with `must_be` it is, or an error. */
static gs_code take_header(look *l, bool is_csv, bool must_be, bool *is_good,
                           gs_status *st)
{
    gs_header_lack lack;
    GS_TRY(gs_mem_new(&l->shape.columns, sizeof *l->shape.columns, "columns", st));
    GS_TRY(read_header(l, is_csv, &lack, st));
    *is_good = lack == GS_HEADER_IS_GOOD;
    if (!*is_good && must_be)
        return fail_header(l, lack, st);
    if (!*is_good) {
        drop_header(l);
        return GS_OK;
    }
    char columns[NAMES_BYTES];
    memcpy(columns, l->fields, sizeof columns);
    (void)snprintf(l->fields, sizeof l->fields, ", columns %.250s", columns);
    return GS_OK;
}

/* --- what a file is ---------------------------------------------------------------- */

/* Has each of the first lines a name and a TAB? */
static bool has_tabs_throughout(const gs_file_front *f)
{
    const uint8_t *const end = f->data + f->bytes;
    const uint8_t *p = gs_utf8_skip_mark(f->data, end);
    for (unsigned i = 0; i < LOOK_LINES_MAX && p < end; i++) {
        const uint8_t *const eol = memchr(p, '\n', (size_t)(end - p));
        const uint8_t *const stop = eol != NULL ? eol : end;
        const uint8_t *const tab = memchr(p, '\t', (size_t)(stop - p));
        const bool is_cut = eol == NULL && !f->is_all;
        if (!is_cut && !gs_document_line_is_blank(p, stop) && (tab == NULL || tab == p))
            return false;
        p = stop + 1;
    }
    return true;
}

static bool has_docno(const gs_file_front *f)
{
    for (size_t i = 0; i + 6 <= f->bytes; i++) {
        if (f->data[i] == '<' && (f->data[i + 1] | 0x20) == 'd' &&
            (memcmp(f->data + i, "<DOCNO", 6) == 0 ||
             memcmp(f->data + i, "<docno", 6) == 0))
            return true;
    }
    return false;
}

/* By its ending, which other SGML has too. */
static bool may_be_trec(const look *l)
{
    return l->ending == GS_FORMAT_TREC && (!l->is_found || has_docno(&l->front));
}

static gs_code fail_unclear(const look *l, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: it is not clear what its documents are",
                  gs_quote_name(&q, l->name));
    const char *const hint =
        gs_document_kind_hint(l->front.data, l->front.bytes, GS_FORMAT_COUNT);
    return gs_status_hint(st, hint != NULL ? hint : "--format=NAME says it");
}

/* Plain text, if that can be meant. */
static gs_code take_text(look *l, gs_status *st)
{
    if (!l->is_found && strcmp(l->name, "-") == 0)
        return fail_unclear(l, st);
    l->shape.format = GS_FORMAT_TEXT;
    return GS_OK;
}

/* Of a folder, with columns or fields that are not ours. */
static gs_code take_as_text(look *l, gs_status *st)
{
    if (l->shapes->unclear++ == 0)
        l->shapes->first_unclear = l->front.input_index;
    return take_text(l, st);
}

/* An object a line, or over several or in an array. */
static void take_vectors(look *l)
{
    l->shape.has_weights = true;
    l->shape.format = l->kind == GS_LOOKS_ARRAY || l->kind == GS_LOOKS_OBJECTS
                          ? GS_FORMAT_JSON
                          : GS_FORMAT_VECTORS;
}

static gs_code look_at_objects(look *l, gs_status *st)
{
    static const gs_document_format formats[] = {[GS_LOOKS_ARRAY] = GS_FORMAT_JSON,
                                                 [GS_LOOKS_OBJECTS] = GS_FORMAT_JSON,
                                                 [GS_LOOKS_OBJECT_LINES] =
                                                     GS_FORMAT_JSONL};
    bool is_sound, has_weights;
    const bool is = has_documents(l, &is_sound, &has_weights);
    const bool is_json_by_name =
        l->ending == GS_FORMAT_JSON || l->ending == GS_FORMAT_JSONL;
    l->shape.format = (uint8_t)formats[l->kind];
    if (has_weights)
        take_vectors(l);
    if (is || l->ending == GS_FORMAT_JSONL)
        return GS_OK;
    if (l->is_found)
        return is_sound ? take_as_text(l, st) : take_text(l, st);
    return is_sound || is_json_by_name || strcmp(l->name, "-") == 0 ? GS_OK
                                                                    : take_text(l, st);
}

/* Has the second line more than one value? What only the header tells from prose has
 * such rows, as far as one is seen. */
static bool has_values(const look *l)
{
    const gs_file_front *const f = &l->front;
    const uint8_t *const end = f->data + f->bytes;
    const uint8_t *p = f->bytes > 0 ? memchr(f->data, '\n', f->bytes) : NULL;
    while (p != NULL && p < end && (*p == '\n' || *p == '\r'))
        p++;
    while (p != NULL && p < end && *p != '\n') {
        if (*p == l->shape.columns->separator || *p == GS_CSV_QUOTE)
            return true;
        p++;
    }
    return false;
}

static gs_code look_at_csv(look *l, gs_status *st)
{
    const bool is_csv_by_name = l->ending == GS_FORMAT_CSV;
    bool is_good;
    GS_TRY(take_header(l, true, is_csv_by_name && !l->is_found, &is_good, st));
    if (!is_good)
        return is_csv_by_name ? take_as_text(l, st) : take_text(l, st);
    /* Of one column it may be a word that begins a text. */
    const bool is_table =
        l->shape.columns->count > 1 && (l->kind == GS_LOOKS_COMMAS || has_values(l));
    if (!is_csv_by_name && !is_table) {
        drop_header(l);
        return take_text(l, st);
    }
    l->shape.format = GS_FORMAT_CSV;
    return GS_OK;
}

static gs_code look_at_tsv(look *l, gs_status *st)
{
    const bool is_tsv_by_name = l->ending == GS_FORMAT_TSV;
    bool has_header;
    GS_TRY(take_header(l, false, !l->is_found && has_chosen_fields(asked(l)), &has_header,
                       st));
    if (!has_header && (!is_tsv_by_name || l->is_found) &&
        (l->is_found || !has_tabs_throughout(&l->front)))
        return take_text(l, st);
    l->shape.format = GS_FORMAT_TSV;
    return GS_OK;
}

/* Is the first line as short as most headers? Those of prose may be long, and there may
 * be many files. */
static bool may_be_header(const look *l)
{
    const gs_file_front *const f = &l->front;
    const bool is_cut = f->bytes > HEADER_BYTES_MAX || !f->is_all;
    const size_t n = f->bytes < HEADER_BYTES_MAX ? f->bytes : HEADER_BYTES_MAX;
    return !is_cut || (n > 0 && memchr(f->data, '\n', n) != NULL);
}

/* What looks like columns, or like nothing but text. */
static gs_code look_at_lines(look *l, gs_status *st)
{
    if (l->ending == GS_FORMAT_CSV)
        return look_at_csv(l, st);
    if (l->ending == GS_FORMAT_TSV)
        return look_at_tsv(l, st);
    if (l->ending != GS_FORMAT_COUNT) {
        l->shape.format = (uint8_t)l->ending;
        const bool is_certain =
            l->ending != GS_FORMAT_JSON && l->ending != GS_FORMAT_TREC;
        return l->is_found && !is_certain ? take_text(l, st) : GS_OK;
    }
    if (l->kind == GS_LOOKS_TUPLES && !l->is_found)
        return fail_unclear(l, st);
    if (l->kind == GS_LOOKS_TABS)
        return look_at_tsv(l, st);
    /* The header tells, not the rows: they may lack values, or have commas and line ends
     * in them. Prose begins with no such line. */
    return l->kind == GS_LOOKS_COMMAS || may_be_header(l) ? look_at_csv(l, st)
                                                          : take_text(l, st);
}

static gs_code look_at_any(look *l, gs_record_ends *ends, gs_status *st)
{
    switch (l->kind) {
    case GS_LOOKS_UTF16:
    case GS_LOOKS_BINARY:
        if (!l->is_found)
            return fail_unclear(l, st);
        l->shapes->binary++;
        ends->is_left_out = true;
        l->shape.format = GS_FORMAT_TEXT;
        return GS_OK;
    case GS_LOOKS_WARC: l->shape.format = GS_FORMAT_WARC; return GS_OK;
    case GS_LOOKS_ARRAY:
    case GS_LOOKS_OBJECTS:
    case GS_LOOKS_OBJECT_LINES: return look_at_objects(l, st);
    case GS_LOOKS_TREC:
        l->shape.format =
            !l->is_found || has_docno(&l->front) ? GS_FORMAT_TREC : GS_FORMAT_HTML;
        return GS_OK;
    case GS_LOOKS_HTML:
    case GS_LOOKS_XML:
        l->shape.format = l->ending == GS_FORMAT_TEXT || may_be_trec(l)
                              ? (uint8_t)l->ending
                              : GS_FORMAT_HTML;
        return GS_OK;
    case GS_LOOKS_NOTHING:
        l->shape.format = strcmp(l->name, "-") == 0      ? GS_FORMAT_JSONL
                          : l->ending != GS_FORMAT_COUNT ? (uint8_t)l->ending
                                                         : GS_FORMAT_TEXT;
        if (l->shape.format == GS_FORMAT_CSV) /* without a header */
            l->shape.format = GS_FORMAT_TSV;
        return GS_OK;
    case GS_LOOKS_TUPLES:
    case GS_LOOKS_TABS:
    case GS_LOOKS_COMMAS:
    case GS_LOOKS_PROSE: return look_at_lines(l, st);
    case GS_LOOKS_COUNT: break;
    }
    gs_assert_failed("a kind of file", __FILE__, __LINE__);
}

/* The format was given: only what differs from file to file. */
static gs_code look_as_told(look *l, gs_status *st)
{
    const gs_document_options *const o = asked(l);
    bool is_good;
    l->shape.format = (uint8_t)o->format;
    if (o->format == GS_FORMAT_CSV)
        return take_header(l, true, true, &is_good, st);
    if (o->format == GS_FORMAT_TSV)
        return take_header(l, false, has_chosen_fields(o), &is_good, st);
    if (o->format == GS_FORMAT_VECTORS) {
        bool is_sound, has_weights;
        (void)has_documents(l, &is_sound, &has_weights); /* how objects lie */
        take_vectors(l);
    }
    return GS_OK;
}

/* Vectors of weights and text do not become one index. */
static gs_code decide_weights(look *l, gs_status *st)
{
    gs_document_shapes *const shapes = l->shapes;
    const bool has_weights = l->shape.has_weights;
    gs_quoted q, other;
    if (!shapes->is_decided) {
        shapes->is_decided = true;
        shapes->has_weights = has_weights;
        shapes->decided_by = l->front.input_index;
    }
    if (shapes->has_weights == has_weights)
        return GS_OK;
    const char *const first = shapes->options.names[shapes->decided_by];
    (void)GS_FAIL(
        st, GS_ERR_FORMAT, 0, "%s holds %s, but %s %s", gs_quote_name_always(&q, l->name),
        has_weights ? "vectors of weights" : "text", gs_quote_name_always(&other, first),
        has_weights ? "text" : "vectors of weights");
    return gs_status_hint(st, "an index is of the one or of the other: leave files out, "
                              "or say with --format what all are");
}

/* Nothing at all is of either kind. */
static gs_code settle_kind(look *l, bool is_left_out, gs_status *st)
{
    if (is_left_out)
        return GS_OK;
    if (l->kind != GS_LOOKS_NOTHING)
        return decide_weights(l, st);
    if (l->shapes->is_decided && l->shapes->has_weights)
        take_vectors(l);
    return GS_OK;
}

void gs_document_shapes_decide(gs_document_shapes *shapes, bool has_weights)
{
    shapes->is_decided = true;
    shapes->has_weights = has_weights;
}

bool gs_document_shapes_have_weights(gs_document_shapes *shapes)
{
    shapes->is_decided = true;
    return shapes->has_weights;
}

/* --- what is told ------------------------------------------------------------------ */

static void tell_look(const look *l)
{
    const gs_log *const log = l->shapes->options.log;
    const gs_document_format format = (gs_document_format)l->shape.format;
    const bool is_surprise =
        l->ending != GS_FORMAT_COUNT && l->ending != format &&
        !(gs_document_format_is_json(l->ending) && gs_document_format_is_json(format)) &&
        !l->is_found && l->kind != GS_LOOKS_NOTHING;
    gs_quoted q;
    if (!l->is_found)
        gs_log_say(log, is_surprise ? GS_LOG_WARNING : GS_LOG_INFO, "%s: read as %s%s%s",
                   gs_quote_name(&q, l->name), gs_document_format_name(format), l->fields,
                   is_surprise ? ", as it looks" : "");
}

gs_code gs_document_shapes_look(gs_document_shapes *shapes, const gs_file_front *front,
                                bool goes_on, gs_record_ends *ends, gs_status *st)
{
    const gs_document_shapes_options *const o = &shapes->options;
    gs_assert(front->input_index < o->count && front->offset == 0);
    look l = {
        .shapes = shapes,
        .front = *front,
        .name = o->names[front->input_index],
        .is_found = o->is_found != NULL && o->is_found[front->input_index] != 0,
        .ending = GS_FORMAT_COUNT,
    };
    if (front->bytes > LOOK_BYTES_MAX) {
        l.front.bytes = LOOK_BYTES_MAX;
        l.front.is_all = false;
    }
    l.kind = gs_document_kind_of(l.front.data, l.front.bytes);
    (void)gs_document_format_guess(l.name, &l.ending);
    bool is_any = o->document.format == GS_FORMAT_ANY;
    if ((is_any ? look_at_any(&l, ends, st) : look_as_told(&l, st)) != GS_OK ||
        (is_any && settle_kind(&l, ends->is_left_out, st) != GS_OK)) {
        gs_mem_free(l.shape.columns);
        return st->code;
    }
    l.shape.is_array = l.kind == GS_LOOKS_ARRAY && l.shape.format == GS_FORMAT_JSON;
    file_shape *const shape = &shapes->files[front->input_index];
    gs_mem_free(shape->columns);
    *shape = l.shape;
    const bool is_left_out = ends->is_left_out;
    *ends = gs_document_feed_options((gs_document_format)l.shape.format).ends;
    ends->is_left_out = is_left_out;
    if (l.shape.format == GS_FORMAT_CSV)
        ends->begin = gs_csv_cut_begin(l.shape.columns->separator);
    if (l.shape.format == GS_FORMAT_JSON)
        ends->begin = gs_objects_cut_begin(l.shape.is_array, goes_on);
    if (l.is_found && !is_left_out)
        shapes->found[l.shape.format]++;
    if (is_any)
        tell_look(&l);
    return GS_OK;
}

gs_document_options gs_document_shape_of(const gs_document_shapes *shapes,
                                         size_t input_index)
{
    gs_document_options options = shapes->options.document;
    const file_shape *const shape = &shapes->files[input_index];
    options.format = (gs_document_format)shape->format;
    options.is_array = shape->is_array;
    options.has_weights = shape->has_weights;
    options.columns = shape->columns;
    return options;
}

void gs_document_shapes_tell(const gs_document_shapes *shapes)
{
    const gs_log *const log = shapes->options.log;
    gs_quoted q;
    for (unsigned i = 0; i < GS_FORMAT_COUNT; i++) {
        if (shapes->found[i] > 0)
            gs_log_say(log, GS_LOG_INFO, "%llu found in folders read as %s",
                       (unsigned long long)shapes->found[i],
                       gs_document_format_name((gs_document_format)i));
    }
    if (shapes->unclear > 0)
        gs_log_say(log, GS_LOG_WARNING,
                   "%llu with fields or columns of other names are plain text, a file a "
                   "document, the first %s; --id-field and --text-field choose others",
                   (unsigned long long)shapes->unclear,
                   gs_quote_name(&q, shapes->options.names[shapes->first_unclear]));
    if (shapes->binary > 0)
        gs_log_say(log, GS_LOG_WARNING, "%llu found in folders left out: binary data",
                   (unsigned long long)shapes->binary);
}
