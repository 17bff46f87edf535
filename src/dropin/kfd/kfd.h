/* SPDX-License-Identifier: MIT */
/*
 * The kernel driver of AMD's GPUs, in user space: its calls (<linux/
 * kfd_ioctl.h>, and of amdgpu's render node what libdrm asks) as functions over
 * the devices of a simulator in live mode. Doors lead programs here
 * (door/preload.c); driver.c has the states, the owners and the locks.
 *
 * A driver is a machine with its devices. A process belongs to a client that
 * opened the driver: a file whose pages are its memory, and the objects that
 * it makes. There is no state outside of the two.
 *
 * Thread rule: any thread may make calls of a process at any time; create,
 * destroy, open and close are the opener's, one at a time.
 */
#ifndef AQKFD_KFD_H
#define AQKFD_KFD_H

#include <stdint.h>

#include "backend_sim/model/device_set.h"
#include "common/allocations.h"
#include "common/executor.h"
#include "common/order_hooks.h"
#include "common/transport.h"

/* The version of the interface that this is. */
enum { AQKFD_MAJOR = 1, AQKFD_MINOR = 14 };

typedef struct aqkfd aqkfd;
typedef struct aqkfd_process aqkfd_process;

typedef enum aqkfd_memory_change {
  AQKFD_MEMORY_FRESH,    /* never written */
  AQKFD_MEMORY_RETURNED, /* it may have data */
  AQKFD_MEMORY_GONE,
} aqkfd_memory_change;

typedef struct aqkfd_options {
  const char *device; /* as of a transport; NULL: the default one. For create */
  const char *const *edits; /* NULL: none. For create */
  aq_record_sink *records;  /* NULL: none. Borrowed until destroy */
  aq_time epoch;
  const aq_executor *executor; /* runs kernels, and has the allocation map.
                                  Borrowed until destroy */
  const aq_order_hooks *order; /* see its packets; NULL: none. As executor */
  /* Memory has come to devices, or is about to leave them; NULL. Any thread,
   * under a lock of the process: it calls nothing of the driver. */
  void (*memory)(const aq_allocation *memory, aqkfd_memory_change change,
                 void *user);
  /* Prints a line for people; NULL: standard error. Any thread; it returns
   * before destroy. */
  void (*line)(const char *text, void *user);
  void *user;
} aqkfd_options;

aq_status aqkfd_create(const aqkfd_options *options, aqkfd **out,
                       aq_diag *diag);
void aqkfd_destroy(aqkfd *driver);

/* The transport with the driver's devices, as long as the driver. */
aq_transport *aqkfd_transport(const aqkfd *driver);

/* A client opens the driver. One at a time has the machine's address space:
 * AQ_ERR_UNSUPPORTED while another has it. */
aq_status aqkfd_process_open(aqkfd *driver, aqkfd_process **out, aq_diag *diag);

/* Ends the client's queues, memory and events that are left. */
void aqkfd_process_close(aqkfd_process *process);

/* The file that stands for /dev/kfd and the render nodes: mapping it at the
 * offsets that calls return maps the memory. The process's; a door hands out
 * duplicates. */
int aqkfd_process_file(const aqkfd_process *process);

/* Of an offset of that file at which a block of another process is mapped: a
 * descriptor of that one's file, the caller's to close, and the offset there;
 * -1: it is no such place, or the descriptor cannot be made. Any thread. */
int aqkfd_import_file(aqkfd_process *process, uint64_t offset, uint64_t size,
                      uint64_t *at);

/* A call of /dev/kfd: 0 or a negative errno. */
int aqkfd_ioctl(aqkfd_process *process, unsigned long request, void *argument);

/* A call of the render node of a device. */
int aqkfd_render_ioctl(aqkfd_process *process, uint32_t device,
                       unsigned long request, void *argument);

/* The product's name of a device, as long as the driver; NULL: there is none.
 */
const char *aqkfd_device_name(const aqkfd_process *process, uint32_t device);

/* The client is about to unmap memory: ranges of shared virtual memory and
 * queues in it end, as with the kernel's own driver, and blocks leave it. Any
 * thread. It waits for another's call only where devices have the memory
 * itself; else that happens when that call ends, or with the next one. */
void aqkfd_unmapping(aqkfd_process *process, uint64_t address, uint64_t size);

/* How far a call is answered, for the table of the documentation. */
typedef enum aqkfd_answer {
  AQKFD_DONE,
  AQKFD_PARTLY,
  AQKFD_REFUSED,
} aqkfd_answer;

/* Whether a call reads its arguments, answers in them, or both. */
typedef enum aqkfd_direction {
  AQKFD_IN = 1,
  AQKFD_OUT = 2,
  AQKFD_BOTH = AQKFD_IN | AQKFD_OUT,
} aqkfd_direction;

typedef struct aqkfd_call_info {
  uint32_t number;
  const char *name;
  aqkfd_direction direction;
  uint32_t bytes; /* of the arguments; of a refused one unknown */
  aqkfd_answer answer;
  int error; /* of a refused one */
  const char *text;
} aqkfd_call_info;

/* Call `index` of the table; false behind the last. */
bool aqkfd_call_describe(size_t index, aqkfd_call_info *out);

#endif
