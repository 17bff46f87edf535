/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "backend_hsa/probe.h"
#include "cli/color.h"
#include "cli/commands.h"
#include "cli/runs.h"
#include "common/demangle.h"
#include "common/file_system.h"
#include "common/json_out.h"
#include "common/text.h"
#include "exec/isolation.h"
#include "toolchain/tools.h"
#include "transports/device_models.h"

typedef enum finding_state {
  FINDING_OK,
  FINDING_NOTE,    /* works without */
  FINDING_MISSING, /* something can't be done */
  FINDING_BAD,     /* broken: the check fails */
} finding_state;

/* What one check found, written as it is found. */
typedef struct doctor {
  aq_cli *cli;
  aq_json_out *json;
  aq_status status;
} doctor;

static const struct {
  const char *name;
  aq_cli_color_id color;
} states[] = {[FINDING_OK] = {"ok", AQ_CLI_COLOR_GOOD},
              [FINDING_NOTE] = {"note", AQ_CLI_COLOR_WARN},
              [FINDING_MISSING] = {"missing", AQ_CLI_COLOR_WARN},
              [FINDING_BAD] = {"bad", AQ_CLI_COLOR_BAD}};

static void put_line(const doctor *d, finding_state state, const char *what,
                     const char *detail, const char *advice)
{
  FILE *out = d->cli->out;
  char *line = aq_text_line(detail, strlen(detail));
  fprintf(out, "%s%-8s%s %-14s %s\n", aq_cli_color(out, states[state].color),
          states[state].name, aq_cli_color(out, AQ_CLI_COLOR_NONE), what,
          line ? line : "");
  free(line);
  if (advice)
    fprintf(out, "%-23s -> %s\n", "", advice);
}

static void find(doctor *d, finding_state state, const char *what,
                 const char *advice, const char *fmt, ...) AQ_PRINTF(5, 6);

static void find(doctor *d, finding_state state, const char *what,
                 const char *advice, const char *fmt, ...)
{
  char detail[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(detail, sizeof detail, fmt, args);
  va_end(args);
  if (state == FINDING_BAD)
    d->status =
        aq_diag_set(&d->cli->diag, AQ_ERR_DIFFERENT, "%s: %s", what, detail);
  if (!d->json) {
    put_line(d, state, what, detail, advice);
    return;
  }
  aq_json_out_map(d->json, NULL);
  aq_json_out_text(d->json, "check", what);
  aq_json_out_text(d->json, "state", states[state].name);
  aq_json_out_text(d->json, "detail", detail);
  aq_json_out_text(d->json, "advice", advice);
  aq_json_out_close_map(d->json);
}

static void check_build(doctor *d)
{
  find(d, FINDING_OK, "version", NULL, "aqueduct %s, built with %s",
       PACKAGE_VERSION, AQ_BUILT_WITH);
#ifdef HAVE_SMARTCOLS
  find(d, FINDING_OK, "tables", NULL, "aligned by libsmartcols");
#else
  find(d, FINDING_NOTE, "tables",
       "install libsmartcols-dev and configure again for aligned ones",
       "separated by tabs");
#endif
#ifdef HAVE_ZSTD
  find(d, FINDING_OK, "packed traces", NULL, "gzip and zstd");
#else
  find(d, FINDING_NOTE, "packed traces",
       "install libzstd-dev and configure again for those packed with zstd",
       "gzip");
#endif
}

static void check_backends(doctor *d)
{
  char names[512] = "";
  const aq_transport_ops *const *all = aq_transports();
  for (size_t i = 0; all[i]; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", all[i]->name);
  find(d, FINDING_OK, "transports", NULL, "%s", names);
  names[0] = 0;
  for (size_t i = 0; aq_device_model_name(i); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", aq_device_model_name(i));
  find(d, FINDING_OK, "device models", NULL, "%s", names);
}

static void check_runtime(doctor *d)
{
  aqhsa_probe_result found;
  aqhsa_probe(d->cli->values[AQ_CLI_OPT_LIBHSA], &found);
  switch (found.state) {
  case AQHSA_PROBE_ABSENT:
    find(d, FINDING_MISSING, "HSA runtime",
         "install ROCm or libhsa-runtime64-1, or give --libhsa PATH; the "
         "simulator does not need it",
         "%s", found.problem);
    break;
  case AQHSA_PROBE_FOREIGN:
    find(d, FINDING_MISSING, "HSA runtime", "give --libhsa another PATH", "%s",
         found.problem);
    break;
  case AQHSA_PROBE_FAILED:
    find(d, FINDING_MISSING, "HSA runtime",
         "it needs a GPU and access to /dev/kfd; the simulator does not",
         "%s: %s", found.path, found.problem);
    break;
  case AQHSA_PROBE_READY:
    find(d, found.gpus ? FINDING_OK : FINDING_NOTE, "HSA runtime",
         found.gpus ? "run with --transport hsa; `make check-hsa` runs the "
                      "contract suite on it, doc/hsa.md says what that shows"
                    : NULL,
         "%s: %" PRIu32 " GPUs%s%s%s, %" PRIu32 " CPUs", found.path, found.gpus,
         found.gpus ? " (" : "", found.gpu, found.gpus ? ")" : "", found.cpus);
    break;
  }
}

static void check_driver(doctor *d)
{
  if (access("/dev/kfd", F_OK) != 0)
    find(d, FINDING_MISSING, "GPU driver",
         "load the amdgpu kernel module on a machine with an AMD GPU; the "
         "simulator does not need it",
         "/dev/kfd: %s", strerror(errno));
  else if (access("/dev/kfd", R_OK | W_OK) != 0)
    find(d, FINDING_MISSING, "GPU driver",
         "sudo usermod -aG render,video $USER, then log in again",
         "/dev/kfd: %s", strerror(errno));
  else
    find(d, FINDING_OK, "GPU driver", NULL, "/dev/kfd can be opened");
}

static void check_isolation(doctor *d)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_isolation_try(&diag) == AQ_OK)
    find(d, FINDING_OK, "isolation", NULL,
         "namespace: any program of exec finds module and /dev/kfd");
  else
    find(d, FINDING_NOTE, "isolation",
         "allow user namespaces (kernel.unprivileged_userns_clone, "
         "user.max_user_namespaces, AppArmor, seccomp) for the others",
         "preload: programs of exec that are linked dynamically find module "
         "and /dev/kfd; %s",
         diag.text);
}

static void check_store(doctor *d)
{
  aq_store *store;
  aq_run_list runs;
  aq_diag diag = AQ_DIAG_INIT;
  const char *given = d->cli->values[AQ_CLI_OPT_STORE];
  aq_status status = aq_store_open(given, AQ_STORE_READ, &store, &diag);
  if (status == AQ_ERR_NOT_FOUND) {
    find(d, FINDING_NOTE, "store", NULL, "%s", diag.text);
    return;
  }
  if (status != AQ_OK) {
    find(d, FINDING_BAD, "store", "give --store another FILE", "%s", diag.text);
    return;
  }
  const char *path = aq_store_path(store), *notice = aq_store_notice(store);
  if (aq_store_list(store, &runs, &diag) != AQ_OK) {
    find(d, FINDING_BAD, "store", NULL, "%s", diag.text);
  } else {
    size_t incomplete = 0;
    for (size_t i = 0; i < runs.count; i++)
      incomplete += !runs.runs[i]->complete;
    find(d, notice ? FINDING_NOTE : FINDING_OK, "store", notice,
         "%s on %s, %zu runs, %zu of them incomplete", path,
         aq_file_system_name(path), runs.count, incomplete);
    aq_run_list_fini(&runs);
  }
  aq_store_close(store);
}

static void check_terminal(doctor *d)
{
  struct winsize size;
  const char *charset = nl_langinfo(CODESET);
  if (!isatty(STDOUT_FILENO)) {
    find(d, FINDING_OK, "terminal", NULL, "output is not a terminal, %s",
         charset);
    return;
  }
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    size.ws_col = 0;
  bool coloured = *aq_cli_color(stdout, AQ_CLI_COLOR_GOOD) != 0;
  find(d, strcmp(charset, "UTF-8") == 0 ? FINDING_OK : FINDING_NOTE, "terminal",
       strcmp(charset, "UTF-8") == 0 ? NULL
                                     : "set LANG=C.UTF-8 for names as they are",
       "%d columns, %s, %s", size.ws_col, coloured ? "colour" : "no colour",
       charset);
}

static void check_names(doctor *d)
{
  const char *library = aq_demangler();
  find(d, library ? FINDING_OK : FINDING_NOTE, "C++ names",
       library ? NULL : "install libstdc++6 to read names of C++ kernels",
       "%s%s", library ? "demangled by " : "not demangled",
       library ? library : "");
}

/* Of `mlir`, and of `launch` for sources. */
static void check_tools(doctor *d)
{
  char *path, advice[160];
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < AQ_TOOL_COUNT; i++) {
    const aq_tool *tool = &aq_tools[i];
    const bool found = aq_tool_find(i, &path, &diag) == AQ_OK;
    snprintf(advice, sizeof advice,
             "install %s, or name its folder in "
             "AQUEDUCT_LLVM",
             tool->package);
    find(d, found ? FINDING_OK : FINDING_MISSING, tool->name,
         found ? NULL : advice, "%s: %s", tool->use,
         found ? path : "not found");
    free(found ? path : NULL);
  }
  const bool found = aq_device_libraries_find(&path, &diag) == AQ_OK;
  find(d, found ? FINDING_OK : FINDING_MISSING, "device libs",
       found ? NULL
             : "install rocm-device-libs, or name their folder in "
               "HIP_DEVICE_LIB_PATH",
       "%s", found ? path : "not found: ocml.bc");
  free(found ? path : NULL);
}

aq_status aq_cli_doctor(aq_cli *cli)
{
  doctor d = {.cli = cli};
  aq_status status = aq_cli_json_begin_if(cli, &d.json);
  if (status != AQ_OK)
    return status;
  if (d.json)
    aq_json_out_array(d.json, NULL);
  check_build(&d);
  check_backends(&d);
  check_runtime(&d);
  check_driver(&d);
  check_isolation(&d);
  check_tools(&d);
  check_store(&d);
  check_terminal(&d);
  check_names(&d);
  if (d.json)
    aq_json_out_close_array(d.json);
  status = aq_cli_json_end_if(cli, d.json);
  return status == AQ_OK ? d.status : status;
}
