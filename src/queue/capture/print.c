/* SPDX-License-Identifier: MIT */
/* A capture as text: a line a record. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "queue/capture/reader.h"

/* A line that grows until it is full. */
typedef struct text {
  char line[400];
  size_t used;
} text;

static void AQ_PRINTF(2, 3) put(text *t, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int more =
      vsnprintf(t->line + t->used, sizeof t->line - t->used, format, list);
  va_end(list);
  t->used += more > 0 ? (size_t)more : 0;
  if (t->used >= sizeof t->line)
    t->used = sizeof t->line - 1;
}

static void put_place(text *t, const aq_cap_place *place)
{
  if (place->memory == AQ_CAP_NONE)
    put(t, " nothing");
  else
    put(t, " memory %u [%llu, +%llu)", place->memory,
        (unsigned long long)place->offset, (unsigned long long)place->size);
}

static void put_points(text *t, const char *what, const aq_cap_point *points,
                       uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    put(t, "%s%u>=%llu", i ? ", " : what, points[i].semaphore,
        (unsigned long long)points[i].value);
}

static void put_detail(text *t, const aq_cap_file *file,
                       const aq_cap_operation *o)
{
  const void *detail = aq_cap_detail(o);
  const aq_cap_dispatch *d = detail;
  const aq_cap_execute *e = detail;
  const aq_cap_alloca *a = detail;
  const aq_cap_fill *f = detail;
  const aq_cap_copy *c = detail;
  const aq_cap_host_call *h = detail;
  const aq_cap_atomic *x = detail;
  const aq_cap_wait_value *w = detail;
  switch (o->operation) {
  case AQ_OPERATION_DISPATCH:
    put(t, " %s, grid %u x %u x %u, %u bytes of arguments with %u addresses",
        file->kernels[d->kernel], d->grid[0], d->grid[1], d->grid[2],
        d->kernarg_size, d->relocation_count);
    break;
  case AQ_OPERATION_EXECUTE:
    put(t, " link %u with %u buffers", e->link, e->count);
    break;
  case AQ_OPERATION_ALLOCA:
    put(t, " memory %u, %llu bytes", a->memory, (unsigned long long)a->size);
    break;
  case AQ_OPERATION_FILL:
    put_place(t, &f->target);
    put(t, " with 0x%llx, %u bytes", (unsigned long long)f->pattern,
        f->pattern_size);
    break;
  case AQ_OPERATION_COPY:
    put_place(t, &c->source);
    put(t, " to");
    put_place(t, &c->target);
    break;
  case AQ_OPERATION_HOST_CALL:
    put(t, " '%.*s'", h->name_size < 60 ? (int)h->name_size : 60,
        (const char *)(h + 1));
    break;
  case AQ_OPERATION_ATOMIC:
    put(t, " %s 0x%llx", aq_atomic_op_name((aq_atomic_op)x->op),
        (unsigned long long)x->operand);
    put_place(t, &x->target);
    if (x->result.memory != AQ_CAP_NONE) {
      put(t, " with result");
      put_place(t, &x->result);
    }
    break;
  case AQ_OPERATION_WAIT_VALUE:
    put_place(t, &w->value);
    put(t, " & 0x%llx %s 0x%llx", (unsigned long long)w->mask,
        aq_condition_name((aq_condition)w->condition),
        (unsigned long long)w->against);
    break;
  case AQ_OPERATION_UPDATE:
  case AQ_OPERATION_READ:
  case AQ_OPERATION_WRITE:
  case AQ_OPERATION_DEALLOCA: /* a place first in all of them */
    put_place(t, detail);
    break;
  default:
    break;
  }
}

static void put_operation(text *t, const aq_cap_file *file,
                          const aq_cap_operation *o)
{
  put(t, "queue %u: %s", o->queue, aq_operation_name(o->operation));
  put_detail(t, file, o);
  put_points(t, " waits for ", aq_cap_points(o), o->wait_count);
  put_points(t, " signals ", aq_cap_points(o) + o->wait_count, o->signal_count);
}

static void put_memory(text *t, const aq_cap_memory *m)
{
  static const char *const kinds[] = {"kernarg", "host", "device"};
  static const char *const policies[] = {"reference", "ranges", "all", "fail"};
  put(t, " '%.*s', %llu bytes of %s, policy %s, %u ranges kept",
      m->name_size < 60 ? (int)m->name_size : 60, (const char *)(m + 1),
      (unsigned long long)m->size, kinds[m->kind], policies[m->policy],
      m->range_count);
}

static void put_record(text *t, const aq_cap_file *file,
                       const aq_cap_head *head, aq_cap_counts *seen)
{
  const void *fixed = aq_cap_fixed(head);
  const aq_cap_queue *q = fixed;
  const aq_cap_link *l = fixed;
  const aq_cap_digest *d = fixed;
  if (head->kind != AQ_CAP_OPERATION)
    put(t, "%s", aq_cap_kind_name(head->kind));
  switch (head->kind) {
  case AQ_CAP_QUEUE:
    put(t, " %u on device %u, %u packets", seen->queues++, q->device, q->size);
    break;
  case AQ_CAP_QUEUE_END:
  case AQ_CAP_IDLE:
    put(t, " %u", ((const aq_cap_queue_end *)fixed)->queue);
    break;
  case AQ_CAP_SEMAPHORE:
    put(t, " %u at %llu", seen->semaphores++,
        (unsigned long long)((const aq_cap_semaphore *)fixed)->value);
    break;
  case AQ_CAP_MEMORY:
    put_memory(t, fixed);
    break;
  case AQ_CAP_KERNEL:
    put(t, " %u '%s'", seen->kernels++, (const char *)fixed);
    break;
  case AQ_CAP_MODULE:
    put(t, " of %llu bytes", (unsigned long long)head->size);
    break;
  case AQ_CAP_PROGRAM:
    put(t, " %u of %llu commands", seen->programs,
        (unsigned long long)file->programs[seen->programs].program.commands);
    seen->programs++;
    break;
  case AQ_CAP_LINK:
    put(t, " %u of program %u with %u static buffers", seen->links++,
        l->program, l->static_count);
    break;
  case AQ_CAP_OPERATION:
    put_operation(t, file, fixed);
    break;
  case AQ_CAP_SIGNAL:
    put_points(t, " ", fixed, 1);
    break;
  case AQ_CAP_WAIT:
    put_points(
        t, " for ",
        (const aq_cap_point *)(const void *)((const aq_cap_wait *)fixed + 1),
        ((const aq_cap_wait *)fixed)->count);
    break;
  case AQ_CAP_HOST_WRITE:
    put_place(t, fixed);
    break;
  case AQ_CAP_DIGEST:
    put(t, " of memory %u: %u pieces", d->memory, d->count);
    break;
  default:
    break;
  }
}

void aq_cap_file_print(const aq_cap_file *file,
                       void (*line)(const char *text, void *user), void *user)
{
  aq_cap_counts seen = {0};
  for (uint32_t i = 0; i < file->record_count; i++) {
    text t = {.used = 0};
    put_record(&t, file, file->records[i], &seen);
    line(t.line, user);
  }
}
