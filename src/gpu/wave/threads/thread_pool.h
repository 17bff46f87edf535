/* SPDX-License-Identifier: MIT */
/*
 * Threads that execute parts of one step at once. They exist from the first
 * step that needs them to the end, sleep between steps, and block all signals:
 * a foreign process's handlers do not run on them.
 *
 * One caller at a time. In a child of fork the threads are gone; the caller
 * then executes all parts, one after the other.
 */
#ifndef AQ_GPU_WAVE_THREADS_THREAD_POOL_H
#define AQ_GPU_WAVE_THREADS_THREAD_POOL_H

enum { AQ_THREAD_POOL_MAX = 64 };

typedef struct aq_thread_pool aq_thread_pool;

/* Processors that this process may use, at most AQ_THREAD_POOL_MAX. */
unsigned aq_thread_pool_processors(void);

/* With `count` threads, the caller of aq_thread_pool_run among them; fewer if
 * the system has no more. NULL: out of memory. */
aq_thread_pool *aq_thread_pool_create(unsigned count);
void aq_thread_pool_destroy(aq_thread_pool *thread_pool);

unsigned aq_thread_pool_count(const aq_thread_pool *thread_pool);

/* Calls `run` with 0 to `count` - 1 at once, 0 on the calling thread, and
 * returns after all. `count` is at most the pool's. */
void aq_thread_pool_run(aq_thread_pool *thread_pool, unsigned count,
                        void (*run)(void *user, unsigned part), void *user);

#endif
