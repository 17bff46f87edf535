/* SPDX-License-Identifier: MIT */
/*
 * Execution of machine code (src/gpu/wave): instructions of waves a second of
 * the processor, waits and nops not counted, with all checks, on one thread.
 * Beside each, in the same run: the lane-operations that its source asks for,
 * and the same loop compiled for the host.
 *
 * Threads: wall time with all processors, beside one.
 *
 * Decoding: the first execution of code that runs through once, an instruction.
 * Empty dispatches: a kernel that is only s_endpgm beside one with a host
 * function, on the simulator, from reservation to completion.
 */
#include "bench/bench_isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend_sim/sim.h"
#include "bench/bench.h"
#include "common/allocations.h"
#include "gpu/codeobj/loader.h"
#include "gpu/wave/jit/jit_builder.h"
#include "gpu/wave/threads/thread_pool.h"

enum {
  ROUNDS = 5,
  DISPATCHES = 100000,
};

static const char gfx[] = "gfx90a";
static aq_code_image image;

static double processor_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(aq_status status, const aq_diag *diag)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_isa: %s\n", diag->text);
  exit(1);
}

static const aq_code_kernel *kernel_find(const char *name)
{
  for (size_t i = 0; i < image.code.kernel_count; i++)
    if (strcmp(image.code.kernels[i].name, name) == 0)
      return &image.code.kernels[i];
  fprintf(stderr, "bench_isa: no kernel %s\n", name);
  exit(1);
}

static void image_load(void)
{
  static unsigned char bytes[1 << 17];
  const char *source = getenv("AQ_SRCDIR");
  char path[1024];
  aq_diag diag = AQ_DIAG_INIT;
  snprintf(path, sizeof path, "%s/tests/bench/isa/kernels.hsaco",
           source ? source : ".");
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  check(aq_code_image_load(bytes, size, &(aq_code_image_options){0}, &image,
                           &diag),
        &diag);
}

/* ---- kernels ---- */

static void execute(isa_case *c)
{
  const aq_executor *executor = aq_wave_machine_executor(c->machine);
  const aq_code_kernel *kernel = kernel_find(c->kernel);
  const void *pointers[3] = {&isa_a, &isa_b, &isa_out};
  if (c->arrays[0])
    memcpy(pointers, c->arrays, sizeof pointers);
  uint8_t kernarg[64] = {0};
  for (unsigned i = 0; i < c->pointers; i++)
    memcpy(kernarg + 8 * i, &pointers[i == c->pointers - 1 ? 2 : i], 8);
  memcpy(kernarg + 8 * (size_t)c->pointers, c->n, sizeof c->n);
  const aq_kernel_packet packet = {
      .setup = 2,
      .workgroup_size = {c->group[0], c->group[1], 1},
      .grid_size = {c->grid[0], c->grid[1], 1},
      .private_segment_size = kernel->private_size,
      .group_segment_size = kernel->group_size,
      .kernel_object = aq_code_image_object(&image, kernel),
      .kernarg_address = (uint64_t)(uintptr_t)kernarg};
  const aq_execution_desc desc = {.packet = &packet,
                                  .kernel = c->kernel,
                                  .gfx = gfx,
                                  .cus = 104,
                                  .wave_size = 64,
                                  .concurrent = c->concurrent};
  aq_diag diag = AQ_DIAG_INIT;
  aq_execution_step step;
  aq_execution_state state;
  void *execution;
  check(executor->begin(executor->user, &desc, &execution, &diag), &diag);
  c->instructions = 0;
  do {
    state = executor->step(execution, 1 << 16, 0, &step);
    c->instructions += step.instructions;
  } while (state == AQ_EXECUTION_MORE);
  executor->end(execution);
  if (state != AQ_EXECUTION_DONE) {
    fprintf(stderr, "bench_isa: %s\n",
            state == AQ_EXECUTION_FAULT ? step.fault.text : "the kernel waits");
    exit(1);
  }
}

/* Seconds for one execution. */
static double device_time(isa_case *c)
{
  const double begin = processor_time();
  execute(c);
  return processor_time() - begin;
}

/* Seconds for an execution, of as many as settle. */
static double device_mean(isa_case *c)
{
  const double least = 0.1, begin = processor_time();
  double seconds = 0;
  int runs = 0;
  for (; seconds < least; runs++) {
    execute(c);
    seconds = processor_time() - begin;
  }
  return seconds / runs;
}

static double instruction_rate(void *context)
{
  isa_case *c = context;
  const double seconds = device_mean(c);
  return (double)c->instructions / seconds * 1e-6;
}

static double device_rate(void *context)
{
  isa_case *c = context;
  return c->operations / device_mean(c) * 1e-9;
}

static double host_rate(void *context)
{
  const isa_case *c = context;
  const double begin = processor_time();
  int runs = 0;
  do {
    c->host(c);
    runs++;
  } while (processor_time() - begin < 0.01);
  return c->operations * runs / (processor_time() - begin) * 1e-9;
}

static double value_of(void *context)
{
  return *(double *)context;
}

static void case_run(isa_case *c)
{
  aq_diag diag = AQ_DIAG_INIT;
  char name[64], unit[64];
  check(aq_wave_machine_create(&c->machine, &diag), &diag);
  isa_inputs_make(c);
  execute(c); /* decodes the code */
  isa_results_compare(c);
  snprintf(unit, sizeof unit, "M wave-instructions/s (%s)",
           aq_wave_level_name(aq_wave_level_count() - 1));
  aqbench_compare(c->name, unit, ROUNDS, NULL, instruction_rate, c);
  snprintf(name, sizeof name, "%s_operations", c->name);
  aqbench_compare(name, c->unit, ROUNDS, host_rate, device_rate, c);
  double memory = (double)aq_wave_machine_code_memory(c->machine) / 1024;
  snprintf(name, sizeof name, "%s_decoded", c->name);
  aqbench_compare(name, "KiB", 1, NULL, value_of, &memory);
  aq_wave_machine_destroy(c->machine);
}

/* ---- compiled ---- */

static void line_tell(const char *line, void *user)
{
  (void)user;
  fprintf(stderr, "bench_isa: %s\n", line);
}

static double interpreted_rate(void *context)
{
  isa_case c = *((isa_case **)context)[0];
  return instruction_rate(&c);
}

static double compiled_rate(void *context)
{
  isa_case c = *((isa_case **)context)[1];
  return instruction_rate(&c);
}

/* The same kernel by compiled code, beside the interpreter. */
static void case_compile(const isa_case *c)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_jit_builder *builder;
  isa_case plain = *c, native = *c;
  isa_case *both[] = {&plain, &native};
  char name[64];
  check(aq_jit_builder_create(AQ_JIT_ALWAYS, line_tell, NULL, &builder, &diag),
        &diag);
  check(aq_wave_machine_create(&plain.machine, &diag), &diag);
  check(aq_wave_machine_create(&native.machine, &diag), &diag);
  check(aq_jit_builder_use(builder, native.machine, &diag), &diag);
  isa_inputs_make(c);
  execute(&plain);
  memset(&isa_out, 0, sizeof isa_out);
  execute(&native); /* compiles the code */
  isa_results_compare(c);
  snprintf(name, sizeof name, "%s_compiled", c->name);
  aqbench_compare(name, "M wave-instructions/s", ROUNDS, interpreted_rate,
                  compiled_rate, both);
  aq_wave_machine_destroy(plain.machine);
  aq_wave_machine_destroy(native.machine);
  aq_jit_builder_destroy(builder);
}

/* ---- bandwidth ---- */

enum { FAR = 64 << 20 /* bytes of an array: no cache has it */ };

static double copy_rate(void *context)
{
  const isa_case *c = context;
  const double begin = processor_time();
  memcpy(c->arrays[2], c->arrays[0], FAR);
  return 2.0 * FAR / (processor_time() - begin) * 1e-9;
}

static void far_compare(const isa_case *c)
{
  const float *a = c->arrays[0], *b = c->arrays[1], *sum = c->arrays[2];
  for (size_t i = 0; i < FAR / sizeof *a; i++)
    if (sum[i] != a[i] + b[i]) {
      fprintf(stderr, "bench_isa: %s: element %zu differs from the host's\n",
              c->name, i);
      exit(1);
    }
}

/* Bytes that compiled code reads and writes, beside copying. */
static void bandwidth_run(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_jit_builder *builder;
  isa_case c = {.name = "isa_vadd_bandwidth",
                .kernel = "vadd",
                .group = {256, 1},
                .grid = {FAR / sizeof(float), 1},
                .pointers = 3,
                .n = {FAR / sizeof(float)},
                .operations = 3.0 * FAR};
  for (int i = 0; i < 3; i++) {
    c.arrays[i] = aligned_alloc(64, FAR);
    if (!c.arrays[i]) {
      fprintf(stderr, "bench_isa: out of memory\n");
      exit(1);
    }
    for (size_t k = 0; k < FAR / sizeof(float); k++)
      ((float *)c.arrays[i])[k] = (float)(k % 1000 + (size_t)i);
  }
  check(aq_jit_builder_create(AQ_JIT_ALWAYS, line_tell, NULL, &builder, &diag),
        &diag);
  check(aq_wave_machine_create(&c.machine, &diag), &diag);
  check(aq_jit_builder_use(builder, c.machine, &diag), &diag);
  execute(&c); /* compiles the code */
  far_compare(&c);
  aqbench_compare(c.name, "GB/s", ROUNDS, copy_rate, device_rate, &c);
  aq_wave_machine_destroy(c.machine);
  aq_jit_builder_destroy(builder);
  for (int i = 0; i < 3; i++)
    free(c.arrays[i]);
}

/* ---- threads ---- */

static double wall_rate(isa_case *c, bool concurrent)
{
  c->concurrent = concurrent;
  const double begin = aqbench_now();
  execute(c);
  return (double)c->instructions / (aqbench_now() - begin) * 1e-6;
}

static double wall_rate_one(void *context)
{
  return wall_rate(context, false);
}

static double wall_rate_all(void *context)
{
  return wall_rate(context, true);
}

static void threads_run(void)
{
  isa_case c = {.name = "isa_hash",
                .kernel = "hash",
                .group = {256, 1},
                .grid = {ISA_ITEMS / 2, 1},
                .pointers = 2,
                .n = {ISA_STEPS}};
  aq_diag diag = AQ_DIAG_INIT;
  char unit[64];
  check(aq_wave_machine_create(&c.machine, &diag), &diag);
  isa_inputs_make(&c);
  snprintf(unit, sizeof unit, "M wave-instructions/s (%u processors)",
           aq_thread_pool_processors());
  wall_rate(&c, true); /* decodes the code */
  aqbench_compare("isa_threads", unit, ROUNDS, wall_rate_one, wall_rate_all,
                  &c);
  aq_wave_machine_destroy(c.machine);
}

/* ---- decoding ---- */

static double decode_time(void *context)
{
  isa_case *c = context;
  aq_diag diag = AQ_DIAG_INIT;
  check(aq_wave_machine_create(&c->machine, &diag), &diag);
  const double first = device_time(c);
  const double second = device_time(c);
  aq_wave_machine_destroy(c->machine);
  return (first - second) / (double)c->instructions * 1e9;
}

/* ---- empty dispatches ---- */

static void nothing(const aq_kernel_call *call)
{
  (void)call;
}

typedef struct dispatch_case {
  const aq_executor *executor;
} dispatch_case;

/* Nanoseconds a dispatch, with a host function or with code. */
static double dispatch_time(const dispatch_case *c, bool code)
{
  const aq_transport_ops *ops = &aqsim_transport_ops;
  const aq_code_kernel *empty = kernel_find("empty");
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport *t;
  aq_ring *queue;
  aq_kernel_info info;
  aq_signal signal;
  const aq_transport_options options = {.size = sizeof options,
                                        .executor = c->executor};
  const aq_kernel_desc desc = {.name = "empty",
                               .function = code ? NULL : nothing,
                               .object = aq_code_image_object(&image, empty),
                               .code = true};
  check(ops->open(&options, &t, &diag), &diag);
  aq_allocations_open(c->executor->allocations, true); /* the code is ours */
  check(ops->queue_create(t, &(aq_queue_desc){.size = 1024}, &queue, &diag),
        &diag);
  check(ops->kernel_register(t, &desc, &info, &diag), &diag);
  check(ops->signal_create(
            t,
            &(aq_signal_desc){.value = INT64_MAX / 2, .flags = AQ_SIGNAL_DRAIN},
            &signal, &diag),
        &diag);
  const uint16_t header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, true,
                                           AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  uint64_t id = 0, done = 0;
  aq_completion completions[64];
  uint32_t count;
  const double begin = processor_time();
  for (long i = 0; i < DISPATCHES; i++) {
    while (!aq_ring_try_reserve(queue, 1, &id))
      check(ops->queue_wait_space(t, queue, 256, AQ_TIME_MAX, &diag), &diag);
    aq_packet *slot = aq_ring_slot(queue, id);
    slot->kernel = (aq_kernel_packet){.workgroup_size = {64, 1, 1},
                                      .grid_size = {64, 1, 1},
                                      .kernel_object = info.object,
                                      .completion_signal = signal};
    aq_packet_publish(slot, header, 1);
    ops->queue_doorbell(t, queue, id);
    while (i % 256 == 0 && (count = ops->drain(t, completions, 64)) > 0)
      done += count;
  }
  check(ops->sleep_until(t, AQ_TIME_MAX, false, &diag), &diag);
  while ((count = ops->drain(t, completions, 64)) > 0)
    done += count;
  const double ns = (processor_time() - begin) / DISPATCHES * 1e9;
  ops->close(t);
  if (done != DISPATCHES) {
    fprintf(stderr, "bench_isa: %lu of %d dispatches completed\n",
            (unsigned long)done, DISPATCHES);
    exit(1);
  }
  return ns;
}

static double dispatch_host(void *context)
{
  return dispatch_time(context, false);
}

static double dispatch_code(void *context)
{
  return dispatch_time(context, true);
}

/* All cases, or the cases whose names begin with the argument. */
int main(int argc, char **argv)
{
  const char *only = argc > 1 ? argv[1] : "";
  if (!aq_wave_machine_executes(gfx)) {
    fprintf(stderr, "bench_isa: no code is executed on this host\n");
    return 0;
  }
  image_load();
  for (isa_case *c = isa_cases; c->name; c++)
    if (strncmp(c->name, only, strlen(only)) == 0) {
      case_run(c);
      case_compile(c);
    }
  if (strncmp("isa_vadd_bandwidth", only, strlen(only)) == 0)
    bandwidth_run();
  if (strncmp("isa_threads", only, strlen(only)) == 0)
    threads_run();
  if (strncmp("isa_decode", only, strlen(only)) == 0) {
    isa_case unrolled = {
        .kernel = "unrolled", .group = {64, 1}, .grid = {64, 1}, .pointers = 2};
    aqbench_compare("isa_decode", "ns/instruction", ROUNDS, NULL, decode_time,
                    &unrolled);
  }
  if (strncmp("isa_empty_dispatch", only, strlen(only)) == 0) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_wave_machine *machine;
    check(aq_wave_machine_create(&machine, &diag), &diag);
    dispatch_case c = {aq_wave_machine_executor(machine)};
    aqbench_compare("isa_empty_dispatch", "ns", ROUNDS, dispatch_host,
                    dispatch_code, &c);
    aq_wave_machine_destroy(machine);
  }
  aq_code_image_unload(&image);
  return 0;
}
