/* SPDX-License-Identifier: MIT */
/* The set of CSV files of a rocprofv3 run; see doc/formats/rocprofv3.md. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "trace/formats/rocprofv3.h"
#include "trace/text/csv_reader.h"

enum column {
  COLUMN_DOMAIN,
  COLUMN_FUNCTION,
  COLUMN_PID,
  COLUMN_TID,
  COLUMN_CORRELATION,
  COLUMN_START,
  COLUMN_END,
  COLUMN_AGENT,
  COLUMN_QUEUE,
  COLUMN_STREAM,
  COLUMN_DISPATCH,
  COLUMN_NAME,
  COLUMN_LDS,
  COLUMN_SCRATCH,
  COLUMN_VGPR,
  COLUMN_AGPR,
  COLUMN_SGPR,
  COLUMN_WG_X,
  COLUMN_WG_Y,
  COLUMN_WG_Z,
  COLUMN_GRID_X,
  COLUMN_GRID_Y,
  COLUMN_GRID_Z,
  COLUMN_DIRECTION,
  COLUMN_SOURCE,
  COLUMN_DESTINATION,
  COLUMN_BYTES,
  COLUMN_NODE,
  COLUMN_LOGICAL,
  COLUMN_TYPE,
  COLUMN_CUS,
  COLUMN_PRODUCT,
  COLUMN_GUID,
  COLUMN_OPERATION,
  COLUMN_ADDRESS,
  COLUMN_COUNT,
};
_Static_assert((int)COLUMN_COUNT <= (int)AQ_CSV_IDS,
               "every column has a place");

static const aq_csv_column call_columns[] = {
    {COLUMN_GUID, "Guid", false},
    {COLUMN_DOMAIN, "Domain", true},
    {COLUMN_FUNCTION, "Function", true},
    {COLUMN_PID, "Process_Id", false},
    {COLUMN_TID, "Thread_Id", false},
    {COLUMN_CORRELATION, "Correlation_Id", true},
    {COLUMN_START, "Start_Timestamp", true},
    {COLUMN_END, "End_Timestamp", true},
    {0, NULL, false},
};

static const aq_csv_column kernel_columns[] = {
    {COLUMN_GUID, "Guid", false},
    {COLUMN_AGENT, "Agent_Id", true},
    {COLUMN_QUEUE, "Queue_Id", true},
    {COLUMN_STREAM, "Stream_Id", false},
    {COLUMN_PID, "Process_Id", false},
    {COLUMN_TID, "Thread_Id", false},
    {COLUMN_DISPATCH, "Dispatch_Id", false},
    {COLUMN_NAME, "Kernel_Name", true},
    {COLUMN_CORRELATION, "Correlation_Id", true},
    {COLUMN_START, "Start_Timestamp", true},
    {COLUMN_END, "End_Timestamp", true},
    {COLUMN_LDS, "LDS_Block_Size", false},
    {COLUMN_LDS, "Group_Segment_Size", false},
    {COLUMN_SCRATCH, "Scratch_Size", false},
    {COLUMN_SCRATCH, "Private_Segment_Size", false},
    {COLUMN_VGPR, "VGPR_Count", false},
    {COLUMN_AGPR, "Accum_VGPR_Count", false},
    {COLUMN_SGPR, "SGPR_Count", false},
    {COLUMN_WG_X, "Workgroup_Size_X", false},
    {COLUMN_WG_Y, "Workgroup_Size_Y", false},
    {COLUMN_WG_Z, "Workgroup_Size_Z", false},
    {COLUMN_GRID_X, "Grid_Size_X", false},
    {COLUMN_GRID_Y, "Grid_Size_Y", false},
    {COLUMN_GRID_Z, "Grid_Size_Z", false},
    /* counter_collection.csv has one number for all dimensions */
    {COLUMN_WG_X, "Workgroup_Size", false},
    {COLUMN_GRID_X, "Grid_Size", false},
    {0, NULL, false},
};

static const aq_csv_column copy_columns[] = {
    {COLUMN_GUID, "Guid", false},
    {COLUMN_DIRECTION, "Direction", true},
    {COLUMN_STREAM, "Stream_Id", false},
    {COLUMN_SOURCE, "Source_Agent_Id", false},
    {COLUMN_DESTINATION, "Destination_Agent_Id", false},
    {COLUMN_TID, "Thread_Id", false},
    {COLUMN_BYTES, "Bytes", false},
    {COLUMN_CORRELATION, "Correlation_Id", true},
    {COLUMN_START, "Start_Timestamp", true},
    {COLUMN_END, "End_Timestamp", true},
    {0, NULL, false},
};

static const aq_csv_column allocation_columns[] = {
    {COLUMN_GUID, "Guid", false},
    {COLUMN_OPERATION, "Operation", true},
    {COLUMN_AGENT, "Agent_Id", true},
    {COLUMN_BYTES, "Allocation_Size", true},
    {COLUMN_ADDRESS, "Address", true},
    {COLUMN_START, "Start_Timestamp", true},
    {COLUMN_END, "End_Timestamp", true},
    {0, NULL, false},
};

static const aq_csv_column agent_columns[] = {
    {COLUMN_NODE, "Node_Id", true},
    {COLUMN_LOGICAL, "Logical_Node_Id", false},
    {COLUMN_TYPE, "Agent_Type", true},
    {COLUMN_CUS, "Cu_Count", false},
    {COLUMN_NAME, "Name", false},
    {COLUMN_PRODUCT, "Product_Name", false},
    {0, NULL, false},
};

typedef struct csv_set {
  aq_import *import;
  aq_correlation *join;
  const aq_trace_file *file; /* that is being read */
  aq_csv csv;
  aq_agents agents; /* by node id and machine */
  aq_map labels;    /* GPU number and machine -> node id */
  aq_map logical;   /* logical node and machine -> node id */
  uint64_t gpus;    /* of the file that is being read */
  aq_map kernels;   /* dispatches that have a row → its start */
  aq_map counted;   /* dispatches of counters that have a row → name */
  aq_names names;   /* of kernels with counters */
  aq_names guids;   /* of processes, where several are in one file */
  unsigned processes;
  uint64_t kernel_files, counter_files;
} csv_set;

/* The process of a row: rocpd's conversion of several databases writes their
 * rows to one file, told apart by a Guid. */
static aq_status process_of(csv_set *set, uint64_t *process)
{
  size_t length;
  const char *guid = aq_csv_text(&set->csv, COLUMN_GUID, &length);
  *process = set->file->process;
  if (length == 0)
    return AQ_OK;
  const int64_t id = aq_names_id(&set->guids, guid, length);
  if (id < 0)
    return aq_diag_no_memory(set->import->diag);
  *process = set->processes + (uint64_t)id;
  return AQ_OK;
}

/* ---- agents ---- */

static uint64_t scoped(const csv_set *set, int64_t id)
{
  return (uint64_t)aq_import_scoped(id, set->file->host);
}

static bool type_is_gpu(const char *text, size_t length)
{
  return length >= 3 && toupper((unsigned char)text[0]) == 'G';
}

static aq_status agent_row(csv_set *set)
{
  const aq_csv *csv = &set->csv;
  int64_t node = aq_csv_int(csv, COLUMN_NODE);
  int64_t logical = aq_csv_int(csv, COLUMN_LOGICAL);
  size_t length, name_length;
  const char *type = aq_csv_text(csv, COLUMN_TYPE, &length);
  if (node == AQ_NONE)
    return AQ_OK;
  aq_agent agent = {.id = (int64_t)scoped(set, node),
                    .gpu = type_is_gpu(type, length),
                    .cus = aq_csv_int(csv, COLUMN_CUS)};
  agent.gfx = aq_csv_text(csv, COLUMN_NAME, &length);
  agent.name = aq_csv_text(csv, COLUMN_PRODUCT, &name_length);
  aq_status status =
      aq_agents_add(&set->agents, set->import, agent, name_length, length);
  if (status != AQ_OK || !agent.gpu)
    return status;
  bool kept = aq_map_put(&set->labels, scoped(set, (int64_t)set->gpus++),
                         (uint64_t)node);
  if (logical != AQ_NONE)
    kept &= aq_map_put(&set->logical, scoped(set, logical), (uint64_t)node);
  return kept ? AQ_OK : aq_diag_no_memory(set->import->diag);
}

/* The node id that "Agent 4", "Agent-4", "4" or "GPU 0" means. */
static int64_t agent_id(const csv_set *set, int column)
{
  size_t length, digits = 0;
  const char *text = aq_csv_text(&set->csv, column, &length);
  while (digits < length && !isdigit((unsigned char)text[digits]))
    digits++;
  size_t end = digits;
  while (end < length && isdigit((unsigned char)text[end]))
    end++;
  int64_t number;
  uint64_t node;
  if (!aq_decimal_int(text + digits, end - digits, &number))
    return AQ_NONE;
  if (type_is_gpu(text, length) || toupper((unsigned char)text[0]) == 'C')
    return type_is_gpu(text, length) &&
                   aq_map_get(&set->labels, scoped(set, number), &node)
               ? (int64_t)scoped(set, (int64_t)node)
               : (int64_t)scoped(set, number);
  int64_t id = (int64_t)scoped(set, number);
  const aq_agent *agent = aq_agents_find(&set->agents, id);
  if (!(agent && agent->gpu) &&
      aq_map_get(&set->logical, scoped(set, number), &node))
    return (int64_t)scoped(set, (int64_t)node);
  return id;
}

/* ---- rows ---- */

/* roctx: a mark begins where it ends. MARKER_CONTROL and MARKER_NAME mark
 * nothing. */
static aq_status range_row(csv_set *set)
{
  const aq_csv *csv = &set->csv;
  aq_range range = {.pid = aq_csv_int(csv, COLUMN_PID),
                    .tid = aq_csv_int(csv, COLUMN_TID)};
  size_t length;
  const char *name = aq_csv_text(csv, COLUMN_FUNCTION, &length);
  if (range.pid == AQ_NONE)
    range.pid = set->file->pid;
  if (aq_csv_tick(csv, COLUMN_START, &range.begin) &&
      aq_csv_tick(csv, COLUMN_END, &range.end))
    return aq_ranges_add(set->import, range, name, length);
  aq_import_skip(set->import, "timestamps are not numbers in range", NULL, 0);
  return AQ_OK;
}

static aq_status call_row(csv_set *set)
{
  static const char marker[] = "MARKER_CORE";
  const aq_csv *csv = &set->csv;
  aq_rocprofv3_call call = {0};
  size_t length;
  const char *domain = aq_csv_text(csv, COLUMN_DOMAIN, &length);
  if (length >= strlen(marker) &&
      strncasecmp(domain, marker, strlen(marker)) == 0)
    return range_row(set);
  if (length < 3 || (strncasecmp(domain, "HIP", 3) != 0 &&
                     strncasecmp(domain, "HSA", 3) != 0))
    return AQ_OK;
  call.name = aq_csv_text(csv, COLUMN_FUNCTION, &call.name_length);
  call.correlation = aq_csv_int(csv, COLUMN_CORRELATION);
  call.pid = aq_csv_int(csv, COLUMN_PID);
  call.tid = aq_csv_int(csv, COLUMN_TID);
  if (!aq_csv_tick(csv, COLUMN_START, &call.begin) ||
      !aq_csv_tick(csv, COLUMN_END, &call.end)) {
    aq_import_skip(set->import, "timestamps are not numbers in range", NULL, 0);
    return AQ_OK;
  }
  aq_status status = process_of(set, &call.process);
  return status == AQ_OK ? aq_rocprofv3_call_add(set->import, set->join, &call)
                         : status;
}

/* What kernels and copies share; false where a time cannot be read. */
static bool read_common(csv_set *set, aq_record *row, int kind)
{
  const aq_csv *csv = &set->csv;
  aq_tick start, end;
  aq_record_init(row);
  if (!aq_csv_tick(csv, COLUMN_START, &start) ||
      !aq_csv_tick(csv, COLUMN_END, &end) ||
      !aq_import_between(set->import, start, end, &row->start, &row->end)) {
    aq_import_skip(set->import, "timestamps are not numbers in range", NULL, 0);
    return false;
  }
  row->kind = kind;
  row->flags = 0;
  row->correlation = aq_csv_int(csv, COLUMN_CORRELATION);
  row->stream = aq_csv_int(csv, COLUMN_STREAM);
  row->tid = aq_csv_int(csv, COLUMN_TID);
  row->pid = aq_csv_int(csv, COLUMN_PID);
  if (row->pid == AQ_NONE)
    row->pid = set->file->pid;
  return true;
}

/* One number stands for all dimensions. */
static void shape_complete(const aq_csv *csv, aq_record *row)
{
  if (!aq_csv_has(csv, COLUMN_GRID_Y) && row->grid_x != AQ_NONE)
    row->grid_y = row->grid_z = 1;
  if (!aq_csv_has(csv, COLUMN_WG_Y) && row->wg_x != AQ_NONE)
    row->wg_y = row->wg_z = 1;
}

static aq_status kernel_row(csv_set *set)
{
  const aq_csv *csv = &set->csv;
  aq_record row;
  if (!read_common(set, &row, AQ_KIND_KERNEL))
    return AQ_OK;
  row.lds = aq_csv_int(csv, COLUMN_LDS);
  row.scratch = aq_csv_int(csv, COLUMN_SCRATCH);
  row.vgpr = aq_csv_int(csv, COLUMN_VGPR);
  row.agpr = aq_csv_int(csv, COLUMN_AGPR);
  row.sgpr = aq_csv_int(csv, COLUMN_SGPR);
  row.wg_x = aq_csv_int(csv, COLUMN_WG_X);
  row.wg_y = aq_csv_int(csv, COLUMN_WG_Y);
  row.wg_z = aq_csv_int(csv, COLUMN_WG_Z);
  row.grid_x = aq_csv_int(csv, COLUMN_GRID_X);
  row.grid_y = aq_csv_int(csv, COLUMN_GRID_Y);
  row.grid_z = aq_csv_int(csv, COLUMN_GRID_Z);
  shape_complete(csv, &row);
  aq_status status = aq_agents_device(&set->agents, set->import,
                                      agent_id(set, COLUMN_AGENT), &row.device);
  uint64_t process;
  if (status == AQ_OK)
    status = process_of(set, &process);
  if (status == AQ_OK)
    status = aq_rocprofv3_dispatch_note(set->import, &set->kernels,
                                        aq_csv_int(csv, COLUMN_DISPATCH),
                                        process, row.start, "Dispatch_Id");
  if (status != AQ_OK)
    return status;
  size_t length;
  const char *name = aq_csv_text(csv, COLUMN_NAME, &length);
  return aq_rocprofv3_row_add(set->import, set->join, &row, process,
                              aq_csv_int(csv, COLUMN_QUEUE), name, length);
}

/* A counter of a dispatch: the first is the dispatch's row, where no file of
 * kernels has one. */
static aq_status counter_row(csv_set *set)
{
  const int64_t dispatch = aq_csv_int(&set->csv, COLUMN_DISPATCH);
  uint64_t process, known;
  aq_status status = process_of(set, &process);
  if (status != AQ_OK)
    return status;
  const uint64_t key = (uint64_t)aq_import_scoped(dispatch, process);
  size_t length;
  const char *text = aq_csv_text(&set->csv, COLUMN_NAME, &length);
  const int64_t name = aq_names_id(&set->names, text, length);
  if (name < 0)
    return aq_diag_no_memory(set->import->diag);
  if (dispatch == AQ_NONE) {
    aq_import_skip(set->import, "no Dispatch_Id", NULL, 0);
    return AQ_OK;
  }
  const bool has_row = aq_map_get(&set->counted, key, &known);
  if (set->file->pass > 0 && set->kernel_files == 0 &&
      !(has_row && known == (uint64_t)name)) {
    aq_import_fault(set->import, AQ_REPAIR_OTHER_PASS, "kernel", text, length);
    return AQ_OK;
  }
  if (set->kernel_files > 0 || has_row) {
    aq_import_repair(set->import, AQ_REPAIR_COUNTER_ROW);
    return AQ_OK;
  }
  return aq_map_put(&set->counted, key, (uint64_t)name)
             ? kernel_row(set)
             : aq_diag_no_memory(set->import->diag);
}

static aq_status copy_row(csv_set *set)
{
  const aq_csv *csv = &set->csv;
  aq_record row;
  if (!read_common(set, &row, AQ_KIND_COPY))
    return AQ_OK;
  row.bytes = aq_csv_int(csv, COLUMN_BYTES);
  size_t length;
  const char *direction = aq_csv_text(csv, COLUMN_DIRECTION, &length);
  int64_t gpu =
      aq_agents_copy_gpu(&set->agents, agent_id(set, COLUMN_SOURCE),
                         agent_id(set, COLUMN_DESTINATION), direction, length);
  if (aq_rocprofv3_is_host_copy(direction, length))
    return aq_import_host_copy_skip(set->import, direction, length);
  uint64_t process;
  aq_status status =
      aq_agents_device(&set->agents, set->import, gpu, &row.device);
  if (status == AQ_OK)
    status = process_of(set, &process);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(set->import, set->join, &row, process,
                              aq_rocprofv3_copy_queue(row.stream), direction,
                              length);
}

static aq_status allocation_row(csv_set *set)
{
  const aq_csv *csv = &set->csv;
  aq_rocprofv3_allocation a = {.agent = agent_id(set, COLUMN_AGENT),
                               .bytes = aq_csv_int(csv, COLUMN_BYTES),
                               .address = aq_csv_int(csv, COLUMN_ADDRESS),
                               .pid = set->file->pid,
                               .tid = AQ_NONE};
  a.operation = aq_csv_text(csv, COLUMN_OPERATION, &a.operation_length);
  a.timed = aq_csv_tick(csv, COLUMN_START, &a.begin) &&
            aq_csv_tick(csv, COLUMN_END, &a.end);
  aq_status status = process_of(set, &a.process);
  return status == AQ_OK
             ? aq_rocprofv3_allocation_add(set->import, &set->agents, &a)
             : status;
}

/* ---- files ---- */

/* The files of a set. A file is of the first kind whose two columns it has. */
static const struct kind {
  const char *has[2];
  const aq_csv_column *columns;
  aq_status (*row)(csv_set *set);
} kinds[] = {
    {{"Node_Id", "Agent_Type"}, agent_columns, agent_row},
    {{"Domain", "Function"}, call_columns, call_row},
    {{"Counter_Name", "Kernel_Name"}, kernel_columns, counter_row},
    {{"Kernel_Name", "Correlation_Id"}, kernel_columns, kernel_row},
    {{"Kind", "Direction"}, copy_columns, copy_row},
    {{"Allocation_Size", "Address"}, allocation_columns, allocation_row},
};

enum {
  KIND_AGENTS,
  KIND_CALLS,
  KIND_COUNTERS,
  KIND_KERNELS,
  KIND_COPIES,
  KIND_ALLOCATIONS,
  KIND_COUNT
};
_Static_assert(sizeof kinds / sizeof *kinds == KIND_COUNT,
               "every kind has a number");

/* Agents and calls are read first, since rows refer to them; counters behind
 * kernels, since they are rows only where no kernels are. */
static const int reading[KIND_COUNT] = {KIND_AGENTS,   KIND_CALLS,
                                        KIND_KERNELS,  KIND_COPIES,
                                        KIND_COUNTERS, KIND_ALLOCATIONS};

static int kind_of(const char *text, size_t length)
{
  int i = 0;
  while (i < KIND_COUNT && !(aq_csv_header_has(text, length, kinds[i].has[0]) &&
                             aq_csv_header_has(text, length, kinds[i].has[1])))
    i++;
  return i;
}

bool aq_rocprofv3_csv_detect(const char *text, size_t length)
{
  return kind_of(text, length) < KIND_COUNT;
}

static aq_status read_rows(csv_set *set, const struct kind *kind,
                           aq_stream_reader *reader)
{
  aq_status status = aq_csv_init(&set->csv, set->import, reader, kind->columns);
  if (status != AQ_OK)
    return status;
  set->gpus = 0;
  bool got = true;
  while (status == AQ_OK) {
    status = aq_csv_next(&set->csv, &got);
    if (status != AQ_OK || !got)
      break;
    status = kind->row(set);
  }
  aq_csv_fini(&set->csv);
  return status;
}

/* Reads a file if it is of a kind; other files of the set are let be. */
static aq_status read_file(csv_set *set, int kind)
{
  const bool is_again = set->file->pass > 0 && kind != KIND_COUNTERS;
  aq_stream_reader *reader;
  aq_status status = aq_trace_file_open(set->file, &reader, set->import->diag);
  if (status != AQ_OK)
    return status;
  const char *text;
  size_t length;
  status = aq_stream_reader_peek(reader, &text, &length, set->import->diag);
  if (status == AQ_OK && kind_of(text, length) == kind && is_again) {
    aq_import_fault(set->import, AQ_REPAIR_OTHER_PASS_FILE, set->file->path,
                    NULL, 0);
  } else if (status == AQ_OK && kind_of(text, length) == kind) {
    set->kernel_files += kind == KIND_KERNELS;
    set->counter_files += kind == KIND_COUNTERS;
    status = read_rows(set, &kinds[kind], reader);
  }
  aq_stream_reader_close(reader);
  return status;
}

aq_status aq_rocprofv3_csv_import(aq_import *import, aq_correlation *join,
                                  const aq_trace_files *files)
{
  csv_set set = {.import = import,
                 .join = join,
                 .names = AQ_NAMES_INIT,
                 .guids = AQ_NAMES_INIT,
                 .processes = files->processes};
  aq_status status = AQ_OK;
  for (int k = 0; k < KIND_COUNT; k++)
    for (size_t i = 0; i < files->count && status == AQ_OK; i++) {
      set.file = &files->files[i];
      status = read_file(&set, reading[k]);
    }
  if (status == AQ_OK && set.kernel_files + set.counter_files == 0)
    status = aq_diag_set(import->diag, AQ_ERR_INPUT,
                         "%s: no kernel_trace.csv (rocprofv3 --kernel-trace)",
                         files->root);
  import->result->advice = aq_rocprofv3_advice;
  aq_names_fini(&set.guids);
  aq_names_fini(&set.names);
  aq_map_fini(&set.kernels);
  aq_map_fini(&set.counted);
  aq_map_fini(&set.logical);
  aq_map_fini(&set.labels);
  aq_agents_fini(&set.agents);
  return status;
}
