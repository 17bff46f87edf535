/* SPDX-License-Identifier: MIT */
/*
 * How one process passes memory and signals to another: a handle names a
 * file in memory through the process that has it, as long as that lives and
 * keeps it open. Any process of the same user can open it. No state.
 */
#ifndef AQDROP_IPC_H
#define AQDROP_IPC_H

#include <stdbool.h>

#include "dropin/hsa/base/runtime.h"

/* The kind of a handle, in its first word. */
typedef enum aqdrop_ipc_kind {
  AQDROP_IPC_MEMORY = 0x43504941,
  AQDROP_IPC_SIGNAL = 0x53504941,
} aqdrop_ipc_kind;

/* False if the file is none. */
bool aqdrop_ipc_handle_make(aqdrop_ipc_kind kind, int file, uint64_t size,
                            hsa_amd_ipc_memory_t *out);

/* The file of a handle, the caller's to close; -1 if it is of another kind or
 * size, or its file is not there any more. */
int aqdrop_ipc_handle_open(aqdrop_ipc_kind kind, uint64_t size,
                           const hsa_amd_ipc_memory_t *handle);

#endif
