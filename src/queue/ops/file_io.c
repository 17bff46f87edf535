/* SPDX-License-Identifier: MIT */
/* Reads and writes of files: two pieces of staging memory, one between file and
 * staging while the other is between staging and device. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/ops/host_operation.h"
#include "queue/ops/staging.h"

enum { PIECES = 2 };

typedef struct file_work file_work;

/* A part of the range on its way. */
typedef struct piece {
  file_work *file;
  aq_stage *stage;
  aq_epoch_signal *moved; /* 0: the engine has moved it */
  uint64_t at;            /* in the range */
  size_t size;
  bool moving;
} piece;

struct file_work {
  aq_host_operation work;              /* first */
  file_work *next_write, **link_write; /* pending writes of the context */
  aq_file_range range;
  aq_step step;
  piece pieces[PIECES];
  uint32_t device;                      /* whose engine moves them */
  uint32_t reported, reported_expected; /* calls of the step */
  uint64_t next; /* of the range: below, bytes are under way */
  bool opened;   /* its pieces */
  aq_status status;
  aq_diag cause;
};

static file_work *file_of(aq_step *step)
{
  return (file_work *)(void *)((char *)step - offsetof(file_work, step));
}

static bool is_read(const file_work *f)
{
  return f->work.kind == AQ_OPERATION_READ;
}

/* ---- the file ---- */

/* All bytes of a part between file and memory; waits for the disk. */
static aq_status part_transfer(const file_work *f, unsigned char *memory,
                               uint64_t at, size_t size, aq_diag *diag)
{
  const int fd = f->range.fd;
  const uint64_t offset = f->range.offset + at;
  size_t done = 0;
  while (done < size) {
    const off_t place = (off_t)(offset + done);
    const ssize_t got = is_read(f)
                            ? pread(fd, memory + done, size - done, place)
                            : pwrite(fd, memory + done, size - done, place);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return aq_diag_set(diag, AQ_ERR_IO, "%s of descriptor %d at %llu: %s",
                         aq_operation_name(f->work.kind), fd,
                         (unsigned long long)place, strerror(errno));
    if (got == 0)
      return aq_diag_set(diag, AQ_ERR_IO,
                         "%s of descriptor %d at %llu: %zu bytes of %llu are "
                         "not there",
                         aq_operation_name(f->work.kind), fd,
                         (unsigned long long)place, size - done,
                         (unsigned long long)f->range.size);
    done += (size_t)got;
  }
  return AQ_OK;
}

/* ---- pieces ---- */

static bool piece_has_moved(const piece *p)
{
  const aq_context *context = p->file->work.context;
  return context->ops->signal_load(context->transport, p->moved->signal,
                                   AQ_ACQUIRE) < 1;
}

static bool piece_told(int64_t value, void *user)
{
  file_work *f = ((piece *)user)->file;
  (void)value;
  aq_staging_run(f->work.context, &f->step, NULL); /* its thread is there */
  return false;
}

/* Between staging and device. Its reporter comes first: a copy without one
 * could not be waited for. */
static aq_status piece_move(piece *p, aq_diag *diag)
{
  file_work *f = p->file;
  aq_transport *t = f->work.context->transport;
  unsigned char *memory = (unsigned char *)f->range.memory + p->at;
  const aq_copy_desc copy = {.device = f->device,
                             .engine = AQ_COPY_ENGINE_ANY,
                             .to_device = AQ_DEVICE_OF_ADDRESS,
                             .from_device = AQ_DEVICE_OF_ADDRESS,
                             .to = is_read(f) ? memory : p->stage->memory,
                             .from = is_read(f) ? p->stage->memory : memory,
                             .size = p->size,
                             .completion = p->moved->signal};
  t->ops->signal_store(t, p->moved->signal, 1, AQ_RELEASE);
  aq_status status = t->ops->signal_handler(t, p->moved->signal, AQ_LT, 1,
                                            piece_told, p, diag);
  if (status != AQ_OK)
    return status;
  f->reported_expected++;
  p->moving = true;
  status = t->ops->copy_submit(t, &copy, diag);
  if (status != AQ_OK)
    t->ops->signal_store(t, p->moved->signal, 0, AQ_RELEASE);
  return status;
}

/* The next part of the range, by an idle piece. */
static aq_status piece_begin(piece *p, aq_diag *diag)
{
  file_work *f = p->file;
  const uint64_t left = f->range.size - f->next;
  p->at = f->next;
  p->size = left < AQ_STAGING_BYTES ? (size_t)left : AQ_STAGING_BYTES;
  f->next += p->size;
  aq_status status = AQ_OK;
  if (is_read(f))
    status = part_transfer(f, p->stage->memory, p->at, p->size, diag);
  return status == AQ_OK ? piece_move(p, diag) : status;
}

/* ---- the walk ---- */

/* Starts the pieces that can start now; true: there were some. */
static bool file_advance(file_work *f)
{
  bool any = false;
  for (int i = 0; i < PIECES; i++) {
    piece *p = &f->pieces[i];
    if (!p->stage)
      continue;
    if (p->moving && piece_has_moved(p)) {
      p->moving = false;
      if (f->status == AQ_OK && !is_read(f))
        f->status =
            part_transfer(f, p->stage->memory, p->at, p->size, &f->cause);
      any = true;
    }
    if (!p->moving && f->status == AQ_OK && f->next < f->range.size) {
      f->status = piece_begin(p, &f->cause);
      any = true;
    }
  }
  return any;
}

static bool file_is_moving(const file_work *f)
{
  bool moving = false;
  for (int i = 0; i < PIECES; i++)
    moving |= f->pieces[i].moving;
  return moving;
}

/* ---- pending writes ---- */

static void write_list(file_work *f)
{
  aq_context *context = f->work.context;
  aq_lock(context->sync_domain, &context->sync_domain->lock);
  f->next_write = context->writes;
  f->link_write = &context->writes;
  if (f->next_write)
    f->next_write->link_write = &f->next_write;
  context->writes = f;
  aq_unlock(context->sync_domain, &context->sync_domain->lock);
}

/* Its bytes are in the file, or never get there. */
static void write_unlist(file_work *f)
{
  const aq_sync_domain *sync_domain = f->work.context->sync_domain;
  aq_lock(sync_domain, &f->work.context->sync_domain->lock);
  if (f->link_write) {
    *f->link_write = f->next_write;
    if (f->next_write)
      f->next_write->link_write = f->link_write;
    f->link_write = NULL;
  }
  aq_unlock(sync_domain, &f->work.context->sync_domain->lock);
}

static bool is_same_file(int a, int b)
{
  struct stat of_a, of_b;
  return a == b || (fstat(a, &of_a) == 0 && fstat(b, &of_b) == 0 &&
                    of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino);
}

bool aq_context_file_is_written(aq_context *context, const aq_file_range *range)
{
  bool found = false;
  aq_lock(context->sync_domain, &context->sync_domain->lock);
  for (const file_work *f = context->writes; f && !found; f = f->next_write)
    found = f->range.offset < range->offset + range->size &&
            range->offset < f->range.offset + f->range.size &&
            is_same_file(f->range.fd, range->fd);
  aq_unlock(context->sync_domain, &context->sync_domain->lock);
  return found;
}

/* ---- its life ---- */

/* One piece is enough, only slower. */
static aq_status pieces_open(file_work *f, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (int i = 0; i < PIECES && status == AQ_OK; i++) {
    piece *p = &f->pieces[i];
    if (i > 0 && f->range.size <= AQ_STAGING_BYTES)
      break;
    p->file = f;
    status =
        aq_epoch_signal_acquire(f->work.context->sync_domain, &p->moved, diag);
    if (status == AQ_OK)
      status = aq_stage_acquire(f->work.context, &p->stage, diag);
  }
  return f->pieces[0].stage ? AQ_OK : status;
}

static void pieces_close(file_work *f)
{
  for (int i = 0; i < PIECES; i++) {
    piece *p = &f->pieces[i];
    if (p->moved)
      aq_epoch_signal_release(f->work.context->sync_domain, p->moved);
    aq_stage_release(f->work.context, p->stage);
    p->moved = NULL;
    p->stage = NULL;
  }
}

static void file_end(file_work *f)
{
  pieces_close(f);
  write_unlist(f);
  aq_host_operation_end(&f->work, f->status, f->cause.text);
}

/* Its turn has come: only now it takes staging, so that queued operations share
 * the pieces that earlier ones return. All threads that may call it have called
 * it: it may be freed. */
static void file_staged(aq_step *step, uint32_t asks)
{
  file_work *f = file_of(step);
  f->reported += asks;
  if (!f->opened)
    f->status = pieces_open(f, &f->cause);
  f->opened = true;
  while (file_advance(f))
    ;
  if (!file_is_moving(f) && f->reported == f->reported_expected)
    file_end(f);
}

/* Without engines, or without a reporter for them. */
static void file_direct(aq_step *step, uint32_t asks)
{
  file_work *f = file_of(step);
  (void)asks;
  f->status = part_transfer(f, f->range.memory, 0, f->range.size, &f->cause);
  if (is_read(f))
    aq_host_operation_publish(&f->work, f->range.memory, f->range.size);
  file_end(f);
}

static aq_status file_start(aq_host_operation *work, aq_diag *diag)
{
  file_work *f = (file_work *)work;
  f->reported_expected = 1;
  aq_status status = aq_staging_run(work->context, &f->step, diag);
  return status == AQ_OK ? AQ_ERR_AGAIN : status;
}

static void file_free(aq_host_operation *work)
{
  write_unlist((file_work *)work); /* of one that never began */
  free(work);
}

static aq_status range_check(const aq_file_range *range, aq_operation kind,
                             aq_diag *diag)
{
  const uint64_t most = INT64_MAX;
  if (range->fd >= 0 && range->memory && range->size > 0 &&
      range->offset <= most && range->size <= most - range->offset)
    return AQ_OK;
  return aq_diag_set(
      diag, AQ_ERR_INVALID,
      "%s: %llu bytes at %llu of descriptor %d, memory %p; expected a size, a "
      "descriptor and memory",
      aq_operation_name(kind), (unsigned long long)range->size,
      (unsigned long long)range->offset, range->fd, range->memory);
}

static aq_status file_submit(aq_queue *queue, const aq_sync *sync,
                             const aq_file_range *range, aq_operation kind,
                             aq_diag *diag)
{
  const uint32_t caps = queue->context->info.caps;
  const bool staged = caps & AQ_CAP_COPY && caps & AQ_CAP_HANDLERS;
  aq_status status = range_check(range, kind, diag);
  if (status == AQ_OK && !staged &&
      !queue->ops->mem_visible(queue->transport, range->memory, range->size))
    status =
        aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                    "%s: the host cannot access %s's memory at %p, and no "
                    "engine copies it",
                    aq_operation_name(kind), queue->ops->name, range->memory);
  if (status != AQ_OK)
    return status;
  file_work *f = calloc(1, sizeof *f);
  if (!f)
    return aq_diag_no_memory(diag);
  f->work = (aq_host_operation){.queue = queue,
                                .context = queue->context,
                                .kind = kind,
                                .bytes = range->size,
                                .start = file_start,
                                .free = file_free};
  f->range = *range;
  f->device = queue->options.device;
  f->step.run = staged ? file_staged : file_direct;
  if (kind == AQ_OPERATION_WRITE)
    write_list(f);
  status = aq_host_operation_submit(&f->work, sync, diag);
  if (status != AQ_OK)
    file_free(&f->work);
  return status;
}

aq_status aq_queue_read(aq_queue *queue, const aq_sync *sync,
                        const aq_file_range *range, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_READ, sync, range);
  return aq_submit_hooks_end(
      queue->context, token,
      file_submit(queue, sync, range, AQ_OPERATION_READ, diag));
}

aq_status aq_queue_write(aq_queue *queue, const aq_sync *sync,
                         const aq_file_range *range, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_WRITE, sync, range);
  return aq_submit_hooks_end(
      queue->context, token,
      file_submit(queue, sync, range, AQ_OPERATION_WRITE, diag));
}
