/* SPDX-License-Identifier: MIT */
#include "lib/index/block/term_block.h"

#include "lib/base/mem.h"

void gs_term_reader_begin(gs_term_reader *reader)
{
    *reader = (gs_term_reader){.kept = reader->kept,
                               .window = reader->window,
                               .window_give_back = reader->window_give_back};
}

void gs_term_reader_release(gs_term_reader *reader)
{
    gs_term_reader_close(reader);
    gs_mem_free(reader->kept);
    reader->kept = NULL;
    if (reader->window != NULL)
        reader->window_give_back(reader->window);
    reader->window = NULL;
}

void gs_term_reader_close(gs_term_reader *reader)
{
    if (reader->sorted_bytes > 0)
        gs_mem_unmap(reader->sorted, reader->sorted_bytes);
    reader->sorted = NULL;
    reader->sorted_bytes = 0;
    if (reader->held != NULL)
        pthread_mutex_unlock(reader->held);
    reader->held = NULL;
}
