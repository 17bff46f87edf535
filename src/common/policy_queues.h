/* SPDX-License-Identifier: MIT */
/*
 * Helpers for policies: a list and a heap of jobs, without any allocation but
 * the heap's array. Both are the policy's own storage. A job is in one list or
 * heap at a time. Header only, so that plug-ins need no library.
 */
#ifndef AQ_COMMON_POLICY_QUEUES_H
#define AQ_COMMON_POLICY_QUEUES_H

#include <stdlib.h>

#include "export.h"
#include "policy.h"

AQ_BEGIN_DECLS

/* ---- first in, first out; uses job->link; all zero is empty ---- */

typedef struct aq_job_list {
  aq_policy_job *first, *last;
  uint32_t count;
} aq_job_list;

static inline void aq_job_list_put(aq_job_list *list, aq_policy_job *job)
{
  job->link = NULL;
  if (list->first)
    list->last->link = job;
  else
    list->first = job;
  list->last = job;
  list->count++;
}

/* Back to the front, such as a job of which only a part was submitted. */
static inline void aq_job_list_put_first(aq_job_list *list, aq_policy_job *job)
{
  job->link = list->first;
  list->first = job;
  if (!job->link)
    list->last = job;
  list->count++;
}

/* The first, removed; NULL when there is none. */
static inline aq_policy_job *aq_job_list_take(aq_job_list *list)
{
  aq_policy_job *job = list->first;
  if (job) {
    list->first = job->link;
    list->count--;
  }
  return job;
}

/* ---- smallest job->key first, then smallest id; all zero is empty ---- */

typedef struct aq_job_heap {
  aq_policy_job **jobs;
  uint32_t count, capacity;
} aq_job_heap;

static inline bool aq_job_is_before(const aq_policy_job *a,
                                    const aq_policy_job *b)
{
  return a->key != b->key ? a->key < b->key : a->id < b->id;
}

/* False when out of memory. */
static inline bool aq_job_heap_put(aq_job_heap *heap, aq_policy_job *job)
{
  if (heap->count == heap->capacity) {
    const uint32_t capacity = heap->capacity ? 2 * heap->capacity : 64;
    aq_policy_job **grown = (aq_policy_job **)realloc(
        (void *)heap->jobs, capacity * sizeof *heap->jobs);
    if (!grown)
      return false;
    heap->jobs = grown;
    heap->capacity = capacity;
  }
  uint32_t at = heap->count++;
  for (; at > 0 && aq_job_is_before(job, heap->jobs[(at - 1) / 2]);
       at = (at - 1) / 2)
    heap->jobs[at] = heap->jobs[(at - 1) / 2];
  heap->jobs[at] = job;
  return true;
}

/* The first, or NULL. */
static inline aq_policy_job *aq_job_heap_first(const aq_job_heap *heap)
{
  return heap->count ? heap->jobs[0] : NULL;
}

/* The first, removed; NULL when there is none. */
static inline aq_policy_job *aq_job_heap_take(aq_job_heap *heap)
{
  if (heap->count == 0)
    return NULL;
  aq_policy_job *top = heap->jobs[0], *moved = heap->jobs[--heap->count];
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count &&
        aq_job_is_before(heap->jobs[child + 1], heap->jobs[child]))
      child++;
    if (!aq_job_is_before(heap->jobs[child], moved))
      break;
    heap->jobs[at] = heap->jobs[child];
  }
  heap->jobs[at] = moved;
  return top;
}

static inline void aq_job_heap_fini(aq_job_heap *heap)
{
  free((void *)heap->jobs);
}

AQ_END_DECLS

#endif
