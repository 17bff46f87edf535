/* SPDX-License-Identifier: MIT */
/*
 * Staging: pinned memory that pieces of files go through, and, where the
 * transport is live, the thread that reads and writes them. Internal.
 *
 * Work is a list of steps. A step runs on the thread, or in virtual time inside
 * the call that asks for it; never two of the same at once. The thread starts
 * with the first step. Memory grows with the number of files at work at once
 * and stays until the context ends.
 */
#ifndef AQ_QUEUE_OPS_STAGING_H
#define AQ_QUEUE_OPS_STAGING_H

#include "queue/sync/context_priv.h"

enum { AQ_STAGING_BYTES = 1 << 20 };

/* The caller's storage, zero at first. */
typedef struct aq_step aq_step;
struct aq_step {
  /* `asks`: how often it was asked for since it ran last. */
  void (*run)(aq_step *step, uint32_t asks);
  aq_step *next;
  uint32_t asks; /* with the lock; above 0: it is in the list */
};

typedef struct aq_stage {
  struct aq_stage *next;
  void *memory; /* AQ_STAGING_BYTES */
} aq_stage;

aq_status aq_staging_create(aq_context *context, aq_diag *diag);

/* Lets work that is under way end: it may outlive its queue. That of a copy
 * that never completes, after a memory fault, is given up after ten seconds:
 * false then, and all that it could touch has to stay. */
bool aq_staging_destroy(aq_context *context);

/* Work begins and ends. */
void aq_staging_hold(aq_context *context);
void aq_staging_release(aq_context *context);

/* Runs it soon; one that is in the list already runs once. The step may be gone
 * when this returns. AQ_ERR_NO_MEMORY: there is no thread. */
aq_status aq_staging_run(aq_context *context, aq_step *step, aq_diag *diag);

/* Memory for one piece, the caller's until it is released; any thread. */
aq_status aq_stage_acquire(aq_context *context, aq_stage **out, aq_diag *diag);
void aq_stage_release(aq_context *context, aq_stage *stage);

#endif
