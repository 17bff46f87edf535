/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/repeats.h"

void aq_repeats_fini(aq_repeats *repeats)
{
  aq_map_fini(&repeats->known);
}

/* Continues a digest; multipliers are odd, and differ between the halves. */
static uint64_t digest_add(uint64_t digest, uint64_t value, uint64_t factor)
{
  digest = (digest ^ value) * factor;
  return digest ^ digest >> 29;
}

bool aq_repeats_note(aq_repeats *repeats, const int64_t *values, size_t count,
                     bool *again)
{
  uint64_t key = count, rest = ~(uint64_t)count, known;
  for (size_t i = 0; i < count; i++) {
    const uint64_t value = (uint64_t)values[i];
    key = digest_add(key, value, UINT64_C(0x9e3779b97f4a7c15));
    rest = digest_add(rest, value, UINT64_C(0xd1342543de82ef95));
  }
  *again = aq_map_get(&repeats->known, key, &known) && known == rest;
  return *again || aq_map_put(&repeats->known, key, rest);
}
