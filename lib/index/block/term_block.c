/* SPDX-License-Identifier: MIT */
#include "lib/index/block/term_block.h"

#include "lib/base/mem.h"

void gs_posting_reader_begin(gs_posting_reader *reader)
{
    *reader = (gs_posting_reader){.kept = reader->kept};
}

void gs_posting_reader_release(gs_posting_reader *reader)
{
    gs_posting_reader_close(reader);
    gs_mem_free(reader->kept);
    reader->kept = NULL;
}

void gs_posting_reader_close(gs_posting_reader *reader)
{
    if (reader->sorted_bytes > 0)
        gs_mem_unmap(reader->sorted, reader->sorted_bytes);
    reader->sorted = NULL;
    reader->sorted_bytes = 0;
    if (reader->held != NULL)
        pthread_mutex_unlock(reader->held);
    reader->held = NULL;
}
