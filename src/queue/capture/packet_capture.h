/* SPDX-License-Identifier: MIT */
/*
 * Packet captures: an HSA client's calls to its queues and signals, in the
 * host's order and with its times, as `aqueduct exec --capture` writes them
 * (doc/formats/packets.md). Read whole, then replayed on a transport: the same
 * packets, with signals, queues, kernels and arguments of that transport, whose
 * kernels take their cost. The code of a capture with contents is executed
 * apart from that (packet_memory.h). Thread rule: one at a time.
 */
#ifndef AQ_QUEUE_CAPTURE_PACKET_CAPTURE_H
#define AQ_QUEUE_CAPTURE_PACKET_CAPTURE_H

#include <stdio.h>

#include "common/allocations.h"
#include "queue/capture/capture_player.h"

typedef enum aq_packet_number {
#define N(NAME, key, least, most) AQ_PACKET_N_##NAME,
#include "queue/capture/packet_events.def"
#undef N
  AQ_PACKET_NUMBERS
} aq_packet_number;

typedef enum aq_packet_event_kind {
#define E(NAME, name, numbers) AQ_PACKET_E_##NAME,
#include "queue/capture/packet_events.def"
#undef E
  AQ_PACKET_EVENTS
} aq_packet_event_kind;

/* One line. Lists and bytes are of the file. */
typedef struct aq_packet_event {
  aq_packet_event_kind kind;
  uint32_t line;
  int64_t pid;
  aq_time time; /* when the host came to it */
  int64_t n[AQ_PACKET_NUMBERS];
  aq_packet packet;          /* of packets and executions */
  aq_allocation_kind memory; /* of allocations */
  /* Arguments of a kernel, a mask, or bytes of memory; NULL: none. */
  unsigned char *blob;
  uint32_t blob_size; /* bytes */
  /* Signals that a copy comes after; of a wait, signal, condition and value of
   * each item; latencies of a kernel's cost. */
  int64_t *list;
  uint32_t list_count;
  bool closes;            /* of an opening: its file has the event of its end */
  char *name;             /* of a kernel, also of an execution's */
  char *gfx;              /* of executions; NULL: they cannot be repeated */
  aq_cost_detail *detail; /* of its cost, or NULL */
} aq_packet_event;

typedef struct aq_packet_file {
  char *name;
  aq_packet_event *events; /* of one process in order of time, else of line */
  size_t count, capacity;
  uint32_t other; /* line of the first event of another process; 0: none */
  uint32_t open; /* while reading: line of the opening that has no end so far */
  uint32_t cut;  /* line of the first opening without an end; 0: none */
} aq_packet_file;

/* When it has happened: a wait when it ends, since no thread waits for a host
 * that waits. */
aq_time aq_packet_event_time(const aq_packet_event *event);

/* Whether a file begins as one does. */
bool aq_packet_file_is(const char *path);

/* AQ_ERR_INPUT names file, line and the expected input. */
aq_status aq_packet_file_open(const char *path, aq_packet_file **out,
                              aq_diag *diag);

/* The same from a stream. */
aq_status aq_packet_file_read(const char *name, FILE *in, aq_packet_file **out,
                              aq_diag *diag);
void aq_packet_file_close(aq_packet_file *file);

/* AQ_ERR_INPUT for a file with more than one process, or without the end of
 * one. */
aq_status aq_packet_file_check(const aq_packet_file *file, aq_diag *diag);

/* Replays it once. `durations`: predicted ones of kernels by the number of
 * their packet's event, AQ_TIME_NONE: its cost; NULL: no predicted ones.
 * `timeout`: of each wait of the host, 0: none. As the check above. */
aq_status aq_packet_file_play(const aq_packet_file *file,
                              aq_transport *transport, const aq_time *durations,
                              aq_time timeout, aq_cap_played *out,
                              aq_diag *diag);

#endif
