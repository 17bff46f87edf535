/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/check/core/access_history.h"

#include <stdlib.h>

void aq_access_history_fini(aq_access_history *states)
{
  free(states->list);
  *states = (aq_access_history){.list = NULL};
}

uint32_t aq_access_history_add(aq_access_history *states,
                               const aq_check_word *word)
{
  const aq_check_state made = {.word = *word};
  const uint32_t free_one = states->free;
  if (free_one) {
    states->free = states->list[free_one - 1].next;
    states->list[free_one - 1] = made;
    return free_one;
  }
  if (states->count == states->capacity) {
    const uint32_t more = states->capacity ? 2 * states->capacity : 64;
    aq_check_state *list =
        more > states->capacity
            ? realloc(states->list, (size_t)more * sizeof *list)
            : NULL;
    if (!list)
      return 0;
    states->list = list;
    states->capacity = more;
  }
  states->list[states->count++] = made;
  return states->count;
}
