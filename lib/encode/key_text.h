/* SPDX-License-Identifier: MIT */
/*
 * key_text: what a byte is, in the C locale and whatever the process's locale says.
 */
#ifndef GS_LIB_ENCODE_KEY_TEXT_H
#define GS_LIB_ENCODE_KEY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of the host and of kernels. Those that are rarely called or long are of their
 * own on a device, where what is inlined takes registers of all that is beside it. */
#ifdef __CUDACC__
#define GS_BOTH        static __host__ __device__ __forceinline__
#define GS_BOTH_CALLED static __host__ __device__ __noinline__
#else
#define GS_BOTH        static inline __attribute__((always_inline))
#define GS_BOTH_CALLED static inline
#endif

/* What separates fields without -t; a newline is one too, which matters with -z. */
GS_BOTH bool gs_text_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

GS_BOTH const uint8_t *gs_text_skip_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && gs_text_is_blank(*p))
        p++;
    return p;
}

GS_BOTH bool gs_text_is_letter(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

GS_BOTH bool gs_text_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

GS_BOTH bool gs_text_is_alphanumeric(uint8_t c)
{
    return gs_text_is_letter(c) || gs_text_is_digit(c);
}

GS_BOTH bool gs_text_is_printing(uint8_t c)
{
    return c >= 0x20 && c < 0x7f;
}

GS_BOTH uint8_t gs_text_upper(uint8_t c)
{
    return (uint8_t)(c - 'a') < 26 ? (uint8_t)(c - 'a' + 'A') : c;
}

#endif
