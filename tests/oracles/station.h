/* SPDX-License-Identifier: MIT */
/*
 * Queueing stations that are known by heart, built of the real thing: jobs of
 * one kernel go through a policy, rings, packets and a device model whose
 * launch costs are all 0, so that a kernel occupies its queue exactly as long
 * as it runs. The tests compare the results with theory.
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

/* What serves. */
typedef enum station_by {
  STATION_QUEUES, /* each queue one kernel, which only takes time */
  STATION_UNITS,  /* compute units, kernels of workgroups */
  STATION_MEMORY, /* the device's memory: kernels that move bytes, all at once,
                     and share it equally */
} station_by;

/* One job that is given, not drawn. */
typedef struct station_job {
  aq_time arrival;
  uint32_t commands;
  aq_time command; /* each */
  aq_time first_longer;
  aq_time deadline; /* absolute, AQ_TIME_NONE: none */
  uint32_t client;
  int32_t priority;
  uint32_t workgroups; /* of its one kernel; 0: 1 */
} station_job;

typedef struct station_spec {
  const char *policy; /* NULL: none */
  station_class classes[STATION_CLASSES];
  uint32_t class_count;
  uint32_t population; /* of a closed station, one class; 0: open */
  uint64_t jobs;
  uint64_t seed;
  const station_job *script; /* `jobs` of them instead of drawn ones */
  station_by by;
  uint32_t cus, per_cu; /* STATION_UNITS; 0: 1. Workgroups fit on each */
  bool one_at_a_time;   /* the last of two classes: the next comes when one is
                           done; `rate` is of the others */
  bool one_slot;        /* of the hardware, for all queues */
  aq_time quantum;      /* of that; 0: the device model's */
  bool stretches;       /* records show more than was served: stopped kernels,
                           shared memory */
  uint32_t servers;     /* none of which idles while a job waits; 0: some do */
  aq_time rounding;     /* that each job may take longer so */
} station_spec;

typedef struct station_mean {
  double value, error; /* of the mean, by batches */
  uint64_t count;
} station_mean;

typedef struct station_result {
  station_mean response, of_class[STATION_CLASSES]; /* in units */
  station_mean throughput;    /* done a unit, after warming up */
  station_mean rejected_part; /* of all arrivals */
  station_mean conserved;     /* sum of load × waiting of classes, in units */
  uint64_t done, rejected, rows;
  uint64_t commands;           /* of those done */
  uint64_t packets, doorbells; /* as the run says */
  uint64_t published, rung;    /* counted at the transport */
  aq_time begin, end;
  aq_time asked, served; /* service drawn for those done; seen in records */
  __int128 area;         /* of jobs present over time */
  __int128 busy;         /* of servers that have a job, if none idles */
  __int128 responses;    /* their sum */
  __int128 weighted;     /* sum of service × response */
  aq_time longest[STATION_CLASSES]; /* response, of each client */
  uint64_t late;                    /* done behind their deadline */
  aq_time lateness;                 /* the largest; negative: all were early */
} station_result;

/* Runs it to the end; fails the test on any error. */
station_result station_run(const station_spec *spec);

#endif
