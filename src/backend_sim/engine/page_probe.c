/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/page_probe.h"

#include <errno.h>
#include <sys/uio.h>

#include "backend_sim/engine/futex.h"

/* One byte of each page is copied by the kernel. */
size_t aqsim_pages_readable(uint64_t page, size_t count)
{
  unsigned char bytes[AQSIM_PAGES_AT_ONCE];
  struct iovec from[AQSIM_PAGES_AT_ONCE], to = {bytes, count};
  for (size_t i = 0; i < count; i++)
    from[i] = (struct iovec){(void *)(uintptr_t)((page + i) * AQSIM_PAGE), 1};
  ssize_t got = process_vm_readv(getpid(), &to, 1, from, count, 0);
  if (got >= 0)
    return (size_t)got;
  return errno == EFAULT ? 0 : count;
}

bool aqsim_memory_load(uint64_t address, uint32_t size, int64_t *out)
{
  union {
    uint64_t wide;
    uint32_t narrow;
  } word = {0};
  void *at = (void *)(uintptr_t)address;
  const struct iovec to = {&word, size}, from = {at, size};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)size) {
    if (errno == EFAULT)
      return false;
    if (size == sizeof word.narrow)
      word.narrow = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    else
      word.wide = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
  }
  *out = size == sizeof word.narrow ? word.narrow : (int64_t)word.wide;
  return true;
}

/* FUTEX_WAKE_OP writes to the word before it wakes waiters; there are none, so
 * this only probes whether the page is writable. */
static bool page_is_writable(uint64_t page)
{
  uint32_t *word = (uint32_t *)(uintptr_t)(page * AQSIM_PAGE), ours = 0;
  return syscall(SYS_futex, &ours, FUTEX_WAKE_OP_PRIVATE, 0, NULL, word,
                 FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
         errno != EFAULT;
}

/* How many pages from the first on can be accessed. */
static uint64_t pages_there(aqsim_access access, uint64_t first, uint64_t count)
{
  uint64_t there = 0;
  while (there < count && access == AQSIM_READ) {
    size_t batch = count - there < AQSIM_PAGES_AT_ONCE ? count - there
                                                       : AQSIM_PAGES_AT_ONCE;
    size_t got = aqsim_pages_readable(first + there, batch);
    there += got;
    if (got < batch)
      break;
  }
  while (there < count && access == AQSIM_WRITE &&
         page_is_writable(first + there))
    there++;
  return there;
}

bool aqsim_memory_unmapped(aqsim_access access, uint64_t address, uint64_t size,
                           uint64_t *unmapped)
{
  if (size == 0)
    return false;
  *unmapped = address;
  if (address < AQSIM_PAGE || size - 1 > UINT64_MAX - address)
    return true;
  uint64_t first = address / AQSIM_PAGE;
  uint64_t count = (address + size - 1) / AQSIM_PAGE - first + 1;
  uint64_t there = pages_there(access, first, count);
  if (there > 0)
    *unmapped = (first + there) * AQSIM_PAGE;
  return there < count;
}
