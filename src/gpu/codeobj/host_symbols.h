/* SPDX-License-Identifier: MIT */
/*
 * The functions of a program or library of the host, by address, of its full
 * table of symbols: static ones, and main. The bytes may be anything: they are
 * checked.
 */
#ifndef AQ_GPU_CODEOBJ_HOST_SYMBOLS_H
#define AQ_GPU_CODEOBJ_HOST_SYMBOLS_H

#include "common/map.h"

typedef struct aq_host_symbol {
  uint64_t address, size;
  uint32_t name; /* an id of `names` */
} aq_host_symbol;

typedef struct aq_host_symbols {
  aq_names names;
  aq_host_symbol *list;
  size_t count, capacity;
} aq_host_symbols;

/* `*fixed`: the file is not loaded elsewhere. False: out of memory, or no ELF
 * file; a file without the table has none. */
bool aq_host_symbols_read(const void *bytes, size_t size, aq_host_symbols *out,
                          bool *fixed);
void aq_host_symbols_fini(aq_host_symbols *symbols);

/* The function that an address lies in, or NULL. */
const char *aq_host_symbols_find(const aq_host_symbols *symbols,
                                 uint64_t address);

#endif
