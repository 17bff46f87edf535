/* SPDX-License-Identifier: MIT */
/*
 * Plug-ins of kernels: host functions that stand for kernels of code objects on
 * the simulator, by name. A plug-in is a shared object that defines
 * aq_kernels_plugin (doc/kernels.md; doc/examples/kernels/ has one).
 *
 * A kernel has one of two functions. Both run when the simulated kernel ends,
 * on the thread that drives time, must not wait, and read their arguments from
 * the kernarg segment, laid out as the code object's metadata says (`aqueduct
 * show FILE.hsaco` prints it).
 *
 * - `function` is called once a dispatch and does the work of the whole grid.
 * - `workgroup` is called once a workgroup, x fastest, then y, then z, with the
 *   group segment. AQ_WORK_ITEMS loops over its work-items, in that order too.
 *   The end of such a loop is a barrier of the workgroup: the code behind it
 *   sees all effects of every work-item in it. A work-item keeps values across
 *   a barrier in an array by item.flat.
 *
 * Both find the variables of the program by aq_kernel_variable.
 *
 * A plug-in is refused, in a line that names both versions, unless its abi is
 * AQ_KERNELS_ABI: an older one has to be compiled again, a newer one needs a
 * newer program.
 */
#ifndef AQ_COMMON_KERNEL_H
#define AQ_COMMON_KERNEL_H

#include <stdbool.h>
#include <stdio.h>

#include "export.h"
#include "transport.h"

AQ_BEGIN_DECLS

#define AQ_KERNELS_ABI 5u

enum { AQ_WORK_ITEMS_MAX = 1024 }; /* of a workgroup, on every device */

/* One workgroup of a dispatch. Borrowed for the call. */
typedef struct aq_workgroup {
  const aq_kernel_call *call; /* packet, ticks */
  void *kernarg;              /* the arguments */
  uint32_t id[3];             /* which one it is */
  uint32_t groups[3];         /* how many there are */
  uint32_t full[3];           /* work-items of a whole one */
  uint32_t size[3];           /* of this one: the last may have fewer */
  uint32_t items;             /* the product of size */
  uint32_t lds_size;          /* bytes */
  /* The group segment, aligned to 16. Every byte is AQ_LDS_FILL when a
   * workgroup begins, so that a read of an unwritten byte shows. */
  void *lds;
} aq_workgroup;

enum { AQ_LDS_FILL = 0xa5 };

typedef struct aq_work_item {
  uint32_t id[3];     /* in its workgroup */
  uint32_t global[3]; /* in the grid */
  uint32_t flat;      /* x + size x * (y + size y * z), below group->items */
} aq_work_item;

/* Loops over the work-items of `group`, a const aq_workgroup *; `item` is the
 * name of an aq_work_item. */
#define AQ_WORK_ITEMS(item, group)                                             \
  for (aq_work_item item = aq_work_item_at(group, 0);                          \
       item.flat < (group)->items;                                             \
       item = aq_work_item_at(group, item.flat + 1))

static inline aq_work_item aq_work_item_at(const aq_workgroup *group,
                                           uint32_t flat)
{
  const uint32_t *size = group->size;
  aq_work_item item = {
      {flat % size[0], flat / size[0] % size[1], flat / size[0] / size[1]},
      {0, 0, 0},
      flat};
  for (int i = 0; i < 3; i++)
    item.global[i] = group->id[i] * group->full[i] + item.id[i];
  return item;
}

/* Stops the queue with a line of text, as a trap in the kernel does: for
 * arguments or sizes that the function cannot serve. The first one counts. */
static inline void aq_kernel_fail(const aq_kernel_call *call, const char *text)
{
  if (call->error && !call->error[0])
    snprintf(call->error, AQ_KERNEL_ERROR_SIZE, "%s", text);
}

/* The address of a variable of the program, __device__ or __constant__ in HIP:
 * of the code object that has the kernel, or another one of its executable, or
 * defined by the client. `name` is the symbol's (C++ mangles names in
 * namespaces), `size` is how many bytes the function uses of it. Of a managed
 * variable it is the address of the pointer to the data.
 *
 * NULL, after aq_kernel_fail with a line that says why: there is none, it is
 * smaller, or the kernel was registered without a code object.
 *
 * The memory is the executable's, shared with the device and the program: the
 * function may read and write it as device code may at the end of the kernel.
 * The address holds for the call; look it up in each. Call it from the host
 * function alone, on its thread: the look-up may take the runtime's lock. */
static inline void *aq_kernel_variable(const aq_kernel_call *call,
                                       const char *name, size_t size)
{
  char text[AQ_KERNEL_ERROR_SIZE];
  uint64_t bytes = 0;
  void *const at =
      call->scope ? call->scope->variable(call->scope, name, &bytes) : NULL;
  if (at && (bytes == 0 || bytes >= size))
    return at;
  if (at)
    snprintf(text, sizeof text,
             "variable %.40s has %llu bytes; its host function uses %llu", name,
             (unsigned long long)bytes, (unsigned long long)size);
  else
    snprintf(text, sizeof text,
             call->scope ? "its code object has no variable %.80s"
                         : "no code object has it: no variable %.80s",
             name);
  aq_kernel_fail(call, text);
  return NULL;
}

typedef struct aq_kernel_entry {
  const char *name; /* without ".kd" */
  void (*function)(const aq_kernel_call *call);
  aq_cost cost; /* how long it takes; all zero: the usual cost */
  void (*workgroup)(const aq_workgroup *group); /* instead of function */
} aq_kernel_entry;

typedef struct aq_kernels {
  uint32_t abi;  /* AQ_KERNELS_ABI */
  uint32_t size; /* sizeof(aq_kernels) */
  const char *name;
  const char *summary;            /* one line */
  const aq_kernel_entry *entries; /* a NULL name ends them */
} aq_kernels;

/* The definition in a plug-in (plug-ins only): its table, static. */
AQ_API const aq_kernels *aq_kernels_plugin(void);

AQ_END_DECLS

#endif
