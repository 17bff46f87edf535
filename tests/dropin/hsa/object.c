/* SPDX-License-Identifier: MIT */
#include "dropin/hsa/object.h"

#include <stddef.h>

#define AT(field) offsetof(object, field)

enum {
  ABS32_LO = 1,
  ABS32_HI = 2,
  ABS64 = 3,
  RELATIVE64 = 13,
  OUTSIDE = 4, /* the index of its symbol */
};

static Elf64_Sym symbol(uint32_t name, uint64_t address, uint64_t size)
{
  return (Elf64_Sym){.st_name = name,
                     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                     .st_shndx = 1,
                     .st_value = address,
                     .st_size = size};
}

object *object_make(uint32_t mach)
{
  static object o;
  o = (object){.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                    ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 64, 2},
                        .e_type = ET_DYN,
                        .e_machine = 224,
                        .e_phoff = AT(segment),
                        .e_shoff = AT(sections),
                        .e_flags = mach,
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = 1,
                        .e_shentsize = sizeof(Elf64_Shdr),
                        .e_shnum = 4},
               .segment = {.p_type = PT_LOAD,
                           .p_filesz = sizeof(object),
                           .p_memsz = sizeof(object) + 100},
               .sections = {[1] = {.sh_type = SHT_DYNSYM,
                                   .sh_offset = AT(symbols),
                                   .sh_size = OUTSIDE * sizeof(Elf64_Sym),
                                   .sh_link = 2},
                            [2] = {.sh_type = SHT_STRTAB,
                                   .sh_offset = AT(texts),
                                   .sh_size = sizeof o.texts},
                            [3] = {.sh_type = SHT_RELA,
                                   .sh_flags = SHF_ALLOC,
                                   .sh_offset = AT(relocations),
                                   .sh_size = sizeof(Elf64_Rela),
                                   .sh_link = 1}},
               .texts = "\0add.kd\0other.kd\0variable\0outside",
               .relocations = {{.r_offset = AT(variable),
                                .r_info = ELF64_R_INFO(0, RELATIVE64),
                                .r_addend = AT(kernels)}},
               .kernels = {{128, 16, 24}, {0, 0, 8}}};
  o.symbols[1] = symbol(1, AT(kernels), 64);
  o.symbols[2] = symbol(8, AT(kernels) + 64, 64);
  o.symbols[3] = symbol(17, AT(variable), 8);
  return &o;
}

static Elf64_Rela reference(uint64_t place, uint32_t type)
{
  return (Elf64_Rela){.r_offset = place, .r_info = ELF64_R_INFO(OUTSIDE, type)};
}

object *object_make_referring(uint32_t mach)
{
  object *o = object_make(mach);
  o->symbols[OUTSIDE] =
      (Elf64_Sym){.st_name = 26, .st_info = ELF64_ST_INFO(STB_GLOBAL, 0)};
  o->sections[1].sh_size = sizeof o->symbols;
  o->relocations[1] = reference(AT(outside), ABS64);
  o->relocations[2] = reference(AT(halves), ABS32_LO);
  o->relocations[3] = reference(AT(halves) + 4, ABS32_HI);
  o->sections[3].sh_size = sizeof o->relocations;
  return o;
}
