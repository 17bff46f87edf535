/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/wave.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wave/grid.h"
#include "wave/guard.h"
#include "wave/gws.h"
#include "wave/lost.h"
#include "wave/mode.h"
#include "wave/pool.h"
#include "wave/profile.h"
#include "wave/reach.h"
#include "wave/trace.h"

enum {
  CODES_MAX = 8, /* processors at once */
  DEVICES_MAX = 64,
};

struct aq_wave_machine {
  aq_executor executor;
  aq_wave_reachable reachable;
  aq_wave_pool pool;
  struct {
    char gfx[16];
    aq_wave_code *code;
  } codes[CODES_MAX];
  aq_wave_gws *gws[DEVICES_MAX]; /* of devices that executed something */
  unsigned code_count;
  unsigned level;
  unsigned open;            /* executions */
  aq_wave_profile *profile; /* or NULL */
  aq_wave_trace *trace;     /* or NULL */
  pthread_mutex_t watching; /* of both: held during steps of watched grids */
};

static aq_status code_for(aq_wave_machine *machine, const char *gfx,
                          aq_wave_code **out, aq_diag *diag)
{
  for (unsigned i = 0; i < machine->code_count; i++)
    if (strcmp(machine->codes[i].gfx, gfx) == 0) {
      *out = machine->codes[i].code;
      return AQ_OK;
    }
  if (machine->code_count == CODES_MAX ||
      strlen(gfx) >= sizeof machine->codes[0].gfx)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "code of more than %d kinds of processors", CODES_MAX);
  aq_status status = aq_wave_code_create(gfx, aq_wave_handler_named,
                                         machine->reachable.allocations,
                                         machine->level, out, diag);
  if (status != AQ_OK)
    return status;
  if (machine->profile || machine->trace)
    aq_wave_code_keep_waits(*out);
  strcpy(machine->codes[machine->code_count].gfx, gfx);
  machine->codes[machine->code_count++].code = *out;
  return AQ_OK;
}

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

static aq_status wave_begin(void *user, const aq_execution_desc *desc,
                            void **out, aq_diag *diag)
{
  aq_wave_machine *machine = user;
  aq_wave_code *code;
  aq_wave_gws *gws;
  aq_status status = code_for(machine, desc->gfx, &code, diag);
  if (status == AQ_OK)
    status = gws_for(machine, desc->device, &gws, diag);
  if (status != AQ_OK)
    return status;
  aq_wave_grid *grid = calloc(1, sizeof *grid);
  if (!grid)
    return aq_diag_no_memory(diag);
  if (machine->open == 0)
    aq_wave_code_refresh(code);
  grid->machine = machine;
  grid->gws = gws;
  grid->reachable = &machine->reachable;
  grid->pool = &machine->pool;
  status = aq_wave_grid_init(grid, code, desc, diag);
  if (status != AQ_OK) {
    free(grid);
    return status;
  }
  grid->trace = machine->trace;
  if (machine->profile) {
    pthread_mutex_lock(&machine->watching);
    status = aq_wave_profile_open(machine->profile, grid, &grid->profile, diag);
    pthread_mutex_unlock(&machine->watching);
  }
  if (status != AQ_OK) {
    aq_wave_grid_fini(grid);
    free(grid);
    return status;
  }
  grid->watched = grid->trace || grid->profile;
  machine->open++;
  *out = grid;
  return AQ_OK;
}

typedef struct stepping {
  aq_wave_grid *grid;
  uint64_t budget, executed;
  aq_execution_state state;
} stepping;

static void grid_step(void *user)
{
  stepping *s = user;
  s->state = aq_wave_grid_run(s->grid, s->budget, &s->executed);
}

static aq_execution_state wave_step(void *execution, uint64_t budget,
                                    uint64_t ticks, aq_execution_step *out)
{
  aq_wave_grid *grid = execution;
  const uint32_t host = aq_wave_mode_save();
  grid->ticks = ticks;
  grid->range = (aq_wave_range){0};
  memset(grid->ranges, 0, sizeof grid->ranges);
  memset(grid->older, 0, sizeof grid->older);
  grid->running = NULL;
  stepping s = {.grid = grid, .budget = budget};
  uint64_t address;
  /* The guard leaves the step anywhere, so the lock is taken outside. */
  if (grid->watched)
    pthread_mutex_lock(&grid->machine->watching);
  if (!aq_wave_guard(grid_step, &s, &address)) {
    aq_wave_lost(grid, address);
    s.state = AQ_EXECUTION_FAULT;
  }
  if (grid->watched)
    pthread_mutex_unlock(&grid->machine->watching);
  aq_wave_mode_restore(host);
  *out = (aq_execution_step){.instructions = s.executed};
  if (s.state == AQ_EXECUTION_FAULT)
    out->fault = grid->fault;
  return s.state;
}

static void wave_end(void *execution)
{
  aq_wave_grid *grid = execution;
  grid->machine->open--;
  aq_wave_grid_fini(grid);
  free(grid);
}

bool aq_wave_machine_executes(const char *gfx)
{
  aq_target target;
  aq_isa_decoder decoder;
  return AQ_WAVE_HOST_IS_KNOWN &&
         aq_target_parse(gfx, strlen(gfx), &target, NULL) == AQ_OK &&
         aq_isa_decoder_init(&decoder, target.processor, NULL) == AQ_OK;
}

bool aq_wave_row_executes(const aq_isa_row *row, uint8_t target)
{
  const aq_isa_inst inst = {.row = row, .target = target};
  return row->targets & target && aq_wave_handler_named(0, row->name) &&
         aq_wave_matrix_executes(&inst);
}

bool aq_wave_instruction_executes(const aq_isa_inst *inst)
{
  return aq_wave_code_lowers(inst) && aq_wave_matrix_executes(inst);
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
  machine->reachable.allocations = allocations;
  pthread_mutex_init(&machine->watching, NULL);
  machine->executor = (aq_executor){.abi = AQ_EXECUTOR_ABI,
                                    .size = sizeof(aq_executor),
                                    .name = "wave",
                                    .user = machine,
                                    .begin = wave_begin,
                                    .step = wave_step,
                                    .end = wave_end,
                                    .allocations = allocations,
                                    .group_aperture_hi = AQ_WAVE_SHARED_HI,
                                    .private_aperture_hi = AQ_WAVE_PRIVATE_HI};
  machine->level = level;
  *out = machine;
  return AQ_OK;
}

void aq_wave_machine_destroy(aq_wave_machine *machine)
{
  if (!machine)
    return;
  for (unsigned i = 0; i < machine->code_count; i++)
    aq_wave_code_destroy(machine->codes[i].code);
  aq_allocations_destroy(machine->reachable.allocations);
  for (unsigned i = 0; i < DEVICES_MAX; i++)
    aq_wave_gws_destroy(machine->gws[i]);
  aq_wave_reachable_fini(&machine->reachable);
  aq_wave_profile_destroy(machine->profile);
  aq_wave_trace_destroy(machine->trace);
  aq_wave_pool_fini(&machine->pool);
  pthread_mutex_destroy(&machine->watching);
  free(machine);
}

/* ---- inspection ---- */

aq_status aq_wave_machine_profile(aq_wave_machine *machine, aq_diag *diag)
{
  if (!machine->profile)
    machine->profile = aq_wave_profile_create();
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

aq_status aq_wave_machine_trace(aq_wave_machine *machine,
                                const aq_wave_trace_options *options,
                                aq_diag *diag)
{
  if (!machine->trace)
    machine->trace = aq_wave_trace_create(options);
  return machine->trace ? AQ_OK : aq_diag_no_memory(diag);
}

const aq_executor *aq_wave_machine_executor(const aq_wave_machine *machine)
{
  return &machine->executor;
}
