/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/hostcall/hostcall.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hsa_abi.h"
#include "common/text.h"
#include "gpu/hostcall/heap.h"
#include "gpu/hostcall/messages.h"
#include "gpu/hostcall/signal_listener.h"

enum {
  LANES = 64,
  SERVICE_PRINTF = 2,
  SERVICE_MEMORY = 3, /* address to free or 0, bytes to allocate */
  READY = 1,          /* bit of `control`: the host has it */
  ALIGN = 64,
  HEAP_HEAD = 128 * 1024, /* bytes: lists of the device library, zeros first */
};

typedef struct packet_head {
  uint64_t next; /* number and tag of the next on a stack, 0: none */
  uint64_t active;
  uint32_t service;
  uint32_t control;
} packet_head;

typedef struct packet_payload {
  uint64_t slots[LANES][AQ_MESSAGE_SLOT];
} packet_payload;

typedef struct buffer_head {
  packet_head *heads;
  packet_payload *payloads;
  uint64_t doorbell;
  uint64_t free_stack, ready_stack;
  uint64_t mask; /* of the packet's number in what lies on a stack */
} buffer_head;

_Static_assert(sizeof(packet_head) == 24, "a packet's head");
_Static_assert(sizeof(buffer_head) == 48, "the buffer's head");

/* Its packets follow, then their payloads. */
typedef struct buffer {
  buffer_head head;
  aq_amd_signal doorbell __attribute__((aligned(64)));
  packet_head heads[] __attribute__((aligned(64)));
} buffer;

/* A device's buffer; one that became too small is served on. */
typedef struct listened {
  struct listened *next;
  uint32_t device;
  uint64_t packets;
  buffer *memory; /* of the transport */
} listened;

struct aq_hostcall {
  aq_executor executor;
  const aq_executor *inner;
  FILE *out;
  listened *buffers; /* atomic: a step may look while another is made */
  void **heads;      /* of the heaps, by device; memory of the transport */
  size_t head_count;
  aq_device_heap *heap;
  aq_listener *listener; /* NULL: the executor serves */
  aq_messages messages;
  uint64_t refused, exhausted; /* calls */
  uint32_t refused_first;      /* service */
};

typedef struct execution {
  aq_hostcall *hostcall;
  void *inner;
} execution;

static void refuse(aq_hostcall *h, uint32_t service)
{
  if (h->refused++ == 0)
    h->refused_first = service;
}

/* ---- packets ---- */

static void memory_serve(aq_hostcall *h, uint32_t device,
                         uint64_t slot[AQ_MESSAGE_SLOT])
{
  if (slot[0]) {
    if (!aq_device_heap_free(h->heap, slot[0]))
      refuse(h, SERVICE_MEMORY);
    slot[0] = 0;
    return;
  }
  slot[0] = (uintptr_t)aq_device_heap_alloc(h->heap, device, slot[1]);
  h->exhausted += slot[0] == 0;
}

static void packet_serve(aq_hostcall *h, uint32_t device,
                         const packet_head *head, packet_payload *payload)
{
  for (uint64_t rest = head->active; rest; rest &= rest - 1) {
    uint64_t *slot = payload->slots[__builtin_ctzll(rest)];
    if (head->service == SERVICE_PRINTF) {
      if (!aq_messages_read(&h->messages, slot, h->out))
        refuse(h, SERVICE_PRINTF);
    } else if (head->service == SERVICE_MEMORY) {
      memory_serve(h, device, slot);
    } else {
      refuse(h, head->service);
      memset(slot, 0, sizeof payload->slots[0]);
    }
  }
}

/* Serves the packets that kernels pushed; whether there were any. */
static bool packets_serve(aq_hostcall *h, const listened *l)
{
  buffer_head *head = &l->memory->head;
  uint64_t at = __atomic_exchange_n(&head->ready_stack, 0, __ATOMIC_ACQUIRE);
  const bool any = at != 0;
  while (at) {
    const uint64_t number = at & head->mask;
    packet_head *packet = &head->heads[number];
    at = packet->next;
    packet_serve(h, l->device, packet, &head->payloads[number]);
    /* From here on the packet is the kernel's. */
    __atomic_and_fetch(&packet->control, ~(uint32_t)READY, __ATOMIC_RELEASE);
  }
  return any;
}

static bool buffers_serve(aq_hostcall *h)
{
  bool served = false;
  const listened *l = __atomic_load_n(&h->buffers, __ATOMIC_ACQUIRE);
  for (; l; l = l->next)
    served |= packets_serve(h, l);
  return served;
}

/* On the listener's thread. */
static void listener_serve(void *user)
{
  aq_hostcall *h = user;
  buffers_serve(h);
}

/* ---- the executor ---- */

static aq_status hostcall_begin(void *user, const aq_execution_desc *desc,
                                void **out, aq_diag *diag)
{
  aq_hostcall *h = user;
  execution *e = calloc(1, sizeof *e);
  if (!e)
    return aq_diag_no_memory(diag);
  e->hostcall = h;
  aq_status status = h->inner->begin(h->inner->user, desc, &e->inner, diag);
  if (status == AQ_OK)
    *out = e;
  else
    free(e);
  return status;
}

static aq_execution_state hostcall_step(void *user, uint64_t budget,
                                        uint64_t ticks, aq_execution_step *out)
{
  execution *e = user;
  const aq_execution_state state =
      e->hostcall->inner->step(e->inner, budget, ticks, out);
  const bool served = !e->hostcall->listener && buffers_serve(e->hostcall);
  return state == AQ_EXECUTION_WAITS && served ? AQ_EXECUTION_MORE : state;
}

static void hostcall_end(void *user)
{
  execution *e = user;
  e->hostcall->inner->end(e->inner);
  free(e);
}

static bool hostcall_executes(void *user, const char *gfx)
{
  const aq_executor *inner = ((const aq_hostcall *)user)->inner;
  return !inner->executes || inner->executes(inner->user, gfx);
}

static bool hostcall_predicts(void *user)
{
  const aq_executor *inner = ((const aq_hostcall *)user)->inner;
  return inner->predicts && inner->predicts(inner->user);
}

/* ---- what kernels find ---- */

/* The argument of a kind that is an address, or NULL. */
static const aq_code_arg *argument_find(const aq_code_kernel *kernel,
                                        const char *kind)
{
  for (size_t i = 0; i < kernel->arg_count; i++) {
    const aq_code_arg *arg = &kernel->args[i];
    if (arg->kind && strcmp(arg->kind, kind) == 0 && arg->size == 8)
      return arg;
  }
  return NULL;
}

/* In virtual time the executor serves calls, on other transports a thread,
 * started once. */
static aq_status listener_choose(aq_hostcall *h, aq_transport *t, aq_diag *diag)
{
  aq_transport_info info;
  t->ops->info(t, &info);
  if (h->listener || info.caps & AQ_CAP_VIRTUAL_TIME)
    return AQ_OK;
  aq_device_heap_use(h->heap, t);
  return aq_listener_start(t, listener_serve, h, &h->listener, diag);
}

static aq_status buffer_make(aq_hostcall *h, aq_transport *t, uint32_t device,
                             uint64_t packets, buffer **out, aq_diag *diag)
{
  const size_t size = sizeof(buffer) +
                      packets * (sizeof(packet_head) + sizeof(packet_payload)) +
                      ALIGN;
  void *memory;
  listened *made = malloc(sizeof *made);
  if (!made)
    return aq_diag_no_memory(diag);
  aq_status status =
      t->ops->mem_alloc(t, device, AQ_MEMORY_HOST, size, &memory, diag);
  if (status != AQ_OK) {
    free(made);
    return status;
  }
  *out = (void *)(((uintptr_t)memory + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
  /* All packets are free. Number 0 has a tag, for 0 means none. */
  buffer *b = *out;
  uint64_t next = packets;
  *b = (buffer){.head = {.heads = b->heads,
                         .payloads = (void *)(b->heads + packets),
                         .doorbell = (uintptr_t)&b->doorbell,
                         .mask = packets - 1},
                .doorbell = {.kind = 1}};
  memset(b->heads, 0, packets * sizeof *b->heads);
  for (uint64_t i = 1; i < packets; i++) {
    b->heads[i].next = next;
    next = i;
  }
  b->head.free_stack = next;
  if (h->listener)
    (*out)->head.doorbell = aq_listener_doorbell(h->listener).handle;
  *made = (listened){h->buffers, device, packets, *out};
  __atomic_store_n(&h->buffers, made, __ATOMIC_RELEASE);
  return AQ_OK;
}

static aq_status buffer_find(aq_hostcall *h, aq_transport *t, uint32_t device,
                             uint64_t waves, buffer **out, aq_diag *diag)
{
  uint64_t packets = 1;
  while (packets < waves)
    packets *= 2;
  for (const listened *l = h->buffers; l; l = l->next)
    if (l->device == device && l->packets >= packets) {
      *out = l->memory;
      return AQ_OK;
    }
  return buffer_make(h, t, device, packets, out, diag);
}

/* Clears memory of a device, which the host may not reach. */
static aq_status zeros_copy(aq_transport *t, uint32_t device, void *to,
                            size_t size, aq_diag *diag)
{
  const aq_signal_desc desc = {.value = 1};
  aq_wait_item item = {.condition = AQ_EQ, .value = 0};
  const aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  aq_wait_result result;
  void *zeros;
  aq_status status =
      t->ops->mem_alloc(t, device, AQ_MEMORY_HOST, size, &zeros, diag);
  if (status != AQ_OK)
    return status;
  memset(zeros, 0, size);
  status = t->ops->signal_create(t, &desc, &item.signal, diag);
  if (status == AQ_OK) {
    status = t->ops->copy_async(t, device, to, zeros, size, NULL, 0,
                                item.signal, diag);
    if (status == AQ_OK)
      status = t->ops->wait(t, &request, &result, diag);
    t->ops->signal_destroy(t, item.signal);
  }
  t->ops->mem_free(t, zeros);
  return status;
}

static aq_status head_make(const aq_hostcall *h, aq_transport *t,
                           uint32_t device, void **out, aq_diag *diag)
{
  void *head;
  aq_status status =
      t->ops->mem_alloc(t, device, AQ_MEMORY_DEVICE, HEAP_HEAD, &head, diag);
  if (status != AQ_OK)
    return status;
  if (h->listener)
    status = zeros_copy(t, device, head, HEAP_HEAD, diag);
  else
    memset(head, 0, HEAP_HEAD);
  if (status == AQ_OK)
    *out = head;
  else
    t->ops->mem_free(t, head);
  return status;
}

static aq_status head_find(aq_hostcall *h, aq_transport *t, uint32_t device,
                           void **out, aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE_ZEROED(h->heads, h->head_count, (size_t)device + 1))
    return aq_diag_no_memory(diag);
  aq_status status = h->heads[device]
                         ? AQ_OK
                         : head_make(h, t, device, &h->heads[device], diag);
  *out = h->heads[device];
  return status;
}

aq_status aq_hostcall_place(aq_hostcall *hostcall, aq_transport *t,
                            uint32_t device, const aq_code_kernel *kernel,
                            uint64_t waves, void *kernarg, aq_diag *diag)
{
  const aq_code_arg *calls = argument_find(kernel, "hidden_hostcall_buffer"),
                    *heap = argument_find(kernel, "hidden_heap_v1");
  buffer *memory = NULL;
  void *head = NULL;
  if (!calls && !heap)
    return AQ_OK;
  aq_status status = listener_choose(hostcall, t, diag);
  if (status == AQ_OK && calls)
    status = buffer_find(hostcall, t, device, waves, &memory, diag);
  if (status == AQ_OK && heap)
    status = head_find(hostcall, t, device, &head, diag);
  if (status != AQ_OK)
    return status;
  if (calls)
    memcpy((char *)kernarg + calls->offset, &memory, sizeof memory);
  if (heap)
    memcpy((char *)kernarg + heap->offset, &head, sizeof head);
  t->ops->mem_publish(t, kernarg, kernel->kernarg_size);
  return AQ_OK;
}

/* ---- life ---- */

aq_hostcall *aq_hostcall_create(const aq_executor *inner, FILE *out)
{
  aq_hostcall *h = calloc(1, sizeof *h);
  aq_device_heap *heap =
      aq_device_heap_create(inner->allocations, AQ_HOSTCALL_HEAP_LIMIT);
  if (!h || !heap) {
    free(h);
    aq_device_heap_destroy(heap);
    return NULL;
  }
  h->heap = heap;
  h->inner = inner;
  h->out = out;
  h->executor = *inner;
  h->executor.user = h;
  h->executor.begin = hostcall_begin;
  h->executor.step = hostcall_step;
  h->executor.end = hostcall_end;
  h->executor.executes = hostcall_executes;
  h->executor.predicts = hostcall_predicts;
  return h;
}

void aq_hostcall_stop(aq_hostcall *hostcall)
{
  if (!hostcall || !hostcall->listener)
    return;
  aq_listener_stop(hostcall->listener);
  hostcall->listener = NULL;
  aq_device_heap_clear(hostcall->heap);
}

void aq_hostcall_destroy(aq_hostcall *hostcall)
{
  if (!hostcall)
    return;
  aq_messages_fini(&hostcall->messages);
  for (listened *l = hostcall->buffers, *next; l; l = next) {
    next = l->next;
    free(l);
  }
  free(hostcall->heads);
  aq_device_heap_destroy(hostcall->heap);
  free(hostcall);
}

const aq_executor *aq_hostcall_executor(const aq_hostcall *hostcall)
{
  return &hostcall->executor;
}

void aq_hostcall_report(const aq_hostcall *hostcall, const char *name,
                        const aq_notes *notes)
{
  if (hostcall->refused > 0)
    aq_note(notes,
            "%s: %llu host call%s answered with 0: no listener; the first for "
            "service %u",
            name, (unsigned long long)hostcall->refused,
            aq_text_plural(hostcall->refused), hostcall->refused_first);
  if (hostcall->exhausted > 0)
    aq_note(notes,
            "%s: %llu malloc call%s of kernels answered with null: limit "
            "%llu MiB",
            name, (unsigned long long)hostcall->exhausted,
            aq_text_plural(hostcall->exhausted),
            (unsigned long long)(AQ_HOSTCALL_HEAP_LIMIT >> 20));
}
