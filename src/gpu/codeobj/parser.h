/* SPDX-License-Identifier: MIT */
/*
 * A code object while it is read: codeobj.c reads segments, notes and symbols,
 * relocations.c relocations, names.c joins kernels and variables and sorts the
 * names. Within codeobj only; one thread.
 */
#ifndef AQ_GPU_CODEOBJ_PARSER_H
#define AQ_GPU_CODEOBJ_PARSER_H

#include "gpu/codeobj/codeobj.h"
#include "gpu/codeobj/elf.h"

typedef struct aq_code_reading {
  aq_elf elf;
  aq_codeobj *out; /* filled step by step */
  aq_codeobj_depth depth;
  aq_code_kernel *kernels; /* the kernels of `out`, writable */
  aq_code_symbol *symbols;
  aq_code_relocation *relocations; /* the relocations of `out`, writable */
  size_t relocation_capacity;
  uint64_t relocations_read; /* entries of all sections so far */
  uint32_t isa[3];           /* version 2: the note of the ISA, or all 0 */
  aq_diag *diag;             /* the words of failures; may be NULL */
} aq_code_reading;

/* Refuses an entry that lies outside of the file or of the segments. */
aq_status aq_code_damaged(aq_code_reading *file, const char *what,
                          uint64_t index);

/* Whether a range lies between the lowest and the highest loaded address. */
bool aq_code_is_loaded(const aq_code_reading *file, uint64_t address,
                       uint64_t size);

/* The bytes of the file at an address, or NULL. */
const unsigned char *aq_code_bytes(const aq_code_reading *file,
                                   uint64_t address, uint64_t size);

/* ---- code_object_v2.c ---- */

/* STT_AMDGPU_HSA_KERNEL, of a kernel's amd_kernel_code_t. */
enum { AQ_CODE_SYMBOL_KERNEL = 10 };

/* Reads a note whose owner is "AMD". */
aq_status aq_code_note_v2(aq_code_reading *file, uint32_t type,
                          const unsigned char *bytes, uint32_t size);

/* The symbol of a kernel as metadata name it, "vadd@kd"; NULL: no memory. */
const char *aq_code_symbol_v2(aq_code_reading *file, const char *name);

/* Reads the amd_kernel_code_t of a symbol; false: the file has it not. */
bool aq_code_descriptor_v2(const aq_code_reading *file,
                           const aq_code_symbol *symbol,
                           aq_code_kernel *kernel);

/* ---- relocations.c ---- */

/* Reads a section of relocations; its number names it in errors. */
aq_status aq_code_relocations_read(aq_code_reading *file,
                                   const Elf64_Shdr *table, uint64_t section);

/* ---- names.c ---- */

/* Joins the kernels of the metadata with their descriptors, and adds kernels
 * that only have a descriptor. */
aq_status aq_code_kernels_join(aq_code_reading *file);

/* Sorts kernels and symbols, for look-ups by name. */
aq_status aq_code_names_sort(aq_code_reading *file);

/* Joins managed variables with their pointers; after sorting. */
aq_status aq_code_managed_join(aq_code_reading *file);

#endif
