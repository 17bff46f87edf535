/* SPDX-License-Identifier: MIT */
/* Defects of packets, copies and calls of the HSA runtime, one a case, each
 * with a fixed twin: `queues CODE CASE bad|fixed`. Comments "FINDS CASE: KIND"
 * are as in sites.hpp. A case that is not here is a pair of kernels of
 * scopes.cl. `queues CODE nops` prints how many s_nop the code has
 * that wait for several states, `queues CODE nops N` makes the N-th (from 0)
 * one state shorter and runs the kernels of matrices.cl. `waits10`, `waits11`
 * and `waits12` do the same with counters of waits and the kernels of waits.cl.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)                                                               \
  do {                                                                         \
    if ((call) != HSA_STATUS_SUCCESS) {                                        \
      fprintf(stderr, "%s failed\n", #call);                                   \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t device_pool, host_pool;
static hsa_executable_t executable;
static hsa_queue_t *queues[2];

static hsa_status_t agent_see(hsa_agent_t agent, void *data)
{
  hsa_device_type_t type;
  (void)data;
  OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU && !gpu.handle)
    gpu = agent;
  if (type == HSA_DEVICE_TYPE_CPU && !cpu.handle)
    cpu = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool_see(hsa_amd_memory_pool_t pool, void *out)
{
  hsa_amd_segment_t segment;
  bool allowed;
  OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                                  &segment));
  OK(hsa_amd_memory_pool_get_info(
      pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
  hsa_amd_memory_pool_t *at = out;
  if (segment == HSA_AMD_SEGMENT_GLOBAL && allowed && !at->handle)
    *at = pool;
  return HSA_STATUS_SUCCESS;
}

static void *make(size_t size)
{
  void *p;
  OK(hsa_amd_memory_pool_allocate(device_pool, size, 0, &p));
  return p;
}

static void *make_host(size_t size)
{
  void *p;
  OK(hsa_amd_memory_pool_allocate(host_pool, size, 0, &p));
  OK(hsa_amd_agents_allow_access(1, &gpu, NULL, p));
  return p;
}

static hsa_signal_t signal_make(hsa_signal_value_t value)
{
  hsa_signal_t signal;
  OK(hsa_signal_create(value, 0, NULL, &signal));
  return signal;
}

static void signal_await(hsa_signal_t signal)
{
  hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
}

typedef struct launch {
  const char *kernel;
  void *args;
  unsigned items, groups, lds;
  bool barrier, no_lds, unfenced;
  hsa_signal_t done;
} launch;

static void enqueue(hsa_queue_t *queue, const launch *l)
{
  char name[64];
  hsa_executable_symbol_t symbol;
  snprintf(name, sizeof name, "%s.kd", l->kernel);
  OK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
  const uint64_t id = hsa_queue_add_write_index_relaxed(queue, 1);
  hsa_kernel_dispatch_packet_t *p =
      (hsa_kernel_dispatch_packet_t *)queue->base_address + id % queue->size;
  memset((char *)p + 4, 0, sizeof *p - 4);
  p->workgroup_size_x = (uint16_t)(l->items ? l->items : 64);
  p->workgroup_size_y = p->workgroup_size_z = 1;
  p->grid_size_x = p->workgroup_size_x * (l->groups ? l->groups : 1);
  p->grid_size_y = p->grid_size_z = 1;
  OK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
      &p->group_segment_size));
  if (l->no_lds)
    p->group_segment_size /= 2;
  OK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
      &p->private_segment_size));
  OK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &p->kernel_object));
  p->kernarg_address = l->args;
  p->completion_signal = l->done;
  const unsigned scope =
      l->unfenced ? HSA_FENCE_SCOPE_NONE : HSA_FENCE_SCOPE_SYSTEM;
  const unsigned header = HSA_PACKET_TYPE_KERNEL_DISPATCH
                              << HSA_PACKET_HEADER_TYPE |
                          (unsigned)l->barrier << HSA_PACKET_HEADER_BARRIER |
                          scope << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          scope << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n((uint32_t *)p, header | 1u << 16, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)id);
}

static void *arguments(void *a, void *b)
{
  void **args = make_host(64);
  args[0] = a;
  args[1] = b;
  return args;
}

static void *arguments_put(void *a, int v)
{
  void **args = make_host(64);
  args[0] = a;
  memcpy(&args[1], &v, sizeof v);
  return args;
}

/* put on one queue, then twice, and a wait for both. */
static void two_launches(hsa_queue_t *second, bool barrier, bool wait,
                         bool unfenced)
{
  int *a = make(256), *b = make(256);
  const hsa_signal_t first = signal_make(1), done = signal_make(1);
  const launch write = {.kernel = "put",
                        .args = arguments_put(a, 3),
                        .unfenced = unfenced,
                        .done = first},
               read = {.kernel = unfenced ? "thrice" : "twice",
                       .args = arguments(a, b),
                       .barrier = barrier,
                       .unfenced = unfenced,
                       .done = done};
  enqueue(queues[0], &write);
  if (wait)
    signal_await(first);
  enqueue(second, &read);
  signal_await(first);
  signal_await(done);
}

static void no_barrier_bit(bool fixed)
{
  two_launches(queues[0], fixed, false, false);
}

static void other_queue(bool fixed)
{
  two_launches(queues[1], true, fixed, false);
}

static void unfenced(bool fixed)
{
  two_launches(queues[0], true, false, !fixed);
}

static void launch_and_wait(launch l)
{
  l.done = signal_make(1);
  enqueue(queues[0], &l);
  signal_await(l.done);
}

static void launch_of(const char *kernel, void *args, unsigned items,
                      bool no_lds)
{
  launch_and_wait((launch){
      .kernel = kernel, .args = args, .items = items, .no_lds = no_lds});
}

static void arguments_short(bool fixed)
{
  int *a = make(256), *b = make(256);
  void **args = make_host(fixed ? 16 : 8);
  args[0] = a;
  if (fixed)
    args[1] = b;
  launch_of("put", args, 64, 0); // FINDS arguments_short: arguments too short
}

static void odd_arguments(bool fixed)
{
  int *a = make(256);
  char *args = (char *)make_host(64) + (fixed ? 0 : 4);
  const int v = 3;
  memcpy(args, &a, sizeof a);
  memcpy(args + 8, &v, sizeof v);
  launch_of("put", args, 64, 0); // FINDS odd_arguments: misaligned arguments
}

static void too_many_items(bool fixed)
{
  void *args = arguments(make(1024), NULL);
  const unsigned items = fixed ? 64 : 128;
  launch_of("small", args, items, 0); // FINDS too_many_items: launch bounds
}

static void too_many_registers(bool fixed)
{
  void *args = arguments(make(4096), NULL);
  const unsigned items = fixed ? 512 : 1024;
  launch_of("wide", args, items, 0); // FINDS too_many_registers: occupancy zero
}

static void lds_too_small(bool fixed)
{
  void *args = arguments(make(1024), NULL);
  launch_of("box", args, 64, !fixed); // FINDS lds_too_small: LDS too small
}

static void signal_twice(bool fixed)
{
  const hsa_signal_t signal = signal_make(1);
  OK(hsa_signal_destroy(signal));
  if (!fixed)
    (void)hsa_signal_destroy(signal); // FINDS signal_twice: double destroy
}

static void queue_twice(bool fixed)
{
  hsa_queue_t *queue;
  OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX,
                      UINT32_MAX, &queue));
  OK(hsa_queue_destroy(queue));
  if (!fixed)
    (void)hsa_queue_destroy(queue); // FINDS queue_twice: double destroy
}

static void free_twice(bool fixed)
{
  void *a = make(256);
  OK(hsa_amd_memory_pool_free(a));
  if (!fixed)
    (void)hsa_amd_memory_pool_free(a); // FINDS free_twice: double free
}

static void copy(void *to, const void *from, size_t size, hsa_signal_t done)
{
  OK(hsa_amd_memory_async_copy(to, gpu, from, cpu, size, 0, NULL, done));
}

static void copy_too_long(bool fixed)
{
  char *a = make(256), *h = make_host(512);
  const hsa_signal_t done = signal_make(1);
  memset(h, 0, 512);
  const size_t size = fixed ? 256 : 260;
  copy(a, h, size, done); // FINDS copy_too_long: copy out of bounds
  signal_await(done);
}

static void copy_from_freed(bool fixed)
{
  char *a = make(256), *b = make(256), *h = make_host(256);
  const hsa_signal_t done = signal_make(1);
  memset(h, 0, 256);
  OK(hsa_amd_memory_pool_free(b));
  copy(fixed ? a : b, h, 256, done); // FINDS copy_from_freed: copy after free
  signal_await(done);
}

static void no_signal(bool fixed)
{
  const hsa_signal_t signal = signal_make(1);
  const hsa_signal_t wrong = {signal.handle + 64};
  if (!fixed)
    (void)hsa_signal_destroy(wrong); // FINDS no_signal: invalid destroy
  OK(hsa_signal_destroy(signal));
}

static void host_too_early(bool fixed)
{
  int *a = make(256), *b = make(256), h[64];
  const hsa_signal_t done = signal_make(1);
  const launch l = {.kernel = "put", .args = arguments_put(a, 3), .done = done};
  (void)b;
  enqueue(queues[0], &l);
  if (fixed)
    signal_await(done);
  OK(hsa_memory_copy(h, a, sizeof h));
  signal_await(done);
}

/* For gfx942 alone: its predecessors need no wait states there. */
static void scalar_to_vector(bool fixed)
{
  launch_of(fixed ? "scalar_fixed" : "scalar_bad", arguments(make(1024), NULL),
            64, 0);
}

/* A kernel of scopes.cl. */
static void twin_run(const char *name, bool fixed)
{
  char kernel[64];
  void *zeros = make_host(1024), *a = make(1024), *b = make(1024);
  const hsa_signal_t done = signal_make(2);
  memset(zeros, 0, 1024);
  copy(a, zeros, 1024, done);
  copy(b, zeros, 1024, done);
  signal_await(done);
  void **args = arguments(a, b);
  args[2] = make(1024);
  snprintf(kernel, sizeof kernel, "%.50s_%s", name, fixed ? "fixed" : "bad");
  launch_and_wait(
      (launch){.kernel = kernel, .args = args, .items = 128, .groups = 2});
}

static void wide_store(bool fixed)
{
  launch_of(fixed ? "wide_fixed" : "wide_bad", arguments(make(1024), NULL), 64,
            0);
}

static void matrices(void)
{
  static const char *const names[] = {"small_products", "middle_products",
                                      "large_products", "double_products"};
  void *a = make(4096), *b = make(4096);
  const hsa_signal_t done = signal_make(1);
  void *zeros = make_host(4096);
  memset(zeros, 0, 4096);
  copy(b, zeros, 4096, done);
  signal_await(done);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    launch_of(names[i], arguments(a, b), 64, false);
}

/* How many there are; the chosen one is made shorter. */
static int nops_weaken(uint32_t *words, size_t count, int chosen)
{
  const uint32_t nop = 0xbf800000;
  int found = 0;
  for (size_t i = 0; i < count; i++)
    if (words[i] > nop && words[i] <= nop + 15 && found++ == chosen)
      words[i]--;
  return found;
}

/* The kernels of waits.cl. */
static void waits(void)
{
  static const char *const names[] = {"mix", "parts", "counts"};
  void *a = make(1024), *b = make(1024), *zeros = make_host(1024);
  const hsa_signal_t done = signal_make(2);
  memset(zeros, 0, 1024);
  copy(a, zeros, 1024, done);
  copy(b, zeros, 1024, done);
  signal_await(done);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    launch_of(names[i], arguments(a, b), 64, false);
}

/* Counters in the waits of gfx10, gfx11 and gfx12: of which instruction, and a
 * mask of its bits. */
static const struct {
  int generation;
  uint32_t word, counter;
  bool loads; /* from memory */
} counters[] = {
    {10, 0xbf8c, 0xc00f, true},  {10, 0xbf8c, 0x3f00, false},
    {11, 0xbf89, 0xfc00, true},  {11, 0xbf89, 0x03f0, false},
    {12, 0xbfc0, 0x003f, true},  {12, 0xbfc6, 0x003f, false},
    {12, 0xbfc7, 0x003f, false}, {12, 0xbfc8, 0x3f00, true},
    {12, 0xbfc8, 0x003f, false}, {12, 0xbfc9, 0x003f, false},
};

static bool is_barrier(uint32_t word)
{
  return word == 0xbf8a0000 /* gfx10 */ || word == 0xbfbd0000 /* gfx11 */ ||
         word == 0xbe804ec1 /* s_barrier_signal -1 */;
}

/* The counter plus one; its bits may be in two places. */
static uint32_t counter_raise(uint32_t word, uint32_t mask)
{
  const uint32_t filled = (word | ~mask) + 1;
  return (word & ~mask) | (filled & mask);
}

/* How many counters of waits there are; the chosen one is larger by one.
 * Waiting for loads before a barrier is redundant: they are waited for behind
 * it. */
static int waits_weaken(uint32_t *words, size_t count, int generation,
                        int chosen)
{
  int found = 0;
  for (size_t i = 0; i + 1 < count; i++)
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++) {
      const uint32_t mask = counters[k].counter;
      if (counters[k].generation == generation &&
          words[i] >> 16 == counters[k].word && (words[i] & mask) != mask &&
          !(counters[k].loads && is_barrier(words[i + 1])) && found++ == chosen)
        words[i] = counter_raise(words[i], mask);
    }
  return found;
}

static const struct {
  const char *name;
  void (*run)(bool fixed);
} cases[] = {
    {"no_barrier_bit", no_barrier_bit},
    {"other_queue", other_queue},
    {"unfenced", unfenced},
    {"arguments_short", arguments_short},
    {"odd_arguments", odd_arguments},
    {"too_many_items", too_many_items},
    {"too_many_registers", too_many_registers},
    {"lds_too_small", lds_too_small},
    {"signal_twice", signal_twice},
    {"queue_twice", queue_twice},
    {"free_twice", free_twice},
    {"copy_too_long", copy_too_long},
    {"copy_from_freed", copy_from_freed},
    {"no_signal", no_signal},
    {"host_too_early", host_too_early},
    {"scalar_to_vector", scalar_to_vector},
    {"wide_store", wide_store},
};

/* The file's code, and how many ways there are to weaken it: s_nop, or counters
 * of a generation's waits. */
static int open_all(const char *path, int generation, int weaken)
{
  FILE *in = fopen(path, "rb");
  static uint32_t bytes[1 << 18];
  hsa_code_object_reader_t reader;
  if (!in)
    exit(2);
  const size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  const int ways = generation
                       ? waits_weaken(bytes, size / 4, generation, weaken)
                       : nops_weaken(bytes, size / 4, weaken);
  OK(hsa_init());
  OK(hsa_iterate_agents(agent_see, NULL));
  OK(hsa_amd_agent_iterate_memory_pools(gpu, pool_see, &device_pool));
  OK(hsa_amd_agent_iterate_memory_pools(cpu, pool_see, &host_pool));
  OK(hsa_code_object_reader_create_from_memory(bytes, size, &reader));
  OK(hsa_executable_create_alt(HSA_PROFILE_FULL,
                               HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                               &executable));
  OK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL,
                                           NULL));
  OK(hsa_executable_freeze(executable, NULL));
  for (int i = 0; i < 2; i++)
    OK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX,
                        UINT32_MAX, &queues[i]));
  return ways;
}

int main(int argc, char **argv)
{
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; argc == 1 && i < count; i++)
    printf("%s\n", cases[i].name);
  if (argc < 3 || argc > 4)
    return argc == 1 ? 0 : 2;
  const int generation =
      strncmp(argv[2], "waits", 5) == 0 ? atoi(argv[2] + 5) : 0;
  const bool weaker = generation || strcmp(argv[2], "nops") == 0;
  const int ways =
      open_all(argv[1], generation, weaker && argc == 4 ? atoi(argv[3]) : -1);
  if (weaker && argc == 3)
    printf("%d\n", ways);
  else if (generation)
    waits();
  else if (weaker)
    matrices();
  if (weaker || argc == 3)
    return 0;
  const bool fixed = strcmp(argv[3], "fixed") == 0;
  size_t at = 0;
  while (at < count && strcmp(argv[2], cases[at].name) != 0)
    at++;
  if (at < count)
    cases[at].run(fixed);
  else
    twin_run(argv[2], fixed);
  printf("done\n");
  return 0;
}
