/* SPDX-License-Identifier: MIT */
/*
 * Calibration: the evidence of measured runs on the constants of a device
 * model. Runs are added one after the other and pooled; they yield figures,
 * each a sample of times. The caller has the device model and decides which
 * constants follow from them. doc/calibrate.md defines every figure. One thread
 * at a time.
 */
#ifndef AQ_STUDY_CALIBRATE_SAMPLES_H
#define AQ_STUDY_CALIBRATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/time.h"
#include "store/store.h"

typedef enum aq_calibrate_figure {
#define F(id, name, least, meaning) AQ_CALIBRATE_##id,
#include "study/calibrate/samples.def"
#undef F
  AQ_CALIBRATE_COUNT
} aq_calibrate_figure;

/* A figure: n values in rising order, of which these. With n = 0 the times are
 * AQ_TIME_NONE. */
typedef struct aq_calibrate_sample {
  size_t n;
  aq_time least, p10, p50, p90, most;
  aq_time low_middle; /* p50, the lower of an even number's two middle ones */
} aq_calibrate_sample;

typedef struct aq_calibrate_facts {
  aq_calibrate_sample figures[AQ_CALIBRATE_COUNT];
  aq_time idle_step;              /* idle time at which the latency steps up, or
                                     AQ_TIME_NONE: no step is seen */
  aq_time idle_below, idle_above; /* the idle times next to it */
  int timestamp_step;             /* ns, 0: not known */
  struct aq_calibrate_gaps *gaps; /* of the calibration; NULL: there are none */
} aq_calibrate_facts;

typedef struct aq_calibrate aq_calibrate;

aq_calibrate *aq_calibrate_create(void); /* NULL: out of memory */
void aq_calibrate_destroy(aq_calibrate *calibrate);

/* A part of a run: the rows that start in [from, until), and the host waits
 * that lie in it. */
typedef struct aq_calibrate_part {
  aq_time from, until;
} aq_calibrate_part;

/* Pools the rows of a stored run, or of a part of it (NULL: all). On error
 * nothing is to be relied on. */
aq_status aq_calibrate_add(aq_calibrate *calibrate, aq_store *store,
                           const aq_run_info *run,
                           const aq_calibrate_part *part, aq_diag *diag);

/* When the nth launch onto an idle queue (from 1) of the parts so far started;
 * AQ_TIME_NONE where there are fewer. */
aq_time aq_calibrate_launch_start(aq_calibrate *calibrate, size_t nth);

/* Constants of the model that figures depend on. */
typedef struct aq_calibrate_model {
  aq_time unmap_after; /* parts warm from cold launches where the runs show no
                          step of their own */
  /* Which launches contain where the runs do not show theirs, or where the
   * caller keeps these. */
  aq_time idle_ramp, remap_ramp;
  bool idle_ramp_kept, remap_ramp_kept, unmap_after_kept;
  bool unmap_after_prior; /* another step has to part the launches better */
  aq_time handler_guard, handler_window;
  int64_t graph_head; /* nodes of a graph's first doorbell */
  /* Returns of waits and of small copies, which show the clocks' offset. */
  aq_time interrupt_to_host, copy_return;
} aq_calibrate_model;

/* The figures of the runs so far. AQ_ERR_NO_MEMORY. */
aq_status aq_calibrate_report(aq_calibrate *calibrate,
                              const aq_calibrate_model *model,
                              aq_calibrate_facts *out, aq_diag *diag);

/* Name of a figure, and how many values it takes to state it. */
const char *aq_calibrate_name(aq_calibrate_figure figure);
size_t aq_calibrate_least(aq_calibrate_figure figure);

#endif
