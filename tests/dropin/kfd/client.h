/* SPDX-License-Identifier: MIT */
/*
 * A client of the driver without AMD's libraries and without a preload: it
 * calls the core's functions, maps the process's file, makes an amd_queue_t and
 * signals of its own, and writes kernels as words.
 */
#ifndef TESTS_DROPIN_KFD_CLIENT_H
#define TESTS_DROPIN_KFD_CLIENT_H

#include <pthread.h>

#include "common/aql.h"
#include "common/hsa_abi.h"
#include "dropin/kfd/kfd.h"
#include "dropin/kfd/uapi.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum { CLIENT_PACKETS = 64, CLIENT_LINES = 4096, CLIENT_STORE_WORDS = 8 };

/* Flags of memory that the client sees: of the host; for code. */
#define CLIENT_PLAIN (AQKFD_MEMORY_GTT | AQKFD_MEMORY_WRITABLE)
#define CLIENT_CODE                                                            \
  (AQKFD_MEMORY_VRAM | AQKFD_MEMORY_PUBLIC | AQKFD_MEMORY_EXECUTABLE)

/* A kernel of gfx9 that stores 42 where its argument points. */
extern const uint32_t client_store_42[CLIENT_STORE_WORDS];

typedef struct client {
  aq_wave_machine *waves;
  aqkfd *driver;
  aqkfd_process *process;                               /* NULL: by a door */
  int file;                                             /* of the door */
  int (*ioctl)(unsigned long request, void *arguments); /* NULL: libc's */
  pthread_mutex_t hold;      /* a line waits for it */
  bool held;                 /* atomic: a line came */
  char lines[CLIENT_LINES];  /* the driver's lines for people */
  char memory[CLIENT_LINES]; /* a letter for each change: fresh, returned, gone
                              */
} client;

/* Whether a line has that text. Waits for `hold`. */
bool client_was_told(client *c, const char *text);

/* A block that is mapped for device 0, and for us. */
typedef struct client_block {
  uint64_t handle, size;
  char *at;
} client_block;

typedef struct client_queue {
  uint32_t id;
  aq_packet *packets;
  aq_amd_queue *abi;
  uint64_t *doorbell;
} client_queue;

void client_open(client *c, const char *device, aq_record_sink *records);
void client_close(client *c);

/* The client of a door in this process (exec --runtime installed), which is not
 * closed. */
void client_open_door(client *c);

/* A call by its number: 0, or a negative errno. */
int client_call(client *c, unsigned number, size_t size, void *arguments);
#define CALL(c, number, arguments)                                             \
  client_call(c, number, sizeof *(arguments), arguments)

/* Bytes of device 0 that are free. */
uint64_t client_available(client *c);

client_block client_allocate(client *c, uint64_t size, uint32_t flags);
int client_map(client *c, uint64_t handle, bool map);

/* An event of a type; the id. */
uint32_t client_event(client *c, uint32_t type, bool auto_reset);

/* Waits for one for some ms: the result, or a negative errno. */
int client_wait(client *c, uint32_t id, uint32_t ms, aqkfd_event_data *data);

client_queue client_queue_create(client *c);

/* A signal of ours in a block, whose decrement raises an event. */
aq_amd_signal *client_signal(client *c, const client_block *in, size_t at,
                             uint32_t event);

/* Writes a kernel of `words` into a block: its object. */
uint64_t client_kernel(const client_block *in, const uint32_t *words,
                       size_t count);

/* Dispatches a wave of it. */
void client_dispatch(client_queue *queue, uint64_t object, void *kernarg,
                     aq_amd_signal *completion);

#endif
