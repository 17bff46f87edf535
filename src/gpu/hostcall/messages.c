/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/hostcall/messages.h"

#include <stdlib.h>

#include "common/array.h"
#include "gpu/hostcall/device_printf.h"

/* A descriptor in a message's first word. */
enum { BEGIN = 1, END = 2, LENGTH_SHIFT = 5, LENGTH_MASK = 7, ID_SHIFT = 8 };

typedef struct aq_message {
  uint64_t *words;
  size_t count, capacity;
  bool used;
} message;

/* The number of a free message, or -1: out of memory. */
static int64_t message_begin(aq_messages *m)
{
  for (size_t i = 0; i < m->count; i++)
    if (!m->list[i].used) {
      m->list[i].used = true;
      m->list[i].count = 0;
      return (int64_t)i;
    }
  return AQ_ARRAY_PUSH(m->list, m->count, m->capacity, (message){.used = true})
             ? (int64_t)m->count - 1
             : -1;
}

/* The first word says whether output goes to stderr: here both are one. */
static uint64_t message_print(const message *m, FILE *out)
{
  return m->count > 1 ? (uint64_t)(int64_t)aq_device_printf(out, m->words + 1,
                                                            m->count - 1)
                      : UINT64_MAX;
}

bool aq_messages_read(aq_messages *messages, uint64_t slot[AQ_MESSAGE_SLOT],
                      FILE *out)
{
  uint64_t descriptor = slot[0];
  const size_t length = descriptor >> LENGTH_SHIFT & LENGTH_MASK;
  int64_t id = (int64_t)(descriptor >> ID_SHIFT);
  bool whole = true;
  if (descriptor & BEGIN) {
    id = message_begin(messages);
    /* The kernel continues with the message's number, and no beginning. */
    descriptor = (descriptor & (END | LENGTH_MASK << LENGTH_SHIFT)) |
                 (uint64_t)id << ID_SHIFT;
  }
  if (id < 0 || (uint64_t)id >= messages->count || !messages->list[id].used) {
    slot[0] = 0;
    return false;
  }
  message *m = &messages->list[id];
  for (size_t i = 0; i < length; i++)
    whole =
        AQ_ARRAY_PUSH(m->words, m->count, m->capacity, slot[1 + i]) && whole;
  slot[0] = descriptor;
  if (descriptor & END) {
    slot[0] = message_print(m, out);
    m->used = false;
  }
  return whole;
}

void aq_messages_fini(aq_messages *messages)
{
  for (size_t i = 0; i < messages->count; i++)
    free(messages->list[i].words);
  free(messages->list);
}
