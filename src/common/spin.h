/* SPDX-License-Identifier: MIT */
/*
 * The arguments of spin kernels. Read by device code too, so this header needs
 * no library.
 */
#ifndef AQ_COMMON_SPIN_H
#define AQ_COMMON_SPIN_H

#include <stdint.h>

#include "export.h"
#include "time.h"

AQ_BEGIN_DECLS

/* The kernarg segment of spin kernels: on the simulator the cost, on hardware
 * what each wave waits for. */
typedef struct aq_spin_args {
  aq_time duration; /* ps */
  uint32_t flags;   /* AQ_SPIN_*, and from AQ_SPIN_GAP_SHIFT on the gap */
  /* Of the clock that device code reads; 0: 100 MHz. The simulator, which
   * knows its own time, does not look at it. */
  uint32_t clock_khz;
} aq_spin_args;

enum {
  /* The duration was measured between timestamps of back-to-back dispatches, so
   * on devices whose model sets this it contains the launch of this packet. */
  AQ_SPIN_BACK_TO_BACK = 1 << 0,
  /* The bits from here on: how many ns behind this kernel's end the next one
   * of its queue starts, on devices that leave gaps; 0: as the device's model
   * has it. */
  AQ_SPIN_GAP_SHIFT = 8,
};

AQ_STATIC_ASSERT(sizeof(aq_spin_args) == 16, "two quad words");

AQ_END_DECLS

#endif
