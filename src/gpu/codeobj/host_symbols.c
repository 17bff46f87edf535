/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/host_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/elf.h"

static bool symbol_add(void *user, const Elf64_Sym *symbol, const char *name)
{
  aq_host_symbols *out = user;
  if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !name || !*name ||
      symbol->st_shndx == SHN_UNDEF)
    return true;
  const int64_t id = aq_names_id(&out->names, name, strlen(name));
  const aq_host_symbol made = {.address = symbol->st_value,
                               .size = symbol->st_size,
                               .name = (uint32_t)id};
  return id >= 0 && id < UINT32_MAX &&
         AQ_ARRAY_PUSH(out->list, out->count, out->capacity, made);
}

bool aq_host_symbols_read(const void *bytes, size_t size, aq_host_symbols *out,
                          bool *fixed)
{
  aq_elf elf;
  *out = (aq_host_symbols){.names = AQ_NAMES_INIT};
  if (!aq_elf_open(bytes, size, &elf))
    return false;
  *fixed = elf.head.e_type == ET_EXEC;
  return aq_elf_symbols_each(&elf, SHT_SYMTAB, symbol_add, out);
}

void aq_host_symbols_fini(aq_host_symbols *symbols)
{
  aq_names_fini(&symbols->names);
  free(symbols->list);
  *symbols = (aq_host_symbols){.names = AQ_NAMES_INIT};
}

const char *aq_host_symbols_find(const aq_host_symbols *symbols,
                                 uint64_t address)
{
  for (size_t i = 0; i < symbols->count; i++) {
    const aq_host_symbol *s = &symbols->list[i];
    if (address - s->address < s->size)
      return aq_names_text(&symbols->names, s->name);
  }
  return NULL;
}
