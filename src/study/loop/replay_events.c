/* SPDX-License-Identifier: MIT */
/* Packets of events that PyTorch sends behind a collective, which no trace
 * shows.
 *
 * ProcessGroupNCCL::collective records two events behind each kernel of RCCL:
 * that of its end, which Work::wait awaits, and that of its future.
 * DistributedDataParallel reduces gradients and awaits the futures. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/duration/rccl_name.h"
#include "study/loop/replay_priv.h"

bool aq_replay_is_collective(const aq_replay *r, const aq_record *row,
                             const char *name)
{
  return r->options.collective_events && row->kind == AQ_KIND_KERNEL &&
         row->via == AQ_VIA_DIRECT && name && aq_kernel_is_of_rccl(name);
}

aq_status aq_replay_range_add(aq_replay *r, const aq_record *row, aq_diag *diag)
{
  const char *name = row->name < 0 ? NULL : r->input->name(r->input, row->name);
  if (!name || !r->options.collective_events)
    return AQ_OK;
  r->gradients |= strcmp(name, "DistributedDataParallel.forward") == 0;
  if (strcmp(name, "nccl:all_reduce") != 0)
    return AQ_OK;
  return AQ_ARRAY_PUSH(r->ranges, r->range_count, r->range_capacity,
                       (aq_replay_range){.begin = row->host_begin,
                                         .end = row->host_end,
                                         .pid = row->pid,
                                         .tid = row->tid})
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

static bool is_all_reduce(const aq_replay *r, const aq_replay_row *row)
{
  for (size_t i = 0; i < r->range_count; i++) {
    const aq_replay_range *range = &r->ranges[i];
    if (range->pid == row->pid && range->tid == row->tid &&
        range->begin <= row->host_begin && row->host_begin < range->end)
      return true;
  }
  return false;
}

void aq_replay_futures_find(aq_replay *r)
{
  for (size_t i = 0; i < r->row_count && r->gradients; i++)
    r->rows[i].future = r->rows[i].collective && is_all_reduce(r, &r->rows[i]);
}
