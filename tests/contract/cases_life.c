/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <string.h>

#include "cmdbuf/kernel_occupancy.h"

static void table_is_full(contract *c)
{
  const aq_transport_ops *ops = c->ops;
  ck_assert_uint_eq(ops->abi, AQ_TRANSPORT_ABI);
  ck_assert_uint_eq(ops->size, sizeof *ops);
  ck_assert(ops->name && *ops->name && ops->summary && *ops->summary);
  /* Everything from `open` on is a function. */
  void (*slots[(sizeof *ops - offsetof(aq_transport_ops, open)) /
               sizeof(void (*)(void))])(void);
  memcpy(slots, &ops->open, sizeof slots);
  for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
    ck_assert_msg(slots[i] != NULL, "slot %zu behind open is empty", i);
}

static void device_is_described(contract *c)
{
  for (uint32_t i = 0; i < c->info.device_count; i++) {
    const aq_device_info *device = &c->info.devices[i];
    ck_assert(device->name && *device->name && device->gfx);
    ck_assert_uint_gt(device->queues_max, 0);
    ck_assert_uint_gt(device->queue_size_min, 0);
    ck_assert_uint_le(device->queue_size_min, device->queue_size_max);
    ck_assert_uint_gt(device->timestamp_hz, 0);
  }
}

static void open_refuses_a_bad_edit(contract *c)
{
  static const char *const edits[] = {"no_such_key=1", NULL};
  aq_transport_options options = {.size = sizeof options, .edits = edits};
  aq_transport *t = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status = contract_open(c, &options, &t, &diag);
  ck_assert_int_ne(status, AQ_OK);
  ck_assert_ptr_null(t);
  ck_assert_ptr_nonnull(strstr(diag.text, "no_such_key"));
}

static void two_are_independent(contract *c)
{
  aq_transport_options options = {.size = sizeof options};
  aq_transport *other;
  ck_assert_status(contract_open(c, &options, &other, &c->rig.diag), AQ_OK,
                   &c->rig.diag);
  aq_time until = other->ops->now(other) + 7 * AQ_US;
  ck_assert_status(other->ops->sleep_until(other, until, false, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_int_eq(other->ops->now(other), until);
  ck_assert_int_eq(c->ops->now(c->t), 0);
  other->ops->close(other);
}

static void close_frees_what_is_open(contract *c)
{
  aq_transport_options options = {.size = sizeof options};
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(contract_open(c, &options, &t, &diag), AQ_OK, &diag);
  aq_queue_desc desc = {.size = c->size};
  aq_ring *queue;
  aq_signal signal;
  void *memory;
  ck_assert_status(t->ops->queue_create(t, &desc, &queue, &diag), AQ_OK, &diag);
  ck_assert_status(
      t->ops->signal_create(t, &(aq_signal_desc){.value = 1}, &signal, &diag),
      AQ_OK, &diag);
  ck_assert_status(t->ops->mem_alloc(t, 0, AQ_MEMORY_HOST, 100, &memory, &diag),
                   AQ_OK, &diag);
  /* A packet that will never be complete, and one behind it. */
  aq_packet blocked = rig_barrier(AQ_PACKET_BARRIER_AND, &signal, 1, signal);
  uint64_t id = contract_put(queue, &blocked);
  t->ops->queue_doorbell(t, queue, id);
  id = contract_put(queue, &blocked);
  t->ops->queue_doorbell(t, queue, id);
  t->ops->close(t); /* the leak checkers look for the rest */
}

static void epoch_is_the_first_instant(contract *c)
{
  aq_transport_options options = {.size = sizeof options, .epoch = 3 * AQ_S};
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(contract_open(c, &options, &t, &diag), AQ_OK, &diag);
  ck_assert_int_eq(t->ops->now(t), 3 * AQ_S);
  t->ops->close(t);
}

static void unknown_kernel_is_not_found(contract *c)
{
  aq_kernel_info info;
  ck_assert_status(
      c->ops->kernel_lookup(c->t, 0, "no such kernel", &info, &c->rig.diag),
      AQ_ERR_NOT_FOUND, &c->rig.diag);
  ck_assert_ptr_nonnull(strstr(c->rig.diag.text, "no such kernel"));
}

static void registered_kernel_is_found(contract *c)
{
  aq_kernel_desc desc = {.name = "found", .kernarg_size = 24, .group_size = 64};
  aq_kernel_info made, found;
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &made, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_status(
      c->ops->kernel_lookup(c->t, 0, "found", &found, &c->rig.diag), AQ_OK,
      &c->rig.diag);
  ck_assert_uint_ne(made.object, 0);
  ck_assert_uint_eq(found.object, made.object);
  ck_assert_uint_eq(found.kernarg_size, 24);
  ck_assert_uint_eq(found.group_size, 64);
  ck_assert(c->ops->kernel_describe(c->t, made.object, &found));
  ck_assert_uint_eq(found.object, made.object);
  ck_assert_uint_eq(found.group_size, 64);
  ck_assert_str_eq(found.name, "found");
}

static void occupancy_follows_from_registers(contract *c)
{
  enum { GROUP = 256, VGPRS = 128, LDS = 20000 };
  const aq_kernel_desc desc = {.name = "occupied",
                               .group_size = 64,
                               .vgprs = VGPRS,
                               .sgprs = 16,
                               .wave_size = 64};
  const aq_device_resources *has = &c->device->resources;
  aq_kernel_info made;
  aq_occupancy fit = {.waves = 77};
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &made, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  const aq_status status =
      aq_kernel_occupancy(c->t, 0, made.object, GROUP, 0, &fit, &c->rig.diag);
  if (has->vgprs_per_simd == 0) {
    ck_assert_status(status, AQ_ERR_UNSUPPORTED, &c->rig.diag);
    ck_assert_ptr_nonnull(strstr(c->rig.diag.text, "are not known"));
    ck_assert_ptr_nonnull(strstr(c->rig.diag.text, c->ops->name));
    ck_assert_uint_eq(fit.waves, 77);
    return;
  }
  ck_assert_status(status, AQ_OK, &c->rig.diag);
  ck_assert_uint_eq(fit.waves, GROUP / 64);
  ck_assert_uint_eq(fit.waves_per_simd, has->vgprs_per_simd / VGPRS);
  ck_assert_uint_eq(fit.waves_per_cu, fit.waves_per_simd * has->simds_per_cu);
  ck_assert_uint_eq(fit.workgroups_per_cu, fit.waves_per_cu / fit.waves);
  ck_assert_uint_eq(fit.workgroups,
                    (uint64_t)fit.workgroups_per_cu * c->device->cus);
  ck_assert_int_eq(fit.limit, AQ_RESOURCE_VGPRS);
  ck_assert_status(
      aq_kernel_occupancy(c->t, 0, made.object, GROUP, LDS, &fit, &c->rig.diag),
      AQ_OK, &c->rig.diag);
  ck_assert_uint_eq(fit.workgroups_per_cu, has->lds_per_cu / (LDS + 480));
  ck_assert_int_eq(fit.limit, AQ_RESOURCE_LDS);
  ck_assert_status(aq_kernel_occupancy(c->t, 0, made.object, GROUP,
                                       has->lds_per_cu, &fit, &c->rig.diag),
                   AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_status(aq_kernel_occupancy(c->t, 0, made.object,
                                       has->workgroup_max + 1, 0, &fit,
                                       &c->rig.diag),
                   AQ_ERR_INVALID, &c->rig.diag);
}

static void occupancy_needs_kernel_device_and_registers(contract *c)
{
  const aq_kernel_desc desc = {.name = "nothing known"};
  aq_kernel_info made;
  aq_occupancy fit;
  ck_assert_status(
      aq_kernel_occupancy(c->t, 0, 0x1234, 64, 0, &fit, &c->rig.diag),
      AQ_ERR_NOT_FOUND, &c->rig.diag);
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &made, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_status(aq_kernel_occupancy(c->t, c->info.device_count, made.object,
                                       64, 0, &fit, &c->rig.diag),
                   AQ_ERR_INVALID, &c->rig.diag);
  ck_assert_status(
      aq_kernel_occupancy(c->t, 0, made.object, 64, 0, &fit, &c->rig.diag),
      AQ_ERR_UNSUPPORTED, &c->rig.diag);
  ck_assert_ptr_nonnull(strstr(c->rig.diag.text, "nothing known"));
}

static void an_unregistered_kernel_is_found_no_more(contract *c)
{
  aq_kernel_desc desc = {.name = "gone"};
  aq_kernel_info made, found;
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &made, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  c->ops->kernel_unregister(c->t, made.object);
  ck_assert_status(c->ops->kernel_lookup(c->t, 0, "gone", &found, &c->rig.diag),
                   AQ_ERR_NOT_FOUND, &c->rig.diag);
  ck_assert(!c->ops->kernel_describe(c->t, made.object, &found));
  c->ops->kernel_unregister(c->t, made.object); /* no error */
  ck_assert_status(c->ops->kernel_register(c->t, &desc, &made, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_status(c->ops->kernel_lookup(c->t, 0, "gone", &found, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  ck_assert_uint_eq(found.object, made.object);
}

static void module_load_says_what_it_cannot(contract *c)
{
  uint64_t module = 7;
  aq_status status =
      c->ops->module_load(c->t, 0, "not ELF", 7, &module, &c->rig.diag);
  ck_assert_int_ne(status, AQ_OK);
  if (!contract_can(c, AQ_CAP_CODE_OBJECTS))
    ck_assert_int_eq(status, AQ_ERR_UNSUPPORTED);
  ck_assert_uint_eq(module, 7);
  ck_assert_str_ne(c->rig.diag.text, "");
}

const contract_case contract_life[] = {
    {"its table has the ABI's version and size, and no empty slot", NULL, 0,
     table_is_full},
    {"every device has a name and limits", NULL, 0, device_is_described},
    {"open refuses an edit of an unknown constant, and opens nothing", NULL, 0,
     open_refuses_a_bad_edit},
    {"two open transports have nothing in common", NULL, AQ_CAP_VIRTUAL_TIME,
     two_are_independent},
    {"the occupancy of a kernel follows from its registers, or is refused",
     NULL, AQ_CAP_HOST_KERNELS, occupancy_follows_from_registers},
    {"occupancy needs a kernel, a device and registers that are known", NULL,
     AQ_CAP_HOST_KERNELS, occupancy_needs_kernel_device_and_registers},
    {"close frees queues, signals and memory, with packets in flight", NULL, 0,
     close_frees_what_is_open},
    {"the epoch is the first instant", NULL, AQ_CAP_VIRTUAL_TIME,
     epoch_is_the_first_instant},
    {"an unknown kernel is not found, and the message names it", NULL, 0,
     unknown_kernel_is_not_found},
    {"a registered kernel is found by its name", NULL, AQ_CAP_HOST_KERNELS,
     registered_kernel_is_found},
    {"an unregistered kernel is found no more", NULL, AQ_CAP_HOST_KERNELS,
     an_unregistered_kernel_is_found_no_more},
    {"loading bytes that are no code object fails with a line", NULL, 0,
     module_load_says_what_it_cannot},
    {NULL}};
