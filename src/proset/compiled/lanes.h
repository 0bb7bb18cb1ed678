/* Sixteen lanes, whatever the registers: the order of every sum is that of this file on every processor.

   The compiler splits a vector of 16 floats into one register of AVX-512, two of AVX2 or four of NEON or SSE2, which
   changes no bit. It may not contract a product and a sum (-ffp-contract=off): where they are one operation, fma() says so.
*/
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16 };

typedef float v16 __attribute__((vector_size(64), aligned(4)));
typedef int32_t i16 __attribute__((vector_size(64), aligned(4)));
typedef uint32_t u16 __attribute__((vector_size(64), aligned(4)));
typedef double d16 __attribute__((vector_size(128), aligned(8)));
typedef double d8 __attribute__((vector_size(64), aligned(8)));
typedef double d4 __attribute__((vector_size(32), aligned(8)));
typedef double d2 __attribute__((vector_size(16), aligned(8)));
typedef int64_t l16 __attribute__((vector_size(128), aligned(8)));

#define INLINE static inline __attribute__((always_inline))

INLINE v16 all(float x) {
    return (v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

static const i16 LANE_NUMBERS = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

INLINE d16 wide(v16 x) {
    return __builtin_convertvector(x, d16);
}

/* a b + c, rounded once. */
INLINE v16 fma16(v16 a, v16 b, v16 c) {
#if !(defined(__FMA__) || defined(__aarch64__))
    /* Without the instruction: the product is exact in float64; the sum is rounded to odd, so that the rounding to float32
       that follows is the only one that counts (S. Boldo, G. Melquiond: Emulation of a FMA. IEEE Trans. Comput. 57, 2008). */
    const d16 p = wide(a) * wide(b), q = wide(c), s = p + q, t = s - p, error = (p - (s - t)) + (q - t);
    const l16 bits = (l16)s, inexact = (l16)(error < 0) | (l16)(error > 0), even = (bits & 1) - 1;
    const l16 outwards = 1 + 2 * ((bits ^ (l16)error) >> 63);
    return __builtin_convertvector((d16)(bits + (outwards & inexact & even)), v16);
#elif defined(__clang__)
    return __builtin_elementwise_fma(a, b, c);
#else
    for (int i = 0; i < LANES; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

/* Lanes 8 apart, then 4, 2, 1. */
INLINE double sum16(d16 x) {
    const d8 a = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                 __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    const d4 b = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    const d2 c = __builtin_shufflevector(b, b, 0, 1) + __builtin_shufflevector(b, b, 2, 3);
    return c[0] + c[1];
}

/* sum_i a_i b_i: lane i % 16, then the lanes. */
INLINE double dot(const double *a, const double *b, int64_t n) {
    d16 lanes = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) lanes += *(const d16 *)(a + i) * *(const d16 *)(b + i);
    if (i < n) {
        double last_a[LANES] = {0}, last_b[LANES] = {0};
        for (int64_t lane = 0; i < n; i++, lane++) last_a[lane] = a[i], last_b[lane] = b[i];
        lanes += *(const d16 *)last_a * *(const d16 *)last_b;
    }
    return sum16(lanes);
}

/* The natural logarithm of a positive normal number, error below one unit in the last place: with y = 2^k m,
   m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), log y = k log 2 + 2 (s + s^3/3 + s^5/5 + ...). */
INLINE double log_of(double y) {
    const uint64_t sqrt_half = 0x3FE6A09E667F3BCDu, bias = 1024;
    uint64_t bits;
    memcpy(&bits, &y, 8);
    const uint64_t k = (bits - sqrt_half + (bias << 52)) >> 52;
    bits -= (k - bias) << 52;
    uint64_t k_bits = k | 0x4330000000000000u; /* 2^52 + k: integer to double without an instruction AVX2 lacks */
    double m, exponent;
    memcpy(&m, &bits, 8);
    memcpy(&exponent, &k_bits, 8);
    exponent -= 0x1p52 + 1024.0;
    const double f = m - 1.0, s = f / (m + 1.0), z = s * s;
    double r = 2.0 / 21;
    r = r * z + 2.0 / 19;
    r = r * z + 2.0 / 17;
    r = r * z + 2.0 / 15;
    r = r * z + 2.0 / 13;
    r = r * z + 2.0 / 11;
    r = r * z + 2.0 / 9;
    r = r * z + 2.0 / 7;
    r = r * z + 2.0 / 5;
    r = r * z + 2.0 / 3;
    /* 2 s = f - s f, and log 2 in two parts, the first of which has zeros at its end: products with k are exact */
    const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
    return exponent * log2_high + (f - (s * (f - z * r) - exponent * log2_low));
}

/* log(1 + x) for x >= 0. */
INLINE double log1p_of(double x) {
    const double y = 1.0 + x;
    return log_of(y) + (x - (y - 1.0)) / y; /* what rounding took from 1 + x */
}
