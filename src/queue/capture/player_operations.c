/* SPDX-License-Identifier: MIT */
/* Operations of the host queue, replayed. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/wall_clock.h"
#include "queue/capture/player_priv.h"

/* One that is ready to be submitted. */
typedef struct ready {
  aq_cap_player *player;
  const aq_cap_operation *operation;
  const void *detail;
  aq_queue *queue;
  aq_sync sync;
  void *scratch; /* to free when it is submitted */
} ready;

static aq_status play_dispatch(ready *r, aq_diag *diag)
{
  aq_cap_player *player = r->player;
  const aq_cap_dispatch *d = r->detail;
  const unsigned char *args = (const unsigned char *)(d + 1);
  const aq_cap_relocation *relocations =
      (const aq_cap_relocation *)(const void *)(args +
                                                aq_cap_round(d->kernarg_size));
  unsigned char *copy = r->scratch = malloc(d->kernarg_size + UINT64_C(1));
  if (!copy)
    return aq_diag_no_memory(diag);
  memcpy(copy, args, d->kernarg_size);
  for (uint32_t i = 0; i < d->relocation_count; i++) {
    void *address;
    const aq_cap_place place = {.memory = relocations[i].memory,
                                .offset = relocations[i].at};
    aq_status status = aq_cap_player_place(player, &place, &address, diag);
    if (status != AQ_OK)
      return status;
    memcpy(copy + relocations[i].offset, &address, sizeof address);
  }
  aq_launch launch = {.object =
                          player->kernels[(size_t)aq_queue_device(r->queue) *
                                              player->file->counts.kernels +
                                          d->kernel],
                      .group_size = d->group_size,
                      .private_size = d->private_size,
                      .kernargs = copy,
                      .kernarg_size = d->kernarg_size};
  memcpy(launch.grid, d->grid, sizeof launch.grid);
  memcpy(launch.workgroup, d->workgroup, sizeof launch.workgroup);
  return aq_queue_dispatch(r->queue, &r->sync, &launch, diag);
}

static aq_status play_execute(ready *r, aq_diag *diag)
{
  const aq_cap_execute *e = r->detail;
  const aq_cap_place *places = (const aq_cap_place *)(const void *)(e + 1);
  aq_binding *bindings = r->scratch = calloc(e->count + 1, sizeof *bindings);
  if (!bindings)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < e->count; i++) {
    bindings[i].size = places[i].size;
    aq_status status =
        aq_cap_player_place(r->player, &places[i], &bindings[i].address, diag);
    if (status != AQ_OK)
      return status;
  }
  const aq_execution execution = {.link = r->player->links[e->link],
                                  .bindings = bindings,
                                  .binding_count = e->count,
                                  .flags = r->player->options.execute};
  return aq_queue_execute(r->queue, &r->sync, &execution, diag);
}

static aq_status play_alloca(ready *r, aq_diag *diag)
{
  const aq_cap_alloca *a = r->detail;
  r->player->memory_count++;
  if (a->failed)
    return AQ_OK;
  return aq_queue_alloca(r->queue, &r->sync,
                         &(aq_memory_request){(aq_memory_kind)a->kind, a->size},
                         &r->player->memory[a->memory], diag);
}

static aq_status play_dealloca(ready *r, aq_diag *diag)
{
  const aq_cap_range *range = r->detail;
  void *address;
  const uint32_t number = range->memory.memory;
  aq_status status =
      aq_cap_player_place(r->player, &range->memory, &address, diag);
  if (status == AQ_OK && r->player->own[number])
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: dealloca of memory %u",
                         r->player->file->name, number);
  if (status == AQ_OK)
    status = aq_queue_dealloca(r->queue, &r->sync, address, diag);
  if (status == AQ_OK)
    r->player->memory[number] = NULL;
  return status;
}

static aq_status play_fill(ready *r, aq_diag *diag)
{
  const aq_cap_fill *f = r->detail;
  aq_fill fill = {.size = f->target.size,
                  .pattern = f->pattern,
                  .pattern_size = f->pattern_size,
                  .way = (aq_copy_way)f->way};
  aq_status status =
      aq_cap_player_place(r->player, &f->target, &fill.target, diag);
  return status == AQ_OK ? aq_queue_fill(r->queue, &r->sync, &fill, diag)
                         : status;
}

static aq_status play_copy(ready *r, aq_diag *diag)
{
  const aq_cap_copy *c = r->detail;
  void *source = NULL;
  aq_copy copy = {.size = c->target.size,
                  .path = (aq_copy_path)c->path,
                  .way = (aq_copy_way)c->way};
  aq_status status =
      aq_cap_player_place(r->player, &c->target, &copy.target, diag);
  if (status == AQ_OK)
    status = aq_cap_player_place(r->player, &c->source, &source, diag);
  copy.source = source;
  return status == AQ_OK ? aq_queue_copy(r->queue, &r->sync, &copy, diag)
                         : status;
}

static aq_status play_update(ready *r, aq_diag *diag)
{
  const aq_cap_update *u = r->detail;
  aq_update update = {.bytes = u + 1,
                      .size = (uint32_t)u->target.size,
                      .way = (aq_copy_way)u->way};
  aq_status status =
      aq_cap_player_place(r->player, &u->target, &update.target, diag);
  return status == AQ_OK ? aq_queue_update(r->queue, &r->sync, &update, diag)
                         : status;
}

static aq_status play_atomic(ready *r, aq_diag *diag)
{
  const aq_cap_atomic *a = r->detail;
  aq_atomic atomic = {.size = (uint32_t)a->target.size,
                      .op = (aq_atomic_op)a->op,
                      .operand = a->operand,
                      .expected = a->expected,
                      .way = (aq_value_way)a->way};
  aq_status status =
      aq_cap_player_place(r->player, &a->target, &atomic.target, diag);
  if (status == AQ_OK)
    status = aq_cap_player_place(r->player, &a->result, &atomic.result, diag);
  return status == AQ_OK ? aq_queue_atomic(r->queue, &r->sync, &atomic, diag)
                         : status;
}

static aq_status play_wait_value(ready *r, aq_diag *diag)
{
  const aq_cap_wait_value *w = r->detail;
  void *address = NULL;
  aq_value_wait wait = {.size = (uint32_t)w->value.size,
                        .condition = (aq_condition)w->condition,
                        .value = w->against,
                        .mask = w->mask,
                        .way = (aq_value_way)w->way};
  aq_status status = aq_cap_player_place(r->player, &w->value, &address, diag);
  wait.address = address;
  return status == AQ_OK ? aq_queue_wait_value(r->queue, &r->sync, &wait, diag)
                         : status;
}

/* A file in memory with the bytes of the captured one. */
static aq_status file_make(aq_cap_player *player, const void *bytes,
                           uint64_t size, int *out, aq_diag *diag)
{
  const int fd = memfd_create("aqueduct-replay", MFD_CLOEXEC);
  if (fd < 0)
    return aq_diag_set(diag, AQ_ERR_IO, "memfd_create: %s", strerror(errno));
  player->files[player->file_count++] = fd;
  for (uint64_t at = 0; at < size;) {
    const ssize_t put = write(fd, (const char *)bytes + at, size - at);
    if (put <= 0)
      return aq_diag_set(diag, AQ_ERR_IO, "write to a memfd: %s",
                         put < 0 ? strerror(errno) : "no progress");
    at += (uint64_t)put;
  }
  *out = fd;
  return AQ_OK;
}

static aq_status play_file(ready *r, aq_diag *diag)
{
  const aq_cap_range *c = r->detail;
  const bool read = r->operation->operation == AQ_OPERATION_READ;
  aq_file_range range = {.size = c->memory.size};
  aq_status status =
      aq_cap_player_place(r->player, &c->memory, &range.memory, diag);
  if (status == AQ_OK)
    status =
        file_make(r->player, c + 1, read ? range.size : 0, &range.fd, diag);
  if (status != AQ_OK)
    return status;
  return read ? aq_queue_read(r->queue, &r->sync, &range, diag)
              : aq_queue_write(r->queue, &r->sync, &range, diag);
}

static aq_status nothing(void *user, aq_diag *diag)
{
  (void)user, (void)diag;
  return AQ_OK;
}

static aq_status play_call(ready *r, aq_diag *diag)
{
  const aq_cap_host_call *h = r->detail;
  const aq_cap_function *f = r->player->options.functions;
  aq_host_call call = {.target_size = h->target.size};
  aq_status status =
      aq_cap_player_place(r->player, &h->target, &call.target, diag);
  while (f && f->name &&
         (strlen(f->name) != h->name_size ||
          memcmp(f->name, h + 1, h->name_size) != 0))
    f++;
  const bool found = f && f->name;
  call.function = found ? f->function : nothing;
  call.user = found ? f->user : NULL;
  r->player->played.idle_calls += !found;
  return status == AQ_OK ? aq_queue_host_call(r->queue, &r->sync, &call, diag)
                         : status;
}

static aq_status ready_submit(ready *r, aq_diag *diag)
{
  switch (r->operation->operation) {
  case AQ_OPERATION_DISPATCH:
    return play_dispatch(r, diag);
  case AQ_OPERATION_EXECUTE:
    return play_execute(r, diag);
  case AQ_OPERATION_ALLOCA:
    return play_alloca(r, diag);
  case AQ_OPERATION_DEALLOCA:
    return play_dealloca(r, diag);
  case AQ_OPERATION_FILL:
    return play_fill(r, diag);
  case AQ_OPERATION_COPY:
    return play_copy(r, diag);
  case AQ_OPERATION_UPDATE:
    return play_update(r, diag);
  case AQ_OPERATION_READ:
  case AQ_OPERATION_WRITE:
    return play_file(r, diag);
  case AQ_OPERATION_HOST_CALL:
    return play_call(r, diag);
  case AQ_OPERATION_ATOMIC:
    return play_atomic(r, diag);
  case AQ_OPERATION_WAIT_VALUE:
    return play_wait_value(r, diag);
  default: /* the reader has no other */
    return aq_queue_barrier(r->queue, &r->sync, diag);
  }
}

aq_status aq_cap_player_operation(aq_cap_player *player,
                                  const aq_cap_operation *o, aq_diag *diag)
{
  const uint32_t count = o->wait_count + o->signal_count;
  ready r = {.player = player, .operation = o, .detail = aq_cap_detail(o)};
  aq_status status = aq_cap_player_queue(player, o->queue, &r.queue, diag);
  if (status != AQ_OK)
    return status;
  aq_point *points = calloc(count + 1, sizeof *points);
  if (!points)
    return aq_diag_no_memory(diag);
  aq_cap_player_points(player, aq_cap_points(o), count, points);
  r.sync = (aq_sync){.waits = points,
                     .wait_count = o->wait_count,
                     .signals = points + o->wait_count,
                     .signal_count = o->signal_count,
                     .flags = o->flags};
  if (!player->begun)
    player->first = player->transport->ops->now(player->transport);
  player->begun = true;
  const int64_t before = aq_wall_ns();
  status = ready_submit(&r, diag);
  player->played.host_ns += (uint64_t)(aq_wall_ns() - before);
  player->played.operations++;
  free(r.scratch);
  free(points);
  return status;
}
