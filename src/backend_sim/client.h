/* SPDX-License-Identifier: MIT */
/*
 * Additions to a live transport by a driver above the simulator: queues whose
 * ring and indices are its client's, the interrupts of signals that the client
 * made itself, and kernels without a registration, because a loader that knows
 * nothing of the transport put them into memory.
 *
 * The functions run on the thread that drives time, under the simulator's lock:
 * they take leaf locks only, and call nothing of the transport. The client's
 * memory stays mapped while a queue names it, or goes between
 * aqsim_live_unmap_begin and _end.
 */
#ifndef AQSIM_CLIENT_H
#define AQSIM_CLIENT_H

#include "backend_sim/types.h"
#include "common/transport.h"

/* The kind of a system event of the transport: a ring of a copy engine stopped
 * at a bad packet, which the text describes. Comes as a memory fault does. */
#define AQSIM_EVENT_STOPPED ((aq_event_kind)(AQ_EVENT_MEMORY_FAULT + 1))

typedef struct aqsim_client {
  void *user;
  /* The mailbox of a client's signal was written: its event. */
  void (*interrupt)(void *user, uint32_t event);
  /* Describes the kernel whose descriptor lies at `object`; false: there is
   * none. Its texts stay until the next call. */
  bool (*kernel)(void *user, uint64_t object, uint32_t device,
                 aq_kernel_desc *out);
} aqsim_client;

/* Memory of a client that a queue consists of. */
typedef struct aqsim_queue_place {
  aq_packet *packets;
  uint64_t *read_index, *write_index;
  uint64_t *doorbell;
  aq_amd_queue *abi; /* what kernels get as their queue */
} aqsim_queue_place;

/* Before the first queue; borrowed until close. The transport is live. Pool
 * memory of the allocation map is trusted to be there from now on. */
void aqsim_live_serve(aq_transport *transport, const aqsim_client *client);

/* As queue_create of the table, in that memory, of which nothing is
 * initialised but the doorbell. It ends the lockstep. */
aq_status aqsim_live_queue_place(aq_transport *transport,
                                 const aq_queue_desc *desc,
                                 const aqsim_queue_place *place, aq_ring **out,
                                 aq_diag *diag);

/* Suspends a queue of those, whose kernels stop at once and continue later, or
 * lets it continue. Twice is no error, nor a queue that a packet stopped. */
void aqsim_live_queue_suspend(aq_transport *transport, aq_ring *ring,
                              bool suspended);

/* Puts such a queue's ring, of the same size, elsewhere. False: it has packets.
 */
bool aqsim_live_queue_move(aq_transport *transport, aq_ring *ring,
                           aq_packet *packets);

/* A ring of a copy engine (SDMA) in memory of the client, which begins at its
 * read index: indices and doorbell count bytes. */
typedef struct aqsim_sdma_desc {
  uint32_t device, engine; /* the device's own engines first, then for peers */
  uint32_t *words;
  uint64_t size; /* bytes, a power of two */
  uint64_t *read_index, *doorbell;
} aqsim_sdma_desc;

/* Sets the doorbell to the read index. AQ_ERR_INVALID: a size that is none, or
 * a read index off words; AQ_ERR_UNSUPPORTED: an engine that the device has
 * not, or whose packets are not known. It ends the lockstep. */
aq_status aqsim_live_sdma_create(aq_transport *transport,
                                 const aqsim_sdma_desc *desc, aqsim_sdma **out,
                                 aq_diag *diag);
void aqsim_live_sdma_destroy(aq_transport *transport, aqsim_sdma *ring);

/* Lets a ring rest between two packets, or continue. */
void aqsim_live_sdma_suspend(aq_transport *transport, aqsim_sdma *ring,
                             bool suspended);

/* A client may have stored to memory that the device looks at: it looks now. */
void aqsim_live_look(aq_transport *transport);

#endif
