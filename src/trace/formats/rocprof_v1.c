/* SPDX-License-Identifier: MIT */
/* rocprof v1 results.csv; see doc/formats/rocprof-v1.md. */
#include "config.h"

#include "trace/formats/rocprof_v1.h"

/* The second name of a column is that of rocprof v2, and of
 * rocprofiler-compute, which renames v1's. */
const aq_csv_column aq_rocprof_v1_columns[] = {
    {AQ_ROCPROF_V1_INDEX, "Index", false},
    {AQ_ROCPROF_V1_INDEX, "Dispatch_ID", false},
    {AQ_ROCPROF_V1_NAME, "KernelName", true},
    {AQ_ROCPROF_V1_NAME, "Kernel_Name", false},
    {AQ_ROCPROF_V1_GPU, "gpu-id", false},
    {AQ_ROCPROF_V1_GPU, "GPU_ID", false},
    {AQ_ROCPROF_V1_QUEUE, "queue-id", false},
    {AQ_ROCPROF_V1_QUEUE, "Queue_ID", false},
    {AQ_ROCPROF_V1_PACKET, "queue-index", false},
    {AQ_ROCPROF_V1_PID, "pid", false},
    {AQ_ROCPROF_V1_PID, "PID", false},
    {AQ_ROCPROF_V1_TID, "tid", false},
    {AQ_ROCPROF_V1_TID, "TID", false},
    {AQ_ROCPROF_V1_GRID, "grd", false},
    {AQ_ROCPROF_V1_GRID, "Grid_Size", false},
    {AQ_ROCPROF_V1_WG, "wgr", false},
    {AQ_ROCPROF_V1_WG, "Workgroup_Size", false},
    {AQ_ROCPROF_V1_LDS, "lds", false},
    {AQ_ROCPROF_V1_LDS, "LDS_Per_Workgroup", false},
    {AQ_ROCPROF_V1_SCRATCH, "scr", false},
    {AQ_ROCPROF_V1_SCRATCH, "Scratch_Per_Workitem", false},
    {AQ_ROCPROF_V1_VGPR, "arch_vgpr", false},
    {AQ_ROCPROF_V1_VGPR, "Arch_VGPR", false},
    {AQ_ROCPROF_V1_VGPR, "vgpr", false},
    {AQ_ROCPROF_V1_AGPR, "accum_vgpr", false},
    {AQ_ROCPROF_V1_AGPR, "Accum_VGPR", false},
    {AQ_ROCPROF_V1_SGPR, "sgpr", false},
    {AQ_ROCPROF_V1_SGPR, "SGPR", false},
    {AQ_ROCPROF_V1_WAVE, "wave_size", false},
    {AQ_ROCPROF_V1_WAVE, "Wave_Size", false},
    {AQ_ROCPROF_V1_DISPATCH, "DispatchNs", false},
    {AQ_ROCPROF_V1_BEGIN, "BeginNs", true},
    {AQ_ROCPROF_V1_BEGIN, "Start_Timestamp", false},
    {AQ_ROCPROF_V1_END, "EndNs", true},
    {AQ_ROCPROF_V1_END, "End_Timestamp", false},
    {AQ_ROCPROF_V1_COMPLETE, "CompleteNs", false},
    {0, NULL, false},
};

typedef struct rocprof {
  aq_import *import;
  aq_map *processes;
  const aq_rocprof_v1_cells *cells;
} rocprof;

static int64_t number(const rocprof *r, int column)
{
  return r->cells->number(r->cells->of, column);
}

static bool tick(const rocprof *r, int column, aq_tick *out)
{
  return r->cells->tick(r->cells->of, column, out);
}

/* Absent and 0 are a time that was not recorded. */
static aq_time optional_time(const rocprof *r, int column, const char *title)
{
  aq_tick at;
  aq_time time;
  size_t length;
  if (!r->cells->has(r->cells->of, column))
    return AQ_TIME_NONE;
  const bool readable = tick(r, column, &at);
  if (readable && at.ns == 0)
    return AQ_TIME_NONE;
  if (readable && aq_import_time(r->import, at, &time))
    return time;
  const char *text = r->cells->text(r->cells->of, column, &length);
  aq_import_fault(r->import, AQ_REPAIR_BAD_NUMBER, title, text, length);
  return AQ_TIME_NONE;
}

static bool read_times(const rocprof *r, aq_record *row)
{
  row->submit = optional_time(r, AQ_ROCPROF_V1_DISPATCH, "DispatchNs");
  aq_tick begin, end;
  if (!tick(r, AQ_ROCPROF_V1_BEGIN, &begin) ||
      !tick(r, AQ_ROCPROF_V1_END, &end) ||
      !aq_import_between(r->import, begin, end, &row->start, &row->end))
    return false;
  if (row->submit > row->start) {
    aq_import_repair(r->import, AQ_REPAIR_CLOCK_OFFSET);
    row->submit = AQ_TIME_NONE;
  }
  row->complete = optional_time(r, AQ_ROCPROF_V1_COMPLETE, "CompleteNs");
  if (row->complete != AQ_TIME_NONE && row->complete < row->end) {
    /* The host's clock, of DispatchNs and CompleteNs, is not the device's. */
    aq_import_fault(r->import, AQ_REPAIR_CLOCK_ORDER, "CompleteNs before EndNs",
                    NULL, 0);
    row->submit = row->complete = AQ_TIME_NONE;
  }
  return true;
}

static aq_status read_place(const rocprof *r, aq_record *row)
{
  row->pid = number(r, AQ_ROCPROF_V1_PID);
  row->tid = number(r, AQ_ROCPROF_V1_TID);
  int64_t gpu = number(r, AQ_ROCPROF_V1_GPU);
  int64_t queue = number(r, AQ_ROCPROF_V1_QUEUE);
  uint64_t process;
  aq_status status =
      aq_import_process(r->import, r->processes, row->pid, &process);
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

aq_status aq_rocprof_v1_row_add(aq_import *import, aq_map *processes,
                                const aq_rocprof_v1_cells *cells)
{
  const rocprof source = {import, processes, cells}, *r = &source;
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
  row.correlation = number(r, AQ_ROCPROF_V1_INDEX);
  row.packet = number(r, AQ_ROCPROF_V1_PACKET);
  row.grid_x = number(r, AQ_ROCPROF_V1_GRID);
  row.wg_x = number(r, AQ_ROCPROF_V1_WG);
  if (row.grid_x != AQ_NONE)
    row.grid_y = row.grid_z = 1;
  if (row.wg_x != AQ_NONE)
    row.wg_y = row.wg_z = 1;
  row.lds = number(r, AQ_ROCPROF_V1_LDS);
  row.scratch = number(r, AQ_ROCPROF_V1_SCRATCH);
  row.vgpr = number(r, AQ_ROCPROF_V1_VGPR);
  row.agpr = number(r, AQ_ROCPROF_V1_AGPR);
  row.sgpr = number(r, AQ_ROCPROF_V1_SGPR);
  const int64_t wave = number(r, AQ_ROCPROF_V1_WAVE);
  if (wave == 32 || wave == 64) /* one kernel of 32 reveals RDNA */
    r->import->result->wave_size =
        r->import->result->wave_size == 32 ? 32 : wave;
  aq_status status = read_place(r, &row);
  size_t length;
  const char *name = cells->text(cells->of, AQ_ROCPROF_V1_NAME, &length);
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

/* ---- results.csv ---- */

static bool csv_has(void *of, int column)
{
  return aq_csv_has(of, column);
}

static int64_t csv_number(void *of, int column)
{
  return aq_csv_int(of, column);
}

static bool csv_tick(void *of, int column, aq_tick *out)
{
  return aq_csv_tick(of, column, out);
}

static const char *csv_text(void *of, int column, size_t *length)
{
  return aq_csv_text(of, column, length);
}

aq_status aq_rocprof_v1_import(aq_import *import, aq_correlation *join,
                               const aq_trace_files *files)
{
  (void)join; /* one file has it all */
  aq_csv csv;
  const aq_rocprof_v1_cells cells = {&csv, csv_has, csv_number, csv_tick,
                                     csv_text};
  aq_map processes = AQ_MAP_INIT;
  aq_stream_reader *reader;
  aq_status status =
      aq_trace_file_open(&files->files[0], &reader, import->diag);
  if (status != AQ_OK)
    return status;
  status = aq_csv_init(&csv, import, reader, aq_rocprof_v1_columns);
  if (status == AQ_OK) {
    bool got = true;
    while (status == AQ_OK) {
      status = aq_csv_next(&csv, &got);
      if (status != AQ_OK || !got)
        break;
      status = aq_rocprof_v1_row_add(import, &processes, &cells);
    }
    aq_csv_fini(&csv);
  }
  aq_stream_reader_close(reader);
  aq_map_fini(&processes);
  import->result->advice =
      "record dispatch times: rocprof --timestamp on -o results.csv PROGRAM";
  return status;
}
