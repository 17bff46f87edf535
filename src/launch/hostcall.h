/* SPDX-License-Identifier: MIT */
/*
 * Hostcall: what kernels ask of their host while they run, as HIP's device
 * library does it (ockl): printf and assert. Of the services, messages are
 * served; the others get 0, and are counted.
 *
 * The listener is an executor around another one: it serves after each step, so
 * the order of all is that of time, and nothing runs on another thread.
 *
 * The layout of the buffer is that of the device libraries from ROCm 5 on. A
 * wave takes a packet without asking whether one is left.
 */
#ifndef AQ_LAUNCH_HOSTCALL_H
#define AQ_LAUNCH_HOSTCALL_H

#include <stdbool.h>
#include <stdio.h>

#include "codeobj/codeobj.h"
#include "common/executor.h"
#include "common/transport.h"

typedef struct aq_hostcall aq_hostcall;

/* Around an executor, which outlives it. Output of kernels goes to `out`,
 * borrowed; NULL: out of memory. */
aq_hostcall *aq_hostcall_create(const aq_executor *inner, FILE *out);
void aq_hostcall_destroy(aq_hostcall *hostcall);

/* To be opened a transport with. */
const aq_executor *aq_hostcall_executor(const aq_hostcall *hostcall);

/* Makes the buffer in memory of the transport, for `waves` at once, and puts
 * its address where the kernel expects it in its arguments; nothing where it
 * asks for none. */
aq_status aq_hostcall_place(aq_hostcall *hostcall, aq_transport *t,
                            const aq_code_kernel *kernel, uint64_t waves,
                            void *kernarg, aq_diag *diag);

/* How many calls asked for services that are not served. */
uint64_t aq_hostcall_refused(const aq_hostcall *hostcall);

#endif
