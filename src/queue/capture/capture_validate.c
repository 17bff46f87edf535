/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/capture_validate.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/value_check.h"
#include "queue/capture/capture.h"
#include "queue/capture/digest.h"

enum { ROOM_MAX = 1 << 20 /* packets, notifications and so on of a queue */ };

/* The record that is being checked, and how far. */
typedef struct cursor {
  aq_cap_file *file;
  uint32_t record; /* number of it */
  uint32_t kind;
  const unsigned char *at;
  uint64_t left; /* bytes of it */
  aq_diag *diag;
  aq_status status;
} cursor;

static bool refuse(cursor *c, const char *what)
{
  if (c->status == AQ_OK)
    c->status =
        aq_diag_set(c->diag, AQ_ERR_INPUT, "%s: record %u (%s): %s",
                    c->file->name, c->record, aq_cap_kind_name(c->kind), what);
  return false;
}

/* The next bytes; NULL: there are not as many. */
static const void *take(cursor *c, uint64_t size)
{
  if (c->status != AQ_OK || size > c->left) {
    refuse(c, "it ends too early");
    return NULL;
  }
  const void *at = c->at;
  c->at += size;
  c->left -= size;
  return at;
}

static const void *take_many(cursor *c, uint64_t count, size_t size)
{
  if (count > c->left / size) {
    refuse(c, "it ends too early");
    return NULL;
  }
  return take(c, count * size);
}

/* Bytes that are padded to 8, where more follows. */
static const void *take_padded(cursor *c, uint64_t size)
{
  return size > c->left ? take(c, size) : take(c, aq_cap_round(size));
}

/* ---- parts ---- */

static bool points_check(cursor *c, uint32_t count)
{
  const aq_cap_point *points = take_many(c, count, sizeof *points);
  for (uint32_t i = 0; points && i < count; i++)
    if (points[i].semaphore >= c->file->counts.semaphores)
      return refuse(c, "a semaphore that is not there");
  return points != NULL;
}

static bool place_check(cursor *c, const aq_cap_place *place, bool may_be_none)
{
  if (place->memory == AQ_CAP_NONE && may_be_none)
    return true;
  if (place->memory >= c->file->counts.memories)
    return refuse(c, "memory that is not there");
  const aq_cap_memory_info *m = &c->file->memories[place->memory];
  if (place->offset > m->size || place->size > m->size - place->offset)
    return refuse(c, "a place beyond its memory");
  return true;
}

static bool kind_check(cursor *c, uint32_t kind, uint64_t size)
{
  if (kind > AQ_MEMORY_DEVICE || size == 0 || size > UINT64_C(1) << 46)
    return refuse(c, "memory of a wrong kind or size");
  return true;
}

static bool device_check(cursor *c, uint32_t device)
{
  return device < c->file->devices || refuse(c, "a device that is not there");
}

/* ---- operations ---- */

static bool dispatch_check(cursor *c)
{
  const aq_cap_dispatch *d = take(c, sizeof *d);
  if (!d || !take_padded(c, d->kernarg_size))
    return false;
  if (d->kernel >= c->file->counts.kernels)
    return refuse(c, "a kernel that is not there");
  for (int i = 0; i < 3; i++)
    if (d->grid[i] == 0 || d->workgroup[i] == 0)
      return refuse(c, "an empty grid or workgroup");
  const aq_cap_relocation *r = take_many(c, d->relocation_count, sizeof *r);
  for (uint32_t i = 0; r && i < d->relocation_count; i++) {
    const aq_cap_place place = {.memory = r[i].memory, .offset = r[i].at};
    if (r[i].offset % 8 != 0 || d->kernarg_size < 8 ||
        r[i].offset > d->kernarg_size - 8)
      return refuse(c, "a relocation beyond the arguments");
    if (!place_check(c, &place, false))
      return false;
  }
  return r != NULL;
}

static bool execute_check(cursor *c)
{
  const aq_cap_execute *e = take(c, sizeof *e);
  const aq_cap_place *places =
      e ? take_many(c, e->count, sizeof *places) : NULL;
  if (!places)
    return false;
  if (e->link >= c->file->counts.links)
    return refuse(c, "a link that is not there");
  for (uint32_t i = 0; i < e->count; i++)
    if (!place_check(c, &places[i], true))
      return false;
  return true;
}

static bool memory_add(cursor *c, uint64_t size, uint32_t kind, uint32_t device)
{
  if (!kind_check(c, kind, size))
    return false;
  c->file->memories[c->file->counts.memories++] =
      (aq_cap_memory_info){size, kind, device, c->record};
  return true;
}

static bool alloca_check(cursor *c)
{
  const aq_cap_alloca *a = take(c, sizeof *a);
  if (!a)
    return false;
  if (a->memory != c->file->counts.memories)
    return refuse(c, "memory out of turn");
  return memory_add(c, a->size, a->kind, 0);
}

static bool fill_check(cursor *c)
{
  const aq_cap_fill *f = take(c, sizeof *f);
  return f && place_check(c, &f->target, false) &&
         (f->way < AQ_COPY_WAY_COUNT || refuse(c, "an unknown way"));
}

static bool copy_check(cursor *c)
{
  const aq_cap_copy *p = take(c, sizeof *p);
  if (!p || !place_check(c, &p->target, false) ||
      !place_check(c, &p->source, false))
    return false;
  return (p->way < AQ_COPY_WAY_COUNT && p->path <= AQ_PATH_PEER &&
          p->target.size == p->source.size) ||
         refuse(c, "an unknown way or path, or two sizes");
}

static bool update_check(cursor *c)
{
  const aq_cap_update *u = take(c, sizeof *u);
  return u && place_check(c, &u->target, false) &&
         (u->way < AQ_COPY_WAY_COUNT || refuse(c, "an unknown way")) &&
         take(c, u->target.size);
}

static bool atomic_check(cursor *c)
{
  const aq_cap_atomic *a = take(c, sizeof *a);
  const aq_atomic_args args = {.target = NULL,
                               .op = a ? a->op : 0,
                               .size = a ? (uint32_t)a->target.size : 0};
  if (!a || !place_check(c, &a->target, false) ||
      !place_check(c, &a->result, true))
    return false;
  const bool returns = a->result.memory != AQ_CAP_NONE;
  return (a->target.size <= 8 && a->way < AQ_VALUE_WAY_COUNT &&
          (!returns || a->result.size == a->target.size) &&
          aq_atomic_args_check(&args, returns, NULL) == AQ_OK) ||
         refuse(c, "an atomic of an unknown kind");
}

static bool wait_value_check(cursor *c)
{
  const aq_cap_wait_value *w = take(c, sizeof *w);
  if (!w || !place_check(c, &w->value, false))
    return false;
  aq_wait_args args = {.value = w->against,
                       .mask = w->mask,
                       .condition = w->condition,
                       .size = (uint32_t)w->value.size};
  aq_wait_args_normalise(&args);
  return (w->value.size <= 8 && w->way < AQ_VALUE_WAY_COUNT &&
          aq_wait_args_check(&args, NULL) == AQ_OK) ||
         refuse(c, "a wait for a value of an unknown kind");
}

static bool range_check(cursor *c, bool read)
{
  const aq_cap_range *r = take(c, sizeof *r);
  return r && place_check(c, &r->memory, false) &&
         (!read || take(c, r->memory.size));
}

static bool text_check(cursor *c, uint32_t size)
{
  const char *text = take(c, size);
  return text && (!memchr(text, 0, size) || refuse(c, "a zero in a name"));
}

static bool call_check(cursor *c)
{
  const aq_cap_host_call *h = take(c, sizeof *h);
  return h && place_check(c, &h->target, true) && text_check(c, h->name_size);
}

static bool operation_check(cursor *c)
{
  const aq_cap_operation *o = take(c, sizeof *o);
  if (!o || !points_check(c, o->wait_count) ||
      !points_check(c, o->signal_count))
    return false;
  if (o->queue >= c->file->counts.queues)
    return refuse(c, "a queue that is not there");
  if (o->flags & ~(uint32_t)(AQ_SYNC_DEFER | AQ_SYNC_MORE))
    return refuse(c, "unknown flags");
  c->file->counts.operations++;
  switch (o->operation) {
  case AQ_OPERATION_BARRIER:
    return true;
  case AQ_OPERATION_DISPATCH:
    return dispatch_check(c);
  case AQ_OPERATION_EXECUTE:
    return execute_check(c);
  case AQ_OPERATION_ALLOCA:
    return alloca_check(c);
  case AQ_OPERATION_FILL:
    return fill_check(c);
  case AQ_OPERATION_COPY:
    return copy_check(c);
  case AQ_OPERATION_UPDATE:
    return update_check(c);
  case AQ_OPERATION_DEALLOCA:
  case AQ_OPERATION_WRITE:
    return range_check(c, false);
  case AQ_OPERATION_READ:
    return range_check(c, true);
  case AQ_OPERATION_HOST_CALL:
    return call_check(c);
  case AQ_OPERATION_ATOMIC:
    return atomic_check(c);
  case AQ_OPERATION_WAIT_VALUE:
    return wait_value_check(c);
  default:
    return refuse(c, "an unknown operation");
  }
}

/* ---- other records ---- */

static bool queue_check(cursor *c)
{
  const aq_cap_queue *q = take(c, sizeof *q);
  if (!q || !device_check(c, q->device))
    return false;
  if (q->size > ROOM_MAX || q->kernarg_size > UINT64_C(1) << 30 ||
      q->notifications > ROOM_MAX || q->parked > ROOM_MAX)
    return refuse(c, "a queue too large");
  c->file->counts.queues++;
  const aq_cap_queue_properties *p = c->left > 0 ? take(c, sizeof *p) : NULL;
  if (p && (p->priority < -1 || p->priority > 1))
    return refuse(c, "an unknown priority");
  if (p)
    take_many(c, p->words & ~AQ_CAP_COOPERATIVE_QUEUE, sizeof(uint32_t));
  return c->status == AQ_OK;
}

static bool queue_end_check(cursor *c)
{
  const aq_cap_queue_end *q = take(c, sizeof *q);
  return q && (q->queue < c->file->counts.queues ||
               refuse(c, "a queue that is not there"));
}

static bool semaphore_check(cursor *c)
{
  const aq_cap_semaphore *s = take(c, sizeof *s);
  if (!s)
    return false;
  c->file->counts.semaphores++;
  return !(s->flags & ~(uint32_t)AQ_SEMAPHORE_DEVICE) ||
         refuse(c, "unknown flags");
}

static bool memory_check(cursor *c)
{
  const aq_cap_memory *m = take(c, sizeof *m);
  if (!m || !device_check(c, m->device) || m->policy >= AQ_CAPTURE_POLICIES)
    return m ? refuse(c, "an unknown device or policy") : false;
  const char *name = take_padded(c, m->name_size);
  if (!name || memchr(name, 0, m->name_size))
    return refuse(c, "a name that is none");
  const uint32_t number = c->file->counts.memories;
  if (!memory_add(c, m->size, m->kind, m->device))
    return false;
  for (uint32_t i = 0; i < m->range_count; i++) {
    const aq_cap_place *place = take(c, sizeof *place);
    if (!place || place->memory != number || !place_check(c, place, false) ||
        !take_padded(c, place->size))
      return refuse(c, "a range beyond its memory");
  }
  return true;
}

static bool kernel_check(cursor *c)
{
  const uint64_t size = c->left;
  const char *name = take(c, size);
  if (size < 2 || name[size - 1] || strlen(name) != size - 1)
    return refuse(c, "a name that is none");
  c->file->kernels[c->file->counts.kernels++] = name;
  return true;
}

static bool program_check(cursor *c)
{
  aq_cap_program *p = &c->file->programs[c->file->counts.programs];
  const uint64_t size = c->left;
  p->bytes = aligned_alloc(64, (size + 64) & ~UINT64_C(63));
  if (!p->bytes) {
    c->status = aq_diag_no_memory(c->diag);
    return false;
  }
  c->file->counts.programs++;
  memcpy(p->bytes, take(c, size), size);
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_program_parse("program", p->bytes, size, &p->file, &p->program,
                       &diag) != AQ_OK)
    return refuse(c, diag.text);
  return true;
}

static bool link_check(cursor *c)
{
  const aq_cap_link *l = take(c, sizeof *l);
  if (!l || !device_check(c, l->device))
    return false;
  if (l->program >= c->file->counts.programs)
    return refuse(c, "a program that is not there");
  const aq_program *program = &c->file->programs[l->program].program;
  if (l->static_count != program->static_count)
    return refuse(c, "another number of static buffers than its program");
  const aq_cap_place *places = take_many(c, l->static_count, sizeof *places);
  for (uint32_t i = 0; places && i < l->static_count; i++)
    if (!place_check(c, &places[i], false))
      return false;
    else if (places[i].size < program->static_sizes[i])
      return refuse(c, "a static buffer that is too small");
  c->file->links[c->file->counts.links++] = l;
  return places != NULL;
}

static bool wait_check(cursor *c)
{
  const aq_cap_wait *w = take(c, sizeof *w);
  return w && (w->count > 0 || refuse(c, "a wait for nothing")) &&
         points_check(c, w->count);
}

static bool host_write_check(cursor *c)
{
  const aq_cap_place *place = take(c, sizeof *place);
  return place && place_check(c, place, false) && take(c, place->size);
}

static bool digest_check(cursor *c)
{
  const aq_cap_digest *d = take(c, sizeof *d);
  if (!d)
    return false;
  if (d->memory >= c->file->counts.memories)
    return refuse(c, "memory that is not there");
  if (d->count != aq_capture_chunks(c->file->memories[d->memory].size))
    return refuse(c, "another number of digests than its memory has");
  c->file->counts.digests++;
  return take_many(c, d->count, sizeof(uint32_t));
}

static bool record_check(cursor *c)
{
  switch ((aq_cap_kind)c->kind) {
  case AQ_CAP_VOID:
    return true;
  case AQ_CAP_MODULE:
    c->file->counts.modules++;
    return true;
  case AQ_CAP_QUEUE:
    return queue_check(c);
  case AQ_CAP_QUEUE_END:
  case AQ_CAP_IDLE:
    return queue_end_check(c);
  case AQ_CAP_SEMAPHORE:
    return semaphore_check(c);
  case AQ_CAP_MEMORY:
    return memory_check(c);
  case AQ_CAP_KERNEL:
    return kernel_check(c);
  case AQ_CAP_PROGRAM:
    return program_check(c);
  case AQ_CAP_LINK:
    return link_check(c);
  case AQ_CAP_OPERATION:
    return operation_check(c);
  case AQ_CAP_SIGNAL:
    return points_check(c, 1);
  case AQ_CAP_WAIT:
    return wait_check(c);
  case AQ_CAP_HOST_WRITE:
    return host_write_check(c);
  case AQ_CAP_DIGEST:
    return digest_check(c);
  case AQ_CAP_KIND_NONE:
  case AQ_CAP_KINDS:
    break;
  }
  return refuse(c, "of an unknown kind");
}

aq_status aq_cap_record_check(aq_cap_file *file, uint32_t number,
                              const aq_cap_head *head, aq_diag *diag)
{
  cursor c = {.file = file,
              .record = number,
              .kind = head->kind,
              .at = (const unsigned char *)(head + 1),
              .left = head->size,
              .diag = diag};
  return record_check(&c) ? AQ_OK : c.status;
}
