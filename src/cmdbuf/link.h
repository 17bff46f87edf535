/* SPDX-License-Identifier: MIT */
/*
 * Links: the meaning of a program's ordinals on one transport.
 *
 * A link has the kernel objects, the static buffers and, in kernarg memory, the
 * published rodata: arguments with static bindings only, and templates. Any
 * number of links may be made of one program, and any number of queues may
 * replay one link at once.
 *
 * Ownership: a link borrows its program, which must have been recorded in this
 * process or validated; it owns its published rodata. Thread rule: read-only
 * once made.
 */
#ifndef AQ_CMDBUF_LINK_H
#define AQ_CMDBUF_LINK_H

#include "cmdbuf/builtins.h"
#include "cmdbuf/program.h"
#include "common/export.h"

AQ_BEGIN_DECLS

typedef struct aq_link {
  const aq_program *program;
  const uint64_t *kernels;   /* objects by ordinal */
  const aq_binding *statics; /* by ordinal */
  const uint64_t *published; /* by block: where its offset 0 would lie */
  aq_builtins builtins;
  bool checked; /* aq_link_check_kernels() passed */
} aq_link;

typedef struct aq_link_options {
  aq_transport *transport;
  uint32_t device;
  uint64_t module; /* where kernels without an object are looked up by name */
  const uint64_t *kernels;     /* objects; NULL: the program's, or by name */
  const aq_binding *statics;   /* NULL: the program's */
  const aq_builtins *builtins; /* NULL: registered if the program needs them */
} aq_link_options;

/* Looks up the kernels and buffers of a program on the transport of the options
 * and publishes its rodata. AQ_ERR_NOT_FOUND: the module has no kernel of that
 * name. AQ_ERR_INVALID: a dispatch gives its kernel less memory or another
 * workgroup than it needs. */
AQ_API aq_status aq_link_create(const aq_program *program,
                                const aq_link_options *options, aq_link **out,
                                aq_diag *diag);

/* Frees the published memory, when no queue replays it any more. NULL is
 * allowed. */
AQ_API void aq_link_destroy(aq_link *link);

/* A link in the caller's storage that owns nothing: for programs of this
 * process without rodata. */
AQ_API aq_status aq_link_init(aq_link *link, const aq_program *program,
                              const aq_builtins *builtins, aq_diag *diag);

/* Whether a submission's bindings have room for all that the program touches.
 */
AQ_API aq_status aq_link_check_slots(const aq_link *link,
                                     const aq_binding *slots, uint32_t count,
                                     aq_diag *diag);

/* Whether the dispatches of a program give its kernels what these need, as far
 * as the transport knows them: AQ_ERR_INVALID names the first that does not.
 * aq_link_create has asked. */
AQ_API aq_status aq_link_check_kernels(const aq_link *link,
                                       aq_transport *transport, aq_diag *diag);

AQ_END_DECLS

#endif
