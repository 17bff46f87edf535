/* SPDX-License-Identifier: MIT */
/*
 * The machine: executions from begin to end, on the caller's thread.
 *
 * begin and end change the machine, step only the grid, the hands, and, under
 * `watching`, profiles and traces. One call at a time; in a step the threads of
 * the pool execute too, each with its own hand.
 *
 * Locks: `watching`, then the observer's, both taken outside of the guarded
 * part of a step, which may be left anywhere; inside, only the lock of a
 * device's gws, without guest memory. Compiled units are attached between
 * steps, when no thread executes.
 *
 * Code is decoded once and compared with memory when it may have changed: at a
 * begin while nothing executes, and at one after code was unloaded. Code that
 * is overwritten in place while a kernel runs is seen when none does any more.
 */
#include "config.h"

#include "gpu/wave/core/wave.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/wall_clock.h"
#include "gpu/wave/core/guard.h"
#include "gpu/wave/core/jit.h"
#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/trace.h"
#include "gpu/wave/core/vopd.h"
#include "gpu/wave/core/wave_trace_rows.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/decode/lower.h"
#include "gpu/wave/grid/grid.h"
#include "gpu/wave/grid/gws.h"
#include "gpu/wave/grid/parallel_step.h"
#include "gpu/wave/grid/schedule.h"
#include "gpu/wave/grid/time_spent.h"
#include "gpu/wave/grid/unsupported_instructions.h"
#include "gpu/wave/grid/wave_status.h"
#include "gpu/wave/profile/profile.h"

enum {
  DEVICES_MAX = 64,
};

struct aq_wave_machine {
  aq_executor executor;
  aq_wave_thread
      threads[AQ_THREAD_POOL_MAX]; /* of threads; [0] is the caller's */
  aq_thread_pool *thread_pool;   /* NULL: not needed so far, or one processor */
  aq_wave_gws *gws[DEVICES_MAX]; /* of devices that executed something */
  unsigned open;                 /* executions */
  uint64_t code_removed;         /* allocations of code, when last refreshed */
  aq_wave_profile *profile;      /* or NULL */
  aq_wave_trace *trace;          /* or NULL */
  aq_wave_counting *counting;    /* or NULL */
  aq_wave_steps *steps;          /* or NULL */
  aq_jit *native;                /* or NULL */
  void (*tell)(const aq_wave_code_scan *scan, void *user); /* or NULL */
  void *tell_user;
  uint64_t begun, catch_at; /* executions; 0: none is reported */
  void (*caught)(const aq_execution_desc *desc, void *user);
  void *caught_user;
  int64_t report_at; /* 0: never */
  void (*report)(const char *line, void *user);
  void *report_user;
  aq_time_spent *spent;             /* or NULL */
  const aq_wave_observer *observer; /* or NULL */
  aq_wave_schedule schedule;
  pthread_mutex_t watching; /* of both: held during steps of watched grids */
};

static aq_status gws_for(aq_wave_machine *machine, uint32_t device,
                         aq_wave_gws **out, aq_diag *diag)
{
  if (device >= DEVICES_MAX)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "code on device %u; expected at most %d devices", device,
                       DEVICES_MAX);
  if (!machine->gws[device])
    machine->gws[device] = aq_wave_gws_create();
  *out = machine->gws[device];
  return *out ? AQ_OK : aq_diag_no_memory(diag);
}

typedef struct checking {
  aq_wave_grid *grid;
  aq_wave_census *census;
  aq_diag *diag;
  aq_status status;
} checking;

static void check_run(void *user)
{
  checking *c = user;
  c->status = aq_wave_missing_check(c->grid, c->census, c->diag);
}

static void scan_report(const aq_wave_machine *machine, const checking *c)
{
  const aq_wave_census *census = c->census;
  const bool refused = c->status == AQ_ERR_UNSUPPORTED;
  if (census->instructions == 0 || (c->status != AQ_OK && !refused))
    return;
  const aq_wave_code_scan scan = {.kernel = c->grid->desc.kernel,
                                  .gfx = c->grid->desc.gfx,
                                  .refused = refused ? c->diag->text : NULL,
                                  .instructions = census->instructions,
                                  .indirect = census->indirect,
                                  .inexact = census->rows,
                                  .inexact_count = census->count};
  machine->tell(&scan, machine->tell_user);
}

/* Looks through the kernel's code, and reports it if the machine's user asked.
 */
static aq_status code_check(const aq_wave_machine *machine, aq_wave_grid *grid,
                            aq_diag *diag)
{
  aq_wave_census census = {.instructions = 0};
  checking check = {
      .grid = grid, .census = machine->tell ? &census : NULL, .diag = diag};
  uint64_t address;
  if (!aq_wave_guard(check_run, &check, &address))
    check.status = aq_diag_set(diag, AQ_ERR_INVALID,
                               "kernel %s: its code was unmapped meanwhile",
                               grid->desc.kernel);
  if (check.census)
    scan_report(machine, &check);
  free(census.rows);
  return check.status;
}

/* ---- compiled code ---- */

static void native_begin(aq_wave_machine *machine, aq_wave_grid *grid)
{
  if (!machine->native || aq_wave_code_target(grid->code) & AQ_ISA_GFX1250 ||
      grid->watched || grid->observer || grid->random)
    return;
  grid->native = machine->native;
  grid->native_from = aq_jit_from(machine->native);
  aq_jit_begin(machine->native, grid->code, grid->entry);
}

/* Code may have changed when nothing executed, and other code may lie where
 * some was unloaded. Kernels that run read it anew, too: their waves look up
 * their instruction at the begin of each step. */
static void code_refresh(aq_wave_machine *machine)
{
  const uint64_t removed =
      aq_allocations_code_removed(machine->executor.allocations);
  if (machine->open > 0 && removed == machine->code_removed)
    return;
  machine->code_removed = removed;
  for (unsigned i = 0; i < AQ_THREAD_POOL_MAX; i++)
    aq_wave_thread_refresh(&machine->threads[i]);
}

static aq_status wave_begin(void *user, const aq_execution_desc *desc,
                            void **out, aq_diag *diag)
{
  aq_wave_machine *machine = user;
  aq_wave_gws *gws;
  aq_status status = gws_for(machine, desc->device, &gws, diag);
  if (status != AQ_OK)
    return status;
  aq_wave_grid *grid = calloc(1, sizeof *grid);
  if (!grid)
    return aq_diag_no_memory(diag);
  code_refresh(machine);
  grid->machine = machine;
  grid->gws = gws;
  grid->reachable = &machine->threads[0].reachable;
  grid->pool = &machine->threads[0].pool;
  status = aq_wave_grid_init(grid, desc, diag);
  if (status == AQ_OK)
    status = aq_wave_thread_code(&machine->threads[0], desc->gfx,
                                 grid->lanes == 32, &grid->code, diag);
  if (status != AQ_OK) {
    free(grid);
    return status;
  }
  status = code_check(machine, grid, diag);
  if (status != AQ_OK) {
    aq_wave_grid_fini(grid);
    free(grid);
    return status;
  }
  grid->trace = machine->trace;
  if (machine->profile) {
    pthread_mutex_lock(&machine->watching);
    status = aq_wave_profile_open(machine->profile, grid, &grid->profile, diag);
    pthread_mutex_unlock(&machine->watching);
  }
  grid->steps = machine->steps;
  if (status == AQ_OK && machine->counting)
    status = aq_work_counters_open(machine->counting, grid, diag);
  if (status != AQ_OK) {
    aq_wave_grid_fini(grid);
    free(grid);
    return status;
  }
  grid->watched = grid->trace || grid->profile || grid->steps;
  if (machine->schedule.on)
    grid->random = aq_wave_schedule_begin(&machine->schedule, desc->dispatch_id,
                                          desc->kernel);
  grid->shuffle = machine->schedule.start_order ? grid->random : 0;
  grid->seed = machine->schedule.seed;
  grid->observer = machine->observer;
  if (grid->observer) {
    grid->observed = grid->observer->begin(grid->observer->user, grid);
    if (!grid->observed) {
      aq_work_counters_close(grid);
      aq_wave_grid_fini(grid);
      free(grid);
      return aq_diag_no_memory(diag);
    }
  }
  native_begin(machine, grid);
  /* What begins after the report is not a part of it. */
  grid->reported = machine->report_at > 0 && aq_wall_ns() >= machine->report_at;
  machine->open++;
  if (++machine->begun == machine->catch_at)
    machine->caught(desc, machine->caught_user);
  *out = grid;
  return AQ_OK;
}

/* Several threads only where the order need not be fixed, without profile and
 * trace. */
static aq_wave_threads team_for(aq_wave_machine *machine,
                                const aq_wave_grid *grid)
{
  aq_wave_threads threads = {.threads = machine->threads};
  if (!grid->desc.concurrent || grid->watched || grid->observer ||
      grid->random || grid->group_count < 2 ||
      (grid->tally && !aq_work_counters_joins(grid->tally)))
    return threads;
  if (!machine->thread_pool)
    machine->thread_pool = aq_thread_pool_create(aq_thread_pool_processors());
  if (machine->thread_pool && aq_thread_pool_count(machine->thread_pool) > 1)
    threads.thread_pool = machine->thread_pool;
  return threads;
}

static void grid_report(aq_wave_grid *grid, aq_execution_state state)
{
  const aq_wave_machine *machine = grid->machine;
  char text[AQ_EXECUTION_TEXT_SIZE];
  if (grid->reported || aq_wall_ns() < machine->report_at)
    return;
  grid->reported = true;
  aq_wave_machine_budget_tell(grid->machine, machine->report,
                              machine->report_user);
  aq_wave_status_text(grid, text);
  machine->report(text, machine->report_user);
  if (grid->observer && state == AQ_EXECUTION_WAITS)
    grid->observer->stuck(grid);
}

/* Counts are complete: how long the kernel takes. */
static aq_execution_state tally_end(aq_wave_grid *grid, aq_execution_step *out)
{
  pthread_mutex_lock(&grid->machine->watching); /* rows: another may put them */
  const aq_status status =
      aq_work_counters_end(grid->machine->counting, grid, out);
  pthread_mutex_unlock(&grid->machine->watching);
  if (status == AQ_OK)
    return AQ_EXECUTION_DONE;
  out->fault = (aq_execution_fault){.kind = AQ_EXECUTION_FAULT_ILLEGAL,
                                    .pc = grid->entry};
  snprintf(out->fault.text, sizeof out->fault.text,
           "kernel %.40s: out of memory for its counts", grid->desc.kernel);
  return AQ_EXECUTION_FAULT;
}

static void step_count(const aq_wave_grid *grid, int64_t from,
                       uint64_t instructions)
{
  const uint64_t started =
      grid->share ? __atomic_load_n(&grid->share->group_next, __ATOMIC_RELAXED)
                  : 0;
  const aq_time_step step = {.dispatch = grid,
                             .kernel = grid->desc.kernel,
                             .ns = aq_wall_ns() - from,
                             .instructions = instructions,
                             .group_started = started < grid->group_count
                                                  ? started
                                                  : grid->group_count,
                             .group_all = grid->group_count};
  aq_time_spent_add(grid->machine->spent, &step);
}

static aq_execution_state wave_step(void *execution, uint64_t budget,
                                    uint64_t ticks, aq_execution_step *out)
{
  aq_wave_grid *grid = execution;
  const int64_t from = grid->machine->spent ? aq_wall_ns() : 0;
  const aq_wave_threads threads = team_for(grid->machine, grid);
  /* The guard leaves the step anywhere, so the lock is taken outside. */
  if (grid->watched)
    pthread_mutex_lock(&grid->machine->watching);
  if (grid->observer)
    grid->observer->enter(grid->observer->user);
  aq_execution_state state =
      aq_wave_parallel_step(grid, &threads, budget, ticks, out);
  if (grid->native)
    grid->native_from = aq_jit_from(grid->native);
  if (grid->observer && state == AQ_EXECUTION_FAULT)
    grid->observer->fault(grid);
  if (grid->observer)
    grid->observer->leave(grid->observer->user);
  if (grid->watched)
    pthread_mutex_unlock(&grid->machine->watching);
  if (grid->machine->counting)
    aq_wave_counting_add(grid->machine->counting, out->instructions);
  if ((grid->tally || grid->repeats) && state == AQ_EXECUTION_DONE)
    state = tally_end(grid, out);
  if (grid->machine->spent)
    step_count(grid, from, out->instructions);
  if (grid->machine->report_at)
    grid_report(grid, state);
  return state;
}

static void wave_end(void *execution)
{
  aq_wave_grid *grid = execution;
  grid->machine->open--;
  if (grid->machine->spent)
    aq_time_spent_end(grid->machine->spent, grid);
  aq_wave_parallel_fini(grid);
  aq_wave_grid_fini(grid);
  aq_work_counters_close(grid);
  if (grid->observer)
    grid->observer->end(grid);
  free(grid);
}

static bool machine_executes(void *user, const char *gfx)
{
  (void)user;
  return aq_wave_machine_executes(gfx);
}

static bool machine_predicts(void *user)
{
  const aq_wave_machine *machine = user;
  return machine->counting && aq_wave_counting_times(machine->counting);
}

bool aq_wave_machine_executes(const char *gfx)
{
  aq_target target;
  aq_isa_decoder decoder;
  return AQ_WAVE_HOST_IS_KNOWN &&
         aq_target_parse(gfx, strlen(gfx), &target, NULL) == AQ_OK &&
         aq_isa_decoder_init(&decoder, target.processor, NULL) == AQ_OK &&
         aq_wave_target_executes(decoder.target);
}

bool aq_wave_row_executes(const aq_isa_row *row, uint16_t target)
{
  const aq_isa_inst inst = {.row = row, .target = target};
  return row->targets & target && aq_wave_target_executes(target) &&
         !aq_wave_row_is_unproven(row, target) &&
         aq_wave_handler_named(0, row->name) && aq_wave_matrix_executes(&inst);
}

bool aq_wave_instruction_executes(const aq_isa_inst *inst)
{
  return (inst->second ? aq_wave_pair_lowers(inst) : aq_wave_lowers(inst)) &&
         aq_wave_matrix_executes(inst);
}

aq_status aq_wave_machine_create(aq_wave_machine **out, aq_diag *diag)
{
  return aq_wave_machine_create_at(aq_wave_level_count() - 1, out, diag);
}

aq_status aq_wave_machine_create_at(unsigned level, aq_wave_machine **out,
                                    aq_diag *diag)
{
  aq_wave_machine *machine = calloc(1, sizeof *machine);
  aq_allocations *allocations = aq_allocations_create();
  if (!machine || !allocations) {
    free(machine);
    aq_allocations_destroy(allocations);
    return aq_diag_no_memory(diag);
  }
  aq_allocations_open(allocations, true);
  for (unsigned i = 0; i < AQ_THREAD_POOL_MAX; i++) {
    machine->threads[i].reachable.allocations = allocations;
    machine->threads[i].level = level;
  }
  pthread_mutex_init(&machine->watching, NULL);
  machine->executor = (aq_executor){.executes = machine_executes,
                                    .abi = AQ_EXECUTOR_ABI,
                                    .size = sizeof(aq_executor),
                                    .name = "wave",
                                    .user = machine,
                                    .begin = wave_begin,
                                    .step = wave_step,
                                    .end = wave_end,
                                    .allocations = allocations,
                                    .group_aperture_hi = AQ_WAVE_SHARED_HI,
                                    .private_aperture_hi = AQ_WAVE_PRIVATE_HI,
                                    .predicts = machine_predicts};
  *out = machine;
  return AQ_OK;
}

void aq_wave_machine_destroy(aq_wave_machine *machine)
{
  if (!machine)
    return;
  aq_thread_pool_destroy(machine->thread_pool);
  for (unsigned i = 0; i < AQ_THREAD_POOL_MAX; i++)
    aq_wave_thread_fini(&machine->threads[i]);
  aq_allocations_destroy(machine->executor.allocations);
  for (unsigned i = 0; i < DEVICES_MAX; i++)
    aq_wave_gws_destroy(machine->gws[i]);
  aq_wave_profile_destroy(machine->profile);
  aq_wave_trace_destroy(machine->trace);
  aq_wave_counting_destroy(machine->counting);
  aq_wave_steps_destroy(machine->steps);
  aq_jit_destroy(machine->native);
  aq_time_spent_destroy(machine->spent);
  pthread_mutex_destroy(&machine->watching);
  free(machine);
}

/* ---- inspection ---- */

static void waits_keep(aq_wave_machine *machine)
{
  for (unsigned i = 0; i < AQ_THREAD_POOL_MAX; i++)
    machine->threads[i].keeps_waits = true;
}

void aq_wave_machine_schedule(aq_wave_machine *machine,
                              const aq_wave_schedule *schedule)
{
  machine->schedule = *schedule;
}

void aq_wave_machine_observe(aq_wave_machine *machine,
                             const aq_wave_observer *observer)
{
  machine->observer = observer;
  waits_keep(machine);
}

aq_status aq_wave_machine_profile(aq_wave_machine *machine, aq_diag *diag)
{
  if (!machine->profile)
    machine->profile = aq_wave_profile_create();
  waits_keep(machine);
  return machine->profile ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_wave_machine_profile_put(aq_wave_machine *machine,
                                      aq_record_sink *sink, aq_diag *diag)
{
  if (!machine->profile)
    return AQ_OK;
  pthread_mutex_lock(&machine->watching);
  aq_status status = aq_wave_profile_put(machine->profile, sink, diag);
  pthread_mutex_unlock(&machine->watching);
  return status;
}

bool aq_wave_machine_is_checked(const aq_wave_machine *machine)
{
  return machine->observer != NULL;
}

aq_status aq_wave_machine_count(aq_wave_machine *machine,
                                const aq_wave_counting_options *options,
                                aq_diag *diag)
{
  if (aq_wave_machine_is_checked(machine))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "durations from executed code with a check of the "
                       "code; expected one of them");
  if (machine->counting)
    aq_wave_counting_adjust(machine->counting, options);
  else
    machine->counting = aq_wave_counting_create(options);
  waits_keep(machine);
  return machine->counting ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_wave_machine_counted_put(aq_wave_machine *machine,
                                      aq_record_sink *sink, aq_diag *diag)
{
  if (!machine->counting)
    return AQ_OK;
  pthread_mutex_lock(&machine->watching);
  const aq_status status = aq_wave_counting_put(machine->counting, sink, diag);
  pthread_mutex_unlock(&machine->watching);
  return status;
}

aq_status aq_wave_machine_steps(aq_wave_machine *machine,
                                const aq_wave_trace_options *options,
                                const aq_wave_clocks *clocks, aq_diag *diag)
{
  if (machine->observer)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "executable traces with a check of the code; expected "
                       "one of them");
  if (!machine->counting)
    machine->counting = aq_wave_counting_create(&(aq_wave_counting_options){0});
  if (!machine->steps)
    machine->steps = aq_wave_steps_create(options, clocks);
  if (!machine->counting || !machine->steps)
    return aq_diag_no_memory(diag);
  aq_wave_counting_include(machine->counting, options->workgroup);
  waits_keep(machine);
  return AQ_OK;
}

aq_status aq_wave_machine_steps_put(aq_wave_machine *machine,
                                    aq_record_sink *sink, aq_diag *diag)
{
  if (!machine->steps)
    return AQ_OK;
  pthread_mutex_lock(&machine->watching);
  const aq_status status = aq_wave_steps_put(machine->steps, sink, diag);
  pthread_mutex_unlock(&machine->watching);
  return status;
}

aq_status aq_wave_machine_trace(aq_wave_machine *machine,
                                const aq_wave_trace_options *options,
                                aq_diag *diag)
{
  if (!machine->trace)
    machine->trace = aq_wave_trace_create(options);
  waits_keep(machine);
  return machine->trace ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_wave_machine_compile(aq_wave_machine *machine,
                                  const aq_jit_options *options, aq_diag *diag)
{
  if (!machine->native)
    machine->native = aq_jit_create(options, machine->threads[0].level);
  return machine->native ? AQ_OK : aq_diag_no_memory(diag);
}

size_t aq_wave_machine_code_memory(const aq_wave_machine *machine)
{
  size_t bytes = 0;
  for (unsigned i = 0; i < AQ_THREAD_POOL_MAX; i++)
    for (unsigned k = 0; k < machine->threads[i].code_count; k++)
      bytes += aq_wave_code_memory(machine->threads[i].codes[k].code);
  return bytes;
}

aq_status aq_wave_machine_budget(aq_wave_machine *machine, int64_t budget_ns,
                                 aq_diag *diag)
{
  machine->spent = aq_time_spent_create(budget_ns);
  return machine->spent ? AQ_OK : aq_diag_no_memory(diag);
}

void aq_wave_machine_budget_tell(aq_wave_machine *machine,
                                 void (*tell)(const char *line, void *user),
                                 void *user)
{
  if (machine->spent)
    aq_time_spent_tell(machine->spent, tell, user);
}

void aq_wave_machine_report_at(aq_wave_machine *machine, int64_t time,
                               void (*tell)(const char *line, void *user),
                               void *user)
{
  machine->report = tell;
  machine->report_user = user;
  machine->report_at = time;
}

void aq_wave_machine_catch(aq_wave_machine *machine, uint64_t number,
                           void (*tell)(const aq_execution_desc *desc,
                                        void *user),
                           void *user)
{
  machine->catch_at = number;
  machine->caught = tell;
  machine->caught_user = user;
}

void aq_wave_machine_on_scan(aq_wave_machine *machine,
                             void (*tell)(const aq_wave_code_scan *scan,
                                          void *user),
                             void *user)
{
  machine->tell = tell;
  machine->tell_user = user;
}

const aq_executor *aq_wave_machine_executor(const aq_wave_machine *machine)
{
  return &machine->executor;
}
