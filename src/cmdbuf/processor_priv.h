/* SPDX-License-Identifier: MIT */
/* Shared by the files of the block processor; only they include it. */
#ifndef AQ_CMDBUF_PROCESSOR_PRIV_H
#define AQ_CMDBUF_PROCESSOR_PRIV_H

#include "cmdbuf/block_processor.h"

static inline uint64_t aq_ref_address(const aq_processor *processor, aq_ref ref)
{
  const aq_binding *table =
      ref & AQ_REF_STATIC ? processor->link->statics : processor->slots;
  return (uint64_t)(uintptr_t)table[aq_ref_ordinal(ref)].address +
         aq_ref_offset(ref);
}

static inline const void *aq_ref_pointer(const aq_processor *processor,
                                         aq_ref ref)
{
  return (const void *)(uintptr_t)aq_ref_address(processor, ref);
}

/* Writes the packet that reads the grid of `record` into `next` and publishes
 * that; its arguments go to `kernarg`. */
void aq_patch_write(const aq_processor *processor,
                    const aq_op_dispatch_params *record, aq_packet *slot,
                    aq_packet *next, unsigned char *kernarg);

/* Writes the packet of a fill, copy or update and its arguments. */
void aq_transfer_write(const aq_processor *processor, const aq_op *op,
                       aq_packet *slot, unsigned char *kernarg,
                       uint64_t completion);

/* Writes the packet of an atomic or of a wait for a value; its type and setup.
 */
uint32_t aq_value_write(const aq_processor *processor, const aq_op *op,
                        aq_packet *slot, unsigned char *kernarg,
                        uint64_t completion);

/* Goes where a terminator leads. AQ_WALK_FULL: on, into another block. */
aq_walk aq_flow_run(aq_processor *processor, const aq_op *op);

#endif
