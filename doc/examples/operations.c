/* SPDX-License-Identifier: MIT */
/*
 * The same operations on two transports: each run is stored with one row an
 * operation, and the rows are compared.
 *
 *   cc operations.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 *
 * `hsa` needs an HSA runtime. Without a GPU that is the simulator's own:
 *
 *   AQUEDUCT_LIBHSA_PATH=$(pkg-config --variable=plugindir aqueduct) ./a.out
 *
 * An argument names the store that keeps the runs; without one they are gone
 * at the end.
 */
#include <aqueduct/builder.h>
#include <aqueduct/operations.h>
#include <aqueduct/store.h>
#include <aqueduct/transports.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4096, ROUNDS = 4, ROWS_MAX = 64 };

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "operations: %s\n", diag.text);
  exit(1);
}

/* ---- the kernel: adds 1 to each element ---- */

typedef struct add_args {
  uint64_t *values;
  uint64_t count;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  for (uint64_t i = 0; i < args->count; i++)
    args->values[i]++;
}

/* ---- the program: the kernel, ROUNDS times, on what slot 0 is bound to ----
 */

static void record(aq_builder *builder, uint64_t object, aq_program *out)
{
  const aq_ref values = aq_ref_slot(0, 0);
  const uint64_t count = COUNT;
  uint32_t kernel;
  check(aq_builder_kernel(builder, "add", object, &kernel, &diag));
  for (int i = 0; i < ROUNDS; i++) {
    check(aq_builder_dispatch(builder,
                              &(aq_dispatch){.kernel = kernel,
                                             .grid = {COUNT, 1, 1},
                                             .workgroup = {256, 1, 1},
                                             .bindings = &values,
                                             .binding_count = 1,
                                             .constants = &count,
                                             .constant_size = sizeof count},
                              &diag));
    aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  check(aq_builder_end(builder, out, &diag));
}

/* Memory, a fill, the program, the result out; the host waits for the end. */
static void submit(aq_context *context, aq_queue *queue, const aq_link *link)
{
  static uint64_t result[COUNT];
  aq_semaphore *done;
  void *values;
  check(aq_semaphore_create(context, 0, 0, &done, &diag));
  check(aq_queue_alloca(queue, NULL,
                        &(aq_memory_request){AQ_MEMORY_DEVICE, sizeof result},
                        &values, &diag));
  check(aq_queue_fill(queue, NULL,
                      &(aq_fill){.target = values,
                                 .size = sizeof result,
                                 .pattern = 7,
                                 .pattern_size = 8},
                      &diag));
  check(aq_queue_execute(
      queue, NULL,
      &(aq_execution){link, &(aq_binding){values, sizeof result}, 1}, &diag));
  const aq_point end = {done, 1};
  check(aq_queue_copy(queue, &(aq_sync){.signals = &end, .signal_count = 1},
                      &(aq_copy){.target = result,
                                 .source = values,
                                 .size = sizeof result,
                                 .path = AQ_PATH_HOST},
                      &diag));
  check(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));
  check(aq_queue_dealloca(queue, NULL, values, &diag));
  check(aq_queue_wait_idle(queue, AQ_TIME_MAX, &diag));
  aq_semaphore_release(done);
  for (int i = 0; i < COUNT; i++)
    if (result[i] != 7 + ROUNDS) {
      fprintf(stderr, "operations: element %d is %" PRIu64 "\n", i, result[i]);
      exit(1);
    }
}

/* ---- a run ---- */

/* Everything between an open transport and the rows in `sink`. */
static void perform(aq_transport *t, aq_record_sink *sink)
{
  aq_context *context;
  aq_queue *queue;
  aq_kernel_info kernel;
  aq_builder *builder;
  aq_program program;
  aq_link *link;
  check(aq_context_create(
      &(aq_context_options){
          .size = sizeof(aq_context_options), .transport = t, .records = sink},
      &context, &diag));
  check(aq_queue_create(
      context, &(aq_queue_options){.size_of = sizeof(aq_queue_options)}, &queue,
      &diag));
  check(t->ops->kernel_register(
      t,
      &(aq_kernel_desc){.name = "add",
                        .function = add,
                        .cost = {.kind = AQ_COST_FIXED, .base = 3 * AQ_US},
                        .kernarg_size = sizeof(add_args)},
      &kernel, &diag));
  check(aq_builder_create(NULL, &builder, &diag));
  record(builder, kernel.object, &program);
  check(aq_link_create(&program, &(aq_link_options){.transport = t}, &link,
                       &diag));
  submit(context, queue, link);
  aq_queue_destroy(queue);
  check(aq_context_records_flush(context, &diag));
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_context_destroy(context);
}

/* Stores a run of the transport; its id. */
static int64_t run(aq_store *store, const char *name)
{
  const aq_transport_options options = {
      .size = sizeof options,
      .device = strcmp(name, "sim") == 0 ? "mi300x" : NULL};
  aq_transport_stack *stack;
  aq_transport *t;
  aq_transport_info known;
  aq_run_info info;
  aq_store_writer *writer;
  check(aq_transport_stack_create(name, NULL, &stack, &diag));
  check(aq_transport_stack_open(stack, &options, &t, &diag));
  t->ops->info(t, &known);
  /* A transport that makes no records of its own measures. */
  aq_run_info_init(&info, known.caps & AQ_CAP_RECORDS ? AQ_RUN_SIMULATED
                                                      : AQ_RUN_MEASURED);
  info.source = "operations";
  info.transport = aq_transport_stack_name(stack);
  info.device_model = known.devices[0].model;
  info.model_hash = known.devices[0].model_hash;
  info.model_verdict = known.devices[0].verdict;
  check(aq_store_writer_open(store, &info, &writer, &diag));
  const int64_t id = aq_store_writer_run(writer);
  perform(t, aq_store_writer_sink(writer));
  t->ops->info(t, &known);
  info.reproducible = known.reproducible;
  check(aq_store_writer_finish(writer, &info, &diag));
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return id;
}

/* ---- comparing ---- */

static size_t read_rows(aq_store *store, int64_t id, aq_record rows[ROWS_MAX])
{
  aq_run_reader *reader;
  size_t count;
  check(aq_run_reader_open(store, id, AQ_ORDER_STORED, &reader, &diag));
  check(aq_run_reader_next(reader, rows, NULL, ROWS_MAX, &count, &diag));
  aq_run_reader_close(reader);
  return count;
}

static void print_time(aq_time start, aq_time end)
{
  if (start == AQ_NONE || end == AQ_NONE)
    printf(" %12s", "-");
  else
    printf(" %9.3f us", (double)(end - start) / AQ_US);
}

/* Whether both runs have the same operations with as many packets. */
static int compare(aq_store *store, int64_t sim, int64_t hsa)
{
  static aq_record a[ROWS_MAX], b[ROWS_MAX];
  const size_t count = read_rows(store, sim, a);
  if (read_rows(store, hsa, b) != count) {
    printf("not as many operations\n");
    return 0;
  }
  printf("%-10s %8s %12s %12s\n", "operation", "packets", "sim", "hsa");
  for (size_t i = 0; i < count; i++) {
    if (a[i].kind != AQ_KIND_OPERATION || b[i].kind != AQ_KIND_OPERATION ||
        a[i].operation != b[i].operation || a[i].packets != b[i].packets) {
      printf("row %zu differs\n", i);
      return 0;
    }
    printf("%-10s %8" PRId64, aq_operation_name((aq_operation)a[i].operation),
           a[i].packets);
    print_time(a[i].start, a[i].end);
    print_time(b[i].start, b[i].end);
    printf("\n");
  }
  return count > 0;
}

int main(int argc, char **argv)
{
  aq_store *store;
  check(aq_store_open(argc > 1 ? argv[1] : ":memory:", AQ_STORE_WRITE, &store,
                      &diag));
  const int64_t sim = run(store, "sim");
  const int64_t hsa = run(store, "hsa");
  const int same = compare(store, sim, hsa);
  aq_store_close(store);
  return !same;
}
