/* SPDX-License-Identifier: MIT */
/* Makes records of the submit hooks's events. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmdbuf/program_file.h"
#include "common/array.h"
#include "queue/capture/recorder.h"

/* ---- numbers ---- */

static uint32_t number_of(aq_capture *capture, const aq_map *map,
                          const void *what, const char *name)
{
  uint64_t number = 0;
  if (!aq_map_get(map, (uintptr_t)what, &number))
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "a %s from before the capture began", name);
  return (uint32_t)number;
}

static uint32_t queue_of(aq_capture *capture, const aq_queue *queue)
{
  return number_of(capture, &capture->queues, queue, "queue");
}

static void points_put(aq_capture *capture, const aq_point *points,
                       uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    const aq_cap_point point = {.semaphore =
                                    number_of(capture, &capture->semaphores,
                                              points[i].semaphore, "semaphore"),
                                .value = points[i].value};
    aq_cap_put(capture, &point, sizeof point);
  }
}

static void pad(aq_capture *capture)
{
  static const unsigned char zeros[8];
  aq_cap_put(capture, zeros,
             aq_cap_round(capture->out.size) - capture->out.size);
}

/* ---- dispatches ---- */

/* A quad word that is the address of something mapped, but of nothing known,
 * would be an address that a replay cannot give a meaning. */
static bool is_mapped(uint64_t address)
{
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  unsigned char there;
  if (address < page || address >= UINT64_C(1) << 47)
    return false;
  return mincore((void *)(uintptr_t)(address & ~(page - 1)), 1, &there) == 0;
}

static uint32_t relocations_put(aq_capture *capture, const aq_launch *launch)
{
  uint32_t count = 0;
  for (uint32_t at = 0; at + 8 <= launch->kernarg_size; at += 8) {
    uint64_t value;
    uint32_t number;
    memcpy(&value, (const char *)launch->kernargs + at, 8);
    const aq_cap_known *m = aq_cap_memory_at(capture, value, &number);
    if (!m && is_mapped(value))
      aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                  "dispatch: kernel argument at byte %u, 0x%llx, points into "
                  "memory that it does not know",
                  at, (unsigned long long)value);
    if (!m)
      continue;
    if (m->policy == AQ_CAPTURE_FAIL)
      aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                  "dispatch: memory %u is not to be captured", number);
    const aq_cap_relocation r = {at, number, value - (uintptr_t)m->address};
    aq_cap_put(capture, &r, sizeof r);
    count++;
  }
  return count;
}

static void dispatch_put(aq_capture *capture, const aq_launch *launch)
{
  uint64_t kernel = 0;
  if (!aq_map_get(&capture->kernels, launch->object, &kernel))
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "dispatch: kernel object 0x%llx has no name",
                (unsigned long long)launch->object);
  aq_cap_dispatch record = {.kernel = (uint32_t)kernel,
                            .group_size = launch->group_size,
                            .private_size = launch->private_size,
                            .kernarg_size = launch->kernarg_size};
  memcpy(record.grid, launch->grid, sizeof record.grid);
  memcpy(record.workgroup, launch->workgroup, sizeof record.workgroup);
  const size_t at = capture->out.size;
  aq_cap_put(capture, &record, sizeof record);
  aq_cap_put(capture, launch->kernargs, launch->kernarg_size);
  pad(capture);
  record.relocation_count = relocations_put(capture, launch);
  if (capture->status == AQ_OK)
    memcpy(capture->out.data + at, &record, sizeof record);
}

/* ---- programs ---- */

static uint64_t record_size(const aq_capture *capture, size_t at)
{
  return ((const aq_cap_head *)(const void *)(capture->out.data + at))->size;
}

/* The record that was just closed, or one before with the same bytes. */
static uint32_t kept_find(aq_capture *capture, aq_cap_kept *kept, size_t at)
{
  const unsigned char *data = capture->out.data;
  if (capture->status != AQ_OK)
    return 0;
  const uint64_t size = record_size(capture, at);
  for (uint32_t i = 0; i < kept->count; i++)
    if (record_size(capture, kept->at[i]) == size &&
        memcmp(data + kept->at[i] + sizeof(aq_cap_head),
               data + at + sizeof(aq_cap_head), size) == 0) {
      capture->out.size = at;
      capture->records--;
      return i;
    }
  if (!AQ_ARRAY_PUSH(kept->at, kept->count, kept->capacity, at)) {
    aq_cap_no_memory(capture);
    return 0;
  }
  return kept->count - 1;
}

static uint32_t program_put(aq_capture *capture, const aq_program *program)
{
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  bool good = stream && aq_program_write(program, stream);
  if (stream && fclose(stream) != 0)
    good = false;
  if (!good)
    aq_cap_no_memory(capture);
  const size_t at = aq_cap_open(capture, AQ_CAP_PROGRAM);
  if (good)
    aq_cap_put(capture, bytes, size);
  aq_cap_close(capture, at);
  free(bytes);
  return kept_find(capture, &capture->programs, at);
}

static uint32_t link_put(aq_capture *capture, const aq_link *link,
                         uint32_t device)
{
  const aq_program *program = link->program;
  const aq_cap_link record = {.program = program_put(capture, program),
                              .device = device,
                              .static_count = program->static_count};
  for (uint32_t i = 0; i < program->kernel_count; i++)
    if (!aq_map_get(&capture->kernels, link->kernels[i], NULL))
      aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                  "execute: kernel '%s' was not named",
                  program->kernel_names[i]);
  const size_t at = aq_cap_open(capture, AQ_CAP_LINK);
  aq_cap_put(capture, &record, sizeof record);
  for (uint32_t i = 0; i < program->static_count; i++) {
    const aq_cap_place place =
        aq_cap_place_of(capture, link->statics[i].address,
                        link->statics[i].size, "static buffer");
    aq_cap_put(capture, &place, sizeof place);
  }
  aq_cap_close(capture, at);
  return kept_find(capture, &capture->links, at);
}

static void execute_put(aq_capture *capture, const aq_execution *execution,
                        uint32_t link)
{
  const aq_cap_execute record = {link, execution->binding_count};
  aq_cap_put(capture, &record, sizeof record);
  for (uint32_t i = 0; i < record.count; i++) {
    const aq_binding *b = &execution->bindings[i];
    aq_cap_place place = {.memory = AQ_CAP_NONE};
    if (b->address)
      place = aq_cap_place_of(capture, b->address, b->size, "binding");
    aq_cap_put(capture, &place, sizeof place);
  }
}

/* ---- the others ---- */

/* The bytes that a read will find, if no other process writes the file before.
 */
static void file_put(aq_capture *capture, const aq_file_range *range)
{
  unsigned char chunk[4096];
  if (aq_context_file_is_written(capture->context, range))
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "read: descriptor %d at %llu: a write of these bytes is "
                "pending; wait for it before the read",
                range->fd, (unsigned long long)range->offset);
  for (uint64_t at = 0; at < range->size && capture->status == AQ_OK;) {
    const uint64_t left = range->size - at;
    const ssize_t got =
        pread(range->fd, chunk, left < sizeof chunk ? left : sizeof chunk,
              (off_t)(range->offset + at));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      aq_cap_fail(capture, AQ_ERR_IO, "descriptor %d at %llu: %s", range->fd,
                  (unsigned long long)range->offset + at,
                  got < 0 ? strerror(errno) : "the file ends");
    else
      aq_cap_put(capture, chunk, (uint64_t)got);
    at += got > 0 ? (uint64_t)got : 0;
  }
}

static void call_put(aq_capture *capture, const aq_host_call *call)
{
  aq_cap_host_call record = {.target = {.memory = AQ_CAP_NONE}};
  if (!call->name)
    aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                "host call without a name: a replay cannot find its function");
  if (call->target)
    record.target =
        aq_cap_place_of(capture, call->target, call->target_size, "host call");
  record.name_size = call->name ? (uint32_t)strlen(call->name) : 0;
  aq_cap_put(capture, &record, sizeof record);
  aq_cap_put(capture, call->name, record.name_size);
}

static void dealloca_put(aq_capture *capture, const void *address)
{
  const aq_cap_range record = {
      aq_cap_place_of(capture, address, 1, "dealloca")};
  aq_cap_put(capture, &record, sizeof record);
  if (capture->status == AQ_OK)
    aq_cap_memory_drop(capture, record.memory.memory);
}

static void fill_put(aq_capture *capture, const aq_fill *fill)
{
  const aq_cap_fill record = {
      .target = aq_cap_place_of(capture, fill->target, fill->size, "fill"),
      .pattern = fill->pattern,
      .pattern_size = fill->pattern_size,
      .way = fill->way};
  aq_cap_put(capture, &record, sizeof record);
}

static void copy_put(aq_capture *capture, const aq_copy *copy)
{
  const aq_cap_copy record = {
      .target = aq_cap_place_of(capture, copy->target, copy->size, "copy"),
      .source = aq_cap_place_of(capture, copy->source, copy->size, "copy"),
      .path = copy->path,
      .way = copy->way};
  aq_cap_put(capture, &record, sizeof record);
}

static void update_put(aq_capture *capture, const aq_update *update)
{
  const aq_cap_update record = {
      .target =
          aq_cap_place_of(capture, update->target, update->size, "update"),
      .way = update->way};
  aq_cap_put(capture, &record, sizeof record);
  aq_cap_put(capture, update->bytes, update->size);
}

static void atomic_put(aq_capture *capture, const aq_atomic *atomic)
{
  aq_cap_atomic record = {.target = aq_cap_place_of(capture, atomic->target,
                                                    atomic->size, "atomic"),
                          .result = {.memory = AQ_CAP_NONE},
                          .operand = atomic->operand,
                          .expected = atomic->expected,
                          .op = atomic->op,
                          .way = atomic->way};
  if (atomic->result)
    record.result = aq_cap_place_of(capture, atomic->result, atomic->size,
                                    "result of an atomic");
  aq_cap_put(capture, &record, sizeof record);
}

static void wait_value_put(aq_capture *capture, const aq_value_wait *wait)
{
  const aq_cap_wait_value record = {
      .value =
          aq_cap_place_of(capture, wait->address, wait->size, "wait value"),
      .against = wait->value,
      .mask = wait->mask,
      .condition = wait->condition,
      .way = wait->way};
  aq_cap_put(capture, &record, sizeof record);
}

static void range_put(aq_capture *capture, const aq_file_range *range,
                      bool read)
{
  const aq_cap_range record = {aq_cap_place_of(
      capture, range->memory, range->size, read ? "read" : "write")};
  aq_cap_put(capture, &record, sizeof record);
  if (read)
    file_put(capture, range);
}

static void alloca_put(aq_capture *capture, const aq_submit_event *event,
                       uint32_t device)
{
  const aq_memory_request *request = event->detail;
  const aq_cap_alloca record = {.size = request->size,
                                .kind = request->kind,
                                .memory = capture->memory_count};
  aq_cap_put(capture, &record, sizeof record);
  /* Its address is known at the end. */
  aq_cap_memory_add(capture, &(aq_cap_known){.size = request->size,
                                             .kind = request->kind,
                                             .device = device});
}

static void detail_put(aq_capture *capture, const aq_submit_event *event,
                       uint32_t device, uint32_t link)
{
  switch (event->operation) {
  case AQ_OPERATION_DISPATCH:
    dispatch_put(capture, event->detail);
    break;
  case AQ_OPERATION_EXECUTE:
    execute_put(capture, event->detail, link);
    break;
  case AQ_OPERATION_ALLOCA:
    alloca_put(capture, event, device);
    break;
  case AQ_OPERATION_DEALLOCA:
    dealloca_put(capture, event->detail);
    break;
  case AQ_OPERATION_FILL:
    fill_put(capture, event->detail);
    break;
  case AQ_OPERATION_COPY:
    copy_put(capture, event->detail);
    break;
  case AQ_OPERATION_UPDATE:
    update_put(capture, event->detail);
    break;
  case AQ_OPERATION_READ:
  case AQ_OPERATION_WRITE:
    range_put(capture, event->detail, event->operation == AQ_OPERATION_READ);
    break;
  case AQ_OPERATION_HOST_CALL:
    call_put(capture, event->detail);
    break;
  case AQ_OPERATION_ATOMIC:
    atomic_put(capture, event->detail);
    break;
  case AQ_OPERATION_WAIT_VALUE:
    wait_value_put(capture, event->detail);
    break;
  case AQ_OPERATION_BARRIER:
  case AQ_OPERATION_NONE:
  case AQ_OPERATION_COUNT:
    break;
  }
}

static uint64_t operation_put(aq_capture *capture, const aq_submit_event *event)
{
  static const aq_sync none;
  const aq_sync *sync = event->sync ? event->sync : &none;
  const uint32_t device = aq_queue_device(event->queue);
  uint32_t link = 0;
  if (event->operation == AQ_OPERATION_EXECUTE)
    link =
        link_put(capture, ((const aq_execution *)event->detail)->link, device);
  const aq_cap_operation record = {.operation = event->operation,
                                   .queue = queue_of(capture, event->queue),
                                   .wait_count = sync->wait_count,
                                   .signal_count = sync->signal_count,
                                   .flags =
                                       sync->flags & ~(uint32_t)AQ_SYNC_TRY};
  const size_t at = aq_cap_open(capture, AQ_CAP_OPERATION);
  aq_cap_put(capture, &record, sizeof record);
  points_put(capture, sync->waits, sync->wait_count);
  points_put(capture, sync->signals, sync->signal_count);
  detail_put(capture, event, device, link);
  aq_cap_close(capture, at);
  return at;
}

/* ---- queues and semaphores ---- */

static void queue_put(aq_capture *capture, const aq_submit_event *event)
{
  const aq_queue_options *options = event->detail;
  const aq_cap_queue record = {.device = options->device,
                               .size = options->size,
                               .kernarg_size = options->kernarg_size,
                               .notifications = options->notifications,
                               .parked = options->parked};
  const uint32_t number = capture->queue_count;
  if (!AQ_ARRAY_RESERVE(capture->live, capture->live_capacity, number + 1) ||
      !aq_map_put(&capture->queues, (uintptr_t)event->queue, number)) {
    aq_cap_no_memory(capture);
    return;
  }
  capture->live[number] = event->queue;
  capture->queue_count++;
  if (options->device >= capture->devices)
    capture->devices = options->device + 1;
  const size_t at = aq_cap_open(capture, AQ_CAP_QUEUE);
  aq_cap_put(capture, &record, sizeof record);
  if (options->priority || options->cu_mask || options->cooperative) {
    const uint32_t words = options->cu_mask_bits / 32;
    const aq_cap_queue_properties properties = {
        options->priority,
        words | (options->cooperative ? AQ_CAP_COOPERATIVE_QUEUE : 0)};
    aq_cap_put(capture, &properties, sizeof properties);
    aq_cap_put(capture, options->cu_mask, words * sizeof *options->cu_mask);
  }
  aq_cap_close(capture, at);
}

static void queue_end_put(aq_capture *capture, const aq_submit_event *event,
                          aq_cap_kind kind)
{
  const aq_cap_queue_end record = {.queue = queue_of(capture, event->queue)};
  const size_t at = aq_cap_open(capture, kind);
  aq_cap_put(capture, &record, sizeof record);
  aq_cap_close(capture, at);
  if (kind == AQ_CAP_QUEUE_END && capture->status == AQ_OK) {
    capture->live[record.queue] = NULL;
    aq_map_remove(&capture->queues, (uintptr_t)event->queue, NULL);
  }
}

/* A reference each: so no other one has its address, and its end is known. */
static void semaphore_put(aq_capture *capture, const aq_submit_event *event)
{
  const aq_cap_semaphore record = {.value = event->points[0].value,
                                   .flags = event->flags};
  const uint32_t number = capture->semaphore_count;
  aq_semaphore *semaphore = event->points[0].semaphore;
  if (!AQ_ARRAY_RESERVE(capture->retained, capture->retained_capacity,
                        number + 1) ||
      !aq_map_put(&capture->semaphores, (uintptr_t)semaphore, number)) {
    aq_cap_no_memory(capture);
    return;
  }
  capture->retained[number] = aq_semaphore_retain(semaphore);
  capture->semaphore_count++;
  const size_t at = aq_cap_open(capture, AQ_CAP_SEMAPHORE);
  aq_cap_put(capture, &record, sizeof record);
  aq_cap_close(capture, at);
}

static void wait_put(aq_capture *capture, const aq_submit_event *event)
{
  const aq_cap_wait record = {.count = event->count};
  const size_t at = aq_cap_open(capture, AQ_CAP_WAIT);
  aq_cap_put(capture, &record, sizeof record);
  points_put(capture, event->points, event->count);
  aq_cap_close(capture, at);
}

static void signal_put(aq_capture *capture, const aq_submit_event *event)
{
  const size_t at = aq_cap_open(capture, AQ_CAP_SIGNAL);
  points_put(capture, event->points, 1);
  aq_cap_close(capture, at);
}

uint64_t aq_cap_begin(const aq_submit_event *event, void *user)
{
  aq_capture *capture = user;
  uint64_t token = 0;
  pthread_mutex_lock(&capture->lock);
  if (capture->status == AQ_OK)
    switch (event->kind) {
    case AQ_SUBMIT_OPERATION:
      token = operation_put(capture, event);
      break;
    case AQ_SUBMIT_QUEUE:
      queue_put(capture, event);
      break;
    case AQ_SUBMIT_QUEUE_END:
      queue_end_put(capture, event, AQ_CAP_QUEUE_END);
      break;
    case AQ_SUBMIT_SEMAPHORE:
      semaphore_put(capture, event);
      break;
    case AQ_SUBMIT_SIGNAL:
      signal_put(capture, event);
      break;
    case AQ_SUBMIT_WAIT:
      wait_put(capture, event);
      break;
    case AQ_SUBMIT_IDLE:
      queue_end_put(capture, event, AQ_CAP_IDLE);
      break;
    }
  pthread_mutex_unlock(&capture->lock);
  return token;
}

/* ---- what became of an operation ---- */

static aq_cap_operation *operation_at(aq_capture *capture, uint64_t token)
{
  return (aq_cap_operation *)(void *)(capture->out.data + token +
                                      sizeof(aq_cap_head));
}

static void alloca_end(aq_capture *capture, aq_cap_operation *operation,
                       void *address)
{
  aq_cap_point *points = (aq_cap_point *)(void *)(operation + 1);
  aq_cap_alloca *record =
      (aq_cap_alloca *)(void *)(points + operation->wait_count +
                                operation->signal_count);
  record->failed = address == NULL;
  if (address)
    aq_cap_memory_place(capture, record->memory, address);
}

void aq_cap_end(uint64_t token, aq_status status, void *address, void *user)
{
  aq_capture *capture = user;
  pthread_mutex_lock(&capture->lock);
  if (capture->status == AQ_OK && token > 0) {
    aq_cap_operation *operation = operation_at(capture, token);
    if (operation->operation == AQ_OPERATION_ALLOCA) {
      alloca_end(capture, operation, address);
      if (status == AQ_OK && !address)
        aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                    "alloca: it failed, which is not captured");
    } else if (status != AQ_OK) {
      if (operation->operation == AQ_OPERATION_DEALLOCA)
        aq_cap_fail(capture, AQ_ERR_UNSUPPORTED,
                    "dealloca: it was refused, which is not captured");
      aq_cap_head *head = (aq_cap_head *)(void *)(capture->out.data + token);
      head->kind = AQ_CAP_VOID;
    }
  }
  pthread_mutex_unlock(&capture->lock);
}
