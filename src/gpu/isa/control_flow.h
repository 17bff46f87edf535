/* SPDX-License-Identifier: MIT */
/*
 * Where control goes after an instruction, and its class, as profiles count.
 * Pure functions.
 */
#ifndef AQ_GPU_ISA_CONTROL_FLOW_H
#define AQ_GPU_ISA_CONTROL_FLOW_H

#include "gpu/isa/isa.h"

typedef enum aq_isa_flow {
  AQ_ISA_FLOW_NEXT,
  AQ_ISA_FLOW_BRANCH,        /* to its target or to the next instruction */
  AQ_ISA_FLOW_JUMP,          /* to its target */
  AQ_ISA_FLOW_CALL,          /* to its target, which may return to the next */
  AQ_ISA_FLOW_INDIRECT_JUMP, /* to an address in registers; also returns */
  AQ_ISA_FLOW_INDIRECT_CALL,
  AQ_ISA_FLOW_END, /* the wave ends, or a trap stops it */
} aq_isa_flow;

aq_isa_flow aq_isa_flow_of(const aq_isa_inst *inst);

/* Whether it has a target of its own: BRANCH, JUMP, CALL. */
bool aq_isa_flow_is_direct(aq_isa_flow flow);

/* The target of such an instruction at `pc`. */
uint64_t aq_isa_branch_target(const aq_isa_inst *inst, uint64_t pc);

/* C(id, name, meaning): the unit that an instruction occupies. */
#define AQ_ISA_CLASSES(C)                                                      \
  C(VALU, "valu", "vector arithmetic")                                         \
  C(MATRIX, "matrix", "MFMA and SMFMAC")                                       \
  C(SALU, "salu", "scalar arithmetic")                                         \
  C(BRANCH, "branch", "branches, calls, returns, ends")                        \
  C(WAIT, "wait", "s_waitcnt, s_nop, s_sleep, s_barrier")                      \
  C(MESSAGE, "message", "other instructions of the sequencer")                 \
  C(SMEM, "smem", "scalar memory")                                             \
  C(VMEM, "vmem", "global, flat and buffer memory")                            \
  C(SCRATCH, "scratch", "private memory")                                      \
  C(LDS, "lds", "LDS, and exchanges between lanes")

typedef enum aq_isa_class {
#define C(id, name, meaning) AQ_ISA_CLASS_##id,
  AQ_ISA_CLASSES(C)
#undef C
      AQ_ISA_CLASS_COUNT
} aq_isa_class;

aq_isa_class aq_isa_class_of(const aq_isa_inst *inst);

/* "valu"; NULL beyond the last class. */
const char *aq_isa_class_name(unsigned class);

#endif
