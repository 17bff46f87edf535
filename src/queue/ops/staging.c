/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/ops/staging.h"

#include <stdlib.h>
#include <time.h>

enum { GIVE_UP_SECONDS = 10 };

struct aq_staging {
  pthread_mutex_t lock; /* of all below */
  pthread_cond_t more;
  aq_stage *free;
  aq_step *first, *last;
  bool started, ending;
  uint32_t going; /* work that is under way */
  pthread_cond_t fewer;
  pthread_t thread;
};

static void *staging_main(void *user)
{
  aq_staging *staging = user;
  pthread_mutex_lock(&staging->lock);
  for (;;) {
    while (!staging->first && !staging->ending)
      pthread_cond_wait(&staging->more, &staging->lock);
    if (!staging->first)
      break;
    aq_step *step = staging->first;
    staging->first = step->next;
    if (!staging->first)
      staging->last = NULL;
    const uint32_t asks = step->asks;
    step->asks = 0; /* asked for again, it comes back */
    pthread_mutex_unlock(&staging->lock);
    step->run(step, asks);
    pthread_mutex_lock(&staging->lock);
  }
  pthread_mutex_unlock(&staging->lock);
  return NULL;
}

aq_status aq_staging_create(aq_context *context, aq_diag *diag)
{
  aq_staging *staging = calloc(1, sizeof *staging);
  if (!staging)
    return aq_diag_no_memory(diag);
  pthread_mutex_init(&staging->lock, NULL);
  pthread_cond_init(&staging->more, NULL);
  pthread_cond_init(&staging->fewer, NULL);
  context->staging = staging;
  return AQ_OK;
}

void aq_staging_hold(aq_context *context)
{
  pthread_mutex_lock(&context->staging->lock);
  context->staging->going++;
  pthread_mutex_unlock(&context->staging->lock);
}

void aq_staging_release(aq_context *context)
{
  pthread_mutex_lock(&context->staging->lock);
  context->staging->going--;
  pthread_cond_signal(&context->staging->fewer);
  pthread_mutex_unlock(&context->staging->lock);
}

/* Whether all has ended. */
static bool work_await(aq_context *context)
{
  aq_staging *staging = context->staging;
  if (!context->live) {
    if (staging->going > 0)
      context->ops->sleep_until(context->transport, AQ_TIME_MAX, false, NULL);
    return staging->going == 0;
  }
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += GIVE_UP_SECONDS;
  pthread_mutex_lock(&staging->lock);
  while (staging->going > 0 &&
         pthread_cond_timedwait(&staging->fewer, &staging->lock, &until) == 0)
    ;
  const bool on_done = staging->going == 0;
  pthread_mutex_unlock(&staging->lock);
  return on_done;
}

bool aq_staging_destroy(aq_context *context)
{
  aq_staging *staging = context->staging;
  if (!staging)
    return true;
  if (!work_await(context))
    return false;
  pthread_mutex_lock(&staging->lock);
  staging->ending = true;
  pthread_cond_signal(&staging->more);
  pthread_mutex_unlock(&staging->lock);
  if (staging->started)
    pthread_join(staging->thread, NULL);
  while (staging->free) {
    aq_stage *stage = staging->free;
    staging->free = stage->next;
    context->ops->mem_free(context->transport, stage->memory);
    free(stage);
  }
  pthread_cond_destroy(&staging->fewer);
  pthread_cond_destroy(&staging->more);
  pthread_mutex_destroy(&staging->lock);
  free(staging);
  context->staging = NULL;
  return true;
}

/* With the lock. */
static aq_status thread_start(aq_staging *staging, aq_diag *diag)
{
  if (staging->started)
    return AQ_OK;
  if (pthread_create(&staging->thread, NULL, staging_main, staging) != 0)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no thread for files");
  staging->started = true;
  return AQ_OK;
}

aq_status aq_staging_run(aq_context *context, aq_step *step, aq_diag *diag)
{
  aq_staging *staging = context->staging;
  if (!context->live) {
    step->run(step, 1);
    return AQ_OK;
  }
  pthread_mutex_lock(&staging->lock);
  aq_status status = thread_start(staging, diag);
  if (status == AQ_OK && step->asks++ == 0) {
    step->next = NULL;
    if (staging->last)
      staging->last->next = step;
    else
      staging->first = step;
    staging->last = step;
    pthread_cond_signal(&staging->more);
  }
  pthread_mutex_unlock(&staging->lock);
  return status;
}

aq_status aq_stage_acquire(aq_context *context, aq_stage **out, aq_diag *diag)
{
  aq_staging *staging = context->staging;
  pthread_mutex_lock(&staging->lock);
  aq_stage *stage = staging->free;
  if (stage)
    staging->free = stage->next;
  pthread_mutex_unlock(&staging->lock);
  if (!stage) {
    stage = calloc(1, sizeof *stage);
    if (!stage)
      return aq_diag_no_memory(diag);
    aq_status status =
        context->ops->mem_alloc(context->transport, 0, AQ_MEMORY_HOST,
                                AQ_STAGING_BYTES, &stage->memory, diag);
    if (status != AQ_OK) {
      free(stage);
      return status;
    }
  }
  *out = stage;
  return AQ_OK;
}

void aq_stage_release(aq_context *context, aq_stage *stage)
{
  aq_staging *staging = context->staging;
  if (!stage)
    return;
  pthread_mutex_lock(&staging->lock);
  stage->next = staging->free;
  staging->free = stage;
  pthread_mutex_unlock(&staging->lock);
}
