/* SPDX-License-Identifier: MIT */
/* Lowered MLIR: whatever the text, places lie in it, and the text in which each
 * gpu.binary has its choice reads as before. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/compile/mlir_objects.h"

static void object_check(const char *text, size_t size,
                         const aq_mlir_object *object)
{
  size_t bytes;
  if (object->data > object->end || object->end > size)
    abort();
  unsigned char *got = aq_mlir_object_bytes(text, object, &bytes);
  if (!got || bytes > object->end - object->data)
    abort();
  free(got);
}

static void choice_check(const char *text, size_t size,
                         const aq_mlir_objects *before)
{
  char *chosen;
  size_t chosen_size;
  aq_mlir_objects after;
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_mlir_objects_choose(text, size, "gfx90a", &chosen, &chosen_size,
                             &diag) != AQ_OK)
    return;
  if (aq_mlir_objects_find(chosen, chosen_size, &after, &diag) != AQ_OK ||
      after.binary_count != before->binary_count ||
      after.object_count != before->object_count)
    abort();
  for (size_t i = 0; i < after.binary_count; i++)
    if (after.binaries[i].count > 1 && !after.binaries[i].chooses)
      abort();
  aq_mlir_objects_fini(&after);
  free(chosen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = (const char *)data;
  aq_mlir_objects objects;
  aq_diag diag = AQ_DIAG_INIT;
  if (aq_mlir_objects_find(text, size, &objects, &diag) != AQ_OK)
    return 0;
  for (size_t i = 0; i < objects.object_count; i++)
    object_check(text, size, &objects.objects[i]);
  choice_check(text, size, &objects);
  aq_mlir_objects_fini(&objects);
  return 0;
}
