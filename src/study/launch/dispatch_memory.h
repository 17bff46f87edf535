/* SPDX-License-Identifier: MIT */
/*
 * The memory of a dispatch file in this process, at the addresses that it had.
 * One thread. The file has to stay open.
 */
#ifndef AQ_STUDY_LAUNCH_DISPATCH_MEMORY_H
#define AQ_STUDY_LAUNCH_DISPATCH_MEMORY_H

#include "common/dispatch_file.h"

/* Maps the memory and publishes it as what devices may access; other memory
 * they may not. AQ_ERR_RESOURCES: this process has something else at one of the
 * addresses, which another process may not. */
aq_status aq_dispatched_map(const aq_dispatch_file *file, aq_allocations *map,
                            aq_diag *diag);

/* Gives the mapped memory the bytes of the file. */
aq_status aq_dispatched_fill(const aq_dispatch_file *file, aq_diag *diag);

/* Unmaps it, once nothing executes; the map may be gone by then. */
void aq_dispatched_unmap(const aq_dispatch_file *file);

#endif
