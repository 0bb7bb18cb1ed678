/* What callers hand over and get back. Arrays are contiguous. */
#pragma once
#include <stdint.h>

/* References, candidates and penalties of one batch; see proset.objective. */
typedef struct {
    const double *X;                     /* (N, D) */
    const int64_t *labels;               /* (N) */
    const int64_t *own;                  /* (N): the candidate that a row is itself, -1 for none; or NULL */
    const double *own_distance;          /* (N): -log2 of the kernel value that it has there; NULL: it sees nothing of it */
    const double *row_weights, *previous_q; /* (N), (N, K) */
    const double *candidates;            /* (J, D), sorted by class */
    const int64_t *class_offsets;        /* K + 1 boundaries of the classes among the candidates */
    const int64_t *levels;               /* (D), see proset.columns; NULL, or 0: a column of numbers */
    const double *category, *spread;     /* (D); spread 0: no number is missing */
    int64_t N, D, K, sorted,
        n_threads;  /* sorted: neighbours are near each other, among rows and candidates of a class */
    double lambda_v, lambda_w, alpha_v, alpha_w;
} Problem;

/* Rows, and the prototypes whose class sums are wanted. */
typedef struct {
    const double *X, *prototypes;        /* (N, D), (J, D), sorted by class */
    const double *centre;                /* (D), subtracted from both */
    const int64_t *class_offsets;
    const double *v, *w;                 /* (D), (J) */
    const int64_t *levels;               /* (D): as in Problem */
    const double *category, *spread;
    const int64_t *own;                  /* (N): the prototype that a row is itself, -1; or NULL */
    const double *own_distance;          /* (N): as in Problem */
    int64_t N, D, K, n_threads;
} Prediction;

/* Value and gradient at x. Variables whose `active` is 0 are 0, and their derivatives need not be set. */
typedef double (*Function)(void *context, const double *x, const uint8_t *active, double *gradient);
typedef int32_t (*Progress)(int64_t n_iter, double value); /* not 0: stop */

enum message { LIMIT, GRADIENT, DECREASE, FAILED, NOT_FINITE, STOPPED, NO_MEMORY };

typedef struct {
    double value;
    int64_t n_iter, n_evaluations, message;
} Solution;
