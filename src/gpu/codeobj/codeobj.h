/* SPDX-License-Identifier: MIT */
/*
 * Code objects: ELF files of AMDGPU. Their target, their kernels with
 * descriptors and argument layouts, its segments, symbols and relocations.
 *
 * The bytes may be anything: they are checked, and every part that is reported
 * lies within them. All texts are copies, so only loading segments (loader.h)
 * needs the bytes afterwards. Reading is a pure function; an aq_codeobj is
 * constant until aq_codeobj_fini, and any number of threads may read it.
 */
#ifndef AQ_GPU_CODEOBJ_CODEOBJ_H
#define AQ_GPU_CODEOBJ_CODEOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/diag.h"
#include "gpu/codeobj/code_object.h"
#include "gpu/codeobj/descriptor.h"
#include "gpu/codeobj/target.h"

/* A loaded segment: file_size bytes from `offset`, then zeros. */
typedef struct aq_code_segment {
  uint64_t address, memory_size;
  uint64_t offset, file_size;
  bool executable, writable;
} aq_code_segment;

/* A symbol of the dynamic table with a definition: a variable, a kernel's
 * descriptor or a function. */
typedef struct aq_code_symbol {
  const char *name;
  uint64_t address, size;
  bool is_object; /* data: a variable, a descriptor or is_code */
  bool is_const;  /* its section is not written to */
  /* A managed variable: `name` is a pointer that the runtime sets, this is
   * its target, "NAME.managed". Else NULL. */
  const struct aq_code_symbol *managed;
  const aq_code_kernel *kernel; /* of a descriptor, else NULL */
  bool is_code; /* version 2: an amd_kernel_code_t, the kernel's code behind */
} aq_code_symbol;

/* Relocation types of the ABI that a loader applies; the others are refused by
 * name. P is the place, S the symbol, A the addend, B the load bias. */
typedef enum aq_code_relocation_type {
  AQ_RELOC_ABS32_LO = 1, /* S + A, its low half */
  AQ_RELOC_ABS32_HI,     /* its high half */
  AQ_RELOC_ABS64,
  AQ_RELOC_REL32, /* S + A - P */
  AQ_RELOC_REL64,
  AQ_RELOC_ABS32,           /* S + A, which has to fit */
  AQ_RELOC_REL32_LO = 10,   /* S + A - P, its low half */
  AQ_RELOC_REL32_HI,        /* its high half */
  AQ_RELOC_RELATIVE64 = 13, /* B + A */
  AQ_RELOC_REL16,           /* (S + A - P - 4) / 4, which has to fit */
} aq_code_relocation_type;

typedef struct aq_code_relocation {
  uint64_t address; /* of the bytes that change; they lie in a segment */
  int64_t addend;
  uint64_t value; /* of the symbol, in the file's address space */
  aq_code_relocation_type type;
  bool is_absolute;      /* the value is not moved by the bias */
  bool is_weak;          /* without a definition it is 0 */
  const char *undefined; /* the symbol's name, if the file has it not */
} aq_code_relocation;

typedef struct aq_codeobj {
  aq_target target;
  uint32_t version; /* of the code object: 2 to 6 */
  uint32_t metadata_version[2];
  bool by_gcc; /* its compiler: a wave is a thread, a lane an element */
  const aq_code_kernel *kernels; /* in the order of the metadata */
  size_t kernel_count;
  const aq_code_kernel **kernels_by_name; /* sorted */
  const aq_code_segment *segments;
  size_t segment_count;
  uint64_t low, high; /* the range of the segments */
  uint64_t align;     /* of the segments, a power of two */
  const aq_code_symbol *symbols;
  size_t symbol_count;
  const aq_code_symbol **symbols_by_name; /* sorted */
  const aq_code_relocation *relocations;
  size_t relocation_count;
  aq_arena arena; /* owns all of it */
} aq_codeobj;

/* The segments together span no more: a damaged file may claim anything. */
#define AQ_CODEOBJ_SPAN_MAX (UINT64_C(1) << 32)

/* Whether bytes begin as a code object does, by its ELF header. */
bool aq_codeobj_is(const void *bytes, size_t size);

/* How much is read. */
typedef enum aq_codeobj_depth {
  AQ_CODEOBJ_ALL,
  AQ_CODEOBJ_DESCRIPTORS, /* no metadata: kernels as their descriptors say */
} aq_codeobj_depth;

/* Reads a code object (no bundle). AQ_ERR_INPUT names the error and its place;
 * the caller prefixes the file. `out` is written on success, and is the
 * caller's to end with aq_codeobj_fini. */
aq_status aq_codeobj_read(const void *bytes, size_t size, aq_codeobj *out,
                          aq_diag *diag);
aq_status aq_codeobj_read_to(const void *bytes, size_t size,
                             aq_codeobj_depth depth, aq_codeobj *out,
                             aq_diag *diag);
void aq_codeobj_fini(aq_codeobj *codeobj);

/* Bytes of private memory that a dispatch asks for a work-item: at least
 * AQ_KERNEL_STACK for kernels with a dynamic stack, as HIP does. */
uint32_t aq_code_kernel_private(const aq_code_kernel *kernel);

/* By name, without ".kd", or NULL. Of equal names the first. */
const aq_code_kernel *aq_codeobj_kernel(const aq_codeobj *codeobj,
                                        const char *name);

/* By the name or another form of it (aq_name_is); NULL: none, or
 * several, of which `*count` (or NULL) says how many. */
const aq_code_kernel *aq_codeobj_kernel_named(const aq_codeobj *codeobj,
                                              const char *text, size_t *count);

/* By name, or NULL. Of equal names the first. Kernels of version 2 by the name
 * in metadata too, "vadd@kd". */
const aq_code_symbol *aq_codeobj_symbol(const aq_codeobj *codeobj,
                                        const char *name);

#endif
