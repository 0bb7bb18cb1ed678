/* Runs the library on stored inputs: driver INPUT OUTPUT. All numbers are 8 bytes: sizes, then arrays in the order of their reading. */
#include <stdio.h>
#include <stdlib.h>

#include "problem.h"

const char *proset_use_level(const char *name);
void proset_fit(const Problem *, double *theta, const double *scale, int64_t path, int64_t max_iter, double tol,
                Progress, Solution *);
int32_t proset_objective(const Problem *, const double *theta, double *value, double *gradient);
int32_t proset_increases(const Problem *, const double *theta, double *increases);
int32_t proset_class_sums(const Prediction *, double *sums);
void proset_log(const double *x, int64_t n, double *result);
void proset_sort_neighbours(const double *X, int64_t D, int64_t *order, int64_t count);
void proset_means(const double *X, int64_t N, int64_t D, double *means);
void proset_row_sums(const double *X, int64_t N, int64_t K, double *sums);

static FILE *input, *output;

static void *get(int64_t size) {
    void *array = malloc((size_t)size * 8 + 1);
    if (!array || fread(array, 8, (size_t)size, input) != (size_t)size) exit(2);
    return array;
}

static void put(const void *array, int64_t size) {
    if (fwrite(array, 8, (size_t)size, output) != (size_t)size) exit(3);
}

int main(int count, char **arguments) {
    if (count != 3 || !(input = fopen(arguments[1], "rb")) || !(output = fopen(arguments[2], "wb"))) return 1;
    const char *level = proset_use_level(NULL);
    const int64_t *sizes = get(9), N = sizes[0], D = sizes[1], K = sizes[2], J = sizes[3], sorted = sizes[4],
                  n_threads = sizes[5], path = sizes[6], max_iter = sizes[7],
                  mixed = sizes[8];
    Problem problem = {.N = N, .D = D, .K = K, .sorted = sorted, .n_threads = n_threads};
    problem.X = get(N * D), problem.labels = get(N), problem.own = get(N), problem.own_distance = get(N),
    problem.row_weights = get(N), problem.previous_q = get(N * K);
    problem.candidates = get(J * D);
    if (mixed) problem.levels = get(D), problem.category = get(D), problem.spread = get(D);
    problem.class_offsets = get(K + 1);
    const double *penalty = get(4), *theta = get(D + J), *scale = get(D + J);
    problem.lambda_v = penalty[0], problem.lambda_w = penalty[1], problem.alpha_v = penalty[2],
    problem.alpha_w = penalty[3];

    double *x = malloc(8 * (size_t)(D + J)), *gradient = malloc(8 * (size_t)(D + J)),
           *rows = malloc(8 * (size_t)(N * K + D + N));
    double value;
    if (proset_objective(&problem, theta, &value, gradient)) return 4;
    put(&value, 1), put(gradient, D + J);
    if (proset_increases(&problem, theta, gradient)) return 4;
    put(gradient, J);
    for (int64_t i = 0; i < D + J; i++) x[i] = theta[i];
    Solution solution;
    proset_fit(&problem, x, scale, path, max_iter, 1e-5, NULL, &solution);
    put(&solution, 4), put(x, D + J);
    double *centre = rows + N * K;
    for (int64_t d = 0; d < D; d++) centre[d] = 0.0;
    if (!mixed) proset_means(problem.X, N, D, centre);
    put(centre, D);
    const Prediction prediction = {.X = problem.X,
                                   .prototypes = problem.candidates,
                                   .centre = centre,
                                   .class_offsets = problem.class_offsets,
                                   .v = x,
                                   .w = x + D,
                                   .levels = problem.levels,
                                   .category = problem.category,
                                   .spread = problem.spread,
                                   .own = problem.own,
                                   .own_distance = problem.own_distance,
                                   .N = N,
                                   .D = D,
                                   .K = K,
                                   .n_threads = n_threads};
    if (proset_class_sums(&prediction, rows)) return 4;
    put(rows, N * K);
    proset_row_sums(problem.previous_q, N, K, centre + D), put(centre + D, N);
    proset_log(problem.previous_q, N * K, rows), put(rows, N * K);
    int64_t *order = malloc(8 * (size_t)N);
    for (int64_t n = 0; n < N; n++) order[n] = n;
    proset_sort_neighbours(problem.X, D, order, N), put(order, N);
    puts(level);
    return 0;
}
