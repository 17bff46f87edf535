/* SPDX-License-Identifier: MIT */
/*
 * Hostcall: services of the host for kernels while they run, as HIP's device
 * library asks for them (ockl): printf, assert, and memory for malloc and free.
 * Other calls get 0, and are counted.
 *
 * In virtual time the listener is an executor around another one: it serves
 * after each step, so the order of all is that of time, and nothing runs on
 * another thread. On other transports it is a thread, which the first kernel
 * that needs it starts.
 *
 * The layout of the buffer is that of the device libraries from ROCm 5 on; the
 * code object's metadata say where a kernel of V2 to V6 expects its address. A
 * wave takes a packet without asking whether one is left.
 */
#ifndef AQ_GPU_HOSTCALL_HOSTCALL_H
#define AQ_GPU_HOSTCALL_HOSTCALL_H

#include <stdbool.h>
#include <stdio.h>

#include "common/executor.h"
#include "common/notes.h"
#include "common/transport.h"
#include "gpu/codeobj/codeobj.h"

/* Bytes that kernels may have from malloc at once. */
#define AQ_HOSTCALL_HEAP_LIMIT (UINT64_C(1) << 30)

typedef struct aq_hostcall aq_hostcall;

/* Around an executor, which outlives it. Output of kernels goes to `out`,
 * borrowed; NULL: out of memory. */
aq_hostcall *aq_hostcall_create(const aq_executor *inner, FILE *out);

/* Ends the listener's thread, if there is one, and frees the memory that it has
 * from the transport: no kernel may still run. Before the transport is closed.
 */
void aq_hostcall_stop(aq_hostcall *hostcall);

/* After the transport. */
void aq_hostcall_destroy(aq_hostcall *hostcall);

/* The executor for the options of a transport. */
const aq_executor *aq_hostcall_executor(const aq_hostcall *hostcall);

/* Puts the addresses of buffer and heap into the kernel's arguments, where its
 * metadata name them; does nothing for other kernels. Before the dispatch. A
 * device's buffer is made when a kernel needs it first, and again for more
 * `waves` at once; its heap once: what one dispatch allocates, a later one may
 * free. Both are memory of the transport. One thread at a time, while others
 * may dispatch. */
aq_status aq_hostcall_place(aq_hostcall *hostcall, aq_transport *t,
                            uint32_t device, const aq_code_kernel *kernel,
                            uint64_t waves, void *kernarg, aq_diag *diag);

/* A line for each kind of call that got 0 because it is not served or because
 * the heap has no memory left; `name` is what called. */
void aq_hostcall_report(const aq_hostcall *hostcall, const char *name,
                        const aq_notes *notes);

#endif
