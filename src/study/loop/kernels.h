/* SPDX-License-Identifier: MIT */
/*
 * The kernels of a run, registered with the transport when first used.
 *
 * A kernel is a name and a cost: timing only, no code. Kernels that spin take
 * their duration from the kernel arguments, so that one is enough for a name,
 * and the same packets can run a spin kernel on hardware: there the one kernel
 * that is loaded, "aq_spin", stands for all of them. One thread.
 */
#ifndef AQ_STUDY_LOOP_KERNELS_H
#define AQ_STUDY_LOOP_KERNELS_H

#include "cmdbuf/builder.h"
#include "common/workload.h"
#include "study/loop/run.h"

typedef struct aq_kernels {
  aq_transport *transport;
  aq_builder *builder; /* that records with them; borrowed */
  uint32_t *heads;     /* by name id + 1: first variant + 1, or 0 */
  size_t head_count;
  struct aq_kernel_variant *variants;
  uint32_t count, capacity;
  bool code; /* all of them spin: the transport runs no host functions */
  aq_kernels_code *find_code;
  uint64_t *spins; /* by device: the spin kernel's object, or 0 */
  aq_transport_info info;
} aq_kernels;

/* code: as aq_run_options has it. */
void aq_kernels_init(aq_kernels *kernels, aq_transport *transport,
                     aq_builder *builder, aq_kernels_code *code);
/* Kernel objects of a device: of a kernel that does nothing, and of one that
 * spins. Host functions, or both that of the code object which `code` finds. */
aq_status aq_kernels_spin(aq_transport *transport, uint32_t device,
                          aq_kernels_code *code, uint64_t objects[2],
                          aq_diag *diag);

/* For aq_spin_args: of the clock that kernels of a device read. */
static inline uint32_t aq_spin_clock_khz(const aq_device_info *device)
{
  return (uint32_t)(device->timestamp_hz / 1000);
}

void aq_kernels_fini(aq_kernels *kernels);

/* The builder's ordinal for the kernel that a command launches on a device: by
 * its name, whose text is given, or NULL, with its cost and registers. */
aq_status aq_kernels_find(aq_kernels *kernels, uint32_t device,
                          const aq_command *command, const char *text,
                          uint32_t *ordinal, aq_diag *diag);

#endif
