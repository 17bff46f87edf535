/* SPDX-License-Identifier: MIT */
/*
 * The kernels of a run, registered with the transport when first used.
 *
 * A kernel is a name and a cost: timing only, no code. Kernels that spin take
 * their duration from the kernel arguments, so that one is enough for a name,
 * and the same packets can run a spin kernel on hardware. One thread.
 */
#ifndef AQ_RUN_KERNELS_H
#define AQ_RUN_KERNELS_H

#include "cmdbuf/builder.h"
#include "common/workload.h"

typedef struct aq_kernels {
  aq_transport *transport;
  aq_builder *builder; /* that records with them; borrowed */
  uint32_t *heads;     /* by name id + 1: first variant + 1, or 0 */
  size_t head_count;
  struct aq_kernel_variant *variants;
  uint32_t count, capacity;
} aq_kernels;

void aq_kernels_init(aq_kernels *kernels, aq_transport *transport,
                     aq_builder *builder);
void aq_kernels_fini(aq_kernels *kernels);

/* The builder's ordinal for what a command launches: a kernel of its name,
 * whose text is given, or NULL, with its cost and registers. */
aq_status aq_kernels_find(aq_kernels *kernels, const aq_command *command,
                          const char *text, uint32_t *ordinal, aq_diag *diag);

#endif
