/* SPDX-License-Identifier: MIT */
/*
 * Global wave sync (GWS): barriers between the workgroups of a cooperative
 * dispatch, 64 a device. A kernel sets one up (ds_gws_init) for a later one,
 * whose waves meet there (ds_gws_barrier). Vega 7nm ISA, DS_GWS_BARRIER.
 *
 * Threads: any; a lock guards the resources of a device.
 */
#ifndef AQ_GPU_WAVE_GRID_GWS_H
#define AQ_GPU_WAVE_GRID_GWS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { AQ_WAVE_GWS_RESOURCES = 64 };

typedef struct aq_wave_gws {
  pthread_mutex_t lock;
  struct {
    uint32_t counter; /* waves still to come but for the last one */
    bool flag;        /* changes when a barrier opens */
  } resources[AQ_WAVE_GWS_RESOURCES];
} aq_wave_gws;

/* NULL: out of memory. */
aq_wave_gws *aq_wave_gws_create(void);
void aq_wave_gws_destroy(aq_wave_gws *gws);

#endif
