/* SPDX-License-Identifier: MIT */
/* Source lines of the code that is loaded. */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "gpu/check/core/core.h"

static void readonly_add(aq_check *check, uint64_t base, uint64_t bias,
                         const aq_codeobj *code)
{
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    const aq_check_readonly made = {.base = base,
                                    .first = s->address + bias,
                                    .end = s->address + bias + s->memory_size};
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

void aq_check_code(aq_check *check, uint64_t base, uint64_t span, uint64_t bias,
                   const aq_codeobj *code, const void *bytes, size_t size)
{
  aq_check_source made = {.base = base, .end = base + span, .bias = bias};
  const bool lines =
      aq_code_lines_read(bytes, size, code, &made.lines, NULL) == AQ_OK;
  pthread_mutex_lock(&check->lock);
  readonly_add(check, base, bias, code);
  aq_check_api_code(check, base, bias, bytes, size);
  if (lines && !AQ_ARRAY_PUSH(check->sources, check->source_count,
                              check->source_capacity, made)) {
    check->lost = true;
    aq_code_lines_fini(&made.lines);
  }
  pthread_mutex_unlock(&check->lock);
}

void aq_check_code_gone(aq_check *check, uint64_t base)
{
  pthread_mutex_lock(&check->lock);
  aq_check_api_code_gone(check, base);
  for (size_t i = 0; i < check->readonly_count; i++)
    if (check->readonly[i].base == base)
      check->readonly[i--] = check->readonly[--check->readonly_count];
  for (size_t i = 0; i < check->source_count; i++)
    if (check->sources[i].base == base) {
      aq_code_lines_fini(&check->sources[i].lines);
      check->sources[i--] = check->sources[--check->source_count];
    }
  pthread_mutex_unlock(&check->lock);
}

const char *aq_check_line(const aq_check *check, uint64_t pc, uint32_t *line)
{
  for (size_t i = 0; i < check->source_count; i++) {
    const aq_check_source *s = &check->sources[i];
    const aq_code_line *found =
        pc >= s->base && pc < s->end
            ? aq_code_lines_find(&s->lines, pc - s->bias)
            : NULL;
    if (!found || found->line == 0)
      continue;
    *line = found->line;
    return aq_names_text(&s->lines.files, found->file);
  }
  return NULL;
}

void aq_check_sources_fini(aq_check *check)
{
  for (size_t i = 0; i < check->source_count; i++)
    aq_code_lines_fini(&check->sources[i].lines);
  free(check->sources);
  free(check->readonly);
}
