/* SPDX-License-Identifier: MIT */
/*
 * Code objects for users of the library: opening a file of compiled kernels,
 * looking kernels up by name, printing the metadata. A file is a code object,
 * an offload bundle, or an executable or library with such bundles.
 *
 * The bytes of an open code object go to module_load of a transport
 * (transport.h), whose kernel_lookup gives the object that packets name.
 *
 * Ownership: the caller closes a code object; all pointers that it returns are
 * valid until then. Thread rule: an open code object is constant, and any
 * number of threads may read it.
 */
#ifndef AQ_GPU_CODEOBJ_CODE_OBJECT_H
#define AQ_GPU_CODEOBJ_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "common/export.h"

AQ_BEGIN_DECLS

/* An argument in the metadata. Texts are NULL where it has none. */
typedef struct aq_code_arg {
  const char *name, *type; /* in the source */
  const char *kind;        /* "by_value", "global_buffer", "hidden_…" */
  const char *space;       /* address space of pointers: "global" */
  const char *access;      /* "read_only" … */
  uint32_t offset, size;   /* in the kernarg segment, bytes; lies within */
  bool hidden;             /* set by the runtime, not by the caller */
} aq_code_arg;

/* The 64 bytes that a packet's kernel_object points to. */
typedef struct aq_kernel_descriptor {
  uint32_t group_size, private_size, kernarg_size;
  uint32_t reserved0;
  int64_t entry_offset; /* of the code, from the descriptor */
  uint32_t reserved1[5];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties; /* AQ_KERNEL_* */
  uint16_t kernarg_preload;
  uint32_t reserved2;
} aq_kernel_descriptor;

enum { AQ_KERNEL_WAVE32 = 1 << 10, AQ_KERNEL_DYNAMIC_STACK = 1 << 11 };

typedef struct aq_code_kernel {
  const char *name;   /* "vadd", as host functions are named */
  const char *symbol; /* "vadd.kd"; of version 2 "vadd@kd" */
  bool has_metadata;  /* the fields from here on; else of the descriptor */
  uint32_t kernarg_size, kernarg_align;
  uint32_t group_size, private_size; /* bytes a workgroup, a work-item */
  uint32_t workgroup_max;            /* work-items, 0: not told */
  uint32_t workgroup[3];             /* required, or all 0 */
  uint32_t wave_size;
  uint32_t sgprs, vgprs, agprs;
  uint32_t sgpr_spills, vgpr_spills;
  bool dynamic_stack;
  const aq_code_arg *args;
  size_t arg_count;
  bool has_descriptor; /* the file defines its symbol */
  uint64_t address;    /* of the descriptor, in the file's address space */
  aq_kernel_descriptor descriptor;
} aq_code_kernel;

typedef struct aq_code_object aq_code_object;

typedef struct aq_code_object_info {
  const char *target; /* "gfx90a:sramecc+:xnack-" */
  uint32_t version;   /* of the code object: 2 to 6 */
  uint32_t metadata_version[2];
  const void *bytes; /* of the code object alone, for module_load */
  size_t size;
  const aq_code_kernel *kernels; /* in the order of the metadata */
  size_t kernel_count;
} aq_code_object_info;

/* Opens the code of a file for a device, named by its target id as
 * aq_device_info.gfx has it; NULL: the file is a single code object, for
 * whatever target. AQ_ERR_NOT_FOUND: the file cannot be read. AQ_ERR_INPUT: it
 * is damaged, has no code for the device (the line lists the targets that it
 * has), or is a bundle and `gfx` NULL. AQ_ERR_NO_MEMORY. */
AQ_API aq_status aq_code_object_open(const char *path, const char *gfx,
                                     aq_code_object **out, aq_diag *diag);

/* The same for a code object (no bundle) in memory, which is borrowed until
 * aq_code_object_close. AQ_ERR_INPUT, AQ_ERR_NO_MEMORY. */
AQ_API aq_status aq_code_object_parse(const void *bytes, size_t size,
                                      aq_code_object **out, aq_diag *diag);

/* Ends a code object; NULL is allowed. Loaded modules need it no longer. */
AQ_API void aq_code_object_close(aq_code_object *object);

/* The target, the bytes and all kernels of a code object. */
AQ_API const aq_code_object_info *
aq_code_object_describe(const aq_code_object *object);

/* A kernel by its name, without ".kd"; NULL: there is none. Of equal names the
 * first. */
AQ_API const aq_code_kernel *aq_code_object_kernel(const aq_code_object *object,
                                                   const char *name);

/* Prints a code object as `aqueduct show` does: calls `line` with each line,
 * which is borrowed for the call. Target, versions, then for each kernel its
 * sizes, registers and arguments. */
AQ_API void aq_code_object_print(const aq_code_object *object,
                                 void (*line)(const char *text, void *user),
                                 void *user);

AQ_END_DECLS

#endif
