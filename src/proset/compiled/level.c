/* Compiled once for each level of instructions; LEVEL is its name. */
#include "level.h"

#include "kernel.h"
#include "solver.h"

static int32_t with_workspace(const Problem *problem, Memory *memory, Workspace *work) {
    take_workspace(memory, work, problem);
    if (!allocate(memory)) return 0;
    take_workspace(memory, work, problem);
    return 1;
}

static int32_t with_all_active(const Problem *problem, Memory *memory, Workspace *work, uint8_t **active) {
    const int64_t n = problem->D + problem->class_offsets[problem->K];
    take_workspace(memory, work, problem), (void)TAKE(memory, uint8_t, n);
    if (!allocate(memory)) return 0;
    take_workspace(memory, work, problem), *active = TAKE(memory, uint8_t, n);
    memset(*active, 1, (size_t)n);
    return 1;
}

static Solution fit(const Problem *problem, double *theta, const double *scale, int64_t path, int64_t max_iter,
                    double tol, Progress progress) {
    Memory memory = {0};
    Workspace work;
    if (!with_workspace(problem, &memory, &work)) return (Solution){.message = NO_MEMORY};
    const int64_t n = problem->D + problem->class_offsets[problem->K];
    const Solution solution = minimize(evaluate, &work, theta, scale, n, path, max_iter, tol, progress);
    release(&memory);
    return solution;
}

static int32_t objective(const Problem *problem, const double *theta, double *value, double *gradient) {
    Memory memory = {0};
    Workspace work;
    uint8_t *active;
    if (!with_all_active(problem, &memory, &work, &active)) return 1;
    *value = evaluate(&work, theta, active, gradient);
    release(&memory);
    return 0;
}

static int32_t increases(const Problem *problem, const double *theta, double *found) {
    Memory memory = {0};
    Workspace work;
    uint8_t *active;
    if (!with_all_active(problem, &memory, &work, &active)) return 1;
    evaluate_increases(&work, theta, active, found);
    release(&memory);
    return 0;
}

static Solution minimize_function(Function function, double *x, const double *scale, int64_t n, int64_t path,
                                  int64_t max_iter, double tol, Progress progress) {
    return minimize(function, NULL, x, scale, n, path, max_iter, tol, progress);
}

static void logarithms(const double *x, int64_t n, double *result) {
    for (int64_t i = 0; i < n; i++) result[i] = log_of(x[i]);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)
const Level JOIN(proset_, LEVEL) = {TEXT(LEVEL), fit, objective, increases, minimize_function, class_sums, logarithms};
