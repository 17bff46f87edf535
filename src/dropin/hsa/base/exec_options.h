/* SPDX-License-Identifier: MIT */
/*
 * What `aqueduct exec` asks of a runtime in the environment, as far as the
 * drop-in and the simulated kernel driver have it in common. A variable that is
 * not set, or is empty, asks for nothing. Errors name the variable.
 */
#ifndef AQDROP_EXEC_OPTIONS_H
#define AQDROP_EXEC_OPTIONS_H

#include "common/diag.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/jit_builder.h"

/* The edits of device models, AQUEDUCT_SET. */
typedef struct aqdrop_edits {
  const char **list; /* ends with NULL; points into `text` */
  char *text;
} aqdrop_edits;

/* Reads "KEY=VALUE;KEY=VALUE"; no edits are an empty list. The caller has to
 * fini, also after an error: AQ_ERR_NO_MEMORY. */
aq_status aqdrop_edits_read(aqdrop_edits *out, aq_diag *diag);
void aqdrop_edits_fini(aqdrop_edits *edits);

/* The builder of compiled code, AQUEDUCT_COMPILE, which the machine uses until
 * it is destroyed, before the builder. Without the variable: automatic. The
 * caller destroys the builder in `out`, also after an error. */
aq_status aqdrop_exec_compile(aq_wave_machine *machine, aq_jit_builder **out,
                              aq_diag *diag);

/* AQUEDUCT_REPORT_AT: where waves are, once the time comes, and with
 * AQUEDUCT_BUDGET_NS where the time went. */
aq_status aqdrop_exec_report_at(aq_wave_machine *machine, aq_diag *diag);

/* That time in ns of aq_wall_ns, or 0: nothing asks for a report. */
int64_t aqdrop_exec_report_time(void);

/* AQUEDUCT_PROFILE_ISA and AQUEDUCT_TRACE_ISA. */
aq_status aqdrop_exec_profile(aq_wave_machine *machine, aq_diag *diag);
aq_status aqdrop_exec_trace(aq_wave_machine *machine, aq_diag *diag);

/* AQUEDUCT_EXEC_STATUS: reports to exec that this process has a simulator. */
void aqdrop_exec_tell(void);

/* A line for people on standard error; `user` is not used. The second begins
 * with "at the timeout". */
void aqdrop_line_print(const char *line, void *user);
void aqdrop_timeout_print(const char *line, void *user);

#endif
