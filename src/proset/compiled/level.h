/* What every level has: the same functions, compiled for other instructions. */
#pragma once
#include <stdint.h>

#include "problem.h"

typedef struct {
    const char *name;
    Solution (*fit)(const Problem *, double *theta, const double *scale, int64_t path, int64_t max_iter, double tol,
                    Progress);
    int32_t (*objective)(const Problem *, const double *theta, double *value, double *gradient);
    int32_t (*increases)(const Problem *, const double *theta, double *increases);
    Solution (*minimize)(Function, double *x, const double *scale, int64_t n, int64_t path, int64_t max_iter,
                         double tol, Progress);
    int32_t (*class_sums)(const Prediction *, double *sums);
    void (*log)(const double *x, int64_t n, double *result);
} Level;

#ifdef __aarch64__
#define PORTABLE proset_neon /* the same source: NEON is part of every such processor */
#else
#define PORTABLE proset_portable
#endif
extern const Level proset_avx512, proset_avx2, PORTABLE;
