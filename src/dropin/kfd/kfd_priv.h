/* SPDX-License-Identifier: MIT */
/*
 * The state of a driver and of a process, for the files of this room alone.
 * driver.c has the essay.
 */
#ifndef AQKFD_KFD_PRIV_H
#define AQKFD_KFD_PRIV_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/client.h"
#include "common/allocations.h"
#include "dropin/hsa/base/device_identity.h"
#include "dropin/kfd/kfd.h"
#include "dropin/kfd/uapi.h"

enum {
  AQKFD_PAGE = 4096,
  AQKFD_EVENTS = 4096,    /* signal events: slots of the page */
  AQKFD_QUEUES = 1024,    /* of a process */
  AQKFD_DOORBELLS = 8192, /* bytes of a device's page of doorbells */
  AQKFD_DEVICES = AQSIM_DEVICES_MAX,
  AQKFD_NAME = 256,
  AQKFD_EVENT_PAGE = AQKFD_EVENTS * 8, /* bytes */
};

/* Of the file: where a page of events lies that no block is given for, the
 * table of exports, and where blocks end, behind which are the pages of
 * doorbells and the places at which clients map blocks of other processes'
 * files. */
#define AQKFD_FILE_BYTES     (UINT64_C(1) << 62)
#define AQKFD_BLOCKS_END     (UINT64_C(1) << 61)
#define AQKFD_IMPORTS_BEGIN  (AQKFD_BLOCKS_END + (UINT64_C(1) << 59))
#define AQKFD_IMPORTS_END    (AQKFD_BLOCKS_END + (UINT64_C(1) << 60))
#define AQKFD_EVENT_OFFSET   AQKFD_IMPORTS_END
#define AQKFD_EXPORTS_OFFSET (AQKFD_EVENT_OFFSET + (1 << 20))

/* One past the last address of devices: the program's addresses end there. */
#define AQKFD_VA_END (UINT64_C(1) << 47)

/* Node n is device n - 1; node 0 is the host. */
static inline uint32_t aqkfd_gpu_id(uint32_t device)
{
  return device + 2;
}

struct aqkfd {
  aqkfd_options options;
  aq_transport *transport;
  aq_transport_info info;
  aqsim_device_set models;
  aq_allocations *allocations;
  aqsim_client client;
  const aqdrop_identity *personas[AQKFD_DEVICES];
  uint64_t system_base;   /* ns of the host's clock at virtual time 0 */
  pthread_mutex_t lock;   /* of the following; a leaf but for events */
  aqkfd_process *process; /* that has the address space, or NULL */
  aq_time read_at;        /* virtual time behind the last reading of clocks */
  uint64_t read_host;     /* ns of the host's clock at that reading */
  struct aqkfd_queue *queues_free;
  /* Under the simulator's lock: */
  char kernel_name[AQKFD_NAME]; /* of the description asked for last */
  pthread_mutex_t kernel_lock;  /* a leaf: of the following */
  uint64_t *kernels;            /* objects that were described */
  size_t kernel_count, kernel_capacity;
};

/* A row of the table that a process's file has; sharing.c. */
typedef struct aqkfd_export aqkfd_export;

/* Memory that the process allocated or imported. */
typedef struct aqkfd_block {
  struct aqkfd_block *next;
  uint64_t handle;
  uint64_t va, size;
  int file; /* that has its pages: the process's, or its own of another one's */
  uint64_t offset; /* in the file; userptr: none */
  /* Of another process, else NULL: the row that it has entered, our mapping of
   * that table, and where the door maps the block. */
  aqkfd_export *origin, *origin_table;
  uint64_t door_offset;
  uint64_t host;   /* where this process reaches it, when it is not at va */
  void *own;       /* a mapping of ours, or NULL */
  uint32_t device; /* that it was asked of */
  uint32_t flags;  /* AQKFD_MEMORY_* */
  uint64_t mapped; /* bits of devices */
  bool withdrawn;  /* though mapped: the client unmapped memory of its own */
} aqkfd_block;

typedef struct aqkfd_waiter aqkfd_waiter;

typedef struct aqkfd_event {
  struct aqkfd_event *next;
  uint32_t id, type;
  bool signaled, auto_reset;
  uint64_t age;
  union {
    aqkfd_memory_exception memory;
    aqkfd_hardware_exception hardware;
  };
  aqkfd_waiter *waiters;
  bool client_set; /* by a call, */
  pid_t *taken_by; /* which these threads made or took */
  size_t takers, takers_room;
} aqkfd_event;

typedef struct aqkfd_queue {
  aqkfd *driver;
  aqkfd_process *process; /* under driver->lock; NULL: it has ended */
  uint32_t number;        /* of its ring; under driver->lock */
  struct aqkfd_queue *next_free;
  aq_ring *ring;      /* of AQL; NULL: it has ended, or is none */
  aqsim_sdma *copies; /* of a copy engine; NULL: the same */
  bool ringless;      /* the client took the ring away */
  bool peers;         /* copies of an engine for other devices */
  uint32_t place;     /* among the rings of all such engines */
  uint32_t id, device;
  uint32_t doorbell; /* its index in the page of its device */
  aq_amd_queue *abi; /* the client's, or `own` */
  aq_amd_queue own;
  uint64_t base, bytes; /* of the ring */
  uint64_t indices[2];  /* where they lie */
  uint64_t save_area;   /* begins with aqkfd_save_header, or 0 */
} aqkfd_queue;

typedef struct aqkfd_range {
  struct aqkfd_range *next;
  uint64_t first, end;       /* bytes, whole pages */
  uint64_t access, in_place; /* bits of devices */
  uint32_t flags, preferred, prefetch, granularity;
  bool published;
} aqkfd_range;

/* Memory that the client unmapped while another thread had the lock. */
typedef struct aqkfd_stretch {
  struct aqkfd_stretch *next;
  uint64_t first, end;
} aqkfd_stretch;

struct aqkfd_process {
  aqkfd *driver;
  int file;
  aqkfd_stretch *unmapped; /* atomic */
  pthread_mutex_t lock;    /* of the following, but for the events */
  uint64_t file_end;       /* bytes of the file that were given out */
  uint64_t imports_end;    /* of the places that imports got */
  uint64_t handles;        /* given out so far */
  aqkfd_export *exports;   /* our mapping of the table, or NULL: none so far */
  aqkfd_block *blocks;
  uint64_t used[AQKFD_DEVICES]; /* bytes of a device's memory */
  uint64_t
      doorbells[AQKFD_DEVICES]; /* offsets of their pages; 0: none so far */
  uint64_t *doorbell_pages[AQKFD_DEVICES]; /* our mapping */
  aqkfd_queue *queues[AQKFD_QUEUES];
  aqkfd_range *ranges;
  aqkfd_range *spares[2]; /* to cut ranges where memory is unmapped; where there
                             are ranges, both or there was no memory since */
  bool xnack, runtime;
  pthread_mutex_t event_lock; /* a leaf: of the following */
  pthread_cond_t event_set;
  aqkfd_event *events;
  uint32_t other_events; /* made so far that are no signal events */
  uint64_t *event_page;  /* of a block, or of the file */
  bool event_page_ours;
  aqkfd_event *signals[AQKFD_EVENTS];
};

typedef int aqkfd_call(aqkfd_process *process, void *arguments);

#define C(number, name, direction, arguments, function, answer, error, text)   \
  aqkfd_call aqkfd_call_##function;
#include "dropin/kfd/calls.def"
#undef C

/* The device of a gpu_id; false: there is none. */
static inline bool aqkfd_device_find(const aqkfd *driver, uint32_t gpu_id,
                                     uint32_t *device)
{
  *device = gpu_id - 2;
  return gpu_id >= 2 && *device < driver->info.device_count;
}

/* Of the host's clock. */
uint64_t aqkfd_host_ns(void);

static inline uint64_t aqkfd_round(uint64_t bytes)
{
  return (bytes + AQKFD_PAGE - 1) & ~(uint64_t)(AQKFD_PAGE - 1);
}

/* Whether the client's bytes are there: else EFAULT. */
bool aqkfd_reaches(uint64_t address, uint64_t size, bool write);

/* Whether the client has mapped the bytes of a file from `offset` on, for
 * reading and writing, at an address. */
bool aqkfd_client_maps(int file, uint64_t address, uint64_t size,
                       uint64_t offset);

void aqkfd_line(const aqkfd *driver, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- memory.c ---- */

/* A part of the file; the process is locked. */
uint64_t aqkfd_file_take(aqkfd_process *process, uint64_t size, uint64_t align);

/* Our mapping of a part of the file; NULL: it cannot be made. */
/* Pages of a file, read, written and shared, or NULL; and their end. By the
 * system's calls: the process may be locked, which the doors of mmap and munmap
 * would look for again. */
void *aqkfd_map(int file, uint64_t offset, uint64_t size);
void aqkfd_unmap(void *at, uint64_t size);

void *aqkfd_file_map(const aqkfd_process *process, uint64_t offset,
                     uint64_t size);

/* The block of a handle, or NULL; the process is locked. */
aqkfd_block *aqkfd_block_find(aqkfd_process *process, uint64_t handle);

/* Where this process reaches the pages of a block: our mapping, made now;
 * NULL: it cannot be made. */
void *aqkfd_block_map(aqkfd_block *block);

/* Whole pages that end within the addresses of devices. Without an address, as
 * of memory that is only exported, a block cannot be mapped. */
bool aqkfd_range_is_good(uint64_t va, uint64_t size);

/* Whether it lies in a file, and is no page of doorbells. */
bool aqkfd_block_has_pages(const aqkfd_block *block);

/* The block gets its handle and is the process's, which is locked. */
void aqkfd_block_link(aqkfd_process *process, aqkfd_block *block);

/* Whether a block that is mapped has some of the bytes; the process is locked.
 */
bool aqkfd_blocks_overlap(const aqkfd_process *process, uint64_t address,
                          uint64_t size);

/* The client is about to unmap [first, end) for itself. Devices keep a block's
 * pages, by a mapping of ours, and lose memory of the program. The process is
 * locked. */
void aqkfd_blocks_leave(aqkfd_process *process, uint64_t first, uint64_t end);

/* The device has a page of doorbells from now on: 0, or a negative errno. The
 * process is locked. */
int aqkfd_doorbells_take(aqkfd_process *process, uint32_t device);

void aqkfd_memory_fini(aqkfd_process *process);

/* ---- sharing.c ---- */

/* The process frees its last block at an offset: whether other processes keep
 * the pages. It is locked. */
bool aqkfd_exports_keep(aqkfd_process *process, uint64_t offset);

/* The block of another process, which has an `origin`, is freed. */
void aqkfd_import_leave(aqkfd_block *block);

void aqkfd_exports_fini(aqkfd_process *process);

/* ---- events.c ---- */

void aqkfd_events_init(aqkfd_process *process);
void aqkfd_events_fini(aqkfd_process *process);

/* An interrupt for a signal event. */
void aqkfd_event_interrupt(aqkfd_process *process, uint32_t id);

/* A device's access failed: every memory event has it. */
void aqkfd_event_fault(aqkfd_process *process, uint32_t device,
                       uint64_t address, uint32_t reasons);

/* An engine of a device hangs: every event of hardware exceptions has it. */
void aqkfd_event_hang(aqkfd_process *process, uint32_t device);

/* ---- queues.c ---- */

void aqkfd_queues_fini(aqkfd_process *process);

/* [first, end) is about to go: queues with ring, indices or amd_queue_t in it
 * end with a memory fault. The process is locked. */
void aqkfd_queues_fault(aqkfd_process *process, uint64_t first, uint64_t end);

/* Whether a queue has ring, indices or amd_queue_t in [first, end). No lock is
 * held. */
bool aqkfd_queues_have(const aqkfd_process *process, uint64_t first,
                       uint64_t end);

/* Makes the ring of a queue of a copy engine, which has its table's place: 0,
 * or a negative errno. The process is locked. */
int aqkfd_copy_ring_open(aqkfd_process *process, aqkfd_queue *queue,
                         const aqkfd_create_queue_args *args);

/* Frees the memory of queues that were; the transport is closed. */
void aqkfd_queues_release(aqkfd *driver);

/* ---- svm.c ---- */

void aqkfd_ranges_fini(aqkfd_process *process);

/* Around a call that looks at the process or changes it. Memory that the client
 * unmapped while a thread had the lock leaves devices at either. */
void aqkfd_process_lock(aqkfd_process *process);
void aqkfd_process_unlock(aqkfd_process *process);

/* Whether some of the bytes are of a range; the process is locked. */
bool aqkfd_ranges_overlap(const aqkfd_process *process, uint64_t address,
                          uint64_t size);

/* ---- kernels.c ---- */

/* Of aqsim_client. */
bool aqkfd_kernel_describe(void *driver, uint64_t object, uint32_t device,
                           aq_kernel_desc *out);

/* The pages are about to go: so do the kernels in them. */
void aqkfd_kernels_forget(aqkfd *driver, uint64_t address, uint64_t size);

#endif
