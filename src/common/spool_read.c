/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/spool_format.h"

/* One entry of the file. */
typedef struct entry {
  uint64_t at; /* in the file, for diagnostics */
  aq_spool_kind kind;
  const unsigned char *payload;
  size_t size;
} entry;

/* ids of the file, by their number → ids of the sink. */
typedef struct ids {
  int64_t *to;
  size_t count, capacity;
} ids;

/* ---- the header ---- */

static int16_t field_find(const char *name, size_t length)
{
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    if (strlen(aq_record_fields[i].name) == length &&
        memcmp(aq_record_fields[i].name, name, length) == 0)
      return (int16_t)i;
  return -1;
}

/* Reads the names of the fields; a later version may have more. */
static bool fields_read(aq_spool_reader *reader, const aq_spool_head *head)
{
  const size_t most = sizeof reader->fields / sizeof *reader->fields;
  size_t at = 0;
  if (head->field_count == 0 || head->field_count > most ||
      head->field_count > 64)
    return false;
  for (uint32_t i = 0; i < head->field_count; i++) {
    const char *end = memchr(head->fields + at, ' ', sizeof head->fields - at);
    if (!end)
      return false;
    size_t length = (size_t)(end - (head->fields + at));
    reader->fields[i] = field_find(head->fields + at, length);
    at += length + 1;
  }
  reader->field_count = head->field_count;
  return true;
}

bool aq_spool_has_begun(const void *bytes, size_t size)
{
  static const char none[sizeof((aq_spool_head *)0)->magic];
  return size >= AQ_SPOOL_HEADER && memcmp(bytes, none, sizeof none) != 0;
}

/* Where the committed entries are, as far as the file has them. */
static void entries_find(aq_spool_reader *reader, const aq_spool_head *head,
                         size_t size)
{
  const uint64_t window = size - AQ_SPOOL_HEADER < AQ_SPOOL_WINDOW
                              ? size - AQ_SPOOL_HEADER
                              : AQ_SPOOL_WINDOW;
  const uint64_t behind = size - AQ_SPOOL_HEADER - window;
  const uint64_t moved =
      head->moved < head->committed ? head->moved : head->committed;
  const uint64_t left = head->committed - moved;
  reader->cut = moved > behind || left > window;
  reader->body = (size_t)(moved > behind ? behind : moved);
  reader->end = reader->body;
  if (moved <= behind)
    reader->end += (size_t)(left > window ? window : left);
}

aq_status aq_spool_open(aq_spool_reader *reader, const char *name,
                        const void *bytes, size_t size, aq_diag *diag)
{
  aq_spool_head head;
  *reader = (aq_spool_reader){.name = name, .bytes = bytes};
  if (size < AQ_SPOOL_HEADER)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: %zu bytes are no spool; expected at least %d", name,
                       size, AQ_SPOOL_HEADER);
  memcpy(&head, bytes, sizeof head);
  if (memcmp(head.magic, AQ_SPOOL_MAGIC, sizeof head.magic) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: not a spool", name);
  if (head.version != AQ_SPOOL_VERSION || head.window != AQ_SPOOL_WINDOW)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: spool of version %" PRIu32 "; expected %d", name,
                       head.version, AQ_SPOOL_VERSION);
  if (!fields_read(reader, &head))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: malformed list of %" PRIu32 " fields", name,
                       head.field_count);
  reader->pid = head.pid;
  reader->created = head.created;
  reader->rows = head.rows;
  reader->ended = head.state & AQ_SPOOL_ENDED;
  reader->reproducible = head.state & AQ_SPOOL_REPRODUCIBLE;
  reader->unchecked = head.state & AQ_SPOOL_UNCHECKED;
  entries_find(reader, &head, size);
  return AQ_OK;
}

bool aq_spool_call_last(const aq_spool_reader *reader, aq_spool_call *out)
{
  aq_spool_head head;
  memcpy(&head, reader->bytes, sizeof head);
  *out = (aq_spool_call){.state = 0};
  for (size_t i = 0; i < AQ_SPOOL_CALLS; i++)
    if (head.last[i].state > out->state && head.last[i].state != UINT64_MAX)
      *out = head.last[i];
  out->name[sizeof out->name - 1] = out->file[sizeof out->file - 1] = 0;
  return out->state > 0;
}

/* ---- entries ---- */

/* The place of an entry in the file: the body comes first, then the window. */
static size_t entry_place(const aq_spool_reader *reader, size_t at)
{
  return AQ_SPOOL_HEADER +
         (at < reader->body ? AQ_SPOOL_WINDOW + at : at - reader->body);
}

/* The entry at *at, which moves behind it. False at the end; a truncated entry
 * there is no error, `whole` reports it. */
static bool entry_next(const aq_spool_reader *reader, size_t *at, entry *out,
                       bool *whole)
{
  aq_spool_entry head;
  *whole = true;
  if (*at == reader->end)
    return false;
  const bool moved = *at < reader->body;
  const size_t place = entry_place(reader, *at);
  const size_t left = (moved ? reader->body : reader->end) - *at;
  if (left < sizeof head) {
    *whole = reader->cut;
    return false;
  }
  const unsigned char *from = reader->bytes + place;
  memcpy(&head, from, sizeof head);
  const size_t size = sizeof head + aq_spool_padded(head.size);
  if (size > left) {
    *whole = reader->cut && size <= AQ_SPOOL_WINDOW;
    return false;
  }
  *out = (entry){.at = place,
                 .kind = (aq_spool_kind)head.kind,
                 .payload = from + sizeof head,
                 .size = head.size};
  *at += size;
  return true;
}

const char *aq_spool_text(const aq_spool_reader *reader, const char *key)
{
  const size_t length = strlen(key);
  const char *found = NULL;
  size_t at = 0;
  entry e;
  bool whole;
  while (entry_next(reader, &at, &e, &whole) && e.kind != AQ_SPOOL_ROW &&
         e.kind != AQ_SPOOL_PACKET)
    if (e.kind == AQ_SPOOL_TEXT && e.size > length + 1 &&
        e.payload[e.size - 1] == 0 && e.payload[length] == 0 &&
        memcmp(e.payload, key, length) == 0)
      found = (const char *)e.payload + length + 1;
  return found;
}

/* ---- draining ---- */

typedef struct drain {
  const aq_spool_reader *reader;
  aq_record_sink *sink;
  aq_diag *diag;
  ids names, devices, queues;
} drain;

static aq_status ids_add(drain *d, ids *list, int64_t id)
{
  if (!AQ_ARRAY_PUSH(list->to, list->count, list->capacity, id))
    return aq_diag_no_memory(d->diag);
  return AQ_OK;
}

/* Replaces an id of the file; false for one that the file does not define. */
static bool ids_map(const ids *list, int64_t *id)
{
  if (*id == AQ_NONE)
    return true;
  if (*id < 0 || (uint64_t)*id >= list->count)
    return false;
  *id = list->to[*id];
  return true;
}

static aq_status malformed(const drain *d, const entry *e, const char *what)
{
  return aq_diag_set(d->diag, AQ_ERR_INPUT, "%s: byte %" PRIu64 ": %s",
                     d->reader->name, e->at, what);
}

static aq_status device_put(drain *d, const entry *e)
{
  aq_spool_device head;
  int64_t ordinal;
  if (e->size < sizeof head)
    return malformed(d, e, "short device");
  memcpy(&head, e->payload, sizeof head);
  size_t name = head.name_length > 0 ? (size_t)head.name_length : 0;
  size_t gfx = head.gfx_length > 0 ? (size_t)head.gfx_length : 0;
  if (name + gfx != e->size - sizeof head)
    return malformed(d, e, "device whose texts have another length");
  const char *text = (const char *)e->payload + sizeof head;
  char *own_name = head.name_length < 0 ? NULL : strndup(text, name);
  char *own_gfx = head.gfx_length < 0 ? NULL : strndup(text + name, gfx);
  aq_run_device device = {.source_id = head.source_id,
                          .name = own_name,
                          .gfx = own_gfx,
                          .cus = head.cus};
  aq_status status = d->sink->device(d->sink, &device, &ordinal, d->diag);
  free(own_name);
  free(own_gfx);
  return status == AQ_OK ? ids_add(d, &d->devices, ordinal) : status;
}

static aq_status queue_put(drain *d, const entry *e)
{
  aq_spool_queue payload;
  int64_t ordinal;
  if (e->size != sizeof payload)
    return malformed(d, e, "queue of another size");
  memcpy(&payload, e->payload, sizeof payload);
  aq_run_queue queue = {payload.device, payload.source_id};
  if (queue.device == AQ_NONE || !ids_map(&d->devices, &queue.device))
    return malformed(d, e, "queue of an unknown device");
  aq_status status = d->sink->queue(d->sink, &queue, &ordinal, d->diag);
  return status == AQ_OK ? ids_add(d, &d->queues, ordinal) : status;
}

static aq_status name_put(drain *d, const entry *e)
{
  int64_t id;
  aq_status status =
      d->sink->name(d->sink, (const char *)e->payload, e->size, &id, d->diag);
  return status == AQ_OK ? ids_add(d, &d->names, id) : status;
}

static aq_status row_put(drain *d, const entry *e)
{
  const aq_spool_reader *reader = d->reader;
  aq_record row;
  uint64_t known = 0;
  if (e->size >= sizeof known)
    memcpy(&known, e->payload, sizeof known);
  if (e->size != (1 + (size_t)__builtin_popcountll(known)) * sizeof(int64_t) ||
      (reader->field_count < 64 && known >> reader->field_count))
    return malformed(d, e, "row of another size");
  aq_record_init(&row);
  const unsigned char *value = e->payload + sizeof known;
  for (uint32_t i = 0; i < 64 && known >> i; i++) {
    if (!(known >> i & 1))
      continue;
    if (reader->fields[i] >= 0)
      memcpy(&row.kind + reader->fields[i], value, sizeof(int64_t));
    value += sizeof(int64_t);
  }
  if (row.pid == AQ_NONE)
    row.pid = reader->pid;
  if (e->kind == AQ_SPOOL_PACKET && row.submit != AQ_NONE) {
    row.via = AQ_VIA_DIRECT;
    row.host_begin = row.host_end = row.submit;
  }
  if (row.kind < 1 || row.kind >= AQ_KIND_COUNT)
    return malformed(d, e, "row of an unknown kind");
  if (!ids_map(&d->names, &row.name) || !ids_map(&d->devices, &row.device) ||
      !ids_map(&d->queues, &row.queue))
    return malformed(d, e, "row that names a missing device, queue or name");
  return d->sink->put(d->sink, &row, 1, d->diag);
}

/* Fields that the writer did not have are unknown. */
static bool fields_take(const entry *e, int64_t *fields, size_t count)
{
  if (e->size == 0 || e->size % sizeof *fields ||
      e->size > count * sizeof *fields)
    return false;
  for (size_t i = 0; i < count; i++)
    fields[i] = AQ_NONE;
  memcpy(fields, e->payload, e->size);
  return true;
}

static aq_status counts_put(drain *d, const entry *e)
{
  aq_instruction row;
  if (!fields_take(e, (int64_t *)&row, AQ_INSTRUCTION_FIELD_COUNT))
    return malformed(d, e, "counts of another size");
  if (!ids_map(&d->names, &row.kernel) || !ids_map(&d->names, &row.gfx))
    return malformed(d, e, "counts that name a missing name");
  return d->sink->put_instructions
             ? d->sink->put_instructions(d->sink, &row, 1, d->diag)
             : AQ_OK;
}

static aq_status counted_put(drain *d, const entry *e)
{
  aq_counted row;
  if (!fields_take(e, (int64_t *)&row, AQ_COUNTED_FIELD_COUNT))
    return malformed(d, e, "counted work of another size");
  if (!ids_map(&d->names, &row.kernel) || !ids_map(&d->names, &row.gfx))
    return malformed(d, e, "counted work that names a missing name");
  return d->sink->put_counted ? d->sink->put_counted(d->sink, &row, 1, d->diag)
                              : AQ_OK;
}

static aq_status step_put(drain *d, const entry *e)
{
  aq_traced row;
  if (!fields_take(e, (int64_t *)&row, AQ_TRACED_FIELD_COUNT))
    return malformed(d, e, "step of another size");
  if (!ids_map(&d->names, &row.kernel) || !ids_map(&d->names, &row.gfx) ||
      !ids_map(&d->names, &row.text))
    return malformed(d, e, "step that names a missing name");
  return d->sink->put_traced ? d->sink->put_traced(d->sink, &row, 1, d->diag)
                             : AQ_OK;
}

static aq_status finding_put(drain *d, const entry *e)
{
  aq_finding row;
  int64_t *fields = (int64_t *)&row;
  if (!fields_take(e, fields, AQ_FINDING_FIELD_COUNT))
    return malformed(d, e, "finding of another size");
  for (int i = 0; i < AQ_FINDING_FIELD_COUNT; i++)
    if (aq_finding_field_is_name(i) && !ids_map(&d->names, &fields[i]))
      return malformed(d, e, "finding that names a missing name");
  return d->sink->put_findings
             ? d->sink->put_findings(d->sink, &row, 1, d->diag)
             : AQ_OK;
}

static aq_status entry_put(drain *d, const entry *e)
{
  switch (e->kind) {
  case AQ_SPOOL_TEXT:
    return AQ_OK;
  case AQ_SPOOL_NAME:
    return name_put(d, e);
  case AQ_SPOOL_DEVICE:
    return device_put(d, e);
  case AQ_SPOOL_QUEUE:
    return queue_put(d, e);
  case AQ_SPOOL_ROW:
  case AQ_SPOOL_PACKET:
    return row_put(d, e);
  case AQ_SPOOL_COUNTS:
    return counts_put(d, e);
  case AQ_SPOOL_FINDING:
    return finding_put(d, e);
  case AQ_SPOOL_COUNTED:
    return counted_put(d, e);
  case AQ_SPOOL_TRACED:
    return step_put(d, e);
  }
  return malformed(d, e, "entry of an unknown kind");
}

aq_status aq_spool_drain(const aq_spool_reader *reader, aq_record_sink *sink,
                         aq_diag *diag)
{
  drain d = {.reader = reader, .sink = sink, .diag = diag};
  aq_status status = AQ_OK;
  size_t at = 0;
  entry e;
  bool whole = true;
  while (status == AQ_OK && entry_next(reader, &at, &e, &whole))
    status = entry_put(&d, &e);
  if (status == AQ_OK && !whole)
    status = malformed(&d, &(entry){.at = entry_place(reader, at)},
                       "entry that does not end where it may");
  free(d.names.to);
  free(d.devices.to);
  free(d.queues.to);
  return status;
}
