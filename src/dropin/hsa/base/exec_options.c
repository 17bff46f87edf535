/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/exec_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL: it asks for nothing. */
static const char *variable(const char *name)
{
  const char *text = secure_getenv(name);
  return text && *text ? text : NULL;
}

void aqdrop_line_print(const char *line, void *user)
{
  (void)user;
  fprintf(stderr, "aqueduct: %s\n", line);
}

void aqdrop_timeout_print(const char *line, void *user)
{
  (void)user;
  fprintf(stderr, "aqueduct: at the timeout: %s\n", line);
}

static size_t edits_most(const char *text)
{
  size_t count = 1;
  for (; *text; text++)
    count += *text == ';';
  return count;
}

aq_status aqdrop_edits_read(aqdrop_edits *out, aq_diag *diag)
{
  const char *text = variable("AQUEDUCT_SET");
  size_t count = 0;
  char *at = NULL;
  *out = (aqdrop_edits){.text = strdup(text ? text : "")};
  if (out->text)
    out->list = calloc(edits_most(out->text) + 1, sizeof *out->list);
  if (!out->list)
    return aq_diag_no_memory(diag);
  for (char *edit = strtok_r(out->text, ";", &at); edit;
       edit = strtok_r(NULL, ";", &at))
    out->list[count++] = edit;
  return AQ_OK;
}

void aqdrop_edits_fini(aqdrop_edits *edits)
{
  free(edits->list);
  free(edits->text);
  *edits = (aqdrop_edits){NULL, NULL};
}

aq_status aqdrop_exec_compile(aq_wave_machine *machine, aq_jit_builder **out,
                              aq_diag *diag)
{
  const char *text = variable("AQUEDUCT_COMPILE");
  aq_jit_mode mode = AQ_JIT_AUTO;
  aq_status status = text ? aq_jit_mode_read(text, &mode, diag) : AQ_OK;
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "AQUEDUCT_COMPILE");
  status = aq_jit_builder_create(mode, aqdrop_line_print, NULL, out, diag);
  return status == AQ_OK ? aq_jit_builder_use(*out, machine, diag) : status;
}

/* exec writes these itself: other texts ask for nothing. */
static int64_t nanoseconds(const char *name)
{
  const char *text = variable(name);
  return text ? strtoll(text, NULL, 10) : 0;
}

int64_t aqdrop_exec_report_time(void)
{
  return nanoseconds("AQUEDUCT_REPORT_AT");
}

aq_status aqdrop_exec_report_at(aq_wave_machine *machine, aq_diag *diag)
{
  const int64_t at = aqdrop_exec_report_time(),
                budget = nanoseconds("AQUEDUCT_BUDGET_NS");
  if (at <= 0)
    return AQ_OK;
  aq_wave_machine_report_at(machine, at, aqdrop_timeout_print, NULL);
  return budget > 0 ? aq_wave_machine_budget(machine, budget, diag) : AQ_OK;
}

aq_status aqdrop_exec_profile(aq_wave_machine *machine, aq_diag *diag)
{
  return variable("AQUEDUCT_PROFILE_ISA")
             ? aq_wave_machine_profile(machine, diag)
             : AQ_OK;
}

aq_status aqdrop_exec_trace(aq_wave_machine *machine, aq_diag *diag)
{
  const char *text = variable("AQUEDUCT_TRACE_ISA");
  aq_wave_trace_options options = {.to = stderr};
  if (!text)
    return AQ_OK;
  const aq_status status = aq_wave_trace_read(text, &options, diag);
  return status == AQ_OK ? aq_wave_machine_trace(machine, &options, diag)
                         : aq_diag_prefix(diag, "AQUEDUCT_TRACE_ISA");
}

void aqdrop_exec_tell(void)
{
  const char *path = secure_getenv("AQUEDUCT_EXEC_STATUS");
  const int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (fd >= 0)
    close(fd);
}
