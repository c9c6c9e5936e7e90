/* SPDX-License-Identifier: MIT */
/*
 * text_span: a span of the trace that the device's own progress begins and ends.
 */
#ifndef GS_GPU_TEXT_SPAN_CUH
#define GS_GPU_TEXT_SPAN_CUH

#include "gpu/text/text_chunk.cuh"
#include "lib/base/mem.h"

typedef struct gs_text_span {
    gs_trace *trace;
    gs_trace_span span;
} gs_text_span;

static void CUDART_CB begin_span(void *context)
{
    gs_text_span *const s = (gs_text_span *)context;
    s->span.begin_ns = gs_trace_begin(s->trace);
}

static void CUDART_CB end_span(void *context)
{
    gs_text_span *const s = (gs_text_span *)context;
    s->span.end_ns = gs_trace_begin(s->trace);
    gs_trace_add(s->trace, &s->span);
    gs_mem_free(s);
}

/* A span on a stream, from here to its stop. */
class StreamSpan
{
  public:
    StreamSpan(gs_text_sort *t, gs_trace_lane lane, const char *name, unsigned number,
               uint64_t bytes, cudaStream_t stream)
        : stream_(stream)
    {
        gs_status ignored = {};
        void *memory = nullptr;
        if (t->options.trace == nullptr ||
            gs_mem_new(&memory, sizeof(gs_text_span), "trace span", &ignored) != GS_OK)
            return;
        gs_text_span *const s = (gs_text_span *)memory;
        s->trace = t->options.trace;
        s->span.name = name;
        s->span.lane = lane;
        s->span.number = number;
        s->span.bytes = bytes;
        if (launch(begin_span, s))
            span_ = s;
        else
            gs_mem_free(s);
    }

    /* The stream frees it then. */
    void stop()
    {
        if (span_ != nullptr && launch(end_span, span_))
            span_ = nullptr;
    }

    /* Without an end: the beginning may be still to come, or at work. */
    ~StreamSpan()
    {
        if (span_ == nullptr)
            return;
        (void)cudaStreamSynchronize(stream_);
        (void)cudaGetLastError();
        gs_mem_free(span_);
    }

    StreamSpan(const StreamSpan &) = delete;
    StreamSpan &operator=(const StreamSpan &) = delete;

  private:
    bool launch(cudaHostFn_t function, gs_text_span *s)
    {
        const bool is_good = gs_gpu_fault() == cudaSuccess &&
                             cudaLaunchHostFunc(stream_, function, s) == cudaSuccess;
        (void)cudaGetLastError();
        return is_good;
    }

    cudaStream_t stream_;
    gs_text_span *span_ = nullptr;
};

#endif
