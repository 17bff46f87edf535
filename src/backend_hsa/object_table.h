/* SPDX-License-Identifier: MIT */
/*
 * Tables of the objects that the transport releases when it closes.
 *
 * Thread rule: the caller holds the lock of the transport (core.h). A table
 * borrows its members; the map of a zeroed table is empty, and aq_map_fini
 * frees it.
 */
#ifndef AQHSA_OBJECT_TABLE_H
#define AQHSA_OBJECT_TABLE_H

#include <stdbool.h>

#include "common/map.h"

/* A member of a table, found by its key; first or embedded in its object. */
typedef struct aqhsa_held {
  struct aqhsa_held *next, **link;
  uint64_t key;
} aqhsa_held;

typedef struct aqhsa_table {
  aqhsa_held *first;
  aq_map map; /* key → aqhsa_held * */
} aqhsa_table;

/* Returns false when out of memory. */
bool aqhsa_table_put(aqhsa_table *table, aqhsa_held *held, uint64_t key);

/* The member with this key, or NULL. */
aqhsa_held *aqhsa_table_get(const aqhsa_table *table, uint64_t key);
void aqhsa_table_remove(aqhsa_table *table, aqhsa_held *held);

#endif
