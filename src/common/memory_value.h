/* SPDX-License-Identifier: MIT */
/*
 * Values in memory that commands change or wait for: 32 or 64 bits, aligned to
 * their size. Read by device code too, so this header needs no library.
 */
#ifndef AQ_COMMON_MEMORY_VALUE_H
#define AQ_COMMON_MEMORY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "export.h"
#include "signal_desc.h"

AQ_BEGIN_DECLS

/* Changes of a value, each at once for all devices and the host. */
typedef enum aq_atomic_op {
  AQ_ATOMIC_STORE,
  AQ_ATOMIC_ADD,
  AQ_ATOMIC_AND,
  AQ_ATOMIC_OR,
  AQ_ATOMIC_XOR,
  AQ_ATOMIC_SWAP, /* as STORE, with the value before as its result */
  AQ_ATOMIC_CAS,  /* stores the operand if the value is the expected one */
  AQ_ATOMIC_OP_COUNT
} aq_atomic_op;

/* What changes a value, or waits for one. */
typedef enum aq_value_way {
  AQ_VALUE_CHOOSE, /* by instruction set and capabilities */
  AQ_VALUE_PACKET, /* AMD's barrier-value packet: waits only */
  AQ_VALUE_PM4,    /* a command of an indirect buffer; it has no result */
  AQ_VALUE_KERNEL, /* a kernel of the device library */
  AQ_VALUE_WAY_COUNT
} aq_value_way;

/* Whether a value, masked and zero-extended, fulfils a condition. Both are
 * compared as numbers without a sign; AMD's packets take a value with the top
 * bit set for one below 0, so LT and GE of such values differ by way. */
static inline bool aq_value_holds(aq_condition condition, uint64_t value,
                                  uint64_t against)
{
  switch (condition) {
  case AQ_EQ:
    return value == against;
  case AQ_NE:
    return value != against;
  case AQ_LT:
    return value < against;
  case AQ_GE:
    return value >= against;
  }
  return false;
}

/* "==", "add", "barrier-value" and so on; NULL outside of the enumeration. */
AQ_API const char *aq_condition_name(aq_condition condition);
AQ_API const char *aq_atomic_op_name(aq_atomic_op op);
AQ_API const char *aq_value_way_name(aq_value_way way);

AQ_END_DECLS

#endif
