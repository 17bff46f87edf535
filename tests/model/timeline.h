/* SPDX-License-Identifier: MIT */
/*
 * What became of a program, three times: as a transport ran it, as the rules of
 * AQL allow it, and as it must be to the picosecond.
 */
#ifndef AQ_TESTS_MODEL_TIMELINE_H
#define AQ_TESTS_MODEL_TIMELINE_H

#include "common/transport.h"
#include "model/program.h"

typedef struct model_timeline {
  aq_record rows[MODEL_PACKETS]; /* by packet */
  unsigned records[MODEL_PACKETS], calls[MODEL_PACKETS];
  aq_time published[MODEL_PACKETS]; /* when the host stored the header */
  aq_time stored[MODEL_SIGNALS];    /* when the host stored 0 */
  int64_t values[MODEL_SIGNALS];    /* at the end */
  uint64_t read_index[MODEL_QUEUES];
  unsigned errors[MODEL_QUEUES]; /* calls of the error callback */
  char failure[256];             /* the driver's error, or "" */
} model_timeline;

/* The values that a signal has in a timeline, in the order of its changes. */
typedef struct model_change {
  aq_time time;
  int64_t value; /* from then on */
  bool host;     /* by the host, which acts last at an instant */
} model_change;

unsigned model_history(const model_program *program,
                       const model_timeline *timeline, int signal,
                       model_change out[MODEL_PACKETS + 1]);

/* Runs it on a transport. */
void model_drive(const model_program *program, const aq_transport_ops *ops,
                 model_timeline *out);

/* Whether a timeline keeps the rules; if not, says which one it breaks. */
bool model_rules_check(const model_program *program,
                       const model_timeline *timeline, char text[256]);

/* Whether model_expect() covers the program: nothing but the rules and the
 * constants limits how far the processor reads ahead. */
bool model_is_exact(const model_program *program);

/* The timeline as the constants give it, one packet after the other. */
void model_expect(const model_program *program, model_timeline *out);

/* Whether two timelines are the same; if not, says where they part. */
bool model_timeline_same(const model_program *program,
                         const model_timeline *got,
                         const model_timeline *expected, char text[256]);

#endif
