/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/line_merge.h"

#include "lib/base/mem.h"
#include "lib/sort/text/line_step.h"

gs_code gs_line_merge_init(gs_line_merge *m, size_t text_count, uint8_t eol,
                           bool is_backwards, size_t line_bytes_max, gs_status *st)
{
    *m = (gs_line_merge){.line_bytes_max = line_bytes_max, .eol = eol};
    GS_TRY(gs_merge_tree_init(&m->tree, text_count, is_backwards, st));
    return gs_mem_new_array(&m->ends, text_count, sizeof *m->ends, "parts of a piece",
                            st);
}

void gs_line_merge_release(gs_line_merge *m)
{
    gs_merge_tree_release(&m->tree);
    gs_mem_free(m->ends);
    *m = (gs_line_merge){0};
}

static gs_line_merge_end stop(gs_line_merge *m, uint32_t source, const uint8_t *at,
                              gs_line_merge_end how)
{
    m->source = source;
    m->at = at;
    return how;
}

/* So many bytes are looked at for the end of a line: if it is not there the line is open,
 * or too long. */
static inline size_t bytes_to_look_at(const gs_line_merge *m, const uint8_t *line,
                                      const uint8_t *end)
{
    const size_t left = (size_t)(end - line);
    return left <= m->line_bytes_max ? left : m->line_bytes_max + 1;
}

static gs_line_merge_end stop_at_line(gs_line_merge *m, uint32_t source,
                                      const uint8_t *line)
{
    const size_t left = (size_t)(m->ends[source] - line);
    return stop(m, source, line,
                left <= m->line_bytes_max ? GS_LINE_MERGE_OPEN : GS_LINE_MERGE_LONG);
}

gs_line_merge_end gs_line_merge_start(gs_line_merge *m, const uint8_t *const *begins,
                                      const uint8_t *const *ends)
{
    gs_merge_tree *const tree = &m->tree;
    for (uint32_t i = 0; i < tree->count; i++) {
        gs_merge_head *const head = &tree->heads[i];
        *head = (gs_merge_head){.code = GS_OVC_EXHAUSTED};
        m->ends[i] = ends[i];
        if (begins[i] == ends[i])
            continue;
        const size_t most = bytes_to_look_at(m, begins[i], ends[i]);
        head->string = begins[i];
        head->string_bytes = gs_line_find(begins[i], most, m->eol);
        if (head->string_bytes == most)
            return stop_at_line(m, i, begins[i]);
        head->code = gs_ovc_code(head->string, head->string_bytes, 0, tree->is_backwards);
    }
    gs_merge_tree_start(tree);
    return GS_LINE_MERGE_FULL;
}

size_t gs_line_merge_next_bytes(const gs_line_merge *m)
{
    return m->tree.heads[gs_merge_tree_winner(&m->tree)].string_bytes + 1;
}

/* The loop that everything is for. A line that is the same as the one before it comes
 * next, with no match: who could come before it would have come before that one. */
static inline gs_line_merge_end merge(gs_line_merge *m, bool is_backwards, uint8_t *to,
                                      size_t room, size_t *made_bytes,
                                      uint64_t *made_lines)
{
    gs_merge_tree *const tree = &m->tree;
    const uint8_t eol = m->eol;
    size_t made = 0;
    uint64_t lines = 0;
    gs_line_merge_end how = GS_LINE_MERGE_DONE;
    while (gs_merge_tree_has_winner(tree)) {
        const uint32_t winner = gs_merge_tree_winner(tree);
        gs_merge_head *const head = &tree->heads[winner];
        const uint8_t *const line = head->string;
        const size_t bytes = head->string_bytes;
        if (bytes >= room - made) {
            how = GS_LINE_MERGE_FULL;
            break;
        }
        const uint8_t *const next = line + bytes + 1;
        const size_t most = bytes_to_look_at(m, next, m->ends[winner]);
        gs_line_ask_ahead(next);
        gs_copy_short(to + made, line, bytes + 1);
        made += bytes + 1;
        lines++;
        head->code = GS_OVC_EXHAUSTED;
        if (most > 0) {
            const gs_line_step step = gs_line_step_to(line, bytes, next, most, eol);
            if (step.bytes == most) {
                how = stop_at_line(m, winner, next);
                break;
            }
            if (is_backwards ? step.order < 0 : step.order > 0) {
                how = stop(m, winner, line, GS_LINE_MERGE_DISORDER);
                break;
            }
            head->string = next;
            head->string_bytes = step.bytes;
            if (step.order == 0)
                continue;
            head->code = gs_ovc_code(next, step.bytes, step.differ, is_backwards);
        }
        gs_merge_tree_replay(tree);
    }
    *made_bytes = made;
    *made_lines = lines;
    return how;
}

gs_line_merge_end gs_line_merge_some(gs_line_merge *m, uint8_t *to, size_t room,
                                     size_t *made_bytes, uint64_t *made_lines)
{
    return m->tree.is_backwards ? merge(m, true, to, room, made_bytes, made_lines)
                                : merge(m, false, to, room, made_bytes, made_lines);
}
