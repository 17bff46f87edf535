/* SPDX-License-Identifier: MIT */
/* Kernels that allocate, free and print by the device library (ockl), for code
 * objects of V5 and V6. test_device_memory.sh compiles them. */
#define KERNEL   __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL   __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
typedef unsigned long ulong;
void GLOBAL *__ockl_dm_alloc(ulong size);
void __ockl_dm_dealloc(ulong address);
ulong __ockl_fprintf_stdout_begin(void);
ulong __ockl_fprintf_append_string_n(ulong message, const char *text,
                                     ulong size, unsigned last);
ulong __ockl_fprintf_append_args(ulong message, unsigned count, ulong a,
                                 ulong b, ulong c, ulong d, ulong e, ulong f,
                                 ulong g, unsigned last);

KERNEL sum(unsigned count, unsigned GLOBAL *out)
{
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  unsigned GLOBAL *p = (unsigned GLOBAL *)__ockl_dm_alloc(count * 4ul);
  unsigned total = 0;
  for (unsigned i = 0; i < count; i++)
    p[i] = i;
  for (unsigned i = 0; i < count; i++)
    total += p[i];
  out[item] = total;
  __ockl_dm_dealloc((ulong)p);
  ulong m = __ockl_fprintf_stdout_begin();
  m = __ockl_fprintf_append_string_n(m, "item %u: %u\n", 13, 0);
  __ockl_fprintf_append_args(m, 2, item, total, 0, 0, 0, 0, 0, 1);
}

/* The device's heap: zeros at first, the same one for each dispatch. */
KERNEL heap(unsigned GLOBAL *out)
{
  const ulong CONSTANT *implicit =
      (const ulong CONSTANT *)__builtin_amdgcn_implicitarg_ptr();
  unsigned GLOBAL *head = (unsigned GLOBAL *)implicit[12];
  out[0] = ++head[0];
  out[1] = ++head[32767];
}
