/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/json_value.h"

#include <string.h>

#include "lib/json/json_reader.h"

enum { NAME_ROOM_BYTES = 6 * GS_JSON_NAME_BYTES_MAX };

/* A walk through an object. `open` says for each path how many of its names are those of
 * the objects that are open, from the outermost: the others are not looked for. */
typedef struct json_walk {
    gs_json_reader r;
    const gs_order *order;
    size_t path_count;
    uint8_t open[GS_JSON_PATHS_MAX];
    gs_json_value *values;
} json_walk;

static const char *name_at(const gs_json_path *path, size_t level)
{
    const char *name = path->names;
    while (level-- > 0)
        name += strlen(name) + 1;
    return name;
}

/* Readable as every value is. */
static gs_json_value nothing(const json_walk *w)
{
    return (gs_json_value){.raw = {w->r.end, 0}};
}

static bool is_named(const gs_json_string *key, const char *name)
{
    const size_t bytes = strlen(name);
    uint8_t room[NAME_ROOM_BYTES];
    if (!key->has_escapes)
        return bytes == key->raw.bytes && memcmp(name, key->raw.data, bytes) == 0;
    if (key->raw.bytes > sizeof room) /* at most six bytes are written for one */
        return false;
    const size_t made = (size_t)(gs_json_unescape(key->raw, room) - room);
    return made == bytes && memcmp(name, room, bytes) == 0;
}

/* Takes the name of a field: which paths go on or end with it? What they had from a field
 * of the same name before goes. */
static void enter(json_walk *w, const gs_json_string *key, uint8_t level, bool *goes_on,
                  bool *ends)
{
    *goes_on = *ends = false;
    for (size_t i = 0; i < w->path_count; i++) {
        const gs_json_path *const path = &w->order->json_paths[i];
        if (w->open[i] != level || path->depth == level ||
            !is_named(key, name_at(path, level)))
            continue;
        w->open[i]++;
        w->values[i] = nothing(w);
        *ends |= path->depth == w->open[i];
        *goes_on |= path->depth > w->open[i];
    }
}

/* Keeps a value for the paths that end with it, and goes back to the object it is in. */
static void leave(json_walk *w, uint8_t level, const gs_json_value *value)
{
    for (size_t i = 0; i < w->path_count; i++) {
        if (w->open[i] <= level)
            continue;
        if (w->order->json_paths[i].depth == w->open[i])
            w->values[i] = *value;
        w->open[i] = level;
    }
}

static bool read_object(json_walk *w, uint8_t level);

/* A value that some path goes through or ends with. */
static bool read_value(json_walk *w, uint8_t level, bool goes_on, gs_json_value *out)
{
    gs_json_reader *const r = &w->r;
    const uint8_t *const begin = r->at;
    const uint8_t first = begin < r->end ? *begin : 0;
    gs_json_string string;
    *out = nothing(w);
    if (first == '"') {
        if (!gs_json_read_string(r, &string))
            return false;
        *out = (gs_json_value){string.raw, string.has_escapes};
        return true;
    }
    const bool is_read = goes_on && first == '{' ? read_object(w, (uint8_t)(level + 1))
                                                 : gs_json_skip_value(r);
    if (first != 'n')
        out->raw = (gs_text_span){begin, (size_t)(r->at - begin)};
    return is_read;
}

static bool read_field(json_walk *w, uint8_t level)
{
    gs_json_string key;
    gs_json_value value;
    bool goes_on, ends;
    if (!gs_json_read_key(&w->r, &key))
        return false;
    enter(w, &key, level, &goes_on, &ends);
    if (!goes_on && !ends)
        return gs_json_skip_value(&w->r);
    if (!read_value(w, level, goes_on, &value))
        return false;
    leave(w, level, &value);
    return true;
}

/* No deeper than paths are. */
static bool read_object(json_walk *w, uint8_t level)
{
    if (!gs_json_take(&w->r, '{'))
        return gs_json_fail(&w->r, "not a JSON object");
    gs_json_skip_blanks(&w->r);
    bool ends = gs_json_take(&w->r, '}');
    while (!ends) {
        if (!read_field(w, level) || !gs_json_read_separator(&w->r, true, &ends))
            return false;
    }
    return true;
}

static const char *walk_line(json_walk *w)
{
    gs_json_skip_blanks(&w->r);
    if (w->r.at == w->r.end || !read_object(w, 0))
        return w->r.why;
    gs_json_skip_blanks(&w->r);
    return w->r.at == w->r.end ? NULL : "something follows the object";
}

const char *gs_json_values_find(const gs_order *order, const uint8_t *line, size_t bytes,
                                gs_json_value values[GS_JSON_PATHS_MAX])
{
    json_walk w = {.r = {.at = line, .end = line + bytes},
                   .order = order,
                   .path_count = order->key_count,
                   .values = values};
    for (size_t i = 0; i < order->key_count; i++)
        values[i] = nothing(&w);
    return walk_line(&w);
}

gs_text_span gs_json_value_text(const gs_json_value *value, uint8_t *room)
{
    if (!value->has_escapes)
        return value->raw;
    return (gs_text_span){room, (size_t)(gs_json_unescape(value->raw, room) - room)};
}

const char *gs_json_line_why(const uint8_t *line, size_t bytes)
{
    json_walk w = {.r = {.at = line, .end = line + bytes}};
    return walk_line(&w);
}
