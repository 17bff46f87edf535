/* SPDX-License-Identifier: MIT */
/* Chrome's trace event JSON; see doc/formats/chrome.md. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "common/text.h"
#include "trace/export/timeline.h"
#include "trace/import/importers.h"

typedef struct chrome {
  FILE *out;
  yajl_gen gen;
  int64_t base_ns;
  bool failed;
  int error;
} chrome;

static void put_text(chrome *c, const char *text)
{
  char *clean = aq_text_utf8(text, strlen(text));
  if (clean) {
    yajl_gen_string(c->gen, (const unsigned char *)clean, strlen(clean));
  } else {
    c->failed = true;
    c->error = ENOMEM;
  }
  free(clean);
}

static void put_field(chrome *c, const char *key, const char *text)
{
  put_text(c, key);
  put_text(c, text);
}

static void put_int(chrome *c, const char *key, int64_t value)
{
  put_text(c, key);
  yajl_gen_integer(c->gen, value);
}

/* The whole nanoseconds up to a time: Perfetto reads no more of it, and where
 * it cut begin and length apart, slices would leave those around them. */
static int64_t ns_of(const chrome *c, aq_time time)
{
  return c->base_ns + aq_timeline_ns(time);
}

/* Microseconds with three digits behind the point. */
static void put_ns(chrome *c, const char *key, int64_t ns)
{
  char text[48];
  int length = snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, ns / 1000,
                        ns % 1000);
  put_text(c, key);
  yajl_gen_number(c->gen, text, (size_t)length);
}

static void event_begin(chrome *c, const char *phase, uint32_t process,
                        uint32_t track)
{
  yajl_gen_map_open(c->gen);
  put_field(c, "ph", phase);
  put_int(c, "pid", process);
  put_int(c, "tid", track);
}

static void event_end(chrome *c)
{
  const unsigned char *text;
  size_t length;
  yajl_gen_map_close(c->gen);
  if (yajl_gen_get_buf(c->gen, &text, &length) != yajl_gen_status_ok ||
      fwrite(text, 1, length, c->out) != length ||
      fputs(",\n", c->out) == EOF) {
    c->error = c->failed ? c->error : errno;
    c->failed = true;
  }
  yajl_gen_clear(c->gen);
  yajl_gen_reset(c->gen, NULL);
}

static void put_track(void *writer, const aq_track *track)
{
  chrome *c = writer;
  const bool process = track->kind == AQ_TRACK_PROCESS;
  if (track->kind == AQ_TRACK_COUNTER)
    return; /* its events name it */
  event_begin(c, "M", track->process, process ? 0 : track->id);
  put_field(c, "name", process ? "process_name" : "thread_name");
  put_text(c, "args");
  yajl_gen_map_open(c->gen);
  put_field(c, "name", track->name);
  yajl_gen_map_close(c->gen);
  event_end(c);
}

static void put_arrow(chrome *c, const aq_slice *slice, uint64_t arrow,
                      bool leaves)
{
  event_begin(c, leaves ? "s" : "f", slice->process, slice->track);
  put_field(c, "name", "dependency");
  put_field(c, "cat", "dependency");
  put_int(c, "id", (int64_t)arrow);
  put_ns(c, "ts", ns_of(c, leaves ? slice->end : slice->begin));
  if (!leaves)
    put_field(c, "bp", "e");
  event_end(c);
}

static void put_details(chrome *c, const aq_slice *slice)
{
  static const uint8_t details[] = {AQ_TIMELINE_DETAILS(AQ_TIMELINE_DETAIL)};
  const int64_t *values = aq_record_values(slice->row);
  put_text(c, "args");
  yajl_gen_map_open(c->gen);
  put_int(c, "row", slice->number);
  for (size_t i = 0; i < sizeof details; i++)
    if (values[details[i]] != AQ_NONE)
      put_int(c, aq_record_fields[details[i]].name, values[details[i]]);
  if (aq_record_is(slice->row, AQ_FLAG_PREDICTED)) {
    put_text(c, "predicted");
    yajl_gen_bool(c->gen, true);
  }
  yajl_gen_map_close(c->gen);
}

static void put_slice(void *writer, const aq_slice *slice)
{
  chrome *c = writer;
  event_begin(c, "X", slice->process, slice->track);
  put_field(c, "name", slice->name);
  put_ns(c, "ts", ns_of(c, slice->begin));
  put_ns(c, "dur", ns_of(c, slice->end) - ns_of(c, slice->begin));
  if (slice->row)
    put_details(c, slice);
  event_end(c);
  for (size_t i = 0; i < slice->leave_count; i++)
    put_arrow(c, slice, slice->leave[i], true);
  for (size_t i = 0; i < slice->arrive_count; i++)
    put_arrow(c, slice, slice->arrive[i], false);
}

static void put_counter(void *writer, const aq_track *track, aq_time time,
                        int64_t value)
{
  chrome *c = writer;
  event_begin(c, "C", track->process, track->id);
  put_field(c, "name", track->name);
  put_ns(c, "ts", ns_of(c, time));
  put_text(c, "args");
  yajl_gen_map_open(c->gen);
  put_int(c, "value", value);
  yajl_gen_map_close(c->gen);
  event_end(c);
}

aq_status aq_chrome_export(aq_trace_source *source, FILE *out, aq_diag *diag)
{
  static const aq_timeline_writer ops = {put_track, put_slice, put_counter};
  chrome c = {.out = out, .gen = yajl_gen_alloc(NULL)};
  if (!c.gen)
    return aq_diag_no_memory(diag);
  fputs("{\"displayTimeUnit\":\"ns\",\"writer\":\"" AQ_TIMELINE_MARK
        "\",\"traceEvents\":[\n",
        out);
  aq_status status = aq_timeline_base(source, 0, &c.base_ns, diag);
  if (status == AQ_OK)
    status = aq_timeline_draw(source, &ops, &c, diag);
  /* A last event that says nothing, behind the last comma. */
  fputs("{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"trace_end\"}]}\n", out);
  yajl_gen_free(c.gen);
  if (status == AQ_OK && c.failed)
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(c.error));
  if (status == AQ_OK && (fflush(out) != 0 || ferror(out)))
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  return status;
}
