/* SPDX-License-Identifier: MIT */
/*
 * How long kernels take whose code a session executes: a prediction from
 * their counted work (gpu/duration/roofline.h), where --cost asks for it.
 *
 * A cost belongs to one session and its stack of transports. One thread.
 */
#ifndef AQ_STUDY_SESSION_COST_H
#define AQ_STUDY_SESSION_COST_H

#include "common/transports.h"
#include "store/store.h"
#include "transport/registry/device_models.h"

typedef struct aq_session_cost aq_session_cost;

/* Reads "fixed", "auto", "executed" or "sampled"; NULL is fixed, for which *out
 * is NULL. The caller frees *out with aq_session_cost_destroy, after the
 * stack. */
aq_status aq_session_cost_create(const char *text, aq_session_cost **out,
                                 aq_diag *diag);
/* The model of a device of an open transport, which `devices` may select,
 * edited. The caller frees it. */
aq_status aq_session_model_load(const aq_transport_info *info, uint32_t device,
                                const char *devices, const char *const *edits,
                                aq_device_model **out, aq_diag *diag);

void aq_session_cost_destroy(aq_session_cost *cost);

/* Has the executor of the stack count, with the constants of the devices of
 * `t`, which is open and has executed nothing: `devices` selects their models
 * (NULL: as the transport names them), changed by `edits`. AQ_ERR_UNSUPPORTED
 * for a transport without device models. NULL counts nothing, nor does "auto"
 * on such a transport. */
aq_status aq_session_cost_open(aq_session_cost *cost, aq_transport_stack *stack,
                               aq_transport *t, const char *devices,
                               const char *const *edits, aq_diag *diag);

/* Whether it leaves out workgroups. */
bool aq_session_cost_samples(const aq_session_cost *cost);

/* Whether kernels that have no work to count keep their costs. */
bool aq_session_cost_is_auto(const aq_session_cost *cost);

/* For aq_run_info.durations, from the writer's rows so far: predicted ones, and
 * how many kernels told their times or have assumed ones; as
 * aq_store_writer_durations where none was. Into `text`, `otherwise` itself, or
 * static. */
const char *aq_session_cost_durations(const aq_store_writer *writer,
                                      const char *otherwise,
                                      char text[AQ_STORE_DURATIONS_SIZE]);

#endif
