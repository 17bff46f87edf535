/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/gws.h"

#include <stdlib.h>

#include "gpu/wave/core/code.h"
#include "gpu/wave/core/execution_state.h"

aq_wave_gws *aq_wave_gws_create(void)
{
  aq_wave_gws *gws = calloc(1, sizeof *gws);
  if (gws)
    pthread_mutex_init(&gws->lock, NULL);
  return gws;
}

void aq_wave_gws_destroy(aq_wave_gws *gws)
{
  if (gws)
    pthread_mutex_destroy(&gws->lock);
  free(gws);
}

/* M0 has the base of the resources, the instruction the offset. */
static uint32_t resource_of(const aq_wave *w, const aq_wave_op *o)
{
  const uint32_t base = w->s[AQ_ISA_M0] >> 16;
  return (base + (uint32_t)o->decoded->inst.offset) % AQ_WAVE_GWS_RESOURCES;
}

/* The value of the first active lane; 0 without one. */
static uint32_t value_of(const aq_wave *w, const aq_wave_op *o)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  return exec ? w->v[o->decoded->address][__builtin_ctzll(exec)] : 0;
}

static const aq_wave_op *ds_gws_init_(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_gws *gws = w->grid->gws;
  const uint32_t resource = resource_of(w, o);
  pthread_mutex_lock(&gws->lock);
  gws->resources[resource].counter = value_of(w, o);
  gws->resources[resource].flag = false;
  pthread_mutex_unlock(&gws->lock);
  w->grid->quiet = false;
  return aq_wave_next(o);
}

/* Whether the wave may pass. The last one brings the count of the next round.
 */
static bool barrier_pass(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_gws *gws = w->grid->gws;
  const uint32_t resource = resource_of(w, o);
  pthread_mutex_lock(&gws->lock);
  uint32_t *counter = &gws->resources[resource].counter;
  bool *flag = &gws->resources[resource].flag;
  bool passes;
  if (w->gws_waits) {
    passes = *flag != w->gws_flag;
  } else if (*counter == 0) {
    *flag = !*flag;
    *counter = value_of(w, o);
    passes = true;
  } else {
    --*counter;
    w->gws_flag = *flag;
    passes = false;
  }
  pthread_mutex_unlock(&gws->lock);
  w->gws_waits = !passes;
  return passes;
}

/* A wave that waits executes the instruction again at its next turn. */
static const aq_wave_op *ds_gws_barrier_(aq_wave *w, const aq_wave_op *o)
{
  if (barrier_pass(w, o)) {
    w->grid->quiet = false;
    return aq_wave_next(o);
  }
  aq_wave_stop(w, o, AQ_WAVE_SLEEPS);
  aq_wave_resume_at(w, o);
  return NULL;
}

const aq_wave_semantics aq_wave_gws_semantics[] = {
    {"ds_gws_init", ds_gws_init_},
    {"ds_gws_barrier", ds_gws_barrier_},
    {NULL, NULL},
};
