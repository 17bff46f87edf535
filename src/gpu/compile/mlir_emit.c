/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/mlir_emit.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/compile/mlir_objects.h"
#include "gpu/compile/subprocess.h"
#include "gpu/compile/temp_dir.h"
#include "gpu/compile/tools.h"

static const struct {
  const char *what, *form;
} forms[] = {{"llvm", "llvm"}, {"asm", "isa"}, {"hsaco", "fatbin"}};

const char *aq_emit_form(const char *what)
{
  size_t i = 0;
  while (i + 1 < sizeof forms / sizeof *forms &&
         strcmp(forms[i].what, what) != 0)
    i++;
  return forms[i].form;
}

static void bytes_put(FILE *to, const void *bytes, size_t size)
{
  fwrite(bytes, 1, size, to);
}

/* Bitcode as text. */
static aq_status bitcode_print(const void *bytes, size_t size, FILE *to,
                               aq_diag *diag)
{
  aq_child child = {0};
  char *tool = NULL, *folder = NULL, *in = NULL, *out = NULL, *text = NULL;
  size_t text_size = 0;
  aq_status status = aq_tool_find(AQ_TOOL_LLVM_DIS, &tool, diag);
  if (status == AQ_OK)
    status = aq_folder_make(&folder, diag);
  if (status == AQ_OK) {
    in = aq_folder_path(folder, "module.bc");
    out = aq_folder_path(folder, "module.ll");
    status = in && out ? aq_file_write(in, bytes, size, diag)
                       : aq_diag_no_memory(diag);
  }
  if (status == AQ_OK) {
    aq_child_add(&child, tool);
    aq_child_add(&child, in);
    aq_child_add(&child, "-o");
    aq_child_add(&child, out);
    status = aq_child_run(&child, NULL, diag);
  }
  if (status == AQ_OK)
    status = aq_file_read(out, &text, &text_size, diag);
  if (status == AQ_OK)
    bytes_put(to, text, text_size);
  free(text);
  free(out);
  free(in);
  aq_folder_remove(folder);
  free(tool);
  return status;
}

static aq_status object_put(const aq_lowered *lowered,
                            const aq_mlir_object *object, const char *what,
                            FILE *to, aq_diag *diag)
{
  size_t size;
  unsigned char *bytes = aq_mlir_object_bytes(lowered->text, object, &size);
  aq_status status = AQ_OK;
  if (!bytes)
    return aq_diag_no_memory(diag);
  if (strcmp(what, "llvm") == 0)
    status = bitcode_print(bytes, size, to, diag);
  else
    bytes_put(to, bytes, size);
  free(bytes);
  return status;
}

aq_status aq_emit(const aq_lower_ask *ask, const aq_lowered *lowered,
                  const char *what, FILE *to, aq_diag *diag)
{
  aq_mlir_objects objects;
  aq_status status =
      aq_mlir_objects_find(lowered->text, lowered->size, &objects, diag);
  if (status != AQ_OK)
    return status;
  if (objects.binary_count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: no GPU module", ask->path);
  else if (objects.binary_count > 1 && strcmp(what, "hsaco") == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: %zu GPU modules; hsaco takes a file with "
                         "one",
                         ask->path, objects.binary_count);
  for (size_t i = 0; i < objects.object_count && status == AQ_OK; i++)
    if (strcmp(objects.objects[i].chip, ask->chip) == 0)
      status = object_put(lowered, &objects.objects[i], what, to, diag);
  aq_mlir_objects_fini(&objects);
  return status;
}
