/* SPDX-License-Identifier: MIT */
/*
 * Kernels as transports know them: what one is registered with, what its host
 * function gets and how long it runs. Plain data; included by transport.h.
 */
#ifndef AQ_COMMON_KERNEL_DESC_H
#define AQ_COMMON_KERNEL_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "aql.h"
#include "export.h"
#include "time.h"

AQ_BEGIN_DECLS

enum { AQ_KERNEL_ERROR_SIZE = 128 };

/* The loaded code object of a kernel, as its host function sees it. It is the
 * loader's, which embeds it first, and lives as long as the code object is
 * loaded. */
typedef struct aq_kernel_scope aq_kernel_scope;
struct aq_kernel_scope {
  /* Where the host reaches the variable of a name that the code refers to;
   * `size` gets its bytes, 0: not known. NULL: there is none. Any thread; may
   * take the loader's lock. aq_kernel_variable of kernel.h is for plug-ins. */
  void *(*variable)(const aq_kernel_scope *scope, const char *name,
                    uint64_t *size);
};

/* The arguments of a host function that stands for a kernel. Borrowed for the
 * call. */
typedef struct aq_kernel_call {
  const aq_kernel_packet *packet;
  void *kernarg;
  void *user;     /* of aq_kernel_desc */
  uint64_t ticks; /* of the device's clock, when the kernel ends */
  /* An empty text of AQ_KERNEL_ERROR_SIZE bytes; one that is not empty when the
   * function returns stops the queue, as a trap does. NULL: not wanted. */
  char *error;
  const aq_kernel_scope *scope; /* of aq_kernel_desc, or of the transport */
} aq_kernel_call;

typedef enum aq_cost_kind {
  AQ_COST_FIXED,         /* base */
  AQ_COST_PER_WORKGROUP, /* base + per_workgroup × workgroups */
  AQ_COST_SPIN,          /* read from an aq_spin_args in the kernarg segment */
  /* Those below share the device with other kernels: each workgroup waits for
   * room on a compute unit. */
  AQ_COST_WORKGROUP,      /* base is how long a workgroup runs */
  AQ_COST_SPIN_WORKGROUP, /* an aq_spin_args says how long a workgroup runs */
  AQ_COST_OCCUPANCY,      /* detail->latency */
  AQ_COST_ROOFLINE,       /* detail->flops, detail->bytes */
} aq_cost_kind;

/* What some kinds need. Borrowed until the call returns. */
typedef struct aq_cost_detail {
  /* OCCUPANCY: how long a workgroup runs when a compute unit has n of them is
   * latency[n - 1] less `contained`; it never has more than `latency_count`. */
  const aq_time *latency;
  uint32_t latency_count;
  aq_time contained; /* launch and wait that were measured with it */
  /* ROOFLINE: of each workgroup. It does not wait for room, but shares the
   * memory's bandwidth with kernels of this kind and with copies. */
  uint64_t flops, bytes;
} aq_cost_detail;

/* How long a kernel runs from its first wave to its last. */
typedef struct aq_cost {
  aq_cost_kind kind;
  aq_time base;
  aq_time per_workgroup;
  const aq_cost_detail *detail; /* NULL where the kind needs none */
} aq_cost;

/* Whether the kernel arguments are an aq_spin_args. */
static inline bool aq_cost_is_spin(aq_cost_kind kind)
{
  return kind == AQ_COST_SPIN || kind == AQ_COST_SPIN_WORKGROUP;
}

typedef struct aq_kernel_desc {
  const char *name;
  void (*function)(const aq_kernel_call *call); /* NULL: timing only */
  void *user;
  aq_cost cost;
  uint32_t kernarg_size; /* bytes */
  uint32_t group_size;   /* static group segment, bytes */
  uint32_t private_size; /* bytes a work-item */
  uint16_t vgprs, sgprs;
  /* What packets name it by: the address of its descriptor in a loaded code
   * object, or 0: the transport chooses. A later kernel takes its place. */
  uint64_t object;
  uint16_t agprs;     /* accumulation registers; registers 0: not known */
  uint16_t wave_size; /* 0: the device's */
  /* `object` is the address of a kernel descriptor that lies in memory, with
   * its code behind it. Without a function, the transport's executor runs the
   * code. */
  bool code;
  /* Its cost is a prediction: records have AQ_FLAG_PREDICTED. */
  bool predicted;
  /* Work-items: of the largest workgroup, 0: not known; of the only workgroup
   * that it takes, or all 0. */
  uint32_t workgroup_max, workgroup[3];
  /* By which PM4 commands, which name no object, find it: the address of its
   * code, 0: not known, and which word of a wave's user data begins the address
   * of its arguments, AQ_KERNEL_NO_ARGS: none. */
  uint64_t entry;
  uint32_t kernarg_word;
  /* Where a host function finds variables. Borrowed until the kernel is
   * unregistered. NULL: in the transport's module that has `object`, if one
   * does. */
  const aq_kernel_scope *scope;
} aq_kernel_desc;

enum { AQ_KERNEL_NO_ARGS = 16 };

/* Bytes of a work-item's stack that a dispatch asks for where the compiler does
 * not know how many the kernel needs (dynamic stack: recursion, calls of
 * addresses): what code objects before V5 ask for themselves. */
enum { AQ_KERNEL_STACK = 16384 };

/* The source of a kernel's effect, where both are there. */
typedef enum aq_kernels_from {
  AQ_KERNELS_FROM_AUTO, /* its host function, else its code */
  AQ_KERNELS_FROM_HOST, /* host functions only */
  AQ_KERNELS_FROM_ISA,  /* its code only */
} aq_kernels_from;

/* Sizes and workgroups are 0 where they are not known. */
typedef struct aq_kernel_info {
  uint64_t object; /* for aq_kernel_packet.kernel_object */
  uint32_t kernarg_size, group_size, private_size;
  uint32_t workgroup_max, workgroup[3]; /* as in aq_kernel_desc */
  const char *name; /* the transport's, as long as it knows the kernel */
  bool code;        /* `object` is the address of its descriptor, which the
                       host reads; false: a host function alone */
  /* As in aq_kernel_desc; 0: not known, though a descriptor may have them. */
  uint16_t vgprs, agprs, sgprs, wave_size;
} aq_kernel_info;

AQ_END_DECLS

#endif
