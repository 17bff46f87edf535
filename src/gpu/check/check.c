/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/check.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/check/core/core.h"
#include "gpu/check/core/heap.h"
#include "gpu/check/core/stack.h"
#include "gpu/check/observe.h"

static const struct {
  const char *name;
  unsigned bit;
} words[] = {{"memory", AQ_CHECK_MEMORY}, {"race", AQ_CHECK_RACE},
             {"wait", AQ_CHECK_WAIT},     {"init", AQ_CHECK_INIT},
             {"sync", AQ_CHECK_SYNC},     {"api", AQ_CHECK_API},
             {"leak", AQ_CHECK_LEAK},     {"float", AQ_CHECK_FLOAT},
             {"all", AQ_CHECK_EVERYTHING}};

aq_status aq_check_read(const char *text, unsigned *out, aq_diag *diag)
{
  unsigned bits = 0;
  for (const char *at = text; *at;) {
    const size_t length = strcspn(at, ",");
    unsigned bit = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strlen(words[i].name) == length &&
          memcmp(words[i].name, at, length) == 0)
        bit = words[i].bit;
    if (!bit)
      return aq_diag_set(
          diag, AQ_ERR_INPUT,
          "check %.*s; expected memory, init, race, sync, wait, api, leak, "
          "float or all, with commas between them",
          (int)length, at);
    bits |= bit;
    at += length + (at[length] == ',');
  }
  if (!bits)
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "no check; expected memory, init, race, sync, wait, api, "
        "leak, float or all");
  *out = bits;
  return AQ_OK;
}

/* ---- order ---- */

static void hook_launch(void *user, const aq_order_packet *packet)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_launch(check->order, packet);
  pthread_mutex_unlock(&check->lock);
}

static void hook_seen(void *user, const aq_order_packet *packet)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_seen(check->order, packet);
  pthread_mutex_unlock(&check->lock);
}

static void hook_memory_seen(void *user, const aq_order_packet *packet,
                             uint64_t address)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_memory_seen(check->order, packet, address);
  pthread_mutex_unlock(&check->lock);
}

static void hook_complete(void *user, const aq_order_packet *packet)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  const aq_hb_event *act =
      aq_hb_packet(check->order, packet->queue, packet->id);
  if (act && !act->executed &&
      aq_header_type(act->header) == AQ_PACKET_KERNEL_DISPATCH)
    aq_check_uninit_forget(check);
  aq_check_pool_complete(check, packet);
  aq_hb_complete(check->order, packet);
  pthread_mutex_unlock(&check->lock);
}

static void hook_copy_submit(void *user, uint64_t copy,
                             const aq_copy_desc *desc, const char *packet)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_copy_submit(check->order, copy, desc);
  if (!desc->box) {
    aq_check_api_range(check, packet, "reads", (uintptr_t)desc->from,
                       desc->size);
    aq_check_api_range(check, packet, "writes", (uintptr_t)desc->to,
                       desc->size);
  }
  pthread_mutex_unlock(&check->lock);
}

static void hook_copy_ready(void *user, uint64_t copy)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_copy_ready(check->order, copy);
  pthread_mutex_unlock(&check->lock);
}

/* Unwritten bytes move too; the rows of both sides are as long. A fill writes
 * all. */
static void copy_bits(aq_check *check, const aq_hb_event *act)
{
  const aq_copy_box *box = act->copy.box;
  const uint64_t to = (uintptr_t)act->copy.to, from = (uintptr_t)act->copy.from;
  if (!from) {
    aq_uninit_shadow_set(&check->unwritten, to, act->copy.size, false);
    return;
  }
  if (!box) {
    aq_check_uninit_copy(check, act, to, from, act->copy.size);
    return;
  }
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++)
      aq_check_uninit_copy(check, act, to + z * box->to.slice + y * box->to.row,
                           from + z * box->from.slice + y * box->from.row,
                           box->width);
}

/* The rows of one side of a copy. */
static void copy_rows(aq_check *check, const aq_hb_event *act, uint64_t at,
                      const aq_copy_pitch *pitch, bool write)
{
  const aq_copy_box *box = act->copy.box;
  if (!box) {
    aq_check_race_range(check, act, at, act->copy.size, write);
    return;
  }
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++)
      aq_check_race_range(check, act, at + z * pitch->slice + y * pitch->row,
                          box->width, write);
}

static void hook_copy_move(void *user, uint64_t copy)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  const aq_hb_event *act = aq_hb_copy(check->order, copy);
  if (act && check->options.checks & AQ_CHECK_RACE) {
    if (act->copy.from)
      copy_rows(check, act, (uintptr_t)act->copy.from, &act->box.from, false);
    copy_rows(check, act, (uintptr_t)act->copy.to, &act->box.to, true);
  }
  if (act && check->options.checks & AQ_CHECK_INIT)
    copy_bits(check, act);
  pthread_mutex_unlock(&check->lock);
}

static void hook_copy_complete(void *user, uint64_t copy)
{
  aq_check *check = user;
  pthread_mutex_lock(&check->lock);
  aq_hb_copy_complete(check->order, copy);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_publish(aq_check *check, const aq_amd_queue *queue, uint64_t id)
{
  pthread_mutex_lock(&check->lock);
  aq_hb_publish(check->order, queue, id);
  if (check->options.checks & AQ_CHECK_API)
    aq_check_api_publish(check, queue, id);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_queue_gone(aq_check *check, const aq_amd_queue *queue)
{
  pthread_mutex_lock(&check->lock);
  aq_hb_queue_gone(check->order, queue);
  aq_check_pool_queue_gone(check, queue);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_signal_set(aq_check *check, uint64_t signal)
{
  pthread_mutex_lock(&check->lock);
  aq_hb_signal_set(check->order, signal);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_signal_add(aq_check *check, uint64_t signal)
{
  pthread_mutex_lock(&check->lock);
  aq_hb_signal_add(check->order, signal);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_signal_seen(aq_check *check, uint64_t signal)
{
  pthread_mutex_lock(&check->lock);
  aq_hb_signal_seen(check->order, signal);
  pthread_mutex_unlock(&check->lock);
}

static void hook_signal_handled(void *user, aq_signal signal)
{
  aq_check_signal_seen(user, signal.handle);
}

void aq_check_host_access(aq_check *check, const void *at, size_t size,
                          bool write)
{
  const uint64_t address = (uintptr_t)at;
  pthread_mutex_lock(&check->lock);
  aq_check_api_range(check, NULL, write ? "writes" : "reads", address, size);
  aq_hb_event *act =
      check->options.checks & AQ_CHECK_RACE ? aq_hb_host(check->order) : NULL;
  if (act && size > 0)
    aq_check_race_range(check, act, address, size, write);
  if (check->options.checks & AQ_CHECK_INIT && write)
    aq_uninit_shadow_set(&check->unwritten, address, size, false);
  else if (check->options.checks & AQ_CHECK_INIT)
    aq_check_uninit_read(check, act, address, size);
  if (act)
    aq_hb_host_done(act);
  pthread_mutex_unlock(&check->lock);
}

/* ---- life ---- */

aq_status aq_check_create(const aq_check_options *options, aq_check **out,
                          aq_diag *diag)
{
  aq_check *check = calloc(1, sizeof *check);
  if (!check || !(check->order = aq_hb_create(options->host_unseen))) {
    free(check);
    return aq_diag_no_memory(diag);
  }
  check->options = *options;
  pthread_mutex_init(&check->lock, NULL);
  aq_check_observer_make(check);
  aq_check_uninit_open(check);
  check->hooks = (aq_order_hooks){.user = check,
                                  .launch = hook_launch,
                                  .seen = hook_seen,
                                  .memory_seen = hook_memory_seen,
                                  .complete = hook_complete,
                                  .copy_submit = hook_copy_submit,
                                  .copy_ready = hook_copy_ready,
                                  .copy_move = hook_copy_move,
                                  .copy_complete = hook_copy_complete,
                                  .signal_handled = hook_signal_handled};
  *out = check;
  return AQ_OK;
}

void aq_check_destroy(aq_check *check)
{
  if (!check)
    return;
  aq_hb_destroy(check->order);
  aq_check_shadow_fini(&check->shadow);
  aq_names_fini(&check->names);
  aq_map_fini(&check->by_key);
  aq_check_sources_fini(check);
  aq_check_uninit_fini(check);
  free(check->sites);
  free(check->found);
  aq_check_heap_fini(check);
  aq_check_stack_fini(check);
  aq_check_hazards_fini(check);
  free(check->known);
  free(check->kernels);
  free(check->pool);
  aq_map_fini(&check->gone);
  pthread_mutex_destroy(&check->lock);
  free(check);
}

void aq_check_end(aq_check *check)
{
  pthread_mutex_lock(&check->lock);
  aq_check_pool_queue_gone(check, NULL);
  if (check->options.checks & AQ_CHECK_LEAK && !check->leaks_done) {
    aq_check_leaks(check);
    for (size_t i = 0; i < check->known_count; i++)
      aq_check_heap_leaks(check, &check->known[i]);
  }
  if (!check->leaks_done)
    aq_check_unseen(check);
  check->leaks_done = true;
  pthread_mutex_unlock(&check->lock);
}

unsigned aq_check_kinds(const aq_check *check)
{
  return check->options.checks;
}

const aq_wave_observer *aq_check_observer(const aq_check *check)
{
  return &check->observer;
}

const aq_order_hooks *aq_check_hooks(const aq_check *check)
{
  return &check->hooks;
}
