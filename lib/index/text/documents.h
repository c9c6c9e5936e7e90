/* SPDX-License-Identifier: MIT */
/*
 * documents: what others see of the room of documents: input to documents, text to
 * terms.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENTS_H
#define GS_LIB_INDEX_TEXT_DOCUMENTS_H

#include "lib/index/text/document.h"
#include "lib/index/text/document_shape.h"
#include "lib/index/text/token.h"
#include "lib/index/text/tokenizer.h"
#include "lib/index/text/tuple.h"
#include "lib/index/text/word_filter.h"
#include "lib/index/text/word_walk.h"
#include "lib/base/utf8.h"

#endif
