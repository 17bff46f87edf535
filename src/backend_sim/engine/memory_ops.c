/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/memory_ops.h"

#include "common/pm4.h"

static bool always(int64_t a, int64_t b)
{
  (void)a, (void)b;
  return true;
}

static bool less(int64_t a, int64_t b)
{
  return (uint64_t)a < (uint64_t)b;
}

static bool less_equal(int64_t a, int64_t b)
{
  return (uint64_t)a <= (uint64_t)b;
}

static bool equal(int64_t a, int64_t b)
{
  return a == b;
}

static bool not_equal(int64_t a, int64_t b)
{
  return a != b;
}

static bool greater_equal(int64_t a, int64_t b)
{
  return (uint64_t)a >= (uint64_t)b;
}

static bool greater(int64_t a, int64_t b)
{
  return (uint64_t)a > (uint64_t)b;
}

aqsim_compare *const aqsim_compares[AQSIM_COMPARES] = {
    always, less, less_equal, equal, not_equal, greater_equal, greater, NULL};

/* The value behind an operation of 32 bits; false: it is not served. */
static bool atomic_result(uint32_t operation, uint64_t value, uint64_t operand,
                          uint64_t expected, uint64_t *out)
{
  switch (operation) {
  case AQ_PM4_ATOMIC_SWAP:
    *out = operand;
    return true;
  case AQ_PM4_ATOMIC_CAS:
    *out = value == expected ? operand : value;
    return true;
  case AQ_PM4_ATOMIC_ADD:
    *out = value + operand;
    return true;
  case AQ_PM4_ATOMIC_AND:
    *out = value & operand;
    return true;
  case AQ_PM4_ATOMIC_OR:
    *out = value | operand;
    return true;
  case AQ_PM4_ATOMIC_XOR:
    *out = value ^ operand;
    return true;
  default:
    return false;
  }
}

/* Host threads may change the value at the same time. */
bool aqsim_memory_change(void *at, uint32_t size, uint32_t operation,
                         uint64_t operand, uint64_t expected)
{
  uint64_t before = 0, after = 0;
  bool done = false;
  while (!done) {
    uint32_t narrow = __atomic_load_n((uint32_t *)at, __ATOMIC_ACQUIRE);
    before =
        size == 4 ? narrow : __atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE);
    if (!atomic_result(operation, before, operand, expected, &after))
      return false;
    done =
        size == 4
            ? __atomic_compare_exchange_n((uint32_t *)at, &narrow,
                                          (uint32_t)after, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
            : __atomic_compare_exchange_n((uint64_t *)at, &before, after, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  return true;
}
