/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/queues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/packet/ring.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/doorbells.h"
#include "dropin/hsa/base/executables.h"
#include "dropin/hsa/base/signals.h"

enum {
  MASK_BITS = 32,
  NO_HINT = UINT32_MAX,
  WORDS = 512,
  FAULT_KERNEL_OBJECT = 8, /* bits of the inactive signal */
  FAULT_APERTURE = 0x20000000,
  FAULT_ILLEGAL = 0x40000000,
};

static const uint32_t fault_exception = 0x80000000;

struct aqdrop_queue {
  aqdrop_queue *next, *previous; /* of all */
  aq_ring *ring;
  aq_amd_queue *abi;
  aqdrop *runtime;
  aqdrop_agent *agent;
  hsa_signal_t bell;   /* of the queue's own; 0: the application's */
  uint32_t type;       /* HSA_QUEUE_TYPE_*; a soft queue's is not */
  uint32_t references; /* of a cooperative queue */
  void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
  void *data;
  char words[WORDS]; /* why it stopped, */
  bool stopped;      /* and at which packet, if it did at one */
  uint64_t stopped_id;
  aq_packet stopped_packet;
  /* The memory fault of a packet, under the runtime's lock: */
  bool faulted;
  uint32_t fault_reasons;
  uint64_t fault_address;
  uint32_t mask_words;
  uint32_t mask[]; /* compute units that it may use */
};

/* What clients hold of a ring: the amd_queue_t whose indices it has. */
static aq_amd_queue *ring_abi(const aq_ring *ring)
{
  return (aq_amd_queue *)(void *)((char *)ring->write_index -
                                  offsetof(aq_amd_queue, write_dispatch_id));
}

static aqdrop_queue *queue_find(aqdrop *runtime, const hsa_queue_t *queue)
{
  uint64_t found = 0;
  pthread_mutex_lock(&runtime->lock);
  aq_map_get(&runtime->queues, (uintptr_t)queue, &found);
  pthread_mutex_unlock(&runtime->lock);
  return (aqdrop_queue *)(uintptr_t)found;
}

const aqdrop_agent *aqdrop_queue_ring_agent(aqdrop *runtime,
                                            const void *address)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_queue *queue = runtime->first_queue;
  while (queue && queue->abi->hsa.base != address)
    queue = queue->next;
  pthread_mutex_unlock(&runtime->lock);
  return queue ? queue->agent : NULL;
}

/* ---- packets without a doorbell ---- */

static bool is_unrung(const aqdrop_queue *queue, uint64_t *packet)
{
  return aqsim_ring_unrung((const aqsim_queue *)(const void *)queue->ring,
                           packet);
}

/* The first such queue from an id on; its id and packet. */
static bool unrung_from(aqdrop *runtime, uint64_t from, uint32_t *id,
                        uint64_t *packet)
{
  const aqdrop_queue *found = NULL;
  uint64_t at;
  pthread_mutex_lock(&runtime->lock);
  for (const aqdrop_queue *q = runtime->first_queue; q; q = q->next)
    if (q->ring->id >= from && (!found || q->ring->id < found->ring->id) &&
        is_unrung(q, &at)) {
      found = q;
      *packet = at;
    }
  if (found)
    *id = found->ring->id;
  pthread_mutex_unlock(&runtime->lock);
  return found != NULL;
}

void aqdrop_queues_unrung(aqdrop *runtime,
                          void (*tell)(aqdrop *runtime, uint32_t queue,
                                       uint64_t packet))
{
  uint64_t packet = 0;
  uint32_t id = 0;
  for (uint64_t from = 0; unrung_from(runtime, from, &id, &packet);
       from = (uint64_t)id + 1)
    tell(runtime, id, packet);
}

uint64_t aqdrop_queues_waiting(aqdrop *runtime, uint32_t *count)
{
  uint64_t packets = 0;
  *count = 0;
  pthread_mutex_lock(&runtime->lock);
  for (const aqdrop_queue *q = runtime->first_queue; q; q = q->next) {
    const uint64_t read = aq_ring_read_index(q->ring);
    const uint64_t write = aq_ring_write_index(q->ring);
    if (write > read) {
      packets += write - read;
      ++*count;
    }
  }
  pthread_mutex_unlock(&runtime->lock);
  return packets;
}

/* ---- errors ---- */

const char *aqdrop_queue_error(aqdrop *runtime, const hsa_queue_t *queue)
{
  const aqdrop_queue *found = queue_find(runtime, queue);
  return found ? found->words : NULL;
}

bool aqdrop_queue_error_packet(aqdrop *runtime, const hsa_queue_t *queue,
                               uint64_t *id, aq_packet *packet)
{
  const aqdrop_queue *found = queue_find(runtime, queue);
  if (!found || !found->stopped)
    return false;
  *id = found->stopped_id;
  *packet = found->stopped_packet;
  return true;
}

void aqdrop_queue_fault_keep(aqdrop *runtime, const aq_system_event *event)
{
  pthread_mutex_lock(&runtime->lock);
  aqdrop_queue *queue = runtime->first_queue;
  while (queue && queue->abi->hsa.id != event->queue)
    queue = queue->next;
  if (queue) {
    snprintf(queue->words, sizeof queue->words, "%s", event->text);
    queue->faulted = true;
    queue->fault_reasons = event->reasons;
    queue->fault_address = event->address;
  }
  pthread_mutex_unlock(&runtime->lock);
}

/* The status that ROCr reports for bits of the inactive signal. */
static hsa_status_t error_status(uint32_t reason)
{
  const struct {
    uint32_t bits;
    hsa_status_t status;
  } statuses[] = {
      {1, HSA_STATUS_ERROR_OUT_OF_RESOURCES},
      {2, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS},
      {4, HSA_STATUS_ERROR_INVALID_ALLOCATION},
      {FAULT_KERNEL_OBJECT, HSA_STATUS_ERROR_INVALID_CODE_OBJECT},
      {32 | 256, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT},
      {64, HSA_STATUS_ERROR_INVALID_ARGUMENT},
      {128, HSA_STATUS_ERROR_OUT_OF_REGISTERS},
      {0x20000000, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION},
      {0x40000000, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION},
      {fault_exception, HSA_STATUS_ERROR_EXCEPTION},
  };
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
    if (reason & statuses[i].bits)
      return statuses[i].status;
  return HSA_STATUS_ERROR;
}

/* Why a queue stopped, for a user whose client does not say. */
static void error_print(aqdrop *runtime, const aq_queue_error *error)
{
  const aq_packet *packet = error->packet;
  if (error->reason == FAULT_KERNEL_OBJECT &&
      aq_header_type(packet->header) == AQ_PACKET_KERNEL_DISPATCH &&
      aqdrop_kernel_missing_report(runtime, packet->kernel.kernel_object,
                                   error->queue))
    return;
  fprintf(stderr, "aqueduct: %s\n", error->text);
}

/* Not aqdrop_runtime(): that is none while it closes. The callback comes last,
 * since it may close the runtime. */
static void error_report(const aq_queue_error *error, void *user)
{
  aqdrop_queue *queue = user;
  aqdrop *runtime = queue->runtime;
  snprintf(queue->words, sizeof queue->words, "%s", error->text);
  queue->stopped = true;
  queue->stopped_id = error->packet_id;
  queue->stopped_packet = *error->packet;
  runtime->transport->ops->signal_store(runtime->transport,
                                        queue->abi->inactive_signal,
                                        error->reason, AQ_RELEASE);
  if (!queue->callback || error->reason == FAULT_KERNEL_OBJECT ||
      error->reason == FAULT_APERTURE || error->reason == FAULT_ILLEGAL ||
      error->reason == fault_exception)
    error_print(runtime, error);
  if (queue->callback)
    queue->callback(error_status(error->reason), &queue->abi->hsa, queue->data);
}

/* ---- life ---- */

static uint32_t mask_words(const aqdrop_agent *agent)
{
  return agent->info ? (agent->info->cus + MASK_BITS - 1) / MASK_BITS : 0;
}

static void mask_fill(aqdrop_queue *queue)
{
  memset(queue->mask, 0, queue->mask_words * sizeof *queue->mask);
  for (uint32_t i = 0; queue->agent->info && i < queue->agent->info->cus; i++)
    queue->mask[i / MASK_BITS] |= UINT32_C(1) << i % MASK_BITS;
}

static aqdrop_queue *queue_alloc(aqdrop *runtime, aqdrop_agent *agent)
{
  uint32_t words = mask_words(agent);
  aqdrop_queue *queue =
      calloc(1, sizeof *queue + words * sizeof queue->mask[0]);
  if (!queue)
    return NULL;
  queue->runtime = runtime;
  queue->agent = agent;
  queue->references = 1;
  queue->mask_words = words;
  mask_fill(queue);
  return queue;
}

/* The signal that says why the queue stopped. */
static bool inactive_signal_make(aqdrop *runtime, aq_amd_queue *abi)
{
  return runtime->transport->ops->signal_create(
             runtime->transport, &(aq_signal_desc){.value = 0},
             &abi->inactive_signal, NULL) == AQ_OK;
}

static void ring_destroy(aqdrop *runtime, const aqdrop_queue *queue, bool last)
{
  const aq_transport_ops *ops = runtime->transport->ops;
  const aq_signal inactive = queue->abi->inactive_signal;
  uint64_t packet;
  if (last && runtime->check && is_unrung(queue, &packet))
    aq_check_unrung(runtime->check, queue->ring->id, packet);
  if (last && runtime->check)
    aq_check_queue_gone(runtime->check, queue->abi);
  if (last && queue->bell.handle)
    aqdrop_doorbell_remove(runtime, queue->bell);
  ops->queue_destroy(runtime->transport, queue->ring);
  if (last)
    ops->signal_destroy(runtime->transport, inactive);
}

/* What clients see of a queue beyond its ring; false without memory. A
 * cooperative queue may have it already. */
static bool queue_dress(aqdrop *runtime, aqdrop_queue *queue,
                        const aq_queue_desc *desc)
{
  if (queue->abi->inactive_signal.handle)
    return true;
  if (!inactive_signal_make(runtime, queue->abi))
    return false;
  if (desc->type == AQ_QUEUE_SOFT)
    return true;
  if (!aqdrop_doorbell_hang(runtime, queue->ring, queue->abi))
    return false;
  queue->bell = queue->abi->hsa.doorbell;
  return true;
}

/* Makes the transport's queue and puts it into the table. The cooperative one
 * of a device may be there already: then `queue` is freed. */
static hsa_status_t queue_make(aqdrop *runtime, aqdrop_queue *queue,
                               const aq_queue_desc *desc, hsa_queue_t **out)
{
  const aq_transport_ops *ops = runtime->transport->ops;
  uint64_t known = 0;
  aq_status status =
      ops->queue_create(runtime->transport, desc, &queue->ring, NULL);
  if (status != AQ_OK) {
    free(queue);
    return status == AQ_ERR_UNSUPPORTED
               ? (hsa_status_t)HSA_STATUS_ERROR_INVALID_QUEUE_CREATION
               : aqdrop_status(status);
  }
  queue->abi = ring_abi(queue->ring);
  queue->type = desc->type;
  hsa_queue_t *handle = &queue->abi->hsa;
  const bool dressed = queue_dress(runtime, queue, desc);
  pthread_mutex_lock(&runtime->lock);
  bool kept = aq_map_get(&runtime->queues, (uintptr_t)handle, &known);
  if (kept) {
    ((aqdrop_queue *)(uintptr_t)known)->references++;
  } else if (dressed) {
    kept = aq_map_put(&runtime->queues, (uintptr_t)handle, (uintptr_t)queue);
    if (kept) {
      queue->next = runtime->first_queue;
      if (queue->next)
        queue->next->previous = queue;
      runtime->first_queue = queue;
    }
  }
  pthread_mutex_unlock(&runtime->lock);
  if (!kept)
    ring_destroy(runtime, queue, true);
  if (!kept || known)
    free(queue);
  if (!kept)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *out = handle;
  return HSA_STATUS_SUCCESS;
}

/* The cooperative queue of a device has several owners: no other thread makes
 * or destroys it in between. */
static bool shared_begin(aqdrop *runtime, uint32_t type)
{
  if (type == HSA_QUEUE_TYPE_COOPERATIVE)
    pthread_mutex_lock(&runtime->cooperative);
  return type == HSA_QUEUE_TYPE_COOPERATIVE;
}

static void shared_end(aqdrop *runtime, bool begun)
{
  if (begun)
    pthread_mutex_unlock(&runtime->cooperative);
}

static hsa_status_t queue_open(aqdrop *runtime, aqdrop_queue *queue,
                               const aq_queue_desc *desc, hsa_queue_t **out)
{
  const bool begun = shared_begin(runtime, desc->type);
  const hsa_status_t status = queue_make(runtime, queue, desc, out);
  shared_end(runtime, begun);
  return status;
}

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type,
                              void (*callback)(hsa_status_t status,
                                               hsa_queue_t *source, void *data),
                              void *data, uint32_t private_segment_size,
                              uint32_t group_segment_size, hsa_queue_t **queue)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!queue || size == 0 || (size & (size - 1)) != 0 ||
      type > HSA_QUEUE_TYPE_COOPERATIVE)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!a->info) /* as ROCr, not as the specification */
    return HSA_STATUS_ERROR;
  aqdrop_queue *new = queue_alloc(runtime, a);
  if (!new)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  new->callback = callback;
  new->data = data;
  aq_queue_desc desc = {.device = a->ordinal,
                        .size = size,
                        .type = (aq_queue_type)type,
                        .error = error_report,
                        .user = new,
                        .private_segment_hint = private_segment_size,
                        .group_segment_hint = group_segment_size};
  return queue_open(runtime, new, &desc, queue);
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size,
                                   uint32_t type, uint32_t features,
                                   hsa_signal_t doorbell_signal,
                                   hsa_queue_t **queue)
{
  AQDROP_ENTER(runtime);
  const aqdrop_pool *pool = aqdrop_pool_from(runtime, region.handle);
  if (!queue || region.handle == 0 || doorbell_signal.handle == 0 ||
      size == 0 || (size & (size - 1)) != 0 || type > HSA_QUEUE_TYPE_SINGLE ||
      features == 0 ||
      features > (HSA_QUEUE_FEATURE_KERNEL_DISPATCH |
                  HSA_QUEUE_FEATURE_AGENT_DISPATCH))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool || pool->segment != HSA_REGION_SEGMENT_GLOBAL)
    return HSA_STATUS_ERROR_INVALID_REGION;
  if (!aqdrop_signal_is_live(runtime, doorbell_signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  aqdrop_queue *new = queue_alloc(runtime, pool->agent);
  if (!new)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  aq_queue_desc desc = {.device = pool->agent->ordinal,
                        .size = size,
                        .type = AQ_QUEUE_SOFT,
                        .doorbell = doorbell_signal,
                        .private_segment_hint = NO_HINT,
                        .group_segment_hint = NO_HINT};
  hsa_status_t status = queue_open(runtime, new, &desc, queue);
  if (status == HSA_STATUS_SUCCESS) {
    (*queue)->type = type;
    (*queue)->features = features;
  }
  return status;
}

/* Takes one reference away; NULL for an unknown queue. The last one takes it
 * off the table. */
static aqdrop_queue *queue_drop(aqdrop *runtime, const hsa_queue_t *queue,
                                bool *last)
{
  uint64_t found = 0;
  pthread_mutex_lock(&runtime->lock);
  const bool known = aq_map_get(&runtime->queues, (uintptr_t)queue, &found);
  aqdrop_queue *q = (aqdrop_queue *)(uintptr_t)found;
  *last = known && --q->references == 0;
  if (*last) {
    aq_map_remove(&runtime->queues, (uintptr_t)queue, NULL);
    if (q->next)
      q->next->previous = q->previous;
    if (q->previous)
      q->previous->next = q->next;
    else
      runtime->first_queue = q->next;
  }
  pthread_mutex_unlock(&runtime->lock);
  return q;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *queue)
{
  AQDROP_ENTER(runtime);
  bool last;
  if (!queue)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_queue *known = queue_find(runtime, queue);
  if (!known && runtime->check)
    aq_check_object_unknown(runtime->check, "queue", (uintptr_t)queue);
  if (!known)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (runtime->check)
    aq_check_object_gone(runtime->check, (uintptr_t)queue);
  const bool begun = shared_begin(runtime, known->type);
  aqdrop_queue *q = queue_drop(runtime, queue, &last);
  if (q)
    ring_destroy(runtime, q, last);
  shared_end(runtime, begun);
  if (last)
    free(q);
  return q ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_QUEUE;
}

void aqdrop_queues_fini(aqdrop *runtime)
{
  while (runtime->first_queue) {
    aqdrop_queue *queue = runtime->first_queue;
    runtime->first_queue = queue->next;
    ring_destroy(runtime, queue, true);
    free(queue);
  }
  aq_map_fini(&runtime->queues);
}

/* ---- control ---- */

static hsa_status_t queue_control(const hsa_queue_t *queue,
                                  aq_queue_control control,
                                  const aq_queue_control_args *args)
{
  AQDROP_ENTER(runtime);
  if (!queue)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_queue *q = queue_find(runtime, queue);
  if (!q)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  return aqdrop_status(runtime->transport->ops->queue_control(
      runtime->transport, q->ring, control, args, NULL));
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t *queue)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  aq_queue_control_args args = {0};
  return queue_control(queue, AQ_CONTROL_INACTIVATE, &args);
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *queue, uint32_t priority)
{
  AQDROP_ENTER(runtime);
  if (priority > HSA_AMD_QUEUE_PRIORITY_HIGH)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aq_queue_control_args args = {.value = (int32_t)priority -
                                         HSA_AMD_QUEUE_PRIORITY_NORMAL};
  return queue_control(queue, AQ_CONTROL_PRIORITY, &args);
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue,
                                                    int enable)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  aq_queue_control_args args = {.value = enable != 0};
  return queue_control(queue, AQ_CONTROL_PROFILE, &args);
}

/* Whether a mask has bits, none of them for a compute unit of the device. */
static bool mask_is_empty(const aqdrop_queue *q, uint32_t count,
                          const uint32_t *mask)
{
  const uint32_t cus = q->agent->info ? q->agent->info->cus : 0;
  for (uint32_t i = 0; i < count && i < cus; i++)
    if (mask[i / MASK_BITS] >> i % MASK_BITS & 1)
      return false;
  return count > 0 && cus > 0;
}

/* ROCr and the driver accept an empty mask, and HIP makes streams with one, of
 * which it reports the default mask: kernels run on the units they had. ROCr
 * reports bits that HSA_CU_MASK took, but no bits of units that are missing. */
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *queue,
                                       uint32_t num_cu_mask_count,
                                       const uint32_t *cu_mask)
{
  AQDROP_ENTER(runtime);
  if (num_cu_mask_count % MASK_BITS != 0 || (num_cu_mask_count > 0 && !cu_mask))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_queue *q = queue ? queue_find(runtime, queue) : NULL;
  if (!q)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  aq_queue_control_args args = {.count = num_cu_mask_count, .mask = cu_mask};
  const hsa_status_t status =
      mask_is_empty(q, num_cu_mask_count, cu_mask)
          ? HSA_STATUS_SUCCESS
          : queue_control(queue, AQ_CONTROL_CU_MASK, &args);
  if (status != HSA_STATUS_SUCCESS && status != HSA_STATUS_CU_MASK_REDUCED)
    return status;
  pthread_mutex_lock(&runtime->lock);
  mask_fill(q);
  for (uint32_t i = 0; num_cu_mask_count > 0 && i < q->mask_words; i++)
    q->mask[i] &= i < num_cu_mask_count / MASK_BITS ? cu_mask[i] : 0;
  pthread_mutex_unlock(&runtime->lock);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t *queue,
                                       uint32_t num_cu_mask_count,
                                       uint32_t *cu_mask)
{
  AQDROP_ENTER(runtime);
  if (!queue || num_cu_mask_count == 0 || num_cu_mask_count % MASK_BITS != 0 ||
      !cu_mask)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_queue *q = queue_find(runtime, queue);
  if (!q)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  pthread_mutex_lock(&runtime->lock);
  for (uint32_t i = 0; i < num_cu_mask_count / MASK_BITS; i++)
    cu_mask[i] = i < q->mask_words ? q->mask[i] : 0;
  pthread_mutex_unlock(&runtime->lock);
  return HSA_STATUS_SUCCESS;
}

/* The memory fault of a queue: zeros before there is one. */
static hsa_status_t fault_info(const aqdrop_queue *q, uint32_t attribute,
                               void *value)
{
  hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&q->runtime->lock);
  if (attribute == HSA_AMD_QUEUE_INFO_VM_FAULT_STATUS)
    status = aqdrop_put_bool(value, q->faulted);
  else if (attribute == HSA_AMD_QUEUE_INFO_VM_FAULT_ADDRESS)
    status = aqdrop_put64(value, q->fault_address);
  else if (attribute == HSA_AMD_QUEUE_INFO_VM_FAULT_REASON)
    status = aqdrop_put32(value, q->fault_reasons);
  pthread_mutex_unlock(&q->runtime->lock);
  return status;
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t *queue, uint32_t attribute,
                                    void *value)
{
  enum { NO_METADATA = 0xff }; /* the version where packets have none */
  AQDROP_ENTER(runtime);
  if (!queue || !value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_queue *q = queue_find(runtime, queue);
  if (!q)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  switch (attribute) {
  case HSA_AMD_QUEUE_INFO_AGENT:
    *(hsa_agent_t *)value = aqdrop_agent_handle(q->agent);
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_QUEUE_INFO_DOORBELL_ID:
    return aqdrop_put64(value, q->ring->id);
  case HSA_QUEUE_INFO_USE_COUNT: /* not a counted queue */
    return aqdrop_put32(value, UINT32_MAX);
  case HSA_QUEUE_INFO_HW_ID:
    return aqdrop_put32(value, (uint32_t)queue->id);
  case HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_DISPATCH_PKT_VERSION_MAJOR:
  case HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_DISPATCH_PKT_VERSION_MINOR:
  case HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_BARRIER_PKT_VERSION_MAJOR:
  case HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_BARRIER_PKT_VERSION_MINOR:
    *(uint8_t *)value = NO_METADATA;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_QUEUE_INFO_PREFETCH_METADATA_RING_BUFFER:
  case HSA_AMD_QUEUE_INFO_PROPERTIES: /* no bit of which has a meaning */
    return aqdrop_put64(value, 0);
  default:
    return fault_info(q, attribute, value);
  }
}
