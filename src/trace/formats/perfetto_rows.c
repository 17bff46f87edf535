/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/formats/perfetto.h"

#include <string.h>

/* Categories of rocprofv3 (rocprofiler-sdk/cxx/perfetto.hpp) and of
 * rocprofiler-systems (core/categories.hpp). */
aq_perfetto_kind aq_perfetto_category(const char *text, size_t length)
{
  static const struct {
    const char *name;
    aq_perfetto_kind kind;
  } categories[] = {
      {"kernel_dispatch", AQ_PERFETTO_DISPATCH},
      {"memory_copy", AQ_PERFETTO_COPY},
      {"hip_api", AQ_PERFETTO_CALL},
      {"hsa_api", AQ_PERFETTO_CALL},
      {"marker_api", AQ_PERFETTO_RANGE},
      {"rocm_kernel_dispatch", AQ_PERFETTO_DISPATCH},
      {"rocm_memory_copy", AQ_PERFETTO_COPY},
      {"rocm_hip_stream", AQ_PERFETTO_ACTIVITY},
      {"rocm_hip_api", AQ_PERFETTO_CALL},
      {"rocm_hsa_api", AQ_PERFETTO_CALL},
      {"rocm_marker_api", AQ_PERFETTO_RANGE},
      {"user", AQ_PERFETTO_RANGE},
  };
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
    if (strlen(categories[i].name) == length &&
        memcmp(categories[i].name, text, length) == 0)
      return categories[i].kind;
  return AQ_PERFETTO_OTHER;
}

aq_perfetto_annotation aq_perfetto_annotation_find(const char *text,
                                                   size_t length)
{
  static const struct {
    const char *name;
    aq_perfetto_annotation annotation;
  } annotations[] = {
      {"corr_id", AQ_PERFETTO_CORRELATION},
      {"queue", AQ_PERFETTO_QUEUE},
      {"tid", AQ_PERFETTO_TID},
      {"stream_id", AQ_PERFETTO_STREAM},
      {"agent", AQ_PERFETTO_AGENT},
      {"src_agent", AQ_PERFETTO_SOURCE},
      {"src_agent_id", AQ_PERFETTO_SOURCE},
      {"dst_agent", AQ_PERFETTO_DESTINATION},
      {"dst_agent_id", AQ_PERFETTO_DESTINATION},
      {"copy_bytes", AQ_PERFETTO_BYTES},
      {"bytes", AQ_PERFETTO_BYTES},
      {"private_segment_size", AQ_PERFETTO_SCRATCH},
      {"group_segment_size", AQ_PERFETTO_LDS},
      {"workgroup_size", AQ_PERFETTO_WORKGROUP},
      {"grid_size", AQ_PERFETTO_GRID},
  };
  for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++)
    if (strlen(annotations[i].name) == length &&
        memcmp(annotations[i].name, text, length) == 0)
      return annotations[i].annotation;
  return AQ_PERFETTO_ANNOTATIONS;
}

aq_perfetto_value aq_perfetto_numbers(const char *text, size_t length)
{
  aq_perfetto_value value = {.cpu = length &&
                                    memmem(text, length, "CPU", strlen("CPU"))};
  for (size_t i = 0; i < length && value.count < 3;) {
    size_t digits = 0;
    while (i + digits < length && text[i + digits] >= '0' &&
           text[i + digits] <= '9')
      digits++;
    if (digits > 0) {
      int64_t *at = &value.numbers[value.count];
      value.too_big = !aq_decimal_int(text + i, digits, at) || *at < 0;
      if (value.too_big)
        break;
      value.count++;
    }
    i += digits + 1;
  }
  return value;
}

static int64_t number(const aq_perfetto_slice *slice,
                      aq_perfetto_annotation annotation)
{
  const aq_perfetto_value *value = &slice->values[annotation];
  return value->count > 0 ? value->numbers[0] : AQ_NONE;
}

/* ---- tracks ---- */

/* The number behind a word of a track's name, "… STREAM [3] …", or AQ_NONE. */
static int64_t track_number(const aq_perfetto *p,
                            const aq_perfetto_track *track, const char *word)
{
  const char *text = track ? aq_names_text(&p->texts, track->name) : NULL;
  const char *at = text ? strstr(text, word) : NULL;
  if (!at)
    return AQ_NONE;
  const aq_perfetto_value value = aq_perfetto_numbers(at, strlen(at));
  return value.count > 0 ? value.numbers[0] : AQ_NONE;
}

/* Words in front of the number of an agent in the names of tracks. A track of
 * a stream has none. */
static int64_t track_agent(const aq_perfetto *p, const aq_perfetto_track *track)
{
  static const char *const words[] = {"AGENT [", "GPU [", "Dispatch [",
                                      "Agent [", "Activity Device "};
  int64_t agent = AQ_NONE;
  for (size_t i = 0; i < sizeof words / sizeof *words && agent == AQ_NONE; i++)
    agent = track_number(p, track, words[i]);
  return agent;
}

static int64_t track_stream(const aq_perfetto *p,
                            const aq_perfetto_track *track)
{
  const int64_t stream = track_number(p, track, "STREAM [");
  return stream != AQ_NONE ? stream
                           : track_number(p, track, "HIP Activity Stream ");
}

aq_status aq_perfetto_track_agent(aq_perfetto *p, const char *name,
                                  size_t length)
{
  static const char word[] = "AGENT [";
  const char *at = length ? memmem(name, length, word, strlen(word)) : NULL;
  const bool gpu = length && memmem(name, length, "(GPU)", strlen("(GPU)"));
  const bool cpu = length && memmem(name, length, "(CPU)", strlen("(CPU)"));
  if (!at || gpu == cpu)
    return AQ_OK;
  const aq_perfetto_value id =
      aq_perfetto_numbers(at, length - (size_t)(at - name));
  if (id.count == 0)
    return AQ_OK;
  return aq_agents_add(
      &p->agents, p->import,
      (aq_agent){.id = id.numbers[0], .gpu = gpu, .cus = AQ_NONE}, 0, 0);
}

/* The process and thread of a track: its own, else of a track around it. */
static void track_owner(const aq_perfetto *p, const aq_perfetto_track *track,
                        int64_t *pid, int64_t *tid)
{
  enum { DEPTH_MAX = 16 };
  uint64_t at;
  *pid = *tid = AQ_NONE;
  for (int depth = 0; track && depth < DEPTH_MAX; depth++) {
    if (*tid == AQ_NONE)
      *tid = track->tid;
    if (*pid == AQ_NONE)
      *pid = track->pid;
    track = track->has_parent && aq_map_get(&p->track_by_id, track->parent, &at)
                ? &p->tracks[at]
                : NULL;
  }
}

/* ---- rows ---- */

static void shape(const aq_perfetto_value *value, int64_t out[3])
{
  /* A single number is the product of the three. */
  for (int i = 0; i < 3 && value->count > 0; i++)
    out[i] = i < value->count ? value->numbers[i] : 1;
}

static aq_status copy_device(aq_perfetto *p, const aq_perfetto_slice *slice,
                             const char *name, size_t length, int64_t *gpu)
{
  const aq_perfetto_annotation ends[] = {AQ_PERFETTO_SOURCE,
                                         AQ_PERFETTO_DESTINATION};
  aq_status status = AQ_OK;
  for (int i = 0; i < 2 && status == AQ_OK; i++)
    if (slice->values[ends[i]].cpu)
      status = aq_agents_add(
          &p->agents, p->import,
          (aq_agent){.id = number(slice, ends[i]), .cus = AQ_NONE}, 0, 0);
  *gpu =
      aq_agents_copy_gpu(&p->agents, number(slice, AQ_PERFETTO_SOURCE),
                         number(slice, AQ_PERFETTO_DESTINATION), name, length);
  return status;
}

static aq_status row_add(aq_perfetto *p, const aq_perfetto_track *track,
                         const aq_perfetto_slice *slice, aq_record *row,
                         uint64_t process)
{
  const char *name = aq_names_text(&p->texts, slice->name);
  const size_t length = aq_names_length(&p->texts, slice->name);
  const bool kernel = row->kind == AQ_KIND_KERNEL;
  int64_t agent, queue;
  aq_status status = AQ_OK;
  row->stream = number(slice, AQ_PERFETTO_STREAM);
  if (row->stream == AQ_NONE)
    row->stream = track_stream(p, track);
  if (kernel) {
    int64_t grid[3] = {AQ_NONE, AQ_NONE, AQ_NONE};
    int64_t wg[3] = {AQ_NONE, AQ_NONE, AQ_NONE};
    shape(&slice->values[AQ_PERFETTO_GRID], grid);
    shape(&slice->values[AQ_PERFETTO_WORKGROUP], wg);
    row->grid_x = grid[0];
    row->grid_y = grid[1];
    row->grid_z = grid[2];
    row->wg_x = wg[0];
    row->wg_y = wg[1];
    row->wg_z = wg[2];
    row->lds = number(slice, AQ_PERFETTO_LDS);
    row->scratch = number(slice, AQ_PERFETTO_SCRATCH);
    agent = number(slice, AQ_PERFETTO_AGENT);
    queue = number(slice, AQ_PERFETTO_QUEUE);
  } else {
    row->bytes = number(slice, AQ_PERFETTO_BYTES);
    queue = aq_rocprofv3_copy_queue(row->stream);
    status = copy_device(p, slice, name, length, &agent);
  }
  if (agent == AQ_NONE)
    agent = track_agent(p, track);
  if (status == AQ_OK)
    status = aq_agents_device(&p->agents, p->import, agent, &row->device);
  if (status != AQ_OK)
    return status;
  return aq_rocprofv3_row_add(p->import, p->join, row, process, queue, name,
                              length);
}

static bool begins(const char *name, const char *text)
{
  return strncmp(name, text, strlen(text)) == 0;
}

aq_status aq_perfetto_slice_add(aq_perfetto *p, const aq_perfetto_track *track,
                                const aq_perfetto_slice *slice)
{
  aq_import *import = p->import;
  const char *name = aq_names_text(&p->texts, slice->name);
  const size_t length = aq_names_length(&p->texts, slice->name);
  const aq_tick begin = {.ns = slice->begin}, end = {.ns = slice->end};
  aq_record row;
  int64_t pid, tid;
  uint64_t process;
  if (!name) {
    aq_import_skip(import, "a slice without a name", NULL, 0);
    return AQ_OK;
  }
  aq_record_init(&row);
  track_owner(p, track, &pid, &tid);
  if (slice->values[AQ_PERFETTO_TID].count > 0)
    tid = number(slice, AQ_PERFETTO_TID);
  row.flags = 0;
  row.pid = pid;
  row.tid = tid;
  row.correlation = slice->values[AQ_PERFETTO_CORRELATION].count > 0
                        ? number(slice, AQ_PERFETTO_CORRELATION)
                        : slice->flow;
  aq_status status = aq_import_process(p->import, &p->processes, pid, &process);
  if (status != AQ_OK)
    return status;
  if (slice->kind == AQ_PERFETTO_CALL)
    return aq_rocprofv3_call_add(
        import, p->join,
        &(aq_rocprofv3_call){.name = name,
                             .name_length = length,
                             .begin = begin,
                             .end = end,
                             .pid = pid,
                             .tid = tid,
                             .correlation = row.correlation,
                             .process = process});
  if (slice->kind == AQ_PERFETTO_RANGE)
    return aq_ranges_add(
        import, (aq_range){.begin = begin, .end = end, .pid = pid, .tid = tid},
        name, length);
  /* The track of a stream has kernels, copies, and the growth of scratch. */
  if (slice->kind == AQ_PERFETTO_ACTIVITY && begins(name, "SCRATCH_MEMORY_")) {
    aq_import_fault(import, AQ_REPAIR_SCRATCH_GROWTH, "scratch", name, length);
    return AQ_OK;
  }
  row.kind =
      slice->kind == AQ_PERFETTO_COPY || (slice->kind == AQ_PERFETTO_ACTIVITY &&
                                          begins(name, "MEMORY_COPY_"))
          ? AQ_KIND_COPY
          : AQ_KIND_KERNEL;
  if (row.kind == AQ_KIND_COPY && aq_rocprofv3_is_host_copy(name, length))
    return aq_import_host_copy_skip(import, name, length);
  if (!aq_import_between(import, begin, end, &row.start, &row.end)) {
    aq_import_skip(import, "timestamps out of range", name, length);
    return AQ_OK;
  }
  return row_add(p, track, slice, &row, process);
}
