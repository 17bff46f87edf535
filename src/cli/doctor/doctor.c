/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/doctor/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_hsa/probe.h"
#include "cli/doctor/file_system.h"
#include "cli/exec/mount_namespace.h"
#include "common/demangle.h"
#include "common/text.h"
#include "common/transports.h"
#include "gpu/compile/tools.h"
#include "gpu/wave/jit/emit_unit.h"
#include "gpu/wave/jit/jit_builder.h"
#include "store/store.h"
#include "transport/registry/device_models.h"

typedef struct doctor {
  const aq_doctor_options *options;
  aq_doctor_sink *sink;
  void *user;
} doctor;

static void find(const doctor *d, aq_doctor_state state, const char *what,
                 const char *advice, const char *fmt, ...) AQ_PRINTF(5, 6);

static void find(const doctor *d, aq_doctor_state state, const char *what,
                 const char *advice, const char *fmt, ...)
{
  char detail[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(detail, sizeof detail, fmt, args);
  va_end(args);
  const aq_doctor_finding finding = {state, what, detail, advice};
  d->sink(&finding, d->user);
}

static void check_build(const doctor *d)
{
  find(d, AQ_DOCTOR_OK, "version", NULL, "aqueduct %s, built with %s",
       PACKAGE_VERSION, AQ_BUILT_WITH);
#ifdef HAVE_SMARTCOLS
  find(d, AQ_DOCTOR_OK, "tables", NULL, "aligned by libsmartcols");
#else
  find(d, AQ_DOCTOR_NOTE, "tables",
       "install libsmartcols-dev and configure again for aligned ones",
       "separated by tabs");
#endif
#ifdef HAVE_ZSTD
  find(d, AQ_DOCTOR_OK, "packed traces", NULL, "gzip and zstd");
#else
  find(d, AQ_DOCTOR_NOTE, "packed traces",
       "install libzstd-dev and configure again for those packed with zstd",
       "gzip");
#endif
}

static void check_backends(const doctor *d)
{
  char names[512] = "";
  const aq_transport_ops *const *all = aq_transports();
  for (size_t i = 0; all[i]; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", all[i]->name);
  find(d, AQ_DOCTOR_OK, "transports", NULL, "%s", names);
  names[0] = 0;
  for (size_t i = 0; aq_device_model_name(i); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", aq_device_model_name(i));
  find(d, AQ_DOCTOR_OK, "device models", NULL, "%s", names);
}

static void check_runtime(const doctor *d)
{
  aqhsa_probe_result found;
  aqhsa_probe(d->options->libhsa, &found);
  switch (found.state) {
  case AQHSA_PROBE_ABSENT:
    find(d, AQ_DOCTOR_MISSING, "HSA runtime",
         "install ROCm or libhsa-runtime64-1, or give --libhsa PATH; the "
         "simulator does not need it",
         "%s", found.problem);
    break;
  case AQHSA_PROBE_FOREIGN:
    find(d, AQ_DOCTOR_MISSING, "HSA runtime", "give --libhsa another PATH",
         "%s", found.problem);
    break;
  case AQHSA_PROBE_FAILED:
    find(d, AQ_DOCTOR_MISSING, "HSA runtime",
         "it needs a GPU and access to /dev/kfd; the simulator does not",
         "%s: %s", found.path, found.problem);
    break;
  case AQHSA_PROBE_READY:
    find(d, found.gpus ? AQ_DOCTOR_OK : AQ_DOCTOR_NOTE, "HSA runtime",
         found.gpus ? "run with --transport hsa; `make check-hsa` runs the "
                      "contract suite on it, doc/hsa.md says what that shows"
                    : NULL,
         "%s: %" PRIu32 " GPUs%s%s%s, %" PRIu32 " CPUs", found.path, found.gpus,
         found.gpus ? " (" : "", found.gpu, found.gpus ? ")" : "", found.cpus);
    break;
  }
}

static void check_driver(const doctor *d)
{
  if (access("/dev/kfd", F_OK) != 0)
    find(d, AQ_DOCTOR_MISSING, "GPU driver",
         "load the amdgpu kernel module on a machine with an AMD GPU; the "
         "simulator does not need it",
         "/dev/kfd: %s", strerror(errno));
  else if (access("/dev/kfd", R_OK | W_OK) != 0)
    find(d, AQ_DOCTOR_MISSING, "GPU driver",
         "sudo usermod -aG render,video $USER, then log in again",
         "/dev/kfd: %s", strerror(errno));
  else
    find(d, AQ_DOCTOR_OK, "GPU driver", NULL, "/dev/kfd can be opened");
}

static void check_isolation(const doctor *d)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_isolation_try(NULL, &diag) == AQ_OK)
    find(d, AQ_DOCTOR_OK, "isolation", NULL,
         "namespace: any program of exec finds module and /dev/kfd");
  else
    find(d, AQ_DOCTOR_NOTE, "isolation",
         "allow user namespaces (kernel.unprivileged_userns_clone, "
         "user.max_user_namespaces, AppArmor, seccomp) for the others",
         "preload: programs of exec that are linked dynamically find module "
         "and /dev/kfd; %s",
         diag.text);
}

static void check_compiled(const doctor *d)
{
  static const char slow[] = "kernels are interpreted, several times as slowly";
  const char *text = secure_getenv("AQUEDUCT_COMPILE"), *what = "compiled code";
  aq_jit_mode mode = AQ_JIT_AUTO;
  aq_diag diag = AQ_DIAG_INIT;
  if (text && *text && aq_jit_mode_read(text, &mode, &diag) != AQ_OK) {
    find(d, AQ_DOCTOR_BAD, what, NULL, "AQUEDUCT_COMPILE: %s", diag.text);
    return;
  }
  const char *why = aq_emitter_refusal();
  if (mode == AQ_JIT_OFF)
    find(d, AQ_DOCTOR_NOTE, what, "unset AQUEDUCT_COMPILE",
         "interpreter: %s: AQUEDUCT_COMPILE is off", slow);
  else if (why)
    find(d, AQ_DOCTOR_NOTE, what, NULL, "interpreter: %s: %s", slow, why);
  else
    find(d, AQ_DOCTOR_OK, what, NULL,
         "emitter: kernels execute as machine code of this processor");
}

static void check_store(const doctor *d)
{
  aq_store *store;
  aq_run_list runs;
  aq_diag diag = AQ_DIAG_INIT;
  const char *given = d->options->store;
  aq_status status = aq_store_open(given, AQ_STORE_READ, &store, &diag);
  if (status == AQ_ERR_NOT_FOUND) {
    find(d, AQ_DOCTOR_NOTE, "store", NULL, "%s", diag.text);
    return;
  }
  if (status != AQ_OK) {
    find(d, AQ_DOCTOR_BAD, "store", "give --store another FILE", "%s",
         diag.text);
    return;
  }
  const char *path = aq_store_path(store), *notice = aq_store_notice(store);
  if (aq_store_list(store, &runs, &diag) != AQ_OK) {
    find(d, AQ_DOCTOR_BAD, "store", NULL, "%s", diag.text);
  } else {
    size_t incomplete = 0;
    for (size_t i = 0; i < runs.count; i++)
      incomplete += !runs.runs[i]->complete;
    find(d, notice ? AQ_DOCTOR_NOTE : AQ_DOCTOR_OK, "store", notice,
         "%s on %s, %zu run%s, %zu incomplete", path, aq_file_system_name(path),
         runs.count, aq_text_plural(runs.count), incomplete);
    aq_run_list_fini(&runs);
  }
  aq_store_close(store);
}

static void check_names(const doctor *d)
{
  const char *library = aq_demangler();
  find(d, library ? AQ_DOCTOR_OK : AQ_DOCTOR_NOTE, "C++ names",
       library ? NULL : "install libstdc++6 to read names of C++ kernels",
       "%s%s", library ? "demangled by " : "not demangled",
       library ? library : "");
}

/* Of `mlir`, and of `launch` for sources. */
static void check_tools(const doctor *d)
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
    find(d, found ? AQ_DOCTOR_OK : AQ_DOCTOR_MISSING, tool->name,
         found ? NULL : advice, "%s: %s", tool->use,
         found ? path : "not found");
    free(found ? path : NULL);
  }
  const bool found = aq_device_libraries_find(&path, &diag) == AQ_OK;
  find(d, found ? AQ_DOCTOR_OK : AQ_DOCTOR_MISSING, "device libs",
       found ? NULL
             : "install rocm-device-libs, or name their folder in "
               "HIP_DEVICE_LIB_PATH",
       "%s", found ? path : "not found: ocml.bc");
  free(found ? path : NULL);
}

void aq_doctor_examine(const aq_doctor_options *options, aq_doctor_sink *sink,
                       void *user)
{
  const doctor d = {options, sink, user};
  check_build(&d);
  check_backends(&d);
  check_runtime(&d);
  check_driver(&d);
  check_isolation(&d);
  check_compiled(&d);
  check_tools(&d);
  check_store(&d);
  check_names(&d);
}
