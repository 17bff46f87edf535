/* SPDX-License-Identifier: MIT */
/* The executable cache, by contexts, queues and the library's users, on every
 * transport: loads and unloads are counted at the transport's table. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "cmdbuf/executables.h"
#include "gpu/devlib/devlib.h"
#include "queue/ground.h"

enum { CONTEXTS = 8 };

static struct {
  const aq_transport_ops *ops; /* that the calls go to */
  aq_transport_ops table;
  unsigned loads, unloads; /* atomic */
} counted;

static aq_status counting_load(aq_transport *t, uint32_t device,
                               const void *image, size_t size, uint64_t *module,
                               aq_diag *diag)
{
  __atomic_add_fetch(&counted.loads, 1, __ATOMIC_RELAXED);
  return counted.ops->module_load(t, device, image, size, module, diag);
}

static void counting_unload(aq_transport *t, uint64_t module)
{
  __atomic_add_fetch(&counted.unloads, 1, __ATOMIC_RELAXED);
  counted.ops->module_unload(t, module);
}

/* As on a GPU, so that builtin kernels are code. */
static void info_without_host_kernels(aq_transport *t, aq_transport_info *out)
{
  counted.ops->info(t, out);
  out->caps &= ~(uint32_t)AQ_CAP_HOST_KERNELS;
}

/* Counts from here on; false: the transport executes no code, and the test is
 * skipped. */
static bool counting_begin(ground *g)
{
  if (!(g->info.caps & AQ_CAP_EXECUTES)) {
    aqtest_leave_out("%s: it executes no code of kernels", g->kind->label);
    return false;
  }
  counted.ops = g->ops;
  counted.table = *g->ops;
  counted.table.module_load = counting_load;
  counted.table.module_unload = counting_unload;
  counted.table.info = info_without_host_kernels;
  counted.loads = counted.unloads = 0;
  g->t->ops = &counted.table;
  return true;
}

static void counting_end(ground *g)
{
  g->t->ops = counted.ops;
}

static void context_make(ground *g, aq_context **out)
{
  const aq_context_options options = {
      .size = sizeof options, .transport = g->t, .way = g->kind->way};
  ck_assert_ok(g, aq_context_create(&options, out, &g->diag));
}

/* 64 bytes are filled on the device, by a program that the device walks. */
static void program_walk(ground *g, aq_context *context)
{
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  aq_queue *queue;
  aq_builtins builtins;
  void *memory;
  unsigned char expected[64];
  memset(expected, 0x5a, sizeof expected);
  ck_assert_ok(g, g->ops->mem_alloc(g->t, 0, AQ_MEMORY_HOST, sizeof expected,
                                    &memory, &g->diag));
  ck_assert_ok(g, aq_builtins_register(g->t, 0, &builtins, &g->diag));
  ck_assert_ok(g, aq_builder_create(NULL, &builder, &g->diag));
  ck_assert_ok(g, aq_builder_fill(builder, aq_ref_slot(0, 0), sizeof expected,
                                  0x5a, 1, &g->diag));
  ck_assert_ok(g, aq_builder_end(builder, &program, &g->diag));
  ck_assert_ok(g, aq_link_create(&program,
                                 &(aq_link_options){.transport = g->t,
                                                    .builtins = &builtins},
                                 &link, &g->diag));
  ck_assert_ok(
      g, aq_queue_create(context,
                         &(aq_queue_options){
                             .size_of = sizeof(aq_queue_options), .size = 64},
                         &queue, &g->diag));
  const aq_binding binding = {memory, sizeof expected};
  ck_assert_ok(g, aq_queue_execute(
                      queue, NULL,
                      &(aq_execution){link, &binding, 1, AQ_EXECUTE_ON_DEVICE},
                      &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_mem_eq(memory, expected, sizeof expected);
  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_builtins_release(g->t, &builtins);
  g->ops->mem_free(g->t, memory);
}

static void contexts_load_the_device_library_once(ground *g)
{
  aq_context *contexts[CONTEXTS];
  const uint32_t devices = g->info.device_count;
  if (!counting_begin(g))
    return;
  for (int i = 0; i < CONTEXTS; i++)
    context_make(g, &contexts[i]);
  ck_assert_uint_eq(counted.loads, devices);
  for (int i = 0; i < CONTEXTS; i++)
    program_walk(g, contexts[i]);
  ck_assert_uint_eq(counted.loads, devices);
  for (int i = 0; i < CONTEXTS; i++) {
    ck_assert_uint_eq(counted.unloads, 0);
    aq_context_destroy(contexts[i]);
  }
  ck_assert_uint_eq(counted.unloads, devices);
  context_make(g, &contexts[0]);
  ck_assert_uint_eq(counted.loads, 2 * devices);
  aq_context_destroy(contexts[0]);
  counting_end(g);
}

static void equal_objects_are_loaded_once_for_each_device(ground *g)
{
  const uint32_t last = g->info.device_count - 1;
  const void *image;
  size_t size;
  uint64_t modules[3];
  aq_kernel_info kernel;
  if (!counting_begin(g))
    return;
  ck_assert_ok(
      g, aq_devlib_image(g->info.devices[0].gfx, &image, &size, &g->diag));
  unsigned char *own = malloc(size);
  ck_assert_ptr_nonnull(own);
  memcpy(own, image, size);
  ck_assert_ok(g,
               aq_executable_take(g->t, 0, image, size, &modules[0], &g->diag));
  ck_assert_ok(g,
               aq_executable_take(g->t, 0, own, size, &modules[1], &g->diag));
  ck_assert_uint_eq(modules[0], modules[1]);
  ck_assert_uint_eq(counted.loads, 1);
  own[size - 1] ^= 1; /* another object, of the same size */
  ck_assert_ok(g,
               aq_executable_take(g->t, 0, own, size, &modules[2], &g->diag));
  ck_assert_uint_ne(modules[0], modules[2]);
  aq_executable_give(g->t, modules[2]);
  ck_assert_uint_eq(counted.unloads, 1);
  aq_executable_give(g->t, modules[0]);
  ck_assert_ok(
      g, g->ops->kernel_lookup(g->t, modules[1], "aq_fill", &kernel, &g->diag));
  ck_assert_ok(
      g, aq_executable_take(g->t, last, image, size, &modules[2], &g->diag));
  ck_assert_uint_eq(counted.loads, last == 0 ? 2 : 3);
  aq_executable_give(g->t, modules[1]);
  aq_executable_give(g->t, modules[2]);
  aq_executable_give(g->t, 0);
  ck_assert_uint_eq(counted.unloads, counted.loads);
  free(own);
  counting_end(g);
}

static void a_failed_load_is_not_kept(ground *g)
{
  static const unsigned char bad[64] = "no code object";
  uint64_t module = 7;
  if (!counting_begin(g))
    return;
  for (unsigned i = 0; i < 2; i++) {
    ck_assert(aq_executable_take(g->t, 0, bad, sizeof bad, &module, &g->diag) !=
              AQ_OK);
    ck_assert_uint_eq(counted.loads, i + 1);
  }
  ck_assert_uint_eq(module, 7);
  ck_assert_uint_eq(counted.unloads, 0);
  counting_end(g);
}

typedef struct taker {
  pthread_t thread;
  ground *g;
  const void *image;
  size_t size;
  aq_status status;
} taker;

static void *takes(void *user)
{
  taker *t = user;
  uint64_t module;
  for (int i = 0; i < 50 && t->status == AQ_OK; i++) {
    t->status =
        aq_executable_take(t->g->t, 0, t->image, t->size, &module, NULL);
    if (t->status == AQ_OK)
      aq_executable_give(t->g->t, module);
  }
  return NULL;
}

static void threads_take_and_give_at_once(ground *g)
{
  enum { THREADS = 8 };
  taker takers[THREADS];
  const void *image;
  size_t size;
  uint64_t module;
  if (!(g->info.caps & AQ_CAP_LIVE)) {
    aqtest_leave_out("%s: one thread drives it", g->kind->label);
    return;
  }
  if (!counting_begin(g))
    return;
  ck_assert_ok(
      g, aq_devlib_image(g->info.devices[0].gfx, &image, &size, &g->diag));
  for (int held = 0; held < 2; held++) {
    if (held)
      ck_assert_ok(g,
                   aq_executable_take(g->t, 0, image, size, &module, &g->diag));
    const unsigned loads = counted.loads;
    for (int i = 0; i < THREADS; i++) {
      takers[i] = (taker){.g = g, .image = image, .size = size};
      ck_assert_int_eq(
          pthread_create(&takers[i].thread, NULL, takes, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
      pthread_join(takers[i].thread, NULL);
      ck_assert_int_eq(takers[i].status, AQ_OK);
    }
    if (held) {
      ck_assert_uint_eq(counted.loads, loads);
      aq_executable_give(g->t, module);
    }
    ck_assert_uint_eq(counted.unloads, counted.loads);
  }
  counting_end(g);
}

static const ground_case cases[] = {
    GROUND_CASE(contexts_load_the_device_library_once),
    GROUND_CASE(equal_objects_are_loaded_once_for_each_device),
    GROUND_CASE(a_failed_load_is_not_kept),
    GROUND_CASE(threads_take_and_give_at_once),
};

int main(void)
{
  return ground_main("queue/executables", cases, sizeof cases / sizeof *cases);
}
