/* SPDX-License-Identifier: MIT */
/*
 * Map from 64-bit keys to 64-bit values, and names to dense ids on top of it.
 *
 * Open addressing with linear probing; removal shifts back, so that a map whose
 * size stays bounded never degrades. Iteration order is not offered: nothing
 * may depend on it. One thread at a time.
 */
#ifndef AQ_COMMON_MAP_H
#define AQ_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

typedef struct aq_map_entry aq_map_entry;

typedef struct aq_map {
  aq_map_entry *entries;
  size_t capacity, count; /* capacity is 0 or a power of two */
} aq_map;

#define AQ_MAP_INIT                                                            \
  {                                                                            \
    NULL, 0, 0                                                                 \
  }

void aq_map_fini(aq_map *map);

/* Sets the value of a key; false when out of memory, nothing changed. */
bool aq_map_put(aq_map *map, uint64_t key, uint64_t value);

/* Whether the key is there; its value goes to *value (may be NULL). */
bool aq_map_get(const aq_map *map, uint64_t key, uint64_t *value);

/* Removes a key and returns whether it was there; its value goes to *value. */
bool aq_map_remove(aq_map *map, uint64_t key, uint64_t *value);

/* Texts by id: 0, 1, 2… in the order they were first seen. */
typedef struct aq_names {
  aq_map by_hash;
  struct aq_name **names;
  size_t count, capacity;
  aq_arena arena;
} aq_names;

#define AQ_NAMES_INIT                                                          \
  {                                                                            \
    AQ_MAP_INIT, NULL, 0, 0, AQ_ARENA_INIT                                     \
  }

void aq_names_fini(aq_names *names);

/* The id of a text (any bytes), new or known; -1 when out of memory. */
int64_t aq_names_id(aq_names *names, const char *text, size_t length);

/* The id of a known text; -1: it is not known. */
int64_t aq_names_find(const aq_names *names, const char *text, size_t length);

/* The text of an id, terminated, owned by `names`; NULL for an unknown id. */
const char *aq_names_text(const aq_names *names, int64_t id);

/* Its length: texts may hold zero bytes. 0 for an unknown id. */
size_t aq_names_length(const aq_names *names, int64_t id);

#endif
