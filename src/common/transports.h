/* SPDX-License-Identifier: MIT */
/*
 * Finding transports: those built into this library, plug-ins, and stacks of
 * wrappers around them, by the names that users type.
 *
 * Everything is static or lives as long as each function says. Thread rule: one
 * thread at a time. (Implemented in src/transport/registry, the only file that
 * names concrete backends.)
 */
#ifndef AQ_COMMON_TRANSPORTS_H
#define AQ_COMMON_TRANSPORTS_H

#include <stdbool.h>

#include "diag.h"
#include "export.h"
#include "transport.h"

AQ_BEGIN_DECLS

/* The transports that are built in, ended by NULL; static. */
AQ_API const aq_transport_ops *const *aq_transports(void);

/* ---- stacks: transports as users name them ---- */

/* What "[WRAPPER[,KEY=VALUE]…+]…NAME|./x.so[,KEY=VALUE]…" names: wrappers
 * around one transport that is built in or a plug-in. */
typedef struct aq_transport_stack aq_transport_stack;

/* `faults` is a schedule for the wrapper "fault" ("seed=N" or a file), which
 * is put around the others unless it is the outermost already; NULL: none.
 * AQ_ERR_NOT_FOUND: the innermost has a name that nothing has. */
AQ_API aq_status aq_transport_stack_create(const char *names,
                                           const char *faults,
                                           aq_transport_stack **out,
                                           aq_diag *diag);

/* After every transport that it opened is closed. NULL is allowed. */
AQ_API void aq_transport_stack_destroy(aq_transport_stack *stack);

/* The outermost layer: its ops are opened with options.layer pointing here. */
AQ_API const aq_transport_layer *
aq_transport_stack_top(const aq_transport_stack *stack);

/* Whether the innermost is built in and has devices of the HSA runtime, which
 * choose their own models; of plug-ins nothing is known. */
AQ_API bool aq_transport_stack_is_hardware(const aq_transport_stack *stack);

/* "fault+sim": the names alone, as runs are stored. */
AQ_API const char *aq_transport_stack_name(const aq_transport_stack *stack);

/* Opens the outermost with the options, whose layer is replaced. */
AQ_API aq_status aq_transport_stack_open(const aq_transport_stack *stack,
                                         const aq_transport_options *options,
                                         aq_transport **out, aq_diag *diag);

/* ---- the executor of a stack; before it opens a transport ---- */

/* The executor of kernel code, unless options name another; it lives as long as
 * the stack. */
AQ_API const aq_executor *
aq_transport_stack_executor(const aq_transport_stack *stack);

/* Counts the instructions that its simulators execute, and puts the counts into
 * a sink after the transports are closed; nothing without counting. */
AQ_API aq_status aq_transport_stack_profile(aq_transport_stack *stack,
                                            aq_diag *diag);
AQ_API aq_status aq_transport_stack_profile_put(const aq_transport_stack *stack,
                                                aq_record_sink *sink,
                                                aq_diag *diag);

/* How the executor counts the work of kernels, and what their time is. */
typedef struct aq_transport_counting {
  bool sampled;  /* executes the counted workgroups only */
  bool repeats;  /* dispatches like counted ones take their time */
  uint32_t xccs; /* complexes among which workgroups go in turn */
  /* How long a dispatch of that work takes; the row has no names. */
  aq_time (*time)(const aq_counted *row, void *user);
  void *user;
} aq_transport_counting;

/* Counts work from the next execution on, and gives kernels that time in place
 * of their cost; then puts the counts into a sink, once. */
AQ_API aq_status aq_transport_stack_count(aq_transport_stack *stack,
                                          const aq_transport_counting *counting,
                                          aq_diag *diag);
AQ_API aq_status aq_transport_stack_counted_put(const aq_transport_stack *stack,
                                                aq_record_sink *sink,
                                                aq_diag *diag);

/* Compiles code for this machine (doc/execution.md): "off", "auto" or "always".
 * `print` (or NULL) gets a line if that is not possible,
 * once. */
AQ_API aq_status aq_transport_stack_compile(
    aq_transport_stack *stack, const char *mode,
    void (*print)(const char *line, void *user), void *user, aq_diag *diag);

/* Prints the steps of a wave on stderr: "wave=N[,workgroup=N][,limit=N]". */
AQ_API aq_status aq_transport_stack_trace(aq_transport_stack *stack,
                                          const char *wave, aq_diag *diag);

/* Keeps the steps of such a wave of each dispatch; `clock` gives the Hz of a
 * device's cycles, 0: not known. Before the transport opens. */
AQ_API aq_status aq_transport_stack_steps(
    aq_transport_stack *stack, const char *wave,
    int64_t (*clock)(uint32_t device, void *user), void *user, aq_diag *diag);
AQ_API aq_status aq_transport_stack_steps_put(const aq_transport_stack *stack,
                                              aq_record_sink *sink,
                                              aq_diag *diag);

/* Reports where the waves of each execution of code are, in a line, at a time:
 * ns of the monotonic clock, 0: never. On the thread that drives time. */
AQ_API void
aq_transport_stack_report_at(aq_transport_stack *stack, int64_t time,
                             void (*tell)(const char *line, void *user),
                             void *user);

/* ---- what there is ---- */

enum { AQ_TRANSPORT_CAPS_SIZE = 256 };

typedef struct aq_transport_entry {
  const char *name, *summary;
  const char *kind; /* "built in", "wrapper", "plug-in" */
  const char *path; /* of plug-ins, else NULL */
  /* Capabilities as text, or why it cannot be opened here. */
  char caps[AQ_TRANSPORT_CAPS_SIZE];
} aq_transport_entry;

/* Calls back with each transport: built-in ones, wrappers, then plug-ins that
 * are found by name. An entry lives for the call. */
AQ_API aq_status aq_transport_each(void (*tell)(const aq_transport_entry *entry,
                                                void *user),
                                   void *user, aq_diag *diag);

/* Whether the simulators of stacks execute code for a processor ("gfx942"). */
AQ_API bool aq_transport_executes(const char *gfx);

AQ_END_DECLS

#endif
