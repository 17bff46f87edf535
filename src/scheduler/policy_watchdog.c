/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "scheduler/policy_watchdog.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "common/record.h"

/* A watched policy. */
struct aq_policy {
  const aq_policy_ops *inner;
  aq_policy *policy; /* of the inner table */
  aq_policy_watchdog *watch;
};

aq_policy_watchdog *aq_policy_watchdog_create(size_t count)
{
  aq_policy_watchdog *watch =
      mmap(NULL, count * sizeof *watch, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (watch == MAP_FAILED)
    return NULL;
  for (size_t i = 0; i < count; i++)
    watch[i] = (aq_policy_watchdog){.run = AQ_NONE, .task = UINT64_MAX};
  return watch;
}

void aq_policy_watchdog_destroy(aq_policy_watchdog *watch, size_t count)
{
  if (watch)
    munmap(watch, count * sizeof *watch);
}

const char *aq_policy_watchdog_place(const aq_policy_watchdog *watch)
{
  static const char *const names[] = {
#define H(name) [AQ_POLICY_IN_##name] = #name,
      AQ_POLICY_PLACES(H)
#undef H
  };
  const uint32_t place = __atomic_load_n(&watch->place, __ATOMIC_RELAXED);
  return place < sizeof names / sizeof *names ? names[place] : "?";
}

/* ---- the hooks ---- */

/* A hook without a result. */
#define HOOK(name, parameters, ...)                                            \
  static void watched_##name parameters                                        \
  {                                                                            \
    aq_policy_watchdog_enter(p->watch, AQ_POLICY_IN_##name);                   \
    p->inner->name(p->policy, ##__VA_ARGS__);                                  \
    aq_policy_watchdog_leave(p->watch);                                        \
  }

/* A hook with one. */
#define QUESTION(type, name, parameters, ...)                                  \
  static type watched_##name parameters                                        \
  {                                                                            \
    aq_policy_watchdog_enter(p->watch, AQ_POLICY_IN_##name);                   \
    const type answer = p->inner->name(p->policy, ##__VA_ARGS__);              \
    aq_policy_watchdog_leave(p->watch);                                        \
    return answer;                                                             \
  }

HOOK(start, (aq_policy * p))
QUESTION(aq_admission, admit,
         (aq_policy * p, const aq_policy_job *job, aq_time *again), job, again)
HOOK(ready, (aq_policy * p, aq_policy_job *job), job)
HOOK(part_done,
     (aq_policy * p, aq_policy_job *job, uint32_t queue, uint32_t commands),
     job, queue, commands)
HOOK(done, (aq_policy * p, aq_policy_job *job), job)
HOOK(evicted,
     (aq_policy * p, aq_policy_job *job, uint32_t queue, uint32_t commands),
     job, queue, commands)
HOOK(timer, (aq_policy * p, uint64_t cookie), cookie)
HOOK(attach, (aq_policy * p, aq_policy_device *device), device)
HOOK(map, (aq_policy * p, aq_policy_device *device, aq_mapping *out), device,
     out)
HOOK(preempted,
     (aq_policy * p, aq_policy_device *device, const aq_preempt_result *result),
     device, result)
HOOK(device_timer, (aq_policy * p, aq_policy_device *device, uint64_t cookie),
     device, cookie)
HOOK(charge,
     (aq_policy * p, aq_policy_device *device, uint32_t queue, aq_time amount,
      bool wasted),
     device, queue, amount, wasted)
HOOK(packet_ready, (aq_policy * p, aq_policy_device *device, uint32_t queue),
     device, queue)
QUESTION(uint32_t, pick,
         (aq_policy * p, aq_policy_device *device, uint32_t pipe,
          const aq_device_packet *packets, uint32_t count),
         device, pipe, packets, count)
HOOK(launch,
     (aq_policy * p, aq_policy_device *device, const aq_device_kernel *kernel,
      aq_device_launch *out),
     device, kernel, out)
QUESTION(uint32_t, place,
         (aq_policy * p, aq_policy_device *device,
          const aq_device_kernel *kernel, const aq_device_cu *cus,
          uint32_t count),
         device, kernel, cus, count)
HOOK(workgroup_start,
     (aq_policy * p, aq_policy_device *device, const aq_device_kernel *kernel,
      uint32_t cu),
     device, kernel, cu)
HOOK(workgroup_done,
     (aq_policy * p, aq_policy_device *device, const aq_device_kernel *kernel,
      uint32_t cu),
     device, kernel, cu)
HOOK(complete,
     (aq_policy * p, aq_policy_device *device, const aq_device_kernel *kernel),
     device, kernel)
QUESTION(uint32_t, copy_pick,
         (aq_policy * p, aq_policy_device *device, uint32_t engine,
          const aq_device_packet *copies, uint32_t count),
         device, engine, copies, count)

/* ---- life ---- */

static aq_status watched_open(const aq_policy_open *args, aq_policy **out,
                              aq_diag *diag)
{
  const aq_policy_opening *opening =
      (const aq_policy_opening *)((const char *)args->values -
                                  offsetof(aq_policy_opening, values));
  aq_policy *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->inner = &opening->inner;
  p->watch = opening->watch;
  aq_policy_watchdog_enter(p->watch, AQ_POLICY_IN_open);
  aq_status status = p->inner->open(args, &p->policy, diag);
  aq_policy_watchdog_leave(p->watch);
  if (status == AQ_OK)
    *out = p;
  else
    free(p);
  return status;
}

static void watched_close(aq_policy *p)
{
  aq_policy_watchdog_enter(p->watch, AQ_POLICY_IN_close);
  p->inner->close(p->policy);
  aq_policy_watchdog_leave(p->watch);
  free(p);
}

/* A hook that the policy does not have stays NULL. */
void aq_policy_watchdog_table(aq_policy_ops *ops, aq_policy_opening *opening,
                              aq_policy_watchdog *watch)
{
  opening->inner = *ops;
  opening->watch = watch;
  ops->open = watched_open;
  ops->close = watched_close;
#define WATCH(name)                                                            \
  if (ops->name)                                                               \
  ops->name = watched_##name
  WATCH(start);
  WATCH(admit);
  WATCH(ready);
  WATCH(part_done);
  WATCH(done);
  WATCH(evicted);
  WATCH(timer);
  WATCH(attach);
  WATCH(map);
  WATCH(preempted);
  WATCH(device_timer);
  WATCH(charge);
  WATCH(packet_ready);
  WATCH(pick);
  WATCH(launch);
  WATCH(place);
  WATCH(workgroup_start);
  WATCH(workgroup_done);
  WATCH(complete);
  WATCH(copy_pick);
#undef WATCH
}
