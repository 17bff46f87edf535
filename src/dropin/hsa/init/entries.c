/* SPDX-License-Identifier: MIT */
/* The tables of tools (tools.h), and the exported functions: each jumps through
 * its slot, so that a tool sees calls of the client. Calls inside the library
 * do not pass here. In assembler, since the jump must keep all arguments. */
#include "config.h"

#include "dropin/hsa/base/ext_images.h"

#define SLOT(name) "slot_" #name ": .quad aqdrop_" #name "\n"

#if defined(__x86_64__)
#define JUMP(name)   "endbr64\njmp *slot_" #name "(%rip)\n"
#define DIRECT(name) "endbr64\njmp aqdrop_" #name "\n"
#elif defined(__aarch64__)
#define JUMP(name)                                                             \
  "hint #34\nadrp x16, slot_" #name "\nldr x16, [x16, #:lo12:slot_" #name      \
  "]\nbr x16\n"
#define DIRECT(name) "hint #34\nb aqdrop_" #name "\n"
#else
#error "write the jumps of this processor"
#endif

#define ENTRY(name, code)                                                      \
  ".globl " #name "\n.type " #name ", %function\n" #name                       \
  ":\n.cfi_startproc\n" code ".cfi_endproc\n.size " #name ", . - " #name "\n"

/* Version 1 of a table, its size in bytes, step 0. */
#define BEGIN(table)                                                           \
  ".pushsection .data.rel, \"aw\"\n.balign 16\n.globl aqdrop_table_" #table    \
  "\n.hidden aqdrop_table_" #table "\n.type aqdrop_table_" #table              \
  ", %object\naqdrop_table_" #table ":\n.long 1, end_" #table                  \
  " - aqdrop_table_" #table ", 0, 0\n"
#define END(table)                                                             \
  "end_" #table ":\n.size aqdrop_table_" #table ", end_" #table                \
  " - aqdrop_table_" #table "\n.popsection\n"

#define CORE(name)
#define AMD(name)
#define TOOL(name)
#define FINALIZER(name)
#define IMAGE(name)
#define A(name, slot)
#define N(name)

#undef CORE
#define CORE(name) SLOT(name)
__asm__(BEGIN(core)
#include "dropin/hsa/base/api_table.def"
            END(core));
#undef CORE
#define CORE(name)

#undef AMD
#undef TOOL
#define AMD(name)  SLOT(name)
#define TOOL(name) SLOT(name)
__asm__(BEGIN(amd)
#include "dropin/hsa/base/api_table.def"
            END(amd));
#undef AMD
#undef TOOL
#define AMD(name)
#define TOOL(name)

#undef FINALIZER
#define FINALIZER(name) SLOT(name)
__asm__(BEGIN(finalizer)
#include "dropin/hsa/base/api_table.def"
            END(finalizer));
#undef FINALIZER
#define FINALIZER(name)

#undef IMAGE
#define IMAGE(name) SLOT(name)
__asm__(BEGIN(image)
#include "dropin/hsa/base/api_table.def"
            END(image));

#undef CORE
#undef AMD
#undef FINALIZER
#undef IMAGE
#undef A
#undef N
#define CORE(name)      ENTRY(name, JUMP(name))
#define AMD(name)       ENTRY(name, JUMP(name))
#define FINALIZER(name) ENTRY(name, JUMP(name))
#define IMAGE(name)     ENTRY(name, JUMP(name))
#define A(name, slot)   ENTRY(name, JUMP(slot))
#define N(name)         ENTRY(name, DIRECT(name))
__asm__(".text\n"
#include "dropin/hsa/base/api_table.def"
);

/* ---- the table of the extension ---- */

/* Its clients call the exported functions, so that tools see them. */
#define IMAGE_FUNCTIONS(X)                                                     \
  X(hsa_ext_image_get_capability)                                              \
  X(hsa_ext_image_data_get_info)                                               \
  X(hsa_ext_image_create)                                                      \
  X(hsa_ext_image_destroy)                                                     \
  X(hsa_ext_image_copy)                                                        \
  X(hsa_ext_image_import)                                                      \
  X(hsa_ext_image_export)                                                      \
  X(hsa_ext_image_clear)                                                       \
  X(hsa_ext_sampler_create)                                                    \
  X(hsa_ext_sampler_destroy)                                                   \
  X(hsa_ext_image_get_capability_with_layout)                                  \
  X(hsa_ext_image_data_get_info_with_layout)                                   \
  X(hsa_ext_image_create_with_layout)

#define EXPORTED(function)                                                     \
  extern void entry_##function(void) __asm__(#function);
IMAGE_FUNCTIONS(EXPORTED)

#define FUNCTION(function) entry_##function,
static const aqdrop_any_function image_functions[AQDROP_IMAGE_FUNCTIONS] = {
    IMAGE_FUNCTIONS(FUNCTION)};

__attribute__((constructor)) static void image_functions_set(void)
{
  aqdrop_image_functions = image_functions;
}
