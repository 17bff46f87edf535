/* SPDX-License-Identifier: MIT */
/*
 * The unit that an instruction occupies, and how long, as work_counters.h
 * counts. Pure.
 */
#ifndef AQ_GPU_WAVE_CORE_EXECUTION_UNIT_H
#define AQ_GPU_WAVE_CORE_EXECUTION_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/isa/control_flow.h"

/* Of an instruction; all zero: not looked at so far. */
typedef struct aq_wave_unit {
  bool known;
  bool waits;  /* s_waitcnt */
  bool writes; /* memory, without a result that it waits for */
  bool atomic;
  uint8_t class;   /* aq_isa_class */
  uint8_t cycles;  /* of its SIMD */
  uint8_t access;  /* bytes of a lane; 0: no memory of lanes */
  uint32_t matrix; /* operations, as of 16 bits */
  uint32_t serial; /* of the last grid that counted its code */
} aq_wave_unit;

aq_wave_unit aq_wave_unit_of(const aq_isa_inst *inst);

#endif
