/* The library's face: chooses the level of instructions at run time and sees to the standard arithmetic around each call. */
#include <fenv.h>
#include <string.h>

#include "level.h"
#include "order.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#ifdef __x86_64__
#include <cpuid.h>

/* Whether processor and operating system have the instructions: 0 none, 1 AVX2 and FMA, 2 AVX-512 (F, DQ, BW, VL). */
static int x86_level(void) {
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA) || !(c & bit_OSXSAVE)) return 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return 0;
    const unsigned avx512 = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    return (saved & 0xE6) == 0xE6 && (b & avx512) == avx512 ? 2 : 1;
}
#endif

static const Level *level;

/* Use the level of that name, or the best one if it is NULL; returns its name, or NULL if this machine does not have it. */
EXPORT const char *proset_use_level(const char *name) {
    const Level *levels[] = {
#ifdef __x86_64__
        x86_level() > 1 ? &proset_avx512 : NULL, x86_level() > 0 ? &proset_avx2 : NULL,
#endif
        &PORTABLE};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i] && (!name || strcmp(name, levels[i]->name) == 0)) {
            level = levels[i];
            return level->name;
        }
    return NULL;
}

/* Rounding to nearest and no flushing of small numbers to zero, whatever other libraries of the process have set. */
#define IN_STANDARD_ARITHMETIC(call)                                                                                   \
    fenv_t found;                                                                                                      \
    fegetenv(&found), fesetenv(FE_DFL_ENV);                                                                            \
    call;                                                                                                              \
    fesetenv(&found)

/* Minimise the objective from theta = [v, w] on, which becomes the solution. */
EXPORT void proset_fit(const Problem *problem, double *theta, const double *scale, int64_t path, int64_t max_iter,
                       double tol, Progress progress, Solution *solution) {
    IN_STANDARD_ARITHMETIC(*solution = level->fit(problem, theta, scale, path, max_iter, tol, progress));
}

/* f(theta) and its gradient; 0, or 1 if there is no memory. */
EXPORT int32_t proset_objective(const Problem *problem, const double *theta, double *value, double *gradient) {
    IN_STANDARD_ARITHMETIC(const int32_t failed = level->objective(problem, theta, value, gradient));
    return failed;
}

/* By how much f(theta) rises without each of the prototypes; 0, or 1 if there is no memory. */
EXPORT int32_t proset_increases(const Problem *problem, const double *theta, double *increases) {
    IN_STANDARD_ARITHMETIC(const int32_t failed = level->increases(problem, theta, increases));
    return failed;
}

/* Minimise any function, for tests of the solver. */
EXPORT void proset_minimize(Function function, double *x, const double *scale, int64_t n, int64_t path,
                            int64_t max_iter, double tol, Solution *solution) {
    IN_STANDARD_ARITHMETIC(*solution = level->minimize(function, x, scale, n, path, max_iter, tol, NULL));
}

/* sums_nk = sum_{j in class k} w_j G_nj; 0, or 1 if there is no memory. */
EXPORT int32_t proset_class_sums(const Prediction *prediction, double *sums) {
    IN_STANDARD_ARITHMETIC(const int32_t failed = level->class_sums(prediction, sums));
    return failed;
}

EXPORT void proset_log(const double *x, int64_t n, double *result) {
    IN_STANDARD_ARITHMETIC(level->log(x, n, result));
}

EXPORT void proset_sort_neighbours(const double *X, int64_t D, int64_t *order, int64_t count) {
    sort_neighbours(X, D, order, count);
}

/* Means of the columns of X (N, D): sums in the order of the rows. */
EXPORT void proset_means(const double *X, int64_t N, int64_t D, double *means) {
    memset(means, 0, sizeof(double) * D);
    for (int64_t n = 0; n < N; n++)
        for (int64_t d = 0; d < D; d++) means[d] += X[n * D + d];
    for (int64_t d = 0; d < D; d++) means[d] /= (double)N;
}

/* Sums of the rows of X (N, K), in the order of the columns. */
EXPORT void proset_row_sums(const double *X, int64_t N, int64_t K, double *sums) {
    for (int64_t n = 0; n < N; n++) {
        sums[n] = 0.0;
        for (int64_t k = 0; k < K; k++) sums[n] += X[n * K + k];
    }
}
