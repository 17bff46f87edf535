/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/host_kernels.h"
#include "common/strict_memory.h"
#include "gpu/duration/roofline.h"
#include "gpu/wave/grid/schedule.h"
#include "gpu/wave/jit/jit_builder.h"
#include "transport/fault/fault_schedule.h"

/* NAME=value SEPARATOR old value. */
static bool env_prepend(const char *name, const char *value, char separator)
{
  const char *old = getenv(name);
  char *text;
  if (!old || !*old)
    return setenv(name, value, 1) == 0;
  if (asprintf(&text, "%s%c%s", value, separator, old) < 0)
    return false;
  bool done = setenv(name, text, 1) == 0;
  free(text);
  return done;
}

/* The edits of the device model, as the drop-in reads them. */
static bool env_edits(const char *const *edits)
{
  bool done = true;
  for (size_t i = 0; done && edits && edits[i]; i++)
    done = env_prepend("AQUEDUCT_SET", edits[i], ';');
  return done;
}

/* ---- faults ---- */

static aq_status schedule_get(const char *value, aq_fault_schedule *out,
                              aq_diag *diag)
{
  static const char seed[] = "seed=";
  char *end;
  if (strncmp(value, seed, sizeof seed - 1) != 0)
    return aq_fault_schedule_read(value, out, diag);
  errno = 0;
  uint64_t number = strtoull(value + sizeof seed - 1, &end, 10);
  if (end == value + sizeof seed - 1 || *end || errno)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "--faults %s: expected a file or seed=N", value);
  return aq_fault_schedule_random(number, true, out, diag);
}

/* From a seed, impossible faults are left out; in a document they are an
 * error. */
static aq_status fault_check(const aq_fault *fault, bool seeded, bool *taken,
                             aq_diag *diag)
{
  const aq_fault_text *text = &aq_fault_texts[fault->kind];
  enum { TYPE_INVALID = 1 };
  *taken = (text->parameters & AQ_FAULT_INSIDE) &&
           !(text->parameters & AQ_FAULT_TYPE && fault->type == TYPE_INVALID);
  if (*taken || seeded)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "--faults: %s%s cannot happen to a program on the drop-in",
                     text->name,
                     text->parameters & AQ_FAULT_INSIDE ? " with type 1" : "");
}

static aq_status schedule_put(const aq_fault_schedule *schedule, bool seeded,
                              aq_diag *diag)
{
  char line[160];
  aq_status status = AQ_OK;
  bool taken = false;
  unsetenv("AQUEDUCT_EXEC_FAULTS");
  for (size_t i = 0; i < schedule->count && status == AQ_OK; i++) {
    const aq_fault *fault = &schedule->faults[i];
    status = fault_check(fault, seeded, &taken, diag);
    if (status != AQ_OK || !taken)
      continue;
    snprintf(line, sizeof line,
             "%s,%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%" PRIu32 ",%" PRIu32,
             aq_fault_texts[fault->kind].name, fault->queue, fault->at,
             fault->delay, fault->type, fault->reason);
    if (!env_prepend("AQUEDUCT_EXEC_FAULTS", line, ';'))
      status = aq_diag_no_memory(diag);
  }
  return status;
}

static aq_status env_faults(const char *value, aq_diag *diag)
{
  aq_fault_schedule schedule;
  if (!value)
    return AQ_OK;
  aq_status status = schedule_get(value, &schedule, diag);
  if (status != AQ_OK)
    return status;
  status = schedule_put(&schedule, strncmp(value, "seed=", 5) == 0, diag);
  aq_fault_schedule_fini(&schedule);
  return status;
}

/* ---- the rest ---- */

static aq_status compile_check(const aq_exec_environment *e, aq_diag *diag)
{
  aq_jit_mode mode;
  aq_diag why = AQ_DIAG_INIT;
  if (!e->compile || aq_jit_mode_read(e->compile, &mode, &why) == AQ_OK)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID, "--compile: %s", why.text);
}

static aq_status cost_check(const aq_exec_environment *e, aq_diag *diag)
{
  aq_executed_mode mode = AQ_EXECUTED_AUTO;
  if (aq_executed_mode_read(e->cost, &mode, diag) != AQ_OK)
    return aq_diag_prefix(diag, "--cost");
  return mode >= AQ_EXECUTED_ALL && e->check
             ? aq_diag_set(diag, AQ_ERR_INVALID,
                           "--cost %s with --check; expected one of them",
                           e->cost)
             : AQ_OK;
}

/* Made here, so that a bad path is an error before the program runs. */
static aq_status env_capture(const char *file, aq_diag *diag)
{
  if (!file)
    return AQ_OK;
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return aq_diag_set(diag, AQ_ERR_IO, "--capture %s: %s", file,
                       strerror(errno));
  close(fd);
  char *path = realpath(file, NULL);
  bool done = path && setenv("AQUEDUCT_CAPTURE", path, 1) == 0;
  free(path);
  return done ? AQ_OK : aq_diag_no_memory(diag);
}

static bool env_set(const char *name, const char *value)
{
  return !value || setenv(name, value, 1) == 0;
}

static bool env_libraries(const char *folder)
{
  return !folder || env_prepend("LD_LIBRARY_PATH", folder, ':');
}

/* HIP maps streams to few queues, which would order them by accident. */
static bool env_streams_part(const char *check)
{
  return !check || setenv("GPU_MAX_HW_QUEUES", "64", 0) == 0;
}

aq_status aq_exec_environment_set(const aq_exec_environment *e, aq_diag *diag)
{
  aq_wave_schedule schedule;
  aq_strict_memory strict;
  /* Checks and orders of waves need executed code. */
  const char *kernels_from = e->kernels_from           ? e->kernels_from
                             : e->check || e->schedule ? "isa"
                                                       : NULL;
  aq_status status = cost_check(e, diag);
  if (status == AQ_OK)
    status = compile_check(e, diag);
  if (status == AQ_OK && e->strict_memory &&
      aq_strict_memory_read(e->strict_memory, &strict, diag) != AQ_OK)
    status = aq_diag_prefix(diag, "--strict-memory");
  if (status == AQ_OK && e->schedule &&
      aq_wave_schedule_read(e->schedule, &schedule, diag) != AQ_OK)
    status = aq_diag_prefix(diag, "--schedule");
  if (status != AQ_OK)
    return status;
  /* Without a large BAR HIP copies few bytes as it does many, by calls of the
   * runtime, which the checker sees. */
  bool set = env_set("AQUEDUCT_EXEC_STATUS", e->opened) &&
             env_set("AQUEDUCT_SPOOL", e->spools) &&
             env_set("AQUEDUCT_DEVICE", e->device) &&
             env_set("AQUEDUCT_DEVICE_BY_CODE", e->device_by_code) &&
             env_set("AQUEDUCT_KERNELS_FROM", kernels_from) &&
             env_set("AQUEDUCT_RECORD", e->record) &&
             env_set("AQUEDUCT_RECORD_LIMIT", e->record_limit) &&
             env_set("AQUEDUCT_SEMANTICS", e->semantics) &&
             env_set("AQUEDUCT_POLL_QUEUES", e->polls) &&
             env_set("AQUEDUCT_STRICT_MEMORY", e->strict_memory) &&
             env_set("AQUEDUCT_COST", e->cost) &&
             env_set("AQUEDUCT_COMPILE", e->compile) &&
             env_set("AQUEDUCT_PROFILE_ISA", e->profile_isa) &&
             env_set("AQUEDUCT_FIDELITY", e->fidelity) &&
             env_set("AQUEDUCT_EXTRACT", e->extract) &&
             env_set("AQUEDUCT_COVERAGE", e->coverage) &&
             env_set("AQUEDUCT_CHECK", e->check) &&
             env_streams_part(e->check) &&
             (!e->check || setenv("ROC_ENABLE_LARGE_BAR", "0", 0) == 0) &&
             env_set("AQUEDUCT_SCHEDULE", e->schedule) &&
             env_set("AQUEDUCT_TRACE_ISA", e->trace_isa) &&
             env_set("AQUEDUCT_EXECUTABLE_TRACES", e->traces) &&
             aq_kernel_names_export(e->kernels, e->missing_kernels) &&
             env_libraries(e->libraries) && env_edits(e->edits) &&
             env_prepend("LD_PRELOAD", e->shim, ':') &&
             (!e->pools || env_prepend("LD_PRELOAD", e->pools, ':')) &&
             (!e->dropin || env_prepend("LD_PRELOAD", e->dropin, ':')) &&
             /* ASan wants to be loaded first; here it need not be. */
             env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0", ':');
  if (!set)
    return aq_diag_no_memory(diag);
  status = env_faults(e->faults, diag);
  return status == AQ_OK ? env_capture(e->capture, diag) : status;
}

aq_status aq_exec_mlir_set(const aq_exec_mlir *e, aq_diag *diag)
{
  const bool set = env_set("AQUEDUCT_MLIR_SPOOL", e->spools) &&
                   env_set("AQUEDUCT_TRANSPORT", e->transport) &&
                   env_set("AQUEDUCT_DEVICE", e->device) &&
                   env_set("AQUEDUCT_SEED", e->seed) &&
                   env_set("AQUEDUCT_RECORD", e->record) &&
                   env_set("AQUEDUCT_RECORD_LIMIT", e->record_limit) &&
                   env_set("AQUEDUCT_PROFILE_ISA", e->profile_isa) &&
                   env_edits(e->edits);
  return set ? AQ_OK : aq_diag_no_memory(diag);
}
