/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/capture_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue/capture/capture.h"
#include "queue/capture/digest.h"
#include "queue/capture/player_priv.h"

/* ---- places ---- */

aq_status aq_cap_player_place(const aq_cap_player *player,
                              const aq_cap_place *place, void **out,
                              aq_diag *diag)
{
  *out = NULL;
  if (place->memory == AQ_CAP_NONE)
    return AQ_OK;
  if (!player->memory[place->memory])
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: memory %u is used before or after its lifetime",
                       player->file->name, place->memory);
  *out = (char *)player->memory[place->memory] + place->offset;
  return AQ_OK;
}

/* Its contents when captured; zeros elsewhere. */
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
    return aq_diag_no_memory(diag);
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

/* The bits of a mask up to the last that is set. */
static uint32_t mask_bits(const uint32_t *mask, uint32_t words)
{
  while (words > 0 && mask[words - 1] == 0)
    words--;
  return words == 0 ? 0 : words * 32 - (uint32_t)__builtin_clz(mask[words - 1]);
}

/* Priority, CU mask and cooperative launches, where the transport has them and
 * the compute units; queues that lose one are counted. */
static void properties_take(aq_cap_player *player, const aq_cap_queue *q,
                            aq_queue_options *out)
{
  const aq_cap_head *head = (const aq_cap_head *)(const void *)q - 1;
  const aq_cap_queue_properties *p =
      (const aq_cap_queue_properties *)(const void *)(q + 1);
  const uint32_t *mask = (const uint32_t *)(const void *)(p + 1);
  aq_transport_info info;
  player->transport->ops->info(player->transport, &info);
  if (head->size == sizeof *q || q->device >= info.device_count)
    return;
  const uint32_t caps = aq_device_caps(&info, q->device),
                 bits = mask_bits(mask, p->words & ~AQ_CAP_COOPERATIVE_QUEUE);
  const bool cooperative = p->words & AQ_CAP_COOPERATIVE_QUEUE;
  if (caps & AQ_CAP_PRIORITY)
    out->priority = p->priority;
  if (caps & AQ_CAP_CU_MASK && bits > 0 &&
      bits <= info.devices[q->device].cus) {
    out->cu_mask = mask;
    out->cu_mask_bits = (bits + 31) / 32 * 32;
  }
  out->cooperative = cooperative && caps & AQ_CAP_COOPERATIVE;
  player->played.plain_queues += out->priority != p->priority ||
                                 (bits > 0 && !out->cu_mask) ||
                                 cooperative != out->cooperative;
}

static aq_status play_queue(aq_cap_player *player, const aq_cap_queue *q,
                            aq_diag *diag)
{
  aq_queue_options options = {.size_of = sizeof(aq_queue_options),
                              .device = q->device,
                              .size = q->size,
                              .kernarg_size = q->kernarg_size,
                              .notifications = q->notifications,
                              .parked = q->parked};
  properties_take(player, q, &options);
  return aq_queue_create(player->context, &options,
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
    status = aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < l->static_count && status == AQ_OK; i++) {
    statics[i].size = places[i].size;
    status = aq_cap_player_place(player, &places[i], &statics[i].address, diag);
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

void aq_cap_player_points(const aq_cap_player *player, const aq_cap_point *from,
                          uint32_t count, aq_point *out)
{
  for (uint32_t i = 0; i < count; i++)
    out[i] = (aq_point){player->semaphores[from[i].semaphore], from[i].value};
}

aq_status aq_cap_player_queue(const aq_cap_player *player, uint32_t number,
                              aq_queue **out, aq_diag *diag)
{
  *out = player->queues[number];
  return *out ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_INPUT,
                            "%s: queue %u is used before or after its lifetime",
                            player->file->name, number);
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
    return aq_diag_no_memory(diag);
  aq_cap_player_points(player, (const aq_cap_point *)(const void *)(w + 1),
                       w->count, points);
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
  aq_status status = aq_cap_player_place(player, place, &to, diag);
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
  aq_status status = aq_cap_player_place(player, &place, &address, diag);
  uint32_t *sums = malloc((d->count + UINT64_C(1)) * sizeof *sums);
  if (status == AQ_OK && !sums)
    status = aq_diag_no_memory(diag);
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
  aq_status status = aq_cap_player_queue(player, number, &queue, diag);
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
    return aq_cap_player_operation(player, fixed, diag);
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

/* A failed operation shows in its semaphores. */
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

/* Their last operations are retired then. After an error some of them may wait
 * for ever: they fail. */
static void queues_end(aq_cap_player *player, aq_status status)
{
  for (uint32_t i = 0; i < player->queue_count && status != AQ_OK; i++)
    if (player->queues[i])
      aq_context_event(
          player->context,
          &(aq_system_event){.device = aq_queue_device(player->queues[i]),
                             .queue = aq_queue_ring(player->queues[i])->id,
                             .text = "its replay has failed"});
  for (uint32_t i = 0; i < player->queue_count; i++)
    aq_queue_destroy(player->queues[i]);
  player->queue_count = 0;
}

/* The objects that a run made; the memory of the transport stays. */
static void run_end(aq_cap_player *player)
{
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
                            .transport = player->transport,
                            .records = player->options.records,
                            .packets = true},
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
  queues_end(player, status);
  if (status == AQ_OK)
    status = aq_context_records_flush(player->context, diag);
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
  return aq_diag_no_memory(diag);
}

aq_status aq_cap_player_create(const aq_cap_file *file,
                               const aq_cap_player_options *options,
                               aq_cap_player **out, aq_diag *diag)
{
  aq_cap_player *player = calloc(1, sizeof *player);
  if (!player)
    return aq_diag_no_memory(diag);
  player->file = file;
  memcpy(&player->options, options, /* an older caller has fewer */
         options->size && options->size < sizeof *options ? options->size
                                                          : sizeof *options);
  player->transport = options->transport;
  player->transport->ops->info(player->transport, &player->info);
  aq_status status = tables_make(player, diag);
  if (status == AQ_OK && player->info.device_count < file->devices)
    status = aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "%s: it needs %u devices; %s has %u", file->name,
                         file->devices, player->transport->ops->name,
                         player->info.device_count);
  if (status == AQ_OK)
    status = aq_cap_player_kernels(player, diag);
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
