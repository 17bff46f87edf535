/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/kernel_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"

enum { TEXT_SIZE = 160 };

const char *aq_code_text(const char *text, char *to, size_t size)
{
  size_t n = 0;
  for (; text && text[n] && n + 1 < size; n++)
    to[n] = (char)(text[n] < ' ' || text[n] > '~' ? '?' : text[n]);
  to[n] = 0;
  return to;
}

/* Adds to a line of AQ_CODE_LINE_SIZE. */
static void line_add(char *line, const char *before, const char *text)
{
  char clean[TEXT_SIZE];
  const size_t used = strlen(line);
  if (text && text[0])
    snprintf(line + used, AQ_CODE_LINE_SIZE - used, "%s%s", before,
             aq_code_text(text, clean, sizeof clean));
}

static void arg_print(const aq_code_arg *arg, aq_code_line *tell, void *user)
{
  char line[AQ_CODE_LINE_SIZE];
  snprintf(line, sizeof line, "  offset %u, %u bytes: ", arg->offset,
           arg->size);
  line_add(line, "", arg->kind ? arg->kind : "unknown kind");
  line_add(line, ", address space ", arg->space);
  line_add(line, ", ", arg->access);
  line_add(line, ", ", arg->type);
  line_add(line, " ", arg->name);
  tell(line, user);
}

/* The name as people write it. */
static void demangled_print(const aq_code_kernel *kernel, aq_code_line *tell,
                            void *user)
{
  char *name = aq_demangle(kernel->name), line[AQ_CODE_LINE_SIZE],
       text[AQ_CODE_LINE_SIZE - 8];
  if (!name)
    return;
  snprintf(line, sizeof line, "  %s", aq_code_text(name, text, sizeof text));
  tell(line, user);
  free(name);
}

static void registers_print(const aq_code_kernel *k, aq_code_line *tell,
                            void *user)
{
  char line[AQ_CODE_LINE_SIZE];
  int used = snprintf(line, sizeof line,
                      "  %u bytes of group segment, %u of private segment a "
                      "work-item, wave%u",
                      k->group_size, k->private_size, k->wave_size);
  if (k->has_metadata)
    used += snprintf(line + used, sizeof line - (size_t)used,
                     ", %u VGPRs, %u SGPRs, at most %u work-items a workgroup",
                     k->vgprs + k->agprs, k->sgprs, k->workgroup_max);
  if (k->workgroup[0])
    snprintf(line + used, sizeof line - (size_t)used, ", made for %ux%ux%u",
             k->workgroup[0], k->workgroup[1], k->workgroup[2]);
  tell(line, user);
}

void aq_code_kernel_print(const aq_code_kernel *kernel, aq_code_line *tell,
                          void *user)
{
  char line[AQ_CODE_LINE_SIZE], name[TEXT_SIZE];
  size_t hidden = 0;
  snprintf(line, sizeof line, "%s: %u bytes of arguments%s",
           aq_code_text(kernel->name, name, sizeof name), kernel->kernarg_size,
           kernel->has_metadata ? "" : ", which nothing describes");
  tell(line, user);
  demangled_print(kernel, tell, user);
  registers_print(kernel, tell, user);
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].hidden)
      hidden++;
    else
      arg_print(&kernel->args[i], tell, user);
  if (hidden == 0)
    return;
  snprintf(line, sizeof line, "  and %zu that the runtime passes", hidden);
  tell(line, user);
}

void aq_codeobj_print(const aq_codeobj *codeobj, aq_code_line *tell, void *user)
{
  char line[AQ_CODE_LINE_SIZE], target[AQ_TARGET_TEXT_SIZE];
  aq_target_print(&codeobj->target, target);
  snprintf(line, sizeof line, "target          %s", target);
  tell(line, user);
  if (codeobj->target.generic_version) {
    snprintf(line, sizeof line, "generic version %u",
             codeobj->target.generic_version);
    tell(line, user);
  }
  snprintf(line, sizeof line, "version         %u, metadata %u.%u",
           codeobj->version, codeobj->metadata_version[0],
           codeobj->metadata_version[1]);
  tell(line, user);
  snprintf(line, sizeof line, "kernels         %zu", codeobj->kernel_count);
  tell(line, user);
  for (size_t i = 0; i < codeobj->kernel_count; i++) {
    tell("", user);
    aq_code_kernel_print(&codeobj->kernels[i], tell, user);
  }
}
