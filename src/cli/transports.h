/* SPDX-License-Identifier: MIT */
/*
 * The transports and device models of this build. transports.c is the only
 * file that names concrete backends.
 *
 * Everything is static or lives until the next call, as each line says. Pure
 * functions; device models are read anew at each call.
 */
#ifndef AQ_CLI_TRANSPORTS_H
#define AQ_CLI_TRANSPORTS_H

#include <stdbool.h>

#include "common/diag.h"
#include "common/transport.h"

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

/* "fault+sim": the names alone, as runs are stored. */
AQ_API const char *aq_transport_stack_name(const aq_transport_stack *stack);

/* Opens the outermost with the options, whose layer is replaced. */
AQ_API aq_status aq_transport_stack_open(const aq_transport_stack *stack,
                                         const aq_transport_options *options,
                                         aq_transport **out, aq_diag *diag);

/* ---- what there is ---- */

enum { AQ_TRANSPORT_CAPS_SIZE = 256 };

typedef struct aq_transport_entry {
  const char *name, *summary;
  const char *kind; /* "built in", "wrapper", "plug-in" */
  const char *path; /* of plug-ins, else NULL */
  /* Capabilities in words, or why it cannot be opened here. */
  char caps[AQ_TRANSPORT_CAPS_SIZE];
} aq_transport_entry;

/* Tells of each transport: those built in, wrappers, then plug-ins that are
 * found by name. An entry lives for the call. */
AQ_API aq_status aq_transport_each(void (*tell)(const aq_transport_entry *entry,
                                                void *user),
                                   void *user, aq_diag *diag);

/* ---- device models ---- */

/* Names of the device models that are built in, by index; NULL at the end. */
AQ_API const char *aq_device_model_name(size_t index);

typedef struct aq_device_constant {
  const char *key, *group, *meaning, *source;
  const char *unit;  /* "" for counts, choices and texts */
  const char *value; /* exact, in that unit */
  bool timing;       /* it moves the timeline */
} aq_device_constant;

typedef struct aq_device_model {
  const char *name, *hash, *verdict;
  const aq_device_constant *constants;
  size_t count;
} aq_device_model;

/* Reads a device model by name or path, with edits ("KEY=VALUE UNIT", ended by
 * NULL, or NULL). The caller frees it with aq_device_model_free. */
AQ_API aq_status aq_device_model_load(const char *name,
                                      const char *const *edits,
                                      aq_device_model **out, aq_diag *diag);
AQ_API void aq_device_model_free(aq_device_model *model);

#endif
