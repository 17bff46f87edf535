/* SPDX-License-Identifier: MIT */
/*
 * The device library: devlib's kernels, and the block processor as another. Its
 * source is the host's own. All is compiled for GPUs as one file, so that the
 * compiler knows the registers and the stack of each kernel, by
 * `make regenerate-devlib`.
 */
#include "gpu/devlib/device/kernels.c"

#include "cmdbuf/opcodes.c"
#include "cmdbuf/block_processor.c"
#include "cmdbuf/block_processor_flow.c"
#include "cmdbuf/block_processor_packets.c"
#include "cmdbuf/value_packets.c"

#include "cmdbuf/device_step.c"

/* One work-item. */
__attribute__((flatten)) DEVICE_KERNEL aq_blocks(aq_device_walk *walk)
{
  aq_device_walk_step(walk);
}
