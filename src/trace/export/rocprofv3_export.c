/* SPDX-License-Identifier: MIT */
/* The kernel_trace.csv of rocprofv3; see doc/formats/rocprofv3.md. */
#include "config.h"

#include <inttypes.h>

#include "trace/import/importers.h"
#include "trace/text/csv_writer.h"

static const char *const columns[] = {
    "Kind",
    "Agent_Id",
    "Queue_Id",
    "Stream_Id",
    "Thread_Id",
    "Dispatch_Id",
    "Kernel_Id",
    "Kernel_Name",
    "Correlation_Id",
    "Start_Timestamp",
    "End_Timestamp",
    "LDS_Block_Size",
    "Scratch_Size",
    "VGPR_Count",
    "Accum_VGPR_Count",
    "SGPR_Count",
    "Workgroup_Size_X",
    "Workgroup_Size_Y",
    "Workgroup_Size_Z",
    "Grid_Size_X",
    "Grid_Size_Y",
    "Grid_Size_Z",
};

static int64_t or_zero(int64_t value)
{
  return value == AQ_NONE ? 0 : value;
}

/* Whole nanoseconds of the source's clock. */
static int64_t stamp(const aq_trace_source *source, aq_time time)
{
  return or_zero(source->info->base_ns) + time / AQ_NS - (time % AQ_NS < 0);
}

/* Kernels only: the other files of a set hold the rest. */
static void put_row(aq_csv_writer *out, aq_trace_source *source,
                    const aq_record *row, int64_t number)
{
  if (row->kind != AQ_KIND_KERNEL || row->start == AQ_TIME_NONE ||
      row->end == AQ_TIME_NONE)
    return;
  char agent[32];
  const aq_run_device *device =
      row->device == AQ_NONE ? NULL : source->device(source, row->device);
  const aq_run_queue *queue =
      row->queue == AQ_NONE ? NULL : source->queue(source, row->queue);
  const char *name =
      row->name == AQ_NONE ? NULL : source->name(source, row->name);
  snprintf(agent, sizeof agent, "Agent %" PRId64,
           device ? device->source_id : 0);
  aq_csv_writer_text(out, "KERNEL_DISPATCH");
  aq_csv_writer_text(out, agent);
  aq_csv_writer_int(out, queue ? queue->source_id : 0);
  aq_csv_writer_int(out, or_zero(row->stream));
  aq_csv_writer_int(out, or_zero(row->tid));
  aq_csv_writer_int(out, number + 1); /* dispatches are numbered from 1 */
  aq_csv_writer_int(out, or_zero(row->name) + 1);
  aq_csv_writer_text(out, name ? name : "");
  aq_csv_writer_int(out, or_zero(row->correlation));
  aq_csv_writer_int(out, stamp(source, row->start));
  aq_csv_writer_int(out, stamp(source, row->end));
  const int64_t shape[] = {row->lds,    row->scratch, row->vgpr,  row->agpr,
                           row->sgpr,   row->wg_x,    row->wg_y,  row->wg_z,
                           row->grid_x, row->grid_y,  row->grid_z};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
    aq_csv_writer_int(out, or_zero(shape[i]));
  aq_csv_writer_row(out);
}

aq_status aq_rocprofv3_csv_export(aq_trace_source *source, FILE *file,
                                  aq_diag *diag)
{
  aq_csv_writer out = {.file = file};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    aq_csv_writer_text(&out, columns[i]);
  aq_csv_writer_row(&out);
  aq_status status = aq_csv_writer_rows(&out, source, put_row, diag);
  return status == AQ_OK ? aq_csv_writer_end(&out, diag) : status;
}
