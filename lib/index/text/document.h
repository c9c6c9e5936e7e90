/* SPDX-License-Identifier: MIT */
/*
 * document: the documents of a batch of input, as views into it.
 *
 *      jsonl    {"id": "d1", "contents": "Some text"}     one object a line
 *      json     the same over several lines, or in an array
 *      vectors  {"id": "d1", "vector": {"fish": 2.3}}     terms with weights; as jsonl or
 *                                                         as json
 *      tsv      d1 TAB Some text                          one document a line
 *      csv      d1,"Some text"                            under a header
 *      trec     <DOC><DOCNO> d1 </DOCNO> <TEXT>Some text</TEXT></DOC>
 *      warc     pages of a web archive, their addresses the names
 *      text     a file is a document, its path the name
 *      html     the same without its mark-up
 *
 * A byte order mark before a document, or at the beginning of a file or page that is one,
 * belongs to none. A line that is blank is none either, and every document has a name
 * that is not empty.
 *
 * What of this a file is may be found by looking (lib/index/text/document_shape.h).
 *
 * A batch (lib/sort/record/line_feed.h) holds whole documents; gs_document_feed_options
 * says how its bytes are cut for a format. Input that is no document is noted with its
 * line and left out; the caller decides whether that ends the build. Parsing writes to
 * the batch: what is escaped becomes what it stands for, mark-up may become blanks. A
 * view is valid until the batch is released. A list belongs to one thread.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_H

#include "lib/base/status.h"
#include "lib/base/text_span.h"
#include "lib/index/text/document_vector.h"
#include "lib/sort/record/records.h"

typedef enum gs_document_format {
    GS_FORMAT_JSONL,
    GS_FORMAT_JSON,
    GS_FORMAT_TSV,
    GS_FORMAT_CSV,
    GS_FORMAT_TREC,
    GS_FORMAT_WARC,
    GS_FORMAT_TEXT,
    GS_FORMAT_HTML,
    GS_FORMAT_TUPLES,     /* see lib/index/text/tuple.h */
    GS_FORMAT_TUPLES_BIN, /* the same */
    GS_FORMAT_VECTORS,    /* see lib/index/text/document_vector.h */
    GS_FORMAT_COUNT,
    GS_FORMAT_ANY =
        GS_FORMAT_COUNT, /* of documents: what each file is is found by looking */
} gs_document_format;

/* "jsonl", "tsv", ...; NULL if there is none of that number. */
const char *gs_document_format_name(gs_document_format format);
/* The endings of names of its files (".jsonl", ".ndjson"), then NULL. */
const char *const *gs_document_format_endings(gs_document_format format);
/* The format that the name of a file suggests (.jsonl.gz, .tsv, ...), if any; .json may
 * be jsonl as well. */
bool gs_document_format_guess(const char *file_name, gs_document_format *out);
static inline bool gs_document_format_is_tuples(gs_document_format format)
{
    return format == GS_FORMAT_TUPLES || format == GS_FORMAT_TUPLES_BIN;
}
/* Are its documents objects of JSON? */
static inline bool gs_document_format_is_json(gs_document_format format)
{
    switch (format) {
    case GS_FORMAT_JSONL:
    case GS_FORMAT_JSON:
    case GS_FORMAT_VECTORS: return true;
    case GS_FORMAT_TSV:
    case GS_FORMAT_CSV:
    case GS_FORMAT_TREC:
    case GS_FORMAT_WARC:
    case GS_FORMAT_TEXT:
    case GS_FORMAT_HTML:
    case GS_FORMAT_TUPLES:
    case GS_FORMAT_TUPLES_BIN:
    case GS_FORMAT_COUNT: break;
    }
    return false;
}

enum { GS_TEXT_FIELDS_MAX = 64, GS_DOCUMENT_NAME_BYTES_MAX = 65535 };

/* Of a document, as it stands in the input. */
#define GS_DOCUMENT_BYTES_MAX ((size_t)1 << 31)

/* Fields that are looked for if none were chosen: of the names the first one that is
 * there, of the texts the first one alone or else all of the others. */
enum { GS_USUAL_IDS = 4, GS_USUAL_TEXTS = 8 };
extern const char *const gs_usual_id_fields[GS_USUAL_IDS];
extern const char *const gs_usual_text_fields[GS_USUAL_TEXTS];

typedef struct gs_columns gs_columns; /* lib/index/text/document_table.h */

typedef struct gs_document_options {
    gs_document_format format;
    double weight_scale; /* vectors: of document_vector.h; 0: as weights are written */
    /* Of formats whose documents have named fields or columns: */
    const char *id_field;           /* NULL: one of the usual ones */
    const char *const *text_fields; /* in the order in which they are read */
    size_t text_field_count;        /* from 1 to GS_TEXT_FIELDS_MAX */
    bool takes_usual_texts;         /* the text fields are the usual ones */
    /* Of one file: */
    bool is_array;             /* json */
    bool has_weights;          /* json, jsonl, vectors: documents have vectors */
    const gs_columns *columns; /* csv; tsv with a header, else NULL */
} gs_document_options;

typedef struct gs_document {
    gs_text_span name;
    size_t first_text, text_count; /* of the list's texts */
    gs_text_span vector;           /* of vectors, as it is written */
} gs_document;

/* Something that is no document. */
typedef struct gs_bad_document {
    uint64_t line;     /* where it begins, counted from 0 within the batch */
    const char *why;   /* static */
    const char *hint;  /* static: what else the input looks like; NULL: nothing else */
    gs_text_span text; /* jsonl: the line, in the batch */
} gs_bad_document;

enum { GS_DOCUMENT_STORY_BYTES = 600 };

/* The same as it is told. */
typedef struct gs_document_story {
    const char *hint; /* static */
    char why[GS_DOCUMENT_STORY_BYTES];
} gs_document_story;

/* The list of a batch. */
typedef struct gs_document_list {
    gs_document *documents;
    size_t count, capacity;
    gs_text_span *texts;
    size_t text_count, text_capacity;
    gs_bad_document *bad;
    size_t bad_count, bad_capacity;
    uint64_t line_count;      /* newlines in the batch, and one for a last line without */
    uint64_t left_out;        /* warc: records that hold no text */
    gs_vector_terms terms;    /* of one vector */
    gs_weight_counts weights; /* of all vectors of the batch */
} gs_document_list;

/* How the input is to be cut into batches of whole documents, or of whole tuples. */
gs_line_feed_options gs_document_feed_options(gs_document_format format);

/* Fills the list (zeroed before its first use) with what the batch holds. `file_name` is
 * the document's name with GS_FORMAT_TEXT. Fails only for want of memory. */
GS_MUST_CHECK gs_code gs_document_list_parse(gs_document_list *list,
                                             const gs_document_options *options,
                                             const gs_line_batch *batch,
                                             const char *file_name, gs_status *st);
void gs_document_list_release(gs_document_list *list);

/* The reason as it is told, with what the batch that it was found in has to say, and what
 * to do. `batch` may be NULL: then with less of it. */
void gs_document_explain(const gs_document_options *options, const gs_line_batch *batch,
                         const gs_bad_document *bad, gs_document_story *story);

/* Of a batch that is the beginning of a document: its name, if that comes in it, and the
 * lines before the document. */
bool gs_document_find_name(const gs_document_options *options, const gs_line_batch *batch,
                           const char *file_name, gs_text_span *name, uint64_t *line);

/* Is a document a file? Then its name is the file's. */
static inline bool gs_document_is_file(const gs_document_options *options)
{
    switch (options->format) {
    case GS_FORMAT_TEXT:
    case GS_FORMAT_HTML: return true;
    case GS_FORMAT_JSONL:
    case GS_FORMAT_JSON:
    case GS_FORMAT_TSV:
    case GS_FORMAT_CSV:
    case GS_FORMAT_TREC:
    case GS_FORMAT_WARC:
    case GS_FORMAT_TUPLES:
    case GS_FORMAT_TUPLES_BIN:
    case GS_FORMAT_VECTORS:
    case GS_FORMAT_COUNT: break;
    }
    return false;
}

/* --- for the parsers of the formats ------------------------------------------------ */

GS_MUST_CHECK gs_code gs_document_list_add(gs_document_list *list, gs_text_span name,
                                           const gs_text_span *texts, size_t text_count,
                                           gs_status *st);
GS_MUST_CHECK gs_code gs_document_list_add_bad(gs_document_list *list, uint64_t line,
                                               const char *why, gs_status *st);
/* The reason why a name will not do, or NULL. */
const char *gs_document_name_fault(gs_text_span name);
/* Adds a document; or if `why` is not NULL, or the name will not do, what is none. */
GS_MUST_CHECK gs_code gs_document_list_take(gs_document_list *list, uint64_t line,
                                            const char *why, gs_text_span name,
                                            const gs_text_span *texts, size_t text_count,
                                            gs_status *st);
bool gs_document_line_is_blank(const uint8_t *line, const uint8_t *end);

#endif
