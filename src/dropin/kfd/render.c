/* SPDX-License-Identifier: MIT */
/*
 * The render node of a device: what libdrm asks when it opens one, which
 * libhsakmt does for the name of the product. Memory goes through /dev/kfd.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "dropin/kfd/kfd_priv.h"

/* Answers with a text, as far as there is room for it, and its length: 0, or
 * -EFAULT. */
static int text_put(aqkfd_render_text *to, const char *text)
{
  const uint64_t length = strlen(text);
  const uint64_t part = to->size < length ? to->size : length;
  to->size = length;
  if (part == 0 || !to->text)
    return 0;
  if (!aqkfd_reaches((uintptr_t)to->text, part, true))
    return -EFAULT;
  memcpy(to->text, text, part);
  return 0;
}

static int version_get(aqkfd_render_version *out)
{
  out->major = AQKFD_RENDER_MAJOR;
  out->minor = AQKFD_RENDER_MINOR;
  out->patch = 0;
  int result = text_put(&out->name, "amdgpu");
  if (result == 0)
    result = text_put(&out->date, "20150101");
  return result == 0 ? text_put(&out->description, "AMD GPU") : result;
}

/* Of the kernel's header, by the generation in "gfx1100". */
static uint32_t family_of(const char *gfx)
{
  enum { VEGA = 141, NAVI = 143, GFX11 = 145, GFX1151 = 150, GFX12 = 152 };
  return strncmp(gfx, "gfx9", 4) == 0     ? VEGA
         : strncmp(gfx, "gfx10", 5) == 0  ? NAVI
         : strncmp(gfx, "gfx115", 6) == 0 ? GFX1151
         : strncmp(gfx, "gfx11", 5) == 0  ? GFX11
                                          : GFX12;
}

static aqkfd_render_device device_of(const aqkfd *driver, uint32_t device)
{
  const aqsim_model *model = driver->models.models[device];
  const aqdrop_identity *persona = driver->personas[device];
  const uint32_t arrays = persona->engines * persona->arrays;
  const uint32_t cus = (uint32_t)model->cus;
  return (aqkfd_render_device){
      .device_id = persona->chip,
      .chip_revision = persona->revision,
      .external_revision = persona->revision,
      .family = family_of(model->gfx),
      .engines = persona->engines,
      .arrays = persona->arrays,
      .counter_khz = (uint32_t)(model->timestamp_hz / 1000),
      .engine_khz = (uint64_t)model->clock / 1000,
      .memory_khz = (uint64_t)persona->memory_mhz * 1000,
      .cus = cus,
      .va_first = UINT64_C(1) << 21,
      .va_end = AQKFD_VA_END,
      .va_align = AQKFD_PAGE,
      .page = AQKFD_PAGE,
      .memory_bits = persona->bus_bits,
      .wave_size = (uint32_t)model->wave_size,
      .cus_of_array = arrays ? (cus + arrays - 1) / arrays : cus};
}

static int info_get(const aqkfd *driver, uint32_t device,
                    const aqkfd_render_info *args)
{
  void *out = (void *)(uintptr_t)args->out;
  const uint32_t working = 1;
  if (!aqkfd_reaches(args->out, args->size, true))
    return -EFAULT;
  switch (args->query) {
  case AQKFD_RENDER_ACCEL_WORKING:
    if (args->size < sizeof working)
      return -EINVAL;
    memcpy(out, &working, sizeof working);
    return 0;
  case AQKFD_RENDER_REGISTERS:
    memset(out, 0, args->size);
    return 0;
  case AQKFD_RENDER_DEVICE: {
    const aqkfd_render_device info = device_of(driver, device);
    memset(out, 0, args->size);
    memcpy(out, &info, args->size < sizeof info ? args->size : sizeof info);
    return 0;
  }
  default:
    return -EINVAL;
  }
}

const char *aqkfd_device_name(const aqkfd_process *process, uint32_t device)
{
  const aqkfd *driver = process->driver;
  return device < driver->info.device_count
             ? driver->models.models[device]->product
             : NULL;
}

int aqkfd_render_ioctl(aqkfd_process *process, uint32_t device,
                       unsigned long request, void *argument)
{
  if (_IOC_TYPE(request) != 'd' || device >= process->driver->info.device_count)
    return -ENOTTY;
  if (!aqkfd_reaches((uintptr_t)argument, _IOC_SIZE(request), true))
    return -EFAULT;
  switch (_IOC_NR(request)) {
  case AQKFD_RENDER_VERSION:
    return _IOC_SIZE(request) == sizeof(aqkfd_render_version)
               ? version_get(argument)
               : -EINVAL;
  case AQKFD_RENDER_CLIENT: /* authenticated, as every render node's */
    memset(argument, 0, _IOC_SIZE(request));
    return 0;
  case AQKFD_RENDER_INFO:
    return _IOC_SIZE(request) == sizeof(aqkfd_render_info)
               ? info_get(process->driver, device, argument)
               : -EINVAL;
  default:
    return -EINVAL;
  }
}
