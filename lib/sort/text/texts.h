/* SPDX-License-Identifier: MIT */
/*
 * texts: what others see of the room of sorted text: files that are merged where
 * they are, runs of text, and where texts are cut.
 */
#ifndef GS_LIB_SORT_TEXT_TEXTS_H
#define GS_LIB_SORT_TEXT_TEXTS_H

#include "lib/sort/text/file_merge.h"
#include "lib/sort/text/mapped_merge.h"
#include "lib/sort/text/mapped_store.h"
#include "lib/sort/text/stretches.h"
#include "lib/sort/text/text_cut.h"
#include "lib/sort/text/text_output.h"
#include "lib/sort/text/text_store.h"

#endif
