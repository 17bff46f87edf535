/* SPDX-License-Identifier: MIT */
/*
 * Programs as PM4: the packets of a walk become commands of one indirect
 * buffer, which a command processor runs without reading the ring.
 *
 * The walk is the same: it puts its packets into memory instead of a ring, and
 * aq_pm4_put() says each again in commands. A barrier bit waits for earlier
 * dispatches, scopes become cache commands, an indirect grid is read by the
 * command processor, a completion signal gets its times and becomes 0. Fills,
 * copies and updates are dispatches of the device library, but for short ones
 * of whole words, which the command processor stores itself.
 *
 * Ownership: aq_pm4_code is counted and owns its tables; the words are the
 * caller's, in memory that the device reads. Thread rule: a code is read-only
 * once made; one thread at a time for a buffer.
 *
 * Sources: common/pm4.h; the initial registers are LLVM's, User Guide for
 * AMDGPU Backend, initial kernel execution state.
 */
#ifndef AQ_CMDBUF_PM4_H
#define AQ_CMDBUF_PM4_H

#include <stdbool.h>

#include "cmdbuf/link.h"
#include "common/pm4.h"
#include "common/transport.h"

enum {
  AQ_PM4_PACKET_SIZE = 640, /* bytes that a packet takes at most */
};

/* The kernels of a link as registers hold them, for one device. */
typedef struct aq_pm4_code aq_pm4_code;

/* AQ_ERR_UNSUPPORTED: commands of the device's processor are not known, or a
 * kernel needs more than they give it: private memory, the address of its
 * queue. The message names it. */
aq_status aq_pm4_code_make(const aq_link *link, aq_transport *transport,
                           uint32_t device, aq_pm4_code **out, aq_diag *diag);
aq_pm4_code *aq_pm4_code_retain(aq_pm4_code *code);
void aq_pm4_code_release(aq_pm4_code *code);

struct aq_pm4_kernel;

/* Commands under way. Zero but for the first two fields at its start. */
typedef struct aq_pm4_buffer {
  const aq_pm4_code *code;
  uint32_t *words; /* room for AQ_PM4_PACKET_SIZE less 64 a packet */
  uint32_t count;  /* so far */
  uint32_t sh[AQ_PM4_SH_COUNT]; /* registers as the commands have set them */
  /* By the first register of a command: how many it has set. Commands with
   * different first ones set different registers. */
  uint8_t known[AQ_PM4_SH_COUNT];
  const struct aq_pm4_kernel *kernel; /* of the last dispatch */
  aq_kernel_packet last;              /* its packet */
  const aq_patch_args *indirect; /* of the next packet: where its grid lies */
} aq_pm4_buffer;

/* Appends the commands of a packet with that header and setup word. `id`: what
 * kernels see as the number of their packet. copy: 64 bytes for the packet,
 * which stay as long as the commands. */
void aq_pm4_put(aq_pm4_buffer *buffer, const aq_packet *packet, uint32_t header,
                uint64_t id, aq_packet *copy);

/* Appends the end: all dispatches have ended there. */
void aq_pm4_end(aq_pm4_buffer *buffer);

#endif
