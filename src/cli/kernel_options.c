/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/kernel_options.h"

#include <stdlib.h>
#include <string.h>

#include "devlib/devlib.h"

static const char variable[] = "AQUEDUCT_KERNELS";

/* The plug-ins, with semicolons between; the caller frees it. Paths become
 * those from the root: a program may be elsewhere when it opens HSA. */
static char *names_join(const char *const *names)
{
  char *joined = strdup("");
  for (size_t i = 0; joined && names[i]; i++) {
    char *path = strchr(names[i], '/') ? realpath(names[i], NULL) : NULL;
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", joined, i ? ";" : "",
                 path ? path : names[i]) < 0)
      longer = NULL;
    free(path);
    free(joined);
    joined = longer;
  }
  return joined;
}

bool aq_cli_kernels_export(const aq_cli *cli)
{
  const char *missing = cli->values[AQ_CLI_OPT_MISSING_KERNELS];
  const char *const *names = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS);
  char *joined = names_join(names);
  bool done = joined &&
              (!missing || setenv("AQUEDUCT_MISSING_KERNELS", missing, 1) == 0);
  if (done && names[0])
    done = setenv(variable, joined, 1) == 0;
  free(joined);
  return done;
}

/* Names with semicolons between, as an array ended by NULL; cuts `text` up. */
static const char **names_split(char *text)
{
  size_t count = 0, most = 1;
  for (const char *c = text; *c; c++)
    most += *c == ';';
  const char **names = calloc(most + 1, sizeof *names);
  for (char *at = NULL, *name = strtok_r(text, ";", &at); names && name;
       name = strtok_r(NULL, ";", &at))
    names[count++] = name;
  return names;
}

aq_status aq_cli_kernels_open(aq_cli *cli, aq_kernel_set *out)
{
  static const aq_kernel_entry *const built_in[] = {aq_devlib_entries, NULL};
  const char *set = getenv(variable);
  const char *const *given = aq_cli_repeats(cli, AQ_CLI_OPT_KERNELS);
  char *text = strdup(set ? set : "");
  const char **listed = text ? names_split(text) : NULL;
  aq_status status = listed ? aq_kernel_set_open(out, given[0] ? given : listed,
                                                 built_in, &cli->diag)
                            : aq_cli_no_memory(cli);
  free(listed);
  free(text);
  return status;
}

aq_status aq_cli_kernels_may_miss(aq_cli *cli, bool *out)
{
  const char *text = cli->values[AQ_CLI_OPT_MISSING_KERNELS];
  *out = text && strcmp(text, "warn") == 0;
  if (text && !*out && strcmp(text, "fail") != 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--missing-kernels %s: expected fail or warn", text);
  return AQ_OK;
}
