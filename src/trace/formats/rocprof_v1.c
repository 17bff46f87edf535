/* SPDX-License-Identifier: MIT */
/* rocprof v1 results.csv; see doc/formats/rocprof-v1.md. */
#include "config.h"

#include "trace/import/importers.h"
#include "trace/text/csv_reader.h"

enum column {
  COLUMN_INDEX,
  COLUMN_NAME,
  COLUMN_GPU,
  COLUMN_QUEUE,
  COLUMN_PACKET,
  COLUMN_PID,
  COLUMN_TID,
  COLUMN_GRID,
  COLUMN_WG,
  COLUMN_LDS,
  COLUMN_SCRATCH,
  COLUMN_VGPR,
  COLUMN_AGPR,
  COLUMN_SGPR,
  COLUMN_WAVE,
  COLUMN_DISPATCH,
  COLUMN_BEGIN,
  COLUMN_END,
  COLUMN_COMPLETE,
};

/* The second name of a column is that of rocprof v2, and of
 * rocprofiler-compute, which renames v1's. */
static const aq_csv_column columns[] = {
    {COLUMN_INDEX, "Index", false},
    {COLUMN_INDEX, "Dispatch_ID", false},
    {COLUMN_NAME, "KernelName", true},
    {COLUMN_NAME, "Kernel_Name", false},
    {COLUMN_GPU, "gpu-id", false},
    {COLUMN_GPU, "GPU_ID", false},
    {COLUMN_QUEUE, "queue-id", false},
    {COLUMN_QUEUE, "Queue_ID", false},
    {COLUMN_PACKET, "queue-index", false},
    {COLUMN_PID, "pid", false},
    {COLUMN_PID, "PID", false},
    {COLUMN_TID, "tid", false},
    {COLUMN_TID, "TID", false},
    {COLUMN_GRID, "grd", false},
    {COLUMN_GRID, "Grid_Size", false},
    {COLUMN_WG, "wgr", false},
    {COLUMN_WG, "Workgroup_Size", false},
    {COLUMN_LDS, "lds", false},
    {COLUMN_LDS, "LDS_Per_Workgroup", false},
    {COLUMN_SCRATCH, "scr", false},
    {COLUMN_SCRATCH, "Scratch_Per_Workitem", false},
    {COLUMN_VGPR, "arch_vgpr", false},
    {COLUMN_VGPR, "Arch_VGPR", false},
    {COLUMN_VGPR, "vgpr", false},
    {COLUMN_AGPR, "accum_vgpr", false},
    {COLUMN_AGPR, "Accum_VGPR", false},
    {COLUMN_SGPR, "sgpr", false},
    {COLUMN_SGPR, "SGPR", false},
    {COLUMN_WAVE, "wave_size", false},
    {COLUMN_WAVE, "Wave_Size", false},
    {COLUMN_DISPATCH, "DispatchNs", false},
    {COLUMN_BEGIN, "BeginNs", true},
    {COLUMN_BEGIN, "Start_Timestamp", false},
    {COLUMN_END, "EndNs", true},
    {COLUMN_END, "End_Timestamp", false},
    {COLUMN_COMPLETE, "CompleteNs", false},
    {0, NULL, false},
};

typedef struct rocprof {
  aq_import *import;
  aq_csv csv;
  aq_map processes; /* pid -> 0, 1, 2… */
} rocprof;

/* Absent and 0 are a time that was not recorded. */
static aq_time optional_time(rocprof *r, int column)
{
  aq_tick tick;
  aq_time time;
  size_t length;
  if (!aq_csv_has(&r->csv, column))
    return AQ_TIME_NONE;
  const char *text = aq_csv_text(&r->csv, column, &length);
  const bool readable = aq_csv_tick(&r->csv, column, &tick);
  if (readable && tick.ns == 0)
    return AQ_TIME_NONE;
  if (readable && aq_import_time(r->import, tick, &time))
    return time;
  aq_import_fault(r->import, AQ_REPAIR_BAD_NUMBER, r->csv.names[column], text,
                  length);
  return AQ_TIME_NONE;
}

static bool read_times(rocprof *r, aq_record *row)
{
  row->submit = optional_time(r, COLUMN_DISPATCH);
  aq_tick begin, end;
  if (!aq_csv_tick(&r->csv, COLUMN_BEGIN, &begin) ||
      !aq_csv_tick(&r->csv, COLUMN_END, &end) ||
      !aq_import_between(r->import, begin, end, &row->start, &row->end))
    return false;
  if (row->submit > row->start) {
    aq_import_repair(r->import, AQ_REPAIR_CLOCK_OFFSET);
    row->submit = AQ_TIME_NONE;
  }
  row->complete = optional_time(r, COLUMN_COMPLETE);
  if (row->complete != AQ_TIME_NONE && row->complete < row->end) {
    /* The host's clock, of DispatchNs and CompleteNs, is not the device's. */
    aq_import_fault(r->import, AQ_REPAIR_CLOCK_ORDER, "CompleteNs before EndNs",
                    NULL, 0);
    row->submit = row->complete = AQ_TIME_NONE;
  }
  return true;
}

static aq_status read_place(rocprof *r, aq_record *row)
{
  const aq_csv *csv = &r->csv;
  row->pid = aq_csv_int(csv, COLUMN_PID);
  row->tid = aq_csv_int(csv, COLUMN_TID);
  int64_t gpu = aq_csv_int(csv, COLUMN_GPU);
  int64_t queue = aq_csv_int(csv, COLUMN_QUEUE);
  uint64_t process;
  aq_status status =
      aq_import_process(r->import, &r->processes, row->pid, &process);
  aq_run_device device = {.source_id = aq_import_device_id(r->import, gpu),
                          .cus = AQ_NONE};
  if (status == AQ_OK)
    status = aq_import_device(r->import, &device, &row->device);
  if (status == AQ_OK)
    status = aq_import_queue(
        r->import, row->device,
        aq_import_scoped(queue == AQ_NONE ? 0 : queue, process), &row->queue);
  return status;
}

static aq_status import_row(rocprof *r)
{
  aq_record row;
  aq_record_init(&row);
  if (!read_times(r, &row)) {
    aq_import_skip(r->import, "BeginNs and EndNs are not numbers in range",
                   NULL, 0);
    return AQ_OK;
  }
  row.kind = AQ_KIND_KERNEL;
  row.flags = 0;
  row.via = row.submit != AQ_TIME_NONE ? AQ_VIA_DIRECT : AQ_VIA_NONE;
  row.correlation = aq_csv_int(&r->csv, COLUMN_INDEX);
  row.packet = aq_csv_int(&r->csv, COLUMN_PACKET);
  const aq_csv *csv = &r->csv;
  row.grid_x = aq_csv_int(csv, COLUMN_GRID);
  row.wg_x = aq_csv_int(csv, COLUMN_WG);
  if (row.grid_x != AQ_NONE)
    row.grid_y = row.grid_z = 1;
  if (row.wg_x != AQ_NONE)
    row.wg_y = row.wg_z = 1;
  row.lds = aq_csv_int(csv, COLUMN_LDS);
  row.scratch = aq_csv_int(csv, COLUMN_SCRATCH);
  row.vgpr = aq_csv_int(csv, COLUMN_VGPR);
  row.agpr = aq_csv_int(csv, COLUMN_AGPR);
  row.sgpr = aq_csv_int(csv, COLUMN_SGPR);
  const int64_t wave = aq_csv_int(&r->csv, COLUMN_WAVE);
  if (wave == 32 || wave == 64) /* one kernel of 32 reveals RDNA */
    r->import->result->wave_size =
        r->import->result->wave_size == 32 ? 32 : wave;
  aq_status status = read_place(r, &row);
  size_t length;
  const char *name = aq_csv_text(&r->csv, COLUMN_NAME, &length);
  if (status == AQ_OK)
    status = aq_import_name(r->import, name, length, &row.name);
  if (status != AQ_OK)
    return status;
  bool again;
  status = aq_import_row_again(r->import, &row, &again);
  if (status != AQ_OK || again)
    return status;
  aq_import_order(r->import, &row);
  return aq_import_put(r->import, &row);
}

aq_status aq_rocprof_v1_import(aq_import *import, aq_correlation *join,
                               const aq_trace_files *files)
{
  (void)join; /* one file has it all */
  rocprof r = {.import = import};
  aq_stream_reader *reader;
  aq_status status =
      aq_trace_file_open(&files->files[0], &reader, import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_csv_init(&r.csv, r.import, reader, columns);
  if (status == AQ_OK) {
    bool got = true;
    while (status == AQ_OK) {
      status = aq_csv_next(&r.csv, &got);
      if (status != AQ_OK || !got)
        break;
      status = import_row(&r);
    }
    aq_csv_fini(&r.csv);
  }
  aq_stream_reader_close(reader);
  aq_map_fini(&r.processes);
  import->result->advice =
      "record dispatch times: rocprof --timestamp on -o results.csv PROGRAM";
  return status;
}
