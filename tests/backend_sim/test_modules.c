/* SPDX-License-Identifier: MIT */
/* Code objects of the simulator: the real ones of the device library. */
#include <string.h>

#include "backend_sim/core.h"
#include "backend_sim/rig.h"
#include "backend_sim/sim.h"
#include "common/kernel.h"
#include "dropin/hsa/object.h"
#include "gpu/codeobj/codeobj.h"
#include "gpu/devlib/devlib.h"

/* An executor that checks its arguments and runs nothing. */
static aq_status look_begin(void *user, const aq_execution_desc *desc,
                            void **out, aq_diag *diag)
{
  (void)diag;
  *(aq_execution_desc *)user = *desc;
  *out = user;
  return AQ_OK;
}

static aq_execution_state look_step(void *execution, uint64_t budget,
                                    uint64_t ticks, aq_execution_step *out)
{
  (void)execution, (void)budget, (void)ticks;
  *out = (aq_execution_step){.instructions = 1};
  return AQ_EXECUTION_DONE;
}

static void look_end(void *execution)
{
  (void)execution;
}

static uint64_t library_load(rig *r, const char *target, aq_status expected)
{
  const aq_devlib_object *library;
  uint64_t module = 0;
  ck_assert_int_eq(aq_devlib_find(target, &library, NULL), AQ_OK);
  ck_assert_status(r->t->ops->module_load(r->t, 0, library->bytes,
                                          library->size, &module, &r->diag),
                   expected, &r->diag);
  return module;
}

START_TEST(the_object_of_a_kernel_is_its_descriptor_in_memory)
{
  const aq_devlib_object *library;
  aq_execution_desc seen = {0};
  const aq_executor executor = {.abi = AQ_EXECUTOR_ABI,
                                .size = sizeof executor,
                                .name = "look",
                                .user = &seen,
                                .begin = look_begin,
                                .step = look_step,
                                .end = look_end};
  const aq_transport_options options = {.executor = &executor};
  aq_diag diag = AQ_DIAG_INIT;
  aq_codeobj code;
  rig r;
  rig_open_with(&r, &aqsim_transport_ops, &options);
  aq_devlib_find("gfx942", &library, NULL);
  ck_assert_status(aq_codeobj_read(library->bytes, library->size, &code, &diag),
                   AQ_OK, &diag);
  const uint64_t module = library_load(&r, "gfx942", AQ_OK);
  aq_ring *queue = rig_queue(&r, 64);
  for (size_t i = 0; i < code.kernel_count; i++) {
    const aq_code_kernel *k = &code.kernels[i];
    aq_kernel_info info, again;
    ck_assert_status(
        r.t->ops->kernel_lookup(r.t, module, k->name, &info, &r.diag), AQ_OK,
        &r.diag);
    ck_assert_status(
        r.t->ops->kernel_lookup(r.t, module, k->symbol, &again, &r.diag), AQ_OK,
        &r.diag);
    ck_assert_uint_eq(again.object, info.object);
    ck_assert_uint_eq(info.kernarg_size, k->kernarg_size);
    ck_assert_uint_eq(info.group_size, k->group_size);
    ck_assert_uint_eq(info.private_size, k->private_size);
    ck_assert_mem_eq((void *)info.object, &k->descriptor, sizeof k->descriptor);
    aq_signal done = rig_signal(&r, 1, 0);
    aq_packet packet = rig_dispatch(info.object, false, done);
    rig_submit(&r, queue, &packet);
    rig_run(&r);
    ck_assert_int_eq(rig_load(&r, done), 0);
    ck_assert_uint_eq(seen.packet->kernel_object, info.object);
    ck_assert_str_eq(seen.gfx, "gfx942");
  }
  aq_codeobj_fini(&code);
  rig_close(&r);
}
END_TEST

START_TEST(code_for_another_device_is_not_loaded)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  library_load(&r, "gfx90a", AQ_ERR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(r.diag.text, "gfx90a"));
  ck_assert_ptr_nonnull(strstr(r.diag.text, "gfx942"));
  rig_close(&r);
}
END_TEST

static void count_call(const aq_kernel_call *call)
{
  ++*(int *)call->user;
}

START_TEST(a_host_function_takes_the_place_of_code)
{
  rig r;
  int calls = 0;
  aq_kernel_info info, again;
  rig_open(&r, &aqsim_transport_ops, NULL);
  const uint64_t module = library_load(&r, "gfx942", AQ_OK);
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, module, "aq_fill", &info, &r.diag), AQ_OK,
      &r.diag);
  const uint64_t given =
      rig_kernel_with(&r, &(aq_kernel_desc){.name = "aq_fill",
                                            .function = count_call,
                                            .user = &calls,
                                            .cost = {.base = AQ_US},
                                            .object = info.object});
  ck_assert_uint_eq(given, info.object);
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, module, "aq_fill", &again, &r.diag), AQ_OK,
      &r.diag);
  ck_assert_uint_eq(again.object, info.object);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(given, false, done);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(calls, 1);
  rig_close(&r);
}
END_TEST

static void variable_count(const aq_kernel_call *call)
{
  uint64_t *seen = call->user, *variable;
  variable = aq_kernel_variable(call, "variable", sizeof *variable);
  if (variable)
    *seen = (*variable)++;
}

START_TEST(a_host_function_finds_the_variables_of_its_module)
{
  rig r;
  uint64_t seen[2] = {0};
  aq_kernel_info info[2];
  rig_open(&r, &aqsim_transport_ops, NULL);
  const object *o = object_make(OBJECT_GFX942);
  aq_ring *queue = rig_queue(&r, 64);
  for (int i = 0; i < 2; i++) {
    uint64_t module;
    ck_assert_status(
        r.t->ops->module_load(r.t, 0, o, sizeof *o, &module, &r.diag), AQ_OK,
        &r.diag);
    ck_assert_status(
        r.t->ops->kernel_lookup(r.t, module, "add", &info[i], &r.diag), AQ_OK,
        &r.diag);
    rig_kernel_with(&r, &(aq_kernel_desc){.name = "add",
                                          .function = variable_count,
                                          .user = &seen[i],
                                          .cost = {.base = AQ_US},
                                          .object = info[i].object});
  }
  /* At first it has the address of its own module's kernel "add". */
  for (uint64_t times = 0; times < 2; times++)
    for (int i = 0; i < 2; i++) {
      aq_signal done = rig_signal(&r, 1, 0);
      aq_packet packet = rig_dispatch(info[i].object, false, done);
      rig_submit(&r, queue, &packet);
      rig_run(&r);
      ck_assert_int_eq(rig_load(&r, done), 0);
      ck_assert_uint_eq(seen[i], info[i].object + times);
    }
  rig_close(&r);
}
END_TEST

START_TEST(an_unloaded_module_has_no_kernels_and_no_memory)
{
  rig r;
  aq_kernel_info info;
  rig_open(&r, &aqsim_transport_ops, NULL);
  const uint64_t module = library_load(&r, "gfx942", AQ_OK);
  const uint64_t other = library_load(&r, "gfx942", AQ_OK);
  ck_assert_uint_ne(module, other);
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, module, "no such", &info, &r.diag),
      AQ_ERR_NOT_FOUND, &r.diag);
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, module, "aq_fill", &info, &r.diag), AQ_OK,
      &r.diag);
  ck_assert_uint_eq(
      aqsim_memory_device(&aqsim_from(r.t)->memory, (void *)info.object), 0);
  r.t->ops->module_unload(r.t, module);
  r.t->ops->module_unload(r.t, module); /* no error */
  ck_assert_uint_eq(
      aqsim_memory_device(&aqsim_from(r.t)->memory, (void *)info.object),
      AQ_DEVICE_HOST);
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, module, "aq_fill", &info, &r.diag),
      AQ_ERR_NOT_FOUND, &r.diag);
  ck_assert_ptr_null(aqsim_kernel_from(&aqsim_from(r.t)->kernels, info.object));
  ck_assert_status(
      r.t->ops->kernel_lookup(r.t, other, "aq_fill", &info, &r.diag), AQ_OK,
      &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/modules",
             the_object_of_a_kernel_is_its_descriptor_in_memory,
             code_for_another_device_is_not_loaded,
             a_host_function_takes_the_place_of_code,
             a_host_function_finds_the_variables_of_its_module,
             an_unloaded_module_has_no_kernels_and_no_memory)
