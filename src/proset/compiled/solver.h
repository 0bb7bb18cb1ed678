/* Minimisation of a smooth function of non-negative variables: proset.solver, whose names and comments hold here too.

   Order of operations: products and sums of vectors are those of dot(); the rest runs in the order of the indices, in float64,
   without fused operations. */
#pragma once
#include <math.h>

#include "lanes.h"
#include "problem.h"
#include "threads.h"

enum { PATH_MEMORY = 10, MEMORY = 30, WINDOW = 10, TRIALS = 12, REFRESH = 10 };
#define NOISE 1e-7
#define MACHINE_EPSILON 2.220446049250313e-16

/* The last pairs of steps s and gradient changes y; the i-th, oldest first, is in row (first + i) % size. */
typedef struct {
    double *s, *y;
    int64_t size, n, first, count;
} Pairs;

INLINE double *row(const Pairs *pairs, double *rows, int64_t i) {
    return rows + (pairs->first + i) % pairs->size * pairs->n;
}

static void add_pair(Pairs *pairs, const double *s, const double *y) {
    if (pairs->count == pairs->size)
        pairs->first = (pairs->first + 1) % pairs->size;
    else
        pairs->count++;
    memcpy(row(pairs, pairs->s, pairs->count - 1), s, sizeof(double) * pairs->n);
    memcpy(row(pairs, pairs->y, pairs->count - 1), y, sizeof(double) * pairs->n);
}

/* Everything the iterations work on; vectors have n elements. */
typedef struct {
    Function function;
    void *context;
    int64_t n, n_evaluations;
    double *unit, *x, *gradient, value;               /* the point, in units of `unit` */
    double *direction, *s, *y, *trial, *trial_gradient, *scaled;
    Pairs pairs;
    double *w, *free_w, *stop, *d, *point, *step, *mask; /* first phase: [2 PATH_MEMORY][n] twice, and vectors */
    int64_t *index;
    uint8_t *active;                                  /* 0: held at its bound, its derivative is an older one */
} State;

static void take_state(Memory *memory, State *state, int64_t n) {
    double **vectors[] = {&state->unit, &state->x,     &state->gradient,       &state->direction, &state->s,
                          &state->y,    &state->trial, &state->trial_gradient, &state->scaled,    &state->stop,
                          &state->d,    &state->point, &state->step,           &state->mask};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TAKE(memory, double, n);
    state->pairs.s = TAKE(memory, double, MEMORY * n), state->pairs.y = TAKE(memory, double, MEMORY * n);
    state->w = TAKE(memory, double, 2 * PATH_MEMORY * n), state->free_w = TAKE(memory, double, 2 * PATH_MEMORY * n);
    state->index = TAKE(memory, int64_t, n), state->active = TAKE(memory, uint8_t, n);
}

static double value_at(State *state, const double *x, double *gradient) {
    state->n_evaluations++;
    for (int64_t i = 0; i < state->n; i++) state->scaled[i] = x[i] * state->unit[i];
    const double value = state->function(state->context, state->scaled, state->active, gradient);
    for (int64_t i = 0; i < state->n; i++)
        gradient[i] = state->active[i] ? gradient[i] * state->unit[i] : state->gradient[i];
    return value;
}

/* Maximum norm of the step from x to the projection of x - gradient. */
static double projected_gradient(const State *state) {
    double max_abs = 0.0;
    for (int64_t i = 0; i < state->n; i++) {
        const double to = state->x[i] - state->gradient[i], step = fabs(state->x[i] - (to > 0.0 ? to : 0.0));
        if (step > max_abs) max_abs = step;
    }
    return max_abs;
}

/* Minimum of the cubic with the values and slopes of two steps, kept within 0.1 and 0.9 of the way between. */
static double between(double a, double fa, double ga, double b, double fb, double gb) {
    double ratio = 0.1;
    if (isfinite(fb) && isfinite(gb)) {
        const double m = ga + gb - 3.0 * (fb - fa) / (b - a), square = m * m - ga * gb,
                     root = sqrt(square > 0.0 ? square : 0.0);
        if (gb - ga + 2.0 * root > 0.0) ratio = 1.0 - (gb + root - m) / (gb - ga + 2.0 * root);
    }
    return a + (ratio < 0.1 ? 0.1 : ratio > 0.9 ? 0.9 : ratio) * (b - a);
}

/* Move along the projection of x + step * direction to the bounds; 1 if a step was accepted, which is in s and y then. */
static int line_search(State *state, double step, double step_max, double wolfe) {
    const int64_t n = state->n;
    double best = 0.0, best_value = state->value, best_slope = dot(state->gradient, state->direction, n),
           high = INFINITY;
    const double steepest = wolfe * fabs(best_slope),
                 accuracy = NOISE * (fabs(state->value) > 1.0 ? fabs(state->value) : 1.0);
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int64_t i = 0; i < n; i++) {
            const double x = state->x[i] + step * state->direction[i];
            state->trial[i] = x > 0.0 ? x : 0.0;
            state->s[i] = state->trial[i] - state->x[i];
        }
        const double value = value_at(state, state->trial, state->trial_gradient),
                     slope = dot(state->trial_gradient, state->s, n) / step;
        const double limit = state->value + 1e-3 * dot(state->gradient, state->s, n);
        const int enough = trial == 0 ? value <= limit + accuracy : value <= limit && value < state->value;
        if (enough && (fabs(slope) <= steepest || (slope < 0.0 && step == step_max))) {
            for (int64_t i = 0; i < n; i++) state->y[i] = state->trial_gradient[i] - state->gradient[i];
            memcpy(state->x, state->trial, sizeof(double) * n),
                memcpy(state->gradient, state->trial_gradient, sizeof(double) * n);
            state->value = value;
            return 1;
        }
        if (!enough || value > best_value || slope > 0.0) { /* the end of the step is beyond a minimum */
            high = step;
            step = between(best, best_value, best_slope, step, value, slope);
        } else {
            best = step, best_value = value, best_slope = slope;
            step = high < INFINITY ? (step + high) / 2.0 : 5.0 * step < step_max ? 5.0 * step : step_max;
        }
    }
    return 0;
}

/* --- first phase: L-BFGS-B ------------------------------------------------------------------------------------------ */

enum { SIDE = 2 * PATH_MEMORY };

/* A system of linear equations, factorised with partial pivoting; lu[j] is column j. */
typedef struct {
    double lu[SIDE][SIDE];
    int64_t pivot[SIDE], size;
} System;

static int factorise(System *system) {
    const int64_t size = system->size;
    for (int64_t k = 0; k < size; k++) {
        double *column = system->lu[k];
        int64_t pivot = k;
        for (int64_t i = k + 1; i < size; i++)
            if (fabs(column[i]) > fabs(column[pivot])) pivot = i;
        system->pivot[k] = pivot;
        if (!(fabs(column[pivot]) > 0.0)) return 0;
        for (int64_t j = 0; j < size; j++) {
            const double swapped = system->lu[j][k];
            system->lu[j][k] = system->lu[j][pivot], system->lu[j][pivot] = swapped;
        }
        for (int64_t i = k + 1; i < size; i++) column[i] /= column[k];
        for (int64_t j = k + 1; j < size; j++)
            for (int64_t i = k + 1; i < size; i++) system->lu[j][i] -= column[i] * system->lu[j][k];
    }
    return 1;
}

static void solve(const System *system, const double *right, double *x) {
    const int64_t size = system->size;
    if (x != right) memcpy(x, right, sizeof(double) * size);
    for (int64_t k = 0; k < size; k++) {
        const double swapped = x[k];
        x[k] = x[system->pivot[k]], x[system->pivot[k]] = swapped;
    }
    for (int64_t k = 0; k < size; k++)
        for (int64_t i = k + 1; i < size; i++) x[i] -= system->lu[k][i] * x[k];
    for (int64_t k = size - 1; k >= 0; k--) {
        x[k] /= system->lu[k][k];
        for (int64_t i = 0; i < k; i++) x[i] -= system->lu[k][i] * x[k];
    }
}

static double small_dot(const double *a, const double *b, int64_t size) {
    double sum = 0.0;
    for (int64_t i = 0; i < size; i++) sum += a[i] * b[i];
    return sum;
}

/* B = theta I - W M W' with the rows of w = [y, theta s]; the inverse of M is [[-D, L'], [L, theta S'S]]. */
typedef struct {
    double theta;
    System inverse_m;   /* factorised */
    double plain[SIDE][SIDE];
} Model;

static int make_model(const State *state, Model *model) {
    const Pairs *pairs = &state->pairs;
    const int64_t c = pairs->count, n = state->n;
    model->theta = 1.0, model->inverse_m.size = 2 * c;
    if (c == 0) return 1;
    const double *s = row(pairs, pairs->s, c - 1), *y = row(pairs, pairs->y, c - 1);
    model->theta = dot(y, y, n) / dot(s, y, n);
    for (int64_t i = 0; i < c; i++) {
        s = row(pairs, pairs->s, i);
        memcpy(state->w + i * n, row(pairs, pairs->y, i), sizeof(double) * n);
        for (int64_t j = 0; j < n; j++) state->w[(c + i) * n + j] = model->theta * s[j];
        for (int64_t j = 0; j < c; j++) {
            const double sy = j <= i ? dot(s, row(pairs, pairs->y, j), n) : 0.0;
            model->plain[c + i][j] = model->plain[j][c + i] = j < i ? sy : 0.0;
            model->plain[i][j] = j == i ? -sy : 0.0;
        }
        for (int64_t j = 0; j <= i; j++)
            model->plain[c + i][c + j] = model->plain[c + j][c + i] = model->theta * dot(s, row(pairs, pairs->s, j), n);
    }
    memcpy(model->inverse_m.lu, model->plain, sizeof model->plain);
    return factorise(&model->inverse_m);
}

typedef struct {
    double stop;
    int64_t variable;
} Breakpoint;

static int by_stop(const void *a, const void *b) {
    const Breakpoint *p = a, *q = b;
    return p->stop != q->stop ? (p->stop > q->stop) - (p->stop < q->stop)
                              : (p->variable > q->variable) - (p->variable < q->variable);
}

/* First local minimum of the quadratic model along the projection of x - t g, t >= 0; c = W' (point - x). */
static void cauchy_point(State *state, const Model *model, double *c) {
    const int64_t n = state->n, size = model->inverse_m.size;
    const double *x = state->x, *g = state->gradient, theta = model->theta;
    double *d = state->d, *stop = state->stop, p[SIDE], mp[SIDE], mc[SIDE] = {0}, t = 0.0;
    Breakpoint *points = (Breakpoint *)state->free_w; /* not in use yet; has 2 n elements of 8 bytes */
    int64_t n_points = 0;
    for (int64_t i = 0; i < n; i++) {
        stop[i] = g[i] > 0.0 ? x[i] / g[i] : INFINITY;
        d[i] = stop[i] > 0.0 ? -g[i] : 0.0;
        if (stop[i] > 0.0 && stop[i] < INFINITY) points[n_points++] = (Breakpoint){stop[i], i};
    }
    qsort(points, (size_t)n_points, sizeof *points, by_stop);
    for (int64_t k = 0; k < size; k++) p[k] = dot(state->w + k * n, d, n), c[k] = 0.0;
    double dd = dot(d, d, n);
    const double smallest = MACHINE_EPSILON * theta * dd;
    for (int64_t i = 0;; i++) {
        solve(&model->inverse_m, p, mp);
        const double slope = dd * (theta * t - 1.0) - small_dot(p, mc, size),
                     curved = theta * dd - small_dot(p, mp, size);
        const double ahead = smallest > 0.0 && slope < 0.0 ? -slope / (curved > smallest ? curved : smallest) : 0.0;
        const double end = i < n_points ? points[i].stop : INFINITY;
        if (t + ahead < end || i == n_points) {
            t += ahead;
            for (int64_t k = 0; k < size; k++) c[k] += ahead * p[k];
            break;
        }
        const int64_t variable = points[i].variable;
        for (int64_t k = 0; k < size; k++) {
            c[k] += (end - t) * p[k], mc[k] += (end - t) * mp[k];
            p[k] -= state->w[k * n + variable] * d[variable];
        }
        dd -= d[variable] * d[variable];
        if (dd < 0.0) dd = 0.0;
        t = end;
    }
    for (int64_t i = 0; i < n; i++) {
        state->mask[i] = stop[i] > t;
        state->point[i] = stop[i] > t ? x[i] + t * d[i] : 0.0;
    }
}

/* Step of L-BFGS-B: to the Cauchy point, from there to the minimum of the model over the free variables. 0 if a system
   is singular. */
static int path_direction(State *state, Model *model) {
    const int64_t n = state->n, size = 2 * state->pairs.count;
    double c[SIDE], mc[SIDE], right[SIDE], *start = state->d, *r = state->stop, *step = state->step;
    if (!make_model(state, model)) return 0;
    const double theta = model->theta, *x = state->x, *g = state->gradient;
    cauchy_point(state, model, c);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (state->mask[i] > 0.0) state->index[m++] = i;
    if (size > 0 && m > 0) {
        System system = {.size = size};
        solve(&model->inverse_m, c, mc);
        for (int64_t j = 0; j < m; j++) {
            const int64_t i = state->index[j];
            start[j] = state->point[i];
            r[j] = g[i] + theta * (start[j] - x[i]);
        }
        for (int64_t k = 0; k < size; k++) {
            double *w = state->free_w + k * m;
            for (int64_t j = 0; j < m; j++) w[j] = state->w[k * n + state->index[j]], r[j] -= mc[k] * w[j];
            for (int64_t l = 0; l <= k; l++) system.lu[k][l] = system.lu[l][k] = dot(w, state->free_w + l * m, m);
        }
        for (int64_t k = 0; k < size; k++) {
            right[k] = dot(state->free_w + k * m, r, m);
            for (int64_t l = 0; l < size; l++) system.lu[k][l] = model->plain[k][l] - system.lu[k][l] / theta;
        }
        if (!factorise(&system)) return 0;
        solve(&system, right, right);
        for (int64_t j = 0; j < m; j++) step[j] = 0.0;
        for (int64_t k = 0; k < size; k++)
            for (int64_t j = 0; j < m; j++) step[j] += right[k] * state->free_w[k * m + j];
        for (int64_t j = 0; j < m; j++) {
            step[j] = -r[j] / theta - step[j] / (theta * theta);
            const double to = start[j] + step[j];
            state->point[state->index[j]] = to > 0.0 ? to : 0.0;
        }
        for (int64_t i = 0; i < n; i++) state->direction[i] = state->point[i] - x[i];
        /* where the projection leads uphill, go straight to the first bound instead */
        if (dot(g, state->direction, n) > 0.0) {
            double room = 1.0;
            for (int64_t j = 0; j < m; j++)
                if (step[j] < 0.0 && -start[j] / step[j] < room) room = -start[j] / step[j];
            for (int64_t j = 0; j < m; j++) {
                const double to = start[j] + room * step[j];
                state->point[state->index[j]] = to > 0.0 ? to : 0.0;
            }
        }
    }
    for (int64_t i = 0; i < n; i++) state->direction[i] = state->point[i] - x[i];
    return 1;
}

/* --- second phase: projected L-BFGS --------------------------------------------------------------------------------- */

/* Quasi-Newton step in the free variables by the two-loop recursion, straight to the bound in those held there. 0 if no
   pair could be used and the step is one of steepest descent. */
static int free_direction(State *state, double near) {
    const int64_t n = state->n, count = state->pairs.count;
    const Pairs *pairs = &state->pairs;
    double *mask = state->mask, *q = state->step, *product = state->trial, rho[MEMORY], a[MEMORY], gamma = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mask[i] = state->x[i] > near || state->gradient[i] <= 0.0;
        q[i] = mask[i] * state->gradient[i];
    }
    for (int64_t i = 0; i < count; i++) {
        const double *s = row(pairs, pairs->s, i), *y = row(pairs, pairs->y, i);
        for (int64_t j = 0; j < n; j++) product[j] = mask[j] * y[j];
        const double sy = dot(s, product, n), yy = dot(y, product, n);
        rho[i] = sy > 1e-10 * yy ? 1.0 / sy : 0.0; /* 0: not used */
        if (rho[i] > 0.0) gamma = sy / yy;
    }
    if (gamma > 0.0) {
        for (int64_t i = count - 1; i >= 0; i--) {
            if (rho[i] == 0.0) continue;
            const double *y = row(pairs, pairs->y, i);
            a[i] = rho[i] * dot(row(pairs, pairs->s, i), q, n);
            for (int64_t j = 0; j < n; j++) q[j] -= a[i] * (mask[j] * y[j]);
        }
        for (int64_t j = 0; j < n; j++) q[j] *= gamma;
        for (int64_t i = 0; i < count; i++) {
            if (rho[i] == 0.0) continue;
            const double *s = row(pairs, pairs->s, i), factor = a[i] - rho[i] * dot(row(pairs, pairs->y, i), q, n);
            for (int64_t j = 0; j < n; j++) q[j] += factor * (mask[j] * s[j]);
        }
    } else {
        const double norm = sqrt(dot(q, q, n));
        for (int64_t j = 0; j < n; j++) q[j] /= norm > 1.0 ? norm : 1.0;
    }
    for (int64_t j = 0; j < n; j++) state->direction[j] = mask[j] > 0.0 ? -q[j] : -state->x[j];
    return gamma > 0.0;
}

/* From now on variables that are held at their bound are left out of evaluations; 1 if there are any. */
static int leave_out_held(State *state) {
    int held = 0;
    for (int64_t i = 0; i < state->n; i++) {
        state->active[i] = state->x[i] > 0.0 || state->gradient[i] <= 0.0;
        held |= !state->active[i];
    }
    return held;
}

/* From now on all variables are looked at; 1 if there were any that were not. */
static int take_in_held(State *state) {
    const int held = memchr(state->active, 0, (size_t)state->n) != NULL;
    memset(state->active, 1, (size_t)state->n);
    return held;
}

/* Find a local minimum over x >= 0, starting at and returning x; `path` limits the iterations of the first phase. */
static Solution minimize(Function function, void *context, double *x, const double *scale, int64_t n, int64_t path,
                         int64_t max_iter, double tol, Progress progress) {
    Solution solution = {.message = NO_MEMORY};
    State storage = {0}, *state = &storage;
    Memory memory = {0};
    take_state(&memory, state, n);
    if (!allocate(&memory)) return solution;
    take_state(&memory, state, n);
    state->function = function, state->context = context, state->n = n;
    for (int64_t i = 0; i < n; i++) {
        state->unit[i] = 1.0, state->x[i] = x[i] > 0.0 ? x[i] : 0.0;
        state->active[i] = x[i] > 0.0, state->gradient[i] = 1.0; /* as if it pushed the held ones to their bound */
    }
    state->value = value_at(state, state->x, state->gradient);
    int finite = isfinite(state->value);
    for (int64_t i = 0; i < n; i++) finite = finite && isfinite(state->gradient[i]);
    solution.message = finite ? LIMIT : NOT_FINITE;

    Model model;
    state->pairs.n = n, state->pairs.size = PATH_MEMORY;
    while (solution.message == LIMIT && solution.n_iter < least(path, max_iter)) {
        if (!path_direction(state, &model)) /* pairs that contradict each other numerically */
            memset(state->direction, 0, sizeof(double) * n);
        const double slope = dot(state->gradient, state->direction, n);
        int moved = 0;
        if (slope < 0.0) {
            double room = 1e10;
            for (int64_t i = 0; i < n; i++)
                if (state->direction[i] < 0.0 && -state->x[i] / state->direction[i] < room)
                    room = -state->x[i] / state->direction[i];
            const double longest = solution.n_iter > 0 && room > 1.0 ? room : 1.0,
                         length = sqrt(dot(state->direction, state->direction, n));
            moved = line_search(state, state->pairs.count > 0 || length < 1.0 ? 1.0 : 1.0 / length, longest, 0.9);
        }
        if (moved) {
            solution.n_iter++;
            if (dot(state->s, state->y, n) > -MACHINE_EPSILON * slope) add_pair(&state->pairs, state->s, state->y);
            if (progress && progress(solution.n_iter, state->value)) solution.message = STOPPED;
        } else if (state->pairs.count > 0)
            state->pairs.count = 0;
        else
            break; /* the second phase tells a minimum from a failure */
    }

    if (take_in_held(state)) state->value = value_at(state, state->x, state->gradient);
    for (int64_t i = 0; i < n; i++) state->x[i] /= scale[i], state->gradient[i] *= scale[i], state->unit[i] = scale[i];
    state->pairs.size = MEMORY, state->pairs.first = state->pairs.count = 0;
    double values[WINDOW + 1]; /* the last ones, in turn */
    int64_t moves = 0;
    int incomplete = leave_out_held(state);
    while (solution.message == LIMIT && solution.n_iter < max_iter) {
        const double size = projected_gradient(state);
        values[moves % (WINDOW + 1)] = state->value;
        const double decrease = moves < WINDOW ? INFINITY : values[(moves + 1) % (WINDOW + 1)] - state->value;
        const int flat = decrease <= 10.0 * tol * (fabs(state->value) > 1.0 ? fabs(state->value) : 1.0);
        if ((size <= tol || flat) && incomplete) { /* is it a minimum in the held variables, too? */
            take_in_held(state);
            state->value = value_at(state, state->x, state->gradient);
            if (projected_gradient(state) > size) moves = 0;
            incomplete = 0;
            continue;
        }
        if (size <= tol || flat) {
            solution.message = size <= tol ? GRADIENT : DECREASE;
            break;
        }
        if (moves % REFRESH == REFRESH - 1) take_in_held(state), incomplete = 0;
        const int informed = free_direction(state, size < 1e-3 ? size : 1e-3);
        if (dot(state->gradient, state->direction, n) < 0.0 && line_search(state, 1.0, 1.0, INFINITY)) {
            solution.n_iter++, moves++;
            if (dot(state->s, state->y, n) > MACHINE_EPSILON * dot(state->y, state->y, n))
                add_pair(&state->pairs, state->s, state->y);
            if (!incomplete) incomplete = leave_out_held(state);
            if (progress && progress(solution.n_iter, state->value)) solution.message = STOPPED;
        } else if (informed)
            state->pairs.count = 0;
        else
            solution.message = FAILED;
    }
    for (int64_t i = 0; i < n; i++) x[i] = state->x[i] * state->unit[i];
    solution.value = state->value, solution.n_evaluations = state->n_evaluations;
    release(&memory);
    return solution;
}
