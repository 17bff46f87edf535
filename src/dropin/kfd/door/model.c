/* SPDX-License-Identifier: MIT */
/*
 * The door for runtimes that take a model of the hardware: with HSA_MODEL_LIB
 * and HSA_MODEL_TOPOLOGY libhsakmt makes its calls here. The same machine as
 * behind the preload, and no name of libc is overridden; so the topology is a
 * folder that the program's user names (show --topology).
 *
 * Buffers of libdrm are refused: memory goes through the driver's own calls.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dropin/kfd/door/machine.h"
#include "dropin/kfd/door/model_abi.h"
#include "dropin/kfd/topology.h"
#include "dropin/kfd/uapi.h"

/* A device's handle of libdrm. */
typedef struct handle {
  unsigned users; /* initialisations less deinitialisations */
  int fd;         /* a duplicate of the first one's, while there are users */
} handle;

/* By ordinal. A device that is initialised twice has one, as with libdrm. */
static struct {
  pthread_mutex_t lock;
  handle list[AQSIM_DEVICES_MAX];
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int result_of(int error)
{
  if (error == 0)
    return 0;
  errno = -error;
  return -1;
}

static int create_memfd(void)
{
  return aqueduct_machine.open(0, O_CLOEXEC);
}

/* The library maps the memfd itself, which has no page of another process. */
static int handle_ioctl(unsigned long request, void *argument)
{
  aqkfd_process *process = aqueduct_machine.known();
  if (_IOC_NR(request) == AQKFD_IPC_IMPORT)
    return result_of(-ENOTSUP);
  return result_of(process ? aqkfd_ioctl(process, request, argument) : -ENODEV);
}

/* ---- libdrm ---- */

static int render_call(uint32_t device, uint32_t query, void *out,
                       uint32_t size)
{
  const unsigned long request =
      _IOC(_IOC_WRITE, 'd', AQKFD_RENDER_INFO, sizeof(aqkfd_render_info));
  aqkfd_render_info info = {
      .out = (uintptr_t)out, .size = size, .query = query};
  aqkfd_process *process = aqueduct_machine.known();
  return process ? aqkfd_render_ioctl(process, device, request, &info)
                 : -ENODEV;
}

static bool is_there(uint32_t device)
{
  uint32_t works;
  return render_call(device, AQKFD_RENDER_ACCEL_WORKING, &works,
                     sizeof works) == 0;
}

static int render_open(const aqkfd_drm_open_render *args)
{
  const uint32_t device = (uint32_t)(args->minor - AQKFD_RENDER_FIRST);
  if (!is_there(device))
    return -ENODEV;
  *args->fd_out = aqueduct_machine.open(AQKFD_NODES + (off_t)device, O_CLOEXEC);
  return *args->fd_out < 0 ? -errno : 0;
}

static int device_initialize(const aqkfd_drm_initialize *args)
{
  const aqkfd_process *process = aqueduct_machine.known();
  const off_t at = process ? aqueduct_machine.stands(process, args->fd) : -1;
  if (at < AQKFD_NODES || at >= AQKFD_NODES + AQSIM_DEVICES_MAX ||
      !is_there((uint32_t)(at - AQKFD_NODES)))
    return -EBADF;
  handle *h = &handles.list[at - AQKFD_NODES];
  int result = 0;
  pthread_mutex_lock(&handles.lock);
  if (h->users == 0) {
    h->fd = fcntl(args->fd, F_DUPFD_CLOEXEC, 0);
    result = h->fd < 0 ? -errno : 0;
  }
  h->users += result == 0;
  pthread_mutex_unlock(&handles.lock);
  if (result != 0)
    return result;
  *args->major_out = AQKFD_RENDER_MAJOR;
  *args->minor_out = AQKFD_RENDER_MINOR;
  *args->device_out = h;
  return 0;
}

static void device_deinitialize(handle *h)
{
  if (--h->users == 0)
    close(h->fd);
}

static int info_query(uint32_t device, aqkfd_drm_info *out)
{
  aqkfd_render_device d = {0};
  const int error = render_call(device, AQKFD_RENDER_DEVICE, &d, sizeof d);
  if (error)
    return error;
  *out = (aqkfd_drm_info){.asic = d.device_id,
                          .chip_revision = d.chip_revision,
                          .external_revision = d.external_revision,
                          .family = d.family,
                          .flags = d.flags,
                          .engine_khz = d.engine_khz,
                          .memory_khz = d.memory_khz,
                          .engines = d.engines,
                          .arrays = d.arrays,
                          .counter_khz = d.counter_khz,
                          .cus = d.cus,
                          .memory_bits = d.memory_bits};
  return 0;
}

/* Of a handle in use; the handles are locked. */
static int handle_call(unsigned call, handle *h, const aqkfd_drm_device *args)
{
  const uint32_t device = (uint32_t)(h - handles.list);
  switch (call) {
  case AQKFD_DRM_DEVICE_GET_FD:
    *args->fd_out = h->fd;
    return 0;
  case AQKFD_DRM_GET_MARKETING_NAME:
    if (!aqueduct_machine.known()) /* a child's handle of its parent's */
      return -ENODEV;
    *args->name_out = aqkfd_device_name(aqueduct_machine.known(), device);
    return 0;
  case AQKFD_DRM_QUERY_GPU_INFO:
    return info_query(device, args->info_out);
  default:
    device_deinitialize(h);
    return 0;
  }
}

static int device_call(unsigned call, const aqkfd_drm_device *args)
{
  int result = -EINVAL;
  pthread_mutex_lock(&handles.lock);
  for (size_t i = 0; i < AQSIM_DEVICES_MAX; i++)
    if (args->device == &handles.list[i] && handles.list[i].users > 0)
      result = handle_call(call, &handles.list[i], args);
  pthread_mutex_unlock(&handles.lock);
  return result;
}

static int handle_drm_call(unsigned call, void *argument)
{
  switch (call) {
  case AQKFD_DRM_OPEN_RENDER:
    return result_of(render_open(argument));
  case AQKFD_DRM_CLOSE:
    return close(((aqkfd_drm_close *)argument)->fd);
  case AQKFD_DRM_DEVICE_INITIALIZE:
    return result_of(device_initialize(argument));
  case AQKFD_DRM_DEVICE_DEINITIALIZE:
  case AQKFD_DRM_DEVICE_GET_FD:
  case AQKFD_DRM_GET_MARKETING_NAME:
  case AQKFD_DRM_QUERY_GPU_INFO:
    return result_of(device_call(call, argument));
  default:
    return result_of(call < AQKFD_DRM_OPEN_RENDER ? -ENOTSUP : -EINVAL);
  }
}

__attribute__((visibility("default"))) const aqkfd_model *
get_hsakmt_model_functions(void);

const aqkfd_model *get_hsakmt_model_functions(void)
{
  static const aqkfd_model model = {.major = AQKFD_MODEL_MAJOR,
                                    .minor = AQKFD_MODEL_MINOR,
                                    .create_memfd = create_memfd,
                                    .handle_ioctl = handle_ioctl,
                                    .handle_drm_call = handle_drm_call};
  return &model;
}
