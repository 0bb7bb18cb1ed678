/* The hot path in C: kernel values, their class sums, and the contractions the gradient needs.

   Notation of proset.kernel. Features come scaled by v_d sqrt(log2(e) / 2), so that

       G_nj = exp(-1/2 sum_d (v_d (x_nd - c_jd))^2) = 2 ** -sum_d (x_nd - c_jd)^2,   exactly 0 if the exponent exceeds 60.

   Layout. Each class of prototypes is padded to blocks of 16: C[block][1 + D][16], where row 0 is the squared norm. Padding
   has weight 0. Within a class, positive weights come first: blocks of weight 0 have no part in dloss/dv. Rows are taken in tiles of T, so that the kernel values of a tile, G[block][T][16], stay in the L2 cache:

     1. distances: per block, 4 rows at a time: G, and the class sums q_k = sum_j w_j G_nj;
     2. residuals: per row, a_k = r (1 / sum_l q_l - [y = k] / q_k);
     3. contract:  per block, sums over the rows of the tile: H = a G, dloss/dw = sum H, and sum H (x_d - c_d)^2.

   Two forms of the square. "dot" is x^2 - 2 x c + c^2: half the arithmetic, but the terms cancel. "difference" is (x - c)^2.

   Sums are float32 within a tile and float64 across tiles. There is no allocation, no state and no call of a library.
*/
#include <stddef.h>
#include <stdint.h>

enum { LANES = 8, BLOCK = 16, ROWS = 4, CHUNK = 5 }; /* CHUNK: features contracted at once, what 16 registers can hold */

typedef float v8 __attribute__((vector_size(32), aligned(4)));
typedef int32_t i8 __attribute__((vector_size(32), aligned(4)));
typedef double d8 __attribute__((vector_size(64), aligned(8)));

#ifdef __x86_64__
#include <cpuid.h>
#define X86
#define SIMD __attribute__((target("avx2,fma")))
#else
#define SIMD
#endif
#define INLINE static inline __attribute__((always_inline)) SIMD
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* Whether this CPU and its operating system have the instructions (AVX2, FMA) that the functions marked SIMD use. */
EXPORT int proset_supported(void) {
#ifdef X86
    unsigned a, b, c, d, saved_by_system, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA) || !(c & bit_OSXSAVE)) return 0;
    __asm__("xgetbv" : "=a"(saved_by_system), "=d"(high) : "c"(0));
    if ((saved_by_system & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    return (b & bit_AVX2) != 0;
#else
    return 1;
#endif
}

/* 2 ** -x for x >= 0 (rounding may give a little less), 0 where x is above the cut or not a number. Relative error 1e-7. */
INLINE v8 exp2_minus(v8 x) {
    const float magic = 12582912.0f; /* 1.5 * 2**23: adding it rounds to the nearest integer, found in the lowest bits */
    v8 shifted = magic - x;
    v8 g = x + (shifted - magic); /* in [-1/2, 1/2]; below: minimax polynomial of 2 ** -g */
    v8 p = -0.0013276472058631333f * g + 0.009675541397023257f;
    p = p * g - 0.055507132738370935f;
    p = p * g + 0.24022119722687085f;
    p = p * g - 0.6931469670642142f;
    p = p * g + 1.000000071654915f;
    i8 scaled = (i8)p + ((i8)shifted << 23); /* times 2 ** -round(x), in the exponent bits */
    return (v8)(scaled & (x < 60.0f * 1.44269504f));
}

INLINE double sum(d8 x) {
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

INLINE d8 wide(v8 x) {
    return __builtin_convertvector(x, d8);
}

/* Scratch memory, handed over by the caller as one piece. */
typedef struct {
    int64_t *order;        /* [blocks][16]: which prototype is where, -1 for padding */
    float *X, *x_norm;     /* [T][D], [T]: scaled rows of a tile (dot: times -2) and their squared norms */
    float *C, *w;          /* [blocks][1 + D][16], [blocks][16] */
    float *G;              /* [blocks][T][16] */
    float *q_lanes, *a;    /* [T][8], [K][T] */
    double *q, *gw, *gv;   /* [T][K], [blocks][16], [D][8] */
} Work;

static int64_t n_blocks(int64_t K, const int64_t *starts) {
    int64_t blocks = 0;
    for (int64_t k = 0; k < K; k++) blocks += (starts[k + 1] - starts[k] + BLOCK - 1) / BLOCK;
    return blocks;
}

/* Divide the memory at `base`; returns how many bytes are needed. Each array starts at a multiple of 64 bytes. */
static int64_t divide(Work *work, char *base, int64_t T, int64_t D, int64_t K, int64_t blocks, int store) {
    int64_t used = 0;
#define ARRAY(name, type, size) (work->name = (type *)(base + used), used += ((int64_t)sizeof(type) * (size) + 63) / 64 * 64)
    ARRAY(order, int64_t, blocks * BLOCK), ARRAY(X, float, T * D), ARRAY(x_norm, float, T);
    ARRAY(C, float, blocks * (1 + D) * BLOCK), ARRAY(w, float, blocks * BLOCK);
    ARRAY(q_lanes, float, T * LANES), ARRAY(q, double, T * K);
    if (store) {
        ARRAY(G, float, blocks * T * BLOCK), ARRAY(a, float, K * T);
        ARRAY(gw, double, blocks * BLOCK), ARRAY(gv, double, D * LANES);
    }
#undef ARRAY
    return used;
}

/* Bytes of scratch memory; `store` is 1 for proset_loss, 0 for proset_sums. `work` must be a multiple of 64 below. */
EXPORT int64_t proset_work_size(int64_t T, int64_t D, int64_t K, const int64_t *starts, int store) {
    Work work;
    return divide(&work, NULL, T, D, K, n_blocks(K, starts), store);
}

/* Prototypes (J, stride) in float64 to blocks of scaled float32; `used` are the D features that count. */
INLINE void pack_prototypes(const Work *work, const double *prototypes, int64_t stride, const int64_t *starts, int64_t K,
                            const int64_t *used, const double *scale, int64_t D, const double *weights) {
    int64_t place = 0;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t zeros = 0; zeros < 2; zeros++)
            for (int64_t j = starts[k]; j < starts[k + 1]; j++)
                if ((weights[j] > 0.0) != zeros) work->order[place++] = j;
        while (place % BLOCK) work->order[place++] = -1;
    }
    for (int64_t i = 0; i < place; i++) {
        const int64_t j = work->order[i];
        float *C = work->C + i / BLOCK * (1 + D) * BLOCK + i % BLOCK, norm = 0.0f;
        for (int64_t d = 0; d < D; d++) {
            const float c = j >= 0 ? (float)(prototypes[j * stride + used[d]] * scale[d]) : 0.0f;
            C[(1 + d) * BLOCK] = c;
            norm += c * c;
        }
        C[0] = norm;
        work->w[i] = j >= 0 ? (float)weights[j] : 0.0f;
    }
}

/* Rows of a tile to scaled float32, up to the next multiple of 4 rows, which is returned. */
INLINE int64_t pack_rows(const Work *work, const double *X, int64_t stride, int64_t rows, const int64_t *used,
                         const double *scale, int64_t D, const int dot) {
    for (int64_t n = 0; n < rows; n++) {
        float norm = 0.0f;
        for (int64_t d = 0; d < D; d++) {
            float x = (float)(X[n * stride + used[d]] * scale[d]);
            work->X[n * D + d] = dot ? -2.0f * x : x;
            norm += x * x;
        }
        work->x_norm[n] = norm;
    }
    int64_t padded = (rows + ROWS - 1) / ROWS * ROWS;
    for (int64_t n = rows; n < padded; n++) {
        for (int64_t d = 0; d < D; d++) work->X[n * D + d] = 0.0f;
        work->x_norm[n] = 0.0f;
    }
    return padded;
}

/* One block of 16 prototypes against all rows of a tile: q_lanes += w G, and G if it is wanted. */
INLINE void distances(const Work *work, int64_t block, int64_t rows, int64_t D, int64_t T, const int dot, const int store) {
    const float *C = work->C + block * (1 + D) * BLOCK;
    float *G = store ? work->G + block * T * BLOCK : NULL;
    const v8 w0 = *(const v8 *)(work->w + block * BLOCK), w1 = *(const v8 *)(work->w + block * BLOCK + LANES);
    for (int64_t n = 0; n < rows; n += ROWS) {
        const float *x = work->X + n * D;
        v8 s[ROWS][2];
        for (int i = 0; i < ROWS; i++)
            for (int h = 0; h < 2; h++) s[i][h] = dot ? work->x_norm[n + i] + *(const v8 *)(C + h * LANES) : (v8){0};
        const float *c = C + BLOCK;
        for (int64_t d = 0; d < D; d++, c += BLOCK) {
            const v8 c0 = *(const v8 *)c, c1 = *(const v8 *)(c + LANES);
            for (int i = 0; i < ROWS; i++) {
                const float xd = x[i * D + d];
                if (dot) {
                    s[i][0] += xd * c0;
                    s[i][1] += xd * c1;
                } else {
                    const v8 t0 = xd - c0, t1 = xd - c1;
                    s[i][0] += t0 * t0;
                    s[i][1] += t1 * t1;
                }
            }
        }
        for (int i = 0; i < ROWS; i++) {
            const v8 g0 = exp2_minus(s[i][0]), g1 = exp2_minus(s[i][1]);
            if (store) {
                *(v8 *)(G + (n + i) * BLOCK) = g0;
                *(v8 *)(G + (n + i) * BLOCK + LANES) = g1;
            }
            *(v8 *)(work->q_lanes + (n + i) * LANES) += w0 * g0 + w1 * g1;
        }
    }
}

/* Class sums of a tile in work->q. */
INLINE void tile_sums(const Work *work, int64_t rows, int64_t D, int64_t K, const int64_t *starts, int64_t T, const int dot,
                      const int store) {
    int64_t block = 0;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t n = 0; n < rows; n++) *(v8 *)(work->q_lanes + n * LANES) = (v8){0};
        for (int64_t first = starts[k]; first < starts[k + 1]; first += BLOCK)
            distances(work, block++, rows, D, T, dot, store);
        for (int64_t n = 0; n < rows; n++) work->q[n * K + k] = sum(wide(*(const v8 *)(work->q_lanes + n * LANES)));
    }
}

/* a_k of every row of a tile, and the odds of the other classes against the own one: -log(own / total) = log1p(odds). */
INLINE void residuals(const Work *work, int64_t rows, int64_t padded, int64_t D, int64_t K, int64_t T, const int64_t *labels,
                      const double *row_weights, const double *scores, double *odds, const int dot) {
    for (int64_t n = 0; n < rows; n++) {
        const double *m = work->q + n * K;
        double own = 0.0, others = 0.0, m_own = 0.0, m_others = 0.0;
        for (int64_t k = 0; k < K; k++) {
            const double q = scores[n * K + k] + m[k];
            if (k == labels[n])
                own = q, m_own = m[k];
            else
                others += q, m_others += m[k];
        }
        odds[n] = others / own;
        const double a_other = row_weights[n] / (own + others), a_own = -a_other * odds[n]; /* no cancellation */
        for (int64_t k = 0; k < K; k++) work->a[k * T + n] = (float)(k == labels[n] ? a_own : a_other);
        if (dot) { /* the part x^2 of the square needs only sum_j a w G of the row */
            const double b = 0.25 * (a_other * m_others + a_own * m_own);
            for (int64_t d = 0; d < D; d++) {
                const double x = work->X[n * D + d];
                work->gv[d * LANES] += b * x * x;
            }
        }
    }
    for (int64_t n = rows; n < padded; n++)
        for (int64_t k = 0; k < K; k++) work->a[k * T + n] = 0.0f;
}

/* One block, F features from d0 on: gv_d += w_j sum_n H_nj (x_nd - c_jd)^2; the first call per block also gw_j += sum_n H_nj.
   F, with_gw and dot are constants where this is expanded, so that all sums live in registers. */
INLINE void contract(const Work *work, int64_t block, const float *a, int64_t rows, int64_t D, int64_t T, int64_t d0,
                     const int F, const int with_gw, const int dot) {
    const float *G = work->G + block * T * BLOCK, *C = work->C + (block * (1 + D) + 1 + d0) * BLOCK;
    const float *x = work->X + d0;
    v8 s[CHUNK][2] = {{{0}}}, g[2] = {{0}};
    for (int64_t n = 0; n < rows; n++, x += D) {
        const v8 H0 = a[n] * *(const v8 *)(G + n * BLOCK), H1 = a[n] * *(const v8 *)(G + n * BLOCK + LANES);
        if (with_gw) g[0] += H0, g[1] += H1;
#pragma GCC unroll 8
        for (int f = 0; f < F; f++) {
            if (dot) {
                s[f][0] += x[f] * H0;
                s[f][1] += x[f] * H1;
            } else {
                const v8 t0 = x[f] - *(const v8 *)(C + f * BLOCK), t1 = x[f] - *(const v8 *)(C + f * BLOCK + LANES);
                s[f][0] += H0 * t0 * t0;
                s[f][1] += H1 * t1 * t1;
            }
        }
    }
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        const d8 w = wide(*(const v8 *)(work->w + block * BLOCK + h * LANES));
        d8 *gw = (d8 *)(work->gw + block * BLOCK + h * LANES);
        if (with_gw) *gw += wide(g[h]);
#pragma GCC unroll 8
        for (int f = 0; f < F; f++) {
            const d8 c = wide(*(const v8 *)(C + f * BLOCK + h * LANES));
            *(d8 *)(work->gv + (d0 + f) * LANES) += w * (dot ? c * wide(s[f][h]) : wide(s[f][h]));
        }
    }
}

/* One block in chunks of features: first the ones that do not fill a chunk, together with gw, the only one without weights. */
INLINE void contract_all(const Work *work, int64_t block, const float *a, int64_t rows, int64_t D, int64_t T, const int dot) {
    const int64_t n_features = work->w[block * BLOCK] > 0.0f ? D : 0;
    int64_t d = n_features == 0 ? 0 : (n_features - 1) % CHUNK + 1;
    switch (d) {
    case 0: contract(work, block, a, rows, D, T, 0, 0, 1, dot); break;
    case 1: contract(work, block, a, rows, D, T, 0, 1, 1, dot); break;
    case 2: contract(work, block, a, rows, D, T, 0, 2, 1, dot); break;
    case 3: contract(work, block, a, rows, D, T, 0, 3, 1, dot); break;
    case 4: contract(work, block, a, rows, D, T, 0, 4, 1, dot); break;
    case 5: contract(work, block, a, rows, D, T, 0, 5, 1, dot); break;
    }
    for (; d < n_features; d += CHUNK) contract(work, block, a, rows, D, T, d, CHUNK, 0, dot);
}

INLINE void loss(const double *X, int64_t N, int64_t stride, const int64_t *labels, const double *row_weights,
                 const double *scores, const double *prototypes, const int64_t *starts, int64_t K, const int64_t *used,
                 const double *scale, int64_t D, const double *weights, char *scratch, int64_t T, double *odds,
                 double *d_features, double *d_prototypes, const int dot) {
    Work storage, *work = &storage;
    const int64_t blocks = n_blocks(K, starts);
    divide(work, scratch, T, D, K, blocks, 1);
    pack_prototypes(work, prototypes, stride, starts, K, used, scale, D, weights);
    for (int64_t i = 0; i < blocks * BLOCK; i++) work->gw[i] = 0.0;
    for (int64_t i = 0; i < D * LANES; i++) work->gv[i] = 0.0;
    for (int64_t n = 0; n < N; n += T) {
        const int64_t rows = N - n < T ? N - n : T;
        const int64_t padded = pack_rows(work, X + n * stride, stride, rows, used, scale, D, dot);
        tile_sums(work, padded, D, K, starts, T, dot, 1);
        residuals(work, rows, padded, D, K, T, labels + n, row_weights + n, scores + n * K, odds + n, dot);
        int64_t block = 0;
        for (int64_t k = 0; k < K; k++)
            for (int64_t first = starts[k]; first < starts[k + 1]; first += BLOCK)
                contract_all(work, block++, work->a + k * T, padded, D, T, dot);
    }
    for (int64_t i = 0; i < blocks * BLOCK; i++) {
        if (work->order[i] < 0) continue;
        const double gw = d_prototypes[work->order[i]] = work->gw[i];
        if (dot && work->w[i] > 0.0f) /* the part c^2 of the square needs only sum_n a G of the column */
            for (int64_t d = 0; d < D; d++) {
                const double c = work->C[(i / BLOCK * (1 + D) + 1 + d) * BLOCK + i % BLOCK];
                work->gv[d * LANES + i % LANES] += c * c * work->w[i] * gw;
            }
    }
    for (int64_t d = 0; d < D; d++) d_features[d] = sum(*(const d8 *)(work->gv + d * LANES));
}

/* odds_n = sum_{l != y_n} q_l / q_{y_n},  d_prototypes_j = sum_n a_{n,k(j)} G_nj  and, in scaled coordinates,
   d_features_d = sum_{n,j} a_{n,k(j)} w_j G_nj (x_nd - c_jd)^2. */
EXPORT SIMD void proset_loss(const double *X, int64_t N, int64_t stride, const int64_t *labels, const double *row_weights,
                             const double *scores, const double *prototypes, const int64_t *starts, int64_t K,
                             const int64_t *used, const double *scale, int64_t D, const double *weights, char *scratch,
                             int64_t T, double *odds, double *d_features, double *d_prototypes, int dot) {
#define LOSS(form) \
    loss(X, N, stride, labels, row_weights, scores, prototypes, starts, K, used, scale, D, weights, scratch, T, odds, \
         d_features, d_prototypes, form)
    if (dot)
        LOSS(1);
    else
        LOSS(0);
}

/* sums_nk = sum_{j in class k} w_j G_nj. */
EXPORT SIMD void proset_sums(const double *X, int64_t N, int64_t stride, const double *prototypes, const int64_t *starts,
                             int64_t K, const int64_t *used, const double *scale, int64_t D, const double *weights,
                             char *scratch, int64_t T, double *sums, int dot) {
    Work storage, *work = &storage;
    divide(work, scratch, T, D, K, n_blocks(K, starts), 0);
    pack_prototypes(work, prototypes, stride, starts, K, used, scale, D, weights);
    for (int64_t n = 0; n < N; n += T) {
        const int64_t rows = N - n < T ? N - n : T;
        const int64_t padded = pack_rows(work, X + n * stride, stride, rows, used, scale, D, dot);
        if (dot)
            tile_sums(work, padded, D, K, starts, T, 1, 0);
        else
            tile_sums(work, padded, D, K, starts, T, 0, 0);
        for (int64_t i = 0; i < rows * K; i++) sums[n * K + i] = work->q[i];
    }
}
