/* Threads that share out work. */
#include "threads.h"

#ifdef _WIN32
#include <windows.h>
typedef HANDLE Thread;
#else
#include <pthread.h>
typedef pthread_t Thread;
#endif

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

void proset_run(void (*work)(void *, int64_t), void *shared, int64_t n_threads) {
    Worker workers[MAX_THREADS];
    for (int64_t i = 1; i < n_threads; i++) {
        workers[i] = (Worker){.work = work, .shared = shared, .number = i};
        workers[i].started = start(&workers[i]);
    }
    work(shared, 0);
    for (int64_t i = 1; i < n_threads; i++)
        if (workers[i].started) join(&workers[i]);
}
