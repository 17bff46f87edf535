/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/value_check.h"

static aq_status place_check(const char *what, const void *place, uint32_t size,
                             aq_diag *diag)
{
  if (size != 4 && size != 8)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: a value of %u bytes; 4 or 8 expected", what, size);
  if ((uintptr_t)place % size != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: a value at 0x%llx; a multiple of its %u bytes "
                       "expected",
                       what, (unsigned long long)(uintptr_t)place, size);
  return AQ_OK;
}

static uint64_t bits_of(uint32_t size)
{
  return size == 4 ? UINT32_MAX : UINT64_MAX;
}

void aq_wait_args_normalise(aq_wait_args *wait)
{
  if (wait->mask == 0)
    wait->mask = bits_of(wait->size);
}

aq_status aq_wait_args_check(const aq_wait_args *wait, aq_diag *diag)
{
  aq_status status = place_check("wait value", wait->address, wait->size, diag);
  if (status != AQ_OK)
    return status;
  if (wait->condition > AQ_GE)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "wait value: condition %u; 0 to 3 expected (==, !=, <, "
                       ">=)",
                       wait->condition);
  if (wait->mask == 0 || wait->mask & ~bits_of(wait->size))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "wait value: mask 0x%llx of a value of %u bytes; bits "
                       "of the value expected",
                       (unsigned long long)wait->mask, wait->size);
  if (wait->value & ~wait->mask)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "wait value: 0x%llx has bits outside of the mask 0x%llx",
                       (unsigned long long)wait->value,
                       (unsigned long long)wait->mask);
  /* Barrier-value packets compare signed, PM4 commands do not. */
  const uint64_t top = bits_of(wait->size) / 2 + 1;
  if (wait->condition >= AQ_LT && wait->value & top)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "wait value: < or >= 0x%llx; less than 0x%llx expected",
                       (unsigned long long)wait->value,
                       (unsigned long long)top);
  return AQ_OK;
}

aq_status aq_atomic_args_check(const aq_atomic_args *atomic, bool returns,
                               aq_diag *diag)
{
  aq_status status = place_check("atomic", atomic->target, atomic->size, diag);
  if (status == AQ_OK && returns)
    status =
        place_check("result of an atomic", atomic->result, atomic->size, diag);
  if (status != AQ_OK)
    return status;
  if (atomic->op >= AQ_ATOMIC_OP_COUNT)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "atomic: operation %u; 0 to %d expected", atomic->op,
                       AQ_ATOMIC_OP_COUNT - 1);
  if (returns && atomic->op == AQ_ATOMIC_STORE)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "atomic: a store has no result; a swap has");
  return AQ_OK;
}
