/* SPDX-License-Identifier: MIT */
/*
 * A simulated device inside a unit test: push packets, let time pass, look at
 * the timeline.
 *
 * The device is the transport "sim" in virtual time: nothing happens unless a
 * call below lets time pass, and the same calls always give the same times.
 * aqsim_testbed_transport() gives access to everything else.
 *
 * Errors: the first thing that goes wrong is kept and every later call does
 * nothing, so a test may check aqsim_testbed_problem() once at its end. A
 * queue error (a packet that the device refuses) is not a problem but a result:
 * see aqsim_testbed_fault().
 *
 * Ownership: queues, signals, kernels and records belong to the testbed and are
 * freed with it. One thread at a time. doc/examples/unit_test.c shows it all.
 */
#ifndef AQ_TRANSPORT_TESTBED_TESTBED_H
#define AQ_TRANSPORT_TESTBED_TESTBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/aql.h"
#include "common/diag.h"
#include "common/export.h"
#include "common/record.h"
#include "common/ring.h"
#include "common/status.h"
#include "common/time.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

typedef struct aqsim_testbed aqsim_testbed;

/* No packet has this id. */
#define AQSIM_TESTBED_NO_PACKET UINT64_MAX

/* `device` is a device model by name or path, or several as a list, NULL the
 * default; `edits` are
 * "KEY=VALUE UNIT" for its constants, ended by NULL, or NULL. */
AQ_API aq_status aqsim_testbed_open(const char *device,
                                    const char *const *edits, uint64_t seed,
                                    aqsim_testbed **out, aq_diag *diag);
AQ_API void aqsim_testbed_close(aqsim_testbed *bed);

/* The first error, as text; NULL while none happened. */
AQ_API const char *aqsim_testbed_problem(const aqsim_testbed *bed);

/* The transport behind it, for everything else. */
AQ_API aq_transport *aqsim_testbed_transport(aqsim_testbed *bed);

/* ---- what packets need ---- */

/* A queue of `size` packets, a power of two; NULL on a problem. */
AQ_API aq_ring *aqsim_testbed_queue(aqsim_testbed *bed, uint32_t size);

/* The same on one of several devices. */
AQ_API aq_ring *aqsim_testbed_queue_on(aqsim_testbed *bed, uint32_t device,
                                       uint32_t size);

/* A kernel that takes `duration` and calls `function` when it ends (NULL: only
 * takes time): the object that packets name, 0 on a problem. */
AQ_API uint64_t
aqsim_testbed_kernel(aqsim_testbed *bed, const char *name, aq_time duration,
                     void (*function)(const aq_kernel_call *call), void *user);

/* A kernel of a code object (no bundle) for the first device, whose dispatches
 * execute its code: the object that packets name, 0 on a problem. The image is
 * copied. Memory of its arguments is the transport's (mem_alloc). */
AQ_API uint64_t aqsim_testbed_code(aqsim_testbed *bed, const void *image,
                                   size_t size, const char *name);

/* A signal, and its value now. */
AQ_API aq_signal aqsim_testbed_signal(aqsim_testbed *bed, int64_t value);
AQ_API int64_t aqsim_testbed_value(aqsim_testbed *bed, aq_signal signal);
AQ_API void aqsim_testbed_store(aqsim_testbed *bed, aq_signal signal,
                                int64_t value);

/* ---- packets ---- */

/* Publishes a packet and rings the doorbell; lets time pass if the ring is
 * full. Returns its id in the queue, or AQSIM_TESTBED_NO_PACKET. */
AQ_API uint64_t aqsim_testbed_push(aqsim_testbed *bed, aq_ring *queue,
                                   const aq_packet *packet);

/* The same for a kernel of one workgroup with fences of agent scope. */
AQ_API uint64_t aqsim_testbed_dispatch(aqsim_testbed *bed, aq_ring *queue,
                                       uint64_t kernel, void *kernarg,
                                       bool barrier, aq_signal completion);

/* The same for a barrier-AND or barrier-OR of up to five signals. */
AQ_API uint64_t aqsim_testbed_barrier(aqsim_testbed *bed, aq_ring *queue,
                                      aq_packet_type type,
                                      const aq_signal *dependencies,
                                      uint32_t count, aq_signal completion);

/* ---- time ---- */

/* The virtual time, in ps. */
AQ_API aq_time aqsim_testbed_now(const aqsim_testbed *bed);

/* Everything that happens up to and including `until`. */
AQ_API void aqsim_testbed_run_until(aqsim_testbed *bed, aq_time until);

/* Everything that can happen. */
AQ_API void aqsim_testbed_run(aqsim_testbed *bed);

/* Until a signal is 0, as a host that blocks sees it. It is a problem if that
 * cannot come; the text names the stuck packet and the signal it waits for. */
AQ_API void aqsim_testbed_wait(aqsim_testbed *bed, aq_signal signal);

/* ---- what became of them ---- */

/* The records of all that completed, in that order; valid until time passes. */
AQ_API const aq_record *aqsim_testbed_timeline(const aqsim_testbed *bed,
                                               size_t *count);

/* The record of one packet; NULL while it is not complete. */
AQ_API const aq_record *aqsim_testbed_record(const aqsim_testbed *bed,
                                             const aq_ring *queue,
                                             uint64_t packet);

/* The kernel's name in a record, or NULL. */
AQ_API const char *aqsim_testbed_name(const aqsim_testbed *bed,
                                      const aq_record *record);

/* The reason why a queue stopped, as text; NULL while it runs. */
AQ_API const char *aqsim_testbed_fault(const aqsim_testbed *bed,
                                       const aq_ring *queue);

AQ_END_DECLS

#endif
