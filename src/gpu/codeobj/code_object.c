/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/code_object.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/code_file.h"
#include "gpu/codeobj/kernel_text.h"

struct aq_code_object {
  aq_code_object_info info;
  char target[AQ_TARGET_TEXT_SIZE];
  aq_codeobj code;
  aq_code_file file; /* closed: the bytes are the caller's */
};

static void object_describe(aq_code_object *object, const void *bytes,
                            size_t size)
{
  const aq_codeobj *code = &object->code;
  aq_target_print(&code->target, object->target);
  object->info = (aq_code_object_info){
      .target = object->target,
      .version = code->version,
      .metadata_version = {code->metadata_version[0],
                           code->metadata_version[1]},
      .bytes = bytes,
      .size = size,
      .kernels = code->kernels,
      .kernel_count = code->kernel_count,
  };
}

/* The code of the open file that a caller asks for. */
static aq_status code_choose(const aq_code_file *file, const char *gfx,
                             const void **bytes, size_t *size, aq_diag *diag)
{
  if (gfx)
    return aq_code_file_find(file, gfx, NULL, bytes, size, diag);
  if (file->bundles.count > 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: a bundle of code for several targets; expected the "
                       "name of one",
                       file->path);
  *bytes = file->bytes;
  *size = file->size;
  return AQ_OK;
}

aq_status aq_code_object_open(const char *path, const char *gfx,
                              aq_code_object **out, aq_diag *diag)
{
  aq_diag words = AQ_DIAG_INIT;
  const void *bytes = NULL;
  size_t size = 0;
  aq_code_object *object = calloc(1, sizeof *object);
  if (!object)
    return aq_diag_no_memory(diag);
  aq_status status = aq_code_file_open(path, &object->file, &words);
  if (status == AQ_OK)
    status = code_choose(&object->file, gfx, &bytes, &size, &words);
  if (status == AQ_OK)
    status =
        aq_code_file_read(&object->file, bytes, size, &object->code, &words);
  if (status != AQ_OK) {
    aq_code_object_close(object);
    return aq_diag_set(diag, status, "%s", words.text);
  }
  object_describe(object, bytes, size);
  object->file.path = NULL; /* it was borrowed for the errors */
  *out = object;
  return AQ_OK;
}

aq_status aq_code_object_parse(const void *bytes, size_t size,
                               aq_code_object **out, aq_diag *diag)
{
  aq_code_object *object = calloc(1, sizeof *object);
  if (!object)
    return aq_diag_no_memory(diag);
  aq_status status = aq_codeobj_read(bytes, size, &object->code, diag);
  if (status != AQ_OK) {
    aq_code_object_close(object);
    return status;
  }
  object_describe(object, bytes, size);
  *out = object;
  return AQ_OK;
}

void aq_code_object_close(aq_code_object *object)
{
  if (!object)
    return;
  aq_codeobj_fini(&object->code);
  aq_code_file_close(&object->file);
  free(object);
}

const aq_code_object_info *aq_code_object_describe(const aq_code_object *object)
{
  return &object->info;
}

const aq_code_kernel *aq_code_object_kernel(const aq_code_object *object,
                                            const char *name)
{
  return aq_codeobj_kernel(&object->code, name);
}

void aq_code_object_print(const aq_code_object *object,
                          void (*line)(const char *text, void *user),
                          void *user)
{
  aq_codeobj_print(&object->code, line, user);
}
