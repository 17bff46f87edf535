/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/fault/fault_core.h"

/* The next fault that is due, in the order of time, then of the schedule. */
static aq_fault_state *next_due(const aq_faulty *f)
{
  aq_fault_state *next = NULL;
  for (size_t i = 0; i < f->schedule.count; i++) {
    aq_fault_state *state = &f->states[i];
    if (state->stage == AQ_FAULT_DUE && (!next || state->due < next->due))
      next = state;
  }
  return next;
}

static aq_time next_time(const aq_faulty *f)
{
  const aq_fault_state *next = next_due(f);
  return next ? next->due : AQ_TIME_MAX;
}

void aq_faulty_catch_up(aq_faulty *f)
{
  aq_fault_state *next;
  while ((next = next_due(f)) && next->due <= f->ops->now(f->inner))
    aq_faulty_queue_due(f, next);
}

/* An operation of the inner transport that moves time up to a deadline. */
typedef struct time_call {
  aq_status (*run)(aq_faulty *f, const struct time_call *call, aq_time deadline,
                   aq_diag *diag);
  const aq_wait_request *request;
  aq_wait_result *result;
  aq_ring *ring;
  uint32_t count;
} time_call;

/* Calls it in pieces that end at the times of due faults. A fault that a kernel
 * makes due meanwhile comes after the piece at the earliest. */
static aq_status run_in_pieces(aq_faulty *f, const time_call *call,
                               aq_time deadline, aq_diag *diag)
{
  for (;;) {
    aq_diag piece = AQ_DIAG_INIT;
    aq_faulty_catch_up(f);
    aq_faulty_notice(f);
    const aq_time due = next_time(f);
    const bool last = due >= deadline;
    aq_status status = call->run(f, call, last ? deadline : due, &piece);
    aq_faulty_settle(f);
    if (status == AQ_ERR_TIMEOUT && !last)
      continue;
    if (status == AQ_ERR_DEADLOCK && next_time(f) != AQ_TIME_MAX) {
      status = f->ops->sleep_until(f->inner, next_time(f), false, &piece);
      if (status == AQ_OK)
        continue;
    }
    if (status != AQ_OK && diag) {
      *diag = piece;
      return aq_faulty_explain(f, status, diag);
    }
    return status;
  }
}

static aq_status run_wait(aq_faulty *f, const time_call *call, aq_time deadline,
                          aq_diag *diag)
{
  aq_wait_request request = *call->request;
  request.deadline = deadline;
  aq_status status = f->ops->wait(f->inner, &request, call->result, diag);
  if (status == AQ_OK)
    aq_faulty_host_polled(f);
  return status;
}

aq_status aq_faulty_wait(aq_transport *t, const aq_wait_request *request,
                         aq_wait_result *out, aq_diag *diag)
{
  const time_call call = {.run = run_wait, .request = request, .result = out};
  return run_in_pieces(aq_faulty_from(t), &call, request->deadline, diag);
}

static aq_status run_wait_space(aq_faulty *f, const time_call *call,
                                aq_time deadline, aq_diag *diag)
{
  return f->ops->queue_wait_space(f->inner, call->ring, call->count, deadline,
                                  diag);
}

aq_status aq_faulty_queue_wait_space(aq_transport *t, aq_ring *ring,
                                     uint32_t count, aq_time deadline,
                                     aq_diag *diag)
{
  const time_call call = {.run = run_wait_space,
                          .ring = ((aq_faulty_queue *)(void *)ring)->inner,
                          .count = count};
  return run_in_pieces(aq_faulty_from(t), &call, deadline, diag);
}

aq_status aq_faulty_sleep_until(aq_transport *t, aq_time until, bool wake,
                                aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  for (;;) {
    aq_faulty_catch_up(f);
    aq_faulty_notice(f);
    const aq_time due = next_time(f);
    const bool last = due >= until;
    aq_status status =
        f->ops->sleep_until(f->inner, last ? until : due, wake, diag);
    aq_faulty_settle(f);
    /* Before the time it was given: a completion woke it. */
    const bool ended =
        last ? next_time(f) >= until : f->ops->now(f->inner) < due;
    if (status != AQ_OK || ended)
      return status;
  }
}
