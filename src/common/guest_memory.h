/* SPDX-License-Identifier: MIT */
/*
 * Memory at addresses of another process, in this one: kernels of a dispatch
 * file or a capture find their pointers as they were. Any thread.
 */
#ifndef AQ_COMMON_GUEST_MEMORY_H
#define AQ_COMMON_GUEST_MEMORY_H

#include <stdint.h>

#include "diag.h"

/* Maps `size` bytes of zeros at `base`; both are whole pages. Unmap them by
 * munmap. AQ_ERR_RESOURCES: this process has something else there, which
 * another process may not, or the host has no such address. */
aq_status aq_guest_memory_map(uint64_t base, uint64_t size, aq_diag *diag);

#endif
