/* The hot path: kernel values, their class sums, and the contractions the gradient needs.

   Features come scaled by v_d sqrt(log2(e) / 2), so that

       G_nj = exp(-1/2 sum_d (v_d (x_nd - c_jd))^2) = 2 ** -sum_d (x_nd - c_jd)^2,   exactly 0 beyond REACH.

   Layout. Each class of prototypes is padded to blocks of 16, C[block][D][16]; padding has weight 0. Within a class,
   positive weights come first: blocks of weight 0 have no part in dloss/dv. Rows are taken in tiles of T, so that the
   kernel values of a tile, G[block][T][16], stay in the second-level cache:

     1. distances: per block, 4 rows at a time: G, and the class sums q_k = sum_j w_j G_nj;
     2. residuals: per row, a_k = r (1 / sum_l q_l - [y = k] / q_k);
     3. contract:  per block, sums over the rows of the tile, s_0 = sum_n a_n G_nj = dloss/dw_j and
                   s_d = sum_n a_n x_nd G_nj. With x and c counted from the middle of the tile,

                       sum_n a_n G_nj (x_nd - c_jd)^2 = sum_n a_n G_nj x_nd^2 - 2 c_jd s_d + c_jd^2 s_0.

   Columns. Those with numbers come first, of which the last n_gaps have missing values, then n_categories with categories
   (proset.columns). A category adds its square where two differ. Of a column with gaps, p = 1 where there is a value, else
   0, and x = c = 0 where there is none; with the exponent h of one missing value it adds, without cancellation,

       p_x p_c (x - c)^2 + [p_x != p_c] h = p_c (p_x ? x^2 : h) - 2 x c + p_x (p_c ? c^2 : h):

   two more columns of products, (p_x ? x^2 : h, p_x) of rows and (p_c, p_c ? c^2 : h) of prototypes. Tables have
   what each level of a category adds for 16 prototypes; columns with many levels compare codes, which gives the same bits.

   Algorithms of the distance, see choose_algorithm(). Where few features count and rows are sorted (order.h), groups of
   8 rows whose bounding box is out of reach of a block's are left out: their kernel values are 0.

   Order of operations. A sum over features or rows of a tile runs in their order, one fma after the other, in float32;
   a sum over the 16 lanes in that of sum16(); sums over tiles are float64 and run in the order of the tiles within a
   strip, then of the strips. Strips are what threads share out, so that their number changes nothing.
*/
#pragma once
#include <math.h>
#include <stdatomic.h>

#include "lanes.h"
#include "problem.h"
#include "threads.h"

enum { ROWS = 4, GROUP = 8, MAX_TILE = 128, STRIP = 512, TILE_BYTES = 300000 };
enum { SORTED_FEATURES = 4, DIFFERENCE_FEATURES = 8 };

/* How many blocks at once, and how many sums each: what the registers hold. No sum depends on it. */
#if defined(__AVX512F__)
enum { PAIR = 2, CHUNK = 13, CATEGORY_CHUNK = 10 };
#else
enum { PAIR = 1, CHUNK = 6, CATEGORY_CHUNK = 5 };
#endif

#define MAX_TABLED 63        /* levels of a column with a table */
#define REACH 50.0f         /* kernel values below 2^-50 are lost next to the class prior */
#define BEYOND 50.5f        /* out of reach, however the exponent is rounded */
#define FAR 1e18f           /* beyond, squares in products with 0 would not be numbers */
#define EPSILON 1.1920929e-7f
#define LARGE 0x1p40        /* residuals times the smallest kernel values would be denormal numbers, which are slow */
#define SCALE 0.8493218002880191 /* sqrt(log2(e) / 2) */

enum algorithm { DIFFERENCE, PRODUCT, WIDE };

/* 2 ** -x for x >= 0 (rounding may give a little less), 0 where x is above REACH or not a number. Relative error: 1e-7 */
INLINE v16 exp2_minus(v16 x) {
    /* 1.5 * 2**23: adding it rounds to the nearest integer, found in the lowest bits */
    const v16 magic = all(12582912.0f);
    const v16 shifted = magic - x;
    const v16 g = x + (shifted - magic); /* in [-1/2, 1/2]; below: minimax polynomial of 2 ** -g */
    v16 p = fma16(all(-0.0013276472058631333f), g, all(0.009675541397023257f));
    p = fma16(p, g, all(-0.055507132738370935f));
    p = fma16(p, g, all(0.24022119722687085f));
    p = fma16(p, g, all(-0.6931469670642142f));
    p = fma16(p, g, all(1.000000071654915f));
    const u16 scaled = (u16)p + ((u16)shifted << 23); /* times 2 ** -round(x), in the exponent bits */
    return (v16)(scaled & (u16)(x < all(REACH)));
}

/* Prototypes as one evaluation sees them. */
typedef struct {
    const double *prototypes, *centre; /* (J, stride), (stride): what features are counted from */
    const int64_t *class_offsets;
    const int64_t *levels;             /* as in Problem; NULL: numbers alone, none of them missing */
    const double *category, *spread;
    int64_t *used;                     /* the columns that count: D with numbers, then those with categories, */
    double *scale;                     /* v_d SCALE of them, */
    float *one_missing, *slope;        /* of those with gaps roots of h, and of what takes its place in dloss/dv, */
    float *square;                     /* and of those with categories what different ones add to the exponent */
    int64_t stride, D, n_gaps, n_categories, K, T, strip; /* T and strip: rows */
    int64_t width;                     /* columns of products, D + 2 n_gaps */
    int64_t n_tabled, n_levels;        /* the first categories have tables, of so many rows together, */
    int32_t *first_level;              /* [n_tabled] */
    enum algorithm algorithm;
    int boxes;
    int64_t *order;           /* [blocks][16]: which prototype is where, -1 for padding */
    int64_t *place;           /* [J]: where a prototype is, -1 if it is not active */
    int64_t *first;           /* [K + 1]: first block of each class */
    float *C, *c_norm, *w;    /* [blocks][width][16], [blocks][16], [blocks][16] */
    float *differ;            /* [blocks][n_levels][16]: square where the category of a prototype is another one, or 0 */
    int32_t *codes;           /* [blocks][n_categories][16] */
    float *low, *high;        /* [blocks][D]: bounding boxes */
} Packed;

/* Scratch memory of a tile. */
typedef struct {
    float *x, *x_norm;        /* [T][width] and [T]: scaled rows (product: times -2), their squared norms */
    int32_t *codes;           /* [T][n_categories]: of those with tables, where their row begins */
    float *centred, *columns; /* [T][D] and [D][T]: rows counted from the middle of the tile */
    float *middle;            /* [D] */
    float *low, *high;        /* [D][16]: bounding boxes of groups of rows */
    float *q_lanes;           /* [T][16] */
    double *q;                /* [K][T] */
    float *G, *A, *S, *gv;    /* [blocks][T][16], [T][1 + width], [PAIR][1 + width + categories][16], [columns][16] */
    int64_t *own;             /* [T]: where the prototype is that a row is itself, -1 for none; or NULL */
    float *own_distance;      /* [T]: its squared distance, in the place of 0 */
    uint32_t *near;           /* [blocks]: bit i says that group i of the rows is within reach */
    double *q_true, *q_others, *b, *loss; /* [T] */
    float *a;                 /* [K][T] */
} Tile;

static int64_t n_blocks(int64_t K, const int64_t *class_offsets) {
    int64_t blocks = 0;
    for (int64_t k = 0; k < K; k++) blocks += (class_offsets[k + 1] - class_offsets[k] + LANES - 1) / LANES;
    return blocks;
}

/* Rows of a tile, a multiple of 16: so many that its kernel values stay in the cache. */
static int64_t tile_rows(int64_t D, int64_t blocks) {
    const int64_t T = TILE_BYTES / (4 * (D + 1 + blocks * LANES)) / LANES * LANES;
    return T < LANES ? LANES : least(T, MAX_TILE);
}

enum kind { COMPLETE, WITH_GAPS, TABLED, COMPARED, KINDS };

static enum kind kind_of(const int64_t *levels, const double *spread, int64_t d) {
    if (levels && levels[d]) return levels[d] <= MAX_TABLED ? TABLED : COMPARED;
    return spread && spread[d] > 0.0 ? WITH_GAPS : COMPLETE;
}

/* The columns of weight v_d > 0, kind by kind. */
static void use_columns(Packed *packed, int64_t D, const double *v) {
    int64_t counts[KINDS] = {0}, used = 0;
    packed->n_levels = 0;
    for (enum kind kind = COMPLETE; kind < KINDS; kind++)
        for (int64_t d = 0; d < D; d++) { /* df/dv_d has the factor v_d: columns at zero need no contraction */
            if (!(v[d] > 0.0) || kind != kind_of(packed->levels, packed->spread, d)) continue;
            packed->used[used] = d;
            packed->scale[used] = v[d] * SCALE;
            if (kind >= TABLED) {
                const float root = (float)(packed->scale[used] *= packed->category[d]);
                packed->square[counts[TABLED] + counts[COMPARED]] = root * root;
            }
            if (kind == WITH_GAPS) {
                const double square = (v[d] * packed->spread[d]) * (v[d] * packed->spread[d]);
                packed->one_missing[used] = (float)(SCALE * sqrt(log1p_of(square)));
                packed->slope[used] = (float)(SCALE * sqrt(square / (1.0 + square)));
            }
            if (kind == TABLED) {
                packed->first_level[counts[TABLED]] = (int32_t)packed->n_levels;
                packed->n_levels += packed->levels[d] + 1; /* one for all that are not among them */
            }
            used++, counts[kind]++;
        }
    packed->n_gaps = counts[WITH_GAPS], packed->D = counts[COMPLETE] + counts[WITH_GAPS];
    packed->n_tabled = counts[TABLED], packed->n_categories = counts[TABLED] + counts[COMPARED];
    packed->width = packed->D + 2 * packed->n_gaps;
}

/* Levels in all tables. */
static int64_t tabled_levels(const int64_t *levels, int64_t D) {
    int64_t sum = 0;
    for (int64_t d = 0; levels && d < D; d++)
        if (kind_of(levels, NULL, d) == TABLED) sum += levels[d] + 1;
    return sum;
}

/* `columns` of a table with `numbers` of products and tables of `levels` at most. */
static void take_packed(Memory *memory, Packed *packed, int64_t blocks, int64_t columns, int64_t numbers, int64_t levels,
                        int64_t K) {
    packed->used = TAKE(memory, int64_t, columns), packed->scale = TAKE(memory, double, columns);
    packed->one_missing = TAKE(memory, float, columns), packed->slope = TAKE(memory, float, columns);
    packed->place = TAKE(memory, int64_t, packed->class_offsets[K]);
    packed->order = TAKE(memory, int64_t, blocks * LANES), packed->first = TAKE(memory, int64_t, K + 1);
    packed->C = TAKE(memory, float, blocks * numbers * LANES), packed->c_norm = TAKE(memory, float, blocks * LANES);
    packed->codes = TAKE(memory, int32_t, packed->levels ? blocks * columns * LANES : 0);
    packed->differ = TAKE(memory, float, blocks * levels * LANES);
    packed->first_level = TAKE(memory, int32_t, columns), packed->square = TAKE(memory, float, columns);
    packed->w = TAKE(memory, float, blocks * LANES);
    packed->low = TAKE(memory, float, blocks * columns), packed->high = TAKE(memory, float, blocks * columns);
}

static void take_tile(Memory *memory, Tile *tile, int64_t T, int64_t blocks, int64_t D, int64_t numbers, int64_t K,
                      int store, int has_own, int has_categories) {
    tile->own = TAKE(memory, int64_t, has_own ? T : 0), tile->own_distance = TAKE(memory, float, has_own ? T : 0);
    if (!has_own) tile->own = NULL;
    tile->x = TAKE(memory, float, T * numbers), tile->x_norm = TAKE(memory, float, T);
    tile->codes = TAKE(memory, int32_t, has_categories ? T * D : 0);
    tile->q_lanes = TAKE(memory, float, T * LANES), tile->q = TAKE(memory, double, K * T);
    if (!store) return;
    tile->centred = TAKE(memory, float, T * D), tile->columns = TAKE(memory, float, D * T);
    tile->middle = TAKE(memory, float, D);
    tile->low = TAKE(memory, float, D * LANES), tile->high = TAKE(memory, float, D * LANES);
    tile->G = TAKE(memory, float, blocks * T * LANES), tile->A = TAKE(memory, float, T * (1 + numbers));
    tile->S = TAKE(memory, float, PAIR * (1 + numbers + D) * LANES), tile->gv = TAKE(memory, float, D * LANES);
    tile->near = TAKE(memory, uint32_t, blocks), tile->a = TAKE(memory, float, K * T);
    tile->q_true = TAKE(memory, double, T), tile->q_others = TAKE(memory, double, T);
    tile->b = TAKE(memory, double, T), tile->loss = TAKE(memory, double, T);
}

/* How to compute sum_d (x_d - c_d)^2, so that an exponent within reach has an error below 1e-3.

   With s the largest norm of a scaled prototype or row near one, rounding x and c to float32 moves an exponent e by at
   most 2 eps s sqrt(e) < 15 eps s (DIFFERENCE), and x^2 - 2 x c + c^2, half the arithmetic, by up to 3 eps s^2, as its
   terms cancel (PRODUCT; where it saves little, it has to be better than that). WIDE takes the differences in float64:
   slow, and right at any scale. Rows further out are out of reach with any of them. */
static enum algorithm choose_algorithm(const Packed *packed, int64_t blocks) {
    float max_norm = 0.0f;
    for (int64_t i = 0; i < blocks * LANES; i++) /* written so that not-a-number counts as too large */
        if (packed->order[i] >= 0 && !(packed->c_norm[i] <= max_norm)) max_norm = packed->c_norm[i];
    const float s = sqrtf(max_norm) + sqrtf(REACH), product_error = 3.0f * EPSILON * s * s;
    if (packed->n_gaps) return product_error < 1e-3f ? PRODUCT : WIDE;
    if (packed->D > DIFFERENCE_FEATURES ? product_error < 1e-3f : packed->D > SORTED_FEATURES && product_error < 3e-4f)
        return PRODUCT;
    return 15.0f * EPSILON * s < 1e-3f ? DIFFERENCE : WIDE;
}

/* One of the numbers that count; 0 for a missing one. */
INLINE float scaled(const Packed *packed, const double *row, int64_t d) {
    const int64_t column = packed->used[d];
    const float x = (float)((row[column] - packed->centre[column]) * packed->scale[d]);
    return d < packed->D - packed->n_gaps || x == x ? x : 0.0f;
}

INLINE int is_missing(const Packed *packed, const double *row, int64_t d) {
    const double x = row[packed->used[d]];
    return x != x;
}

/* One of the categories that count, from 0 on; one that is not among the levels is none of them. */
INLINE int32_t code(const Packed *packed, const double *row, int64_t e) {
    const int64_t column = packed->used[packed->D + e], levels = packed->levels[column];
    return (int32_t)(row[column] < (double)levels ? row[column] : (double)levels);
}

/* `square` where the categories of prototypes are not that of a row, else 0. */
INLINE v16 where_different(int32_t of_row, i16 of_prototypes, float square) {
    return (v16)((i16)all(square) & (of_prototypes != of_row));
}

/* Prototypes in float64 to blocks of scaled float32, those that are not active left out. */
static void pack_prototypes(Packed *packed, const double *weights, const uint8_t *active, int sorted) {
    int64_t place = 0;
    for (int64_t k = 0; k < packed->K; k++) {
        packed->first[k] = place / LANES;
        for (int64_t j = packed->class_offsets[k]; j < packed->class_offsets[k + 1]; j++) packed->place[j] = -1;
        for (int64_t zeros = 0; zeros < 2; zeros++)
            for (int64_t j = packed->class_offsets[k]; j < packed->class_offsets[k + 1]; j++)
                if (active[j] && (weights[j] > 0.0) != zeros) packed->place[j] = place, packed->order[place++] = j;
        while (place % LANES) packed->order[place++] = -1;
    }
    const int64_t D = packed->D, complete = D - packed->n_gaps, blocks = packed->first[packed->K] = place / LANES;
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t *order = packed->order + block * LANES;
        float *C = packed->C + block * packed->width * LANES, *norm = packed->c_norm + block * LANES;
        for (int64_t i = 0; i < LANES; i++)
            norm[i] = 0.0f, packed->w[block * LANES + i] = order[i] >= 0 ? (float)weights[order[i]] : 0.0f;
        for (int64_t d = 0; d < D; d++) {
            float low = INFINITY, high = -INFINITY;
            for (int64_t i = 0; i < LANES; i++) {
                const float c =
                    order[i] >= 0 ? scaled(packed, packed->prototypes + order[i] * packed->stride, d) : 0.0f;
                C[d * LANES + i] = c;
                norm[i] += c * c;
                if (order[i] >= 0) low = c < low ? c : low, high = c > high ? c : high;
            }
            packed->low[block * D + d] = low, packed->high[block * D + d] = high;
        }
        for (int64_t e = 0; e < packed->n_categories; e++) {
            int32_t *codes = packed->codes + (block * packed->n_categories + e) * LANES;
            for (int64_t i = 0; i < LANES; i++)
                codes[i] = order[i] >= 0 ? code(packed, packed->prototypes + order[i] * packed->stride, e) : 0;
            if (e >= packed->n_tabled) continue;
            v16 *differ = (v16 *)(packed->differ + (block * packed->n_levels + packed->first_level[e]) * LANES);
            for (int32_t level = 0; level <= packed->levels[packed->used[D + e]]; level++)
                differ[level] = where_different(level, *(const i16 *)codes, packed->square[e]);
        }
    }
    packed->algorithm = choose_algorithm(packed, blocks);
    packed->boxes = sorted && D > 0 && D <= SORTED_FEATURES && !packed->n_categories && packed->algorithm == DIFFERENCE;
    for (int64_t block = 0; block < blocks; block++) { /* from here on, squares of columns with gaps are in their place */
        const int64_t *order = packed->order + block * LANES;
        float *C = packed->C + block * packed->width * LANES, *norm = packed->c_norm + block * LANES;
        for (int64_t d = complete, g = D; d < D; d++, g += 2)
            for (int64_t i = 0; i < LANES; i++) {
                const float c = C[d * LANES + i], h = packed->one_missing[d] * packed->one_missing[d];
                const int missing =
                    order[i] >= 0 && is_missing(packed, packed->prototypes + order[i] * packed->stride, d);
                C[g * LANES + i] = missing ? 0.0f : 1.0f, C[(g + 1) * LANES + i] = missing ? h : c * c;
            }
        for (int64_t i = 0; packed->n_gaps && i < LANES; i++) {
            norm[i] = 0.0f;
            for (int64_t d = 0; d < complete; d++) norm[i] += C[d * LANES + i] * C[d * LANES + i];
        }
    }
}

/* Rows of a tile to scaled float32, up to a multiple of 8 rows, which is returned; the last row fills up. */
static int64_t pack_rows(const Packed *packed, const Tile *tile, const double *X, int64_t rows) {
    const int64_t D = packed->D, complete = D - packed->n_gaps, padded = (rows + GROUP - 1) / GROUP * GROUP;
    const float factor = packed->algorithm == PRODUCT ? -2.0f : 1.0f;
    for (int64_t n = 0; n < padded; n++) {
        const double *row = X + (n < rows ? n : rows - 1) * packed->stride;
        float norm = 0.0f, *x_n = tile->x + n * packed->width;
        for (int64_t d = 0; d < complete; d++) {
            const float x = scaled(packed, row, d);
            x_n[d] = factor * x;
            norm += x * x;
        }
        for (int64_t d = complete, g = D; d < D; d++, g += 2) {
            const float far = scaled(packed, row, d), x = far < -FAR ? -FAR : far > FAR ? FAR : far;
            const float h = packed->one_missing[d] * packed->one_missing[d];
            const int missing = is_missing(packed, row, d);
            x_n[d] = factor * x, x_n[g] = missing ? h : x * x, x_n[g + 1] = missing ? 0.0f : 1.0f;
        }
        for (int64_t e = 0; e < packed->n_categories; e++)
            tile->codes[n * packed->n_categories + e] =
                e < packed->n_tabled ? (packed->first_level[e] + code(packed, row, e)) * LANES : code(packed, row, e);
        tile->x_norm[n] = norm;
    }
    return padded;
}

/* Rows counted from the middle of the tile, and the boxes of their groups. */
static void centre_rows(const Packed *packed, const Tile *tile, int64_t padded) {
    const int64_t D = packed->D, T = packed->T, complete = D - packed->n_gaps;
    const float factor = packed->algorithm == PRODUCT ? -0.5f : 1.0f;
    for (int64_t d = 0; d < D; d++) {
        float *column = tile->columns + d * T, *low = tile->low + d * LANES, *high = tile->high + d * LANES,
              from = INFINITY, to = -INFINITY;
        for (int64_t n = 0; n < padded; n++) column[n] = factor * tile->x[n * packed->width + d];
        for (int64_t i = 0; i < padded / GROUP; i++) {
            float a = column[i * GROUP], b = a;
            for (int64_t n = i * GROUP + 1; n < (i + 1) * GROUP; n++)
                a = column[n] < a ? column[n] : a, b = column[n] > b ? column[n] : b;
            low[i] = a, high[i] = b;
            from = a < from ? a : from, to = b > to ? b : to;
        }
        const float middle = tile->middle[d] = 0.5f * (from + to);
        for (int64_t n = 0; n < padded; n++) tile->centred[n * D + d] = column[n] -= middle;
        for (int64_t n = 0, g = D + 2 * (d - complete); d >= complete && n < padded; n++) /* of a missing one, 0 */
            tile->centred[n * D + d] *= tile->x[n * packed->width + g + 1];
        for (int64_t n = padded; n < T; n++) column[n] = 0.0f;
    }
}

/* Which groups of rows are within reach of a block: the squared distance of their boxes. */
INLINE uint32_t groups_in_reach(const Packed *packed, const Tile *tile, int64_t block, int64_t groups) {
    const uint32_t every = (1u << groups) - 1;
    if (!packed->boxes) return every;
    v16 square = all(0.0f);
    for (int64_t d = 0; d < packed->D; d++) {
        const v16 below = *(const v16 *)(tile->low + d * LANES) - all(packed->high[block * packed->D + d]);
        const v16 above = all(packed->low[block * packed->D + d]) - *(const v16 *)(tile->high + d * LANES);
        const v16 gap = (v16)(((i16)below & (below > 0)) | ((i16)above & (above > 0))); /* at most one is positive */
        square = fma16(gap, gap, square);
    }
    const i16 near = square < all(BEYOND);
    uint32_t bits = 0;
    for (int i = 0; i < LANES; i++) bits |= (uint32_t)(near[i] & 1) << i;
    return bits & every;
}

/* Which prototype of a tile's rows is the row itself, from row `first` on: it is left out, or seen as if further away. */
static void find_own(const Packed *packed, const Tile *tile, const int64_t *own, const double *distance, int64_t first,
                     int64_t rows) {
    if (!own) return;
    for (int64_t n = 0; n < packed->T; n++) {
        tile->own[n] = n < rows && own[first + n] >= 0 ? packed->place[own[first + n]] : -1;
        tile->own_distance[n] = n < rows && distance ? (float)distance[first + n] : INFINITY;
    }
}

/* Squared distances s of a row to a block, with another one to the prototype that is the row itself. */
INLINE v16 with_own(v16 s, const Tile *tile, int64_t n, int64_t block) {
    const int64_t lane = tile->own[n] - block * LANES;
    if (lane < 0 || lane >= LANES) return s;
    const i16 is_own = LANE_NUMBERS == (int32_t)lane;
    return (v16)(((i16)s & ~is_own) | ((i16)all(tile->own_distance[n]) & is_own));
}

/* P blocks of 16 prototypes against the rows of a tile: q_lanes += w G, and G if it is wanted. */
INLINE void distances(const Packed *packed, const Tile *tile, int64_t block, uint32_t near, const int P,
                      const int product, const int store) {
    const int64_t width = packed->width, E = packed->n_categories, T = packed->T, next = width * LANES;
    const float *restrict C = packed->C + block * next, *restrict x_norm = tile->x_norm;
    const int64_t n_tabled = packed->n_tabled, levels = packed->n_levels * LANES;
    const float *restrict differ = packed->differ + block * levels, *restrict squares = packed->square;
    const int32_t *restrict codes = packed->codes + block * E * LANES;
    float *restrict q_lanes = tile->q_lanes, *restrict G = tile->G + (store ? block * T * LANES : 0);
    v16 w[PAIR], c_norm[PAIR];
    for (int p = 0; p < P; p++) {
        w[p] = *(const v16 *)(packed->w + (block + p) * LANES);
        c_norm[p] = *(const v16 *)(packed->c_norm + (block + p) * LANES);
    }
    for (; near; near &= near - 1) {
        const int64_t first = __builtin_ctz(near) * GROUP;
        for (int64_t n = first; n < first + GROUP; n += ROWS) {
            const float *restrict x = tile->x + n * width;
            v16 s[ROWS][PAIR];
#pragma GCC unroll 4
            for (int i = 0; i < ROWS; i++)
                for (int p = 0; p < P; p++) s[i][p] = product ? all(x_norm[n + i]) + c_norm[p] : all(0.0f);
            for (int64_t d = 0; d < width; d++) {
                v16 c[PAIR];
                for (int p = 0; p < P; p++) c[p] = *(const v16 *)(C + p * next + d * LANES);
#pragma GCC unroll 4
                for (int i = 0; i < ROWS; i++)
                    for (int p = 0; p < P; p++) {
                        const v16 xd = all(x[i * width + d]), t = xd - c[p];
                        s[i][p] = product ? fma16(xd, c[p], s[i][p]) : fma16(t, t, s[i][p]);
                    }
            }
            for (int64_t e = 0; e < E; e++) {
                const int32_t *restrict x = tile->codes + n * E + e;
                if (e < n_tabled) {
#pragma GCC unroll 4
                    for (int i = 0; i < ROWS; i++)
                        for (int p = 0; p < P; p++)
                            s[i][p] += *(const v16 *)(differ + p * levels + x[i * E]);
                } else {
#pragma GCC unroll 4
                    for (int i = 0; i < ROWS; i++)
                        for (int p = 0; p < P; p++)
                            s[i][p] += where_different(x[i * E], *(const i16 *)(codes + (p * E + e) * LANES), squares[e]);
                }
            }
            if (tile->own) {
#pragma GCC unroll 4
                for (int i = 0; i < ROWS; i++)
                    for (int p = 0; p < P; p++) s[i][p] = with_own(s[i][p], tile, n + i, block + p);
            }
#pragma GCC unroll 4
            for (int i = 0; i < ROWS; i++) {
                v16 q = *(const v16 *)(q_lanes + (n + i) * LANES);
                for (int p = 0; p < P; p++) {
                    const v16 g = exp2_minus(s[i][p]);
                    if (store) *(v16 *)(G + (p * T + n + i) * LANES) = g;
                    q = fma16(w[p], g, q);
                }
                *(v16 *)(q_lanes + (n + i) * LANES) = q;
            }
        }
    }
}

/* Root of what column d adds to the exponent for one row and 16 prototypes, of numbers (x - c) sqrt(log2(e) / 2) v,
   subtracted in float64; `one_missing` is that of one missing number. */
INLINE v16 wide_difference(const Packed *packed, const double *row, int64_t block, int64_t d, const float *one_missing) {
    const int64_t column = packed->used[d];
    const double x = row[column];
    v16 t;
    for (int i = 0; i < LANES; i++) {
        const int64_t j = packed->order[block * LANES + i];
        const double c = j < 0 ? x : packed->prototypes[j * packed->stride + column];
        if (d >= packed->D)
            t[i] = x != c ? (float)packed->scale[d] : 0.0f;
        else if (x == x && c == c)
            t[i] = (float)((x - c) * packed->scale[d]);
        else
            t[i] = x == x || c == c ? one_missing[d] : 0.0f;
    }
    return t;
}

static void wide_distances(const Packed *packed, const Tile *tile, const double *X, int64_t rows, int64_t padded,
                           int64_t block, int store) {
    const v16 w = *(const v16 *)(packed->w + block * LANES);
    for (int64_t n = 0; n < padded; n++) {
        v16 s = all(0.0f), *q = (v16 *)(tile->q_lanes + n * LANES);
        for (int64_t d = 0; d < packed->D + packed->n_categories; d++) {
            const double *row = X + (n < rows ? n : rows - 1) * packed->stride;
            const v16 t = wide_difference(packed, row, block, d, packed->one_missing);
            s = fma16(t, t, s);
        }
        const v16 g = exp2_minus(tile->own ? with_own(s, tile, n, block) : s);
        if (store) *(v16 *)(tile->G + (block * packed->T + n) * LANES) = g;
        *q = fma16(w, g, *q);
    }
}

/* Class sums of a tile in tile->q. */
INLINE void tile_sums(const Packed *packed, const Tile *tile, const double *X, int64_t rows, int64_t padded,
                      const int store) {
    const int64_t groups = padded / GROUP;
    for (int64_t k = 0; k < packed->K; k++) {
        memset(tile->q_lanes, 0, sizeof(float) * padded * LANES);
        for (int64_t block = packed->first[k], P; block < packed->first[k + 1]; block += P) {
            P = block + PAIR <= packed->first[k + 1] && packed->algorithm != WIDE ? PAIR : 1;
            uint32_t near = 0;
            for (int p = 0; p < P; p++) near |= groups_in_reach(packed, tile, block + p, groups);
            for (int p = 0; store && p < P; p++) tile->near[block + p] = near;
            if (packed->algorithm == WIDE)
                wide_distances(packed, tile, X, rows, padded, block, store);
            else if (packed->algorithm == PRODUCT)
                P > 1 ? distances(packed, tile, block, near, PAIR, 1, store)
                      : distances(packed, tile, block, near, 1, 1, store);
            else
                P > 1 ? distances(packed, tile, block, near, PAIR, 0, store)
                      : distances(packed, tile, block, near, 1, 0, store);
        }
        for (int64_t n = 0; n < padded; n++)
            tile->q[k * packed->T + n] = sum16(wide(*(const v16 *)(tile->q_lanes + n * LANES)));
    }
}

/* a_k of every row of a tile, b = sum_k a_k sum_j w_j G_nj, and the loss of the tile, with q_true that of the true class:
   -log(q_true / sum_k q_k) = log(1 + odds). */
static double residuals(const Packed *packed, const Tile *tile, int64_t rows, int64_t padded, const int64_t *labels,
                        const double *row_weights, const double *previous_q) {
    const int64_t K = packed->K, T = packed->T;
    double *q_true = tile->q_true, *q_others = tile->q_others, *m_true = tile->loss, *m_others = tile->b;
    for (int64_t n = 0; n < rows; n++) q_true[n] = q_others[n] = m_true[n] = m_others[n] = 0.0;
    for (int64_t k = 0; k < K; k++) {
        const double *m = tile->q + k * T;
        for (int64_t n = 0; n < rows; n++) {
            const double q = previous_q[n * K + k] + m[n];
            const int is_true = labels[n] == k;
            q_true[n] += is_true ? q : 0.0, m_true[n] += is_true ? m[n] : 0.0;
            q_others[n] += is_true ? 0.0 : q, m_others[n] += is_true ? 0.0 : m[n];
        }
    }
    for (int64_t n = 0; n < rows; n++) {
        const double odds = q_others[n] / q_true[n], a_other = LARGE * row_weights[n] / (q_true[n] + q_others[n]),
                     a_true = -a_other * odds;
        tile->b[n] = a_other * m_others[n] + a_true * m_true[n]; /* a_true without cancellation */
        q_true[n] = a_true, q_others[n] = a_other; /* a takes the place of q */
        tile->loss[n] = row_weights[n] * log1p_of(odds);
    }
    for (int64_t k = 0; k < K; k++) {
        for (int64_t n = 0; n < rows; n++) tile->a[k * T + n] = (float)(labels[n] == k ? q_true[n] : q_others[n]);
        for (int64_t n = rows; n < padded; n++) tile->a[k * T + n] = 0.0f;
    }
    double loss = 0.0;
    for (int64_t n = 0; n < rows; n++) loss += tile->loss[n];
    for (int64_t n = rows; n < T; n++) tile->b[n] = 0.0;
    return loss;
}

/* F of the sums s_0, s_1, ... of P blocks, from the f-th on. F and P are constants where this is expanded, so that all
   sums live in registers. */
INLINE void contract(const Packed *packed, const Tile *tile, int64_t block, uint32_t near, int64_t f0, const int F,
                     const int P) {
    const int64_t T = packed->T, width = 1 + packed->width, next = width + packed->n_categories;
    const float *G = tile->G + block * T * LANES;
    v16 s[CHUNK][PAIR];
    for (int f = 0; f < F; f++)
        for (int p = 0; p < P; p++) s[f][p] = all(0.0f);
    for (; near; near &= near - 1) {
        const int64_t first = __builtin_ctz(near) * GROUP;
        for (int64_t n = first; n < first + GROUP; n++) {
            const float *A = tile->A + n * width + f0;
            v16 g[PAIR];
            for (int p = 0; p < P; p++) g[p] = *(const v16 *)(G + (p * T + n) * LANES);
#pragma GCC unroll 16
            for (int f = 0; f < F; f++)
                for (int p = 0; p < P; p++) s[f][p] = fma16(all(A[f]), g[p], s[f][p]);
        }
    }
    for (int f = 0; f < F; f++)
        for (int p = 0; p < P; p++) *(v16 *)(tile->S + (p * next + f0 + f) * LANES) = s[f][p];
}

/* Of F categories from the e-th on, sums of a_n G_nj over the rows of another category than that of a prototype. */
INLINE void contract_categories(const Packed *packed, const Tile *tile, const float *a, int64_t block, int64_t rows,
                                int64_t e0, const int F, const int P, const int tabled) {
    const int64_t T = packed->T, E = packed->n_categories, next = 1 + packed->width + E,
                  levels = packed->n_levels * LANES;
    const float *restrict G = tile->G + block * T * LANES, *restrict differ = packed->differ + block * levels;
    const float *restrict squares = packed->square + e0;
    const int32_t *restrict codes = packed->codes + (block * E + e0) * LANES;
    v16 s[CATEGORY_CHUNK][PAIR];
    for (int f = 0; f < F; f++)
        for (int p = 0; p < P; p++) s[f][p] = all(0.0f);
    for (int64_t n = 0; n < rows; n++) {
        const int32_t *restrict x = tile->codes + n * E + e0;
        v16 H[PAIR];
        for (int p = 0; p < P; p++) H[p] = all(a[n]) * *(const v16 *)(G + (p * T + n) * LANES);
#pragma GCC unroll 16
        for (int f = 0; f < F; f++)
            for (int p = 0; p < P; p++)
                if (tabled)
                    s[f][p] = fma16(H[p], *(const v16 *)(differ + p * levels + x[f]), s[f][p]);
                else
                    s[f][p] = fma16(
                        H[p], where_different(x[f], *(const i16 *)(codes + (p * E + f) * LANES), squares[f]), s[f][p]);
    }
    for (int f = 0; f < F; f++)
        for (int p = 0; p < P; p++) *(v16 *)(tile->S + (p * next + 1 + packed->width + e0 + f) * LANES) = s[f][p];
}

/* All sums of P blocks, or s_0 alone, in chunks of about the same size. */
INLINE void contract_all(const Packed *packed, const Tile *tile, const float *a, int64_t block, uint32_t near,
                         int64_t rows, int every, const int P) {
    const int64_t n = every ? 1 + packed->width : 1, E = every ? packed->n_categories : 0;
    for (int64_t f = 0, F, chunks = (n + CHUNK - 1) / CHUNK; chunks > 0; f += F, chunks--) {
        F = (n - f + chunks - 1) / chunks;
        switch (F) {
#define CASE(F)                                                                                                        \
    case F: contract(packed, tile, block, near, f, F <= CHUNK ? F : 1, P); break;
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13)
#undef CASE
        }
    }
    for (int64_t e = 0, F; e < E; e += F) {
        const int tabled = e < packed->n_tabled;
        const int64_t left = (tabled ? packed->n_tabled : E) - e, chunks = (left + CATEGORY_CHUNK - 1) / CATEGORY_CHUNK;
        F = (left + chunks - 1) / chunks;
        switch (tabled ? F : -F) {
#define CASE(F)                                                                                                        \
    case F: contract_categories(packed, tile, a, block, rows, e, F <= CATEGORY_CHUNK ? F : 1, P, 1); break;            \
    case -F: contract_categories(packed, tile, a, block, rows, e, F <= CATEGORY_CHUNK ? F : 1, P, 0); break;
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
#undef CASE
        }
    }
}

/* The same sums with the square of each difference in the place of a product. */
static void wide_contract(const Packed *packed, const Tile *tile, const float *a, const double *X, int64_t rows,
                          int64_t block) {
    const int64_t columns = packed->D + packed->n_categories;
    for (int64_t f = 0; f <= columns; f++) *(v16 *)(tile->S + f * LANES) = all(0.0f);
    for (int64_t n = 0; n < rows; n++) {
        if (!(tile->near[block] >> (n / GROUP) & 1)) continue;
        const v16 H = all(a[n]) * *(const v16 *)(tile->G + (block * packed->T + n) * LANES);
        *(v16 *)tile->S += H;
        for (int64_t d = 0; d < columns; d++) {
            const v16 t = wide_difference(packed, X + n * packed->stride, block, d, packed->slope);
            v16 *s = (v16 *)(tile->S + (1 + d) * LANES);
            *s = fma16(H * t, t, *s);
        }
    }
}

/* sum_n a_n G_nj (x - c)^2 of two numbers, and of what takes its place where one is missing, by the sums s of columns x,
   (x^2, p_x), for 16 prototypes: c counted from the middle of the tile, s_0 = sum_n a_n G_nj, p = 1 where there is a c. */
INLINE v16 with_gaps(v16 s0, v16 s_x, v16 s_square, v16 s_present, v16 c, v16 p, float slope) {
    const v16 both = p * fma16(c, fma16(c, s_present, all(-2.0f) * s_x), s_square);
    return fma16(all(slope * slope), fma16(p, s0 - s_present - s_present, s_present), both);
}

/* Sums over the rows of a tile: gw[block][16] += dloss/dw, gv[d] += sum_{n,j} a w G (x_d - c_d)^2. */
static void tile_gradient(const Packed *packed, const Tile *tile, const double *X, int64_t rows, int64_t padded,
                          double *gw, double *gv) {
    const int64_t D = packed->D, T = packed->T, E = packed->n_categories, complete = D - packed->n_gaps,
                  width = 1 + packed->width;
    float radius = 0.0f;
    for (int64_t n = 0; n < padded; n++) {
        float norm = 0.0f;
        for (int64_t d = 0; d < D; d++) norm += tile->centred[n * D + d] * tile->centred[n * D + d];
        if (!(norm <= radius)) radius = norm;
    }
    const int is_wide = packed->algorithm == WIDE || !(EPSILON * radius < 1e-3f);
    for (int64_t d = 0; d < D + E; d++) *(v16 *)(tile->gv + d * LANES) = all(0.0f);
    for (int64_t k = 0; k < packed->K; k++) {
        const float *a = tile->a + k * T;
        for (int64_t n = 0; n < padded; n++) {
            tile->A[n * width] = a[n];
            for (int64_t d = 0; d < D; d++) tile->A[n * width + 1 + d] = a[n] * tile->centred[n * D + d];
            for (int64_t d = complete, g = D; d < D; d++, g += 2) {
                const float x = tile->centred[n * D + d], present = tile->x[n * packed->width + g + 1];
                tile->A[n * width + 1 + g] = a[n] * (x * x), tile->A[n * width + 2 + g] = a[n] * present;
            }
        }
        for (int64_t block = packed->first[k]; block < packed->first[k + 1];) {
            const int P = block + PAIR <= packed->first[k + 1] && !is_wide ? PAIR : 1;
            const int has_weight = packed->w[block * LANES] > 0.0f; /* else it has no part in dloss/dv */
            if (is_wide)
                wide_contract(packed, tile, a, X, rows, block);
            else
                P > 1 ? contract_all(packed, tile, a, block, tile->near[block], padded, has_weight, PAIR)
                      : contract_all(packed, tile, a, block, tile->near[block], padded, has_weight, 1);
            for (int p = 0; p < P; p++, block++) {
                const float *S = tile->S + p * (width + E) * LANES, *C = packed->C + block * packed->width * LANES;
                const v16 w = *(const v16 *)(packed->w + block * LANES), s0 = *(const v16 *)S;
                *(d16 *)(gw + block * LANES) += wide(s0);
                if (!has_weight) continue;
                for (int64_t d = 0; is_wide && d < D + E; d++) {
                    v16 *sum = (v16 *)(tile->gv + d * LANES);
                    *sum = fma16(w, *(const v16 *)(S + (1 + d) * LANES), *sum);
                }
                if (is_wide) continue;
                for (int64_t d = 0; d < complete; d++) {
                    const v16 s = *(const v16 *)(S + (1 + d) * LANES),
                              c = *(const v16 *)(C + d * LANES) - all(tile->middle[d]);
                    v16 *sum = (v16 *)(tile->gv + d * LANES);
                    *sum = fma16(w * c, fma16(c, s0, all(-2.0f) * s), *sum);
                }
                for (int64_t d = complete, g = D; d < D; d++, g += 2) {
                    const v16 *s = (const v16 *)(S + (1 + g) * LANES), *p_c = (const v16 *)(C + g * LANES);
                    const v16 c = *(const v16 *)(C + d * LANES) - all(tile->middle[d]);
                    v16 *sum = (v16 *)(tile->gv + d * LANES);
                    *sum = fma16(
                        w, with_gaps(s0, *(const v16 *)(S + (1 + d) * LANES), s[0], s[1], c, *p_c, packed->slope[d]), *sum);
                }
                for (int64_t e = 0; e < E; e++) {
                    v16 *sum = (v16 *)(tile->gv + (D + e) * LANES);
                    *sum = fma16(w, *(const v16 *)(S + (width + e) * LANES), *sum);
                }
            }
        }
    }
    for (int64_t d = 0; d < D + E; d++) {
        d16 square = {0}; /* the part x^2 of the square needs only sum_j a w G of the row */
        for (int64_t n = 0; !is_wide && d < complete && n < rows; n += LANES) {
            const d16 x = wide(*(const v16 *)(tile->columns + d * T + n));
            square += *(const d16 *)(tile->b + n) * (x * x);
        }
        gv[d] += sum16(wide(*(const v16 *)(tile->gv + d * LANES))) + sum16(square);
    }
}

/* By how much the loss of a tile's rows rises without each prototype j, c_nj = w_j G_nj and Q_n = sum_k q_k(x_n):

       sums_j += sum_n r_n (log((Q_n - c_nj) / (q_true - c_nj [k(j) = y_n])) - log(Q_n / q_true)).

   What rounding leaves of a difference is at least what there was before this batch. A term without c_nj is exactly 0, so
   that it does not matter which rows out of reach are left out. */
static void tile_increases(const Packed *packed, const Tile *tile, int64_t rows, const int64_t *labels,
                           const double *row_weights, const double *previous_q, double *sums) {
    const int64_t K = packed->K, T = packed->T;
    double *q_true = tile->q_true, *q_all = tile->q_others, *log_odds = tile->loss;
    for (int64_t n = 0; n < rows; n++) {
        q_all[n] = 0.0;
        for (int64_t k = 0; k < K; k++) q_all[n] += previous_q[n * K + k] + tile->q[k * T + n];
        q_true[n] = previous_q[n * K + labels[n]] + tile->q[labels[n] * T + n];
        log_odds[n] = log_of(q_all[n] / q_true[n]);
    }
    for (int64_t k = 0; k < K; k++)
        for (int64_t block = packed->first[k]; block < packed->first[k + 1]; block++) {
            const d16 w = wide(*(const v16 *)(packed->w + block * LANES));
            d16 *sum = (d16 *)(sums + block * LANES);
            for (int64_t n = 0; n < rows; n++) {
                if (!(tile->near[block] >> (n / GROUP) & 1)) continue;
                const double least = previous_q[n * K + labels[n]], other = q_true[n];
                double c[LANES], increase[LANES];
                *(d16 *)c = w * wide(*(const v16 *)(tile->G + (block * T + n) * LANES));
                for (int i = 0; i < LANES; i++) {
                    const double all_left = q_all[n] - c[i], true_left = labels[n] == k ? q_true[n] - c[i] : other;
                    const double above = all_left > least ? all_left : least,
                                 below = true_left > least ? true_left : least;
                    increase[i] = row_weights[n] * (log_of(above / below) - log_odds[n]);
                }
                *sum += *(const d16 *)increase;
            }
        }
}

/* An evaluation: what threads share out strip by strip, and what they leave for each strip. */
typedef struct {
    const Problem *problem;
    const Packed *packed;
    Tile *tiles;            /* one for each thread */
    int64_t n_strips;
    double *loss, *gw, *gv; /* [strips], [strips][blocks][16], [strips][D] */
    int increases;          /* whether gw is what tile_increases() has, and there is no gradient */
    atomic_llong next;
} Evaluation;

static void evaluate_strips(void *shared, int64_t thread) {
    Evaluation *evaluation = shared;
    const Problem *problem = evaluation->problem;
    const Packed *packed = evaluation->packed;
    const Tile *tile = evaluation->tiles + thread;
    const int64_t K = packed->K, D = packed->D + packed->n_categories, n_weights = packed->first[K] * LANES;
    for (int64_t strip; (strip = atomic_fetch_add(&evaluation->next, 1)) < evaluation->n_strips;) {
        double *gw = evaluation->gw + strip * n_weights, *gv = evaluation->gv + strip * D,
               *loss = evaluation->loss + strip;
        memset(gw, 0, sizeof(double) * n_weights), memset(gv, 0, sizeof(double) * D), *loss = 0.0;
        const int64_t start = strip * packed->strip, stop = least(start + packed->strip, problem->N);
        for (int64_t n = start; n < stop; n += packed->T) {
            const int64_t rows = least(stop - n, packed->T);
            const double *X = problem->X + n * packed->stride;
            const int64_t padded = pack_rows(packed, tile, X, rows);
            centre_rows(packed, tile, padded);
            find_own(packed, tile, problem->own, problem->own_distance, n, rows);
            tile_sums(packed, tile, X, rows, padded, 1);
            const int64_t *labels = problem->labels + n;
            const double *row_weights = problem->row_weights + n, *previous_q = problem->previous_q + n * K;
            if (evaluation->increases) {
                tile_increases(packed, tile, rows, labels, row_weights, previous_q, gw);
                continue;
            }
            *loss += residuals(packed, tile, rows, padded, labels, row_weights, previous_q);
            tile_gradient(packed, tile, X, rows, padded, gw, gv);
        }
    }
}

/* Everything that evaluate() needs besides the problem. */
typedef struct {
    Packed packed;
    Evaluation evaluation;
    double *ones, *zeros;
} Workspace;

static void take_workspace(Memory *memory, Workspace *work, const Problem *problem) {
    const int64_t D = problem->D, K = problem->K, blocks = n_blocks(K, problem->class_offsets),
                  numbers = problem->spread ? 3 * D : D, longest = D > blocks * LANES ? D : blocks * LANES;
    Packed *packed = &work->packed;
    Evaluation *evaluation = &work->evaluation;
    work->ones = TAKE(memory, double, longest), work->zeros = TAKE(memory, double, D);
    *packed = (Packed){.prototypes = problem->candidates,
                       .centre = work->zeros,
                       .class_offsets = problem->class_offsets,
                       .levels = problem->levels,
                       .category = problem->category,
                       .spread = problem->spread,
                       .stride = D,
                       .K = K,
                       .T = tile_rows(numbers, blocks)};
    packed->strip = STRIP / packed->T * packed->T;
    take_packed(memory, packed, blocks, D, numbers, tabled_levels(problem->levels, D), K);
    *evaluation = (Evaluation){
        .problem = problem, .packed = packed, .n_strips = (problem->N + packed->strip - 1) / packed->strip};
    evaluation->tiles = TAKE(memory, Tile, problem->n_threads);
    Tile uncounted;
    for (int64_t i = 0; i < problem->n_threads; i++)
        take_tile(memory, memory->base ? evaluation->tiles + i : &uncounted, packed->T, blocks, D, numbers, K, 1,
                  problem->own != NULL, problem->levels != NULL);
    evaluation->loss = TAKE(memory, double, evaluation->n_strips);
    evaluation->gw = TAKE(memory, double, evaluation->n_strips * blocks * LANES);
    evaluation->gv = TAKE(memory, double, evaluation->n_strips * D);
    if (!memory->base) return;
    for (int64_t i = 0; i < longest; i++) work->ones[i] = 1.0;
    memset(work->zeros, 0, sizeof(double) * D);
}

/* lambda (alpha / 2 x'x + (1 - alpha) sum x), and its derivative added to the gradient. */
static double penalty(const Workspace *work, double lambda, double alpha, const double *x, int64_t n,
                      double *gradient) {
    for (int64_t i = 0; i < n; i++) gradient[i] += lambda * (alpha * x[i] + (1.0 - alpha));
    return lambda * (0.5 * alpha * dot(x, x, n) + (1.0 - alpha) * dot(work->ones, x, n));
}

/* Pass over the kernel at theta = [v, w], whose sums over strips are left in the first strip's place; returns the loss. */
static double pass(Workspace *work, const double *theta, const uint8_t *active, int increases) {
    Evaluation *evaluation = &work->evaluation;
    const Problem *problem = evaluation->problem;
    Packed *packed = &work->packed;
    use_columns(packed, problem->D, theta);
    pack_prototypes(packed, theta + problem->D, active + problem->D, problem->sorted);
    evaluation->increases = increases;
    atomic_store(&evaluation->next, 0);
    proset_run(evaluate_strips, evaluation, least(problem->n_threads, evaluation->n_strips));

    const int64_t D = packed->D + packed->n_categories, n_weights = packed->first[packed->K] * LANES;
    double loss = 0.0, *gw = evaluation->gw, *gv = evaluation->gv;
    for (int64_t strip = 0; strip < evaluation->n_strips; strip++) {
        loss += evaluation->loss[strip];
        for (int64_t i = 0; strip > 0 && i < n_weights; i++) gw[i] += evaluation->gw[strip * n_weights + i];
        for (int64_t d = 0; strip > 0 && d < D; d++) gv[d] += evaluation->gv[strip * D + d];
    }
    return loss;
}

/* f(theta) of a batch and its gradient, with theta = [v, w]:

       f = -sum_n r_n log P(y_n | x_n) + penalty(v) + penalty(w)
       df/dw_j = sum_n a_{n,k(j)} G_nj + ...,   df/dv_d = -v_d sum_{n,j} a_{n,k(j)} w_j G_nj (x_nd - c_jd)^2 + ... */
static double evaluate(void *context, const double *theta, const uint8_t *active, double *gradient) {
    Workspace *work = context;
    const double loss = pass(work, theta, active, 0);
    const Evaluation *evaluation = &work->evaluation;
    const Problem *problem = evaluation->problem;
    const Packed *packed = &work->packed;
    const int64_t J = problem->class_offsets[problem->K], n_weights = packed->first[packed->K] * LANES;
    const double *v = theta, *w = theta + problem->D, *gw = evaluation->gw, *gv = evaluation->gv;
    double *dv = gradient, *dw = gradient + problem->D;
    memset(gradient, 0, sizeof(double) * (problem->D + J));
    for (int64_t i = 0; i < n_weights; i++)
        if (packed->order[i] >= 0) dw[packed->order[i]] = gw[i] / LARGE;
    for (int64_t d = 0; d < packed->D + packed->n_categories; d++) /* it was scaled */
        dv[packed->used[d]] = -gv[d] / (SCALE * SCALE * LARGE * v[packed->used[d]]);
    return loss + (penalty(work, problem->lambda_v, problem->alpha_v, v, problem->D, dv) +
                   penalty(work, problem->lambda_w, problem->alpha_w, w, J, dw));
}

/* By how much f rises without each prototype. */
static void evaluate_increases(Workspace *work, const double *theta, const uint8_t *active, double *increases) {
    const Problem *problem = work->evaluation.problem;
    const Packed *packed = &work->packed;
    const double *w = theta + problem->D, alpha = problem->alpha_w;
    pass(work, theta, active, 1);
    for (int64_t i = 0; i < packed->first[packed->K] * LANES; i++) {
        const int64_t j = packed->order[i];
        if (j >= 0)
            increases[j] = work->evaluation.gw[i] - problem->lambda_w * (0.5 * alpha * w[j] + (1.0 - alpha)) * w[j];
    }
}

/* Class sums of rows: what threads share out. */
typedef struct {
    const Prediction *prediction;
    const Packed *packed;
    const Tile *tiles;
    double *sums;
    atomic_llong next;
} Sums;

static void sum_strips(void *shared, int64_t thread) {
    Sums *sums = shared;
    const Packed *packed = sums->packed;
    const Tile *tile = sums->tiles + thread;
    const int64_t K = packed->K, N = sums->prediction->N;
    for (int64_t start; (start = atomic_fetch_add(&sums->next, 1) * packed->strip) < N;) {
        const int64_t stop = least(start + packed->strip, N);
        for (int64_t n = start; n < stop; n += packed->T) {
            const int64_t rows = least(stop - n, packed->T);
            const double *X = sums->prediction->X + n * packed->stride;
            const int64_t padded = pack_rows(packed, tile, X, rows);
            find_own(packed, tile, sums->prediction->own, sums->prediction->own_distance, n, rows);
            tile_sums(packed, tile, X, rows, padded, 0);
            for (int64_t i = 0; i < rows; i++)
                for (int64_t k = 0; k < K; k++) sums->sums[(n + i) * K + k] = tile->q[k * packed->T + i];
        }
    }
}

static void take_sums(Memory *memory, Packed *packed, uint8_t **active, Tile **tiles, const Prediction *prediction) {
    const int64_t K = prediction->K, J = prediction->class_offsets[K], blocks = n_blocks(K, prediction->class_offsets);
    int64_t D = 0;
    for (int64_t d = 0; d < prediction->D; d++) D += prediction->v[d] > 0.0;
    const int64_t numbers = prediction->spread ? 3 * D : D;
    *packed = (Packed){.prototypes = prediction->prototypes,
                       .centre = prediction->centre,
                       .class_offsets = prediction->class_offsets,
                       .levels = prediction->levels,
                       .category = prediction->category,
                       .spread = prediction->spread,
                       .stride = prediction->D,
                       .K = K,
                       .strip = STRIP,
                       .T = least(MAX_TILE, (prediction->N + LANES - 1) / LANES * LANES)};
    take_packed(memory, packed, blocks, D, numbers, tabled_levels(prediction->levels, prediction->D), K);
    *active = TAKE(memory, uint8_t, J), *tiles = TAKE(memory, Tile, prediction->n_threads);
    Tile uncounted;
    for (int64_t i = 0; i < prediction->n_threads; i++)
        take_tile(memory, memory->base ? *tiles + i : &uncounted, packed->T, blocks, D, numbers, K, 0,
                  prediction->own != NULL, prediction->levels != NULL);
    if (!memory->base) return;
    memset(*active, 1, (size_t)J);
    use_columns(packed, prediction->D, prediction->v);
}

/* sums_nk = sum_{j in class k} w_j G_nj, shape (N, K). 0, or 1 if there is no memory. The sums of a row do not depend on
   other rows. */
static int32_t class_sums(const Prediction *prediction, double *sums) {
    Memory memory = {0};
    Packed packed;
    uint8_t *active;
    Tile *tiles;
    take_sums(&memory, &packed, &active, &tiles, prediction);
    if (!allocate(&memory)) return 1;
    take_sums(&memory, &packed, &active, &tiles, prediction);
    pack_prototypes(&packed, prediction->w, active, 0);
    Sums shared = {.prediction = prediction, .packed = &packed, .tiles = tiles, .sums = sums};
    proset_run(sum_strips, &shared, least(prediction->n_threads, (prediction->N + STRIP - 1) / STRIP));
    release(&memory);
    return 0;
}
