/* SPDX-License-Identifier: MIT */
#include "capture/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/digest.h"

struct aq_cap_player {
  const aq_cap_file *file;
  aq_cap_player_options options;
  aq_transport *transport;
  aq_transport_info info;
  aq_context *context;
  uint64_t *kernels; /* objects: by device, then by number */
  void **memory;     /* by number; NULL: it is not there */
  bool *own;         /* by number: from the transport, and kept */

  /* Of a run. */
  aq_queue **queues;
  aq_semaphore **semaphores;
  aq_link **links;
  int *files;
  uint32_t queue_count, semaphore_count, memory_count, link_count, file_count;
  bool begun;
  aq_time first; /* submission */
  aq_cap_played played;
};

/* ---- kernels ---- */

static const aq_kernel_entry *entry_find(const aq_cap_player *player,
                                         const char *name)
{
  const aq_kernel_entry *entry = player->options.kernels;
  for (; entry && entry->name; entry++)
    if (strcmp(entry->name, name) == 0)
      return entry;
  return NULL;
}

static aq_status host_kernel(const aq_cap_player *player, const char *name,
                             uint64_t *object, aq_diag *diag)
{
  const aq_kernel_entry *entry = entry_find(player, name);
  aq_kernel_info info;
  if (!entry)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "%s: kernel '%s' has no host function; a plug-in of "
                       "kernels has to bring one",
                       player->file->name, name);
  aq_status status = player->transport->ops->kernel_register(
      player->transport,
      &(aq_kernel_desc){
          .name = name, .function = entry->function, .cost = entry->cost},
      &info, diag);
  if (status == AQ_OK)
    *object = info.object;
  return status;
}

static aq_status code_kernel(const aq_cap_player *player,
                             const uint64_t *modules, const char *name,
                             uint64_t *object, aq_diag *diag)
{
  aq_kernel_info info;
  for (uint32_t i = 0; i < player->file->counts.modules; i++)
    if (player->transport->ops->kernel_lookup(player->transport, modules[i],
                                              name, &info, NULL) == AQ_OK) {
      *object = info.object;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                     "%s: kernel '%s' is in none of its %u modules",
                     player->file->name, name, player->file->counts.modules);
}

/* All modules of the capture, on one device. */
static aq_status modules_load(const aq_cap_player *player, uint32_t device,
                              uint64_t *modules, aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  uint32_t count = 0;
  for (uint32_t i = 0; i < file->record_count; i++) {
    const aq_cap_head *head = file->records[i];
    if (head->kind != AQ_CAP_MODULE)
      continue;
    aq_status status = player->transport->ops->module_load(
        player->transport, device, head + 1, head->size, &modules[count++],
        diag);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

static aq_status kernels_find(aq_cap_player *player, aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  const uint32_t count = file->counts.kernels;
  const bool host = player->info.caps & AQ_CAP_HOST_KERNELS;
  uint64_t *modules = calloc(file->counts.modules + 1, sizeof *modules);
  player->kernels =
      calloc((size_t)count * file->devices + 1, sizeof *player->kernels);
  aq_status status = AQ_OK;
  if (!modules || !player->kernels)
    status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for kernels");
  for (uint32_t d = 0; d < file->devices && status == AQ_OK; d++) {
    uint64_t *objects = player->kernels + (size_t)d * count;
    if (!host && count > 0)
      status = modules_load(player, d, modules, diag);
    for (uint32_t i = 0; i < count && status == AQ_OK; i++)
      status = host ? host_kernel(player, file->kernels[i], &objects[i], diag)
                    : code_kernel(player, modules, file->kernels[i],
                                  &objects[i], diag);
  }
  free(modules);
  return status;
}

/* ---- places ---- */

static aq_status place_find(const aq_cap_player *player,
                            const aq_cap_place *place, void **out,
                            aq_diag *diag)
{
  *out = NULL;
  if (place->memory == AQ_CAP_NONE)
    return AQ_OK;
  if (!player->memory[place->memory])
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: memory %u is used when it is not there",
                       player->file->name, place->memory);
  *out = (char *)player->memory[place->memory] + place->offset;
  return AQ_OK;
}

/* What it held when it was captured; zeros elsewhere. */
static aq_status memory_fill(const aq_cap_player *player, uint32_t number,
                             const aq_cap_memory *m, aq_diag *diag)
{
  aq_transport *t = player->transport;
  const unsigned char *at =
      (const unsigned char *)(m + 1) + aq_cap_round(m->name_size);
  unsigned char *memory = player->memory[number];
  void *zeros = calloc(1, AQ_CAP_CHUNK);
  aq_status status = AQ_OK;
  if (!zeros)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for zeros");
  for (uint64_t i = 0; i < m->size && status == AQ_OK; i += AQ_CAP_CHUNK)
    status = aq_capture_move(
        t, m->device, (aq_memory_kind)m->kind, memory + i, zeros,
        m->size - i < AQ_CAP_CHUNK ? m->size - i : AQ_CAP_CHUNK, diag);
  for (uint32_t i = 0; i < m->range_count && status == AQ_OK; i++) {
    const aq_cap_place *place = (const aq_cap_place *)(const void *)at;
    at += sizeof *place;
    status = aq_capture_move(t, m->device, (aq_memory_kind)m->kind,
                             memory + place->offset, at, place->size, diag);
    at += aq_cap_round(place->size);
  }
  t->ops->mem_publish(t, memory, m->size);
  free(zeros);
  return status;
}

static aq_status play_memory(aq_cap_player *player, const aq_cap_memory *m,
                             aq_diag *diag)
{
  const uint32_t number = player->memory_count++;
  aq_status status = AQ_OK;
  if (!player->memory[number]) {
    status = player->transport->ops->mem_alloc(player->transport, m->device,
                                               (aq_memory_kind)m->kind, m->size,
                                               &player->memory[number], diag);
    player->own[number] = status == AQ_OK;
  }
  return status == AQ_OK ? memory_fill(player, number, m, diag) : status;
}

/* ---- things ---- */

static aq_status play_queue(aq_cap_player *player, const aq_cap_queue *q,
                            aq_diag *diag)
{
  return aq_queue_create(
      player->context,
      &(aq_queue_options){.size_of = sizeof(aq_queue_options),
                          .device = q->device,
                          .size = q->size,
                          .kernarg_size = q->kernarg_size,
                          .notifications = q->notifications,
                          .parked = q->parked},
      &player->queues[player->queue_count++], diag);
}

static aq_status play_link(aq_cap_player *player, const aq_cap_link *l,
                           aq_diag *diag)
{
  const aq_program *program = &player->file->programs[l->program].program;
  const aq_cap_place *places = (const aq_cap_place *)(const void *)(l + 1);
  aq_binding *statics = calloc(l->static_count + 1, sizeof *statics);
  uint64_t *kernels = calloc(program->kernel_count + 1, sizeof *kernels);
  aq_status status = AQ_OK;
  if (!statics || !kernels)
    status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a link");
  for (uint32_t i = 0; i < l->static_count && status == AQ_OK; i++) {
    statics[i].size = places[i].size;
    status = place_find(player, &places[i], &statics[i].address, diag);
  }
  for (uint32_t i = 0; i < program->kernel_count && status == AQ_OK; i++) {
    const char *name = program->kernel_names[i];
    const uint32_t count = player->file->counts.kernels;
    uint32_t k = 0;
    while (k < count && strcmp(player->file->kernels[k], name) != 0)
      k++;
    if (k == count)
      status = aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s: a program's kernel '%s' has no record",
                           player->file->name, name);
    else
      kernels[i] = player->kernels[(size_t)l->device * count + k];
  }
  if (status == AQ_OK)
    status = aq_link_create(program,
                            &(aq_link_options){.transport = player->transport,
                                               .device = l->device,
                                               .kernels = kernels,
                                               .statics = statics},
                            &player->links[player->link_count++], diag);
  free(kernels);
  free(statics);
  return status;
}

/* ---- operations ---- */

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
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for arguments");
  memcpy(copy, args, d->kernarg_size);
  for (uint32_t i = 0; i < d->relocation_count; i++) {
    void *address;
    const aq_cap_place place = {.memory = relocations[i].memory,
                                .offset = relocations[i].at};
    aq_status status = place_find(player, &place, &address, diag);
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
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for bindings");
  for (uint32_t i = 0; i < e->count; i++) {
    bindings[i].size = places[i].size;
    aq_status status =
        place_find(r->player, &places[i], &bindings[i].address, diag);
    if (status != AQ_OK)
      return status;
  }
  return aq_queue_execute(
      r->queue, &r->sync,
      &(aq_execution){r->player->links[e->link], bindings, e->count}, diag);
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
  aq_status status = place_find(r->player, &range->memory, &address, diag);
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
  aq_status status = place_find(r->player, &f->target, &fill.target, diag);
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
  aq_status status = place_find(r->player, &c->target, &copy.target, diag);
  if (status == AQ_OK)
    status = place_find(r->player, &c->source, &source, diag);
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
  aq_status status = place_find(r->player, &u->target, &update.target, diag);
  return status == AQ_OK ? aq_queue_update(r->queue, &r->sync, &update, diag)
                         : status;
}

/* A file in memory with what was in the captured one. */
static aq_status file_make(aq_cap_player *player, const void *bytes,
                           uint64_t size, int *out, aq_diag *diag)
{
  const int fd = memfd_create("aqueduct-replay", MFD_CLOEXEC);
  if (fd < 0)
    return aq_diag_set(diag, AQ_ERR_IO, "no file in memory");
  player->files[player->file_count++] = fd;
  for (uint64_t at = 0; at < size;) {
    const ssize_t put = write(fd, (const char *)bytes + at, size - at);
    if (put <= 0)
      return aq_diag_set(diag, AQ_ERR_IO, "a file in memory is full");
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
  aq_status status = place_find(r->player, &c->memory, &range.memory, diag);
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
  aq_status status = place_find(r->player, &h->target, &call.target, diag);
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
  default: /* the reader has no other */
    return aq_queue_barrier(r->queue, &r->sync, diag);
  }
}

static uint64_t wall_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void points_find(const aq_cap_player *player, const aq_cap_point *from,
                        uint32_t count, aq_point *out)
{
  for (uint32_t i = 0; i < count; i++)
    out[i] = (aq_point){player->semaphores[from[i].semaphore], from[i].value};
}

static aq_status queue_find(const aq_cap_player *player, uint32_t number,
                            aq_queue **out, aq_diag *diag)
{
  *out = player->queues[number];
  return *out ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_INPUT,
                            "%s: queue %u is used when it is not there",
                            player->file->name, number);
}

static aq_status play_operation(aq_cap_player *player,
                                const aq_cap_operation *o, aq_diag *diag)
{
  const uint32_t count = o->wait_count + o->signal_count;
  ready r = {.player = player, .operation = o, .detail = aq_cap_detail(o)};
  aq_status status = queue_find(player, o->queue, &r.queue, diag);
  if (status != AQ_OK)
    return status;
  aq_point *points = calloc(count + 1, sizeof *points);
  if (!points)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for points");
  points_find(player, aq_cap_points(o), count, points);
  r.sync = (aq_sync){.waits = points,
                     .wait_count = o->wait_count,
                     .signals = points + o->wait_count,
                     .signal_count = o->signal_count,
                     .flags = o->flags};
  if (!player->begun)
    player->first = player->transport->ops->now(player->transport);
  player->begun = true;
  const uint64_t before = wall_ns();
  status = ready_submit(&r, diag);
  player->played.host_ns += wall_ns() - before;
  player->played.operations++;
  free(r.scratch);
  free(points);
  return status;
}

/* ---- the host's part ---- */

static aq_time deadline_of(const aq_cap_player *player)
{
  aq_transport *t = player->transport;
  return player->options.timeout > 0 ? t->ops->now(t) + player->options.timeout
                                     : AQ_TIME_MAX;
}

static aq_status play_wait(const aq_cap_player *player, const aq_cap_wait *w,
                           aq_diag *diag)
{
  aq_point *points = calloc(w->count, sizeof *points);
  if (!points)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for points");
  points_find(player, (const aq_cap_point *)(const void *)(w + 1), w->count,
              points);
  aq_status status = aq_semaphore_wait(points, w->count, AQ_WAIT_ALL,
                                       deadline_of(player), NULL, diag);
  free(points);
  return status;
}

static aq_status play_write(const aq_cap_player *player,
                            const aq_cap_place *place, aq_diag *diag)
{
  const aq_cap_memory_info *m = &player->file->memories[place->memory];
  void *to;
  aq_status status = place_find(player, place, &to, diag);
  if (status == AQ_OK)
    status =
        aq_capture_move(player->transport, m->device, (aq_memory_kind)m->kind,
                        to, place + 1, place->size, diag);
  if (status == AQ_OK)
    player->transport->ops->mem_publish(player->transport, to, place->size);
  return status;
}

static aq_status all_idle(const aq_cap_player *player, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < player->queue_count && status == AQ_OK; i++)
    if (player->queues[i])
      status = aq_queue_wait_idle(player->queues[i], deadline_of(player), diag);
  return status;
}

static void memory_name(const aq_cap_file *file, uint32_t number, char name[80])
{
  const aq_cap_head *head = file->records[file->memories[number].record];
  const aq_cap_memory *m = aq_cap_fixed(head);
  if (head->kind == AQ_CAP_MEMORY && m->name_size > 0)
    snprintf(name, 80, "memory %u, %.*s", number,
             m->name_size < 60 ? (int)m->name_size : 60, (const char *)(m + 1));
  else
    snprintf(name, 80, "memory %u", number);
}

static aq_status play_digest(aq_cap_player *player, const aq_cap_digest *d,
                             aq_diag *diag)
{
  const aq_cap_file *file = player->file;
  const aq_cap_memory_info *m = &file->memories[d->memory];
  const uint32_t *expected = (const uint32_t *)(const void *)(d + 1);
  const aq_cap_place place = {.memory = d->memory};
  void *address;
  aq_status status = place_find(player, &place, &address, diag);
  uint32_t *sums = malloc((d->count + UINT64_C(1)) * sizeof *sums);
  if (status == AQ_OK && !sums)
    status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a digest");
  if (status == AQ_OK)
    status =
        aq_capture_digest(player->transport, m->device, (aq_memory_kind)m->kind,
                          address, m->size, sums, diag);
  uint32_t differ = 0, first = 0;
  for (uint32_t i = d->count; status == AQ_OK && i-- > 0;)
    if (sums[i] != expected[i]) {
      differ++;
      first = i;
    }
  free(sums);
  player->played.digests += status == AQ_OK;
  if (differ == 0)
    return status;
  char name[80];
  memory_name(file, d->memory, name);
  return aq_diag_set(diag, AQ_ERR_DIFFERENT,
                     "%s: %s differs in %u of %u pieces of %d bytes, the first "
                     "at byte %llu",
                     file->name, name, differ, d->count, AQ_CAP_CHUNK,
                     (unsigned long long)first * AQ_CAP_CHUNK);
}

/* ---- runs ---- */

static aq_status play_queue_end(aq_cap_player *player, uint32_t number,
                                bool end, aq_diag *diag)
{
  aq_queue *queue;
  aq_status status = queue_find(player, number, &queue, diag);
  if (status == AQ_OK)
    status = aq_queue_wait_idle(queue, deadline_of(player), diag);
  if (status == AQ_OK && end) {
    aq_queue_destroy(queue);
    player->queues[number] = NULL;
  }
  return status;
}

static aq_status record_play(aq_cap_player *player, const aq_cap_head *head,
                             aq_diag *diag)
{
  const void *fixed = aq_cap_fixed(head);
  switch (head->kind) {
  case AQ_CAP_QUEUE:
    return play_queue(player, fixed, diag);
  case AQ_CAP_QUEUE_END:
  case AQ_CAP_IDLE:
    return play_queue_end(player, ((const aq_cap_queue_end *)fixed)->queue,
                          head->kind == AQ_CAP_QUEUE_END, diag);
  case AQ_CAP_SEMAPHORE: {
    const aq_cap_semaphore *s = fixed;
    return aq_semaphore_create(player->context, s->value, s->flags,
                               &player->semaphores[player->semaphore_count++],
                               diag);
  }
  case AQ_CAP_MEMORY:
    return play_memory(player, fixed, diag);
  case AQ_CAP_LINK:
    return play_link(player, fixed, diag);
  case AQ_CAP_OPERATION:
    return play_operation(player, fixed, diag);
  case AQ_CAP_SIGNAL: {
    const aq_cap_point *p = fixed;
    return aq_semaphore_signal(player->semaphores[p->semaphore], p->value,
                               diag);
  }
  case AQ_CAP_WAIT:
    return play_wait(player, fixed, diag);
  case AQ_CAP_HOST_WRITE:
    return play_write(player, fixed, diag);
  default: /* known beforehand, or looked at when all is complete */
    return AQ_OK;
  }
}

/* What failed tells by its semaphores. */
static aq_status semaphores_check(const aq_cap_player *player, aq_diag *diag)
{
  for (uint32_t i = 0; i < player->semaphore_count; i++) {
    aq_status status = aq_semaphore_query(player->semaphores[i], NULL, diag);
    if (status != AQ_OK) {
      aq_diag_prefix(diag, "%s: semaphore %u", player->file->name, i);
      return status;
    }
  }
  return AQ_OK;
}

static aq_status digests_check(aq_cap_player *player, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < player->file->record_count && status == AQ_OK; i++)
    if (player->file->records[i]->kind == AQ_CAP_DIGEST)
      status =
          play_digest(player, aq_cap_fixed(player->file->records[i]), diag);
  return status;
}

/* What a run made; the memory of the transport stays. */
static void run_end(aq_cap_player *player)
{
  for (uint32_t i = 0; i < player->queue_count; i++)
    aq_queue_destroy(player->queues[i]);
  for (uint32_t i = 0; i < player->link_count; i++)
    aq_link_destroy(player->links[i]);
  for (uint32_t i = 0; i < player->semaphore_count; i++)
    aq_semaphore_release(player->semaphores[i]);
  for (uint32_t i = 0; i < player->file_count; i++)
    close(player->files[i]);
  for (uint32_t i = 0; i < player->file->counts.memories; i++)
    if (!player->own[i])
      player->memory[i] = NULL;
  aq_context_destroy(player->context);
  player->context = NULL;
}

static aq_status run_begin(aq_cap_player *player, aq_diag *diag)
{
  const aq_cap_counts *counts = &player->file->counts;
  memset(player->queues, 0, counts->queues * sizeof(aq_queue *));
  memset(player->links, 0, counts->links * sizeof(aq_link *));
  memset(player->semaphores, 0, counts->semaphores * sizeof(aq_semaphore *));
  player->queue_count = player->semaphore_count = player->memory_count = 0;
  player->link_count = player->file_count = 0;
  player->begun = false;
  player->played = (aq_cap_played){.operations = 0};
  return aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = player->transport},
      &player->context, diag);
}

aq_status aq_cap_player_run(aq_cap_player *player, aq_cap_played *out,
                            aq_diag *diag)
{
  aq_transport *t = player->transport;
  aq_status status = run_begin(player, diag);
  for (uint32_t i = 0; i < player->file->record_count && status == AQ_OK; i++)
    status = record_play(player, player->file->records[i], diag);
  if (status == AQ_OK)
    status = all_idle(player, diag);
  player->played.span = player->begun ? t->ops->now(t) - player->first : 0;
  if (status == AQ_OK)
    status = semaphores_check(player, diag);
  if (status == AQ_OK)
    status = digests_check(player, diag);
  if (status == AQ_OK)
    *out = player->played;
  run_end(player);
  return status;
}

/* ---- life ---- */

static aq_status tables_make(aq_cap_player *player, aq_diag *diag)
{
  const aq_cap_counts *counts = &player->file->counts;
  player->memory = calloc(counts->memories + 1, sizeof(void *));
  player->own = calloc(counts->memories + 1, sizeof *player->own);
  player->queues = calloc(counts->queues + 1, sizeof(aq_queue *));
  player->semaphores = calloc(counts->semaphores + 1, sizeof(aq_semaphore *));
  player->links = calloc(counts->links + 1, sizeof(aq_link *));
  player->files = calloc(counts->operations + 1, sizeof *player->files);
  if (player->memory && player->own && player->queues && player->semaphores &&
      player->links && player->files)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a replay");
}

aq_status aq_cap_player_create(const aq_cap_file *file,
                               const aq_cap_player_options *options,
                               aq_cap_player **out, aq_diag *diag)
{
  aq_cap_player *player = calloc(1, sizeof *player);
  if (!player)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a replay");
  player->file = file;
  player->options = *options;
  player->transport = options->transport;
  player->transport->ops->info(player->transport, &player->info);
  aq_status status = tables_make(player, diag);
  if (status == AQ_OK && player->info.device_count < file->devices)
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "%s: it needs %u devices; %s has %u", file->name,
                         file->devices, player->transport->ops->name,
                         player->info.device_count);
  if (status == AQ_OK)
    status = kernels_find(player, diag);
  if (status != AQ_OK) {
    aq_cap_player_destroy(player);
    return status;
  }
  *out = player;
  return AQ_OK;
}

void aq_cap_player_destroy(aq_cap_player *player)
{
  if (!player)
    return;
  for (uint32_t i = 0; player->own && i < player->file->counts.memories; i++)
    if (player->own[i])
      player->transport->ops->mem_free(player->transport, player->memory[i]);
  free(player->files);
  free(player->links);
  free(player->semaphores);
  free(player->queues);
  free(player->own);
  free(player->memory);
  free(player->kernels);
  free(player);
}
