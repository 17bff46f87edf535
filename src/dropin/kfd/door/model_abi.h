/* SPDX-License-Identifier: MIT */
/*
 * The interface by which libhsakmt takes a model in the place of the kernel
 * driver, version 1.1 of its hsakmtmodeliface.h, which systems
 * do not install. Layouts and numbers are its own.
 */
#ifndef AQKFD_MODEL_ABI_H
#define AQKFD_MODEL_ABI_H

#include <stdint.h>

enum { AQKFD_MODEL_MAJOR = 1, AQKFD_MODEL_MINOR = 1 };

/* What get_hsakmt_model_functions returns. Each answers 0, or -1 with errno. */
typedef struct aqkfd_model {
  uint32_t major, minor;
  int (*create_memfd)(void); /* a descriptor: mapping it maps memory */
  int (*handle_ioctl)(unsigned long request, void *argument);
  int (*handle_drm_call)(unsigned call, void *argument);
} aqkfd_model;

/* Calls of libdrm. Handles of devices are the model's. */
enum {
  AQKFD_DRM_BO_VA_OP,
  AQKFD_DRM_BO_FREE,
  AQKFD_DRM_BO_IMPORT,
  AQKFD_DRM_BO_EXPORT,
  AQKFD_DRM_BO_CPU_MAP,
  AQKFD_DRM_BO_QUERY_INFO,
  AQKFD_DRM_BO_SET_METADATA,
  AQKFD_DRM_COMMAND_WRITE_READ,
  AQKFD_DRM_OPEN_RENDER,
  AQKFD_DRM_CLOSE,
  AQKFD_DRM_DEVICE_INITIALIZE,
  AQKFD_DRM_DEVICE_DEINITIALIZE,
  AQKFD_DRM_DEVICE_GET_FD,
  AQKFD_DRM_GET_MARKETING_NAME,
  AQKFD_DRM_QUERY_GPU_INFO,
};

typedef struct aqkfd_drm_open_render {
  int minor;
  int *fd_out;
} aqkfd_drm_open_render;

typedef struct aqkfd_drm_close {
  int fd;
} aqkfd_drm_close;

typedef struct aqkfd_drm_initialize {
  int fd;
  uint32_t *major_out, *minor_out;
  void **device_out;
} aqkfd_drm_initialize;

typedef struct aqkfd_drm_device {
  void *device;
  union {
    int *fd_out;           /* DEVICE_GET_FD */
    const char **name_out; /* GET_MARKETING_NAME */
    void *info_out;        /* QUERY_GPU_INFO: libdrm's amdgpu_gpu_info */
  };
} aqkfd_drm_device;

/* libdrm's amdgpu_gpu_info. */
typedef struct aqkfd_drm_info {
  uint32_t asic, chip_revision, external_revision, family;
  uint64_t flags, engine_khz, memory_khz;
  uint32_t engines, arrays, quad_pipes, most_quad_pipes, cache_entries;
  uint32_t contexts, backends, backends_mask, counter_khz;
  uint32_t backend_disable[4], memory_config, address_config;
  uint32_t tiles[32], macro_tiles[16], raster[4], raster_1[4];
  uint32_t cus, always_on, cu_bitmap[4][4];
  uint32_t memory_type, memory_bits, constant_bytes, harvest, pci_revision;
} aqkfd_drm_info;

#endif
