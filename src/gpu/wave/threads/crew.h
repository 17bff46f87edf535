/* SPDX-License-Identifier: MIT */
/*
 * Threads that execute parts of one step at once. They exist from the first
 * step that needs them to the end, sleep between steps, and block all signals:
 * a foreign process's handlers do not run on them.
 *
 * One caller at a time. In a child of fork the threads are gone; the caller
 * then executes all parts, one after the other.
 */
#ifndef AQ_GPU_WAVE_THREADS_CREW_H
#define AQ_GPU_WAVE_THREADS_CREW_H

enum { AQ_WAVE_CREW_MAX = 64 };

typedef struct aq_wave_crew aq_wave_crew;

/* Processors that this process may use, at most AQ_WAVE_CREW_MAX. */
unsigned aq_wave_crew_processors(void);

/* With `count` threads, the caller of aq_wave_crew_run among them; fewer if the
 * system has no more. NULL: out of memory. */
aq_wave_crew *aq_wave_crew_create(unsigned count);
void aq_wave_crew_destroy(aq_wave_crew *crew);

unsigned aq_wave_crew_count(const aq_wave_crew *crew);

/* Calls `run` with 0 to `count` - 1 at once, 0 on the calling thread, and
 * returns after all. `count` is at most the crew's. */
void aq_wave_crew_run(aq_wave_crew *crew, unsigned count,
                      void (*run)(void *user, unsigned part), void *user);

#endif
