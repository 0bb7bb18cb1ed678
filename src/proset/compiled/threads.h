/* Threads that share out work, and memory in one piece. */
#pragma once
#include <stdint.h>
#include <stdlib.h>

#ifdef _WIN32
#include <windows.h>
typedef HANDLE Thread;
#else
#include <pthread.h>
typedef pthread_t Thread;
#endif

static inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

typedef struct {
    void (*work)(void *, int64_t);
    void *shared;
    int64_t number;
    Thread thread;
    int started;
} Worker;

#ifdef _WIN32
static DWORD WINAPI worker_main(void *argument) {
    Worker *worker = argument;
    worker->work(worker->shared, worker->number);
    return 0;
}

static int start(Worker *worker) {
    return (worker->thread = CreateThread(NULL, 0, worker_main, worker, 0, NULL)) != NULL;
}

static void join(Worker *worker) {
    WaitForSingleObject(worker->thread, INFINITE);
    CloseHandle(worker->thread);
}
#else
static void *worker_main(void *argument) {
    Worker *worker = argument;
    worker->work(worker->shared, worker->number);
    return NULL;
}

static int start(Worker *worker) {
    return pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
}

static void join(Worker *worker) {
    pthread_join(worker->thread, NULL);
}
#endif

enum { MAX_THREADS = 256 };

/* work(shared, i) for i = 0, ..., n_threads - 1, at the same time; what a thread that cannot be started would have done is left to the others. */
static void run(void (*work)(void *, int64_t), void *shared, int64_t n_threads) {
    Worker workers[MAX_THREADS];
    for (int64_t i = 1; i < n_threads; i++) {
        workers[i] = (Worker){.work = work, .shared = shared, .number = i};
        workers[i].started = start(&workers[i]);
    }
    work(shared, 0);
    for (int64_t i = 1; i < n_threads; i++)
        if (workers[i].started) join(&workers[i]);
}

/* One piece of memory, divided: with base NULL it only counts. Each array starts at a multiple of 64 bytes. */
typedef struct {
    char *base, *allocated;
    int64_t used;
} Memory;

static void *take(Memory *memory, int64_t bytes) {
    void *start_of_array = memory->base ? memory->base + memory->used : NULL;
    memory->used += (bytes + 63) / 64 * 64;
    return start_of_array;
}
#define TAKE(memory, type, size) ((type *)take(memory, (int64_t)sizeof(type) * (size)))

/* Get what was counted, and begin to divide it; 0 if there is no memory. */
static int allocate(Memory *memory) {
    memory->allocated = malloc((size_t)memory->used + 64);
    if (!memory->allocated) return 0;
    memory->base = memory->allocated + (64 - (uintptr_t)memory->allocated % 64) % 64;
    memory->used = 0;
    return 1;
}

static void release(Memory *memory) {
    free(memory->allocated);
}
