/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/mapping/ipc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ipc_handle {
  uint32_t kind, pid, file;
  uint32_t inode; /* its low bits: another file may get the number */
  uint64_t size;
  uint64_t reserved;
} ipc_handle;

_Static_assert(sizeof(ipc_handle) == sizeof(hsa_amd_ipc_memory_t), "a handle");

bool aqdrop_ipc_handle_make(aqdrop_ipc_kind kind, int file, uint64_t size,
                            hsa_amd_ipc_memory_t *out)
{
  struct stat state;
  if (fstat(file, &state) != 0)
    return false;
  const ipc_handle own = {.kind = kind,
                          .pid = (uint32_t)getpid(),
                          .file = (uint32_t)file,
                          .inode = (uint32_t)state.st_ino,
                          .size = size};
  memcpy(out, &own, sizeof own);
  return true;
}

int aqdrop_ipc_handle_open(aqdrop_ipc_kind kind, uint64_t size,
                           const hsa_amd_ipc_memory_t *handle)
{
  struct stat state;
  ipc_handle own;
  char path[64];
  memcpy(&own, handle, sizeof own);
  if (own.kind != kind || own.size != size)
    return -1;
  snprintf(path, sizeof path, "/proc/%u/fd/%u", own.pid, own.file);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file >= 0 &&
      (fstat(file, &state) != 0 || !S_ISREG(state.st_mode) ||
       (uint32_t)state.st_ino != own.inode || (uint64_t)state.st_size < size)) {
    close(file);
    file = -1;
  }
  return file;
}
