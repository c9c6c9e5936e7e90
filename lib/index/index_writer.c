/* SPDX-License-Identifier: MIT */
/* temporary text dump */
#include "lib/index/index_writer.h"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <errno.h>
#include <sys/stat.h>
#include "lib/base/mem.h"
struct gs_index_writer {
    gs_index_writer_options o;
    FILE *docs;
    uint64_t count;
    char folder[4096];
};
struct gs_index_part {
    gs_index_writer *w;
    FILE *f;
    uint8_t term[65536];
    size_t n;
    bool null;
};
gs_code gs_index_writer_new(gs_index_writer **out, const gs_index_writer_options *o,
                            gs_status *st)
{
    void *m;
    GS_TRY(gs_mem_new(&m, sizeof(gs_index_writer), "w", st));
    gs_index_writer *w = m;
    w->o = *o;
    snprintf(w->folder, sizeof w->folder, "%s", o->folder);
    if (mkdir(w->folder, 0777) != 0 && errno != EEXIST) {
        gs_mem_free(w);
        return GS_FAIL(st, GS_ERR_IO, errno, "mkdir %s", o->folder);
    }
    char p[5000];
    snprintf(p, sizeof p, "%s/docs", w->folder);
    w->docs = fopen(p, "w");
    *out = w;
    return GS_OK;
}
gs_code gs_index_writer_document(gs_index_writer *w, const void *name, size_t n,
                                 uint32_t length, gs_status *st)
{
    (void)st;
    w->count++;
    fwrite(name, 1, n, w->docs);
    fprintf(w->docs, "\t%u\n", length);
    return GS_OK;
}
gs_code gs_index_writer_set_document_count(gs_index_writer *w, uint64_t count,
                                           gs_status *st)
{
    (void)st;
    w->count = count;
    return GS_OK;
}
gs_code gs_index_part_new(gs_index_part **out, gs_index_writer *w, unsigned part,
                          gs_status *st)
{
    void *m;
    GS_TRY(gs_mem_new(&m, sizeof(gs_index_part), "p", st));
    gs_index_part *p = m;
    p->w = w;
    char n[5000];
    p->null = getenv("NULLW") != NULL;
    snprintf(n, sizeof n, "%s/part%04u", w->folder, part);
    if (!p->null)
        p->f = fopen(n, "w");
    *out = p;
    return GS_OK;
}
gs_code gs_index_part_term(gs_index_part *p, const void *t, size_t n, gs_status *st)
{
    (void)st;
    memcpy(p->term, t, n);
    p->n = n;
    return GS_OK;
}
gs_code gs_index_part_postings(gs_index_part *p, const uint64_t *docs,
                               const uint32_t *tfs, size_t count, const uint32_t *pos,
                               gs_status *st)
{
    (void)st;
    if (p->null)
        return GS_OK;
    for (size_t i = 0; i < count; i++) {
        fwrite(p->term, 1, p->n, p->f);
        fprintf(p->f, "\t%lu\t%u", docs[i], tfs[i]);
        if (pos)
            for (uint32_t k = 0; k < tfs[i]; k++)
                fprintf(p->f, "%c%u", k ? ',' : '\t', *pos++);
        fputc('\n', p->f);
    }
    return GS_OK;
}
gs_code gs_index_part_finish(gs_index_part *p, gs_status *st)
{
    (void)st;
    if (p->f)
        fclose(p->f);
    p->f = NULL;
    return GS_OK;
}
void gs_index_part_free(gs_index_part *p)
{
    if (p == NULL)
        return;
    if (p->f)
        fclose(p->f);
    gs_mem_free(p);
}
gs_code gs_index_writer_commit(gs_index_writer *w, gs_status *st)
{
    (void)st;
    fclose(w->docs);
    w->docs = NULL;
    return GS_OK;
}
void gs_index_writer_free(gs_index_writer *w)
{
    if (!w)
        return;
    if (w->docs)
        fclose(w->docs);
    gs_mem_free(w);
}
