/* SPDX-License-Identifier: MIT */
/*
 * The device library. `make regenerate-devlib` compiles this file once for
 * every target of targets.tsv; the objects lie beside it and are embedded.
 */
#include "gpu/devlib/device/device.h"

typedef uint32_t word4 __attribute__((vector_size(AQ_DEVLIB_BYTES)));

/* How many bytes are for this work-item, from `at` on. */
static inline unsigned share(uint64_t at, uint64_t bytes)
{
  if (at >= bytes)
    return 0;
  return bytes - at < AQ_DEVLIB_BYTES ? (unsigned)(bytes - at)
                                      : AQ_DEVLIB_BYTES;
}

static inline int aligned(const void *address)
{
  return (uintptr_t)address % AQ_DEVLIB_BYTES == 0;
}

static inline void bytes_copy(unsigned char *to, const unsigned char *from,
                              unsigned count)
{
  if (count == AQ_DEVLIB_BYTES && aligned(to) && aligned(from)) {
    *(word4 *)to = *(const word4 *)from;
    return;
  }
  for (unsigned i = 0; i < count; i++)
    to[i] = from[i];
}

/* A pattern of 1, 2, 4 or 8 bytes, repeated to 8. */
static inline uint64_t pattern_widen(uint64_t pattern, uint64_t size)
{
  switch (size) {
  case 1:
    return (pattern & 0xff) * UINT64_C(0x0101010101010101);
  case 2:
    return (pattern & 0xffff) * UINT64_C(0x0001000100010001);
  case 4:
    return (pattern & 0xffffffff) * UINT64_C(0x0000000100000001);
  default:
    return pattern;
  }
}

DEVICE_KERNEL aq_fill(aq_fill_args args)
{
  const uint64_t at = device_item() * AQ_DEVLIB_BYTES;
  const uint64_t pattern = pattern_widen(args.pattern, args.pattern_size);
  const uint32_t low = (uint32_t)pattern, high = (uint32_t)(pattern >> 32);
  const unsigned count = share(at, args.bytes);
  unsigned char *to = (unsigned char *)args.target + at;
  if (count == AQ_DEVLIB_BYTES && aligned(to)) {
    *(word4 *)to = (word4){low, high, low, high};
    return;
  }
  for (unsigned i = 0; i < count; i++)
    to[i] = (unsigned char)(pattern >> (i % 8 * 8));
}

DEVICE_KERNEL aq_copy(aq_copy_args args)
{
  const uint64_t at = device_item() * AQ_DEVLIB_BYTES;
  bytes_copy((unsigned char *)args.target + at,
             (const unsigned char *)args.source + at, share(at, args.bytes));
}

DEVICE_KERNEL aq_update(aq_update_args args)
{
  const uint64_t at = device_item() * AQ_DEVLIB_BYTES;
  bytes_copy((unsigned char *)args.target + at,
             device_kernarg() + sizeof args + at, share(at, args.bytes));
}

DEVICE_KERNEL aq_patch(aq_patch_args args)
{
  const uint32_t *params = args.params;
  aq_packet *packet = args.packet;
  for (int i = 0; i < 3; i++)
    packet->kernel.grid_size[i] = params[i];
  device_publish(&packet->header_setup, args.header_setup);
}

DEVICE_KERNEL aq_timestamp(aq_timestamp_args args)
{
  *args.target = device_clock();
}

DEVICE_KERNEL aq_atomic(aq_atomic_args args)
{
  if (args.size == 4) {
    const uint32_t before = device_change32(
        args.target, args.op, (uint32_t)args.operand, (uint32_t)args.expected);
    if (args.result)
      *(uint32_t *)args.result = before;
    return;
  }
  const uint64_t before =
      device_change64(args.target, args.op, args.operand, args.expected);
  if (args.result)
    *(uint64_t *)args.result = before;
}

DEVICE_KERNEL aq_wait(aq_wait_args args)
{
  for (;;) {
    const uint64_t value = args.size == 4 ? device_look32(args.address)
                                          : device_look64(args.address);
    if (aq_value_holds((aq_condition)args.condition, value & args.mask,
                       args.value))
      return;
    device_pause();
  }
}

/* Every wave waits from its own start on: a grid takes `duration` as long as
 * all of it fits on the device at once. */
DEVICE_KERNEL aq_spin(aq_spin_args args)
{
  const uint64_t begin = device_clock();
  const uint64_t khz = args.clock_khz ? args.clock_khz : 100000;
  const uint64_t ns = args.duration > 0 ? (uint64_t)args.duration / AQ_NS : 0;
  const uint64_t ticks = ns / 1000000 * khz + ns % 1000000 * khz / 1000000;
  while (device_clock() - begin < ticks)
    device_pause();
}
