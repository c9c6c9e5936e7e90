/* SPDX-License-Identifier: MIT */
/*
 * text_choice: are the runs of a GPU text that it sorts again (device_merge.h), or
 * records that the cores merge?
 *
 * Text costs the cores next to nothing, and the disk every byte twice, as it is not
 * packed; records cost the cores all their time, and the disk what a codec leaves of
 * them. So it depends on how much of the text the memory has no room for, on the disk, on
 * what the codec does to a sample, and on how many cores there are.
 */
#ifndef GS_LIB_SORT_DEVICE_TEXT_CHOICE_H
#define GS_LIB_SORT_DEVICE_TEXT_CHOICE_H

#include "lib/sort/form/forms.h"

/* `sample` is some of the text. The environment may say text or records in
 * GS_DEVICE_RUNS, for measuring and tests, where a sort could have both. */
bool gs_text_choice_is_text(const gs_forming *forming, const uint8_t *sample,
                            size_t sample_bytes);

#endif
