/* SPDX-License-Identifier: MIT */
/* Host functions: what device/kernels.c computes, a grid at once. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/ring.h"
#include "gpu/devlib/devlib.h"

static void host_fill(const aq_kernel_call *call)
{
  const aq_fill_args *args = call->kernarg;
  unsigned char *to = args->target;
  if (args->pattern_size == 0 || args->pattern_size > sizeof args->pattern) {
    snprintf(call->error, AQ_KERNEL_ERROR_SIZE,
             "pattern of %llu bytes; expected 1 to %zu",
             (unsigned long long)args->pattern_size, sizeof args->pattern);
    return;
  }
  for (uint64_t at = 0; at < args->bytes; at += args->pattern_size)
    memcpy(to + at, &args->pattern, args->pattern_size);
}

static void host_copy(const aq_kernel_call *call)
{
  const aq_copy_args *args = call->kernarg;
  memmove(args->target, args->source, args->bytes);
}

static void host_update(const aq_kernel_call *call)
{
  const aq_update_args *args = call->kernarg;
  /* `kernarg` may be a copy, of the described arguments alone. */
  const uint64_t at = call->packet ? call->packet->kernarg_address : 0;
  const aq_update_args *whole = at ? (const void *)(uintptr_t)at : args;
  memcpy(args->target, whole + 1, args->bytes);
}

static void host_patch(const aq_kernel_call *call)
{
  const aq_patch_args *args = call->kernarg;
  memcpy(args->packet->kernel.grid_size, args->params,
         sizeof args->packet->kernel.grid_size);
  aq_packet_publish(args->packet, (uint16_t)args->header_setup,
                    (uint16_t)(args->header_setup >> 16));
}

static void host_timestamp(const aq_kernel_call *call)
{
  const aq_timestamp_args *args = call->kernarg;
  *args->target = call->ticks;
}

/* Whether a value of 4 or 8 bytes can lie there. */
static bool value_check(const aq_kernel_call *call, const void *at,
                        uint32_t size)
{
  if ((size == 4 || size == 8) && (uintptr_t)at % size == 0)
    return true;
  snprintf(call->error, AQ_KERNEL_ERROR_SIZE,
           "value of %u bytes at %p; expected 4 or 8, aligned to them", size,
           at);
  return false;
}

#define HOST_CHANGE(BITS)                                                      \
  static uint##BITS##_t host_change##BITS(const aq_atomic_args *args)          \
  {                                                                            \
    uint##BITS##_t *at = args->target;                                         \
    const uint##BITS##_t operand = (uint##BITS##_t)args->operand;              \
    uint##BITS##_t expected = (uint##BITS##_t)args->expected;                  \
    switch ((aq_atomic_op)args->op) {                                          \
    case AQ_ATOMIC_ADD:                                                        \
      return __atomic_fetch_add(at, operand, __ATOMIC_ACQ_REL);                \
    case AQ_ATOMIC_AND:                                                        \
      return __atomic_fetch_and(at, operand, __ATOMIC_ACQ_REL);                \
    case AQ_ATOMIC_OR:                                                         \
      return __atomic_fetch_or(at, operand, __ATOMIC_ACQ_REL);                 \
    case AQ_ATOMIC_XOR:                                                        \
      return __atomic_fetch_xor(at, operand, __ATOMIC_ACQ_REL);                \
    case AQ_ATOMIC_CAS:                                                        \
      __atomic_compare_exchange_n(at, &expected, operand, false,               \
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);         \
      return expected;                                                         \
    case AQ_ATOMIC_STORE:                                                      \
    case AQ_ATOMIC_SWAP:                                                       \
    case AQ_ATOMIC_OP_COUNT:                                                   \
      break;                                                                   \
    }                                                                          \
    return __atomic_exchange_n(at, operand, __ATOMIC_ACQ_REL);                 \
  }
HOST_CHANGE(32)
HOST_CHANGE(64)

static void host_atomic(const aq_kernel_call *call)
{
  const aq_atomic_args *args = call->kernarg;
  if (!value_check(call, args->target, args->size) ||
      !value_check(call, args->result, args->size))
    return;
  const uint64_t before =
      args->size == 4 ? host_change32(args) : host_change64(args);
  if (args->result)
    memcpy(args->result, &before, args->size); /* little endian */
}

/* Its time is its cost. */
static void host_spin(const aq_kernel_call *call)
{
  (void)call;
}

const aq_kernel_entry aq_devlib_entries[AQ_DEVLIB_KERNEL_COUNT + 1] = {
#define K(id, what, args, ...)                                                 \
  [AQ_DEVLIB_##id] = {                                                         \
      .name = "aq_" #what, .function = host_##what, .cost = __VA_ARGS__},
#include "gpu/devlib/kernels.def"
#undef K
};

const uint32_t aq_devlib_kernarg_sizes[AQ_DEVLIB_KERNEL_COUNT] = {
#define K(id, what, args, ...) [AQ_DEVLIB_##id] = sizeof(args),
#include "gpu/devlib/kernels.def"
#undef K
};
