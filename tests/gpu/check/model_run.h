/* SPDX-License-Identifier: MIT */
/*
 * Executes kernels of several waves under the checker in this process, in an
 * order that the test chooses: a turn of a wave is one access to memory, or one
 * barrier. For the tests of the memory model.
 */
#ifndef AQ_TESTS_CHECK_MODEL_RUN_H
#define AQ_TESTS_CHECK_MODEL_RUN_H

#include "../wave/run.h"
#include "gpu/check/core/check.h"
#include "gpu/wave/core/code.h"

/* The checker's verdict on an execution: bits. */
enum { MODEL_SURE = 1, MODEL_POSSIBLE = 2 };

enum { MODEL_TURNS = 32, MODEL_WAVES = 8 };

typedef struct model {
  aq_wave_machine *machine;
  aq_check *check;
  aq_wave_observer observer; /* around the checker's */
  aq_record_sink sink;
  unsigned found; /* MODEL_SURE | MODEL_POSSIBLE */
  aq_amd_queue queue;
  uint64_t dispatches;
  /* The order: waves by their number in the dispatch; NULL: the executor's. */
  const uint8_t *order;
  unsigned turns, turn, refused, skipped;
} model;

static inline aq_status model_name(aq_record_sink *sink, const char *text,
                                   size_t length, int64_t *id, aq_diag *diag)
{
  (void)sink, (void)length, (void)diag;
  if (getenv("AQ_MODEL_TEXTS"))
    fprintf(stderr, "# %s\n", text);
  *id = 0;
  return AQ_OK;
}

static inline aq_status model_finding(aq_record_sink *sink,
                                      const aq_finding *rows, size_t count,
                                      aq_diag *diag)
{
  model *m = (model *)((char *)sink - offsetof(model, sink));
  (void)diag;
  for (size_t i = 0; i < count; i++)
    m->found |= rows[i].possible == AQ_FINDING_SURE       ? MODEL_SURE
                : rows[i].possible == AQ_FINDING_POSSIBLE ? MODEL_POSSIBLE
                                                          : 0;
  return AQ_OK;
}

static model *model_under_way; /* the observer's user is the checker */

static inline bool model_is_turn(const aq_wave_op *o)
{
  const char *name = o->decoded ? o->decoded->inst.row->name : "";
  return o->decoded &&
         (aq_wave_access_info_kind_of(&o->decoded->inst) ||
          strstr(name, "barrier")) &&
         o->decoded->inst.row->encoding != AQ_ISA_SMEM;
}

static inline bool model_has_turn(const model *m, unsigned number)
{
  for (unsigned i = m->turn; i < m->turns; i++)
    if (m->order[i] == number)
      return true;
  return false;
}

/* Runs a wave until its turn has ended, if it is the wave's turn; a wave
 * without a turn later on runs to its end. A wave whose turn it is may wait at
 * a barrier, or have ended: then the turn is skipped. */
static inline const aq_wave_op *model_run(aq_wave *w, const aq_wave_op *o,
                                          int64_t *left)
{
  model *m = model_under_way;
  const aq_wave_observer *checker = aq_check_observer(m->check);
  const unsigned number = w->group->id[0] * w->grid->waves + w->number;
  if (!m->order || !model_has_turn(m, number))
    return checker->run(w, o, left);
  if (m->order[m->turn] != number) {
    if (++m->refused > 2 * MODEL_WAVES)
      m->refused = 0, m->skipped++, m->turn++;
    return o;
  }
  m->refused = 0;
  while (*left > 0 && w->state == AQ_WAVE_RUNS) {
    int64_t one = 1;
    if (!o->decoded) { /* decoding is no instruction of its own */
      o = checker->run(w, o, &one);
      --*left;
      continue;
    }
    const bool ends = model_is_turn(o);
    o = checker->run(w, o, &one);
    --*left;
    if (ends) {
      m->turn++;
      break;
    }
  }
  return o;
}

static inline void model_open(model *m)
{
  aq_diag diag = AQ_DIAG_INIT;
  memset(m, 0, sizeof *m);
  m->sink.name = model_name;
  m->sink.put_findings = model_finding;
  const aq_check_options options = {.checks = AQ_CHECK_RACE, .sink = &m->sink};
  ck_assert_status(aq_check_create(&options, &m->check, &diag), AQ_OK, &diag);
  ck_assert_status(aq_wave_machine_create(&m->machine, &diag), AQ_OK, &diag);
  m->observer = *aq_check_observer(m->check);
  m->observer.run = model_run;
  model_under_way = m;
  aq_wave_machine_observe(m->machine, &m->observer);
}

static inline void model_close(model *m)
{
  aq_wave_machine_destroy(m->machine);
  aq_check_destroy(m->check);
}

/* A dispatch of `groups` workgroups of `waves` waves; the verdict on it. The
 * next one comes behind it. */
static inline unsigned model_execute(model *m, const aq_code_image *image,
                                     const char *gfx, const char *name,
                                     unsigned groups, unsigned waves,
                                     const void *kernarg)
{
  const aq_order_hooks *hooks = aq_check_hooks(m->check);
  const aq_code_kernel *kernel = kernel_find(image, name);
  ck_assert_msg(kernel != NULL, "no kernel %s", name);
  aq_packet packet = {0};
  packet.kernel = (aq_kernel_packet){
      .header = AQ_PACKET_KERNEL_DISPATCH << AQ_HEADER_TYPE_SHIFT |
                1 << AQ_HEADER_BARRIER_SHIFT |
                AQ_SCOPE_SYSTEM << AQ_HEADER_ACQUIRE_SHIFT |
                AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT,
      .setup = 1,
      .workgroup_size = {(uint16_t)(waves * (unsigned)gfx_lanes(gfx)), 1, 1},
      .grid_size = {groups * waves * (unsigned)gfx_lanes(gfx), 1, 1},
      .private_segment_size = kernel->private_size,
      .group_segment_size = kernel->group_size,
      .kernel_object = aq_code_image_object(image, kernel),
      .kernarg_address = (uint64_t)(uintptr_t)kernarg};
  const aq_order_packet ordered = {
      .queue = &m->queue, .id = m->dispatches++, .packet = &packet};
  const aq_execution_desc desc = {.packet = &packet.kernel,
                                  .kernel = name,
                                  .gfx = gfx,
                                  .queue = &m->queue,
                                  .dispatch_id = ordered.id,
                                  .cus = 4,
                                  .wave_size = 64};
  const aq_executor *executor = aq_wave_machine_executor(m->machine);
  aq_diag diag = AQ_DIAG_INIT;
  aq_execution_step step;
  aq_execution_state state;
  void *execution;
  m->found = m->turn = m->refused = m->skipped = 0;
  hooks->launch(hooks->user, &ordered);
  ck_assert_status(executor->begin(executor->user, &desc, &execution, &diag),
                   AQ_OK, &diag);
  do
    state = executor->step(execution, 10000, 0, &step);
  while (state == AQ_EXECUTION_MORE);
  ck_assert_msg(state == AQ_EXECUTION_DONE, "%s of %s: state %d %s", name, gfx,
                (int)state, state == AQ_EXECUTION_FAULT ? step.fault.text : "");
  executor->end(execution);
  hooks->complete(hooks->user, &ordered);
  ck_assert_status(aq_check_put(m->check, &diag), AQ_OK, &diag);
  return m->found;
}

#endif
