/* SPDX-License-Identifier: MIT */
/*
 * The executable cache: one load of a code object for each device of an open
 * transport, shared by contexts, queues and programs.
 *
 * Objects are found by a digest of their bytes and compared byte for byte. The
 * variables of a shared object are shared too; module_load loads an object with
 * variables of its own.
 *
 * Ownership: the cache copies the bytes. Each take is ended by a give before
 * the transport closes; the last one unloads. Thread rule: any thread where the
 * transport is live, else the one that drives it. A load blocks other takes.
 */
#ifndef AQ_CMDBUF_EXECUTABLES_H
#define AQ_CMDBUF_EXECUTABLES_H

#include "common/diag.h"
#include "common/export.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

/* Loads a code object (no bundle) for a device, or counts a reference to the
 * one that is loaded; *module goes to kernel_lookup. Errors are module_load's.
 */
AQ_API aq_status aq_executable_take(aq_transport *transport, uint32_t device,
                                    const void *image, size_t size,
                                    uint64_t *module, aq_diag *diag);

/* Nothing of this taker's dispatches its kernels any more. 0 is allowed. */
AQ_API void aq_executable_give(aq_transport *transport, uint64_t module);

AQ_END_DECLS

#endif
