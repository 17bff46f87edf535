/* SPDX-License-Identifier: MIT */
/*
 * Queueing stations that are known by heart, built of the real thing: jobs of
 * one kernel go through a policy, rings, packets and a device model whose
 * launch costs are all 0, so that a kernel occupies its queue exactly as long
 * as it runs. What comes out is compared with theory.
 *
 * The unit of time of theory is STATION_UNIT.
 */
#ifndef AQ_TESTS_ORACLES_STATION_H
#define AQ_TESTS_ORACLES_STATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/time.h"
#include "scheduler/registry.h"

#define STATION_UNIT (10 * AQ_US)

enum { STATION_CLASSES = 4 };

typedef enum station_law {
  LAW_EXPONENTIAL,
  LAW_CONSTANT,
  LAW_UNIFORM, /* 0 to twice the mean */
  LAW_ERLANG4,
  LAW_HYPER, /* exponential of mean .5 or 5.5 times, 9 in 10 the former */
  LAW_COUNT
} station_law;

/* E[S²] / E[S]². */
double station_law_second(station_law law);

typedef struct station_class {
  double rate; /* arrivals a unit; of closed classes: 1 / thinking time */
  double mean; /* service, in units */
  station_law law;
  int32_t priority;
  uint32_t weight;
} station_class;

/* One job that is given, not drawn. */
typedef struct station_job {
  aq_time arrival;
  uint32_t commands;
  aq_time command; /* each */
  aq_time first_longer;
  aq_time deadline; /* absolute, AQ_TIME_NONE: none */
  uint32_t client;
  int32_t priority;
} station_job;

typedef struct station_spec {
  const char *policy; /* NULL: none */
  station_class classes[STATION_CLASSES];
  uint32_t class_count;
  uint32_t population; /* of a closed station, one class; 0: open */
  uint64_t jobs;
  uint64_t seed;
  const station_job *script; /* `jobs` of them instead of drawn ones */
  bool in_workgroups; /* kernels of one workgroup, on a device with room for
                         one; else kernels that only take time */
  const char *edit;   /* of the device, one more; NULL: none */
  bool one_at_a_time; /* the last of two classes: the next comes when one is
                         done; `rate` is of the others */
  bool one_slot;      /* of the hardware, for all queues */
  bool preempts;      /* what records show is longer than what was served */
} station_spec;

typedef struct station_mean {
  double value, error; /* of the mean, by batches */
  uint64_t count;
} station_mean;

typedef struct station_result {
  station_mean response, of_class[STATION_CLASSES]; /* in units */
  double throughput; /* done a unit, after warming up */
  double throughput_error;
  uint64_t done, rejected, packets, doorbells, rows;
  aq_time begin, end;
  aq_time asked, served; /* service drawn for those done; seen in records */
  __int128 area;         /* of jobs present over time */
  __int128 responses;    /* their sum */
  __int128 weighted;     /* sum of service × response */
  aq_time longest[STATION_CLASSES]; /* response, of each client */
  uint64_t late;                    /* done behind their deadline */
  aq_time lateness;                 /* the largest; negative: all were early */
  double rejected_part, rejected_error;
} station_result;

/* Runs it to the end; fails the test on any error. */
station_result station_run(const station_spec *spec);

#endif
