/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/mlir_runner.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/compile/tools.h"

/* "OPTIONVALUE"; false: out of memory. */
static bool add(aq_runner *runner, const char *option, const char *value)
{
  char *text;
  if (runner->count == AQ_RUNNER_ARGS ||
      asprintf(&text, "%s%s", option, value) < 0)
    return false;
  runner->args[runner->count++] = text;
  return true;
}

static bool libraries_add(aq_runner *runner, const char *tool)
{
  static const char *const names[] = {"libmlir_runner_utils",
                                      "libmlir_c_runner_utils",
                                      "libmlir_async_runtime"};
  bool added = true;
  for (size_t i = 0; added && i < sizeof names / sizeof *names; i++) {
    char *path = aq_tool_library(tool, names[i]);
    added = !path || add(runner, "--shared-libs=", path);
    free(path);
  }
  return added;
}

aq_status aq_runner_make(const aq_lowered *lowered, const char *function,
                         const char *library, aq_runner *out, aq_diag *diag)
{
  const char *result;
  char *tool;
  aq_status status = aq_lowered_entry(lowered, function, &result, diag);
  if (status == AQ_OK)
    status = aq_tool_find(AQ_TOOL_MLIR_RUNNER, &tool, diag);
  if (status != AQ_OK)
    return status;
  *out = (aq_runner){.count = 0};
  const bool made =
      add(out, tool, "") && add(out, lowered->path, "") &&
      add(out, "-e=", function) && add(out, "--entry-point-result=", result) &&
      add(out, "--shared-libs=", library) && libraries_add(out, tool);
  free(tool);
  if (made)
    return AQ_OK;
  aq_runner_fini(out);
  return aq_diag_no_memory(diag);
}

void aq_runner_fini(aq_runner *runner)
{
  for (int i = 0; i < runner->count; i++)
    free(runner->args[i]);
  *runner = (aq_runner){.count = 0};
}
