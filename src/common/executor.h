/* SPDX-License-Identifier: MIT */
/*
 * Executors: they run the code of kernels without a host function. A
 * transport that simulates a device calls one (aq_transport_options.executor);
 * it decides when a kernel runs, the executor its effects on memory.
 * doc/adr/0014-executors.md has the reasons.
 *
 * A kernel is executed in steps with a budget, so that kernels that wait for
 * each other, or for the host, all make progress. One execution lasts from
 * `begin` to `end`; several may be open at once, and their steps alternate.
 *
 * Threads: the transport makes all calls on the thread that drives time, one
 * at a time, in live mode under the simulator's lock. An executor may use
 * threads of its own inside a step. It must not call the transport.
 *
 * Memory: the code's loads and stores are this process's own. They have to be
 * atomic where the instruction is, since host threads look on in live mode.
 */
#ifndef AQ_COMMON_EXECUTOR_H
#define AQ_COMMON_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "aql.h"
#include "diag.h"
#include "hsa_abi.h"
#include "time.h"

#define AQ_EXECUTOR_ABI 5u

enum { AQ_EXECUTION_TEXT_SIZE = 512 };

/* What devices may touch: allocations.h, not installed. */
struct aq_allocations;

/* The compute registers of a dispatch by PM4, which has no descriptor. */
typedef struct aq_execution_registers {
  uint64_t entry; /* address of the first instruction: COMPUTE_PGM */
  uint32_t rsrc1, rsrc2, rsrc3;
  uint32_t user_data[16]; /* the first scalar registers of each wave */
} aq_execution_registers;

/* One dispatch. All that it points to is borrowed until `end`. */
typedef struct aq_execution_desc {
  /* A copy of the packet; its kernel_object is the address of the kernel's
   * descriptor, as in memory of the device. Grid and workgroup sizes are at
   * least 1 and within the limits of the device. */
  const aq_kernel_packet *packet;
  /* The initial registers of the waves; NULL: from the descriptor and the
   * packet. */
  const aq_execution_registers *registers;
  const char *kernel;        /* name, for messages */
  const char *gfx;           /* processor of the device, "gfx942" */
  const aq_amd_queue *queue; /* of the packet: the target of a queue pointer */
  uint64_t dispatch_id;      /* of the packet in its queue */
  uint32_t device;           /* ordinal */
  uint32_t cus;              /* compute units that the queue may use */
  uint32_t wave_size;        /* lanes, of the device */
  uint64_t timestamp_hz;     /* of the clock that `ticks` counts */
  /* Threads of the executor may execute workgroups at once. False in virtual
   * time: the order of all accesses is a function of the inputs. */
  bool concurrent;
} aq_execution_desc;

typedef enum aq_execution_state {
  AQ_EXECUTION_DONE,  /* every wave ended */
  AQ_EXECUTION_MORE,  /* the budget is used up */
  AQ_EXECUTION_WAITS, /* every wave left waits for memory to change */
  AQ_EXECUTION_FAULT, /* a wave did what stops the queue: `fault` says what */
} aq_execution_state;

typedef enum aq_execution_fault_kind {
  AQ_EXECUTION_FAULT_MEMORY,  /* an address that the device may not access */
  AQ_EXECUTION_FAULT_ILLEGAL, /* an instruction that the processor does not have
                               */
  AQ_EXECUTION_FAULT_APERTURE, /* LDS or private memory that is not there, or an
                                  address that is not aligned */
  AQ_EXECUTION_FAULT_TRAP, /* s_trap, or an exception that the kernel enabled */
  /* As MEMORY: a store where the device may only read, and code where it may
   * only read or write. */
  AQ_EXECUTION_FAULT_READ_ONLY,
  AQ_EXECUTION_FAULT_NO_EXECUTE,
} aq_execution_fault_kind;

typedef struct aq_execution_fault {
  aq_execution_fault_kind kind;
  uint64_t address;                  /* MEMORY: the first byte not there */
  uint64_t pc;                       /* address of the instruction */
  char text[AQ_EXECUTION_TEXT_SIZE]; /* one line: what, where */
} aq_execution_fault;

/* The result of a step. */
typedef struct aq_execution_step {
  uint64_t instructions; /* of waves, executed by this step */
  /* How long the device takes for them, 0: the executor does not know; the
   * kernel's cost model alone says then how long the kernel runs. */
  aq_time elapsed;
  aq_execution_fault fault; /* with AQ_EXECUTION_FAULT */
  /* With DONE, of an executor that predicts: a clock that the code read says
   * how long it took; it is no prediction. */
  bool told;
} aq_execution_step;

typedef struct aq_executor {
  uint32_t abi;  /* AQ_EXECUTOR_ABI */
  uint32_t size; /* sizeof(aq_executor) */
  const char *name;
  void *user; /* of begin */

  /* Makes an execution of the dispatch; runs nothing. An error stops the queue
   * with the diagnosis: AQ_ERR_UNSUPPORTED for code that this executor or the
   * device cannot run, AQ_ERR_INVALID for a bad descriptor, AQ_ERR_NO_MEMORY.
   * `*out` is set on success only. */
  aq_status (*begin)(void *user, const aq_execution_desc *desc, void **out,
                     aq_diag *diag);

  /* Executes about `budget` instructions of waves, fewer when nothing is left
   * or every wave waits. `ticks` is the device's clock during the step. Writes
   * all of `out`. Not called again after DONE or FAULT. */
  aq_execution_state (*step)(void *execution, uint64_t budget, uint64_t ticks,
                             aq_execution_step *out);

  /* Frees the execution, in whatever state it is. */
  void (*end)(void *execution);

  /* Here allocators publish the memory that devices may access, while the
   * executor lives; NULL: it does not check accesses. */
  struct aq_allocations *allocations;
  /* High words of the addresses by which flat instructions reach the memory of
   * a workgroup and of a work-item: of the fields of aq_amd_queue. */
  uint32_t group_aperture_hi, private_aperture_hi;

  /* Whether it runs code of a processor ("gfx942"); NULL: of any. */
  bool (*executes)(void *user, const char *gfx);

  /* Whether its `elapsed` is a prediction of the whole kernel, in place of the
   * cost model; records have AQ_FLAG_PREDICTED. Asked of each dispatch; NULL:
   * it is not. */
  bool (*predicts)(void *user);
} aq_executor;

#endif
