/* SPDX-License-Identifier: MIT */
/*
 * Traffic: how transfers that move bytes at the same time share links and
 * memory.
 *
 * Rates are max-min fair: all rates rise together; one whose own limit or one
 * of whose links is full keeps its rate, and the others rise. Rates are
 * whole bytes a second, rounded down, and the rest of a transfer is counted
 * in 10^-12 bytes, so that every instant is exact, whatever joins and leaves in
 * between. The order of transfers does not matter.
 *
 * Transfers are part of the object that they are about (the caller's storage).
 * One thread at a time; nothing allocates but init.
 */
#ifndef AQSIM_BANDWIDTH_H
#define AQSIM_BANDWIDTH_H

#include "backend_sim/transfer/links.h"
#include "common/diag.h"
#include "common/time.h"

typedef struct aqsim_transfer aqsim_transfer;
struct aqsim_transfer {
  aqsim_transfer *next, *previous; /* all that move, in the order they joined */
  aqsim_route route;
  /* Its rate is another one: so is its end. */
  void (*changed)(aqsim_transfer *transfer);
  int64_t most;           /* its own limit, bytes a second, at least 1 */
  int64_t rate;           /* bytes a second */
  int64_t rate_before;    /* its rate until the last change */
  unsigned __int128 left; /* 10^-12 bytes */
  bool settled;           /* its rate is found */
};

typedef struct aqsim_bandwidth {
  const int64_t *bandwidth; /* of each direction; borrowed */
  int64_t *spare;           /* scratch: of each direction */
  uint32_t *users;          /* the same */
  aqsim_transfer *first, *last;
  aq_time since; /* when the rates changed last */
} aqsim_bandwidth;

aq_status aqsim_bandwidth_init(aqsim_bandwidth *traffic,
                               const aqsim_links *links, aq_time now,
                               aq_diag *diag);
void aqsim_bandwidth_fini(aqsim_bandwidth *traffic);

/* `size` bytes begin to move. Route, most and changed are set. */
void aqsim_bandwidth_join(aqsim_bandwidth *traffic, aqsim_transfer *transfer,
                          size_t size, aq_time now);

/* Whether all bytes have moved or not, they move no more. */
void aqsim_bandwidth_leave(aqsim_bandwidth *traffic, aqsim_transfer *transfer,
                           aq_time now);

/* Calls `changed` of transfers whose rate changed, in the order they joined;
 * after each join and leave. */
void aqsim_bandwidth_notify(const aqsim_bandwidth *traffic);

/* When all bytes will have moved if no rate changes; rounded up. */
aq_time aqsim_transfer_end(const aqsim_bandwidth *traffic,
                           const aqsim_transfer *transfer);

#endif
