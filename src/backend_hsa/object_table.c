/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_hsa/object_table.h"

bool aqhsa_table_put(aqhsa_table *table, aqhsa_held *held, uint64_t key)
{
  if (!aq_map_put(&table->map, key, (uintptr_t)held))
    return false;
  held->key = key;
  held->next = table->first;
  held->link = &table->first;
  if (held->next)
    held->next->link = &held->next;
  table->first = held;
  return true;
}

aqhsa_held *aqhsa_table_get(const aqhsa_table *table, uint64_t key)
{
  uint64_t found = 0;
  return aq_map_get(&table->map, key, &found) ? (aqhsa_held *)(uintptr_t)found
                                              : NULL;
}

void aqhsa_table_remove(aqhsa_table *table, aqhsa_held *held)
{
  aq_map_remove(&table->map, held->key, NULL);
  *held->link = held->next;
  if (held->next)
    held->next->link = held->link;
}
