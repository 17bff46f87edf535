/* SPDX-License-Identifier: MIT */
/*
 * The occupancy of a kernel that a transport knows: how many of its workgroups
 * a device holds at once (common/occupancy.h). Any thread.
 */
#ifndef AQ_CMDBUF_KERNEL_OCCUPANCY_H
#define AQ_CMDBUF_KERNEL_OCCUPANCY_H

#include "common/export.h"
#include "common/occupancy.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

/* Of a kernel by its object, in workgroups of `workgroup` work-items that have
 * `dynamic_lds` bytes besides the kernel's own group segment. Registers come
 * from the kernel's registration or its descriptor.
 * AQ_ERR_NOT_FOUND: the transport does not know the kernel. AQ_ERR_UNSUPPORTED:
 * registers of the kernel or of the device are not known: `null` knows none of
 * its device, HSA none of a GPU. AQ_ERR_INVALID: no such device, or no compute
 * unit can hold the workgroup. */
AQ_API aq_status aq_kernel_occupancy(aq_transport *transport, uint32_t device,
                                     uint64_t object, uint32_t workgroup,
                                     uint32_t dynamic_lds, aq_occupancy *out,
                                     aq_diag *diag);

AQ_END_DECLS

#endif
