/* SPDX-License-Identifier: MIT */
/*
 * The life of the runtime: its agents, opening and closing, forks.
 *
 * States of the process, all under process.lock:
 *
 *   state     references  closing  the runtime     left by
 *   closed    0           no       none            hsa_init
 *   opening   0           no       being made      the same call, with the lock
 *   open      1 and more  no       there           the last hsa_shut_down
 *   closing   0           yes      there, then     the same call, with the lock
 *                                  withdrawn       released twice
 *
 * Opening holds the lock from the first to the last step, so a second hsa_init
 * waits; tools are loaded behind it, without the lock, since they call HSA. A
 * step that fails closes those before it, and the process is as it was, but
 * for `recording`, which lasts from the first hsa_init to the end.
 *
 * Closing releases the lock while tools are unloaded, since they call HSA with
 * the runtime that is still there, and while the runtime goes, since a callback
 * that runs may come here, too. That finds nothing initialized in
 * hsa_shut_down, and waits in hsa_init, which gives up after five seconds:
 * closing may wait for that very callback.
 *
 * Order of closing (runtime_close): the pointer is withdrawn; doorbells' watch;
 * queues, each waiting up to a second for its error callback; waits leave the
 * transport, and are out of the runtime when nothing holds it; the transport,
 * whose handlers get a second, whose device thread ends; then everything that
 * its threads could have used, and last the machine and the checker, from which
 * the rest withdraws memory. A callback that does not return in its second is
 * left to itself: it has its arguments, and its thread frees its own state.
 *
 * Users of the runtime:
 *
 *   a call of HSA     by the pointer, without a reference; the program must not
 *                     make it while another thread closes (the rule of HSA)
 *   a wait            by a hold, since a callback may close while the main
 *                     thread waits: aqdrop_runtime_hold, counted in runtime.c
 *   a callback        as a call; it may close. An error or event of a queue has
 *                     the runtime from its queue, since the pointer may be
 *                     withdrawn already
 *   a host function   as a call, but it cannot close: it runs on the thread
 *                     whose end closing would wait for
 *   exit              by a hold: process_end stores counts and findings, and
 *                     frees nothing, since other threads run on
 *
 * Memory order: the pointer is published with release and read with acquire, so
 * a thread that has it sees the runtime whole. A hold and the withdrawal are
 * sequentially consistent with each other (runtime.c).
 *
 * Locks, outermost first: process.lock, runtime->cooperative, runtime->lock or
 * the memory table's, then the simulator's, the checker's, the allocations'.
 * runtime->lock and the memory table's are never held together. `batches` and
 * the recording's are leaves. No function of the client runs under any of them.
 *
 * Forks. A child has none of the threads: there the runtime was never opened
 * (child_begin). The pointer and the holds are forgotten, process.lock is made
 * anew, the spool is the parent's, and the parent's runtime is leaked memory.
 */
#include "config.h"

#include "dropin/hsa/base/runtime.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "backend_sim/sim.h"
#include "common/allocations.h"
#include "common/visible_devices.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/doorbells.h"
#include "dropin/hsa/base/events.h"
#include "dropin/hsa/base/exec_options.h"
#include "dropin/hsa/base/executables.h"
#include "dropin/hsa/base/ext_images.h"
#include "dropin/hsa/base/fidelity.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/process_end.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/queues.h"
#include "dropin/hsa/base/signals.h"
#include "dropin/hsa/base/vmem.h"
#include "dropin/hsa/code/program_device.h"
#include "dropin/hsa/copy/copies.h"
#include "dropin/hsa/instrument/duration_model.h"
#include "dropin/hsa/instrument/tools.h"
#include "dropin/hsa/memory/locked_memory.h"
#include "dropin/hsa/record/extract.h"
#include "gpu/codeobj/target.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/jit/jit_builder.h"

/* The HSA interface's state of the process. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t closed;       /* `closing` became false */
  uint32_t references;         /* under the lock */
  bool closing;                /* under the lock: without it held */
  aqdrop_recording *recording; /* from the first hsa_init on, or NULL */
  bool watched;                /* forks and the end are */
  pid_t open;                  /* atomic: the process; 0: it has ended */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER,
             .closed = PTHREAD_COND_INITIALIZER};

/* ---- agents ---- */

static void pool_add(aqdrop_agent *agent, uint32_t segment, uint32_t flags,
                     uint64_t size)
{
  agent->pools[agent->pool_count++] = (aqdrop_pool){
      .agent = agent, .segment = segment, .flags = flags, .size = size};
}

static void host_init(aqdrop_agent *agent)
{
  uint64_t size =
      (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  *agent = (aqdrop_agent){.ordinal = AQ_DEVICE_HOST};
  pool_add(agent, HSA_REGION_SEGMENT_GLOBAL,
           HSA_REGION_GLOBAL_FLAG_FINE_GRAINED, size);
  pool_add(agent, HSA_REGION_SEGMENT_GLOBAL,
           HSA_REGION_GLOBAL_FLAG_FINE_GRAINED | HSA_REGION_GLOBAL_FLAG_KERNARG,
           size);
  pool_add(agent, HSA_REGION_SEGMENT_GLOBAL,
           HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED, size);
}

static void cache_add(aqdrop_agent *agent, uint8_t level, uint32_t kib)
{
  if (kib > 0)
    agent->caches[agent->cache_count++] = (aqdrop_cache){level, kib * 1024};
}

static void isa_put(aqdrop_isa *isa, const char *target)
{
  snprintf(isa->name, sizeof isa->name, "amdgcn-amd-amdhsa--%s", target);
}

/* The generic target that covers a device's, set as the device is where it has
 * the settings at all: gfx9-generic has no SRAM ECC, though gfx906 does. */
static bool generic_target(const aq_target *device, aq_target *out)
{
  const char *name = device->processor->generic;
  if (!name[0] || aq_target_parse(name, strlen(name), out, NULL) != AQ_OK)
    return false;
  if (out->processor->xnack)
    out->xnack = device->xnack;
  if (out->processor->sramecc)
    out->sramecc = device->sramecc;
  return true;
}

/* An instruction set that is not known has no settings. */
static void isa_names(aqdrop_agent *agent, const char *gfx, bool xnack)
{
  char text[AQ_TARGET_TEXT_SIZE];
  aq_target target, generic;
  if (aq_target_of_device(gfx, xnack, &target, NULL) != AQ_OK) {
    isa_put(&agent->isa, gfx);
    return;
  }
  aq_target_print(&target, text);
  isa_put(&agent->isa, text);
  if (generic_target(&target, &generic)) {
    aq_target_print(&generic, text);
    isa_put(&agent->generic_isa, text);
  }
}

static void device_init(aqdrop *runtime, aqdrop_agent *agent, uint32_t ordinal)
{
  const aqsim_model *model = runtime->models.models[ordinal];
  const aq_device_info *info = &runtime->info.devices[ordinal];
  const aqdrop_identity *persona = aqdrop_identity_find(info->name, info->gfx);
  *agent = (aqdrop_agent){.node = ordinal + 1,
                          .host = &runtime->agents[0],
                          .ordinal = ordinal,
                          .info = info,
                          .model = model,
                          .scratch_limit = (uint64_t)model->xccs << 30,
                          .persona = persona};
  uint64_t size = persona->memory_gib << 30;
  pool_add(agent, HSA_REGION_SEGMENT_GLOBAL,
           HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED, size);
  pool_add(agent, HSA_REGION_SEGMENT_GLOBAL,
           HSA_REGION_GLOBAL_FLAG_FINE_GRAINED, size);
  pool_add(agent, HSA_REGION_SEGMENT_GROUP, 0,
           (uint64_t)model->lds_per_workgroup);
  cache_add(agent, 1, persona->l1_kib);
  cache_add(agent, 2, persona->l2_kib);
  cache_add(agent, 3, persona->l3_kib);
  agent->flush = agent->registers;
  agent->isa.agent = agent;
  agent->generic_isa.agent = agent;
  isa_names(agent, info->gfx, runtime->xnack);
}

/* ---- life ---- */

/* The counts of --profile-isa. */
static void profile_put(const aqdrop *runtime)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_sink *sink = aqdrop_recording_results_sink(runtime->recording);
  if (sink && runtime->machine &&
      (aq_wave_machine_profile_put(runtime->machine, sink, &diag) != AQ_OK ||
       aq_wave_machine_steps_put(runtime->machine, sink, &diag) != AQ_OK))
    fprintf(stderr, "aqueduct: profile not stored: %s\n", diag.text);
  aqdrop_duration_model_put(runtime);
}

static void runtime_close(aqdrop *runtime)
{
  aqdrop_doorbells_unwatch(runtime);
  aqdrop_queues_fini(runtime);
  aqdrop_recording_attach(runtime->recording, NULL);
  aqdrop_hooks_end(runtime->hooks, runtime->transport);
  if (runtime->transport) {
    aqsim_live_leave(runtime->transport);
    while (aqdrop_runtime_is_held())
      sched_yield();
    runtime->transport->ops->close(runtime->transport);
  }
  runtime->transport = NULL;
  aqdrop_batches_fini(runtime);
  profile_put(runtime);
  aqdrop_check_put(runtime);
  aqdrop_hooks_destroy(runtime->hooks);
  aqdrop_executables_fini(runtime);
  aqdrop_codes_fini(runtime);
  aqdrop_readers_fini(runtime);
  aqdrop_exts_fini(runtime);
  aqdrop_kernels_close(&runtime->kernels);
  aqdrop_doorbells_fini(runtime);
  aqdrop_signals_fini(runtime);
  aqdrop_locked_fini(runtime);
  if (runtime->vmem)
    aqdrop_vmem_destroy(runtime);
  if (runtime->memory)
    aqdrop_memory_destroy(runtime->memory);
  aqdrop_protected_close(runtime);
  aqsim_device_set_fini(&runtime->models);
  aq_wave_machine_destroy(runtime->machine); /* the others withdrew from it */
  aq_jit_builder_destroy(runtime->builder);
  aqdrop_duration_model_fini(runtime);
  aqdrop_check_close(runtime);
  pthread_mutex_destroy(&runtime->lock);
  pthread_mutex_destroy(&runtime->cooperative);
  pthread_mutex_destroy(&runtime->batches);
  free(runtime->agents);
  free(runtime);
}

/* AMD's runtime, or the HSA Foundation's specification where they differ. */
static aq_status semantics_read(aq_semantics *out, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_SEMANTICS");
  const bool foundation = text && strcmp(text, "foundation") == 0;
  *out = foundation ? AQ_SEMANTICS_FOUNDATION : AQ_SEMANTICS_ROCR;
  if (text && *text && !foundation && strcmp(text, "rocr") != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "AQUEDUCT_SEMANTICS=%s; expected rocr or foundation",
                       text);
  return AQ_OK;
}

static aq_status transport_open(aqdrop *runtime, const char *const *edits,
                                aq_diag *diag)
{
  const char *device = secure_getenv("AQUEDUCT_DEVICE");
  const char *polls = secure_getenv("AQUEDUCT_POLL_QUEUES");
  const aq_executor *executor;
  aq_semantics semantics;
  aq_status status = semantics_read(&semantics, diag);
  if (status == AQ_OK)
    status = aqdrop_hooks_executor(runtime->hooks,
                                   aq_wave_machine_executor(runtime->machine),
                                   &executor, diag);
  if (status != AQ_OK)
    return status;
  if (!device || !*device)
    device = aqdrop_own_device(edits);
  if (!device)
    device = aqdrop_default_device();
  aq_transport_options options = {
      .size = sizeof options,
      .device = device,
      .edits = edits,
      .mode = AQ_MODE_LIVE,
      .semantics = semantics,
      .records = aqdrop_recording_sink(runtime->recording),
      .epoch = aqdrop_recording_epoch(runtime->recording),
      .hooks = aqdrop_hooks_table(runtime->hooks),
      .executor = executor,
      .order = runtime->check ? aq_check_hooks(runtime->check) : NULL,
      .event = aqdrop_event_notify,
      .event_user = runtime};
  status = aqsim_transport_ops.open(&options, &runtime->transport, diag);
  if (status != AQ_OK)
    return status;
  if (polls && *polls)
    aqsim_queues_poll(runtime->transport);
  runtime->transport->ops->info(runtime->transport, &runtime->info);
  const aq_device_info *first = &runtime->info.devices[0];
  if (first->model && first->gfx)
    aqdrop_device_known(first->model, first->gfx);
  aqdrop_recording_attach(runtime->recording, runtime->transport);
  aqdrop_hooks_attach(runtime->hooks, runtime->transport);
  return aqsim_device_set_load(device, edits, &runtime->models, diag);
}

/* The host, and the devices that the environment shows. */
static aq_status agents_make(aqdrop *runtime, aq_diag *diag)
{
  uint32_t visible[AQSIM_DEVICES_MAX];
  uint32_t count = aq_visible_devices(secure_getenv("ROCR_VISIBLE_DEVICES"),
                                      runtime->info.devices,
                                      runtime->info.device_count, visible);
  if (count >= AQDROP_AGENTS_MAX)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "%u devices; expected at most %d, see "
                       "ROCR_VISIBLE_DEVICES",
                       count, AQDROP_AGENTS_MAX - 1);
  runtime->agents = calloc(count + 1, sizeof *runtime->agents);
  if (!runtime->agents)
    return aq_diag_no_memory(diag);
  runtime->agent_count = count + 1;
  host_init(&runtime->agents[0]);
  for (uint32_t i = 0; i < count; i++)
    device_init(runtime, &runtime->agents[i + 1], visible[i]);
  return AQ_OK;
}

/* As ROCr reads it: devices retry page faults, so that they reach whatever the
 * process has mapped. Off, as drivers have it. */
static void xnack_read(aqdrop *runtime)
{
  const char *text = secure_getenv("HSA_XNACK");
  runtime->xnack = text && strcmp(text, "1") == 0;
  aq_allocations_open(runtime->allocations, runtime->xnack);
}

static int64_t clock_of(uint32_t device, void *user)
{
  const aqdrop *runtime = user;
  return runtime->models.models[device]->clock;
}

/* The executable traces of exec's --profile. */
static aq_status traces_open(aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_EXECUTABLE_TRACES");
  const aq_wave_clocks clocks = {clock_of, runtime};
  aq_wave_trace_options options = {.to = stderr};
  if (!text || !*text)
    return AQ_OK;
  aq_status status = aq_wave_trace_read(text, &options, diag);
  return status == AQ_OK
             ? aq_wave_machine_steps(runtime->machine, &options, &clocks, diag)
             : status;
}

/* What --compile, --profile-isa, --trace-isa and --timeout of exec ask for. */
static aq_status machine_open(aqdrop *runtime, aq_diag *diag)
{
  aq_status status = aq_wave_machine_create(&runtime->machine, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_compile(runtime->machine, &runtime->builder, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_report_at(runtime->machine, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_fidelity_begin(runtime);
  status = aqdrop_extract_begin(runtime, diag);
  if (status == AQ_OK)
    status = aqdrop_check_open(runtime, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_profile(runtime->machine, diag);
  if (status == AQ_OK)
    status = traces_open(runtime, diag);
  return status == AQ_OK ? aqdrop_exec_trace(runtime->machine, diag) : status;
}

static aq_status runtime_open(aqdrop *runtime, aq_diag *diag)
{
  aqdrop_edits edits = {NULL, NULL};
  runtime->memory = aqdrop_memory_create();
  runtime->vmem = aqdrop_vmem_create();
  if (!runtime->memory || !runtime->vmem)
    return aq_diag_no_memory(diag);
  aq_status status = aqdrop_hooks_create(&runtime->hooks, diag);
  if (status == AQ_OK)
    status = machine_open(runtime, diag);
  if (status == AQ_OK)
    runtime->allocations =
        aq_wave_machine_executor(runtime->machine)->allocations;
  if (status == AQ_OK)
    status = aqdrop_protected_open(runtime, diag);
  if (status == AQ_OK)
    status = aqdrop_edits_read(&edits, diag);
  if (status == AQ_OK)
    status = transport_open(runtime, edits.list, diag);
  if (status == AQ_OK)
    status = aqdrop_duration_model_open(runtime, diag);
  aqdrop_edits_fini(&edits);
  if (status == AQ_OK)
    xnack_read(runtime);
  if (status == AQ_OK)
    status = aqdrop_kernels_open(&runtime->kernels, diag);
  return status == AQ_OK ? agents_make(runtime, diag) : status;
}

/* A forked child has none of the threads that the runtime needs: there it was
 * never opened. The parent's copy is leaked. */
static void child_begin(void)
{
  pthread_mutex_init(&process.lock, NULL);
  pthread_cond_init(&process.closed, NULL);
  process.references = 0;
  process.closing = false;
  aqdrop_runtime_forget();
  if (process.recording)
    aqdrop_recording_abandon(process.recording);
  process.recording = NULL;
}

/* Once, and not in a child that has this memory. */
__attribute__((destructor)) static void process_end(void)
{
  if (!aqdrop_process_end_claim(&process.open))
    return;
  aqdrop *runtime = aqdrop_runtime_hold();
  if (runtime) { /* the program did not close it */
    profile_put(runtime);
    aqdrop_check_put(runtime);
    aqdrop_hooks_end(runtime->hooks, runtime->transport);
    aqdrop_runtime_release(runtime);
  }
  aqdrop_recording_end(process.recording);
}

/* The state that the process keeps from its first hsa_init on. */
static aq_status process_begin(aq_diag *diag)
{
  if (!process.watched) {
    process.watched = pthread_atfork(NULL, NULL, child_begin) == 0;
    aqdrop_process_end_set(process_end);
  }
  __atomic_store_n(&process.open, getpid(), __ATOMIC_RELEASE);
  return process.recording ? AQ_OK
                           : aqdrop_recording_create(&process.recording, diag);
}

/* The first hsa_init: no other thread is inside. */
static hsa_status_t process_open(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  aqdrop *runtime = calloc(1, sizeof *runtime);
  if (!runtime)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_init(&runtime->lock, NULL);
  pthread_mutex_init(&runtime->cooperative, NULL);
  pthread_mutex_init(&runtime->batches, NULL);
  runtime->queues_unrung = aqdrop_queues_unrung;
  runtime->queues_waiting = aqdrop_queues_waiting;
  aq_status status = process_begin(&diag);
  runtime->recording = process.recording;
  if (status == AQ_OK)
    status = runtime_open(runtime, &diag);
  if (status != AQ_OK) {
    /* hsa_init has no other way to report to its user what to change. */
    fprintf(stderr, "aqueduct: hsa_init: %s\n", diag.text);
    runtime_close(runtime);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  aqdrop_runtime_publish(runtime);
  if (aqdrop_exec_report_time() > 0)
    aqdrop_doorbells_watch(runtime, aqdrop_exec_report_time());
  aqdrop_exec_tell();
  return HSA_STATUS_SUCCESS;
}

/* Waits while another thread closes the runtime; the lock is held. That thread
 * may be waiting for a callback to return, so it does not wait for ever. */
static bool process_closed_wait(void)
{
  enum { CLOSED_S = 5 };
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += CLOSED_S;
  while (process.closing)
    if (pthread_cond_timedwait(&process.closed, &process.lock, &end) != 0)
      return false;
  return true;
}

hsa_status_t hsa_init(void)
{
  hsa_status_t status = HSA_STATUS_SUCCESS;
  bool first = false;
  pthread_mutex_lock(&process.lock);
  if (!process_closed_wait())
    status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  else if (process.references == INT32_MAX)
    status = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  else if (process.references == 0)
    status = process_open();
  if (status == HSA_STATUS_SUCCESS && process.references++ == 0) {
    AQDROP_CALL(process.recording, AQ_KIND_CALL);
    first = true;
  }
  pthread_mutex_unlock(&process.lock);
  if (first)
    aqdrop_tools_load();
  return status;
}

/* Closes without the lock: a callback that still runs may come here too, and
 * finds nothing initialized. */
static void process_close(void)
{
  AQDROP_CALL(process.recording, AQ_KIND_CALL);
  aqdrop *runtime = aqdrop_runtime();
  process.closing = true;
  if (aqdrop_tools_are_loaded()) {
    pthread_mutex_unlock(&process.lock);
    aqdrop_tools_unload(); /* tools still call functions */
    pthread_mutex_lock(&process.lock);
  }
  aqdrop_runtime_publish(NULL);
  pthread_mutex_unlock(&process.lock);
  runtime_close(runtime);
  aqdrop_recording_end(process.recording);
  pthread_mutex_lock(&process.lock);
  process.closing = false;
  pthread_cond_broadcast(&process.closed);
}

hsa_status_t hsa_shut_down(void)
{
  hsa_status_t status = HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&process.lock);
  if (process.references == 0)
    status = HSA_STATUS_ERROR_NOT_INITIALIZED;
  else if (process.references == 1 &&
           aqsim_live_is_driver(aqdrop_runtime()->transport))
    status = HSA_STATUS_ERROR; /* a kernel cannot end its device */
  else if (--process.references == 0)
    process_close();
  pthread_mutex_unlock(&process.lock);
  return status;
}
