/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface as programs see it: the arguments of /dev/kfd's calls
 * and of those few of a render node that libdrm makes. Declared here, for the
 * system's headers are older than libraries, or missing; a test compares the
 * layouts where <linux/kfd_ioctl.h> is there. Field names are the kernel's, so
 * that they can be looked up. "out" marks the driver's words.
 */
#ifndef AQKFD_UAPI_H
#define AQKFD_UAPI_H

#include <stdint.h>

typedef struct aqkfd_get_version_args {
  uint32_t major_version, minor_version; /* out */
} aqkfd_get_version_args;

/* ---- queues ---- */

enum {
  AQKFD_QUEUE_COMPUTE = 0, /* types */
  AQKFD_QUEUE_SDMA = 1,
  AQKFD_QUEUE_AQL = 2,
  AQKFD_QUEUE_SDMA_XGMI = 3,
  AQKFD_QUEUE_PERCENTAGE_MAX = 100,
  AQKFD_QUEUE_PRIORITY_MAX = 15,
};

typedef struct aqkfd_create_queue_args {
  uint64_t ring_base_address, write_pointer_address, read_pointer_address;
  uint64_t doorbell_offset; /* out */
  uint32_t ring_size, gpu_id, queue_type, queue_percentage, queue_priority;
  uint32_t queue_id; /* out */
  uint64_t eop_buffer_address, eop_buffer_size, ctx_save_restore_address;
  uint32_t ctx_save_restore_size, ctl_stack_size;
} aqkfd_create_queue_args;

typedef struct aqkfd_destroy_queue_args {
  uint32_t queue_id, pad;
} aqkfd_destroy_queue_args;

typedef struct aqkfd_update_queue_args {
  uint64_t ring_base_address;
  uint32_t queue_id, ring_size, queue_percentage, queue_priority;
} aqkfd_update_queue_args;

typedef struct aqkfd_set_cu_mask_args {
  uint32_t queue_id, num_cu_mask; /* bits */
  uint64_t cu_mask_ptr;
} aqkfd_set_cu_mask_args;

typedef struct aqkfd_alloc_queue_gws_args {
  uint32_t queue_id, num_gws;
  uint32_t first_gws; /* out */
  uint32_t pad;
} aqkfd_alloc_queue_gws_args;

/* ---- devices ---- */

enum { AQKFD_POLICY_COHERENT = 0, AQKFD_POLICY_NONCOHERENT = 1 };

typedef struct aqkfd_set_memory_policy_args {
  uint64_t alternate_aperture_base, alternate_aperture_size;
  uint32_t gpu_id, default_policy, alternate_policy, pad;
} aqkfd_set_memory_policy_args;

typedef struct aqkfd_get_clock_counters_args {
  uint64_t gpu_clock_counter, cpu_clock_counter;    /* out */
  uint64_t system_clock_counter, system_clock_freq; /* out */
  uint32_t gpu_id, pad;
} aqkfd_get_clock_counters_args;

typedef struct aqkfd_apertures {
  uint64_t lds_base, lds_limit, scratch_base, scratch_limit;
  uint64_t gpuvm_base, gpuvm_limit;
  uint32_t gpu_id, pad;
} aqkfd_apertures;

enum { AQKFD_APERTURES = 7 /* of the old call */ };

typedef struct aqkfd_get_process_apertures_args {
  aqkfd_apertures process_apertures[AQKFD_APERTURES]; /* out */
  uint32_t num_of_nodes, pad;                         /* out */
} aqkfd_get_process_apertures_args;

typedef struct aqkfd_get_process_apertures_new_args {
  uint64_t kfd_process_device_apertures_ptr;
  uint32_t num_of_nodes, pad; /* room; out: how many */
} aqkfd_get_process_apertures_new_args;

typedef struct aqkfd_set_scratch_backing_va_args {
  uint64_t va_addr;
  uint32_t gpu_id, pad;
} aqkfd_set_scratch_backing_va_args;

typedef struct aqkfd_get_tile_config_args {
  uint64_t tile_config_ptr, macro_tile_config_ptr;
  uint32_t num_tile_configs, num_macro_tile_configs;
  uint32_t gpu_id;
  uint32_t gb_addr_config, num_banks, num_ranks; /* out */
} aqkfd_get_tile_config_args;

typedef struct aqkfd_set_trap_handler_args {
  uint64_t tba_addr, tma_addr;
  uint32_t gpu_id, pad;
} aqkfd_set_trap_handler_args;

typedef struct aqkfd_acquire_vm_args {
  uint32_t drm_fd, gpu_id;
} aqkfd_acquire_vm_args;

typedef struct aqkfd_set_xnack_mode_args {
  int32_t xnack_enabled; /* below 0: asks; out: the mode */
} aqkfd_set_xnack_mode_args;

/* ---- memory ---- */

enum { /* kinds and flags of a block */
       AQKFD_MEMORY_VRAM = 1 << 0,
       AQKFD_MEMORY_GTT = 1 << 1,
       AQKFD_MEMORY_USERPTR = 1 << 2,
       AQKFD_MEMORY_DOORBELL = 1 << 3,
       AQKFD_MEMORY_REGISTERS = 1 << 4,
       AQKFD_MEMORY_UNCACHED = 1 << 25,
       AQKFD_MEMORY_COHERENT = 1 << 26,
       AQKFD_MEMORY_PUBLIC = 1 << 29,
       AQKFD_MEMORY_EXECUTABLE = 1 << 30,
};
#define AQKFD_MEMORY_WRITABLE (UINT32_C(1) << 31)

typedef struct aqkfd_alloc_memory_of_gpu_args {
  uint64_t va_addr, size;
  uint64_t handle;      /* out */
  uint64_t mmap_offset; /* out; the program's address of USERPTR */
  uint32_t gpu_id, flags;
} aqkfd_alloc_memory_of_gpu_args;

typedef struct aqkfd_free_memory_of_gpu_args {
  uint64_t handle;
} aqkfd_free_memory_of_gpu_args;

/* Of unmapping too. */
typedef struct aqkfd_map_memory_to_gpu_args {
  uint64_t handle, device_ids_array_ptr;
  uint32_t n_devices;
  uint32_t n_success; /* devices that are done; out: the same */
} aqkfd_map_memory_to_gpu_args;

typedef struct aqkfd_get_available_memory_args {
  uint64_t available; /* out */
  uint32_t gpu_id, pad;
} aqkfd_get_available_memory_args;

typedef struct aqkfd_get_dmabuf_info_args {
  uint64_t size; /* out */
  uint64_t metadata_ptr;
  uint32_t metadata_size;
  uint32_t gpu_id, flags; /* out */
  uint32_t dmabuf_fd;
} aqkfd_get_dmabuf_info_args;

typedef struct aqkfd_import_dmabuf_args {
  uint64_t va_addr;
  uint64_t handle; /* out */
  uint32_t gpu_id, dmabuf_fd;
} aqkfd_import_dmabuf_args;

/* ---- events ---- */

enum { /* types */
       AQKFD_EVENT_SIGNAL = 0,
       AQKFD_EVENT_HARDWARE = 3,
       AQKFD_EVENT_DEBUG = 5,
       AQKFD_EVENT_MEMORY = 8,
};

enum { AQKFD_WAIT_COMPLETE, AQKFD_WAIT_TIMEOUT, AQKFD_WAIT_FAIL };

typedef struct aqkfd_create_event_args {
  uint64_t event_page_offset;  /* the handle of the page's block */
  uint32_t event_trigger_data; /* out */
  uint32_t event_type, auto_reset, node_id;
  uint32_t event_id, event_slot_index; /* out */
} aqkfd_create_event_args;

/* Of destroying, setting and resetting. */
typedef struct aqkfd_event_args {
  uint32_t event_id, pad;
} aqkfd_event_args;

typedef struct aqkfd_memory_exception {
  uint32_t not_present, read_only, no_execute, imprecise;
  uint64_t va;
  uint32_t gpu_id, error_type;
} aqkfd_memory_exception;

typedef struct aqkfd_hardware_exception {
  uint32_t reset_type; /* 1: of one engine */
  uint32_t reset_cause, memory_lost, gpu_id;
} aqkfd_hardware_exception;

typedef struct aqkfd_event_data {
  union {
    aqkfd_memory_exception memory;     /* out */
    aqkfd_hardware_exception hardware; /* out */
    uint64_t age; /* of a signal event that was seen, 0: none; out: it is now */
  };
  uint64_t more;
  uint32_t event_id, pad;
} aqkfd_event_data;

typedef struct aqkfd_wait_events_args {
  uint64_t events_ptr;
  uint32_t num_events, wait_for_all, timeout; /* ms; all ones: none */
  uint32_t wait_result;                       /* out */
} aqkfd_wait_events_args;

/* ---- shared virtual memory ---- */

enum {
  AQKFD_SVM_SET = 0, /* operations */
  AQKFD_SVM_GET = 1,
  AQKFD_SVM_FLAG_HOST = 1, /* flags */
  AQKFD_SVM_FLAG_COHERENT = 2,
  AQKFD_SVM_FLAG_READ_ONLY = 8,
  AQKFD_SVM_FLAG_EXECUTABLE = 16,
};

#define AQKFD_SVM_UNDEFINED UINT32_MAX /* a place; 0: the system's memory */

enum { /* attributes */
       AQKFD_SVM_PREFERRED,
       AQKFD_SVM_PREFETCH,
       AQKFD_SVM_ACCESS,
       AQKFD_SVM_IN_PLACE,
       AQKFD_SVM_NO_ACCESS,
       AQKFD_SVM_SET_FLAGS,
       AQKFD_SVM_CLEAR_FLAGS,
       AQKFD_SVM_GRANULARITY,
};

typedef struct aqkfd_svm_attribute {
  uint32_t type, value;
} aqkfd_svm_attribute;

typedef struct aqkfd_svm_args {
  uint64_t start_addr, size;
  uint32_t op, nattr;
  aqkfd_svm_attribute attrs[];
} aqkfd_svm_args;

/* ---- files, the runtime, the debugger ---- */

/* 0x24, since 1.12 */
typedef struct aqkfd_export_dmabuf {
  uint64_t handle;
  uint32_t flags;
  uint32_t fd; /* out */
} aqkfd_export_dmabuf;

/* Of AMD's own driver, which libhsakmt calls; no kernel's header has them. */
enum { AQKFD_IPC_IMPORT = 0x80, AQKFD_IPC_EXPORT = 0x81 };

typedef struct aqkfd_ipc_export_args {
  uint64_t handle;
  uint32_t share_handle[4]; /* out */
  uint32_t gpu_id, flags;
} aqkfd_ipc_export_args;

typedef struct aqkfd_ipc_import_args {
  uint64_t handle; /* out */
  uint64_t va_addr;
  uint64_t mmap_offset; /* out */
  uint32_t share_handle[4];
  uint32_t gpu_id;
  uint32_t flags; /* out: as exported */
} aqkfd_ipc_import_args;

/* 0x25, since 1.13 */
typedef struct aqkfd_runtime_enable {
  uint64_t debug;        /* address of the runtime's r_debug */
  uint32_t mode;         /* bits: 1 enable, 2 set up trap registers */
  uint32_t capabilities; /* out */
} aqkfd_runtime_enable;

/* 0x26, since 1.13 */
typedef struct aqkfd_debug_trap {
  uint32_t pid, operation;
  uint64_t data[4];
} aqkfd_debug_trap;

/* The area where waves of a queue are saved begins so. */
typedef struct aqkfd_save_header {
  uint32_t stack_offset, stack_size, state_offset, state_size; /* of waves */
  uint32_t debug_offset, debug_size;
  uint64_t error;       /* address of the queue's word of exceptions, or 0 */
  uint32_t error_event; /* to raise then, or 0 */
  uint32_t reserved;
} aqkfd_save_header;

_Static_assert(sizeof(aqkfd_export_dmabuf) == 16, "as the kernel has it");
_Static_assert(sizeof(aqkfd_ipc_export_args) == 32, "as libhsakmt has it");
_Static_assert(sizeof(aqkfd_ipc_import_args) == 48, "as libhsakmt has it");
_Static_assert(sizeof(aqkfd_runtime_enable) == 16, "as the kernel has it");
_Static_assert(sizeof(aqkfd_debug_trap) == 40, "as the kernel has it");
_Static_assert(sizeof(aqkfd_save_header) == 40, "as the kernel has it");

/* ---- the render node: calls of type 'd' that libdrm makes to open it ---- */

enum {
  AQKFD_RENDER_VERSION = 0x00,
  AQKFD_RENDER_CLIENT = 0x05,
  AQKFD_RENDER_INFO = 0x45,
  AQKFD_RENDER_MAJOR = 3, /* the version of the render node */
  AQKFD_RENDER_MINOR = 49,
};

typedef struct aqkfd_render_text {
  uint64_t size; /* bytes of room; out: of the text */
  char *text;
} aqkfd_render_text;

typedef struct aqkfd_render_version {
  int32_t major, minor, patch;
  aqkfd_render_text name, date, description;
} aqkfd_render_version;

typedef struct aqkfd_render_info {
  uint64_t out;
  uint32_t size, query;
  uint32_t more[4];
} aqkfd_render_info;

enum { /* queries */
       AQKFD_RENDER_ACCEL_WORKING = 0x00,
       AQKFD_RENDER_REGISTERS = 0x15,
       AQKFD_RENDER_DEVICE = 0x16,
};

typedef struct aqkfd_render_device {
  uint32_t device_id, chip_revision, external_revision, pci_revision, family;
  uint32_t engines, arrays, counter_khz;
  uint64_t engine_khz, memory_khz;
  uint32_t cus, always_on, cu_bitmap[16];
  uint32_t backends_mask, backends, contexts, pcie_generation;
  uint64_t flags, va_first, va_end;
  uint32_t va_align, fragment, page, constant_bytes, memory_type, memory_bits;
  uint32_t harvest, double_offchip;
  uint64_t buffers[4];
  uint32_t buffer_sizes[4];
  uint32_t wave_size, vgprs, cus_of_array, caches, geometry[3], pcie_lanes;
  uint32_t always_on_bitmap[16];
  uint64_t high_va_first, high_va_end;
} aqkfd_render_device;

_Static_assert(sizeof(aqkfd_render_version) == 64, "as the kernel has it");
_Static_assert(sizeof(aqkfd_render_info) == 32, "as the kernel has it");

/* Arguments of calls that are refused whatever they say. */
typedef struct aqkfd_none {
  uint32_t none;
} aqkfd_none;

#endif
