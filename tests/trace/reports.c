/* SPDX-License-Identifier: MIT */
/* Programs of the shapes that public bug reports of HSA runtimes describe, for
 * reports.py: `reports SHAPE` under exec returns 0 where all is right. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef struct {
  uint64_t handle;
} handle;
typedef struct {
  uint32_t type, features;
  uint64_t *base;
  handle doorbell;
} queue;
int hsa_init(void), hsa_shut_down(void);
int hsa_iterate_agents(int (*each)(handle, void *), void *);
int hsa_agent_get_info(handle, int, void *);
int hsa_queue_create(handle, uint32_t, uint32_t, void *, void *, uint32_t,
                     uint32_t, queue **);
int hsa_queue_destroy(queue *);
uint64_t hsa_queue_load_read_index_scacquire(const queue *);
void hsa_queue_store_write_index_relaxed(queue *, uint64_t);
int hsa_signal_create(int64_t, uint32_t, void *, handle *);
int64_t hsa_signal_load_scacquire(handle);
int64_t hsa_signal_cas_scacq_screl(handle, int64_t, int64_t);
void hsa_signal_store_screlease(handle, int64_t);
int64_t hsa_signal_wait_scacquire(handle, int, int64_t, uint64_t, int);
uint32_t hsa_amd_signal_wait_any(uint32_t, handle *, int *, int64_t *, uint64_t,
                                 int, int64_t *);

enum { LESS = 2, BLOCKED = 0, SHORT = 100000000 };
#define LONG                                                                   \
  20000000000ull /* in units of the clock, more than any test takes */

static handle gpu;

static int find(handle agent, void *user)
{
  int kind = 0;
  (void)user;
  hsa_agent_get_info(agent, 17, &kind);
  gpu = kind == 1 ? agent : gpu;
  return 0;
}

static queue *queue_make(void)
{
  queue *q = NULL;
  hsa_queue_create(gpu, 64, 1, NULL, NULL, 0, 0, &q);
  return q;
}

/* A barrier packet without its header. */
static handle packet_put(queue *q, uint64_t index)
{
  handle done;
  hsa_signal_create(1, 0, NULL, &done);
  memset((char *)(q->base + 8 * index) + 4, 0, 60);
  q->base[8 * index + 7] = done.handle;
  hsa_queue_store_write_index_relaxed(q, index + 1);
  return done;
}

static void publish(queue *q, uint64_t index)
{
  __atomic_store_n((uint32_t *)(q->base + 8 * index), 3, __ATOMIC_RELEASE);
}

static int is_done(handle signal, uint64_t patience)
{
  return hsa_signal_wait_scacquire(signal, LESS, 1, patience, BLOCKED) < 1;
}

/* A doorbell of a queue that is gone announces nothing on the next queue, and
 * the first packet of each executes: ROCm/rocm-systems #8818. */
static int recycled(void)
{
  for (int i = 0; i < 100; i++) {
    queue *q = queue_make();
    const handle done = packet_put(q, 0);
    publish(q, 0);
    if (i % 50 == 49 && is_done(done, SHORT))
      return 1;
    hsa_signal_store_screlease(q->doorbell, 0);
    if (!is_done(done, LONG))
      return 2;
    hsa_queue_destroy(q);
  }
  return 0;
}

/* Handles of 0 in a wait are passed over: ROCm/ROCR-Runtime #296. */
static int no_handle(void)
{
  handle signals[2] = {{0}, {0}};
  int conditions[2] = {LESS, LESS};
  int64_t values[2] = {1, 1}, found = -1;
  hsa_signal_create(1, 0, NULL, &signals[1]);
  if (hsa_amd_signal_wait_any(2, signals, conditions, values, SHORT, BLOCKED,
                              &found) != UINT32_MAX)
    return 1;
  hsa_signal_store_screlease(signals[1], 0);
  return hsa_amd_signal_wait_any(2, signals, conditions, values, LONG, BLOCKED,
                                 &found) == 1
             ? 0
             : 2;
}

/* The read index follows completed packets: ROCm/ROCR-Runtime #105. */
static int read_index(void)
{
  queue *q = queue_make();
  handle last = {0};
  for (uint64_t i = 0; i < 3; i++) {
    last = packet_put(q, i);
    publish(q, i);
  }
  if (hsa_queue_load_read_index_scacquire(q) != 0)
    return 1;
  hsa_signal_store_screlease(q->doorbell, 2);
  if (!is_done(last, LONG))
    return 2;
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < 10000; i++) {
    const uint64_t at = hsa_queue_load_read_index_scacquire(q);
    if (at == 3)
      return 0;
    if (at > 3)
      return 3;
    nanosleep(&pause, NULL);
  }
  return 4;
}

/* A doorbell of a later slot, the earlier one still invalid: nothing executes
 * until that is published, and then both do: ROCm/rocm-systems #10377. */
static int late_header(void)
{
  queue *q = queue_make();
  const handle first = packet_put(q, 0), second = packet_put(q, 1);
  publish(q, 1);
  hsa_signal_store_screlease(q->doorbell, 1);
  if (is_done(second, SHORT) || is_done(first, 0))
    return 1;
  publish(q, 0);
  return is_done(first, LONG) && is_done(second, LONG) ? 0 : 2;
}

/* A failed compare-and-swap changes nothing: ROCm/ROCR-Runtime #317. */
static int failed_swap(void)
{
  handle signal;
  hsa_signal_create(5, 0, NULL, &signal);
  if (hsa_signal_cas_scacq_screl(signal, 4, 0) != 5)
    return 1;
  return hsa_signal_load_scacquire(signal) == 5 && !is_done(signal, SHORT) ? 0
                                                                           : 2;
}

static void *waiter(void *user)
{
  int conditions[2] = {LESS, LESS};
  int64_t values[2] = {1, 1}, found;
  const uint32_t which = hsa_amd_signal_wait_any(2, user, conditions, values,
                                                 LONG, BLOCKED, &found);
  return (void *)(uintptr_t)(which == 1 ? 0 : 1);
}

/* A packet completes a signal that four threads wait for among others:
 * ROCm/ROCR-Runtime #96. */
static int wait_any(void)
{
  queue *q = queue_make();
  handle signals[2];
  pthread_t threads[4];
  int failed = 0;
  hsa_signal_create(1, 0, NULL, &signals[0]);
  signals[1] = packet_put(q, 0);
  publish(q, 0);
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, waiter, signals);
  hsa_signal_store_screlease(q->doorbell, 0);
  for (int i = 0; i < 4; i++) {
    void *result;
    pthread_join(threads[i], &result);
    failed |= result != NULL;
  }
  return failed;
}

/* A packet with a completion signal and without a doorbell:
 * ROCm/rocm-systems #6052. */
static int no_doorbell(void)
{
  queue *q = queue_make();
  const handle done = packet_put(q, 0);
  publish(q, 0);
  return is_done(done, UINT64_MAX);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(void);
  } shapes[] = {{"recycled", recycled},       {"no_handle", no_handle},
                {"read_index", read_index},   {"late_header", late_header},
                {"failed_swap", failed_swap}, {"wait_any", wait_any},
                {"no_doorbell", no_doorbell}};
  if (hsa_init() || hsa_iterate_agents(find, NULL))
    return 10;
  for (size_t i = 0; argc > 1 && i < sizeof shapes / sizeof *shapes; i++)
    if (strcmp(argv[1], shapes[i].name) == 0)
      return shapes[i].run();
  return 11;
}
