/* SPDX-License-Identifier: MIT */
/*
 * formats: what others see of the room of the format: how numbers, lists and headers
 * of an index are laid out.
 */
#ifndef GS_LIB_INDEX_FORMAT_FORMATS_H
#define GS_LIB_INDEX_FORMAT_FORMATS_H

#include "lib/index/format/impact.h"
#include "lib/index/format/index_format.h"
#include "lib/index/format/index_header.h"
#include "lib/index/format/index_manifest.h"
#include "lib/index/format/interpolate.h"
#include "lib/index/format/length_table.h"
#include "lib/index/format/number_block.h"
#include "lib/index/format/page_sums.h"
#include "lib/index/format/posting.h"
#include "lib/index/format/posting_block.h"
#include "lib/index/format/posting_gap.h"
#include "lib/index/format/posting_gather.h"
#include "lib/index/format/posting_pack.h"
#include "lib/index/format/posting_tail.h"
#include "lib/index/format/stored_text.h"
#include "lib/index/format/term_prefix.h"
#include "lib/index/format/tombstones.h"
#include "lib/index/format/varint.h"

#endif
