/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/variables.h"

#include <string.h>

#include "gpu/codeobj/elf.h"

static bool begins(const char *name, const char *with)
{
  return strncmp(name, with, strlen(with)) == 0;
}

/* Sections of variables that are written; .data.rel.ro is not. */
static bool is_of_variables(const aq_elf *elf, const Elf64_Shdr *section)
{
  enum { WANTED = SHF_ALLOC | SHF_WRITE };
  Elf64_Shdr names;
  const char *name = aq_elf_section(elf, elf->head.e_shstrndx, &names)
                         ? aq_elf_text(elf, &names, section->sh_name)
                         : NULL;
  return name && (section->sh_flags & WANTED) == WANTED &&
         (begins(name, ".data") || begins(name, ".bss")) &&
         !begins(name, ".data.rel");
}

typedef struct walk {
  const aq_elf *elf;
  aq_code_variable_take *take;
  void *user;
} walk;

static bool symbol_take(void *user, const Elf64_Sym *symbol, const char *name)
{
  const walk *w = user;
  Elf64_Shdr section;
  if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0 ||
      !aq_elf_section(w->elf, symbol->st_shndx, &section) ||
      !is_of_variables(w->elf, &section) ||
      symbol->st_value < section.sh_addr ||
      symbol->st_value - section.sh_addr > section.sh_size ||
      symbol->st_size > section.sh_size - (symbol->st_value - section.sh_addr))
    return true;
  w->take(w->user, &(aq_code_variable){.name = name ? name : "",
                                       .address = symbol->st_value,
                                       .size = symbol->st_size});
  return true;
}

/* Ends the walk at the first local symbol: each linked file has some. */
static bool is_global(void *user, const Elf64_Sym *symbol, const char *name)
{
  (void)user;
  return ELF64_ST_BIND(symbol->st_info) != STB_LOCAL || !name || !*name;
}

void aq_code_variables_each(const void *bytes, size_t size,
                            aq_code_variable_take *take, void *user)
{
  aq_elf elf;
  Elf64_Shdr section;
  if (!aq_elf_open(bytes, size, &elf) ||
      aq_elf_symbols_each(&elf, SHT_SYMTAB, is_global, NULL))
    return; /* stripped: local variables have no symbols, at least */
  for (uint64_t i = 0; i < elf.sections; i++)
    if (aq_elf_section(&elf, i, &section) && is_of_variables(&elf, &section))
      take(user, &(aq_code_variable){.address = section.sh_addr,
                                     .size = section.sh_size,
                                     .ends = section.sh_type == SHT_NOBITS});
  (void)aq_elf_symbols_each(&elf, SHT_SYMTAB, symbol_take,
                            &(walk){&elf, take, user});
}
