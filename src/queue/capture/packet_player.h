/* SPDX-License-Identifier: MIT */
/*
 * Shared by the two files that replay packet captures: a replay, and the
 * transport's stand-ins for the capture's objects (packet_bindings.c). Only
 * they include it. One thread.
 */
#ifndef AQ_QUEUE_CAPTURE_PACKET_PLAYER_H
#define AQ_QUEUE_CAPTURE_PACKET_PLAYER_H

#include "common/map.h"
#include "queue/capture/packet_capture.h"

enum { AQ_PACKET_WORDS = 256 };

typedef struct aq_packet_player {
  const aq_packet_file *file;
  const aq_time *durations; /* predicted, by event, or NULL */
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_transport_info info;
  aq_time timeout;
  aq_map signals, kernels, queues; /* of the capture → of the transport */
  aq_map spins;      /* kernels whose arguments are their predicted durations */
  aq_map references; /* queue of the capture → how often made */
  char *kernarg;     /* the block, or NULL */
  size_t kernarg_used;
  void **memory; /* all there is */
  size_t memory_count, memory_capacity;
  /* The host's clock: `here` stands for `there` of the capture. */
  aq_time here, there;
  bool doorbell_pending; /* the packet `last` of the event before has no
                            doorbell yet */
  uint64_t last;
  bool begun;
  aq_time first; /* packet */
  bool failed;   /* atomic: a queue stopped */
  char words[AQ_PACKET_WORDS];
  aq_cap_played played;
} aq_packet_player;

/* AQ_ERR_INPUT: the capture has no such thing at this point. No signal is
 * none. */
aq_status aq_packet_signal_find(const aq_packet_player *p, uint64_t handle,
                                aq_signal *out, aq_diag *diag);
aq_status aq_packet_queue_find(const aq_packet_player *p, int64_t number,
                               aq_ring **out, aq_diag *diag);

/* Memory of the transport until the replay ends. */
aq_status aq_packet_memory_make(aq_packet_player *p, uint32_t device,
                                aq_memory_kind kind, size_t size, void **out,
                                aq_diag *diag);

/* The packet's references, as this transport has them. */
aq_status aq_packet_fit(aq_packet_player *p, const aq_packet_event *event,
                        aq_packet *packet, aq_diag *diag);

#endif
