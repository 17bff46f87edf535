/* SPDX-License-Identifier: MIT */
/*
 * What one thread needs to execute: decoded code, found mappings, memory of
 * waves. Each thread of a pool has its own, so none of it is shared.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_WAVE_THREADS_THREAD_CONTEXT_H
#define AQ_GPU_WAVE_THREADS_THREAD_CONTEXT_H

#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/threads/pool.h"

enum { AQ_WAVE_CODES_MAX = 8 /* processors at once */ };

/* All zero except the fields that a machine sets before the first use. */
typedef struct aq_wave_thread {
  aq_wave_reachable reachable; /* its `allocations` are set by the machine */
  unsigned level;              /* set */
  bool keeps_waits;            /* set: aq_wave_code_keep_waits */
  aq_wave_pool pool;
  struct {
    char gfx[16];
    bool wave32;
    aq_wave_code *code;
  } codes[AQ_WAVE_CODES_MAX];
  unsigned code_count;
} aq_wave_thread;

/* The thread's code of a processor, for waves of 32 or 64 lanes, made at the
 * first call. */
aq_status aq_wave_thread_code(aq_wave_thread *thread, const char *gfx,
                              bool wave32, aq_wave_code **out, aq_diag *diag);

/* aq_wave_code_refresh of all of it. */
void aq_wave_thread_refresh(aq_wave_thread *thread);

void aq_wave_thread_fini(aq_wave_thread *thread);

#endif
