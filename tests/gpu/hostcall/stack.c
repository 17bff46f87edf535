/* SPDX-License-Identifier: MIT */
/* Kernels that recur, with frames that do not fit into registers.
 * test_stack.sh compiles them. */
#define KERNEL   __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL   __attribute__((address_space(1)))
#define NOINLINE __attribute__((noinline))

static NOINLINE unsigned fibonacci(unsigned n)
{
  volatile unsigned frame[8];
  frame[n & 7] = n;
  return n < 2 ? frame[n & 7]
               : fibonacci(n - 1) + fibonacci(n - 2) + frame[n & 7] - n;
}

static NOINLINE unsigned depth(unsigned n)
{
  volatile unsigned frame[8];
  frame[n & 7] = n;
  return n == 0 ? frame[0] : 1 + depth(n - 1) + frame[n & 7] - n;
}

KERNEL recursive(unsigned GLOBAL *out, unsigned n)
{
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  out[item] = fibonacci(item % n);
}

KERNEL deep(unsigned GLOBAL *out, unsigned n)
{
  out[__builtin_amdgcn_workitem_id_x()] = depth(n);
}
