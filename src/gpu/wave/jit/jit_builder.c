/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct aq_jit_builder {
  aq_jit_mode mode;
  void (*print)(const char *line, void *user);
  void *user; /* of it */
};

/* What replaced a word that this took once, or NULL. */
static const char *mode_replaced(const char *text)
{
  return strcmp(text, "cc") == 0          ? "auto"
         : strcmp(text, "cc-always") == 0 ? "always"
                                          : NULL;
}

aq_status aq_jit_mode_read(const char *text, aq_jit_mode *out, aq_diag *diag)
{
  static const char *const names[] = {"off", "auto", "always"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], text) == 0) {
      *out = (aq_jit_mode)i;
      return AQ_OK;
    }
  const char *now = mode_replaced(text);
  if (now)
    return aq_diag_set(diag, AQ_ERR_INVALID, "\"%s\" is no longer: use %s",
                       text, now);
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "\"%s\"; expected off, auto or always", text);
}

static void refusal_print(void *user, const char *why)
{
  const aq_jit_builder *b = user;
  char line[AQ_DIAG_TEXT_MAX + 80];
  snprintf(line, sizeof line, "hot code is interpreted, not compiled: %s", why);
  if (b->print)
    b->print(line, b->user);
}

aq_status aq_jit_builder_create(aq_jit_mode mode,
                                void (*print)(const char *line, void *user),
                                void *user, aq_jit_builder **out, aq_diag *diag)
{
  *out = NULL;
  if (mode == AQ_JIT_OFF)
    return AQ_OK;
  *out = calloc(1, sizeof **out);
  if (!*out)
    return aq_diag_no_memory(diag);
  (*out)->mode = mode;
  (*out)->print = print;
  (*out)->user = user;
  return AQ_OK;
}

void aq_jit_builder_options(aq_jit_builder *builder, aq_jit_options *out)
{
  *out = (aq_jit_options){.always = builder->mode == AQ_JIT_ALWAYS,
                          .tell = refusal_print,
                          .user = builder};
}

aq_status aq_jit_builder_use(aq_jit_builder *builder, aq_wave_machine *machine,
                             aq_diag *diag)
{
  if (!builder)
    return AQ_OK;
  aq_jit_options options;
  aq_jit_builder_options(builder, &options);
  return aq_wave_machine_compile(machine, &options, diag);
}

void aq_jit_builder_destroy(aq_jit_builder *builder)
{
  free(builder);
}
