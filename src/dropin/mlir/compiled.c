/* SPDX-License-Identifier: MIT */
/* Modules that come as assembly: `gpu-module-to-binary{format=isa}`. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/mlir/core.h"
#include "gpu/compile/compile.h"
#include "gpu/compile/temp_dir.h"

static aq_status object_load(aq_mlir *m, uint32_t device, const char *path,
                             const char *level, aq_mlir_module **out,
                             aq_diag *diag)
{
  const aq_compile_ask ask = {
      .path = path, .gfx = m->info.devices[device].gfx, .level = level};
  aq_compiled compiled;
  char *bytes;
  size_t size;
  aq_status status = aq_compile(&ask, &compiled, diag);
  if (status != AQ_OK)
    return status;
  status = aq_file_read(compiled.path, &bytes, &size, diag);
  if (status == AQ_OK) {
    status = aq_mlir_module_load(m, device, bytes, size, out, diag);
    free(bytes);
  }
  aq_compiled_fini(&compiled);
  return status;
}

aq_status aq_mlir_module_compile(aq_mlir *m, uint32_t device, const char *text,
                                 int level, aq_mlir_module **out, aq_diag *diag)
{
  const char digit[] = {(char)('0' + level), 0};
  char *folder, *path;
  if (level < 0 || level > 3)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "GPU module: optimization level %d; expected 0 to 3",
                       level);
  aq_status status = aq_folder_make(&folder, diag);
  if (status != AQ_OK)
    return status;
  path = aq_folder_path(folder, "module.s");
  status = path ? aq_file_write(path, text, strlen(text), diag)
                : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = object_load(m, device, path, digit, out, diag);
  free(path);
  aq_folder_remove(folder);
  return status;
}
