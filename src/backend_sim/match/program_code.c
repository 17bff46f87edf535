/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/match/program_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* ---- files ---- */

aq_status aq_program_code_add(aq_program_code *code, const char *file_path,
                              const aq_notes *notes, aq_diag *diag)
{
  aq_diag why = AQ_DIAG_INIT;
  aq_code_file file;
  if (!aq_code_file_is(file_path))
    return AQ_OK;
  char *path = strdup(file_path);
  if (!path)
    return aq_diag_no_memory(diag);
  aq_status status = AQ_OK;
  if (aq_code_file_open(path, &file, &why) != AQ_OK) {
    aq_note(notes, "%s; its code counts for no device", why.text);
  } else {
    if (AQ_ARRAY_PUSH(code->files, code->count, code->capacity, file))
      return AQ_OK;
    aq_code_file_close(&file);
    status = aq_diag_no_memory(diag);
  }
  free(path);
  return status;
}

void aq_program_code_fini(aq_program_code *code)
{
  for (size_t i = 0; i < code->count; i++) {
    char *path = (char *)(uintptr_t)code->files[i].path;
    aq_code_file_close(&code->files[i]);
    free(path);
  }
  free(code->files);
  *code = (aq_program_code){0};
}

/* ---- fitting ---- */

static bool has_device_code(const aq_bundle *bundle)
{
  for (size_t i = 0; i < bundle->count; i++)
    if (bundle->entries[i].size > 0 &&
        strncmp(bundle->entries[i].id, "host-", 5) != 0)
      return true;
  return false;
}

aq_program_fit aq_program_code_fit(const aq_program_code *code,
                                   const aq_target *device)
{
  aq_program_fit fit = {0};
  for (size_t i = 0; i < code->count; i++) {
    const aq_bundles *bundles = &code->files[i].bundles;
    size_t fitting = 0, all = 0;
    for (size_t j = 0; j < bundles->count; j++) {
      all += has_device_code(&bundles->list[j]);
      fitting += aq_bundle_find(&bundles->list[j], device) != NULL;
    }
    fit.bundles += fitting;
    if (i == 0 && code->own)
      fit.own = fitting;
    else
      fit.libraries += fitting == all;
  }
  return fit;
}

bool aq_program_fit_is(const aq_program_code *code, const aq_program_fit *fit)
{
  return code->own ? fit->own > 0 : fit->bundles > 0;
}

static int size_compare(size_t a, size_t b)
{
  return (a > b) - (a < b);
}

int aq_program_fit_compare(const aq_program_fit *a, const aq_program_fit *b)
{
  int order = size_compare(a->own, b->own);
  if (order == 0)
    order = size_compare(a->libraries, b->libraries);
  return order ? order : size_compare(a->bundles, b->bundles);
}

/* ---- words ---- */

/* Whether a list with commas has a text. */
static bool list_has(const char *list, const char *text)
{
  const size_t length = strlen(text);
  for (const char *at = list; (at = strstr(at, text)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ','))
      return true;
  return false;
}

static void list_add(char *list, size_t size, const char *text)
{
  static const char more[] = ", …";
  const size_t used = strlen(list);
  if (list_has(list, text) || list_has(list, "…"))
    return;
  if (used + strlen(text) + sizeof ", " + sizeof more <= size)
    snprintf(list + used, size - used, "%s%s", used ? ", " : "", text);
  else if (used + sizeof more <= size)
    memcpy(list + used, more, sizeof more);
}

void aq_program_code_targets(const aq_program_code *code, char *text,
                             size_t size)
{
  text[0] = 0;
  const aq_bundles *bundles = &code->files[0].bundles;
  for (size_t i = 0; i < bundles->count; i++)
    for (size_t j = 0; j < bundles->list[i].count; j++) {
      const aq_bundle_entry *entry = &bundles->list[i].entries[j];
      char target[AQ_TARGET_TEXT_SIZE];
      if (entry->has_target)
        aq_target_print(&entry->target, target);
      if (strncmp(entry->id, "host-", 5) != 0)
        list_add(text, size, entry->has_target ? target : entry->id);
    }
}
