/* SPDX-License-Identifier: MIT */
/*
 * Probing a device: small experiments on queues of its own that measure the
 * constants of a device model, on hardware or, to check the probe, on the
 * simulator. Needs spin kernels, timestamps and a device that is idle.
 *
 * One thread. Every packet that is timed goes into the sink as a record, named
 * by its experiment.
 */
#ifndef AQ_STUDY_CALIBRATE_PROBE_H
#define AQ_STUDY_CALIBRATE_PROBE_H

#include "study/loop/run.h"

typedef enum aq_probe_id {
#define P(id, key, unit, meaning) AQ_PROBE_##id,
#include "study/calibrate/probe.def"
#undef P
  AQ_PROBE_COUNT
} aq_probe_id;

typedef struct aq_probe_fact {
  const char *key, *unit, *meaning; /* static */
  int64_t value;                    /* in that unit; AQ_NONE: not seen */
  int64_t resolution;               /* the value is good to this */
} aq_probe_fact;

typedef struct aq_probe_result {
  aq_probe_fact facts[AQ_PROBE_COUNT];
} aq_probe_result;

/* Probes a device of an open transport. `code` as in aq_run_options; sink may
 * be NULL. */
aq_status aq_device_probe(aq_transport *t, uint32_t device,
                          aq_kernels_code *code, aq_record_sink *sink,
                          aq_probe_result *out, aq_diag *diag);

#endif
