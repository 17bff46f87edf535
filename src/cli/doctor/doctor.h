/* SPDX-License-Identifier: MIT */
/*
 * What this machine offers to Aqueduct, and what to install for the rest: the
 * build, transports and device models, an HSA runtime, the GPU's driver, name
 * spaces for `exec`, compilers, the store, names of C++.
 *
 * Ownership: a finding's texts are valid during the call of the sink. Threads:
 * one at a time; the HSA runtime is initialised and shut down again.
 */
#ifndef AQ_CLI_DOCTOR_DOCTOR_H
#define AQ_CLI_DOCTOR_DOCTOR_H

typedef enum aq_doctor_state {
  AQ_DOCTOR_OK,
  AQ_DOCTOR_NOTE,    /* works without */
  AQ_DOCTOR_MISSING, /* something cannot be done */
  AQ_DOCTOR_BAD,     /* broken */
} aq_doctor_state;

typedef struct aq_doctor_finding {
  aq_doctor_state state;
  const char *check; /* a few words: "HSA runtime" */
  const char *detail;
  const char *advice; /* NULL: none */
} aq_doctor_finding;

typedef void aq_doctor_sink(const aq_doctor_finding *finding, void *user);

typedef struct aq_doctor_options {
  const char *libhsa; /* path of the HSA runtime; NULL: look for it */
  const char *store;  /* path of the store; NULL: the usual one */
} aq_doctor_options;

/* Passes each finding to `sink`, always in the same order. */
void aq_doctor_examine(const aq_doctor_options *options, aq_doctor_sink *sink,
                       void *user);

#endif
