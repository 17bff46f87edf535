/* SPDX-License-Identifier: MIT */
/*
 * Memory that other processes reach: by handles (IPC), and by files that stand
 * for a block (dmabuf).
 *
 * The file of a process has a table of exports behind all blocks. A row says
 * where in the file the pages of a block are. A handle names the process, its
 * descriptor of the file, the row, and the row's cookie; a file that stands for
 * a block is the process's own, at the block's offset. Another process opens or
 * gets that file, and its block has the pages in there: nothing is copied, and
 * no process asks another one.
 *
 * States of a row: free (no cookie); exported; gone, while other processes have
 * the pages though the owner has freed its last block of them; free.
 *
 * Owners. The owner of the file makes rows and sets GONE, with its process
 * locked. Importers change `users` alone, and enter no row that is GONE.
 * The process whose atomic change makes a row GONE and without users frees the
 * pages and then the row. An importer that enters a row finds another cookie if
 * it was freed and taken in between, and leaves it again as if it had been its
 * own.
 *
 *   cause                                  effect
 *   an importer is killed                  it stays a user: the pages stay
 *                                          until the owner's process ends
 *   the owner ends or is killed            importers have the file open
 *   a handle of another table, of a freed  EINVAL
 *   block or of no process
 *   no right to open the process's file    EINVAL, and a line
 *   the owner's mmap of a file that        EBADF: pages of the file's begin
 *   stands for a block                     would be another block's
 *   a direct system call maps an import    zero pages: the door alone knows the
 *                                          other file
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/kfd/kfd_priv.h"

enum { EXPORTS = 4096, INDEX_BITS = 12, DESCRIPTOR_BITS = 32 - INDEX_BITS };

#define GONE (UINT32_C(1) << 31)

struct aqkfd_export {
  uint64_t cookie; /* atomic; 0: the row is free */
  uint64_t offset, size;
  uint32_t users; /* atomic: imports of other processes, and GONE */
  uint32_t flags, gpu_id;
  uint32_t client_flags; /* of the export; an import returns them */
  uint32_t reserved[6];  /* up to a cache line */
};

_Static_assert(sizeof(aqkfd_export) == 64, "rows share no line");

enum { TABLE_BYTES = EXPORTS * sizeof(aqkfd_export) };

/* The client carries it to another process. */
typedef struct ipc_handle {
  uint32_t pid;
  uint32_t place; /* the row, and above it the descriptor */
  uint32_t cookie[2];
} ipc_handle;

_Static_assert(sizeof(ipc_handle) ==
                   sizeof(((aqkfd_ipc_export_args *)NULL)->share_handle),
               "a handle");

/* ---- rows ---- */

static aqkfd_export *table_map(int file)
{
  return aqkfd_map(file, AQKFD_EXPORTS_OFFSET, TABLE_BYTES);
}

static uint64_t cookie_of(const aqkfd_export *row)
{
  return __atomic_load_n(&row->cookie, __ATOMIC_ACQUIRE);
}

static aqkfd_export *row_find(aqkfd_export *table, uint64_t offset)
{
  for (size_t i = 0; i < EXPORTS; i++)
    if (cookie_of(&table[i]) && table[i].offset == offset &&
        !(__atomic_load_n(&table[i].users, __ATOMIC_ACQUIRE) & GONE))
      return &table[i];
  return NULL;
}

/* The row of a block of the process's own file, made now if there is none: 0,
 * or a negative errno. The process is locked. */
static int row_get(aqkfd_process *process, const aqkfd_block *block,
                   aqkfd_export **out)
{
  uint64_t cookie = 0;
  if (!process->exports)
    process->exports = table_map(process->file);
  if (!process->exports)
    return -ENOMEM;
  *out = row_find(process->exports, block->offset);
  if (*out)
    return 0;
  aqkfd_export *row = process->exports;
  while (row < process->exports + EXPORTS &&
         (cookie_of(row) || __atomic_load_n(&row->users, __ATOMIC_ACQUIRE)))
    row++;
  if (row == process->exports + EXPORTS)
    return -ENOSPC;
  if (getrandom(&cookie, sizeof cookie, 0) != (ssize_t)sizeof cookie)
    return -EIO;
  row->offset = block->offset;
  row->size = block->size;
  row->flags = block->flags;
  row->gpu_id = aqkfd_gpu_id(block->device);
  row->client_flags = 0;
  __atomic_store_n(&row->cookie, cookie | 1, __ATOMIC_RELEASE);
  *out = row;
  return 0;
}

/* `users` still has GONE while the row is free, so that it is not taken. */
static void row_free(aqkfd_export *row)
{
  __atomic_store_n(&row->cookie, 0, __ATOMIC_RELEASE);
  __atomic_fetch_and(&row->users, ~GONE, __ATOMIC_ACQ_REL);
}

static void row_leave(int file, aqkfd_export *row)
{
  if (__atomic_sub_fetch(&row->users, 1, __ATOMIC_ACQ_REL) != GONE)
    return;
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            (off_t)row->offset, (off_t)row->size);
  row_free(row);
}

/* False: the row has ended, or is another. */
static bool row_enter(int file, aqkfd_export *row, uint64_t cookie)
{
  uint32_t users = __atomic_load_n(&row->users, __ATOMIC_ACQUIRE);
  if (cookie == 0 || cookie_of(row) != cookie)
    return false;
  do {
    if (users & GONE)
      return false;
  } while (!__atomic_compare_exchange_n(&row->users, &users, users + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  if (cookie_of(row) == cookie)
    return true;
  row_leave(file, row);
  return false;
}

bool aqkfd_exports_keep(aqkfd_process *process, uint64_t offset)
{
  aqkfd_export *row =
      process->exports ? row_find(process->exports, offset) : NULL;
  if (!row)
    return false;
  if (__atomic_fetch_or(&row->users, GONE, __ATOMIC_ACQ_REL) != 0)
    return true;
  row_free(row);
  return false;
}

void aqkfd_import_leave(aqkfd_block *block)
{
  row_leave(block->file, block->origin);
  aqkfd_unmap(block->origin_table, TABLE_BYTES);
  close(block->file);
}

void aqkfd_exports_fini(aqkfd_process *process)
{
  if (process->exports)
    aqkfd_unmap(process->exports, TABLE_BYTES);
}

/* ---- blocks of another process ---- */

/* Whether a descriptor is one of a process's file, of whatever process. */
static bool is_driver_file(int file)
{
  struct stat state;
  return fstat(file, &state) == 0 && S_ISREG(state.st_mode) &&
         (uint64_t)state.st_size == AQKFD_FILE_BYTES;
}

/* A block with the pages of a row, which it has entered. Takes the file and the
 * table, or leaves them: 0, or a negative errno. The process is locked. */
static int import_link(aqkfd_process *process, uint64_t va, int file,
                       aqkfd_export *table, aqkfd_export *row, uint32_t device,
                       aqkfd_block **out)
{
  if (!aqkfd_range_is_good(va, row->size))
    return -EINVAL;
  if (va && aqkfd_ranges_overlap(process, va, row->size))
    return -EADDRINUSE;
  if (row->size > AQKFD_IMPORTS_END - process->imports_end)
    return -ENOMEM;
  aqkfd_block *block = calloc(1, sizeof *block);
  if (!block)
    return -ENOMEM;
  *block = (aqkfd_block){.va = va,
                         .size = row->size,
                         .file = file,
                         .offset = row->offset,
                         .door_offset = process->imports_end,
                         .origin = row,
                         .origin_table = table,
                         .device = device,
                         .flags = row->flags};
  process->imports_end += row->size;
  aqkfd_block_link(process, block);
  *out = block;
  return 0;
}

/* Where a row is found: by a handle's place and cookie, or, of a file that
 * stands for a block, by its offset. */
typedef struct row_place {
  uint64_t cookie; /* 0: by the offset */
  uint64_t index, offset;
} row_place;

/* Of a block that was made: the block itself may go once the process is not
 * locked. */
typedef struct imported {
  uint64_t handle, door_offset;
  uint32_t client_flags;
} imported;

/* The file is the block's from now on, or closed. */
static int import(aqkfd_process *process, uint64_t va, uint32_t gpu_id,
                  int file, const row_place *place, imported *out)
{
  uint32_t device;
  int result = -EINVAL;
  aqkfd_export *table = is_driver_file(file) ? table_map(file) : NULL;
  aqkfd_export *row = !table          ? NULL
                      : place->cookie ? &table[place->index]
                                      : row_find(table, place->offset);
  const bool entered =
      row &&
      row_enter(file, row, place->cookie ? place->cookie : cookie_of(row));
  const bool same = place->cookie || (row && row->offset == place->offset);
  if (entered && same && aqkfd_device_find(process->driver, gpu_id, &device)) {
    aqkfd_process_lock(process);
    aqkfd_block *made;
    result = import_link(process, va, file, table, row, device, &made);
    if (result == 0)
      *out = (imported){.handle = made->handle,
                        .door_offset = made->door_offset,
                        .client_flags = __atomic_load_n(&row->client_flags,
                                                        __ATOMIC_ACQUIRE)};
    aqkfd_process_unlock(process);
  }
  if (result == 0)
    return 0;
  if (entered)
    row_leave(file, row);
  if (table)
    aqkfd_unmap(table, TABLE_BYTES);
  close(file);
  return result;
}

int aqkfd_import_file(aqkfd_process *process, uint64_t offset, uint64_t size,
                      uint64_t *at)
{
  int file = -1;
  aqkfd_process_lock(process);
  for (const aqkfd_block *b = process->blocks; b && file < 0; b = b->next) {
    if (!b->origin || offset < b->door_offset ||
        offset - b->door_offset >= b->size ||
        size > aqkfd_round(b->size) - (offset - b->door_offset))
      continue;
    file = fcntl(b->file, F_DUPFD_CLOEXEC, 0);
    *at = b->offset + (offset - b->door_offset);
  }
  aqkfd_process_unlock(process);
  return file;
}

/* ---- handles ---- */

int aqkfd_call_ipc_export(aqkfd_process *process, void *arguments)
{
  aqkfd_ipc_export_args *args = arguments;
  aqkfd_export *row;
  int result = -EINVAL;
  aqkfd_process_lock(process);
  const aqkfd_block *block = aqkfd_block_find(process, args->handle);
  if (block && aqkfd_block_has_pages(block) && !block->origin)
    result = row_get(process, block, &row);
  if (result == 0 && process->file >> DESCRIPTOR_BITS)
    result = -EMFILE;
  if (result == 0) {
    __atomic_store_n(&row->client_flags, args->flags, __ATOMIC_RELEASE);
    const ipc_handle handle = {
        .pid = (uint32_t)getpid(),
        .place = (uint32_t)process->file << INDEX_BITS |
                 (uint32_t)(row - process->exports),
        .cookie = {(uint32_t)row->cookie, (uint32_t)(row->cookie >> 32)}};
    memcpy(args->share_handle, &handle, sizeof handle);
  }
  aqkfd_process_unlock(process);
  return result;
}

int aqkfd_call_ipc_import(aqkfd_process *process, void *arguments)
{
  aqkfd_ipc_import_args *args = arguments;
  ipc_handle handle;
  imported made;
  char path[64];
  memcpy(&handle, args->share_handle, sizeof handle);
  const row_place place = {.cookie = handle.cookie[0] |
                                     (uint64_t)handle.cookie[1] << 32,
                           .index = handle.place % EXPORTS};
  if (!place.cookie)
    return -EINVAL;
  snprintf(path, sizeof path, "/proc/%u/fd/%u", handle.pid,
           handle.place >> INDEX_BITS);
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    aqkfd_line(process->driver, "IPC memory of process %u: %s: %s", handle.pid,
               path, strerror(errno));
    return -EINVAL;
  }
  const int result =
      import(process, args->va_addr, args->gpu_id, file, &place, &made);
  if (result == 0) {
    args->handle = made.handle;
    args->mmap_offset = made.door_offset;
    args->flags = made.client_flags;
  }
  return result;
}

/* ---- files of blocks ---- */

/* A file that stands for a block: its own file's pages, at the block's offset,
 * which is where the file stands. */
int aqkfd_call_dmabuf_export(aqkfd_process *process, void *arguments)
{
  aqkfd_export_dmabuf *args = arguments;
  aqkfd_export *row;
  char path[64];
  uint64_t offset = 0;
  int result = -EINVAL;
  aqkfd_process_lock(process);
  const aqkfd_block *block = aqkfd_block_find(process, args->handle);
  if (block && aqkfd_block_has_pages(block) && !block->origin) {
    offset = block->offset;
    result = row_get(process, block, &row);
  }
  aqkfd_process_unlock(process);
  if (result != 0)
    return result;
  /* Opened anew, for a position of its own. */
  snprintf(path, sizeof path, "/proc/self/fd/%d", process->file);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  if (lseek(fd, (off_t)offset, SEEK_SET) != (off_t)offset) {
    close(fd);
    return -EIO;
  }
  args->fd = (uint32_t)fd;
  return 0;
}

static bool is_own_file(const aqkfd_process *process, int fd)
{
  struct stat ours, theirs;
  return fstat(fd, &theirs) == 0 && fstat(process->file, &ours) == 0 &&
         ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

/* The block of such a file of this process; the process is locked. */
static const aqkfd_block *block_of_file(const aqkfd_process *process, int fd)
{
  const off_t offset = lseek(fd, 0, SEEK_CUR);
  if (offset < 0 || !is_own_file(process, fd))
    return NULL;
  const aqkfd_block *block = process->blocks;
  while (block && !(aqkfd_block_has_pages(block) && !block->origin &&
                    block->offset == (uint64_t)offset))
    block = block->next;
  return block;
}

/* Of another process's file: false, it stands for no block. */
static bool row_describe(int fd, aqkfd_get_dmabuf_info_args *args)
{
  const off_t offset = lseek(fd, 0, SEEK_CUR);
  aqkfd_export *table =
      offset >= 0 && is_driver_file(fd) ? table_map(fd) : NULL;
  const aqkfd_export *row = table ? row_find(table, (uint64_t)offset) : NULL;
  if (row) {
    args->size = row->size;
    args->metadata_size = 0;
    args->gpu_id = row->gpu_id;
    args->flags = row->flags;
  }
  if (table)
    aqkfd_unmap(table, TABLE_BYTES);
  return row;
}

int aqkfd_call_dmabuf_info(aqkfd_process *process, void *arguments)
{
  aqkfd_get_dmabuf_info_args *args = arguments;
  aqkfd_process_lock(process);
  const aqkfd_block *block = block_of_file(process, (int)args->dmabuf_fd);
  if (block) {
    args->size = block->size;
    args->metadata_size = 0;
    args->gpu_id = aqkfd_gpu_id(block->device);
    args->flags = block->flags;
  }
  aqkfd_process_unlock(process);
  return block || row_describe((int)args->dmabuf_fd, args) ? 0 : -EINVAL;
}

/* Of this process: the process is locked. 0, or a negative errno. */
static int own_import(aqkfd_process *process, const aqkfd_block *block,
                      uint32_t device, aqkfd_import_dmabuf_args *args)
{
  if (!aqkfd_range_is_good(args->va_addr, block->size))
    return -EINVAL;
  if (args->va_addr &&
      aqkfd_ranges_overlap(process, args->va_addr, block->size))
    return -EADDRINUSE;
  aqkfd_block *made = calloc(1, sizeof *made);
  if (!made)
    return -ENOMEM;
  *made = (aqkfd_block){.va = args->va_addr,
                        .size = block->size,
                        .file = process->file,
                        .offset = block->offset,
                        .device = device,
                        .flags = block->flags | AQKFD_MEMORY_GTT};
  made->flags &= ~(uint32_t)AQKFD_MEMORY_VRAM;
  aqkfd_block_link(process, made);
  args->handle = made->handle;
  return 0;
}

int aqkfd_call_dmabuf_import(aqkfd_process *process, void *arguments)
{
  aqkfd_import_dmabuf_args *args = arguments;
  const int fd = (int)args->dmabuf_fd;
  uint32_t device;
  if (!aqkfd_device_find(process->driver, args->gpu_id, &device))
    return -EINVAL;
  aqkfd_process_lock(process);
  const aqkfd_block *block = block_of_file(process, fd);
  int result = block ? own_import(process, block, device, args) : -EINVAL;
  aqkfd_process_unlock(process);
  if (block || !is_driver_file(fd) || is_own_file(process, fd))
    return result;
  const row_place place = {.offset = (uint64_t)lseek(fd, 0, SEEK_CUR)};
  /* Opened anew: the client's position stands for the block. */
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  imported made;
  if (file < 0)
    return -errno;
  result = import(process, args->va_addr, args->gpu_id, file, &place, &made);
  if (result == 0)
    args->handle = made.handle;
  return result;
}
