/* SPDX-License-Identifier: MIT */
/*
 * The machine of this process: a driver as `aqueduct exec` asks for it in the
 * environment, with its records. Made by the first that opens the driver, it
 * stays until the process ends; a fork's child begins without one.
 *
 * It is a library of its own, libaqueduct-machine.so: the door is preloaded
 * into every process of a program, and few of them open the driver.
 */
#ifndef AQKFD_MACHINE_H
#define AQKFD_MACHINE_H

#include <sys/types.h>

#include "dropin/kfd/kfd.h"

/* Where a description of the process's file stands that is the render node of
 * the device behind it; /dev/kfd stands at 0. */
#define AQKFD_NODES ((off_t)1 << 61)

typedef struct aqkfd_machine {
  uint32_t size; /* of this table */
  /* The client that this process is, made now; NULL: it cannot be made, for a
   * reason that was printed. Any thread. */
  aqkfd_process *(*process)(void);
  /* The same, NULL before the first. */
  aqkfd_process *(*known)(void);
  /* A description of its own of the client's file, which stands at `at`; -1
   * with errno. The process is made. Any thread. */
  int (*open)(off_t at, int flags);
  /* Where a descriptor stands that is one of the client's file, else -1. */
  off_t (*stands)(const aqkfd_process *process, int fd);
  int (*file)(const aqkfd_process *process); /* and the others of kfd.h */
  int (*import_file)(aqkfd_process *process, uint64_t offset, uint64_t size,
                     uint64_t *at);
  int (*ioctl)(aqkfd_process *process, unsigned long request, void *argument);
  int (*render_ioctl)(aqkfd_process *process, uint32_t device,
                      unsigned long request, void *argument);
  void (*unmapping)(aqkfd_process *process, uint64_t address, uint64_t size);
} aqkfd_machine;

/* The library's export. */
extern const aqkfd_machine aqueduct_machine;

#endif
