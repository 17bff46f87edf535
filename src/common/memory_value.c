/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/memory_value.h"

#include <stddef.h>

const char *aq_condition_name(aq_condition condition)
{
  static const char *const names[] = {
      [AQ_EQ] = "==", [AQ_NE] = "!=", [AQ_LT] = "<", [AQ_GE] = ">="};
  return (unsigned)condition <= AQ_GE ? names[condition] : NULL;
}

const char *aq_atomic_op_name(aq_atomic_op op)
{
  static const char *const names[AQ_ATOMIC_OP_COUNT] = {
      [AQ_ATOMIC_STORE] = "store",
      [AQ_ATOMIC_ADD] = "add",
      [AQ_ATOMIC_AND] = "and",
      [AQ_ATOMIC_OR] = "or",
      [AQ_ATOMIC_XOR] = "xor",
      [AQ_ATOMIC_SWAP] = "swap",
      [AQ_ATOMIC_CAS] = "compare-and-swap",
  };
  return (unsigned)op < AQ_ATOMIC_OP_COUNT ? names[op] : NULL;
}

const char *aq_value_way_name(aq_value_way way)
{
  static const char *const names[AQ_VALUE_WAY_COUNT] = {
      [AQ_VALUE_CHOOSE] = "choose",
      [AQ_VALUE_PACKET] = "barrier-value",
      [AQ_VALUE_PM4] = "pm4",
      [AQ_VALUE_KERNEL] = "kernel",
  };
  return (unsigned)way < AQ_VALUE_WAY_COUNT ? names[way] : NULL;
}
