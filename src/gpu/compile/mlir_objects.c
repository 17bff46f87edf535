/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/mlir_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- the text ---- */

typedef struct reader {
  const char *text;
  size_t size, at;
} reader;

static bool starts(const reader *r, const char *what)
{
  const size_t length = strlen(what);
  return r->size - r->at >= length &&
         memcmp(r->text + r->at, what, length) == 0;
}

static void spaces_skip(reader *r)
{
  while (r->at < r->size && (r->text[r->at] == ' ' || r->text[r->at] == '\n'))
    r->at++;
}

/* From a quote to behind the next that is not escaped. */
static bool string_skip(reader *r)
{
  for (r->at++; r->at < r->size && r->text[r->at] != '"'; r->at++)
    r->at += r->text[r->at] == '\\';
  return r->at < r->size && ++r->at;
}

static int depth_change(const reader *r)
{
  const char c = r->text[r->at];
  if (c == '>' && r->at > 0 && r->text[r->at - 1] == '-')
    return 0; /* an arrow */
  return (c == '<' || c == '[' || c == '(' || c == '{') -
         (c == '>' || c == ']' || c == ')' || c == '}');
}

/* From an opening bracket to behind its closing one. */
static bool bracket_skip(reader *r)
{
  int depth = 0;
  do {
    if (r->at >= r->size)
      return false;
    if (r->text[r->at] == '"') {
      if (!string_skip(r))
        return false;
      continue;
    }
    depth += depth_change(r);
    r->at++;
  } while (depth > 0);
  return true;
}

/* ---- objects ---- */

/* `chip = "NAME"` between two places, else MLIR's default. */
static void chip_read(const char *text, size_t begin, size_t end,
                      char out[static 32])
{
  static const char key[] = "chip = \"";
  const char *found = memmem(text + begin, end - begin, key, sizeof key - 1);
  size_t length = 0;
  strcpy(out, "gfx900");
  if (!found)
    return;
  found += sizeof key - 1;
  while (found + length < text + end && found[length] != '"')
    length++;
  snprintf(out, 32, "%.*s", (int)length, found);
}

/* At "#gpu.object<": its target comes first, its bytes are the only text that
 * lies directly in it. */
static bool object_read(reader *r, aq_mlir_object *out)
{
  int depth = 0;
  bool has_bytes = false;
  r->at += strlen("#gpu.object");
  const size_t begin = r->at + 1;
  size_t target_end = 0;
  do {
    if (r->at >= r->size)
      return false;
    const size_t at = r->at;
    if (r->text[at] == '"') {
      if (!string_skip(r))
        return false;
      if (depth == 1) {
        out->data = at + 1;
        out->end = r->at - 1;
        has_bytes = true;
      }
      continue;
    }
    if (r->text[at] == ',' && depth == 1 && target_end == 0)
      target_end = at;
    depth += depth_change(r);
    r->at++;
  } while (depth > 0);
  chip_read(r->text, begin, target_end > 0 ? target_end : begin, out->chip);
  return has_bytes && target_end > 0;
}

static bool list_read(reader *r, aq_mlir_objects *out, aq_mlir_binary *binary)
{
  for (r->at++; r->at < r->size && r->text[r->at] != ']';) {
    aq_mlir_object object = {.binary = out->binary_count};
    if (!starts(r, "#gpu.object<") || !object_read(r, &object) ||
        !AQ_ARRAY_PUSH(out->objects, out->object_count, out->object_capacity,
                       object))
      return false;
    binary->count++;
    if (starts(r, ","))
      r->at++;
    spaces_skip(r);
  }
  return r->at < r->size && binary->count > 0;
}

/* Behind "gpu.binary": @NAME [<CHOICE>] [OBJECTS]. */
static bool binary_read(reader *r, aq_mlir_objects *out)
{
  aq_mlir_binary binary = {.first = out->object_count};
  spaces_skip(r);
  if (!starts(r, "@"))
    return false;
  binary.name = ++r->at;
  if (starts(r, "\"")) {
    if (!string_skip(r))
      return false;
  } else {
    while (r->at < r->size && !strchr(" \n<[", r->text[r->at]))
      r->at++;
  }
  binary.name_end = r->at;
  spaces_skip(r);
  if (starts(r, "<")) {
    binary.chooses = true;
    if (!bracket_skip(r))
      return false;
    spaces_skip(r);
  }
  binary.list = r->at;
  return starts(r, "[") && list_read(r, out, &binary) &&
         AQ_ARRAY_PUSH(out->binaries, out->binary_count, out->binary_capacity,
                       binary);
}

aq_status aq_mlir_objects_find(const char *text, size_t size,
                               aq_mlir_objects *out, aq_diag *diag)
{
  static const char op[] = "gpu.binary ";
  aq_mlir_objects found = {0};
  reader r = {text, size, 0};
  while (r.at < size) {
    if (text[r.at] == '"') {
      if (!string_skip(&r))
        break;
    } else if (starts(&r, op)) {
      const size_t at = r.at;
      r.at += sizeof op - 1;
      if (!binary_read(&r, &found)) {
        aq_mlir_objects_fini(&found);
        return aq_diag_set(diag, AQ_ERR_INPUT,
                           "lowered MLIR, byte %zu: a gpu.binary whose objects "
                           "cannot be read",
                           at);
      }
    } else {
      r.at++;
    }
  }
  *out = found;
  return AQ_OK;
}

void aq_mlir_objects_fini(aq_mlir_objects *objects)
{
  free(objects->binaries);
  free(objects->objects);
  *objects = (aq_mlir_objects){0};
}

/* ---- bytes ---- */

static int digit(char c)
{
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                : -1;
}

unsigned char *aq_mlir_object_bytes(const char *text,
                                    const aq_mlir_object *object, size_t *size)
{
  unsigned char *out = malloc(object->end - object->data + 1), *to = out;
  if (!out)
    return NULL;
  for (size_t i = object->data; i < object->end; i++) {
    const bool escaped = text[i] == '\\' && i + 1 < object->end;
    const bool hex = escaped && i + 2 < object->end &&
                     digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (hex)
      *to++ = (unsigned char)(digit(text[i + 1]) << 4 | digit(text[i + 2]));
    else
      *to++ = (unsigned char)text[i + escaped];
    i += hex ? 2 : escaped;
  }
  *to = 0;
  *size = (size_t)(to - out);
  return out;
}

/* ---- the choice ---- */

static bool object_choose(const aq_mlir_objects *objects,
                          const aq_mlir_binary *binary, const char *chip,
                          size_t *out)
{
  for (size_t i = 0; i < binary->count; i++)
    if (strcmp(objects->objects[binary->first + i].chip, chip) == 0) {
      *out = i;
      return true;
    }
  return false;
}

static aq_status chips_refuse(const char *text, const aq_mlir_objects *objects,
                              const aq_mlir_binary *binary, const char *chip,
                              aq_diag *diag)
{
  char known[200] = "";
  for (size_t i = 0; i < binary->count; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             objects->objects[binary->first + i].chip);
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "GPU module @%.*s: its code is for %s; the device is %s",
                     (int)(binary->name_end - binary->name),
                     text + binary->name, known, chip);
}

static aq_status choice_write(const char *text, size_t size,
                              const aq_mlir_objects *objects, const char *chip,
                              FILE *to, aq_diag *diag)
{
  size_t from = 0, chosen = 0;
  for (size_t i = 0; i < objects->binary_count; i++) {
    const aq_mlir_binary *binary = &objects->binaries[i];
    if (!binary->chooses && !object_choose(objects, binary, chip, &chosen))
      return chips_refuse(text, objects, binary, chip, diag);
    if (binary->chooses || binary->count == 1)
      continue;
    fwrite(text + from, 1, binary->list - from, to);
    fprintf(to, "<#gpu.select_object<%zu : i64>> ", chosen);
    from = binary->list;
  }
  fwrite(text + from, 1, size - from, to);
  return AQ_OK;
}

aq_status aq_mlir_objects_choose(const char *text, size_t size,
                                 const char *chip, char **out, size_t *out_size,
                                 aq_diag *diag)
{
  aq_mlir_objects objects;
  char *written = NULL;
  size_t written_size = 0;
  aq_status status = aq_mlir_objects_find(text, size, &objects, diag);
  if (status != AQ_OK)
    return status;
  FILE *to = open_memstream(&written, &written_size);
  status = to ? choice_write(text, size, &objects, chip, to, diag)
              : aq_diag_no_memory(diag);
  if (to && fclose(to) != 0 && status == AQ_OK)
    status = aq_diag_no_memory(diag);
  aq_mlir_objects_fini(&objects);
  if (status == AQ_OK) {
    *out = written;
    *out_size = written_size;
  } else {
    free(written);
  }
  return status;
}
