/* SPDX-License-Identifier: MIT */
/*
 * Kernels that a loader above the driver put into memory: the driver is not
 * told. The first packet that names one has it described: its descriptor is
 * read where it lies, its name from the code object around it, whose first
 * segment a loader mostly keeps whole. They are forgotten when their memory is
 * unmapped from the devices.
 */
#include "config.h"

#include <inttypes.h>

#include "common/array.h"
#include "common/host_kernels.h"
#include "dropin/kfd/kfd_priv.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/codeobj/loaded.h"

/* The name of the kernel, or one made of its address. */
static void name_find(aqkfd *driver, uint64_t object, const aq_allocation *a)
{
  const uint64_t first = aq_allocation_first(a);
  for (uint64_t page = object & ~(uint64_t)(AQKFD_PAGE - 1); page >= first;
       page -= AQKFD_PAGE) {
    if (aq_code_loaded_kernel((const void *)(uintptr_t)(page - a->shift),
                              aq_allocation_end(a) - page, object - page,
                              driver->kernel_name, sizeof driver->kernel_name))
      return;
    if (page == 0)
      break;
  }
  snprintf(driver->kernel_name, sizeof driver->kernel_name, "kernel_%" PRIx64,
           object);
}

static bool kernel_note(aqkfd *driver, uint64_t object)
{
  pthread_mutex_lock(&driver->kernel_lock);
  const bool noted = AQ_ARRAY_PUSH(driver->kernels, driver->kernel_count,
                                   driver->kernel_capacity, object);
  pthread_mutex_unlock(&driver->kernel_lock);
  return noted;
}

bool aqkfd_kernel_describe(void *user, uint64_t object, uint32_t device,
                           aq_kernel_desc *out)
{
  aqkfd *driver = user;
  const char *gfx = driver->info.devices[device].gfx;
  aq_kernel_descriptor d;
  aq_allocation a;
  aq_target target;
  if (object % sizeof d != 0 ||
      !aq_allocations_find(driver->allocations, object, device, AQ_ACCESS_READ,
                           &a) ||
      aq_target_of_device(gfx, aq_allocations_are_open(driver->allocations),
                          &target, NULL) != AQ_OK)
    return false;
  memcpy(&d, (const void *)(uintptr_t)(object - a.shift), sizeof d);
  const uint64_t entry = object + (uint64_t)d.entry_offset;
  if (aq_kernel_code_is(&d) ||
      !aq_allocations_executable(driver->allocations, entry) ||
      !kernel_note(driver, object))
    return false;
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(&d, &target);
  name_find(driver, object, &a);
  *out = (aq_kernel_desc){.name = driver->kernel_name,
                          .kernarg_size = d.kernarg_size,
                          .group_size = d.group_size,
                          .private_size = d.private_size,
                          .vgprs = registers.vgprs,
                          .agprs = registers.agprs,
                          .sgprs = registers.sgprs,
                          .wave_size = registers.wave_size,
                          .object = object,
                          .code = true,
                          .entry = entry,
                          .kernarg_word = aq_kernel_descriptor_args(&d)};
  aq_kernel_entry_describe(NULL, out);
  return true;
}

/* One of the kernels in the pages; 0: there is none left. */
static uint64_t kernel_take(aqkfd *driver, uint64_t address, uint64_t size)
{
  uint64_t object = 0;
  pthread_mutex_lock(&driver->kernel_lock);
  for (size_t i = 0; i < driver->kernel_count && !object; i++)
    if (driver->kernels[i] - address < size) {
      object = driver->kernels[i];
      driver->kernels[i] = driver->kernels[--driver->kernel_count];
    }
  pthread_mutex_unlock(&driver->kernel_lock);
  return object;
}

void aqkfd_kernels_forget(aqkfd *driver, uint64_t address, uint64_t size)
{
  uint64_t object;
  while ((object = kernel_take(driver, address, size)) != 0)
    driver->transport->ops->kernel_unregister(driver->transport, object);
}
