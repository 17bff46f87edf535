/* SPDX-License-Identifier: MIT */
/*
 * The runtime's records: rows of the device, waits and calls of the client,
 * into one spool a process (common/spool.h). AQUEDUCT_SPOOL names the folder
 * that `aqueduct exec` made for it; without it nothing is recorded.
 * AQUEDUCT_RECORD and AQUEDUCT_RECORD_LIMIT choose the rows that it keeps
 * (common/record_filter.h).
 *
 * Recording changes no time: it reads the clock without moving it.
 * Thread rule: any thread. The spool outlives the runtime, since a process may
 * open that again; its clock then continues from where it was.
 */
#ifndef AQDROP_RECORDING_H
#define AQDROP_RECORDING_H

#include <string.h>

#include "common/record.h"
#include "common/spool.h"
#include "common/transport.h"

typedef struct aqdrop_recording aqdrop_recording;

/* Makes the spool, if the environment asks for one: *out is NULL otherwise. */
aq_status aqdrop_recording_create(aqdrop_recording **out, aq_diag *diag);

/* Where a transport that is about to be opened puts its rows; NULL: no row is
 * kept. */
aq_record_sink *aqdrop_recording_sink(aqdrop_recording *recording);

/* Where findings and counts of instructions go, whatever rows are kept; NULL:
 * there is no spool. */
aq_record_sink *aqdrop_recording_results_sink(aqdrop_recording *recording);

/* The first instant of that transport. */
aq_time aqdrop_recording_epoch(const aqdrop_recording *recording);

/* A transport was opened, or is about to be closed (NULL). */
void aqdrop_recording_attach(aqdrop_recording *recording,
                             aq_transport *transport);

/* A kernel without a host function was dispatched: keeps its code object for
 * `exec`, which reports the arguments. The bytes may be gone by then. */
void aqdrop_recording_missing(const aqdrop_recording *recording,
                              const char *kernel, size_t length,
                              const void *bytes, size_t size);

/* Whether `exec` wants facts for its report of fidelity; and one of them, a
 * line without its end. Any thread. */
bool aqdrop_recording_wants_facts(const aqdrop_recording *recording);
void aqdrop_recording_fact(const aqdrop_recording *recording, const char *fmt,
                           ...) AQ_PRINTF(2, 3);

/* Adds a text for `exec` (common/spool.h); NULL: nothing. */
void aqdrop_recording_text(aqdrop_recording *recording, const char *key,
                           const char *value);

/* Findings of the checker are missing. */
void aqdrop_recording_unchecked(aqdrop_recording *recording);

/* A code object was loaded: keeps it for the coverage, where `exec` wants that
 * and the object has lines. Any thread. */
void aqdrop_recording_code(aqdrop_recording *recording, const void *bytes,
                           size_t size);

/* In a forked child: the spool is the parent's. */
void aqdrop_recording_abandon(aqdrop_recording *recording);

/* The process ends as it should. */
void aqdrop_recording_end(aqdrop_recording *recording);

/* ---- calls ---- */

/* A call of the client that is under way. */
typedef struct aqdrop_call {
  aqdrop_recording *recording; /* NULL: not recorded */
  const char *name;
  aq_record_kind kind;
  aq_time begin;
  aq_spool_noted last; /* in the spool */
  bool poll;           /* it only looked: it is kept if time passed */
} aqdrop_call;

/* Only the outermost call of a thread counts. `from`: where it returns to. */
aqdrop_call aqdrop_call_begin(aqdrop_recording *recording, const char *name,
                              aq_record_kind kind, const void *from);
void aqdrop_call_end(aqdrop_call *call);

/* Records the function that it is in, until that returns. Functions that do
 * not have a name of HSA are part of one that has. */
#define AQDROP_CALL(to, what)                                                  \
  __attribute__((cleanup(aqdrop_call_end))) aqdrop_call call_ =                \
      (to) && strncmp(__func__, "hsa_", 4) == 0                                \
          ? aqdrop_call_begin(to, __func__, what, __builtin_return_address(0)) \
          : (aqdrop_call)                                                      \
  {                                                                            \
    .recording = NULL                                                          \
  }

#endif
