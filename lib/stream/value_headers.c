/* SPDX-License-Identifier: MIT */
#include "lib/stream/value_headers.h"

#include "lib/base/mem.h"

gs_code gs_value_headers_init(gs_value_headers *h, const gs_value_options *values,
                              const char *const *names, size_t name_count, gs_status *st)
{
    const gs_column_format *const f = &values->format;
    *h = (gs_value_headers){
        .values = values,
        .names = names,
        .order = {.form = f->is_csv ? GS_FORM_CSV : GS_FORM_LINES,
                  .delimiter = f->has_separator ? f->separator : GS_ORDER_BLANK_FIELDS,
                  .eol = '\n'},
    };
    h->csv = gs_order_csv(&h->order);
    h->form = (gs_line_feed_options){.eol = h->order.eol,
                                     .header_lines = 1,
                                     .csv = f->is_csv ? &h->csv : NULL,
                                     .names = names};
    gs_file_header_init(&h->first, &h->form);
    return gs_mem_new_array(&h->fields, name_count, sizeof *h->fields, "columns", st);
}

void gs_value_headers_release(gs_value_headers *h)
{
    gs_file_header_release(&h->first);
    gs_mem_free(h->fields);
    h->fields = NULL;
}

static gs_code find_columns(gs_value_headers *h, const gs_line_batch *batch, size_t bytes,
                            gs_status *st)
{
    const gs_value_options *const o = h->values;
    for (size_t i = 0; i < o->column_count; i++) {
        size_t *const field = &h->fields[batch->input_index][i];
        if (o->columns[i].name == NULL)
            continue;
        GS_TRY(gs_column_name_find(
            &h->order, batch->data, bytes, h->names[batch->input_index],
            o->columns[i].name, "a column may be given by its number too, counted from 1",
            field, st));
        *field += 1; /* a sort counts from 0 */
    }
    return GS_OK;
}

gs_code gs_value_headers_see(gs_value_headers *h, const gs_line_batch *batch,
                             gs_status *st)
{
    gs_line_batch rest = *batch;
    rest.first_line = 1;
    if (h->values->is_record)
        GS_TRY(gs_file_header_take(&h->first, &rest, st));
    else {
        size_t bytes;
        GS_TRY(gs_file_header_cut(&h->form, &rest, &bytes, st));
    }
    return find_columns(h, batch, batch->bytes - rest.bytes, st);
}

gs_value_options gs_value_headers_apply(const gs_value_headers *h,
                                        const gs_line_batch *batch)
{
    gs_value_options o = *h->values;
    for (size_t i = 0; i < o.column_count; i++) {
        if (o.columns[i].name != NULL)
            o.columns[i].field = h->fields[batch->input_index][i];
    }
    return o;
}
