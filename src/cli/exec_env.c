/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec_env.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/kernel_options.h"
#include "wrap/fault_schedule.h"

/* NAME=value SEPARATOR what was there. */
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
static bool env_edits(aq_cli *cli)
{
  const char *const *edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET);
  bool done = true;
  for (size_t i = 0; done && edits[i]; i++)
    done = env_prepend("AQUEDUCT_SET", edits[i], ';');
  return done;
}

/* ---- faults ---- */

static aq_status schedule_get(aq_cli *cli, const char *value,
                              aq_fault_schedule *out)
{
  static const char seed[] = "seed=";
  char *end;
  if (strncmp(value, seed, sizeof seed - 1) != 0)
    return aq_fault_schedule_read(value, out, &cli->diag);
  errno = 0;
  uint64_t number = strtoull(value + sizeof seed - 1, &end, 10);
  if (end == value + sizeof seed - 1 || *end || errno)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--faults %s: expected a file or seed=N", value);
  return aq_fault_schedule_random(number, true, out, &cli->diag);
}

/* Of a seed, those that cannot happen are left out; of a document they are an
 * error. */
static aq_status fault_check(aq_cli *cli, const aq_fault *fault, bool seeded,
                             bool *taken)
{
  const aq_fault_text *text = &aq_fault_texts[fault->kind];
  enum { TYPE_INVALID = 1 };
  *taken = (text->parameters & AQ_FAULT_INSIDE) &&
           !(text->parameters & AQ_FAULT_TYPE && fault->type == TYPE_INVALID);
  if (*taken || seeded)
    return AQ_OK;
  return aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                     "--faults: %s%s cannot happen to a program on the drop-in",
                     text->name,
                     text->parameters & AQ_FAULT_INSIDE ? " with type 1" : "");
}

static aq_status schedule_put(aq_cli *cli, const aq_fault_schedule *schedule,
                              bool seeded)
{
  char line[160];
  aq_status status = AQ_OK;
  bool taken = false;
  unsetenv("AQUEDUCT_EXEC_FAULTS");
  for (size_t i = 0; i < schedule->count && status == AQ_OK; i++) {
    const aq_fault *fault = &schedule->faults[i];
    status = fault_check(cli, fault, seeded, &taken);
    if (status != AQ_OK || !taken)
      continue;
    snprintf(line, sizeof line,
             "%s,%" PRIu32 ",%" PRIu64 ",%" PRId64 ",%" PRIu32 ",%" PRIu32,
             aq_fault_texts[fault->kind].name, fault->queue, fault->at,
             fault->delay, fault->type, fault->reason);
    if (!env_prepend("AQUEDUCT_EXEC_FAULTS", line, ';'))
      status = aq_cli_no_memory(cli);
  }
  return status;
}

static aq_status env_faults(aq_cli *cli)
{
  const char *value = cli->values[AQ_CLI_OPT_FAULTS];
  aq_fault_schedule schedule;
  if (!value)
    return AQ_OK;
  aq_status status = schedule_get(cli, value, &schedule);
  if (status != AQ_OK)
    return status;
  status = schedule_put(cli, &schedule, strncmp(value, "seed=", 5) == 0);
  aq_fault_schedule_fini(&schedule);
  return status;
}

/* ---- the rest ---- */

/* The file is made here, so that a path that is no good is told before the
 * program runs. */
static aq_status env_capture(aq_cli *cli)
{
  const char *file = cli->values[AQ_CLI_OPT_CAPTURE];
  if (!file)
    return AQ_OK;
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return aq_diag_set(&cli->diag, AQ_ERR_IO, "--capture %s: %s", file,
                       strerror(errno));
  close(fd);
  char *path = realpath(file, NULL);
  bool done = path && setenv("AQUEDUCT_CAPTURE", path, 1) == 0;
  free(path);
  return done ? AQ_OK : aq_cli_no_memory(cli);
}

static bool env_set(const char *name, const char *value)
{
  return !value || setenv(name, value, 1) == 0;
}

aq_status aq_cli_exec_env(aq_cli *cli, const aq_cli_exec_paths *paths)
{
  bool set = env_set("AQUEDUCT_EXEC_STATUS", paths->opened) &&
             env_set("AQUEDUCT_SPOOL", paths->spools) &&
             env_set("AQUEDUCT_DEVICE", cli->values[AQ_CLI_OPT_DEVICE]) &&
             aq_cli_kernels_export(cli) && env_edits(cli) &&
             env_prepend("LD_PRELOAD", paths->shim, ':') &&
             env_prepend("LD_PRELOAD", paths->dropin, ':') &&
             /* ASan wants to be loaded first; here it need not be. */
             env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0", ':');
  if (!set)
    return aq_cli_no_memory(cli);
  aq_status status = env_faults(cli);
  return status == AQ_OK ? env_capture(cli) : status;
}
