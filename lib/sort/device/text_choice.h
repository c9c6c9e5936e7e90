/* SPDX-License-Identifier: MIT */
/*
 * text_choice: are the runs of a GPU text that it sorts again (device_merge.h), or
 * records that the cores merge?
 *
 * Text costs the cores next to nothing, and the disk every byte twice, as it is not
 * packed; records cost the cores all their time, and the disk what a codec leaves of
 * them. So it depends on how much of the text the memory has no room for, on the disk, on
 * what the codec does to a sample, and on how many cores there are. Text has all of equal
 * records, of which runs of records have one.
 */
#ifndef GS_LIB_SORT_DEVICE_TEXT_CHOICE_H
#define GS_LIB_SORT_DEVICE_TEXT_CHOICE_H

#include "lib/sort/form/forms.h"

/* `sample` is some of the text; of records, equal ones dropped, the share `kept` goes
 * into a run; *memory_bytes is what the runs may take of the memory.
 * For measuring and tests, where a sort could have both, the environment may say in
 * GS_DEVICE_RUNS: records, text, or text:BYTES with so much memory for it. */
bool gs_text_choice_is_text(const gs_forming *forming, const uint8_t *sample,
                            size_t sample_bytes, double kept, size_t *memory_bytes);

#endif
