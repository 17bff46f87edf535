/* SPDX-License-Identifier: MIT */
/*
 * What programs need of a device beyond the caller's kernels: fill, copy,
 * update, the kernel that reads a grid from a buffer into the packet behind its
 * own, atomics, and a way to wait for values in memory.
 *
 * They are kernels of the device library (devlib/), which has their arguments:
 * host functions on a transport that runs those, else the code object that fits
 * the device.
 */
#ifndef AQ_CMDBUF_BUILTINS_H
#define AQ_CMDBUF_BUILTINS_H

#include "common/export.h"
#include "common/transport.h"
#include "gpu/devlib/device_args.h"

AQ_BEGIN_DECLS

typedef enum aq_builtin {
  AQ_BUILTIN_FILL,
  AQ_BUILTIN_COPY,
  AQ_BUILTIN_UPDATE,
  AQ_BUILTIN_PATCH,
  AQ_BUILTIN_ATOMIC,
  AQ_BUILTIN_WAIT, /* code alone: a host function cannot wait */
  AQ_BUILTIN_COUNT
} aq_builtin;

typedef struct aq_builtins {
  uint64_t objects[AQ_BUILTIN_COUNT]; /* kernel objects; 0: there is none */
  uint64_t module;                    /* that has them; 0: host functions */
  aq_value_way wait; /* for values in memory; CHOOSE: the device cannot */
} aq_builtins;

enum {
  AQ_BUILTIN_WORKGROUP = AQ_DEVLIB_WORKGROUP,
  AQ_BUILTIN_BYTES = AQ_DEVLIB_BYTES
};

/* The builtins of one device. All are 0 on a transport that runs neither host
 * functions nor code objects; AQ_ERR_UNSUPPORTED when the device library has
 * nothing for the device. The caller releases them. */
AQ_API aq_status aq_builtins_register(aq_transport *transport, uint32_t device,
                                      aq_builtins *out, aq_diag *diag);

/* How a device waits for values in memory: the packet of its instruction set,
 * gfx9's barrier-value or the PM4 command of gfx10 and gfx11, where the
 * capabilities have it; else the kernel, if there is one; else any packet. */
AQ_API aq_value_way aq_value_wait_way(const aq_transport_info *info,
                                      uint32_t device,
                                      const aq_builtins *builtins);

/* Nothing dispatches them any more; the transport forgets them. They are all 0
 * afterwards, which is fine to release, too. */
AQ_API void aq_builtins_release(aq_transport *transport, aq_builtins *builtins);

AQ_END_DECLS

#endif
