/* SPDX-License-Identifier: MIT */
/*
 * gen_math: exp and log whose every bit is the same on every machine.
 *
 * The C library's may differ in the last bit from one machine to another, and so would
 * the generated data. These use only IEEE +, -, *, / in a fixed order, which are exact by
 * standard; the source is compiled without contraction to fused multiply-add. They are
 * good to about 1e-15, relative. Code that computes data from their results must keep
 * contraction off too: GS_GEN_EXACT_MATH, before the first function of the source.
 */
#ifndef GS_LIB_DATA_GEN_MATH_H
#define GS_LIB_DATA_GEN_MATH_H

#if defined(__clang__)
#define GS_GEN_EXACT_MATH _Pragma("STDC FP_CONTRACT OFF")
#else
#define GS_GEN_EXACT_MATH _Pragma("GCC optimize(\"fp-contract=off\")")
#endif

double gs_gen_log(double x); /* x > 0, normal */
double gs_gen_exp(double x); /* x < 700; 0 below -700 */

#endif
