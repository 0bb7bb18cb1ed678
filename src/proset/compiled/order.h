/* Points in an order that keeps neighbours together: halves along the widest feature, and halves of those, down to 8 points. */
#pragma once
#include "lanes.h"

/* Whether point i comes before j along a feature; equal ones stay as they were numbered. */
INLINE int before(const double *X, int64_t D, int64_t d, int64_t i, int64_t j) {
    return X[i * D + d] < X[j * D + d] || (X[i * D + d] == X[j * D + d] && i < j);
}

/* Let the first `half` of `count` points be those that come first along feature d (C. A. R. Hoare's selection). */
static void select_half(const double *X, int64_t D, int64_t d, int64_t *order, int64_t count, int64_t half) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t pivot = order[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(X, D, d, order[i], pivot)) i++;
            while (before(X, D, d, pivot, order[j])) j--;
            if (i <= j) {
                const int64_t swapped = order[i];
                order[i++] = order[j], order[j--] = swapped;
            }
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

/* X has shape (N, D); `order` holds the indices of the `count` points to be ordered. */
static void sort_neighbours(const double *X, int64_t D, int64_t *order, int64_t count) {
    while (count > 8) {
        int64_t widest = 0;
        double width = -1.0;
        for (int64_t d = 0; d < D; d++) {
            double low = X[order[0] * D + d], high = low;
            for (int64_t i = 1; i < count; i++) {
                const double x = X[order[i] * D + d];
                low = x < low ? x : low, high = x > high ? x : high;
            }
            if (high - low > width) width = high - low, widest = d;
        }
        const int64_t half = (count / 2 + 7) / 8 * 8; /* whole groups of 8, as the kernel takes them */
        select_half(X, D, widest, order, count, half);
        sort_neighbours(X, D, order, half);
        order += half, count -= half;
    }
}
