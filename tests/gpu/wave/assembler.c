/* SPDX-License-Identifier: MIT */
#include "assembler.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

static const char triple[] = "amdgcn-amd-amdhsa";

/* LLVM's interface for C, whose headers are in a package of their own. */
enum { LLVM_ERROR = 0, LLVM_OBJECT = 1 };
typedef struct llvm_context llvm_context;
typedef struct llvm_module llvm_module;
typedef struct llvm_target llvm_target;
typedef struct llvm_machine llvm_machine;
typedef struct llvm_buffer llvm_buffer;
typedef struct llvm_message llvm_message;

#define FUNCTIONS(F)                                                           \
  F(void, InitializeAMDGPUTargetInfo, (void))                                  \
  F(void, InitializeAMDGPUTarget, (void))                                      \
  F(void, InitializeAMDGPUTargetMC, (void))                                    \
  F(void, InitializeAMDGPUAsmParser, (void))                                   \
  F(void, InitializeAMDGPUAsmPrinter, (void))                                  \
  F(llvm_context *, ContextCreate, (void))                                     \
  F(void, ContextDispose, (llvm_context *))                                    \
  F(void, ContextSetDiagnosticHandler,                                         \
    (llvm_context *, void (*)(llvm_message *, void *), void *))                \
  F(char *, GetDiagInfoDescription, (llvm_message *))                          \
  F(int, GetDiagInfoSeverity, (llvm_message *))                                \
  F(llvm_module *, ModuleCreateWithNameInContext,                              \
    (const char *, llvm_context *))                                            \
  F(void, DisposeModule, (llvm_module *))                                      \
  F(void, SetTarget, (llvm_module *, const char *))                            \
  F(void, SetModuleInlineAsm2, (llvm_module *, const char *, size_t))          \
  F(int, GetTargetFromTriple, (const char *, llvm_target **, char **))         \
  F(llvm_machine *, CreateTargetMachine,                                       \
    (llvm_target *, const char *, const char *, const char *, int, int, int))  \
  F(void, DisposeTargetMachine, (llvm_machine *))                              \
  F(int, TargetMachineEmitToMemoryBuffer,                                      \
    (llvm_machine *, llvm_module *, int, char **, llvm_buffer **))             \
  F(const char *, GetBufferStart, (llvm_buffer *))                             \
  F(size_t, GetBufferSize, (llvm_buffer *))                                    \
  F(void, DisposeMemoryBuffer, (llvm_buffer *))                                \
  F(void, DisposeMessage, (char *))

static struct {
  bool is_here;
  llvm_target *target;
#define MEMBER(type, name, arguments) type(*name) arguments;
  FUNCTIONS(MEMBER)
#undef MEMBER
} llvm;

/* Beside the program, <folder>/bin/clang and <folder>/lib/libLLVM-22.so, where
 * LLVM's development package is installed; else the system's. */
static void *library_open(void)
{
  static const char name[] = "libLLVM-22.so";
  char program[PATH_MAX], resolved[PATH_MAX], library[PATH_MAX + 40];
  /* NOLINTNEXTLINE: a fixed name */
  FILE *found = popen("command -v clang-22 2> /dev/null", "r");
  const bool named = found && fgets(program, sizeof program, found);
  if (found)
    pclose(found);
  if (!named)
    return NULL;
  program[strcspn(program, "\n")] = '\0';
  char *folder = realpath(program, resolved) ? strrchr(resolved, '/') : NULL;
  if (!folder)
    return NULL;
  *folder = '\0';
  snprintf(library, sizeof library, "%s/../lib/%s", resolved, name);
  void *beside = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return beside ? beside : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

/* Before the tests, which run in processes of their own. */
__attribute__((constructor)) static void llvm_open(void)
{
  void *library = library_open();
  if (!library)
    return;
#define FIND(type, name, arguments)                                            \
  llvm.name = (type(*) arguments)dlsym(library, "LLVM" #name);                 \
  if (!llvm.name)                                                              \
    return;
  FUNCTIONS(FIND)
#undef FIND
  llvm.InitializeAMDGPUTargetInfo();
  llvm.InitializeAMDGPUTarget();
  llvm.InitializeAMDGPUTargetMC();
  llvm.InitializeAMDGPUAsmParser();
  llvm.InitializeAMDGPUAsmPrinter();
  char *error = NULL;
  llvm.is_here = llvm.GetTargetFromTriple(triple, &llvm.target, &error) == 0;
  if (error)
    llvm.DisposeMessage(error);
}

bool assembler_is_here(void)
{
  return llvm.is_here;
}

/* ---- one text ---- */

typedef struct run {
  assembler_refuse *refuse;
  void *user;
  size_t refused;
} run;

/* "<inline asm>:LINE:COLUMN: …" */
static void message_take(llvm_message *message, void *user)
{
  run *r = user;
  if (llvm.GetDiagInfoSeverity(message) != LLVM_ERROR)
    return;
  char *text = llvm.GetDiagInfoDescription(message);
  size_t line = 0;
  ck_assert_msg(sscanf(text, "<inline asm>:%zu:", &line) == 1, "%s", text);
  r->refuse(r->user, line);
  r->refused++;
  llvm.DisposeMessage(text);
}

/* A copy of section .text of an object. */
static uint8_t *text_copy(const char *object, size_t *size)
{
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)object;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(object + head->e_shoff);
  const char *names = object + sections[head->e_shstrndx].sh_offset;
  for (size_t i = 0; i < head->e_shnum; i++)
    if (strcmp(names + sections[i].sh_name, ".text") == 0) {
      *size = sections[i].sh_size;
      uint8_t *copy = malloc(*size);
      ck_assert_ptr_nonnull(copy);
      return memcpy(copy, object + sections[i].sh_offset, *size);
    }
  ck_abort_msg("the object has no section .text");
}

uint8_t *assembler_run(const char *gfx, const char *features, const char *text,
                       assembler_refuse *refuse, void *user, size_t *size)
{
  run r = {.refuse = refuse, .user = user};
  uint8_t *code = NULL;
  char *error = NULL;
  llvm_buffer *object = NULL;
  llvm_context *context = llvm.ContextCreate();
  llvm.ContextSetDiagnosticHandler(context, message_take, &r);
  llvm_module *module = llvm.ModuleCreateWithNameInContext("text", context);
  llvm.SetTarget(module, triple);
  llvm.SetModuleInlineAsm2(module, text, strlen(text));
  llvm_machine *machine =
      llvm.CreateTargetMachine(llvm.target, triple, gfx, features, 0, 0, 0);
  const int failed = llvm.TargetMachineEmitToMemoryBuffer(
      machine, module, LLVM_OBJECT, &error, &object);
  ck_assert_msg(!failed, "%s", error);
  if (r.refused == 0)
    code = text_copy(llvm.GetBufferStart(object), size);
  llvm.DisposeMemoryBuffer(object);
  llvm.DisposeTargetMachine(machine);
  llvm.DisposeModule(module);
  llvm.ContextDispose(context);
  return code;
}
