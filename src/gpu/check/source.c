/* SPDX-License-Identifier: MIT */
/* Source lines of the code that is loaded. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "gpu/check/core/core.h"
#include "gpu/check/core/heap.h"
#include "gpu/check/core/stack.h"

static void readonly_add(aq_check *check, uint64_t base, uint64_t bias,
                         const aq_codeobj *code)
{
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    const aq_check_readonly made = {.base = base,
                                    .first = s->address + bias,
                                    .end = s->address + bias + s->memory_size,
                                    .by_waves = code->by_gcc};
    if (!s->writable && !AQ_ARRAY_PUSH(check->readonly, check->readonly_count,
                                       check->readonly_capacity, made))
      check->lost = true;
  }
}

bool aq_check_in_code(const aq_check *check, uint64_t first, uint64_t end)
{
  for (size_t i = 0; i < check->readonly_count; i++)
    if (first < check->readonly[i].end && end > check->readonly[i].first)
      return true;
  return false;
}

bool aq_check_is_by_waves(const aq_check *check, uint64_t pc)
{
  bool by_waves = false;
  for (size_t i = 0; i < check->readonly_count; i++)
    if (pc >= check->readonly[i].first && pc < check->readonly[i].end)
      by_waves |= check->readonly[i].by_waves;
  return by_waves;
}

void aq_check_lines_unread(aq_check *check, const aq_diag *why)
{
  if (check->unread++ == 0)
    snprintf(check->unread_why, sizeof check->unread_why, "%.*s",
             (int)sizeof check->unread_why - 1, why->text);
}

void aq_check_code_unread(aq_check *check, const aq_diag *why)
{
  pthread_mutex_lock(&check->lock);
  aq_check_lines_unread(check, why);
  pthread_mutex_unlock(&check->lock);
}

void aq_check_code(aq_check *check, uint64_t base, uint64_t span, uint64_t bias,
                   const aq_codeobj *code, const void *bytes, size_t size)
{
  aq_check_source made = {.base = base, .end = base + span, .bias = bias};
  aq_code_frames frames = {.names = AQ_NAMES_INIT};
  aq_diag why = AQ_DIAG_INIT;
  bool known =
      aq_code_lines_read(bytes, size, code, &made.lines, &why) == AQ_OK;
  /* Without a line table it stands for its addresses all the same. */
  if (!known)
    made.lines = (aq_code_lines){.files = AQ_NAMES_INIT};
  else if (check->options.checks & AQ_CHECK_MEMORY)
    known = aq_code_frames_read(bytes, size, &frames, &why) == AQ_OK;
  pthread_mutex_lock(&check->lock);
  if (!known)
    aq_check_lines_unread(check, &why);
  readonly_add(check, base, bias, code);
  aq_check_api_code(check, base, bias, bytes, size);
  aq_check_variables_add(check, base, bias, bytes, size);
  aq_check_stack_code(check, base, bias, &frames);
  aq_check_heap_code(check, base, bias, code, bytes, size);
  if (!AQ_ARRAY_PUSH(check->sources, check->source_count,
                     check->source_capacity, made)) {
    check->lost = true;
    aq_code_lines_fini(&made.lines);
  }
  pthread_mutex_unlock(&check->lock);
}

/* Sites are named as long as the checker lives, and other code may come to
 * their addresses: they take their lines along. */
static void sites_leave(aq_check *check, const aq_check_source *s)
{
  for (size_t i = 0; i < check->site_count; i++) {
    aq_check_site *site = &check->sites[i];
    if (site->unloaded || site->pc < s->base || site->pc >= s->end)
      continue;
    const char *file =
        aq_code_lines_user(&s->lines, site->pc - s->bias, &site->line);
    site->file = file ? aq_names_id(&check->names, file, strlen(file)) : -1;
    site->unloaded = true;
  }
}

void aq_check_code_gone(aq_check *check, uint64_t base)
{
  pthread_mutex_lock(&check->lock);
  aq_check_api_code_gone(check, base);
  aq_check_variables_gone(check, base);
  aq_check_stack_code_gone(check, base);
  aq_check_heap_code_gone(check, base);
  for (size_t i = 0; i < check->readonly_count; i++)
    if (check->readonly[i].base == base)
      check->readonly[i--] = check->readonly[--check->readonly_count];
  for (size_t i = 0; i < check->source_count; i++)
    if (check->sources[i].base == base) {
      sites_leave(check, &check->sources[i]);
      aq_code_lines_fini(&check->sources[i].lines);
      check->sources[i--] = check->sources[--check->source_count];
    }
  pthread_mutex_unlock(&check->lock);
}

void aq_check_code_is_all(aq_check *check, bool is_all)
{
  pthread_mutex_lock(&check->lock);
  check->code_is_all = is_all;
  pthread_mutex_unlock(&check->lock);
}

const char *aq_check_line(const aq_check *check, uint64_t pc, uint32_t *line)
{
  for (size_t i = 0; i < check->source_count; i++) {
    const aq_check_source *s = &check->sources[i];
    const char *file = pc >= s->base && pc < s->end
                           ? aq_code_lines_user(&s->lines, pc - s->bias, line)
                           : NULL;
    if (file)
      return file;
  }
  return NULL;
}

void aq_check_sources_fini(aq_check *check)
{
  for (size_t i = 0; i < check->source_count; i++)
    aq_code_lines_fini(&check->sources[i].lines);
  free(check->sources);
  free(check->readonly);
  free(check->variables);
}
