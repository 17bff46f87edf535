/* SPDX-License-Identifier: MIT */
/* Shared by player.c, player_kernels.c and player_operations.c; on the thread
 * that replays. */
#ifndef AQ_QUEUE_CAPTURE_PLAYER_PRIV_H
#define AQ_QUEUE_CAPTURE_PLAYER_PRIV_H

#include "queue/capture/capture.h"
#include "queue/capture/capture_player.h"
#include "queue/capture/reader.h"

struct aq_cap_player {
  const aq_cap_file *file;
  aq_cap_player_options options;
  aq_transport *transport;
  aq_transport_info info;
  aq_context *context;
  uint64_t *kernels; /* objects: by device, then by number */
  void **memory;     /* by number; NULL: it is not there */
  bool *own;         /* by number: from the transport, and kept */

  /* Of a run. */
  aq_queue **queues;
  aq_semaphore **semaphores;
  aq_link **links;
  int *files;
  uint32_t queue_count, semaphore_count, memory_count, link_count, file_count;
  bool begun;
  aq_time first; /* submission */
  aq_cap_played played;
};

/* ---- player.c ---- */

/* Where a place is now; NULL where it names no memory. */
aq_status aq_cap_player_place(const aq_cap_player *player,
                              const aq_cap_place *place, void **out,
                              aq_diag *diag);

void aq_cap_player_points(const aq_cap_player *player, const aq_cap_point *from,
                          uint32_t count, aq_point *out);

aq_status aq_cap_player_queue(const aq_cap_player *player, uint32_t number,
                              aq_queue **out, aq_diag *diag);

/* ---- player_kernels.c ---- */

/* Fills player->kernels, which the player owns. */
aq_status aq_cap_player_kernels(aq_cap_player *player, aq_diag *diag);

/* ---- player_operations.c ---- */

/* Submits one, and counts it and the time that took. */
aq_status aq_cap_player_operation(aq_cap_player *player,
                                  const aq_cap_operation *operation,
                                  aq_diag *diag);

#endif
