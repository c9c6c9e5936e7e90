/* SPDX-License-Identifier: MIT */
/*
 * readers: what others see of the room of readers: a mapped index, its terms, its
 * documents and its postings.
 */
#ifndef GS_LIB_INDEX_READ_READERS_H
#define GS_LIB_INDEX_READ_READERS_H

#include "lib/index/read/bm25.h"
#include "lib/index/read/block_bound.h"
#include "lib/index/read/document_cursor.h"
#include "lib/index/read/index_dictionary.h"
#include "lib/index/read/index_documents.h"
#include "lib/index/read/index_reader.h"
#include "lib/index/read/index_text.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/name_find.h"
#include "lib/index/read/posting_list.h"
#include "lib/index/read/term_cursor.h"
#include "lib/index/read/text_reader.h"

#endif
