/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/packet_capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_in.h"

enum {
  VERSION = 3,
  CLOSES = 3 /* openings since this version end by close */,
  LIST_MAX = 4096,
  BLOB_MAX = 64 * 1024
};

typedef struct number_text {
  const char *key;
  int64_t least, most;
} number_text;

static const number_text numbers[AQ_PACKET_NUMBERS] = {
#define N(NAME, key, least, most) [AQ_PACKET_N_##NAME] = {key, least, most},
#include "queue/capture/packet_events.def"
#undef N
};

#define HAS(NAME) (UINT64_C(1) << AQ_PACKET_N_##NAME)

static const struct {
  const char *name;
  uint64_t numbers;
} kinds[AQ_PACKET_EVENTS] = {
#define E(NAME, name, numbers) [AQ_PACKET_E_##NAME] = {name, numbers},
#include "queue/capture/packet_events.def"
#undef E
};

/* ---- parts of a line ---- */

static aq_status number_read(const aq_json_node *root, aq_packet_number number,
                             aq_packet_event *event)
{
  const number_text *text = &numbers[number];
  aq_json_node node;
  aq_status status = aq_json_need(root, text->key, &node);
  return status == AQ_OK ? aq_json_integer(&node, text->least, text->most,
                                           &event->n[number])
                         : status;
}

static int digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal bytes: `most` at most; the caller frees them. */
static aq_status hex_read(const aq_json_node *node, size_t most,
                          unsigned char **out, uint32_t *size)
{
  const char *text;
  aq_status status = aq_json_text(node, &text);
  if (status != AQ_OK)
    return status;
  const size_t length = strlen(text);
  if (length % 2 != 0 || length / 2 > most)
    return aq_json_error(node, "expected at most %zu bytes in hexadecimal",
                         most);
  unsigned char *bytes = malloc(length / 2 + 1);
  if (!bytes)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < length / 2; i++) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      free(bytes);
      return aq_json_error(node, "expected hexadecimal digits");
    }
    bytes[i] = (unsigned char)(high << 4 | low);
  }
  *out = bytes;
  *size = (uint32_t)(length / 2);
  return AQ_OK;
}

static aq_status blob_read(const aq_json_node *root, const char *key,
                           aq_packet_event *event)
{
  aq_json_node node;
  return aq_json_member(root, key, &node)
             ? hex_read(&node, BLOB_MAX, &event->blob, &event->blob_size)
             : AQ_OK;
}

static aq_status packet_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  if (event->kind == AQ_PACKET_E_PACKET) {
    event->n[AQ_PACKET_N_PACKET] = AQ_NONE;
    if (aq_json_member(root, "packet", &node) &&
        number_read(root, AQ_PACKET_N_PACKET, event) != AQ_OK)
      return AQ_ERR_INPUT;
  }
  unsigned char *bytes = NULL;
  uint32_t size = 0;
  aq_status status = aq_json_need(root, "bytes", &node);
  if (status == AQ_OK)
    status = hex_read(&node, AQ_PACKET_SIZE, &bytes, &size);
  if (status == AQ_OK && size != AQ_PACKET_SIZE)
    status =
        aq_json_error(&node, "%u bytes; expected %d", size, AQ_PACKET_SIZE);
  if (status == AQ_OK)
    memcpy(&event->packet, bytes, sizeof event->packet);
  free(bytes);
  return status == AQ_OK ? blob_read(root, "kernarg", event) : status;
}

/* Whole numbers, `width` an element. */
static aq_status list_read(const aq_json_node *root, const char *key,
                           size_t width, int64_t least, aq_packet_event *event)
{
  aq_json_node node;
  size_t count = 0, inside = 1;
  aq_status status = aq_json_need(root, key, &node);
  if (status == AQ_OK)
    status = aq_json_array(&node, 0, LIST_MAX, &count);
  if (status != AQ_OK)
    return status;
  event->list = calloc(count * width + 1, sizeof *event->list);
  if (!event->list)
    return aq_json_no_memory(&node);
  for (size_t i = 0; i < count; i++) {
    const aq_json_node element = aq_json_element(&node, i);
    if (width > 1)
      status = aq_json_array(&element, width, width, &inside);
    for (size_t j = 0; j < inside && status == AQ_OK; j++) {
      const aq_json_node number =
          width > 1 ? aq_json_element(&element, j) : element;
      status = aq_json_integer(&number, least, INT64_MAX,
                               &event->list[i * width + j]);
    }
    if (status != AQ_OK)
      return status;
  }
  event->list_count = (uint32_t)count;
  return AQ_OK;
}

static aq_status wait_read(const aq_json_node *root, aq_packet_event *event)
{
  enum { WIDTH = 3 };
  aq_status status = list_read(root, "items", WIDTH, INT64_MIN, event);
  for (uint32_t i = 0; i < event->list_count && status == AQ_OK; i++) {
    const int64_t *item = &event->list[(size_t)i * WIDTH];
    if (item[0] < 0 || item[1] < AQ_EQ || item[1] > AQ_GE)
      status = aq_json_error(root, "items: expected signal, condition, value");
  }
  if (status == AQ_OK && event->list_count == 0)
    status = aq_json_error(root, "items: none; expected at least one");
  return status;
}

static aq_status detail_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  aq_cost_detail detail = {.contained = 0};
  int64_t flops = 0, traffic = 0;
  const struct {
    const char *key;
    int64_t *to;
  } parts[] = {{"contained", &detail.contained},
               {"flops", &flops},
               {"traffic", &traffic}};
  aq_status status = list_read(root, "latency", 1, 0, event);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == AQ_OK; i++) {
    status = aq_json_need(root, parts[i].key, &node);
    if (status == AQ_OK)
      status = aq_json_integer(&node, 0, INT64_MAX, parts[i].to);
  }
  if (status != AQ_OK)
    return status;
  detail.flops = (uint64_t)flops;
  detail.bytes = (uint64_t)traffic;
  detail.latency = event->list;
  detail.latency_count = event->list_count;
  event->detail = malloc(sizeof detail);
  if (!event->detail)
    return aq_json_no_memory(root);
  *event->detail = detail;
  return AQ_OK;
}

/* The kind of memory, by its text. */
static aq_status allocation_read(const aq_json_node *root,
                                 aq_packet_event *event)
{
  aq_json_node node;
  const char *what, *known;
  aq_status status = aq_json_need(root, "what", &node);
  if (status == AQ_OK)
    status = aq_json_text(&node, &what);
  if (status != AQ_OK)
    return status;
  for (unsigned i = 0; (known = aq_allocation_kind_text(i)); i++)
    if (strcmp(known, what) == 0) {
      event->memory = (aq_allocation_kind)i;
      return AQ_OK;
    }
  return aq_json_error(&node, "unknown memory '%s'", what);
}

static aq_status memory_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  aq_status status = aq_json_need(root, "bytes", &node);
  return status == AQ_OK
             ? hex_read(&node, BLOB_MAX, &event->blob, &event->blob_size)
             : status;
}

static aq_status text_copy(const aq_json_node *root, const char *key,
                           char **out)
{
  aq_json_node node;
  const char *text;
  aq_status status = aq_json_need(root, key, &node);
  if (status == AQ_OK)
    status = aq_json_text(&node, &text);
  if (status == AQ_OK && !(*out = strdup(text)))
    status = aq_json_no_memory(root);
  return status;
}

static aq_status kernel_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  aq_status status = text_copy(root, "name", &event->name);
  if (status != AQ_OK)
    return status;
  if (aq_json_member(root, "code", &node)) {
    status = aq_json_integer(&node, 0, 1, &event->n[AQ_PACKET_N_CODE]);
    if (status != AQ_OK)
      return status;
  }
  return aq_json_member(root, "latency", &node) ? detail_read(root, event)
                                                : AQ_OK;
}

/* Older files, and dispatches by PM4, have no processor. */
static aq_status execute_read(const aq_json_node *root, aq_packet_event *event)
{
  static const aq_packet_number needed[] = {
      AQ_PACKET_N_DEVICE, AQ_PACKET_N_ADDRESS, AQ_PACKET_N_WAVE_SIZE,
      AQ_PACKET_N_CUS, AQ_PACKET_N_HZ};
  aq_json_node node;
  if (!aq_json_member(root, "gfx", &node))
    return AQ_OK;
  aq_status status = text_copy(root, "gfx", &event->gfx);
  if (status == AQ_OK)
    status = text_copy(root, "kernel", &event->name);
  for (size_t i = 0; i < sizeof needed / sizeof *needed && status == AQ_OK; i++)
    status = number_read(root, needed[i], event);
  return status == AQ_OK ? packet_read(root, event) : status;
}

/* The device's clock, which older files lack, is 0 there. */
static aq_status executed_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  return aq_json_member(root, "ticks", &node)
             ? number_read(root, AQ_PACKET_N_TICKS, event)
             : AQ_OK;
}

static aq_status open_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  int64_t version = 0;
  aq_status status = aq_json_need(root, "version", &node);
  if (status == AQ_OK)
    status = aq_json_integer(&node, 0, INT64_MAX, &version);
  if (status == AQ_OK && (version < 1 || version > VERSION))
    status = aq_json_error(&node, "%lld; expected 1 to %d", (long long)version,
                           VERSION);
  event->closes = status == AQ_OK && version >= CLOSES;
  return status;
}

static aq_status queue_read(const aq_json_node *root,
                            const aq_packet_event *event)
{
  const int64_t size = event->n[AQ_PACKET_N_SIZE];
  return size > 0 && size <= UINT32_MAX && (size & (size - 1)) == 0
             ? AQ_OK
             : aq_json_error(root, "size: %lld; expected a power of two",
                             (long long)size);
}

static aq_status details_read(const aq_json_node *root, aq_packet_event *event)
{
  switch (event->kind) {
  case AQ_PACKET_E_OPEN:
    return open_read(root, event);
  case AQ_PACKET_E_QUEUE:
    return queue_read(root, event);
  case AQ_PACKET_E_CONTROL:
    return blob_read(root, "mask", event);
  case AQ_PACKET_E_KERNEL:
    return kernel_read(root, event);
  case AQ_PACKET_E_PACKET:
    return packet_read(root, event);
  case AQ_PACKET_E_COPY:
    return list_read(root, "after", 1, 0, event);
  case AQ_PACKET_E_WAIT:
    return wait_read(root, event);
  case AQ_PACKET_E_ALLOCATION:
  case AQ_PACKET_E_ALLOCATION_END:
    return allocation_read(root, event);
  case AQ_PACKET_E_MEMORY:
    return memory_read(root, event);
  case AQ_PACKET_E_EXECUTE:
    return execute_read(root, event);
  case AQ_PACKET_E_EXECUTED:
    return executed_read(root, event);
  default: /* numbers are all they have */
    return AQ_OK;
  }
}

/* ---- lines ---- */

static aq_status kind_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  const char *name;
  aq_status status = aq_json_need(root, "event", &node);
  if (status == AQ_OK)
    status = aq_json_text(&node, &name);
  if (status != AQ_OK)
    return status;
  for (int i = 0; i < AQ_PACKET_EVENTS; i++)
    if (strcmp(name, kinds[i].name) == 0) {
      event->kind = (aq_packet_event_kind)i;
      return AQ_OK;
    }
  return aq_json_error(&node, "unknown event '%s'", name);
}

static aq_status event_read(const aq_json_node *root, aq_packet_event *event)
{
  aq_json_node node;
  aq_status status = kind_read(root, event);
  if (status == AQ_OK)
    status = aq_json_need(root, "pid", &node);
  if (status == AQ_OK)
    status = aq_json_integer(&node, 0, INT64_MAX, &event->pid);
  if (status == AQ_OK)
    status = aq_json_need(root, "t", &node);
  if (status == AQ_OK)
    status = aq_json_integer(&node, 0, INT64_MAX, &event->time);
  for (int i = 0; i < AQ_PACKET_NUMBERS && status == AQ_OK; i++) {
    if (!(kinds[event->kind].numbers >> i & 1))
      continue;
    status = number_read(root, (aq_packet_number)i, event);
  }
  return status == AQ_OK ? details_read(root, event) : status;
}

static void event_fini(aq_packet_event *event)
{
  free(event->detail);
  free(event->name);
  free(event->gfx);
  free(event->list);
  free(event->blob);
}

static aq_status event_add(aq_packet_file *file, const aq_packet_event *event,
                           aq_diag *diag)
{
  if (!AQ_ARRAY_PUSH(file->events, file->count, file->capacity, *event))
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

/* An opening that another one of its process follows was cut, too. */
static void opening_note(aq_packet_file *file, const aq_packet_event *event)
{
  if (event->kind == AQ_PACKET_E_CLOSE)
    file->open = 0;
  if (event->kind != AQ_PACKET_E_OPEN)
    return;
  file->cut = file->cut ? file->cut : file->open;
  file->open = event->closes ? event->line : 0;
}

static aq_status line_read(aq_packet_file *file, const char *text, size_t size,
                           uint32_t line, aq_diag *diag)
{
  char place[512];
  aq_json_doc doc;
  aq_packet_event event = {.line = line};
  snprintf(place, sizeof place, "%s:%u", file->name, line);
  aq_status status = aq_json_parse(&doc, text, size, place, diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  status = event_read(&root, &event);
  if (status == AQ_OK && file->count == 0 && event.kind != AQ_PACKET_E_OPEN)
    status = aq_json_error(&root, "expected the event open first");
  if (status == AQ_OK && !file->other && file->count > 0 &&
      event.pid != file->events[0].pid)
    file->other = line;
  if (status == AQ_OK)
    opening_note(file, &event);
  if (status == AQ_OK)
    status = event_add(file, &event, diag);
  if (status != AQ_OK)
    event_fini(&event);
  aq_json_free(&doc);
  return status;
}

/* ---- order ---- */

aq_time aq_packet_event_time(const aq_packet_event *event)
{
  return event->kind == AQ_PACKET_E_WAIT ? event->n[AQ_PACKET_N_END]
                                         : event->time;
}

static int by_time(const void *a, const void *b)
{
  const aq_packet_event *x = a, *y = b;
  const aq_time xt = aq_packet_event_time(x), yt = aq_packet_event_time(y);
  return xt != yt ? (xt > yt) - (xt < yt)
                  : (x->line > y->line) - (x->line < y->line);
}

/* A packet whose doorbell was rung by a raw store is recorded when the device
 * reads it: later than the host's calls meanwhile. Each opening has a clock of
 * its own. */
static void events_sort(aq_packet_file *file)
{
  for (size_t first = 0, end; first < file->count; first = end) {
    for (end = first + 1; end < file->count; end++)
      if (file->events[end].kind == AQ_PACKET_E_OPEN)
        break;
    qsort(file->events + first + 1, end - first - 1, sizeof *file->events,
          by_time);
  }
}

/* ---- files ---- */

/* Every line of a stream. */
static aq_status lines_read(aq_packet_file *file, FILE *in, aq_diag *diag)
{
  char *text = NULL;
  size_t capacity = 0;
  ssize_t size;
  uint32_t line = 0;
  aq_status status = AQ_OK;
  while (status == AQ_OK && (size = getline(&text, &capacity, in)) >= 0)
    status = line_read(file, text, (size_t)size, ++line, diag);
  free(text);
  file->cut = file->cut ? file->cut : file->open;
  if (status == AQ_OK && ferror(in))
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: cannot be read", file->name);
  if (status == AQ_OK && file->count == 0)
    status =
        aq_diag_set(diag, AQ_ERR_INPUT, "%s: contains no event", file->name);
  return status;
}

aq_status aq_packet_file_read(const char *name, FILE *in, aq_packet_file **out,
                              aq_diag *diag)
{
  aq_packet_file *file = calloc(1, sizeof *file);
  if (!file || !(file->name = strdup(name))) {
    free(file);
    return aq_diag_no_memory(diag);
  }
  aq_status status = lines_read(file, in, diag);
  if (status == AQ_OK) {
    if (!file->other)
      events_sort(file);
    *out = file;
  } else {
    aq_packet_file_close(file);
  }
  return status;
}

void aq_packet_file_close(aq_packet_file *file)
{
  if (!file)
    return;
  for (size_t i = 0; i < file->count; i++)
    event_fini(&file->events[i]);
  free(file->events);
  free(file->name);
  free(file);
}

bool aq_packet_file_is(const char *path)
{
  static const char begin[] = "{\"pid\":";
  char found[sizeof begin] = "";
  FILE *in = fopen(path, "re");
  if (!in)
    return false;
  const size_t got = fread(found, 1, sizeof begin - 1, in);
  fclose(in);
  return got == sizeof begin - 1 && strcmp(found, begin) == 0;
}

aq_status aq_packet_file_open(const char *path, aq_packet_file **out,
                              aq_diag *diag)
{
  FILE *in = fopen(path, "re");
  if (!in)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  aq_status status = aq_packet_file_read(path, in, out, diag);
  fclose(in);
  return status;
}
