/* SPDX-License-Identifier: MIT */
/*
 * Memory of a process: blocks of its file, memory of the program that devices
 * reach, pages of doorbells and of registers. driver.c says where it lies.
 *
 * A block that is mapped for a device is published in the allocation map, once,
 * with the bits of all its devices. When the first device gets it, it is looked
 * up whether the client has mapped it at its address; if not, devices reach it
 * by a mapping of ours. Executable memory that goes takes the kernels in it
 * along.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "dropin/kfd/kfd_priv.h"

enum { HANDLE_BITS = 32, DOORBELL_BITS = 46 };

static const uint64_t no_offset = UINT64_MAX;

uint64_t aqkfd_file_take(aqkfd_process *process, uint64_t size, uint64_t align)
{
  const uint64_t offset = (process->file_end + align - 1) & ~(align - 1);
  if (size > AQKFD_BLOCKS_END - offset)
    return no_offset;
  process->file_end = offset + aqkfd_round(size);
  return offset;
}

aqkfd_block *aqkfd_block_find(aqkfd_process *process, uint64_t handle)
{
  aqkfd_block *block = process->blocks;
  while (block && block->handle != handle)
    block = block->next;
  return block;
}

void *aqkfd_map(int file, uint64_t offset, uint64_t size)
{
  void *at = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                             MAP_SHARED, file, (off_t)offset);
  return at == MAP_FAILED ? NULL : at;
}

void aqkfd_unmap(void *at, uint64_t size)
{
  syscall(SYS_munmap, at, size);
}

void *aqkfd_file_map(const aqkfd_process *process, uint64_t offset,
                     uint64_t size)
{
  return aqkfd_map(process->file, offset, size);
}

void *aqkfd_block_map(aqkfd_block *block)
{
  if (!block->own && block->offset != no_offset)
    block->own = aqkfd_map(block->file, block->offset, block->size);
  return block->own;
}

/* ---- allocating ---- */

static bool is_vram(const aqkfd_block *block)
{
  return block->flags & AQKFD_MEMORY_VRAM;
}

/* Whether the block takes of a device's memory: an import does where it comes
 * from. */
static bool is_counted(const aqkfd_block *block)
{
  return is_vram(block) && !block->origin;
}

static uint64_t memory_size(const aqkfd *driver, uint32_t device)
{
  return driver->personas[device]->memory_gib << 30;
}

/* Behind all blocks, where the low bits of their offsets are zero: libhsakmt
 * takes those for the place of a doorbell in its page. */
int aqkfd_doorbells_take(aqkfd_process *process, uint32_t device)
{
  const uint64_t offset =
      AQKFD_BLOCKS_END + ((uint64_t)device << DOORBELL_BITS);
  if (process->doorbells[device])
    return 0;
  uint64_t *page = aqkfd_file_map(process, offset, AQKFD_DOORBELLS);
  if (!page)
    return -ENOMEM;
  process->doorbells[device] = offset;
  process->doorbell_pages[device] = page;
  return 0;
}

/* Memory of the program: devices write it only if the program could. */
static bool memory_reaches(const aqkfd_block *block)
{
  return aqkfd_reaches(block->host, block->size,
                       block->flags & AQKFD_MEMORY_WRITABLE);
}

/* Where the block's pages are, by its kind. */
static int block_place(aqkfd_process *process, aqkfd_block *block,
                       uint64_t host)
{
  if (block->flags & AQKFD_MEMORY_USERPTR) {
    block->host = host;
    return memory_reaches(block) ? 0 : -EFAULT;
  }
  if (block->flags & AQKFD_MEMORY_DOORBELL) {
    const int result = aqkfd_doorbells_take(process, block->device);
    block->offset = process->doorbells[block->device];
    return result;
  }
  if (is_vram(block) &&
      block->size > memory_size(process->driver, block->device) -
                        process->used[block->device])
    return -ENOMEM;
  block->offset = aqkfd_file_take(process, block->size, AQKFD_PAGE);
  return block->offset == no_offset ? -ENOMEM : 0;
}

bool aqkfd_range_is_good(uint64_t va, uint64_t size)
{
  return va % AQKFD_PAGE == 0 && size != 0 && size <= AQKFD_VA_END &&
         va <= AQKFD_VA_END - size;
}

static int kind_check(const aqkfd_alloc_memory_of_gpu_args *args)
{
  const uint32_t kinds =
      args->flags &
      (AQKFD_MEMORY_VRAM | AQKFD_MEMORY_GTT | AQKFD_MEMORY_USERPTR |
       AQKFD_MEMORY_DOORBELL | AQKFD_MEMORY_REGISTERS);
  if (!aqkfd_range_is_good(args->va_addr, aqkfd_round(args->size)) ||
      kinds == 0 || (kinds & (kinds - 1)))
    return -EINVAL;
  if (kinds == AQKFD_MEMORY_USERPTR)
    return args->mmap_offset == 0 || args->mmap_offset % AQKFD_PAGE ? -EINVAL
                                                                    : 0;
  if (kinds == AQKFD_MEMORY_DOORBELL)
    return args->size == AQKFD_DOORBELLS ? 0 : -EINVAL;
  return kinds == AQKFD_MEMORY_REGISTERS && args->size != AQKFD_PAGE ? -EINVAL
                                                                     : 0;
}

void aqkfd_block_link(aqkfd_process *process, aqkfd_block *block)
{
  block->handle =
      (uint64_t)aqkfd_gpu_id(block->device) << HANDLE_BITS | ++process->handles;
  block->next = process->blocks;
  process->blocks = block;
  if (is_counted(block))
    process->used[block->device] += block->size;
}

/* Neither the block nor the program's memory below it may be shared virtual
 * memory, which has its own way to devices. The process is locked. */
static int ranges_check(const aqkfd_process *process,
                        const aqkfd_alloc_memory_of_gpu_args *args)
{
  const bool user = args->flags & AQKFD_MEMORY_USERPTR;
  return (args->va_addr &&
          aqkfd_ranges_overlap(process, args->va_addr, args->size)) ||
                 (user &&
                  aqkfd_ranges_overlap(process, args->mmap_offset, args->size))
             ? -EADDRINUSE
             : 0;
}

int aqkfd_call_memory_alloc(aqkfd_process *process, void *arguments)
{
  aqkfd_alloc_memory_of_gpu_args *args = arguments;
  uint32_t device;
  int result = kind_check(args);
  if (result == 0 && !aqkfd_device_find(process->driver, args->gpu_id, &device))
    result = -EINVAL;
  if (result != 0)
    return result;
  aqkfd_block *block = calloc(1, sizeof *block);
  if (!block)
    return -ENOMEM;
  *block = (aqkfd_block){.va = args->va_addr,
                         .size = aqkfd_round(args->size),
                         .file = process->file,
                         .offset = no_offset,
                         .device = device,
                         .flags = args->flags};
  aqkfd_process_lock(process);
  result = ranges_check(process, args);
  if (result == 0)
    result = block_place(process, block, args->mmap_offset);
  if (result == 0) {
    aqkfd_block_link(process, block);
    args->handle = block->handle;
    if (block->offset != no_offset)
      args->mmap_offset = block->offset;
  }
  aqkfd_process_unlock(process);
  if (result != 0)
    free(block);
  return result;
}

/* ---- mapping ---- */

static aq_allocation allocation_of(const aqkfd_block *block)
{
  const uint32_t flags = block->flags;
  return (aq_allocation){
      .base = block->va,
      .size = block->size,
      .readers = block->mapped,
      .writers = flags & AQKFD_MEMORY_WRITABLE ? block->mapped : 0,
      .shift = block->host ? block->va - block->host : 0,
      .device = is_vram(block) ? block->device : AQ_DEVICE_HOST,
      .kind = AQ_ALLOCATION_POOL,
      .executable = flags & AQKFD_MEMORY_EXECUTABLE,
      .fine = flags & (AQKFD_MEMORY_COHERENT | AQKFD_MEMORY_UNCACHED)};
}

/* Where devices reach a block: memory of the program where it is, while it is
 * there; pages of the file at the block's address, if the client has mapped
 * them there, so that packets and signals can lie in them; else by a mapping of
 * ours. 0, or a negative errno. */
static int block_reach(aqkfd_block *block)
{
  if (block->flags & AQKFD_MEMORY_USERPTR)
    return memory_reaches(block) ? 0 : -EFAULT;
  if (block->offset == no_offset)
    return 0;
  const bool there =
      aqkfd_client_maps(block->file, block->va, block->size, block->offset);
  block->host = there ? 0 : (uintptr_t)aqkfd_block_map(block);
  return there || block->host ? 0 : -ENOMEM;
}

/* Whether no page of a block exists: neither a program, by a mapping of its
 * own, nor a kernel has written it. */
static bool block_is_fresh(const aqkfd_block *block)
{
  if (block->offset == no_offset)
    return false;
  const off_t data = lseek(block->file, (off_t)block->offset, SEEK_DATA);
  return data < 0 ? errno == ENXIO
                  : (uint64_t)data >= block->offset + block->size;
}

static void block_note(const aqkfd *driver, const aq_allocation *a,
                       aqkfd_memory_change change)
{
  if (driver->options.memory)
    driver->options.memory(a, change, driver->options.user);
}

/* Publishes the block for its devices, of which none has it: 0, or a negative
 * errno. */
static int block_publish(aqkfd_process *process, aqkfd_block *block)
{
  /* To look whether it can be reached makes a page. */
  const bool fresh = block_is_fresh(block);
  const int result = block_reach(block);
  const aq_allocation a = allocation_of(block);
  if (result != 0)
    return result;
  if (!aq_allocations_add(process->driver->allocations, &a))
    return -ENOMEM;
  block->withdrawn = false;
  block_note(process->driver, &a,
             fresh ? AQKFD_MEMORY_FRESH : AQKFD_MEMORY_RETURNED);
  return 0;
}

static void block_withdraw(aqkfd_process *process, aqkfd_block *block)
{
  aqkfd *driver = process->driver;
  const aq_allocation a = allocation_of(block);
  aqkfd_queues_fault(process, block->va, block->va + block->size);
  /* Kernels and packets under way touch nothing in between. */
  if (!block->withdrawn)
    block_note(driver, &a, AQKFD_MEMORY_GONE);
  block->withdrawn = false;
  aqkfd_kernels_forget(driver, block->va, block->size);
  aqsim_live_unmap_begin(driver->transport, (void *)(uintptr_t)block->va,
                         block->size);
  aq_allocations_remove(driver->allocations, block->va, AQ_ALLOCATION_POOL);
  aqsim_live_unmap_end(driver->transport);
}

/* Gives the block to a set of devices: 0, or a negative errno, and nothing
 * changed. Memory that left its devices is theirs again when the client maps
 * it (`map`) for one of them or for another. */
static int block_allow(aqkfd_process *process, aqkfd_block *block,
                       uint64_t devices, bool map)
{
  const uint64_t was = block->mapped;
  int result = 0;
  block->mapped = devices;
  if (devices == 0) {
    if (was)
      block_withdraw(process, block);
  } else if (!was || (block->withdrawn && map)) {
    result = block_publish(process, block);
  } else if (devices != was && !block->withdrawn) {
    const aq_allocation a = allocation_of(block);
    if (!aq_allocations_allow(process->driver->allocations, a.base,
                              AQ_ALLOCATION_POOL, a.readers, a.writers))
      result = -ENOMEM;
  }
  if (result != 0)
    block->mapped = was;
  return result;
}

/* Devices reach the block elsewhere from now on, or, as memory of the program
 * or without memory for that, no more. */
static void block_leave(aqkfd_process *process, aqkfd_block *block)
{
  aqkfd *driver = process->driver;
  const aq_allocation was = allocation_of(block);
  const bool user = block->flags & AQKFD_MEMORY_USERPTR;
  if (!user)
    block->host = (uintptr_t)aqkfd_block_map(block);
  const aq_allocation is = allocation_of(block);
  aqkfd_kernels_forget(driver, block->va, block->size);
  if (!user && block->host) {
    aqsim_live_unmap_begin(driver->transport, NULL, 0);
    block->withdrawn = !aq_allocations_replace(driver->allocations, was.base,
                                               AQ_ALLOCATION_POOL, &is, 1);
    aqsim_live_unmap_end(driver->transport);
  } else {
    block->withdrawn = true;
  }
  if (!block->withdrawn)
    return;
  block_note(driver, &was, AQKFD_MEMORY_GONE);
  aqsim_live_unmap_begin(driver->transport, (void *)(uintptr_t)block->va,
                         block->size);
  aq_allocations_remove(driver->allocations, was.base, AQ_ALLOCATION_POOL);
  aqsim_live_unmap_end(driver->transport);
}

void aqkfd_blocks_leave(aqkfd_process *process, uint64_t first, uint64_t end)
{
  for (aqkfd_block *b = process->blocks; b; b = b->next) {
    const bool user = b->offset == no_offset;
    const uint64_t at = user ? b->host : b->va; /* of the client's mapping */
    if (b->mapped && !b->withdrawn && (user || !b->host) && at < end &&
        first < at + b->size)
      block_leave(process, b);
  }
}

/* On whatever device: two blocks at one address would need two address
 * spaces. */
bool aqkfd_blocks_overlap(const aqkfd_process *process, uint64_t address,
                          uint64_t size)
{
  for (const aqkfd_block *b = process->blocks; b; b = b->next)
    if (b->mapped && b->va < address + size && address < b->va + b->size)
      return true;
  return false;
}

/* The devices that have a block once `gpu_id` has got or lost it: 0, or
 * -EINVAL. To map a second time is no error, to unmap is one. */
static int devices_change(const aqkfd_process *process, uint32_t gpu_id,
                          bool map, uint64_t *devices)
{
  uint32_t device;
  if (!aqkfd_device_find(process->driver, gpu_id, &device))
    return -EINVAL;
  const uint64_t bit = aq_device_bit(device);
  if (!map && !(*devices & bit))
    return -EINVAL;
  *devices = map ? *devices | bit : *devices & ~bit;
  return 0;
}

/* The process is locked. */
static int block_change(aqkfd_process *process, aqkfd_block *block,
                        aqkfd_map_memory_to_gpu_args *args, bool map)
{
  const uint32_t *ids = (void *)(uintptr_t)args->device_ids_array_ptr;
  const uint32_t before = args->n_success;
  uint64_t devices = block->mapped;
  int result = 0;
  if (map && !block->mapped &&
      (block->va == 0 || aqkfd_blocks_overlap(process, block->va, block->size)))
    return -EINVAL;
  while (args->n_success < args->n_devices) {
    result = devices_change(process, ids[args->n_success], map, &devices);
    if (result != 0)
      break;
    args->n_success++;
  }
  const int changed =
      block_allow(process, block, devices, map && args->n_success > before);
  if (changed != 0)
    args->n_success = before;
  return changed != 0 ? changed : result;
}

/* Maps or unmaps for a list of devices; n_success says how many are done. */
static int map_change(aqkfd_process *process,
                      aqkfd_map_memory_to_gpu_args *args, bool map)
{
  if (args->n_devices == 0 || args->n_success > args->n_devices ||
      args->n_devices > AQKFD_DEVICES)
    return -EINVAL;
  if (!aqkfd_reaches(args->device_ids_array_ptr,
                     args->n_devices * sizeof(uint32_t), false))
    return -EFAULT;
  aqkfd_process_lock(process);
  aqkfd_block *block = aqkfd_block_find(process, args->handle);
  uint32_t device;
  const int result =
      block ? block_change(process, block, args, map)
      : aqkfd_device_find(process->driver,
                          (uint32_t)(args->handle >> HANDLE_BITS), &device)
          ? -ENOMEM /* as the driver answers */
          : -EINVAL;
  aqkfd_process_unlock(process);
  return result;
}

int aqkfd_call_memory_map(aqkfd_process *process, void *arguments)
{
  return map_change(process, arguments, true);
}

int aqkfd_call_memory_unmap(aqkfd_process *process, void *arguments)
{
  return map_change(process, arguments, false);
}

/* ---- freeing ---- */

/* Whether another handle has the same pages. */
static bool is_shared(const aqkfd_process *process, const aqkfd_block *block)
{
  for (const aqkfd_block *b = process->blocks; b; b = b->next)
    if (b != block && b->file == block->file && b->offset == block->offset)
      return true;
  return false;
}

bool aqkfd_block_has_pages(const aqkfd_block *block)
{
  return block->offset != no_offset && !(block->flags & AQKFD_MEMORY_DOORBELL);
}

/* The block is linked no more. */
static void block_free(aqkfd_process *process, aqkfd_block *block)
{
  block_allow(process, block, 0, false);
  if (block->own)
    aqkfd_unmap(block->own, block->size);
  if (block->origin)
    aqkfd_import_leave(block);
  else if (aqkfd_block_has_pages(block) && !is_shared(process, block) &&
           !aqkfd_exports_keep(process, block->offset))
    fallocate(process->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)block->offset, (off_t)block->size);
  if (is_counted(block))
    process->used[block->device] -= block->size;
  free(block);
}

/* Whether a block may go: 0, or a negative errno. The page of events stays
 * until the process closes, and a mapped block until it is unmapped. */
static int free_check(const aqkfd_process *process, const aqkfd_block *block)
{
  if (!block)
    return -EINVAL;
  if (block->own && block->own == process->event_page)
    return -EPERM;
  return block->mapped ? -EBUSY : 0;
}

int aqkfd_call_memory_free(aqkfd_process *process, void *arguments)
{
  const aqkfd_free_memory_of_gpu_args *args = arguments;
  aqkfd_process_lock(process);
  aqkfd_block **link = &process->blocks;
  while (*link && (*link)->handle != args->handle)
    link = &(*link)->next;
  aqkfd_block *block = *link;
  const int result = free_check(process, block);
  if (result == 0) {
    *link = block->next;
    block_free(process, block);
  }
  aqkfd_process_unlock(process);
  return result;
}

void aqkfd_memory_fini(aqkfd_process *process)
{
  while (process->blocks) {
    aqkfd_block *block = process->blocks;
    process->blocks = block->next;
    block_free(process, block);
  }
  aqkfd_exports_fini(process);
  if (process->event_page_ours)
    aqkfd_unmap(process->event_page, AQKFD_EVENT_PAGE);
  for (uint32_t i = 0; i < AQKFD_DEVICES; i++)
    if (process->doorbell_pages[i])
      aqkfd_unmap(process->doorbell_pages[i], AQKFD_DOORBELLS);
}

int aqkfd_call_memory_available(aqkfd_process *process, void *arguments)
{
  aqkfd_get_available_memory_args *args = arguments;
  uint32_t device;
  if (!aqkfd_device_find(process->driver, args->gpu_id, &device))
    return -EINVAL;
  aqkfd_process_lock(process);
  args->available =
      memory_size(process->driver, device) - process->used[device];
  aqkfd_process_unlock(process);
  return 0;
}
