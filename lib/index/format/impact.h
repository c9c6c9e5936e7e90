/* SPDX-License-Identifier: MIT */
/*
 * impact: what a block of postings can at most add to the score of a document.
 *
 * A score grows with the frequency and falls with the document's length, by how much the
 * query says. So a block keeps the pairs of frequency and length that no other of its
 * postings beats in both, and whatever the parameters are, its best posting is among
 * them:
 *
 *      postings (tf, length)   (1, 90) (1, 40) (3, 200) (2, 60) (3, 75) (1, 50)
 *      kept                    (1, 40) (2, 60) (3, 75)
 *
 * Both are kept in a byte each, lengths rounded down and frequencies up, so that bounds
 * stay bounds. Where there are more than GS_IMPACTS_KEPT pairs, two neighbours become one
 * that is at least as good as both. Six would say more, but to look at them takes longer
 * than they save. Documents without lengths count as having none.
 *
 *      written: frequency, length; frequency, length; ...     (two bytes a pair)
 */
#ifndef GS_LIB_INDEX_FORMAT_IMPACT_H
#define GS_LIB_INDEX_FORMAT_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/impact_steps.h"
#include "lib/index/format/posting_pack.h"

/* Of frequencies less 1, as blocks have them, and codes of their documents' lengths. */
void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *lengths,
                   size_t count);
/* For tests: in a way that the processor has. */
void gs_impacts_of_by(gs_pack_way way, gs_impacts *out, const uint64_t *tfs_less_one,
                      const uint8_t *lengths, size_t count);
/* Adds what another block has. */
void gs_impacts_join(gs_impacts *to, const gs_impacts *more);
/* Is a posting of that kind no better than one of them? */
bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t length);

/* Writes two bytes a pair; returns the end of them. */
uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts);

static inline gs_impact gs_impact_at(const uint8_t *written, unsigned i)
{
    return (gs_impact){written[GS_IMPACT_BYTES * i], written[GS_IMPACT_BYTES * i + 1]};
}

#endif
