/* SPDX-License-Identifier: MIT */
/* The functions of malloc() in kernels, in loaded code. */
#include "config.h"

#include "gpu/check/core/heap.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/functions.h"

/* The library's functions, and wrappers in headers. */
static const struct {
  const char *name;
  aq_check_heap_role role;
} functions[] = {
    {"__ockl_dm_alloc", AQ_CHECK_HEAP_ALLOCATES},
    {"__ockl_dm_dealloc", AQ_CHECK_HEAP_FREES},
    {"malloc", AQ_CHECK_HEAP_WRAPS},
    {"free", AQ_CHECK_HEAP_WRAPS},
    {"_Znwm", AQ_CHECK_HEAP_WRAPS},
    {"_Znam", AQ_CHECK_HEAP_WRAPS},
    {"_ZdlPv", AQ_CHECK_HEAP_WRAPS},
    {"_ZdaPv", AQ_CHECK_HEAP_WRAPS},
};

static aq_check_heap_role role_of(const char *name)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return functions[i].role;
  return AQ_CHECK_HEAP_NONE;
}

/* Whether the metadata lists the runtime's part of malloc() for a kernel. */
static bool asks_runtime(const void *bytes, size_t size)
{
  aq_codeobj code;
  bool asks = false;
  if (aq_codeobj_read(bytes, size, &code, NULL) != AQ_OK)
    return false;
  for (size_t i = 0; i < code.kernel_count; i++)
    for (size_t k = 0; k < code.kernels[i].arg_count; k++) {
      const char *kind = code.kernels[i].args[k].kind;
      asks |= kind && (strcmp(kind, "hidden_hostcall_buffer") == 0 ||
                       strcmp(kind, "hidden_heap_v1") == 0);
    }
  aq_codeobj_fini(&code);
  return asks;
}

void aq_check_heap_code(aq_check *check, uint64_t base, uint64_t bias,
                        const aq_codeobj *code, const void *bytes, size_t size)
{
  enum {
    WANT = AQ_CHECK_MEMORY | AQ_CHECK_INIT | AQ_CHECK_RACE | AQ_CHECK_LEAK
  };
  aq_code_functions found;
  if (!(check->options.checks & WANT) ||
      aq_code_functions_read(bytes, size, code, &found, NULL) != AQ_OK)
    return;
  bool named = false; /* functions that are no kernels */
  for (size_t i = 0; i < found.count; i++) {
    const aq_code_function *f = &found.list[i];
    named |= !f->kernel;
    const aq_check_heap_function made = {.base = base,
                                         .first = f->address + bias,
                                         .end = f->address + bias + f->size,
                                         .role = role_of(f->name)};
    if (made.role != AQ_CHECK_HEAP_NONE &&
        !AQ_ARRAY_PUSH(check->heap, check->heap_count, check->heap_capacity,
                       made))
      check->lost = true;
  }
  check->heap_unseen += !named && asks_runtime(bytes, size);
  aq_code_functions_fini(&found);
}

void aq_check_heap_code_gone(aq_check *check, uint64_t base)
{
  for (size_t i = 0; i < check->heap_count; i++)
    if (check->heap[i].base == base)
      check->heap[i--] = check->heap[--check->heap_count];
}

bool aq_check_heap_jumps(const aq_isa_inst *inst)
{
  return strcmp(inst->row->name, "s_swappc_b64") == 0 ||
         strcmp(inst->row->name, "s_setpc_b64") == 0;
}

aq_check_heap_role aq_check_heap_role_at(const aq_check *check, uint64_t pc,
                                         bool begins)
{
  for (size_t i = 0; i < check->heap_count; i++) {
    const aq_check_heap_function *f = &check->heap[i];
    if (pc == f->first || (!begins && pc > f->first && pc < f->end))
      return f->role;
  }
  return AQ_CHECK_HEAP_NONE;
}

void aq_check_heap_fini(aq_check *check)
{
  for (size_t i = 0; i < check->known_count; i++)
    aq_check_heap_drop(&check->known[i]);
  free(check->heap);
}
