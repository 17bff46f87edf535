/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/kernel_check.h"

static aq_status size_check(const aq_kernel_info *kernel, const char *what,
                            uint32_t given, uint32_t needed, aq_diag *diag)
{
  return given >= needed
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "kernel %.100s: %u bytes of %s are given; it needs "
                           "%u",
                           kernel->name, given, what, needed);
}

static aq_status workgroup_check(const aq_kernel_info *kernel,
                                 const uint16_t *given, aq_diag *diag)
{
  const uint32_t *wanted = kernel->workgroup;
  const uint64_t items = (uint64_t)given[0] * given[1] * given[2];
  if (wanted[0] &&
      (given[0] != wanted[0] || given[1] != wanted[1] || given[2] != wanted[2]))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel %.100s: the workgroup has %ux%ux%u work-items; "
                       "the kernel requires %ux%ux%u",
                       kernel->name, given[0], given[1], given[2], wanted[0],
                       wanted[1], wanted[2]);
  if (kernel->workgroup_max && items > kernel->workgroup_max)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "kernel %.100s: the workgroup has %llu work-items; the "
                       "kernel takes at most %u",
                       kernel->name, (unsigned long long)items,
                       kernel->workgroup_max);
  return AQ_OK;
}

aq_status aq_kernel_check(const aq_kernel_info *kernel,
                          const aq_kernel_given *given, aq_diag *diag)
{
  aq_status status = workgroup_check(kernel, given->workgroup, diag);
  if (status == AQ_OK)
    status = size_check(kernel, "arguments", given->kernarg_size,
                        kernel->kernarg_size, diag);
  if (status == AQ_OK)
    status = size_check(kernel, "group memory", given->group_size,
                        kernel->group_size, diag);
  if (status == AQ_OK)
    status = size_check(kernel, "private memory", given->private_size,
                        kernel->private_size, diag);
  return status;
}
