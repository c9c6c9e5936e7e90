/* SPDX-License-Identifier: MIT */
#include "lib/index/block/text_piece.h"

#include "gpu/words/word_block.h"
#include "lib/base/ascii_word.h"
#include "lib/base/assertion.h"

enum {
    /* Stretches that are nearer than this are one: to go through the tokenizer has a cost
     * of its own, which a few words of ASCII more do not reach. */
    NEAR_BYTES = 48,
};

void gs_text_piece_bind(gs_text_piece *p, uint8_t *text, size_t byte_capacity,
                        uint32_t *starts, size_t document_capacity)
{
    gs_assert(byte_capacity >= GS_TEXT_PIECE_BYTES_MIN && document_capacity > 0);
    p->text = text;
    p->byte_capacity = byte_capacity;
    p->starts = starts;
    p->document_capacity = document_capacity;
}

void gs_text_piece_use(gs_text_piece *p, gs_tokenizer *tokenizer, gs_token_batch *tokens)
{
    p->tokenizer = tokenizer;
    p->tokens = tokens;
}

void gs_text_piece_clear(gs_text_piece *p, bool goes_on)
{
    p->bytes = 0;
    p->document_count = goes_on ? 1 : 0;
    p->goes_on = goes_on;
    p->starts[0] = p->starts[1] = 0;
}

static void put_end(gs_text_piece *p)
{
    p->starts[p->document_count] = (uint32_t)p->bytes;
}

bool gs_text_piece_begin_document(gs_text_piece *p)
{
    if (p->document_count == p->document_capacity)
        return false;
    put_end(p);
    p->document_count++;
    put_end(p);
    return true;
}

void gs_text_piece_begin_text(gs_text_piece *p, const uint8_t *text, size_t bytes)
{
    gs_assert(!p->in_stretch);
    p->at = text;
    p->end = text + bytes;
}

/* --- stretches ---------------------------------------------------------------------- */

/* A word, and the space behind it; false: there is no room. */
static bool put_word(gs_text_piece *p, const uint8_t *word, size_t bytes)
{
    if (p->bytes + bytes + 1 > p->byte_capacity)
        return false;
    memcpy(p->text + p->bytes, word, bytes);
    p->text[p->bytes + bytes] = ' ';
    p->bytes += bytes + 1;
    return true;
}

/* Gaps up to the position; false: there is no room. */
static bool put_gaps(gs_text_piece *p, uint32_t position)
{
    static const uint8_t gap = GS_WORD_GAP;
    for (; p->position < position; p->position++) {
        if (!put_word(p, &gap, 1))
            return false;
    }
    return true;
}

/* The tokens at hand; false: there is no room for all. */
static bool put_tokens(gs_text_piece *p)
{
    for (; p->placed < p->tokens->count; p->placed++) {
        const gs_token *const token = &p->tokens->tokens[p->placed];
        if (!put_gaps(p, token->position) || !put_word(p, token->term, token->bytes))
            return false;
        p->position++;
    }
    return true;
}

/* What is left out behind the last term is known when there are no more. */
static bool put_last_gaps(gs_text_piece *p)
{
    return put_gaps(p, gs_tokenizer_position(p->tokenizer));
}

/* Goes on with a stretch until its terms are placed or the piece is full. */
static gs_code take_stretch(gs_text_piece *p, gs_status *st)
{
    while (p->in_stretch && put_tokens(p)) {
        if (p->is_read) {
            p->in_stretch = !put_last_gaps(p);
            return GS_OK;
        }
        GS_TRY(gs_tokenizer_next(p->tokenizer, p->tokens, st));
        p->placed = 0;
        p->is_read = p->tokens->count == 0;
    }
    return GS_OK;
}

static void begin_stretch(gs_text_piece *p, const uint8_t *end)
{
    gs_tokenizer_begin_document(p->tokenizer);
    gs_tokenizer_begin_text(p->tokenizer, p->at, (size_t)(end - p->at));
    gs_token_batch_clear(p->tokens);
    p->at = end;
    p->in_stretch = true;
    p->is_read = false;
    p->placed = 0;
    p->position = 0;
}

/* --- ASCII -------------------------------------------------------------------------- */

/* Copies up to the first byte that is not ASCII; how many bytes that are. */
static size_t copy_ascii(uint8_t *to, const uint8_t *from, size_t bytes)
{
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
        memcpy(to + i, &word, sizeof word);
    }
    for (; i < bytes && from[i] < 0x80; i++)
        to[i] = from[i];
    return i;
}

/* A text may be cut before it. */
static bool is_seam(uint8_t c)
{
    return c < 0x80 && !gs_ascii_is_word(c);
}

/* Where the stretch begins around the byte at `p`; between it and `from` all is ASCII. */
static const uint8_t *find_stretch(const uint8_t *from, const uint8_t *p)
{
    while (p > from && !is_seam(p[-1]))
        p--;
    return p > from ? p - 1 : p;
}

static const uint8_t *find_stretch_end(const uint8_t *p, const uint8_t *end)
{
    for (;;) {
        while (p < end && !is_seam(*p))
            p++;
        const uint8_t *const seam = p;
        while (p < end && *p < 0x80 && p - seam < NEAR_BYTES)
            p++;
        if (p == end || *p < 0x80)
            return seam;
    }
}

/* Takes the copy of text up to `to` in, with a space behind it. */
static void keep_copy(gs_text_piece *p, const uint8_t *to)
{
    const size_t bytes = (size_t)(to - p->at);
    p->at = to;
    if (bytes == 0)
        return;
    p->bytes += bytes;
    p->text[p->bytes++] = ' ';
}

/* The next ASCII, and then a stretch begins if one follows; false: the piece is full. */
static bool take_ascii(gs_text_piece *p)
{
    const size_t room = p->byte_capacity - p->bytes, left = (size_t)(p->end - p->at);
    if (room < 2)
        return false;
    const size_t most = left < room ? left : room - 1;
    const size_t copied = copy_ascii(p->text + p->bytes, p->at, most);
    if (copied == left) {
        keep_copy(p, p->end);
        return true;
    }
    const uint8_t *const stop = p->at + copied;
    const uint8_t *const begin = find_stretch(p->at, stop);
    if (copied < most) {
        keep_copy(p, begin);
        begin_stretch(p, find_stretch_end(stop, p->end));
        return true;
    }
    if (begin > p->at) {
        keep_copy(p, begin);
        return false;
    }
    if (p->bytes > 0)
        return false;
    begin_stretch(p,
                  find_stretch_end(stop, p->end)); /* a word longer than words may be */
    return true;
}

gs_code gs_text_piece_take(gs_text_piece *p, bool *is_done, gs_status *st)
{
    *is_done = false;
    for (bool has_room = true; has_room;) {
        GS_TRY(take_stretch(p, st));
        if (p->in_stretch)
            break;
        *is_done = p->at == p->end;
        if (*is_done)
            break;
        has_room = take_ascii(p);
    }
    put_end(p);
    return GS_OK;
}
