/* Threads that share out work, and memory in one piece. */
#pragma once
#include <stdint.h>
#include <stdlib.h>

static inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

enum { MAX_THREADS = 256 };

/* work(shared, i) for i = 0, ..., n_threads - 1, at the same time; what a thread that cannot be started would have done is left to
   the others. At most MAX_THREADS. */
void proset_run(void (*work)(void *, int64_t), void *shared, int64_t n_threads);

/* One piece of memory, divided: with base NULL it only counts. Each array starts at a multiple of 64 bytes. */
typedef struct {
    char *base, *allocated;
    int64_t used;
} Memory;

static inline void *take(Memory *memory, int64_t bytes) {
    void *start_of_array = memory->base ? memory->base + memory->used : NULL;
    memory->used += (bytes + 63) / 64 * 64;
    return start_of_array;
}
#define TAKE(memory, type, size) ((type *)take(memory, (int64_t)sizeof(type) * (size)))

/* Get what was counted, and begin to divide it; 0 if there is no memory. */
static inline int allocate(Memory *memory) {
    memory->allocated = malloc((size_t)memory->used + 64);
    if (!memory->allocated) return 0;
    memory->base = memory->allocated + (64 - (uintptr_t)memory->allocated % 64) % 64;
    memory->used = 0;
    return 1;
}

static inline void release(Memory *memory) {
    free(memory->allocated);
}
