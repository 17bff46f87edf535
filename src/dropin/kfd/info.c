/* SPDX-License-Identifier: MIT */
/* Calls that ask the driver about itself, and calls without an effect here. */
#include "config.h"

#include <sys/mman.h>

#include "backend_sim/live/live.h"
#include "dropin/kfd/kfd_priv.h"

enum { NS = 1000, TICKS = 2 /* of a reading */ };

int aqkfd_call_version(aqkfd_process *process, void *arguments)
{
  (void)process;
  *(aqkfd_get_version_args *)arguments =
      (aqkfd_get_version_args){AQKFD_MAJOR, AQKFD_MINOR};
  return 0;
}

/* Clients compute the ratio of the clocks from two readings, which must not be
 * the same, and free-running virtual time stands still while nothing happens.
 * So a reading takes its time: two steps of the timestamps; or, where nothing
 * moved the clock since the reading before, the host's time since then: so much
 * has passed for a program that slept. */
static void clock_read(aqkfd *driver, aq_time steps)
{
  const aq_transport_ops *ops = driver->transport->ops;
  const aq_time now = ops->now(driver->transport);
  const uint64_t host = aqkfd_host_ns();
  aq_time span = steps;
  pthread_mutex_lock(&driver->lock);
  if (now == driver->read_at && host > driver->read_host)
    span =
        aq_time_max(steps, (aq_time)(host - driver->read_host) * (aq_time)NS);
  pthread_mutex_unlock(&driver->lock);
  ops->sleep_until(driver->transport, now + span, false, NULL);
  pthread_mutex_lock(&driver->lock);
  driver->read_at = ops->now(driver->transport);
  driver->read_host = host;
  pthread_mutex_unlock(&driver->lock);
}

int aqkfd_call_clocks(aqkfd_process *process, void *arguments)
{
  aqkfd_get_clock_counters_args *args = arguments;
  aqkfd *driver = process->driver;
  const aq_transport_ops *ops = driver->transport->ops;
  uint32_t device = 0;
  aq_clock_pair pair;
  if (args->gpu_id && !aqkfd_device_find(driver, args->gpu_id, &device))
    return -EINVAL;
  const aq_device_info *info = &driver->info.devices[device];
  const uint64_t hz = info->timestamp_hz;
  const aq_time second = AQ_S,
                tick = aq_time_max(info->timestamp_step, second / (aq_time)hz);
  clock_read(driver, TICKS * tick);
  ops->clock_correlate(driver->transport, device, &pair);
  const uint64_t ticks = (uint64_t)((__int128)pair.device * hz / second);
  const uint64_t system = driver->system_base + (uint64_t)pair.host / NS;
  args->gpu_clock_counter = args->gpu_id ? ticks : system;
  args->cpu_clock_counter = args->system_clock_counter = system;
  args->system_clock_freq = (uint64_t)(second / NS);
  return 0;
}

/* ---- apertures ---- */

static aqkfd_apertures apertures_of(const aqkfd *driver, uint32_t device)
{
  const aq_executor *executor = driver->options.executor;
  const uint64_t size = UINT64_C(1) << 32;
  const uint64_t group = (uint64_t)executor->group_aperture_hi << 32;
  const uint64_t private = (uint64_t)executor->private_aperture_hi << 32;
  return (aqkfd_apertures){.lds_base = group,
                           .lds_limit = group + size - 1,
                           .scratch_base = private,
                           .scratch_limit = private + size - 1,
                           .gpuvm_base = UINT64_C(1) << 24,
                           .gpuvm_limit = AQKFD_VA_END - 1,
                           .gpu_id = aqkfd_gpu_id(device)};
}

int aqkfd_call_apertures_old(aqkfd_process *process, void *arguments)
{
  aqkfd_get_process_apertures_args *args = arguments;
  const aqkfd *driver = process->driver;
  args->num_of_nodes = 0;
  while (args->num_of_nodes < driver->info.device_count &&
         args->num_of_nodes < AQKFD_APERTURES) {
    args->process_apertures[args->num_of_nodes] =
        apertures_of(driver, args->num_of_nodes);
    args->num_of_nodes++;
  }
  return 0;
}

int aqkfd_call_apertures(aqkfd_process *process, void *arguments)
{
  aqkfd_get_process_apertures_new_args *args = arguments;
  const aqkfd *driver = process->driver;
  aqkfd_apertures *out =
      (void *)(uintptr_t)args->kfd_process_device_apertures_ptr;
  const uint32_t count = driver->info.device_count,
                 taken =
                     args->num_of_nodes < count ? args->num_of_nodes : count;
  if (args->num_of_nodes == 0) { /* asks how many there are */
    args->num_of_nodes = count;
    return 0;
  }
  if (!aqkfd_reaches((uintptr_t)out, taken * sizeof *out, true))
    return -EFAULT;
  for (uint32_t i = 0; i < taken; i++)
    out[i] = apertures_of(driver, i);
  args->num_of_nodes = taken;
  return 0;
}

/* ---- without an effect ---- */

static int device_check(const aqkfd_process *process, uint32_t gpu_id)
{
  uint32_t device;
  return aqkfd_device_find(process->driver, gpu_id, &device) ? 0 : -EINVAL;
}

int aqkfd_call_policy(aqkfd_process *process, void *arguments)
{
  const aqkfd_set_memory_policy_args *args = arguments;
  return args->default_policy > AQKFD_POLICY_NONCOHERENT ||
                 args->alternate_policy > AQKFD_POLICY_NONCOHERENT
             ? -EINVAL
             : device_check(process, args->gpu_id);
}

int aqkfd_call_scratch(aqkfd_process *process, void *arguments)
{
  const aqkfd_set_scratch_backing_va_args *args = arguments;
  return device_check(process, args->gpu_id);
}

int aqkfd_call_trap_handler(aqkfd_process *process, void *arguments)
{
  const aqkfd_set_trap_handler_args *args = arguments;
  return device_check(process, args->gpu_id);
}

int aqkfd_call_tiles(aqkfd_process *process, void *arguments)
{
  aqkfd_get_tile_config_args *args = arguments;
  args->num_tile_configs = args->num_macro_tile_configs = 0;
  args->gb_addr_config = 0x10000444;
  args->num_banks = args->num_ranks = 0;
  return device_check(process, args->gpu_id);
}

int aqkfd_call_vm_acquire(aqkfd_process *process, void *arguments)
{
  const aqkfd_acquire_vm_args *args = arguments;
  return device_check(process, args->gpu_id);
}

int aqkfd_call_runtime_enable(aqkfd_process *process, void *arguments)
{
  aqkfd_runtime_enable *args = arguments;
  const bool enable = args->mode & 1;
  aqkfd_process_lock(process);
  const bool again = enable && process->runtime;
  __atomic_store_n(&process->runtime, enable, __ATOMIC_RELAXED);
  aqkfd_process_unlock(process);
  args->capabilities = 0;
  return again ? -EBUSY : 0;
}

/* Whether the mode may become that: 0, or a negative errno. */
static int xnack_check(const aqkfd_process *process, bool wanted)
{
  const aqkfd *driver = process->driver;
  for (uint32_t i = 0; i < AQKFD_QUEUES; i++)
    if (process->queues[i])
      return -EBUSY;
  for (uint32_t i = 0; wanted && i < driver->info.device_count; i++)
    if (strncmp(driver->info.devices[i].gfx, "gfx9", 4) != 0)
      return -EPERM;
  return 0;
}

/* Devices that retry faults reach whatever the process has mapped. It is set
 * before the first queue. */
int aqkfd_call_xnack(aqkfd_process *process, void *arguments)
{
  aqkfd_set_xnack_mode_args *args = arguments;
  int result = 0;
  aqkfd_process_lock(process);
  if (args->xnack_enabled < 0) {
    args->xnack_enabled = process->xnack;
  } else {
    const bool wanted = args->xnack_enabled > 0;
    result = xnack_check(process, wanted);
    if (result == 0 && wanted != process->xnack) {
      process->xnack = wanted;
      aq_allocations_open(process->driver->allocations, wanted);
    }
  }
  aqkfd_process_unlock(process);
  return result;
}
