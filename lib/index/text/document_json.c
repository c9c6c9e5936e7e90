/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_json.h"

#include <stdio.h>
#include <string.h>

#include "lib/json/json_reader.h"

enum {
    KEY_ROOM_BYTES = 256,
    FIELDS_TAIL_BYTES = 40, /* " and N more" */
};

const char gs_document_no_name[] = "no field with the name";
const char gs_document_no_text[] = "no field with text";
static const char no_vector[] = "no field \"" GS_VECTOR_FIELD "\" with terms and weights";

/* What has been found of a document. */
typedef struct json_fields {
    const gs_document_options *options;
    bool is_looking; /* nothing is unescaped where it is */
    bool has_vector, vector_is_empty;
    gs_text_span vector;
    gs_document_list
        *list; /* where terms of vectors are seen; NULL: nobody checks them */
    gs_status *st;
    bool has_id; /* of the field that was chosen, or the first of the usual ones */
    size_t other_id_rank; /* of another usual one: which; GS_USUAL_IDS: there is none */
    gs_json_string id, other_id;
    bool is_there[GS_TEXT_FIELDS_MAX];
    bool comes_twice; /* one of the usual ones but the first, which may stand for all */
    gs_json_string texts[GS_TEXT_FIELDS_MAX];
} json_fields;

static const char text_comes_twice[] = "a text field comes twice";

/* The text of a string, unescaped if need be: where it is, it is not read again. */
static gs_text_span text_of(const gs_json_string *s)
{
    if (!s->has_escapes)
        return s->raw;
    uint8_t *const to = (uint8_t *)(uintptr_t)s->raw.data;
    return (gs_text_span){to, (size_t)(gs_json_unescape(s->raw, to) - to)};
}

/* The name of a field, which stays as it is written unless it is long. */
static gs_text_span name_of(const json_fields *fields, const gs_json_string *key,
                            uint8_t room[KEY_ROOM_BYTES])
{
    if (!key->has_escapes || key->raw.bytes > KEY_ROOM_BYTES)
        return fields->is_looking ? key->raw : text_of(key);
    return (gs_text_span){room, (size_t)(gs_json_unescape(key->raw, room) - room)};
}

/* --- the document ------------------------------------------------------------------ */

static bool is_named(gs_text_span key, const char *name)
{
    const uint8_t first = key.bytes > 0 ? *key.data : '\0'; /* most differ there */
    return (uint8_t)*name == first && strlen(name) == key.bytes &&
           memcmp(name, key.data, key.bytes) == 0;
}

static bool read_id(gs_json_reader *r, bool *is_there, gs_json_string *id)
{
    if (*is_there)
        return gs_json_fail(r, "the name comes twice");
    *is_there = true;
    id->has_escapes = false;
    if (r->at < r->end && gs_json_is_number_start(*r->at))
        return gs_json_read_number(r, &id->raw);
    if (r->at == r->end || *r->at != '"')
        return gs_json_fail(r, "the name is neither a string nor a number");
    return gs_json_read_string(r, id);
}

static bool may_be_id(const gs_json_reader *r)
{
    return r->at < r->end && (*r->at == '"' || gs_json_is_number_start(*r->at));
}

static bool read_text(gs_json_reader *r, json_fields *fields, size_t field)
{
    const bool may_be_text = r->at < r->end && (*r->at == '"' || *r->at == 'n');
    const bool may_not_matter = fields->options->takes_usual_texts && field > 0;
    if (may_not_matter && (!may_be_text || fields->is_there[field])) {
        fields->comes_twice |= may_be_text;
        return gs_json_skip_value(r);
    }
    if (fields->is_there[field])
        return gs_json_fail(r, text_comes_twice);
    fields->is_there[field] = true;
    fields->texts[field] = (gs_json_string){.raw = {r->at, 0}};
    if (r->at < r->end && *r->at == 'n')
        return gs_json_read_word(r, "null");
    if (r->at == r->end || *r->at != '"')
        return gs_json_fail(r, "a text field is not a string");
    return gs_json_read_string(r, &fields->texts[field]);
}

/* Which of the text fields that is; as many as there are: none. Where the first of the
 * usual ones is, the others do not matter. */
static size_t find_text(const json_fields *fields, gs_text_span name)
{
    const gs_document_options *const o = fields->options;
    const size_t count =
        o->takes_usual_texts && fields->is_there[0] ? 1 : o->text_field_count;
    size_t field = 0;
    while (field < count && !is_named(name, o->text_fields[field]))
        field++;
    return field < count ? field : o->text_field_count;
}

/* Which of the usual names but the first it is; GS_USUAL_IDS: none. */
static size_t find_other_id(gs_text_span name)
{
    size_t rank = 1;
    while (rank < GS_USUAL_IDS && !is_named(name, gs_usual_id_fields[rank]))
        rank++;
    return rank;
}

/* The vector is checked where documents are made. Where they are looked at only, it is
 * found if it begins as one. */
static bool read_vector(gs_json_reader *r, json_fields *fields)
{
    gs_document_list *const list = fields->list;
    if (list == NULL) {
        fields->has_vector |= gs_vector_looks(r, &fields->vector_is_empty);
        return gs_json_skip_value(r);
    }
    if (fields->has_vector)
        return gs_json_fail(r, "the vector comes twice");
    fields->has_vector = true;
    return gs_vector_check(r, fields->options->weight_scale, &list->terms, &list->weights,
                           &fields->vector, fields->st);
}

static bool read_field(gs_json_reader *r, json_fields *fields)
{
    gs_json_string key;
    uint8_t room[KEY_ROOM_BYTES];
    if (!gs_json_read_key(r, &key))
        return false;
    const gs_text_span name = name_of(fields, &key, room);
    const gs_document_options *const o = fields->options;
    if ((o->has_weights || fields->is_looking) && is_named(name, GS_VECTOR_FIELD))
        return read_vector(r, fields);
    const bool is_id =
        is_named(name, o->id_field != NULL ? o->id_field : gs_usual_id_fields[0]);
    /* A name may be searched as well, where its field was chosen for that. */
    const size_t field = is_id && o->takes_usual_texts && o->id_field == NULL
                             ? o->text_field_count
                             : find_text(fields, name);
    const bool is_text = field < o->text_field_count;
    const bool may_be_other = o->id_field == NULL && !is_id &&
                              !(is_text && o->takes_usual_texts) && may_be_id(r);
    const size_t rank = may_be_other ? find_other_id(name) : GS_USUAL_IDS;
    const bool is_other_id = rank < GS_USUAL_IDS && rank <= fields->other_id_rank;
    if (!is_id && !is_other_id)
        return is_text ? read_text(r, fields, field) : gs_json_skip_value(r);
    gs_json_string *const id = is_id ? &fields->id : &fields->other_id;
    bool has_other_id = rank == fields->other_id_rank;
    if (!read_id(r, is_id ? &fields->has_id : &has_other_id, id))
        return false;
    if (is_other_id)
        fields->other_id_rank = rank;
    if (is_text) {
        fields->is_there[field] = true;
        fields->texts[field] = *id;
    }
    return true;
}

static bool read_object(gs_json_reader *r, json_fields *fields)
{
    if (!gs_json_take(r, '{'))
        return gs_json_fail(r, "not a JSON object");
    gs_json_skip_blanks(r);
    bool ends = gs_json_take(r, '}');
    while (!ends) {
        if (!read_field(r, fields) || !gs_json_read_separator(r, true, &ends))
            return false;
    }
    gs_json_skip_blanks(r);
    return r->at == r->end ? true : gs_json_fail(r, "something follows the object");
}

/* The texts of a document that is sound. Lines that are not stay as they are, for whoever
 * explains them. */
static size_t unescape_fields(json_fields *fields, gs_text_span *id, gs_text_span *texts)
{
    size_t count = 0;
    *id = text_of(&fields->id);
    for (size_t i = 0; i < fields->options->text_field_count; i++) {
        if (!fields->is_there[i])
            continue;
        const bool is_id = fields->texts[i].raw.data == fields->id.raw.data;
        texts[count++] = is_id ? *id : text_of(&fields->texts[i]);
        if (i == 0 && fields->options->takes_usual_texts)
            break; /* the first of the usual ones stands for all */
    }
    return count;
}

static bool has_texts(const json_fields *fields)
{
    size_t i = 0;
    while (i < fields->options->text_field_count && !fields->is_there[i])
        i++;
    return i < fields->options->text_field_count;
}

/* Why the fields that were read make no document, or NULL. */
static const char *lacks_of(const json_fields *fields)
{
    const bool is_vectors = fields->options->has_weights;
    if (!fields->has_id)
        return gs_document_no_name;
    if (is_vectors ? !fields->has_vector : !has_texts(fields))
        return is_vectors ? no_vector : gs_document_no_text;
    return fields->comes_twice && !fields->is_there[0] ? text_comes_twice : NULL;
}

static gs_code add_bad(gs_document_list *list, gs_text_span line, const char *why,
                       gs_status *st)
{
    GS_TRY(gs_document_list_add_bad(list, list->line_count, why, st));
    list->bad[list->bad_count - 1].text = line;
    return GS_OK;
}

gs_code gs_json_parse_line(gs_document_list *list, const gs_document_options *options,
                           const uint8_t *line, size_t bytes, gs_status *st)
{
    gs_json_reader r = {.at = line, .end = line + bytes};
    gs_json_skip_blanks(&r);
    if (r.at == r.end)
        return GS_OK;
    json_fields fields;
    gs_text_span id = {0}, texts[GS_TEXT_FIELDS_MAX];
    size_t text_count = 0;
    fields.options = options;
    fields.list = list;
    fields.st = st;
    fields.vector = (gs_text_span){0};
    fields.is_looking = fields.has_id = fields.comes_twice = fields.has_vector = false;
    fields.other_id_rank = GS_USUAL_IDS;
    fields.other_id = (gs_json_string){0};
    memset(fields.is_there, 0, options->text_field_count);
    (void)read_object(&r, &fields);
    GS_TRY(st->code);
    if (!fields.has_id && fields.other_id_rank < GS_USUAL_IDS) {
        fields.has_id = true;
        fields.id = fields.other_id;
    }
    if (r.why == NULL)
        r.why = lacks_of(&fields);
    if (r.why == NULL)
        text_count = unescape_fields(&fields, &id, texts);
    if (r.why == NULL)
        r.why = gs_document_name_fault(id);
    if (r.why == NULL) {
        GS_TRY(gs_document_list_add(list, id, texts, text_count, st));
        list->documents[list->count - 1].vector = fields.vector;
        return GS_OK;
    }
    return add_bad(list, (gs_text_span){line, bytes}, r.why, st);
}

/* As they are written, with their quotation marks: in sound JSON that is plain text. */
void gs_json_list_fields(const uint8_t *line, size_t bytes, char *to, size_t capacity)
{
    gs_json_reader r = {.at = line, .end = line + bytes};
    size_t used = 0, more = 0;
    gs_json_skip_blanks(&r);
    bool ends = !gs_json_take(&r, '{');
    *to = '\0';
    while (!ends) {
        gs_json_string key;
        if (!gs_json_read_key(&r, &key) || !gs_json_skip_value(&r) ||
            !gs_json_read_separator(&r, true, &ends))
            break;
        if (more == 0 && used + key.raw.bytes + FIELDS_TAIL_BYTES < capacity)
            used += (size_t)snprintf(to + used, capacity - used, "%s\"%.*s\"",
                                     used > 0 ? ", " : "", (int)key.raw.bytes,
                                     (const char *)key.raw.data);
        else
            more++;
    }
    if (more > 0)
        (void)snprintf(to + used, capacity - used, " and %zu more", more);
}

void gs_json_look(const gs_document_options *options, const uint8_t *line, size_t bytes,
                  gs_json_finding *out)
{
    gs_json_reader r = {.at = line, .end = line + bytes};
    json_fields fields = {
        .options = options, .is_looking = true, .other_id_rank = GS_USUAL_IDS};
    gs_json_skip_blanks(&r);
    *out = (gs_json_finding){.is_sound = read_object(&r, &fields)};
    out->id_field = fields.has_id && options->id_field != NULL ? options->id_field
                    : fields.has_id                            ? gs_usual_id_fields[0]
                    : fields.other_id_rank < GS_USUAL_IDS
                        ? gs_usual_id_fields[fields.other_id_rank]
                        : NULL;
    for (size_t i = 0; i < options->text_field_count; i++) {
        if (fields.is_there[i])
            out->text_fields[out->text_field_count++] = options->text_fields[i];
        if (i == 0 && fields.is_there[i] && options->takes_usual_texts)
            break;
    }
    out->has_vector =
        fields.has_vector && (!fields.vector_is_empty || out->text_field_count == 0);
}

bool gs_json_find_name(const gs_document_options *options, const uint8_t *line,
                       size_t bytes, gs_text_span *name)
{
    gs_json_reader r = {.at = line, .end = line + bytes};
    json_fields fields = {.options = options, .other_id_rank = GS_USUAL_IDS};
    bool ends = false;
    gs_json_skip_blanks(&r);
    (void)gs_json_take(&r, '{');
    while (!fields.has_id && !ends && read_field(&r, &fields) &&
           gs_json_read_separator(&r, true, &ends)) {
    }
    if (r.why != NULL || (!fields.has_id && fields.other_id_rank == GS_USUAL_IDS))
        return false;
    *name = text_of(fields.has_id ? &fields.id : &fields.other_id);
    return name->bytes > 0;
}
