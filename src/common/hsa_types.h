/* SPDX-License-Identifier: MIT */
/*
 * Types and constants (hsa_constants.def) of the HSA runtime, for its client
 * here (backend_hsa) and for the library that stands for it (dropin). Own
 * declarations, so that building needs no HSA headers; a test compares them
 * with <hsa/…> where those are installed. Sources: HSA Runtime Programmer's
 * Reference 1.2, AMD's extensions to it. Plain data.
 */
#ifndef AQ_COMMON_HSA_TYPES_H
#define AQ_COMMON_HSA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsa_abi.h"

enum {
#define C(name, value) name = (value),
#define N(name, value) name = (value),
#include "hsa_constants.def"
#undef C
#undef N
};

typedef uint32_t hsa_status_t;
typedef int64_t hsa_signal_value_t;
typedef aq_signal hsa_signal_t;
typedef aq_hsa_queue hsa_queue_t;

#define AQ_HSA_HANDLE(name)                                                    \
  typedef struct name {                                                        \
    uint64_t handle;                                                           \
  } name
AQ_HSA_HANDLE(hsa_agent_t);
AQ_HSA_HANDLE(hsa_region_t);
AQ_HSA_HANDLE(hsa_amd_memory_pool_t);
AQ_HSA_HANDLE(hsa_cache_t);
AQ_HSA_HANDLE(hsa_isa_t);
AQ_HSA_HANDLE(hsa_wavefront_t);
AQ_HSA_HANDLE(hsa_signal_group_t);
AQ_HSA_HANDLE(hsa_code_object_t);
AQ_HSA_HANDLE(hsa_code_symbol_t);
AQ_HSA_HANDLE(hsa_code_object_reader_t);
AQ_HSA_HANDLE(hsa_loaded_code_object_t);
AQ_HSA_HANDLE(hsa_executable_t);
AQ_HSA_HANDLE(hsa_executable_symbol_t);
AQ_HSA_HANDLE(hsa_callback_data_t);
AQ_HSA_HANDLE(hsa_amd_vmem_alloc_handle_t);
AQ_HSA_HANDLE(hsa_ext_program_t);
AQ_HSA_HANDLE(hsa_ext_image_t);
AQ_HSA_HANDLE(hsa_ext_sampler_t);
AQ_HSA_HANDLE(hsa_ven_amd_pcs_t);
#undef AQ_HSA_HANDLE

typedef struct hsa_dim3_t {
  uint32_t x, y, z;
} hsa_dim3_t;

typedef struct hsa_pitched_ptr_t {
  void *base;
  size_t pitch, slice; /* bytes from one row, one slice to the next */
} hsa_pitched_ptr_t;

typedef struct hsa_amd_pointer_info_t {
  uint32_t size; /* of the caller's structure */
  uint32_t type; /* HSA_EXT_POINTER_TYPE_* */
  void *agent_base, *host_base;
  size_t bytes;
  void *user_data;
  hsa_agent_t owner;
  uint32_t global_flags;
} hsa_amd_pointer_info_t;

typedef struct hsa_amd_memory_pool_link_info_t {
  uint32_t min_latency, max_latency;     /* ns */
  uint32_t min_bandwidth, max_bandwidth; /* MB a second */
  bool atomic_32, atomic_64, coherent;
  uint32_t link_type;
  uint32_t numa_distance;
} hsa_amd_memory_pool_link_info_t;

typedef struct hsa_amd_profiling_dispatch_time_t {
  uint64_t start, end; /* of the system clock */
} hsa_amd_profiling_dispatch_time_t;

typedef hsa_amd_profiling_dispatch_time_t hsa_amd_profiling_async_copy_time_t;

typedef struct hsa_amd_memory_access_desc_t {
  uint32_t permissions;
  hsa_agent_t agent;
} hsa_amd_memory_access_desc_t;

typedef struct hsa_amd_svm_attribute_pair_t {
  uint64_t attribute, value;
} hsa_amd_svm_attribute_pair_t;

/* What hsa_amd_memory_async_batch_copy is given. Lists have num_entries. */
typedef struct hsa_amd_memory_copy_op_t {
  uint16_t version; /* 1 */
  uint16_t type;    /* HSA_AMD_MEMORY_COPY_OP_* */
  uint16_t num_entries;
  uint16_t traffic_class;
  hsa_signal_t completion_signal; /* of all entries: decremented once, or 0 */
  union {
    void *src;
    void **src_list;
  };
  hsa_agent_t src_agent;
  union {
    hsa_agent_t dst_agent;
    hsa_agent_t *dst_agent_list;
  };
  union {
    void *dst;
    void **dst_list;
  };
  union {
    size_t size; /* bytes */
    size_t *size_list;
  };
  size_t unused_size;
  struct {
    uint16_t function, scope;
    uint32_t reserved;
    void *address;
    uint64_t value, mask;
  } wait;
  struct {
    uint16_t operation, scope;
    uint32_t reserved;
    void *address;
    uint64_t data;
  } signal;
  uint64_t reserved;
} hsa_amd_memory_copy_op_t;

/* What hsa_amd_queue_create is given, and where it puts the queue. */
typedef struct hsa_amd_queue_create_desc_t {
  uint16_t version; /* 1 */
  uint16_t flags;
  uint8_t engine; /* HSA_AMD_QUEUE_ENGINE_* */
  uint8_t reserved0[3];
  uint32_t size;     /* bytes of the ring */
  uint32_t priority; /* HSA_AMD_QUEUE_PRIORITY_* */
  void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
  void *data;
  hsa_queue_t *queue;
  struct {
    const uint32_t *cu_mask;
    uint32_t type; /* HSA_QUEUE_TYPE_* */
    uint32_t private_segment_size;
    uint32_t cu_mask_count; /* bits */
    uint32_t reserved[3];
  } compute;
  uint32_t traffic_class;
  uint8_t reserved1[20];
} hsa_amd_queue_create_desc_t;

typedef union hsa_amd_ais_file_handle_t {
  int fd;
  void *handle;
} hsa_amd_ais_file_handle_t;

typedef struct hsa_fabric_handle_t {
  uint8_t handle[16];
} hsa_fabric_handle_t;

typedef struct hsa_amd_ipc_memory_t {
  uint32_t handle[8];
} hsa_amd_ipc_memory_t;

typedef struct hsa_ext_image_format_t {
  uint32_t channel_type, channel_order; /* HSA_EXT_IMAGE_CHANNEL_* */
} hsa_ext_image_format_t;

typedef struct hsa_ext_image_descriptor_t {
  uint32_t geometry; /* HSA_EXT_IMAGE_GEOMETRY_* */
  size_t width, height, depth, array_size;
  hsa_ext_image_format_t format;
} hsa_ext_image_descriptor_t;

typedef struct hsa_ext_image_descriptor_v2_t {
  uint32_t geometry; /* HSA_EXT_IMAGE_GEOMETRY_* */
  size_t width, height, depth, array_size;
  hsa_ext_image_format_t format;
  size_t mipmap_levels;
} hsa_ext_image_descriptor_v2_t;

typedef struct hsa_ext_image_data_info_t {
  size_t size, alignment;
} hsa_ext_image_data_info_t;

typedef struct hsa_ext_image_region_t {
  hsa_dim3_t offset, range;
} hsa_ext_image_region_t;

typedef struct hsa_ext_sampler_descriptor_t {
  uint32_t coordinate_mode, filter_mode, address_mode;
} hsa_ext_sampler_descriptor_t;

typedef struct hsa_ext_sampler_descriptor_v2_t {
  uint32_t coordinate_mode, filter_mode, address_modes[3];
} hsa_ext_sampler_descriptor_v2_t;

typedef struct hsa_amd_image_descriptor_t {
  uint32_t version, deviceID;
  uint32_t data[1]; /* as many as the version says */
} hsa_amd_image_descriptor_t;

typedef struct hsa_amd_event_t {
  uint32_t type; /* HSA_AMD_GPU_*_EVENT */
  hsa_agent_t agent;
  uint64_t address;
  uint32_t reasons;
} hsa_amd_event_t;

typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t value, void *arg);
typedef void (*hsa_amd_deallocation_callback_t)(void *ptr, void *user_data);
typedef hsa_status_t (*hsa_amd_system_event_callback_t)(
    const hsa_amd_event_t *event, void *data);

#endif
