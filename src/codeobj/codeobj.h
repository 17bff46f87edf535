/* SPDX-License-Identifier: MIT */
/*
 * Code objects: what an ELF file of AMDGPU says of itself. Its target, its
 * kernels with descriptors and argument layouts, its segments, symbols and
 * relocations.
 *
 * The bytes may be anything: they are checked, and whatever is told lies within
 * them. All texts are copies, so the bytes are needed by those only who load
 * segments. One thread at a time.
 *
 * Reading needs libelf and msgpack-c; a build without them answers
 * AQ_ERR_UNSUPPORTED.
 */
#ifndef AQ_CODEOBJ_CODEOBJ_H
#define AQ_CODEOBJ_CODEOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codeobj/descriptor.h"
#include "codeobj/target.h"
#include "common/arena.h"
#include "common/diag.h"

/* An argument as the metadata tells it. Texts are NULL where it does not. */
typedef struct aq_code_arg {
  const char *name, *type; /* in the source */
  const char *kind;        /* "by_value", "global_buffer", "hidden_…" */
  const char *space;       /* address space of pointers: "global" */
  const char *access;      /* "read_only" … */
  uint32_t offset, size;   /* in the kernarg segment, bytes; lies within */
  bool hidden;             /* set by the runtime, not by the caller */
} aq_code_arg;

typedef struct aq_code_kernel {
  const char *name;   /* "vadd", as host functions are named */
  const char *symbol; /* "vadd.kd" */
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

/* What is loaded: file_size bytes from `offset`, then zeros. */
typedef struct aq_code_segment {
  uint64_t address, memory_size;
  uint64_t offset, file_size;
  bool executable, writable;
} aq_code_segment;

/* A symbol of the dynamic table with a definition. */
typedef struct aq_code_symbol {
  const char *name;
  uint64_t address, size;
  bool is_object; /* data: a variable or a descriptor */
} aq_code_symbol;

typedef struct aq_code_relocation {
  uint64_t address; /* of the 64 bits that change */
  int64_t addend;   /* they become base + addend, the symbol's address in it */
} aq_code_relocation;

typedef struct aq_codeobj {
  aq_target target;
  uint32_t version; /* of the code object: 3 to 6 */
  uint32_t metadata_version[2];
  const aq_code_kernel *kernels; /* in the order of the metadata */
  size_t kernel_count;
  const aq_code_segment *segments;
  size_t segment_count;
  const aq_code_symbol *symbols;
  size_t symbol_count;
  const aq_code_relocation *relocations;
  size_t relocation_count;
  aq_arena arena; /* owns all of it */
} aq_codeobj;

/* The segments together span no more: a damaged file may claim anything. */
#define AQ_CODEOBJ_SPAN_MAX (UINT64_C(1) << 32)

/* Whether bytes begin as a code object does, by its ELF header. */
bool aq_codeobj_is(const void *bytes, size_t size);

/* Reads a code object (no bundle). AQ_ERR_INPUT says what is wrong and where;
 * the caller prefixes the file. */
aq_status aq_codeobj_read(const void *bytes, size_t size, aq_codeobj *out,
                          aq_diag *diag);
void aq_codeobj_fini(aq_codeobj *codeobj);

/* By name, without ".kd", or NULL. */
const aq_code_kernel *aq_codeobj_kernel(const aq_codeobj *codeobj,
                                        const char *name);

#endif
